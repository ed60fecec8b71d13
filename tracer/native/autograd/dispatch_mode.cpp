// The mode of a thread, and operators that go straight to their op where nothing has to be
// converted.
#include <array>
#include <utility>

#include "autograd/numpy_arrays.h"
#include "autograd/objects.h"

namespace oarlock::autograd {
namespace {

struct Known {
  PyObject* mode;
  Way way;
};
std::array<Known, 3> known{};    // the modes with short ways, for the life of the process
PyObject* start_mode = nullptr;  // what a thread begins with

thread_local PyObject* current =
    nullptr;  // a strong reference, given back when another takes its place
thread_local Way current_way = Way::slow;

Way way_of(PyObject* mode) {
  for (const Known& k : known)
    if (k.mode == mode) return k.way;
  return Way::slow;
}

void enter(PyObject* mode) {
  PyObject* before = current;
  current = Py_NewRef(mode);
  current_way = way_of(mode);
  Py_XDECREF(before);
}

PyObject* get_mode(PyObject*, void*) { return Py_NewRef(mode_now()); }

int set_mode(PyObject*, PyObject* value, void*) {
  if (!value) {
    PyErr_SetString(PyExc_AttributeError, "there is always a mode");
    return -1;
  }
  enter(value);
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

/// `x op y` as a method of Tensor.
struct OperatorObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* op;  // taken for two tensors of one dtype, and for a tensor and a Python number that
                 // its dtype can hold
  PyObject* function;  // taken for all else
  char whole;          // whether integers may go to the op
  char swapped;        // the op takes the operands the other way round: __rsub__
};
OperatorObject* as_operator(PyObject* o) { return reinterpret_cast<OperatorObject*>(o); }

bool straight(OperatorObject* self, PyObject* x, PyObject* y) {
  if (way_now() != Way::eager && way_now() != Way::no_tape) return false;
  if (!is_tensor(x) || !is_tensor(y)) return false;
  PyObject *a = as_tensor(x)->array, *b = as_tensor(y)->array;
  return a && b && same_number_type(a, b, self->whole != 0);
}

// The number as a tensor like `x`, null where that would not be the same number or `x` is no plain
// tensor (or with an error set).
Ref number_beside(OperatorObject* self, PyObject* x, PyObject* number) {
  if (!PyFloat_CheckExact(number) && !PyLong_CheckExact(number)) return {};
  if (way_now() != Way::eager && way_now() != Way::no_tape) return {};
  if (!is_tensor(x) || !as_tensor(x)->array) return {};
  Ref array(number_like(as_tensor(x)->array, number, self->whole != 0));
  return array ? Ref(new_tensor(array.release())) : Ref();
}

PyObject* call_operator(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  OperatorObject* o = as_operator(self);
  bool two = PyVectorcall_NARGS(flagged) == 2 && !names;
  if (two && !o->swapped && straight(o, args[0], args[1]))
    return PyObject_Vectorcall(o->op, args, flagged, names);
  if (two) {
    Ref number = number_beside(o, args[0], args[1]);
    if (PyErr_Occurred()) return nullptr;
    if (number) {
      PyObject* pair[] = {nullptr, args[0], number.get()};
      if (o->swapped) std::swap(pair[1], pair[2]);
      return PyObject_Vectorcall(o->op, pair + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    }
  }
  return PyObject_Vectorcall(o->function, args, flagged, names);
}

PyObject* bind(PyObject* self, PyObject* owner, PyObject*) {
  if (!owner || owner == Py_None) return Py_NewRef(self);
  return PyObject_CallFunctionObjArgs(shared.method_type, self, owner, nullptr);
}

PyObject* make_operator(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *op = nullptr, *function = nullptr;
  int whole = 0, swapped = 0;
  if (!PyArg_ParseTuple(args, "OOp|p", &op, &function, &whole, &swapped)) return nullptr;
  PyObject* self = alloc_object(type);
  if (!self) return nullptr;
  OperatorObject* o = as_operator(self);
  o->call = call_operator;
  o->op = Py_NewRef(op);
  o->function = Py_NewRef(function);
  o->whole = static_cast<char>(whole);
  o->swapped = static_cast<char>(swapped);
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
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef operator_getset[] = {{"__doc__", get_doc, nullptr, nullptr, nullptr},
                                 {"__wrapped__", get_wrapped, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot operator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_operator)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_operator)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_members, operator_members},
    {Py_tp_getset, operator_getset},
    {0, nullptr},
};
PyType_Spec operator_spec = {
    "oarlock.core._tape.Operator", sizeof(OperatorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, operator_slots};

}  // namespace

PyObject* mode_now() {
  if (!current) enter(start_mode ? start_mode : Py_None);
  return current;
}

Way way_now() {
  if (!current) enter(start_mode ? start_mode : Py_None);
  return current_way;
}

// (eager, no_tape, bare): the modes that have short ways; the first is the one that every thread
// starts with.
PyObject* set_modes(PyObject*, PyObject* args) {
  PyObject *eager = nullptr, *no_tape = nullptr, *bare = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &eager, &no_tape, &bare)) return nullptr;
  known = {{{Py_NewRef(eager), Way::eager},
            {Py_NewRef(no_tape), Way::no_tape},
            {Py_NewRef(bare), Way::bare}}};
  start_mode = Py_NewRef(eager);
  enter(eager);
  Py_RETURN_NONE;
}

PyTypeObject* make_state_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&state_spec));
}
PyTypeObject* make_operator_type() {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&operator_spec));
}

}  // namespace oarlock::autograd
