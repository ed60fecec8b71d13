// What the tape asks of NumPy's arrays: type numbers, sizes.
#pragma once

#include <Python.h>

namespace oarlock::autograd {

/// Load NumPy's C API; false with an error set.
bool load_numpy();
/// Whether two values are arrays, or NumPy scalars, of one real, complex or truth type; `whole`:
/// integers and truth values too.
bool same_number_type(PyObject* a, PyObject* b, bool whole);
/// Whether both are arrays of one shape and one dtype.
bool alike(PyObject* a, PyObject* b);
/// A Python number as an array without axes, of the dtype of another array; null, without an error,
/// where the dtype cannot hold it: a float beside integers, an integer that is too large, anything
/// beside truth values.
PyObject* number_like(PyObject* array, PyObject* number, bool whole);
/// Whether two values are arrays of different dtypes.
bool different_dtypes(PyObject* a, PyObject* b);
/// Whether it is an array of integers or truth values.
bool is_integer_array(PyObject* a);
/// Whether it is an array, not a scalar.
bool is_array(PyObject* a);
/// Whether it is an array, of anything but complex numbers.
bool is_real_array(PyObject* a);

}  // namespace oarlock::autograd
