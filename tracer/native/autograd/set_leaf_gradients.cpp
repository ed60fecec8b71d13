// Gradients of leaf tensors.
#include "autograd/numpy_c_api.h"
#include "autograd/objects.h"

namespace oarlock::autograd {
namespace {

// Sets `grad` of a leaf to a new Tensor with the given array; the reference to the array is stolen.
// Returns a borrowed reference to the new Tensor; null with an error set if memory is exhausted.
TensorObject* set_gradient(TensorObject* tensor, PyObject* array) {
  PyObject* gradient = wrap_owned_array(array);
  if (!gradient) return nullptr;
  Ref before(tensor->grad);
  tensor->grad = gradient;
  return as_tensor(gradient);
}

// Sets the gradient of a leaf.  Returns 1 if the gradient is set, 0 if Python code must set it, -1
// with an error set.
int try_set_leaf_gradient(TensorObject* leaf, PyObject* gradient) {
  if (gradient == Py_None || leaf->stop_gradient) return 1;
  bool replaces = leaf->grad == Py_None ||
                  (is_tensor(leaf->grad) && is_cleared_gradient(as_tensor(leaf->grad)));
  if (!replaces || leaf->hooks != Py_None || !is_non_complex_array(gradient)) return 0;
  return set_gradient(leaf, Py_NewRef(gradient)) ? 1 : -1;
}

// Sets the gradient of a Tensor to zero.  Returns 1 if the gradient is zero now, 0 if Python code
// must do it, -1 with an error set.
int try_set_zero_gradient(TensorObject* tensor) {
  if (tensor->grad == Py_None) return 1;
  if (!is_tensor(tensor->grad)) return 0;
  TensorObject* before = as_tensor(tensor->grad);
  if (is_cleared_gradient(before)) return 1;
  if (!before->array || !is_array(before->array)) return 0;
  PyObject* zeros = zeros_like(before->array);
  if (!zeros) return -1;
  TensorObject* gradient = set_gradient(tensor, zeros);
  if (!gradient) return -1;
  Ref replaced(gradient->zeros);
  gradient->zeros = Py_NewRef(zeros);
  return 1;
}

}  // namespace

PyObject* set_leaf_gradients_returning_rest(PyObject*, PyObject* args) {
  PyObject *leaves = nullptr, *gradients = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &leaves, &PyList_Type, &gradients))
    return nullptr;
  Py_ssize_t count = PyList_Size(leaves);
  if (PyList_Size(gradients) != count) {
    PyErr_SetString(PyExc_ValueError, "the numbers of leaves and gradients differ");
    return nullptr;
  }
  Ref remaining(PyList_New(0));
  for (Py_ssize_t i = 0; remaining && i < count; ++i) {
    PyObject *leaf = PyList_GetItem(leaves, i), *gradient = PyList_GetItem(gradients, i);
    int done = is_tensor(leaf) ? try_set_leaf_gradient(as_tensor(leaf), gradient) : 0;
    if (done < 0) return nullptr;
    if (done > 0) continue;
    Ref pair(PyTuple_Pack(2, leaf, gradient));
    if (!pair || PyList_Append(remaining.get(), pair.get()) < 0) return nullptr;
  }
  return remaining.release();
}

PyObject* zero_gradients_returning_rest(PyObject*, PyObject* tensors) {
  if (!PyList_Check(tensors)) return PyErr_Format(PyExc_TypeError, "expected a list of Tensors");
  Ref remaining(PyList_New(0));
  for (Py_ssize_t i = 0; remaining && i < PyList_Size(tensors); ++i) {
    Ref tensor = Ref::share(PyList_GetItem(tensors, i));
    int done = is_tensor(tensor.get()) ? try_set_zero_gradient(as_tensor(tensor.get())) : 0;
    if (done < 0 || (done == 0 && PyList_Append(remaining.get(), tensor.get()) < 0)) return nullptr;
  }
  return remaining.release();
}

PyObject* are_leaves(PyObject*, PyObject* tensors) {
  if (!PyList_Check(tensors)) Py_RETURN_FALSE;
  for (Py_ssize_t i = 0; i < PyList_Size(tensors); ++i) {
    PyObject* item = PyList_GetItem(tensors, i);
    if (!is_tensor(item) || as_tensor(item)->node != Py_None) Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

}  // namespace oarlock::autograd
