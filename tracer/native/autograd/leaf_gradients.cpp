// Gradients of leaf tensors.
#include "autograd/numpy_arrays.h"
#include "autograd/objects.h"

namespace oarlock::autograd {
namespace {

// Sets the gradient of a leaf if that is all there is to do: returns 1; otherwise 0, or -1 with an
// error set.
int set_leaf_gradient(TensorObject* leaf, PyObject* gradient) {
  if (gradient == Py_None || leaf->stop_gradient) return 1;
  if (leaf->grad != Py_None || leaf->hooks != Py_None || !is_real_array(gradient)) return 0;
  PyObject* made = new_tensor(Py_NewRef(gradient));
  if (!made) return -1;
  Ref before(leaf->grad);
  leaf->grad = made;
  return 1;
}

}  // namespace

PyObject* accumulate_grad(PyObject*, PyObject* args) {
  PyObject *leaves = nullptr, *gradients = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &leaves, &PyList_Type, &gradients))
    return nullptr;
  Py_ssize_t count = PyList_Size(leaves);
  if (PyList_Size(gradients) != count) {
    PyErr_SetString(PyExc_ValueError, "another number of gradients than leaves");
    return nullptr;
  }
  Ref remaining(PyList_New(0));
  for (Py_ssize_t i = 0; remaining && i < count; ++i) {
    PyObject *leaf = PyList_GetItem(leaves, i), *gradient = PyList_GetItem(gradients, i);
    int done = is_tensor(leaf) ? set_leaf_gradient(as_tensor(leaf), gradient) : 0;
    if (done < 0) return nullptr;
    if (done > 0) continue;
    Ref pair(PyTuple_Pack(2, leaf, gradient));
    if (!pair || PyList_Append(remaining.get(), pair.get()) < 0) return nullptr;
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
