// Support for calls of compiled programs from eager code: checks of all input tensors in one call,
// and recording of the outputs on the tape.
#include "autograd/objects.h"

namespace oarlock::autograd {
namespace {

bool check_tensors(PyObject* list, bool valued) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "the operands are not a list");
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject* item = PyList_GetItem(list, i);
    if (is_tensor(item) && (!valued || as_tensor(item)->array)) continue;
    PyErr_SetString(PyExc_TypeError, valued ? "an operand is not a Tensor with a value"
                                            : "an operand is not a Tensor");
    return false;
  }
  return true;
}

// Returns those Tensors of a list that are at the given indices.
Ref select_tensors(PyObject* list, PyObject* indices) {
  Py_ssize_t count = PyList_Size(indices);
  Ref result(PyList_New(count));
  for (Py_ssize_t i = 0; result && i < count; ++i) {
    Py_ssize_t at = PyLong_AsSsize_t(PyList_GetItem(indices, i));
    PyObject* item = at == -1 && PyErr_Occurred() ? nullptr : PyList_GetItem(list, at);
    if (!item) return {};
    PyList_SetItem(result.get(), i, Py_NewRef(item));
  }
  return result;
}

// Makes those Tensors of a list that are at the given indices outputs of a node, so that they
// require gradients.
bool attach_differentiable_results_to_node(PyObject* results, PyObject* indices, PyObject* node) {
  for (Py_ssize_t i = 0; i < PyList_Size(indices); ++i) {
    Py_ssize_t at = PyLong_AsSsize_t(PyList_GetItem(indices, i));
    PyObject* item = at == -1 && PyErr_Occurred() ? nullptr : PyList_GetItem(results, at);
    if (!item) return false;
    TensorObject* tensor = as_tensor(item);
    Ref before(tensor->node);
    tensor->node = Py_NewRef(node);
    tensor->index = at;
    tensor->stop_gradient = 0;
  }
  return true;
}

}  // namespace

PyObject* arrays_of(PyObject*, PyObject* tensors) {
  if (!check_tensors(tensors, true)) return nullptr;
  Py_ssize_t count = PyList_Size(tensors);
  Ref result(PyList_New(count));
  for (Py_ssize_t i = 0; result && i < count; ++i)
    PyList_SetItem(result.get(), i, Py_NewRef(as_tensor(PyList_GetItem(tensors, i))->array));
  return result.release();
}

PyObject* tensors_hold_arrays(PyObject*, PyObject* args) {
  PyObject *tensors = nullptr, *arrays = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &tensors, &PyList_Type, &arrays) ||
      !check_tensors(tensors, false))
    return nullptr;
  Py_ssize_t count = PyList_Size(tensors);
  bool same = count == PyList_Size(arrays);
  for (Py_ssize_t i = 0; same && i < count; ++i)
    same = as_tensor(PyList_GetItem(tensors, i))->array == PyList_GetItem(arrays, i);
  return PyBool_FromLong(same);
}

PyObject* stop_gradients_of(PyObject*, PyObject* tensors) {
  if (!check_tensors(tensors, false)) return nullptr;
  Py_ssize_t count = PyList_Size(tensors);
  Ref result(PyTuple_New(count));
  for (Py_ssize_t i = 0; result && i < count; ++i)
    PyTuple_SetItem(result.get(), i,
                    PyBool_FromLong(as_tensor(PyList_GetItem(tensors, i))->stop_gradient));
  return result.release();
}

PyObject* wrap_arrays(PyObject*, PyObject* arrays) {
  if (!PyTuple_Check(arrays)) {
    PyErr_SetString(PyExc_TypeError, "the arrays are not a tuple");
    return nullptr;
  }
  Py_ssize_t count = PyTuple_Size(arrays);
  Ref result(PyList_New(count));
  for (Py_ssize_t i = 0; result && i < count; ++i) {
    PyObject* tensor = wrap_owned_array(Py_NewRef(PyTuple_GetItem(arrays, i)));
    if (!tensor) return nullptr;
    PyList_SetItem(result.get(), i, tensor);
  }
  return result.release();
}

PyObject* record_program_call(PyObject*, PyObject* args) {
  PyObject *op = nullptr, *operands = nullptr, *input_indices = nullptr, *attrs = nullptr,
           *outs = nullptr, *output_indices = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!O!O!O!O!", shared.op_base, &op, &PyList_Type, &operands,
                        &PyList_Type, &input_indices, &PyDict_Type, &attrs, &PyTuple_Type, &outs,
                        &PyList_Type, &output_indices))
    return nullptr;
  if (!check_tensors(operands, true)) return nullptr;
  Ref inputs = select_tensors(operands, input_indices);
  Ref slots(inputs ? PyTuple_Pack(1, inputs.get()) : nullptr);
  Ref node(slots ? create_node_in_live_list(op, slots.get(), attrs, outs) : nullptr);
  Ref result(node ? wrap_arrays(nullptr, outs) : nullptr);
  return result && attach_differentiable_results_to_node(result.get(), output_indices, node.get())
             ? result.release()
             : nullptr;
}

}  // namespace oarlock::autograd
