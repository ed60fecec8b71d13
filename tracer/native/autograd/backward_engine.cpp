// The walk back over the tape: take the latest node that something arrived at, ask its vjp rule,
// add up what the rule says of each operand.  The Python class on top says what is rare: hooks,
// several results, shapes that broadcasting had changed.

#include <queue>
#include <unordered_map>
#include <vector>

#include "autograd/fields.h"
#include "autograd/numpy_arrays.h"

namespace oarlock::autograd {
namespace {

/// What has arrived somewhere.   gradient: an array or Tensor, for several results a dict by index;
/// owned: made by adding up here.
struct Arrived {
  Ref target;  // the node, or the leaf
  Ref gradient;
  bool owned = false;
};

struct Walk {
  std::unordered_map<long long, Arrived> waiting;  // by the node's number
  std::priority_queue<long long>
      queue;  // of those, the latest first: the order of making is a topological one
  std::vector<Arrived> leaves;
  std::unordered_map<PyObject*, size_t> leaf_of;
};

PyObject* no_keys = nullptr;  // an empty set, the default of `WalkObject::watched`

/// bare: gradients are arrays, and sums are NumPy's; else Tensors, and the op `sum` adds them up.
struct WalkObject {
  PyObject_HEAD Walk* walk;
  PyObject* reach;    // what may get a gradient, None for everything
  PyObject* nodes;    // numbers of the nodes whose rules are asked, None for all
  PyObject* watched;  // keys of results whose gradient is wanted
  PyObject* last;     // by the number of a node: the leaves that nothing arrives at after it; None
                      // where nobody asks
  PyObject* sum;
  char bare;
};
WalkObject* as_walk(PyObject* o) { return reinterpret_cast<WalkObject*>(o); }

PyObject* call_method(PyObject* self, const char* name, PyObject* a, PyObject* b) {
  Ref named(PyUnicode_InternFromString(name));
  return PyObject_CallMethodObjArgs(self, named.get(), a, b, nullptr);
}

bool add_up(WalkObject* self, Arrived& place, PyObject* gradient) {
  PyObject* before = place.gradient.get();
  if (self->bare) {
    place.gradient =
        Ref(place.owned ? PyNumber_InPlaceAdd(before, gradient) : PyNumber_Add(before, gradient));
    place.owned = true;
  } else {
    PyObject* operands[] = {nullptr, before, gradient};
    place.gradient = Ref(
        PyObject_Vectorcall(self->sum, operands + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  }
  return static_cast<bool>(place.gradient);
}

bool add_to_leaf(WalkObject* self, PyObject* tensor, PyObject* gradient) {
  Walk& walk = *self->walk;
  auto found = walk.leaf_of.find(tensor);
  if (found != walk.leaf_of.end()) return add_up(self, walk.leaves[found->second], gradient);
  // In this order an allocation that fails leaves no index behind without its entry.
  walk.leaves.push_back({Ref::share(tensor), Ref::share(gradient), false});
  walk.leaf_of.emplace(tensor, walk.leaves.size() - 1);
  return true;
}

// Several results: the gradients are kept in a dict by index.
bool add_by_index(WalkObject* self, PyObject* by_index, Py_ssize_t index, PyObject* gradient) {
  Ref key(PyLong_FromSsize_t(index));
  if (!key) return false;
  PyObject* before = PyDict_GetItemWithError(by_index, key.get());
  if (!before) return !PyErr_Occurred() && PyDict_SetItem(by_index, key.get(), gradient) == 0;
  Arrived place{Ref(), Ref::share(before), false};
  return add_up(self, place, gradient) &&
         PyDict_SetItem(by_index, key.get(), place.gradient.get()) == 0;
}

bool add_to_node(WalkObject* self, TensorObject* tensor, PyObject* gradient) {
  NodeObject* node = as_node(tensor->node);
  bool single = as_op(node->op)->single != 0;
  auto [found, fresh] = self->walk->waiting.try_emplace(node->seq);
  Arrived& place = found->second;
  if (fresh) {
    place.target = Ref::share(tensor->node);
    self->walk->queue.push(node->seq);
    place.gradient = single ? Ref::share(gradient) : Ref(PyDict_New());
    if (!place.gradient) return false;
    if (single) return true;
  }
  return single ? add_up(self, place, gradient)
                : add_by_index(self, place.gradient.get(), tensor->index, gradient);
}

// Add what one op says; a function is called only if `tensor` wants a gradient.
bool add(WalkObject* self, PyObject* tensor, PyObject* said) {
  if (as_tensor(tensor)->origin != Py_None) tensor = as_tensor(tensor)->origin;
  TensorObject* t = as_tensor(tensor);
  if (t->stop_gradient || said == Py_None) return true;
  if (self->reach != Py_None) {
    int inside = PySequence_Contains(self->reach, tensor);
    if (inside <= 0) return inside == 0;
  }
  Ref gradient = Ref::share(said);
  if (!is_array(said) && !is_tensor(said) && PyCallable_Check(said)) {
    gradient = Ref(PyObject_CallNoArgs(said));
    if (!gradient) return false;
  }
  if (!self->bare || !t->array || !alike(gradient.get(), t->array)) {
    gradient =
        Ref(call_method(reinterpret_cast<PyObject*>(self), "fitted", gradient.get(), tensor));
    if (!gradient) return false;
    if (gradient.get() == Py_None) return true;
  }
  return t->node == Py_None ? add_to_leaf(self, tensor, gradient.get())
                            : add_to_node(self, t, gradient.get());
}

bool unchanged(PyObject* arg) {
  if (is_tensor(arg)) return PyTuple_Size(as_tensor(arg)->history) == 0;
  if (!PyList_Check(arg)) return arg == Py_None;
  for (Py_ssize_t i = 0; i < PyList_Size(arg); ++i)
    if (!unchanged(PyList_GetItem(arg, i))) return false;
  return true;
}

// The operands of a node as they were when it was made.
Ref operands_of(WalkObject* self, NodeObject* node) {
  bool plain = PyTuple_Check(node->args) != 0;
  for (Py_ssize_t i = 0; plain && i < PyTuple_Size(node->args); ++i)
    plain = unchanged(PyTuple_GetItem(node->args, i));
  if (plain) return Ref::share(node->args);
  Ref named(PyUnicode_InternFromString("operands_of"));
  auto* object = reinterpret_cast<PyObject*>(self);
  return Ref(
      PyObject_CallMethodObjArgs(object, named.get(), reinterpret_cast<PyObject*>(node), nullptr));
}

/// A call of a rule that is being put together: what it is given, and what has to live until it is
/// done.
struct Call {
  std::vector<PyObject*> values{nullptr};  // the first place is the callee's to use
  std::vector<Ref> held;

  bool push(Ref value) {
    if (!value) return false;
    values.push_back(value.get());
    held.push_back(std::move(value));
    return true;
  }
};

// The arrays of a list of tensors.
Ref arrays_of(PyObject* list) {
  Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return {};
  Ref made(PyList_New(count));
  for (Py_ssize_t i = 0; made && i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    if (!item) return {};
    PyList_SetItem(made.get(), i, PyObject_GetAttrString(item.get(), "array"));
  }
  return made;
}

bool push_operand(WalkObject* self, Call& call, PyObject* arg) {
  if (!self->bare || arg == Py_None) {
    call.values.push_back(arg);
    return true;
  }
  if (!is_tensor(arg)) return call.push(arrays_of(arg));
  if (!as_tensor(arg)->array) return call.push(Ref(PyObject_GetAttrString(arg, "array")));
  call.values.push_back(as_tensor(arg)->array);
  return true;
}

bool push_gradients(WalkObject* self, Call& call, NodeObject* node, PyObject* arrived) {
  if (as_op(node->op)->single && node->hooks == Py_None && PySet_Size(self->watched) == 0) {
    call.values.push_back(arrived);
    return true;
  }
  auto* object = reinterpret_cast<PyObject*>(self);
  Ref grads(call_method(object, "arrived", reinterpret_cast<PyObject*>(node), arrived));
  if (!grads) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(grads.get()); ++i)
    call.values.push_back(PyTuple_GetItem(grads.get(), i));
  call.held.push_back(std::move(grads));
  return true;
}

bool push_result(WalkObject* self, Call& call, NodeObject* node, PyObject* which) {
  if (!self->bare) {
    auto* object = reinterpret_cast<PyObject*>(self);
    return call.push(Ref(call_method(object, "result", reinterpret_cast<PyObject*>(node), which)));
  }
  if (as_op(node->op)->single) return call.push(Ref::share(node->outs));
  return call.push(Ref(PyObject_GetItem(node->outs, which)));
}

// Attributes and results that the rule asks for by keyword.
bool push_named(WalkObject* self, Call& call, NodeObject* node) {
  OpObject* op = as_op(node->op);
  Py_ssize_t attrs = PyTuple_Size(op->rule_defaults);
  bool given = PyDict_Size(node->attrs) > 0;
  for (Py_ssize_t i = 0; i < attrs; ++i) {
    PyObject* name = PyTuple_GetItem(op->rule_names, i);
    if (!name) return false;
    PyObject* value = given ? PyDict_GetItemWithError(node->attrs, name) : nullptr;
    if (!value && PyErr_Occurred()) return false;
    call.values.push_back(value ? value : PyTuple_GetItem(op->rule_defaults, i));
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(op->rule_outs); ++i)
    if (!push_result(self, call, node, PyTuple_GetItem(op->rule_outs, i))) return false;
  return true;
}

// What the rule of a node says: a tuple with one entry per operand, or the entry of the only one.
Ref ask(WalkObject* self, NodeObject* node, PyObject* args, PyObject* arrived) {
  OpObject* op = as_op(node->op);
  Call call;
  if (!push_gradients(self, call, node, arrived)) return {};
  Py_ssize_t count = PyTuple_Size(args);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!push_operand(self, call, PyTuple_GetItem(args, i))) return {};
  for (Py_ssize_t i = count; i < op->inputs; ++i) call.values.push_back(Py_None);
  size_t positional = call.values.size() - 1;
  if (!push_named(self, call, node)) return {};
  PyObject* names = PyTuple_Size(op->rule_names) ? op->rule_names : nullptr;
  return Ref(PyObject_Vectorcall(op->rule, call.values.data() + 1,
                                 positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
}

bool add_each(WalkObject* self, PyObject* tensors, PyObject* gradients) {
  Py_ssize_t count = PySequence_Size(tensors);
  if (count < 0 || PySequence_Size(gradients) != count) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError,
                      "a vjp rule gave another number of gradients than operands");
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref tensor(PySequence_GetItem(tensors, i)), gradient(PySequence_GetItem(gradients, i));
    if (!tensor || !gradient || !add(self, tensor.get(), gradient.get())) return false;
  }
  return true;
}

bool spread(WalkObject* self, PyObject* args, PyObject* found) {
  bool several = PyTuple_Check(found) != 0;
  Py_ssize_t said = several ? PyTuple_Size(found) : 1;
  for (Py_ssize_t i = 0; i < said && i < PyTuple_Size(args); ++i) {
    PyObject* arg = PyTuple_GetItem(args, i);
    PyObject* gradient = several ? PyTuple_GetItem(found, i) : found;
    if (arg == Py_None || gradient == Py_None) continue;
    if (!(is_tensor(arg) ? add(self, arg, gradient) : add_each(self, arg, gradient))) return false;
  }
  return true;
}

// Whether the rule of a node has to be asked at all; -1 with an error set.
int leads_on(WalkObject* self, NodeObject* node) {
  if (self->nodes == Py_None) return 1;
  Ref number(PyLong_FromLongLong(node->seq));
  return number ? PySet_Contains(self->nodes, number.get()) : -1;
}

// Say of which leaves a node was the last.
bool tell(WalkObject* self, long long number) {
  if (self->last == Py_None) return true;
  Ref key(PyLong_FromLongLong(number));
  if (!key) return false;
  PyObject* leaves = PyDict_GetItemWithError(self->last, key.get());
  if (!leaves) return !PyErr_Occurred();
  Ref named(PyUnicode_InternFromString("final"));
  auto* object = reinterpret_cast<PyObject*>(self);
  return static_cast<bool>(Ref(PyObject_CallMethodObjArgs(object, named.get(), leaves, nullptr)));
}

bool step(WalkObject* self, bool retain) {
  long long number = self->walk->queue.top();
  self->walk->queue.pop();
  auto place = self->walk->waiting.extract(number);
  NodeObject* node = as_node(place.mapped().target.get());
  int on = leads_on(self, node);
  if (on < 0) return false;
  PyObject* arrived = place.mapped().gradient.get();
  if (!on) {  // wanted itself, and nothing behind it is
    auto* object = reinterpret_cast<PyObject*>(self);
    return static_cast<bool>(
        Ref(call_method(object, "arrived", reinterpret_cast<PyObject*>(node), arrived)));
  }
  if (!self->bare) {
    auto* object = reinterpret_cast<PyObject*>(self);
    Ref told(call_method(object, "visit", reinterpret_cast<PyObject*>(node), Py_None));
    if (!told) return false;
  }
  Ref args = operands_of(self, node);
  if (!args) return false;
  Ref found = ask(self, node, args.get(), arrived);
  if (!found || !spread(self, args.get(), found.get())) return false;
  if (!retain) free_operands(node);
  return tell(self, number);
}

PyObject* run(PyObject* self, PyObject* retain) {
  int kept = PyObject_IsTrue(retain);
  if (kept < 0) return nullptr;
  return guarded([&]() -> PyObject* {
    while (!as_walk(self)->walk->queue.empty())
      if (!step(as_walk(self), kept != 0)) return nullptr;
    Py_RETURN_NONE;
  });
}

PyObject* add_method(PyObject* self, PyObject* args) {
  PyObject *tensor = nullptr, *gradient = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", shared.tensor_base, &tensor, &gradient)) return nullptr;
  return guarded([&]() -> PyObject* {
    return add(as_walk(self), tensor, gradient) ? Py_NewRef(Py_None) : nullptr;
  });
}

PyObject* leaves(PyObject* self, PyObject*) {
  const auto& found = as_walk(self)->walk->leaves;
  Ref made(PyList_New(static_cast<Py_ssize_t>(found.size())));
  for (size_t i = 0; made && i < found.size(); ++i) {
    PyObject* pair = PyTuple_Pack(2, found[i].target.get(), found[i].gradient.get());
    if (!pair) return nullptr;
    PyList_SetItem(made.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return made.release();
}

PyObject* leaf(PyObject* self, PyObject* tensor) {
  Walk* walk = as_walk(self)->walk;
  auto found = walk->leaf_of.find(tensor);
  return Py_NewRef(found == walk->leaf_of.end() ? Py_None
                                                : walk->leaves[found->second].gradient.get());
}

PyObject* make_walk(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = alloc_object(type);
  if (!self) return nullptr;
  WalkObject* w = as_walk(self);
  w->walk = new (std::nothrow) Walk;
  w->reach = Py_NewRef(Py_None);
  w->nodes = Py_NewRef(Py_None);
  w->watched = Py_NewRef(no_keys);
  w->last = Py_NewRef(Py_None);
  w->sum = Py_NewRef(Py_None);
  if (w->walk) return self;
  Py_DECREF(self);
  return PyErr_NoMemory();
}

void dealloc_walk(PyObject* self) {
  WalkObject* w = as_walk(self);
  delete w->walk;
  Py_CLEAR(w->reach);
  Py_CLEAR(w->nodes);
  Py_CLEAR(w->watched);
  Py_CLEAR(w->last);
  Py_CLEAR(w->sum);
  free_object(self);
}

bool is_set_or_none(PyObject* value) { return value == Py_None || is_set(value); }

const Field reach_of_walk{offsetof(WalkObject, reach), nullptr, nullptr, nullptr};
const Field nodes_of_walk{offsetof(WalkObject, nodes), is_set_or_none, "a set or None", nullptr};
const Field watched_of_walk{offsetof(WalkObject, watched), is_set, "a set", &no_keys};
const Field last_of_walk{offsetof(WalkObject, last), is_dict_or_none, "a dict or None", nullptr};
const Field sum_of_walk{offsetof(WalkObject, sum), nullptr, nullptr, nullptr};

PyGetSetDef walk_getset[] = {
    attribute("reach", reach_of_walk),     attribute("nodes", nodes_of_walk),
    attribute("watched", watched_of_walk), attribute("last", last_of_walk),
    attribute("sum", sum_of_walk),         {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef walk_members[] = {
    {"bare", T_BOOL, offsetof(WalkObject, bare), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef walk_methods[] = {
    {"add", add_method, METH_VARARGS,
     "Add what one op says; a function is called only if the tensor wants a gradient."},
    {"run", run, METH_O,
     "Carry what has arrived to everything it came from.   retain: keep the graph."},
    {"leaves", leaves, METH_NOARGS, "The leaves that something arrived at, with it."},
    {"leaf", leaf, METH_O, "What arrived at a leaf, None for nothing."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot walk_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_walk)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_walk)},
    {Py_tp_members, walk_members},
    {Py_tp_getset, walk_getset},
    {Py_tp_methods, walk_methods},
    {0, nullptr},
};
PyType_Spec walk_spec = {"oarlock.core._tape.Walk", sizeof(WalkObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, walk_slots};

}  // namespace

PyTypeObject* make_walk_type() {
  no_keys = PyFrozenSet_New(nullptr);
  return no_keys ? reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&walk_spec)) : nullptr;
}

}  // namespace oarlock::autograd
