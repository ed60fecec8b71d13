// Functions on top of NumPy's C API: loading the API, queries of dtypes and shapes of arrays, and
// creation of arrays like another one.
#pragma once

#include <Python.h>

namespace oarlock::autograd {

/// Loads NumPy's C API.  Returns false with an error set if this fails.
bool import_numpy();
/// Whether both values are arrays, or NumPy scalars, of the same floating or complex type.
/// allow_integers: or of the same integer type; arrays also of bool.
bool are_arrays_or_scalars_of_same_accepted_type(PyObject* a, PyObject* b, bool allow_integers);
/// Whether both are arrays with the same shape and dtype.
bool are_arrays_of_same_shape_and_dtype(PyObject* a, PyObject* b);
/// A Python number as a 0-D array with the dtype of `array`. Null, without an error, if the number
/// does not fit the dtype, or if the dtype is not allowed. Allowed are float32 and float64, and
/// with allow_integers also signed integer dtypes for an int.
PyObject* try_make_0d_array_from_number(PyObject* array, PyObject* number, bool allow_integers);
/// Zeros with the shape and dtype of an array; null with an error set if memory is exhausted.
PyObject* zeros_like(PyObject* array);
/// Whether both values are arrays, of different dtypes.
bool are_arrays_of_different_dtypes(PyObject* a, PyObject* b);
/// Whether `a` is an array of integers or bools.
bool is_integer_or_bool_array(PyObject* a);
/// Whether `a` is an array, not a scalar.
bool is_array(PyObject* a);
/// Whether `a` is an array of a non-complex dtype.
bool is_non_complex_array(PyObject* a);

}  // namespace oarlock::autograd
