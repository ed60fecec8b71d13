// The dispatch mode of each thread, and the operators of Tensor.  An operator of Tensor calls its
// op without a Python function if no operand must be converted.
#include <array>
#include <utility>

#include "autograd/numpy_c_api.h"
#include "autograd/objects.h"

namespace oarlock::autograd {
namespace {

struct ModeDispatchPath {
  PyObject* mode;
  DispatchPath dispatch;
};
std::array<ModeDispatchPath, 3>
    mode_dispatch_paths{};  // the modes that C++ implements itself; never changed after start-up
PyObject* start_mode = nullptr;  // the initial mode of a thread

thread_local PyObject* thread_mode = nullptr;  // owned reference
thread_local DispatchPath thread_dispatch = DispatchPath::fallback;

DispatchPath find_dispatch_path(PyObject* mode) {
  for (const ModeDispatchPath& k : mode_dispatch_paths)
    if (k.mode == mode) return k.dispatch;
  return DispatchPath::fallback;
}

void set_thread_mode(PyObject* mode) {
  PyObject* previous = thread_mode;
  thread_mode = Py_NewRef(mode);
  thread_dispatch = find_dispatch_path(mode);
  Py_XDECREF(previous);
}

PyObject* get_mode(PyObject*, void*) { return Py_NewRef(current_mode()); }

int set_mode(PyObject*, PyObject* value, void*) {
  if (!value) {
    PyErr_SetString(PyExc_AttributeError, "the dispatch mode cannot be deleted");
    return -1;
  }
  set_thread_mode(value);
  return 0;
}

PyGetSetDef state_getset[] = {
    {"mode", get_mode, set_mode, "The mode in force in this thread.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot state_slots[] = {{Py_tp_getset, state_getset}, {0, nullptr}};
PyType_Spec state_spec = {"oarlock.core._tape.State", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                          state_slots};

// -- operators
// ------------------------------------------------------------------------------------------------------

/// A binary operator as a method of Tensor.
struct TensorBinaryOperatorObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* op;  // called for two tensors of one dtype, and for a tensor and a Python number that
                 // its dtype can represent
  PyObject* function;    // called in all other cases
  char allows_integers;  // whether the op may be called for integers
  char is_swapped;       // operands are swapped: __rsub__
};
TensorBinaryOperatorObject* as_operator(PyObject* o) {
  return reinterpret_cast<TensorBinaryOperatorObject*>(o);
}

bool can_call_op_without_conversion(TensorBinaryOperatorObject* self, PyObject* x, PyObject* y) {
  if (current_dispatch_path() != DispatchPath::eager &&
      current_dispatch_path() != DispatchPath::no_grad)
    return false;
  if (!is_tensor(x) || !is_tensor(y)) return false;
  PyObject *a = as_tensor(x)->array, *b = as_tensor(y)->array;
  return a && b && are_arrays_or_scalars_of_same_accepted_type(a, b, self->allows_integers != 0);
}

// Returns a Python number as a tensor of the dtype of `x`.  Returns null without an error if the
// value is no Python float or int, the mode is not eager, `x` is not a tensor with an array, or the
// dtype of `x` cannot represent the number.  Returns null with an error set if the conversion
// fails.
Ref try_make_tensor_of_number_operand(TensorBinaryOperatorObject* self, PyObject* x,
                                      PyObject* number) {
  if (!PyFloat_CheckExact(number) && !PyLong_CheckExact(number)) return {};
  if (current_dispatch_path() != DispatchPath::eager &&
      current_dispatch_path() != DispatchPath::no_grad)
    return {};
  if (!is_tensor(x) || !as_tensor(x)->array) return {};
  Ref array(try_make_0d_array_from_number(as_tensor(x)->array, number, self->allows_integers != 0));
  return array ? Ref(wrap_owned_array(array.release())) : Ref();
}

PyObject* call_op_or_fallback_function(PyObject* self, PyObject* const* args, size_t flagged,
                                       PyObject* names) {
  TensorBinaryOperatorObject* o = as_operator(self);
  bool two = PyVectorcall_NARGS(flagged) == 2 && !names;
  if (two && !o->is_swapped && can_call_op_without_conversion(o, args[0], args[1]))
    return PyObject_Vectorcall(o->op, args, flagged, names);
  if (two) {
    Ref number = try_make_tensor_of_number_operand(o, args[0], args[1]);
    if (PyErr_Occurred()) return nullptr;
    if (number) {
      PyObject* pair[] = {nullptr, args[0], number.get()};
      if (o->is_swapped) std::swap(pair[1], pair[2]);
      return PyObject_Vectorcall(o->op, pair + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    }
  }
  return PyObject_Vectorcall(o->function, args, flagged, names);
}

PyObject* bind_method(PyObject* self, PyObject* owner, PyObject*) {
  if (!owner || owner == Py_None) return Py_NewRef(self);
  return PyObject_CallFunctionObjArgs(shared.method_type, self, owner, nullptr);
}

PyObject* new_operator(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *op = nullptr, *function = nullptr;
  int whole = 0, is_swapped = 0;
  if (!PyArg_ParseTuple(args, "OOp|p", &op, &function, &whole, &is_swapped)) return nullptr;
  PyObject* self = alloc_object(type);
  if (!self) return nullptr;
  TensorBinaryOperatorObject* o = as_operator(self);
  o->call = call_op_or_fallback_function;
  o->op = Py_NewRef(op);
  o->function = Py_NewRef(function);
  o->allows_integers = static_cast<char>(whole);
  o->is_swapped = static_cast<char>(is_swapped);
  return self;
}

void dealloc_operator(PyObject* self) {
  Py_CLEAR(as_operator(self)->op);
  Py_CLEAR(as_operator(self)->function);
  free_object(self);
}

PyObject* get_doc(PyObject* self, void*) {
  return PyObject_GetAttrString(as_operator(self)->function, "__doc__");
}
PyObject* get_wrapped(PyObject* self, void*) { return Py_NewRef(as_operator(self)->function); }

PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TensorBinaryOperatorObject, call), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef operator_getset[] = {{"__doc__", get_doc, nullptr, nullptr, nullptr},
                                 {"__wrapped__", get_wrapped, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot operator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_operator)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_operator)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
    {Py_tp_members, operator_members},
    {Py_tp_getset, operator_getset},
    {0, nullptr},
};
PyType_Spec operator_spec = {
    "oarlock.core._tape.Operator", sizeof(TensorBinaryOperatorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, operator_slots};

}  // namespace

PyObject* current_mode() {
  if (!thread_mode) set_thread_mode(start_mode ? start_mode : Py_None);
  return thread_mode;
}

DispatchPath current_dispatch_path() {
  if (!thread_mode) set_thread_mode(start_mode ? start_mode : Py_None);
  return thread_dispatch;
}

// Sets the mode objects of the modes that C++ implements (eager, no_tape, bare).  Every thread
// starts in the eager mode.
PyObject* set_native_modes(PyObject*, PyObject* args) {
  PyObject *eager = nullptr, *no_tape = nullptr, *bare = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &eager, &no_tape, &bare)) return nullptr;
  mode_dispatch_paths = {{{Py_NewRef(eager), DispatchPath::eager},
                          {Py_NewRef(no_tape), DispatchPath::no_grad},
                          {Py_NewRef(bare), DispatchPath::arrays}}};
  start_mode = Py_NewRef(eager);
  set_thread_mode(eager);
  Py_RETURN_NONE;
}

PyTypeObject* make_thread_mode_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&state_spec));
}
PyTypeObject* make_binary_operator_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&operator_spec));
}

}  // namespace oarlock::autograd
