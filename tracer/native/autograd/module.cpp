// The module oarlock.core._tape.
#include "autograd/array_size_limit.h"
#include "autograd/numpy_c_api.h"
#include "autograd/objects.h"

namespace oarlock::autograd {

SharedObjects shared{};

namespace {

// Sets the Python objects that C++ code calls: the class Tensor, explain(), which raises the error
// of a failed kernel, and is_float(), which checks a dtype.
PyObject* set_shared_objects(PyObject*, PyObject* args) {
  PyObject *tensor = nullptr, *explain = nullptr, *is_float = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &tensor, &explain, &is_float)) return nullptr;
  if (!PyType_Check(tensor) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(tensor), shared.tensor_base)) {
    PyErr_SetString(PyExc_TypeError, "the class must be a subclass of TensorBase");
    return nullptr;
  }
  shared.tensor = reinterpret_cast<PyTypeObject*>(Py_NewRef(tensor));
  shared.explain = Py_NewRef(explain);
  shared.is_float = Py_NewRef(is_float);
  Py_RETURN_NONE;
}

bool add_type(PyObject* module, const char* name, PyTypeObject* type) {
  return type && PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)) == 0;
}

PyMethodDef functions[] = {
    {"configure", set_shared_objects, METH_VARARGS,
     "Set the Tensor class, explain() and is_float()."},
    {"set_modes", set_native_modes, METH_VARARGS,
     "Set the modes for which C++ has fast paths: eager, without tape, bare arrays."},
    {"oldest_seq", oldest_live_node_seq, METH_NOARGS,
     "The sequence number of the oldest node whose inputs were not freed; the next sequence number "
     "if there is none."},
    {"take_next_seq", take_next_seq, METH_NOARGS,
     "Return the next sequence number of a node, and increment it."},
    {"accumulate_grad", set_leaf_gradients_returning_rest, METH_VARARGS,
     "Set `grad` of leaves; return the (leaf, gradient) pairs that Python must handle."},
    {"zero_grads", zero_gradients_returning_rest, METH_O,
     "Set the gradients of a list of Tensors to zero; return the Tensors whose gradients are not "
     "on "
     "the CPU."},
    {"are_leaves", are_leaves, METH_O, "Whether all Tensors of a list are leaves."},
    {"arrays_of", arrays_of, METH_O, "The arrays of a list of Tensors."},
    {"tensors_hold_arrays", tensors_hold_arrays, METH_VARARGS,
     "Whether each Tensor of a list holds the object at its position in a list of arrays."},
    {"stop_gradients_of", stop_gradients_of, METH_O,
     "stop_gradient of each Tensor of a list, as a tuple."},
    {"wrap_arrays", wrap_arrays, METH_O, "Tensors around a tuple of arrays."},
    {"record_program_call", record_program_call, METH_VARARGS,
     "Tensors around arrays, some of them results of a new node."},
    {"limited",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_with_array_size_limit)),
     METH_FASTCALL | METH_KEYWORDS,
     "Call a function while NumPy rejects arrays above OARLOCK_MAX_RESULT_BYTES, and return its "
     "result."},
    {"take_rejected_size", take_rejected_size, METH_NOARGS,
     "Return the size in bytes of the last array that the limit rejected in this thread, and reset "
     "it to 0."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_tape",
                          "Op calls, graph nodes and the backward engine.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* make_module() {
  if (!import_numpy()) return nullptr;
  Ref types(PyImport_ImportModule("types"));
  if (!types) return nullptr;
  shared.method_type = PyObject_GetAttrString(types.get(), "MethodType");
  shared.run = PyUnicode_InternFromString("run");
  shared.empty_tuple = PyTuple_New(0);
  shared.no_attrs = PyDict_New();
  shared.tensor_base = make_tensor_type();
  shared.op_base = make_op_type();
  shared.node = make_node_type();
  Ref module(PyModule_Create(&definition));
  bool good = module && shared.method_type && shared.run && shared.empty_tuple && shared.no_attrs &&
              add_type(module.get(), "TensorBase", shared.tensor_base) &&
              add_type(module.get(), "OpBase", shared.op_base) &&
              add_type(module.get(), "Node", shared.node) &&
              add_type(module.get(), "State", make_thread_mode_type()) &&
              add_type(module.get(), "Operator", make_binary_operator_type()) &&
              add_type(module.get(), "BackwardEngine", make_backward_engine_type());
  return good ? module.release() : nullptr;
}

}  // namespace oarlock::autograd

// NOLINTNEXTLINE(bugprone-reserved-identifier): CPython determines the name.
PyMODINIT_FUNC PyInit__tape() { return oarlock::autograd::make_module(); }
