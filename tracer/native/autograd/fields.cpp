#include "autograd/fields.h"

namespace oarlock::autograd {
namespace {

PyObject** field_address(PyObject* self, const Field& field) {
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + field.offset);
}

}  // namespace

PyObject* get_field(PyObject* self, void* field) {
  PyObject* value = *field_address(self, *static_cast<const Field*>(field));
  return Py_NewRef(value ? value : Py_None);  // null only during garbage collection
}

int set_field(PyObject* self, PyObject* value, void* field) {
  const auto& f = *static_cast<const Field*>(field);
  if (!value) value = f.default_value ? *f.default_value : Py_None;
  if (f.accepts && !f.accepts(value)) {
    PyErr_Format(PyExc_TypeError, "expected %s, not %R", f.expected_types,
                 reinterpret_cast<PyObject*>(Py_TYPE(value)));
    return -1;
  }
  PyObject** slot = field_address(self, f);
  Ref before(*slot);
  *slot = Py_NewRef(value);
  return 0;
}

bool is_tensor_or_none(PyObject* value) { return value == Py_None || is_tensor(value); }
bool is_node_or_none(PyObject* value) {
  return value == Py_None || PyObject_TypeCheck(value, shared.node) != 0;
}
bool is_list_or_none(PyObject* value) { return value == Py_None || PyList_Check(value); }
bool is_dict_or_none(PyObject* value) { return value == Py_None || PyDict_Check(value); }
bool is_dict(PyObject* value) { return PyDict_Check(value); }
bool is_tuple(PyObject* value) { return PyTuple_Check(value); }
bool is_set_or_frozenset(PyObject* value) { return PyAnySet_Check(value); }

}  // namespace oarlock::autograd
