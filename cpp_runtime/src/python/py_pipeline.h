// ImageProcessor and its functions in Python.
#pragma once
#include <nanobind/nanobind.h>

namespace oarlock::python {

void bind_pipeline(nanobind::module_& m);

}  // namespace oarlock::python
