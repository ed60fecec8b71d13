// Calling an op.  In the eager modes: unwrap, kernel, wrap, note on the tape; on bare arrays: the
// kernel.  Every other mode, and every op with several results, is asked through `mode.run(op,
// args, attrs)`.
#include <array>

#include "autograd/fields.h"
#include "autograd/memory_limit.h"
#include "autograd/numpy_arrays.h"

namespace oarlock::autograd {
namespace {

constexpr Py_ssize_t kMost = 24;  // operands and attributes of a short call

// The keyword arguments of a call as a dict; the shared empty one for none.
Ref attrs_of(PyObject* const* values, PyObject* names) {
  Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  if (!count) return Ref::share(shared.no_attrs);
  Ref made(PyDict_New());
  for (Py_ssize_t i = 0; made && i < count; ++i)
    if (PyDict_SetItem(made.get(), PyTuple_GetItem(names, i), values[i]) < 0) return {};
  return made;
}

Ref tuple_of(PyObject* const* args, Py_ssize_t count) {
  Ref made(PyTuple_New(count));
  for (Py_ssize_t i = 0; made && i < count; ++i) PyTuple_SetItem(made.get(), i, Py_NewRef(args[i]));
  return made;
}

// A kernel has failed: let Python say why in terms of the operands.
PyObject* explain(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace) PyException_SetTraceback(error, trace);
  Ref held_type(type), held(error), held_trace(trace);
  if (!PyErr_GivenExceptionMatches(
          type, PyExc_Exception)) {  // KeyboardInterrupt and the like are nobody's to explain
    PyErr_Restore(held_type.release(), held.release(), held_trace.release());
    return nullptr;
  }
  Ref operands = tuple_of(args, count);
  Ref attrs = attrs_of(args + count, names);
  if (!operands || !attrs) return nullptr;
  Ref none(PyObject_CallFunctionObjArgs(shared.explain, op, operands.get(), attrs.get(), error,
                                        nullptr));
  if (none) PyErr_SetString(PyExc_SystemError, "explain() came back");
  return nullptr;
}

PyObject* ask_mode(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Ref operands = tuple_of(args, count);
  Ref attrs(names && PyTuple_Size(names) ? attrs_of(args + count, names) : Ref(PyDict_New()));
  if (!operands || !attrs) return nullptr;
  return PyObject_CallMethodObjArgs(mode_now(), shared.run, op, operands.get(), attrs.get(),
                                    nullptr);
}

enum class Unwrapped { yes, no, failed };

PyObject* call_kernel(PyObject* kernel, PyObject* const* args, size_t flagged, PyObject* names) {
  LimitedAllocations scope;
  return PyObject_Vectorcall(kernel, args, flagged, names);
}

// The array of a tensor, borrowed; a list of arrays for a list, kept in `held`; `wants` is set
// where a gradient is wanted.
Unwrapped unwrap(PyObject* arg, PyObject** out, Ref* held, bool* wants) {
  if (is_tensor(arg)) {
    TensorObject* t = as_tensor(arg);
    if (!t->array) return Unwrapped::no;
    *wants |= !t->stop_gradient;
    *out = t->array;
    return Unwrapped::yes;
  }
  if (arg == Py_None) {
    *out = arg;
    return Unwrapped::yes;
  }
  if (!PyList_Check(arg)) return Unwrapped::no;
  Py_ssize_t count = PyList_Size(arg);
  Ref made(PyList_New(count));
  if (!made) return Unwrapped::failed;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyList_GetItem(arg, i);
    if (!is_tensor(item) || !as_tensor(item)->array) return Unwrapped::no;
    *wants |= !as_tensor(item)->stop_gradient;
    PyList_SetItem(made.get(), i, Py_NewRef(as_tensor(item)->array));
  }
  *out = made.get();
  *held = std::move(made);
  return Unwrapped::yes;
}

// Put `made` on the tape.   The result array is kept only for rules that ask for it.
bool note(PyObject* self, PyObject* made, PyObject* const* args, Py_ssize_t count,
          PyObject* names) {
  TensorObject* t = as_tensor(made);
  int can = can_have_gradient(t->array);
  if (can <= 0) return can == 0;
  Ref operands = tuple_of(args, count);
  Ref attrs = attrs_of(args + count, names);
  if (!operands || !attrs) return false;
  bool kept = PyTuple_Size(as_op(self)->rule_outs) > 0;
  PyObject* node = new_node(self, operands.get(), attrs.get(), kept ? t->array : Py_None);
  if (!node) return false;
  Py_DECREF(t->node);
  t->node = node;
  t->stop_gradient = 0;
  return true;
}

// Whether arrays that have to be of one dtype are not: the mode in force decides what becomes of
// them.
bool has_mixed_dtypes(Py_ssize_t marked, PyObject* const* arrays, Py_ssize_t count) {
  PyObject* first = nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!(marked >> i & 1) || arrays[i] == Py_None) continue;
    bool is_list = PyList_Check(arrays[i]) != 0;
    Py_ssize_t items = is_list ? PyList_Size(arrays[i]) : 1;
    for (Py_ssize_t k = 0; k < items; ++k) {
      PyObject* array = is_list ? PyList_GetItem(arrays[i], k) : arrays[i];
      if (!first) first = array;
      if (different_dtypes(first, array)) return true;
    }
  }
  return false;
}

// Whether an operand that has to be of a floating dtype is an array of integers.
bool has_integers(Py_ssize_t marked, PyObject* const* arrays, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (marked >> i & 1 && is_integer_array(arrays[i])) return true;
  return false;
}

PyObject* run_eagerly(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names,
                      Py_ssize_t more) {
  std::array<PyObject*, kMost + 1> given{};
  std::array<Ref, kMost> lists;
  bool wants = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Unwrapped found = unwrap(args[i], &given[i + 1], &lists[i], &wants);
    if (found == Unwrapped::failed) return nullptr;
    if (found == Unwrapped::no) return ask_mode(self, args, count, names);
  }
  OpObject* op = as_op(self);
  if ((op->same_dtype && has_mixed_dtypes(op->same_dtype, given.data() + 1, count)) ||
      (op->floating && has_integers(op->floating, given.data() + 1, count)))
    return ask_mode(self, args, count, names);
  for (Py_ssize_t i = 0; i < more; ++i) given[count + i + 1] = args[count + i];
  PyObject* array = call_kernel(op->kernel, given.data() + 1,
                                static_cast<size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  if (!array) return explain(self, args, count, names);
  Ref made(new_tensor(array));
  if (!made) return nullptr;
  if (wants && op->has_vjp && way_now() == Way::eager &&
      !note(self, made.get(), args, count, names))
    return nullptr;
  return made.release();
}

PyObject* call_op(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  Py_ssize_t count = PyVectorcall_NARGS(flagged);
  OpObject* op = as_op(self);
  Way way = way_now();
  if (way == Way::bare) {
    PyObject* array = call_kernel(op->kernel, args, flagged, names);
    return array ? array : explain(self, args, count, names);
  }
  Py_ssize_t more = names ? PyTuple_Size(names) : 0;
  if (way == Way::slow || !op->single || count > op->inputs || count + more > kMost)
    return ask_mode(self, args, count, names);
  return run_eagerly(self, args, count, names, more);
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

PyObject* make_op(PyTypeObject* type, PyObject*, PyObject*) {
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
    attribute("kernel", kernel_of_op),         attribute("rule", rule_of_op),
    attribute("rule_names", rule_names_of_op), attribute("rule_defaults", rule_defaults_of_op),
    attribute("rule_outs", rule_outs_of_op),   {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, call), READONLY, nullptr},
    {"inputs", T_PYSSIZET, offsetof(OpObject, inputs), 0, nullptr},
    {"same_dtype", T_PYSSIZET, offsetof(OpObject, same_dtype), 0, nullptr},
    {"floating", T_PYSSIZET, offsetof(OpObject, floating), 0, nullptr},
    {"single", T_BOOL, offsetof(OpObject, single), 0, nullptr},
    {"has_vjp", T_BOOL, offsetof(OpObject, has_vjp), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot op_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_op)},
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
