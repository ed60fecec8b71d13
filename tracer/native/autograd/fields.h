// Fields of the structs in objects.h that Python code can read, assign and delete.
#pragma once

#include <Python.h>

#include <cstddef>

#include "autograd/objects.h"

namespace oarlock::autograd {

/// A reference in a struct that is never null once the object exists, because C++ code reads it
/// without a null check. Assigning a value of a wrong type raises TypeError; deleting the attribute
/// restores the default.
struct Field {
  Py_ssize_t offset;
  bool (*accepts)(PyObject* value);  // null: any object
  const char* expected_types;        // the accepted types, for the error message
  PyObject* const* default_value;    // points to the default value; null: None
};

PyObject* get_field(PyObject* self, void* field);
int set_field(PyObject* self, PyObject* value, void* field);

/// Conditions for `Field::accepts`.
bool is_tensor_or_none(PyObject* value);
bool is_node_or_none(PyObject* value);
bool is_list_or_none(PyObject* value);
bool is_dict_or_none(PyObject* value);
bool is_dict(PyObject* value);
bool is_tuple(PyObject* value);
bool is_set_or_frozenset(PyObject* value);

/// The entry of a type's attribute table for a field.
inline PyGetSetDef getset_of_field(const char* name, const Field& field) noexcept {
  return {name, get_field, set_field, nullptr, const_cast<Field*>(&field)};
}

}  // namespace oarlock::autograd
