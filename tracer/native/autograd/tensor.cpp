// The Python types TensorBase and Node, with garbage collection.
#include "autograd/fields.h"

namespace oarlock::autograd {
namespace {

long long next_sequence_number = 0;
NodeObject *oldest = nullptr, *newest = nullptr;  // nodes whose inputs were not freed

int traverse_tensor(PyObject* self, visitproc visit, void* arg) {
  TensorObject* t = as_tensor(self);
  Py_VISIT(t->array);
  Py_VISIT(t->node);
  Py_VISIT(t->grad);
  Py_VISIT(t->hooks);
  Py_VISIT(t->history);
  Py_VISIT(t->origin);
  Py_VISIT(t->zeros);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear_tensor(PyObject* self) {
  TensorObject* t = as_tensor(self);
  Py_CLEAR(t->array);
  Py_CLEAR(t->node);
  Py_CLEAR(t->grad);
  Py_CLEAR(t->hooks);
  Py_CLEAR(t->history);
  Py_CLEAR(t->origin);
  Py_CLEAR(t->zeros);
  return 0;
}

void dealloc_tensor(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_tensor(self);
  free_object(self);
}

void init_tensor_fields(TensorObject* t) {
  t->array = nullptr;
  t->node = Py_NewRef(Py_None);
  t->grad = Py_NewRef(Py_None);
  t->hooks = Py_NewRef(Py_None);
  t->history = Py_NewRef(shared.empty_tuple);
  t->origin = Py_NewRef(Py_None);
  t->zeros = Py_NewRef(Py_None);
  t->index = 0;
  t->version = 0;
  t->saved_for_backward = 0;
  t->stop_gradient = 1;
}

PyObject* tp_new_tensor(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = alloc_object(type);
  if (self) init_tensor_fields(as_tensor(self));
  return self;
}

PyObject* get_stop_gradient(PyObject* self, void*) {
  return PyBool_FromLong(as_tensor(self)->stop_gradient);
}

int set_stop_gradient(PyObject* self, PyObject* value, void*) {
  int truth = value ? PyObject_IsTrue(value) : 1;
  if (truth < 0) return -1;
  as_tensor(self)->stop_gradient = static_cast<char>(truth);
  return 0;
}

const Field node_of_tensor{offsetof(TensorObject, node), is_node_or_none, "a Node or None",
                           nullptr};
const Field grad_of_tensor{offsetof(TensorObject, grad), nullptr, nullptr, nullptr};
const Field hooks_of_tensor{offsetof(TensorObject, hooks), is_list_or_none, "a list or None",
                            nullptr};
const Field history_of_tensor{offsetof(TensorObject, history), is_tuple, "a tuple",
                              &shared.empty_tuple};
const Field origin_of_tensor{offsetof(TensorObject, origin), is_tensor_or_none, "a Tensor or None",
                             nullptr};
const Field zeros_of_tensor{offsetof(TensorObject, zeros), nullptr, nullptr, nullptr};

PyMemberDef tensor_members[] = {
    {"array", T_OBJECT_EX, offsetof(TensorObject, array), 0, nullptr},
    {"index", T_PYSSIZET, offsetof(TensorObject, index), 0, nullptr},
    {"inplace_version", T_PYSSIZET, offsetof(TensorObject, version), 0, nullptr},
    {"saved_for_backward", T_BOOL, offsetof(TensorObject, saved_for_backward), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef tensor_getset[] = {
    {"stop_gradient", get_stop_gradient, set_stop_gradient, nullptr, nullptr},
    getset_of_field("node", node_of_tensor),
    getset_of_field("grad", grad_of_tensor),
    getset_of_field("_hooks", hooks_of_tensor),
    getset_of_field("_history", history_of_tensor),
    getset_of_field("_origin", origin_of_tensor),
    getset_of_field("_zeros", zeros_of_tensor),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot tensor_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(tp_new_tensor)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_tensor)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_tensor)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_tensor)},
    {Py_tp_members, tensor_members},
    {Py_tp_getset, tensor_getset},
    {0, nullptr},
};
PyType_Spec tensor_spec = {"oarlock.core._tape.TensorBase", sizeof(TensorObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                           tensor_slots};

int traverse_node(PyObject* self, visitproc visit, void* arg) {
  NodeObject* n = as_node(self);
  Py_VISIT(n->op);
  Py_VISIT(n->args);
  Py_VISIT(n->attrs);
  Py_VISIT(n->outs);
  Py_VISIT(n->hooks);
  Py_VISIT(n->grads);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void link_into_live_list(NodeObject* n) {
  n->prev = newest;
  n->next = nullptr;
  (newest ? newest->next : oldest) = n;
  newest = n;
}

void unlink_from_live_list(NodeObject* n) {
  (n->prev ? n->prev->next : oldest) = n->next;
  (n->next ? n->next->prev : newest) = n->prev;
}

int clear_node(PyObject* self) {
  NodeObject* n = as_node(self);
  Py_CLEAR(n->op);
  if (n->args && n->args != Py_None) unlink_from_live_list(n);
  Py_CLEAR(n->args);
  Py_CLEAR(n->attrs);
  Py_CLEAR(n->outs);
  Py_CLEAR(n->hooks);
  Py_CLEAR(n->grads);
  return 0;
}

// Freeing a long chain of nodes does not overflow the stack: between two nodes there is always a
// Tensor, and CPython limits the recursion depth when it deallocates objects of a Python class.
void dealloc_node(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_node(self);
  free_object(self);
}

PyObject* tp_new_node(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject *op = nullptr, *operands = nullptr, *attrs = nullptr, *outs = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!O!O", shared.op_base, &op, &PyTuple_Type, &operands,
                        &PyDict_Type, &attrs, &outs))
    return nullptr;
  return create_node_in_live_list(op, operands, attrs, outs);
}

PyObject* release_node_values_and_unlink_method(PyObject* self, PyObject*) {
  release_node_values_and_unlink(as_node(self));
  Py_RETURN_NONE;
}

PyObject* get_or_create_hooks_of_node_result(PyObject* self, PyObject* index) {
  NodeObject* n = as_node(self);
  if (n->hooks == Py_None) {
    PyObject* hooks = PyDict_New();
    if (!hooks) return nullptr;
    Py_DECREF(n->hooks);
    n->hooks = hooks;
  }
  PyObject* hook_list = PyDict_GetItemWithError(n->hooks, index);
  if (hook_list || PyErr_Occurred()) return Py_XNewRef(hook_list);
  Ref list(PyList_New(0));
  if (!list || PyDict_SetItem(n->hooks, index, list.get()) < 0) return nullptr;
  return list.release();
}

const Field attrs_of_node{offsetof(NodeObject, attrs), is_dict, "a dict", &shared.no_attrs};
const Field outs_of_node{offsetof(NodeObject, outs), nullptr, nullptr, nullptr};
const Field hooks_of_node{offsetof(NodeObject, hooks), is_dict_or_none, "a dict or None", nullptr};
const Field grads_of_node{offsetof(NodeObject, grads), is_dict_or_none, "a dict or None", nullptr};

PyGetSetDef node_getset[] = {
    getset_of_field("attrs", attrs_of_node),       getset_of_field("outs", outs_of_node),
    getset_of_field("hooks", hooks_of_node),       getset_of_field("grads", grads_of_node),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef node_members[] = {
    {"op", T_OBJECT, offsetof(NodeObject, op), READONLY, nullptr},
    {"args", T_OBJECT, offsetof(NodeObject, args), READONLY, nullptr},
    {"seq", T_LONGLONG, offsetof(NodeObject, seq), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef node_methods[] = {
    {"free", release_node_values_and_unlink_method, METH_NOARGS,
     "Release the operands, results and attributes, and remove the node from the list of live "
     "nodes."},
    {"hooks_of", get_or_create_hooks_of_node_result, METH_O,
     "The list of hooks of result `index`; created if missing."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot node_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(tp_new_node)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_node)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_node)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_node)},
    {Py_tp_members, node_members},
    {Py_tp_getset, node_getset},
    {Py_tp_methods, node_methods},
    {0, nullptr},
};
PyType_Spec node_spec = {"oarlock.core._tape.Node", sizeof(NodeObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, node_slots};

}  // namespace

PyTypeObject* make_tensor_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&tensor_spec));
}
PyTypeObject* make_node_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&node_spec));
}

PyObject* wrap_owned_array(PyObject* owned_array) {
  PyTypeObject* type = shared.tensor;
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (!self) {
    Py_DECREF(owned_array);
    return nullptr;
  }
  init_tensor_fields(as_tensor(self));
  as_tensor(self)->array = owned_array;
  return self;
}

namespace {

// Marks the Tensors in a tuple or list of operands, at any depth, as saved for backward.
void mark_saved_for_backward(PyObject* operands) {
  bool tuple = PyTuple_Check(operands) != 0;
  if (!tuple && !PyList_Check(operands)) return;
  Py_ssize_t count = tuple ? PyTuple_Size(operands) : PyList_Size(operands);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = tuple ? PyTuple_GetItem(operands, i) : PyList_GetItem(operands, i);
    if (is_tensor(item))
      as_tensor(item)->saved_for_backward = 1;
    else
      mark_saved_for_backward(item);
  }
}

}  // namespace

PyObject* create_node_in_live_list(PyObject* op, PyObject* args, PyObject* attrs, PyObject* outs) {
  PyObject* self = PyType_GenericAlloc(shared.node, 0);
  if (!self) return nullptr;
  NodeObject* n = as_node(self);
  n->op = Py_NewRef(op);
  n->args = Py_NewRef(args);
  n->attrs = Py_NewRef(attrs);
  n->outs = Py_NewRef(outs);
  n->hooks = Py_NewRef(Py_None);
  n->grads = Py_NewRef(Py_None);
  n->seq = next_sequence_number++;
  link_into_live_list(n);
  mark_saved_for_backward(args);
  return self;
}

void release_node_values_and_unlink(NodeObject* n) {
  if (!n->args || n->args == Py_None) return;
  unlink_from_live_list(n);
  Ref args(n->args), outs(n->outs), attrs(n->attrs);  // attributes may hold arrays, too
  n->args = Py_NewRef(Py_None);
  n->outs = Py_NewRef(Py_None);
  n->attrs = Py_NewRef(shared.no_attrs);
}

PyObject* oldest_live_node_seq(PyObject*, PyObject*) {
  return PyLong_FromLongLong(oldest ? oldest->seq : next_sequence_number);
}

PyObject* take_next_seq(PyObject*, PyObject*) {
  return PyLong_FromLongLong(next_sequence_number++);
}

}  // namespace oarlock::autograd
