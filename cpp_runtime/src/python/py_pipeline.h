// Python bindings of ImageProcessor, and of the functions `crop_text` and `reading_order`.
#pragma once
#include <nanobind/nanobind.h>

namespace oarlock::python {

void bind_pipeline(nanobind::module_& m);

}  // namespace oarlock::python
