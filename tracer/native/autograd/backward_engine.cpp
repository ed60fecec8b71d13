// The backward engine repeatedly takes the pending node that was recorded last, calls its VJP rule,
// and accumulates the returned gradients.  Methods of the Python subclass handle rare cases: hooks,
// ops with several outputs, and broadcast shapes.

#include <queue>
#include <unordered_map>
#include <vector>

#include "autograd/fields.h"
#include "autograd/numpy_c_api.h"

namespace oarlock::autograd {
namespace {

/// A gradient that waits for its node or leaf. gradient: an array or Tensor; for ops with several
/// outputs, a dict by output index. owned: whether the gradient is a sum that the backward engine
/// computed, and may change in place.
struct PendingGradient {
  Ref target;  // the node or the leaf
  Ref gradient;
  bool owned = false;
};

struct PendingGradientQueue {
  std::unordered_map<long long, PendingGradient> pending;  // by the sequence number of the node
  std::priority_queue<long long>
      queue;  // pending nodes, latest first: the order of creation is a topological order
  std::vector<PendingGradient> leaves;
  std::unordered_map<PyObject*, size_t> leaf_index;
};

PyObject* empty_set = nullptr;  // the default of `BackwardEngineObject::watched`

/// The Python object that runs one backward pass. bare: gradients are arrays, which NumPy adds;
/// otherwise they are Tensors, which the op `sum` adds.
struct BackwardEngineObject {
  PyObject_HEAD PendingGradientQueue* state;
  PyObject* reach;      // objects that may get a gradient, None for all
  PyObject* nodes;      // sequence numbers of the nodes whose rules are called, None for all
  PyObject* watched;    // keys of outputs whose gradient is requested
  PyObject* last_uses;  // by sequence number of a node: the leaves that get no gradient after it;
                        // None if not needed
  PyObject* sum;
  char bare;
  char calls_before_vjp_rule;  // whether `before_vjp_rule` is called before each rule
};
BackwardEngineObject* as_backward_engine(PyObject* o) {
  return reinterpret_cast<BackwardEngineObject*>(o);
}

PyObject* call_method(PyObject* self, const char* name, PyObject* a, PyObject* b) {
  Ref named(PyUnicode_InternFromString(name));
  return PyObject_CallMethodObjArgs(self, named.get(), a, b, nullptr);
}

bool accumulate(BackwardEngineObject* self, PendingGradient& pending, PyObject* gradient) {
  PyObject* previous = pending.gradient.get();
  if (self->bare) {
    pending.gradient = Ref(pending.owned ? PyNumber_InPlaceAdd(previous, gradient)
                                         : PyNumber_Add(previous, gradient));
    pending.owned = true;
  } else {
    PyObject* operands[] = {nullptr, previous, gradient};
    pending.gradient = Ref(
        PyObject_Vectorcall(self->sum, operands + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  }
  return static_cast<bool>(pending.gradient);
}

bool add_to_pending_gradient_of_leaf(BackwardEngineObject* self, PyObject* tensor,
                                     PyObject* gradient) {
  PendingGradientQueue& state = *self->state;
  auto entry = state.leaf_index.find(tensor);
  if (entry != state.leaf_index.end())
    return accumulate(self, state.leaves[entry->second], gradient);
  // The entry is added before its index, so that after a failed allocation no index refers to a
  // missing entry.
  state.leaves.push_back({Ref::share(tensor), Ref::share(gradient), false});
  state.leaf_index.emplace(tensor, state.leaves.size() - 1);
  return true;
}

// Adds a gradient to the entry of an output in `by_index`, the dict of gradients by output index of
// a node whose op has several outputs.
bool accumulate_for_output_index(BackwardEngineObject* self, PyObject* by_index, Py_ssize_t index,
                                 PyObject* gradient) {
  Ref key(PyLong_FromSsize_t(index));
  if (!key) return false;
  PyObject* before = PyDict_GetItemWithError(by_index, key.get());
  if (!before) return !PyErr_Occurred() && PyDict_SetItem(by_index, key.get(), gradient) == 0;
  PendingGradient pending{Ref(), Ref::share(before), false};
  return accumulate(self, pending, gradient) &&
         PyDict_SetItem(by_index, key.get(), pending.gradient.get()) == 0;
}

bool accumulate_node_gradient(BackwardEngineObject* self, TensorObject* tensor,
                              PyObject* gradient) {
  NodeObject* node = as_node(tensor->node);
  bool single = as_op(node->op)->single != 0;
  auto [entry, is_new] = self->state->pending.try_emplace(node->seq);
  PendingGradient& pending = entry->second;
  if (is_new) {
    pending.target = Ref::share(tensor->node);
    self->state->queue.push(node->seq);
    pending.gradient = single ? Ref::share(gradient) : Ref(PyDict_New());
    if (!pending.gradient) return false;
    if (single) return true;
  }
  return single
             ? accumulate(self, pending, gradient)
             : accumulate_for_output_index(self, pending.gradient.get(), tensor->index, gradient);
}

// Accumulates the gradient of one input of a node.  If the gradient is a function, it is called
// only if `tensor` needs a gradient.
bool accumulate_grad_if_needed(BackwardEngineObject* self, PyObject* tensor,
                               PyObject* gradient_or_function) {
  if (as_tensor(tensor)->origin != Py_None) tensor = as_tensor(tensor)->origin;
  TensorObject* t = as_tensor(tensor);
  if (t->stop_gradient || gradient_or_function == Py_None) return true;
  if (self->reach != Py_None) {
    int inside = PySequence_Contains(self->reach, tensor);
    if (inside <= 0) return inside == 0;
  }
  Ref gradient = Ref::share(gradient_or_function);
  if (!is_array(gradient_or_function) && !is_tensor(gradient_or_function) &&
      PyCallable_Check(gradient_or_function)) {
    gradient = Ref(PyObject_CallNoArgs(gradient_or_function));
    if (!gradient) return false;
  }
  if (!self->bare || !t->array || !are_arrays_of_same_shape_and_dtype(gradient.get(), t->array)) {
    gradient = Ref(call_method(reinterpret_cast<PyObject*>(self),
                               "reduce_grad_to_input_meta_or_none", gradient.get(), tensor));
    if (!gradient) return false;
    if (gradient.get() == Py_None) return true;
  }
  return t->node == Py_None ? add_to_pending_gradient_of_leaf(self, tensor, gradient.get())
                            : accumulate_node_gradient(self, t, gradient.get());
}

bool is_operand_unmodified(PyObject* arg) {
  if (is_tensor(arg)) return PyTuple_Size(as_tensor(arg)->history) == 0;
  if (!PyList_Check(arg)) return arg == Py_None;
  for (Py_ssize_t i = 0; i < PyList_Size(arg); ++i)
    if (!is_operand_unmodified(PyList_GetItem(arg, i))) return false;
  return true;
}

// Returns the inputs of a node with the values that they had when the node was recorded.
Ref recorded_node_inputs(BackwardEngineObject* self, NodeObject* node) {
  bool plain = PyTuple_Check(node->args) != 0;
  for (Py_ssize_t i = 0; plain && i < PyTuple_Size(node->args); ++i)
    plain = is_operand_unmodified(PyTuple_GetItem(node->args, i));
  if (plain) return Ref::share(node->args);
  Ref named(PyUnicode_InternFromString("node_inputs_when_recorded"));
  auto* object = reinterpret_cast<PyObject*>(self);
  return Ref(
      PyObject_CallMethodObjArgs(object, named.get(), reinterpret_cast<PyObject*>(node), nullptr));
}

/// The arguments of a rule call, and the objects that must stay alive until it returns.
struct VjpRuleArguments {
  std::vector<PyObject*> values{nullptr};  // the first entry is reserved for the callee
  std::vector<Ref> owned_refs;

  bool push(Ref value) {
    if (!value) return false;
    values.push_back(value.get());
    owned_refs.push_back(std::move(value));
    return true;
  }
};

// Returns the arrays of a list of tensors as a list.
Ref arrays_of_tensor_list(PyObject* list) {
  Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return {};
  Ref arrays(PyList_New(count));
  for (Py_ssize_t i = 0; arrays && i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    PyObject* array = item ? PyObject_GetAttrString(item.get(), "array") : nullptr;
    if (!array) return {};
    PyList_SetItem(arrays.get(), i, array);
  }
  return arrays;
}

bool push_operand_or_its_arrays(BackwardEngineObject* self, VjpRuleArguments& call, PyObject* arg) {
  if (!self->bare || arg == Py_None) {
    call.values.push_back(arg);
    return true;
  }
  if (!is_tensor(arg)) return call.push(arrays_of_tensor_list(arg));
  if (!as_tensor(arg)->array) return call.push(Ref(PyObject_GetAttrString(arg, "array")));
  call.values.push_back(as_tensor(arg)->array);
  return true;
}

bool push_output_grads_after_hooks(BackwardEngineObject* self, VjpRuleArguments& call,
                                   NodeObject* node, PyObject* gradient) {
  if (as_op(node->op)->single && node->hooks == Py_None && PySet_Size(self->watched) == 0) {
    call.values.push_back(gradient);
    return true;
  }
  auto* object = reinterpret_cast<PyObject*>(self);
  Ref grads(
      call_method(object, "output_grads_after_hooks", reinterpret_cast<PyObject*>(node), gradient));
  if (!grads) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(grads.get()); ++i)
    call.values.push_back(PyTuple_GetItem(grads.get(), i));
  call.owned_refs.push_back(std::move(grads));
  return true;
}

bool push_saved_output(BackwardEngineObject* self, VjpRuleArguments& call, NodeObject* node,
                       PyObject* which) {
  if (!self->bare) {
    auto* object = reinterpret_cast<PyObject*>(self);
    return call.push(
        Ref(call_method(object, "saved_output", reinterpret_cast<PyObject*>(node), which)));
  }
  if (as_op(node->op)->single) return call.push(Ref::share(node->outs));
  return call.push(Ref(PyObject_GetItem(node->outs, which)));
}

// Collects the attributes and outputs that the VJP rule of an op takes as keyword arguments.
bool push_attributes_and_saved_outputs(BackwardEngineObject* self, VjpRuleArguments& call,
                                       NodeObject* node) {
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
    if (!push_saved_output(self, call, node, PyTuple_GetItem(op->rule_outs, i))) return false;
  return true;
}

// Calls the VJP rule of a node.  Returns a tuple with one gradient per input, or the gradient of a
// single input.
Ref call_vjp_rule(BackwardEngineObject* self, NodeObject* node, PyObject* args,
                  PyObject* gradient) {
  OpObject* op = as_op(node->op);
  VjpRuleArguments call;
  if (!push_output_grads_after_hooks(self, call, node, gradient)) return {};
  Py_ssize_t count = PyTuple_Size(args);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!push_operand_or_its_arrays(self, call, PyTuple_GetItem(args, i))) return {};
  for (Py_ssize_t i = count; i < op->inputs; ++i) call.values.push_back(Py_None);
  size_t positional = call.values.size() - 1;
  if (!push_attributes_and_saved_outputs(self, call, node)) return {};
  PyObject* names = PyTuple_Size(op->rule_names) ? op->rule_names : nullptr;
  return Ref(PyObject_Vectorcall(op->rule, call.values.data() + 1,
                                 positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
}

bool accumulate_needed_grads_of_list(BackwardEngineObject* self, PyObject* tensors,
                                     PyObject* gradients) {
  Py_ssize_t count = PySequence_Size(tensors);
  if (count < 0 || PySequence_Size(gradients) != count) {
    if (!PyErr_Occurred())
      PyErr_SetString(
          PyExc_ValueError,
          "a VJP rule should return one gradient per input; the number of gradients differs");
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref tensor(PySequence_GetItem(tensors, i)), gradient(PySequence_GetItem(gradients, i));
    if (!tensor || !gradient || !accumulate_grad_if_needed(self, tensor.get(), gradient.get()))
      return false;
  }
  return true;
}

bool accumulate_input_gradients(BackwardEngineObject* self, PyObject* args, PyObject* gradients) {
  bool is_tuple = PyTuple_Check(gradients) != 0;
  Py_ssize_t count = is_tuple ? PyTuple_Size(gradients) : 1;
  for (Py_ssize_t i = 0; i < count && i < PyTuple_Size(args); ++i) {
    PyObject* arg = PyTuple_GetItem(args, i);
    PyObject* gradient = is_tuple ? PyTuple_GetItem(gradients, i) : gradients;
    if (arg == Py_None || gradient == Py_None) continue;
    if (!(is_tensor(arg) ? accumulate_grad_if_needed(self, arg, gradient)
                         : accumulate_needed_grads_of_list(self, arg, gradient)))
      return false;
  }
  return true;
}

// Whether the VJP rule of a node must be called: 1, 0, or -1 with an error set.
int is_node_selected_for_rule_call(BackwardEngineObject* self, NodeObject* node) {
  if (self->nodes == Py_None) return 1;
  Ref number(PyLong_FromLongLong(node->seq));
  return number ? PySet_Contains(self->nodes, number.get()) : -1;
}

// Calls the Python method that is notified of the leaves whose gradients are complete after the
// node with sequence number `number`.
bool notify_final_leaf_gradients(BackwardEngineObject* self, long long number) {
  if (self->last_uses == Py_None) return true;
  Ref key(PyLong_FromLongLong(number));
  if (!key) return false;
  PyObject* leaves = PyDict_GetItemWithError(self->last_uses, key.get());
  if (!leaves) return !PyErr_Occurred();
  Ref named(PyUnicode_InternFromString("notify_listeners_of_complete_grads"));
  auto* object = reinterpret_cast<PyObject*>(self);
  return static_cast<bool>(Ref(PyObject_CallMethodObjArgs(object, named.get(), leaves, nullptr)));
}

bool pop_and_run_latest_node(BackwardEngineObject* self, bool retain) {
  long long number = self->state->queue.top();
  self->state->queue.pop();
  auto pending = self->state->pending.extract(number);
  NodeObject* node = as_node(pending.mapped().target.get());
  int wants_rule = is_node_selected_for_rule_call(self, node);
  if (wants_rule < 0) return false;
  PyObject* gradient = pending.mapped().gradient.get();
  if (!wants_rule) {  // only the gradients of the node's outputs are requested
    auto* object = reinterpret_cast<PyObject*>(self);
    return static_cast<bool>(Ref(call_method(object, "output_grads_after_hooks",
                                             reinterpret_cast<PyObject*>(node), gradient)));
  }
  if (self->calls_before_vjp_rule) {
    auto* object = reinterpret_cast<PyObject*>(self);
    Ref done(call_method(object, "before_vjp_rule", reinterpret_cast<PyObject*>(node), nullptr));
    if (!done) return false;
  }
  Ref args = recorded_node_inputs(self, node);
  if (!args) return false;
  Ref gradients = call_vjp_rule(self, node, args.get(), gradient);
  if (!gradients || !accumulate_input_gradients(self, args.get(), gradients.get())) return false;
  if (!retain) release_node_values_and_unlink(node);
  return notify_final_leaf_gradients(self, number);
}

PyObject* run_pending_nodes(PyObject* self, PyObject* retain) {
  int retains = PyObject_IsTrue(retain);
  if (retains < 0) return nullptr;
  return catch_exceptions([&]() -> PyObject* {
    while (!as_backward_engine(self)->state->queue.empty())
      if (!pop_and_run_latest_node(as_backward_engine(self), retains != 0)) return nullptr;
    Py_RETURN_NONE;
  });
}

PyObject* accumulate_grad_if_needed_method(PyObject* self, PyObject* args) {
  PyObject *tensor = nullptr, *gradient = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", shared.tensor_base, &tensor, &gradient)) return nullptr;
  return catch_exceptions([&]() -> PyObject* {
    return accumulate_grad_if_needed(as_backward_engine(self), tensor, gradient)
               ? Py_NewRef(Py_None)
               : nullptr;
  });
}

PyObject* get_leaf_gradient_pairs(PyObject* self, PyObject*) {
  const auto& found = as_backward_engine(self)->state->leaves;
  Ref pairs(PyList_New(static_cast<Py_ssize_t>(found.size())));
  for (size_t i = 0; pairs && i < found.size(); ++i) {
    PyObject* pair = PyTuple_Pack(2, found[i].target.get(), found[i].gradient.get());
    if (!pair) return nullptr;
    PyList_SetItem(pairs.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return pairs.release();
}

PyObject* get_pending_leaf_gradient_or_none(PyObject* self, PyObject* tensor) {
  PendingGradientQueue* state = as_backward_engine(self)->state;
  auto found = state->leaf_index.find(tensor);
  return Py_NewRef(found == state->leaf_index.end() ? Py_None
                                                    : state->leaves[found->second].gradient.get());
}

PyObject* new_backward_engine(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = alloc_object(type);
  if (!self) return nullptr;
  BackwardEngineObject* w = as_backward_engine(self);
  w->state = new (std::nothrow) PendingGradientQueue;
  w->reach = Py_NewRef(Py_None);
  w->nodes = Py_NewRef(Py_None);
  w->watched = Py_NewRef(empty_set);
  w->last_uses = Py_NewRef(Py_None);
  w->sum = Py_NewRef(Py_None);
  if (w->state) return self;
  Py_DECREF(self);
  return PyErr_NoMemory();
}

void dealloc_backward_engine(PyObject* self) {
  BackwardEngineObject* w = as_backward_engine(self);
  delete w->state;
  Py_CLEAR(w->reach);
  Py_CLEAR(w->nodes);
  Py_CLEAR(w->watched);
  Py_CLEAR(w->last_uses);
  Py_CLEAR(w->sum);
  free_object(self);
}

bool is_python_set_or_none(PyObject* value) {
  return value == Py_None || is_set_or_frozenset(value);
}

const Field reach_field{offsetof(BackwardEngineObject, reach), nullptr, nullptr, nullptr};
const Field nodes_field{offsetof(BackwardEngineObject, nodes), is_python_set_or_none,
                        "a set or None", nullptr};
const Field watched_field{offsetof(BackwardEngineObject, watched), is_set_or_frozenset, "a set",
                          &empty_set};
const Field last_uses_field{offsetof(BackwardEngineObject, last_uses), is_dict_or_none,
                            "a dict or None", nullptr};
const Field sum_field{offsetof(BackwardEngineObject, sum), nullptr, nullptr, nullptr};

PyGetSetDef engine_getset[] = {
    getset_of_field("active_tensors", reach_field),
    getset_of_field("nodes", nodes_field),
    getset_of_field("watched", watched_field),
    getset_of_field("last_uses", last_uses_field),
    getset_of_field("sum", sum_field),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef engine_members[] = {
    {"bare", T_BOOL, offsetof(BackwardEngineObject, bare), 0, nullptr},
    {"calls_before_vjp_rule", T_BOOL, offsetof(BackwardEngineObject, calls_before_vjp_rule), 0,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef engine_methods[] = {
    {"add", accumulate_grad_if_needed_method, METH_VARARGS,
     "Accumulate a gradient; a function is called only if the tensor needs a gradient."},
    {"run", run_pending_nodes, METH_O,
     "Run backward from the pending gradients.  retain: keep the graph."},
    {"leaves", get_leaf_gradient_pairs, METH_NOARGS,
     "The leaves with a gradient, and their gradients."},
    {"leaf", get_pending_leaf_gradient_or_none, METH_O, "The gradient of a leaf, or None."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot engine_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_backward_engine)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_backward_engine)},
    {Py_tp_members, engine_members},
    {Py_tp_getset, engine_getset},
    {Py_tp_methods, engine_methods},
    {0, nullptr},
};
PyType_Spec engine_spec = {"oarlock.core._tape.BackwardEngine", sizeof(BackwardEngineObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, engine_slots};

}  // namespace

PyTypeObject* make_backward_engine_type() {
  empty_set = PyFrozenSet_New(nullptr);
  return empty_set ? reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&engine_spec)) : nullptr;
}

}  // namespace oarlock::autograd
