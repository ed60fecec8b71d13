// Op calls.  In the eager modes, an op call unwraps the input Tensors, runs the kernel, wraps the
// result and records a node on the tape.  In the bare mode, inputs are arrays, and the call only
// runs the kernel.  In all other modes, and for ops with several outputs, it calls `mode.run(op,
// args, attrs)`.
#include <array>

#include "autograd/array_size_limit.h"
#include "autograd/fields.h"
#include "autograd/numpy_c_api.h"

namespace oarlock::autograd {
namespace {

constexpr Py_ssize_t kMaxArgs =
    24;  // maximal number of inputs and attributes of a call handled here

// Returns the keyword arguments of a call as a dict; if there are none, a shared empty dict.
Ref keyword_attrs(PyObject* const* values, PyObject* names) {
  Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  if (!count) return Ref::share(shared.no_attrs);
  Ref attrs(PyDict_New());
  for (Py_ssize_t i = 0; attrs && i < count; ++i)
    if (PyDict_SetItem(attrs.get(), PyTuple_GetItem(names, i), values[i]) < 0) return {};
  return attrs;
}

Ref make_tuple(PyObject* const* args, Py_ssize_t count) {
  Ref tuple(PyTuple_New(count));
  for (Py_ssize_t i = 0; tuple && i < count; ++i)
    PyTuple_SetItem(tuple.get(), i, Py_NewRef(args[i]));
  return tuple;
}

// Replaces the current Python error, which a kernel raised, by an error whose message names the op
// and its inputs.  Returns null.
PyObject* raise_explained_error(PyObject* op, PyObject* const* args, Py_ssize_t count,
                                PyObject* names) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace) PyException_SetTraceback(error, trace);
  Ref held_type(type), held(error), held_trace(trace);
  if (!PyErr_GivenExceptionMatches(
          type, PyExc_Exception)) {  // exceptions such as KeyboardInterrupt are not explained
    PyErr_Restore(held_type.release(), held.release(), held_trace.release());
    return nullptr;
  }
  Ref operands = make_tuple(args, count);
  Ref attrs = keyword_attrs(args + count, names);
  if (!operands || !attrs) return nullptr;
  Ref none(PyObject_CallFunctionObjArgs(shared.explain, op, operands.get(), attrs.get(), error,
                                        nullptr));
  if (none) PyErr_SetString(PyExc_SystemError, "explain() returned instead of raising an error");
  return nullptr;
}

PyObject* call_mode_run(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Ref operands = make_tuple(args, count);
  Ref attrs(names && PyTuple_Size(names) ? keyword_attrs(args + count, names) : Ref(PyDict_New()));
  if (!operands || !attrs) return nullptr;
  return PyObject_CallMethodObjArgs(current_mode(), shared.run, op, operands.get(), attrs.get(),
                                    nullptr);
}

enum class UnwrapResult { yes, no, failed };

PyObject* call_kernel(PyObject* kernel, PyObject* const* args, size_t flagged, PyObject* names) {
  ArraySizeLimitScope scope;
  return PyObject_Vectorcall(kernel, args, flagged, names);
}

// Returns the array of a tensor, as a borrowed reference; for a list of tensors, a list of arrays,
// which `owned_list` owns.  Sets `needs_grad` to true if one of the tensors requires a gradient.
UnwrapResult try_get_arrays_of_operand(PyObject* arg, PyObject** out, Ref* owned_list,
                                       bool* needs_grad) {
  if (is_tensor(arg)) {
    TensorObject* t = as_tensor(arg);
    if (!t->array) return UnwrapResult::no;
    *needs_grad |= !t->stop_gradient;
    *out = t->array;
    return UnwrapResult::yes;
  }
  if (arg == Py_None) {
    *out = arg;
    return UnwrapResult::yes;
  }
  if (!PyList_Check(arg)) return UnwrapResult::no;
  Py_ssize_t count = PyList_Size(arg);
  Ref arrays(PyList_New(count));
  if (!arrays) return UnwrapResult::failed;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyList_GetItem(arg, i);
    if (!is_tensor(item) || !as_tensor(item)->array) return UnwrapResult::no;
    *needs_grad |= !as_tensor(item)->stop_gradient;
    PyList_SetItem(arrays.get(), i, Py_NewRef(as_tensor(item)->array));
  }
  *out = arrays.get();
  *owned_list = std::move(arrays);
  return UnwrapResult::yes;
}

// Records `result` as the output of a new node, unless its dtype cannot have a gradient.  The node
// keeps the output array only if the VJP rule takes the output.
bool record_node_if_differentiable(PyObject* self, PyObject* result, PyObject* const* args,
                                   Py_ssize_t count, PyObject* names) {
  TensorObject* t = as_tensor(result);
  int differentiable = has_inexact_dtype(t->array);
  if (differentiable <= 0) return differentiable == 0;
  Ref operands = make_tuple(args, count);
  Ref attrs = keyword_attrs(args + count, names);
  if (!operands || !attrs) return false;
  bool keeps_output = PyTuple_Size(as_op(self)->rule_outs) > 0;
  PyObject* node = create_node_in_live_list(self, operands.get(), attrs.get(),
                                            keeps_output ? t->array : Py_None);
  if (!node) return false;
  Py_DECREF(t->node);
  t->node = node;
  t->stop_gradient = 0;
  return true;
}

// Whether the inputs whose bits are set in `marked`, and which must have one common dtype, differ
// in dtype.  If so, the Python code of the current mode converts or rejects them.
bool has_mixed_dtypes_in_marked_inputs(Py_ssize_t marked, PyObject* const* arrays,
                                       Py_ssize_t count) {
  PyObject* first = nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!(marked >> i & 1) || arrays[i] == Py_None) continue;
    bool is_list = PyList_Check(arrays[i]) != 0;
    Py_ssize_t items = is_list ? PyList_Size(arrays[i]) : 1;
    for (Py_ssize_t k = 0; k < items; ++k) {
      PyObject* array = is_list ? PyList_GetItem(arrays[i], k) : arrays[i];
      if (!first) first = array;
      if (are_arrays_of_different_dtypes(first, array)) return true;
    }
  }
  return false;
}

// Whether an input that must have a floating dtype is an array of integers.
bool has_integers_in_marked_inputs(Py_ssize_t marked, PyObject* const* arrays, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (marked >> i & 1 && is_integer_or_bool_array(arrays[i])) return true;
  return false;
}

PyObject* run_eager(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names,
                    Py_ssize_t num_attrs) {
  std::array<PyObject*, kMaxArgs + 1> arrays{};
  std::array<Ref, kMaxArgs> lists;
  bool needs_grad = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    UnwrapResult unwrapped =
        try_get_arrays_of_operand(args[i], &arrays[i + 1], &lists[i], &needs_grad);
    if (unwrapped == UnwrapResult::failed) return nullptr;
    if (unwrapped == UnwrapResult::no) return call_mode_run(self, args, count, names);
  }
  OpObject* op = as_op(self);
  if ((op->same_dtype &&
       has_mixed_dtypes_in_marked_inputs(op->same_dtype, arrays.data() + 1, count)) ||
      (op->floating && has_integers_in_marked_inputs(op->floating, arrays.data() + 1, count)))
    return call_mode_run(self, args, count, names);
  for (Py_ssize_t i = 0; i < num_attrs; ++i) arrays[count + i + 1] = args[count + i];
  PyObject* array = call_kernel(op->kernel, arrays.data() + 1,
                                static_cast<size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  if (!array) return raise_explained_error(self, args, count, names);
  Ref result(wrap_owned_array(array));
  if (!result) return nullptr;
  if (needs_grad && op->has_vjp && current_dispatch_path() == DispatchPath::eager &&
      !record_node_if_differentiable(self, result.get(), args, count, names))
    return nullptr;
  return result.release();
}

PyObject* call_op(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  Py_ssize_t count = PyVectorcall_NARGS(flagged);
  OpObject* op = as_op(self);
  DispatchPath mode = current_dispatch_path();
  if (mode == DispatchPath::arrays) {
    PyObject* array = call_kernel(op->kernel, args, flagged, names);
    return array ? array : raise_explained_error(self, args, count, names);
  }
  Py_ssize_t num_attrs = names ? PyTuple_Size(names) : 0;
  if (mode == DispatchPath::fallback || !op->single || count > op->inputs ||
      count + num_attrs > kMaxArgs)
    return call_mode_run(self, args, count, names);
  return run_eager(self, args, count, names, num_attrs);
}

int traverse_op(PyObject* self, visitproc visit, void* arg) {
  OpObject* op = as_op(self);
  Py_VISIT(op->kernel);
  Py_VISIT(op->rule);
  Py_VISIT(op->rule_names);
  Py_VISIT(op->rule_defaults);
  Py_VISIT(op->rule_outs);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear_op(PyObject* self) {
  OpObject* op = as_op(self);
  Py_CLEAR(op->kernel);
  Py_CLEAR(op->rule);
  Py_CLEAR(op->rule_names);
  Py_CLEAR(op->rule_defaults);
  Py_CLEAR(op->rule_outs);
  return 0;
}

void dealloc_op(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_op(self);
  free_object(self);
}

PyObject* new_op(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = alloc_object(type);
  if (!self) return nullptr;
  OpObject* op = as_op(self);
  op->call = call_op;
  op->kernel = Py_NewRef(Py_None);
  op->rule = Py_NewRef(Py_None);
  op->rule_names = Py_NewRef(shared.empty_tuple);
  op->rule_defaults = Py_NewRef(shared.empty_tuple);
  op->rule_outs = Py_NewRef(shared.empty_tuple);
  return self;
}

const Field kernel_of_op{offsetof(OpObject, kernel), nullptr, nullptr, nullptr};
const Field rule_of_op{offsetof(OpObject, rule), nullptr, nullptr, nullptr};
const Field rule_names_of_op{offsetof(OpObject, rule_names), is_tuple, "a tuple",
                             &shared.empty_tuple};
const Field rule_defaults_of_op{offsetof(OpObject, rule_defaults), is_tuple, "a tuple",
                                &shared.empty_tuple};
const Field rule_outs_of_op{offsetof(OpObject, rule_outs), is_tuple, "a tuple",
                            &shared.empty_tuple};

PyGetSetDef op_getset[] = {
    getset_of_field("kernel", kernel_of_op),
    getset_of_field("vjp_rule", rule_of_op),
    getset_of_field("vjp_keyword_names", rule_names_of_op),
    getset_of_field("vjp_attr_defaults", rule_defaults_of_op),
    getset_of_field("vjp_output_indices", rule_outs_of_op),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, call), READONLY, nullptr},
    {"num_inputs", T_PYSSIZET, offsetof(OpObject, inputs), 0, nullptr},
    {"same_dtype", T_PYSSIZET, offsetof(OpObject, same_dtype), 0, nullptr},
    {"floating", T_PYSSIZET, offsetof(OpObject, floating), 0, nullptr},
    {"has_single_output", T_BOOL, offsetof(OpObject, single), 0, nullptr},
    {"has_vjp", T_BOOL, offsetof(OpObject, has_vjp), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot op_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_op)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_op)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_op)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_op)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, op_members},
    {Py_tp_getset, op_getset},
    {0, nullptr},
};
PyType_Spec op_spec = {
    "oarlock.core._tape.OpBase", sizeof(OpObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    op_slots};

}  // namespace

PyTypeObject* make_op_type() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_spec)); }

}  // namespace oarlock::autograd
