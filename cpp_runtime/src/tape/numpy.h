// What the tape asks of NumPy's arrays: type numbers, sizes.
#pragma once

#include <Python.h>

namespace oarlock::tape {

/// Load NumPy's C API; false with an error set.
bool load_numpy();
/// Whether two values are arrays, or NumPy scalars, of one real, complex or truth type; `whole`: integers and truth
/// values too.
bool same_number_type(PyObject* a, PyObject* b, bool whole);
/// Whether both are arrays of one shape and one dtype.
bool alike(PyObject* a, PyObject* b);
/// Whether it is an array, not a scalar.
bool is_array(PyObject* a);

}  // namespace oarlock::tape
