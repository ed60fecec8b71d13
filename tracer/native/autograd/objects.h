// The objects that every op call and every step back touches, as plain structs: Tensor's fields,
// Op's fields, nodes of the tape. Python subclasses Tensor and Op add what is not hot; nothing here
// knows what an op computes.
#pragma once

#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <exception>
#include <new>

namespace oarlock::autograd {

/// A reference that is given back when it goes out of sight.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* before = object_;
    object_ = other.release();
    Py_XDECREF(before);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  static Ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  [[nodiscard]] PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* given = object_;
    object_ = nullptr;
    return given;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// What Tensor in Python is built on.   array is null for a tensor without a value.
struct TensorObject {
  PyObject_HEAD PyObject* array;
  PyObject* node;      // the node that made it, None for a leaf
  PyObject* grad;      // Tensor or None
  PyObject* hooks;     // list or None
  PyObject* history;   // tuple of (seq, what it was before the change that came then)
  PyObject* origin;    // of what a leaf was: the leaf, which gets the gradients; else None
  Py_ssize_t index;    // which of the node's results it is
  Py_ssize_t version;  // how often it was changed in place
  char stop_gradient;
  char taken;  // whether a node took it as an operand since it was changed
};

/// What Op in Python is built on.
struct OpObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* kernel;
  PyObject* rule;           // the vjp rule, None without one
  PyObject* rule_names;     // tuple: what it asks for by keyword, attributes first
  PyObject* rule_defaults;  // tuple: defaults of those attributes
  PyObject* rule_outs;      // tuple of ints: which results it asks for
  Py_ssize_t inputs;        // number of input slots
  Py_ssize_t same_dtype;    // bit i: input slot i has the dtype of the others that are marked
  Py_ssize_t floating;      // bit i: input slot i has a floating dtype
  char single;              // one result, in a slot of one
  char has_vjp;
};

/// One op on the tape.
struct NodeObject {
  PyObject_HEAD PyObject* op;
  PyObject* args;   // its operands; None when the graph was freed
  PyObject* attrs;  // those that were given
  PyObject* outs;   // result arrays, as the kernel gave them
  PyObject* hooks;  // dict: result index -> list, or None
  PyObject* grads;  // dict: result index -> gradient, where a walk was told to keep them, or None
  NodeObject *before,
      *after;  // among those whose operands were not freed, in the order in which they were made
  long long seq;
};

/// What the mode in force is, as far as the short ways care.
enum class Way { slow, eager, no_tape, bare };

/// Types and Python functions that are set once.
struct Shared {
  PyTypeObject* tensor_base;
  PyTypeObject* op_base;
  PyTypeObject* node;
  PyTypeObject* tensor;  // the Python class
  PyObject* explain;     // (op, args, attrs, error): raises what the user reads
  PyObject* is_float;    // (dtype) -> bool, for dtypes that NumPy itself does not have
  PyObject* no_attrs;    // an empty dict, shared by all nodes without attributes
  PyObject* empty_tuple;
  PyObject* method_type;  // types.MethodType, which binds a function to an object
  PyObject* run;          // the string "run"
};
extern Shared shared;

inline bool is_tensor(PyObject* o) { return PyObject_TypeCheck(o, shared.tensor_base) != 0; }
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }
inline OpObject* as_op(PyObject* o) { return reinterpret_cast<OpObject*>(o); }
inline NodeObject* as_node(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }

/// The result of `body`; null with a Python error set if it throws: a C++ exception must not cross
/// a frame of CPython.
template <class Body>
PyObject* guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

/// A zeroed object of a heap type, and its end, once its fields are cleared.
inline PyObject* alloc_object(PyTypeObject* type) {
  return reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}
inline void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// The mode of this thread, borrowed, and the way it takes.
PyObject* mode_now();
Way way_now();

/// A Tensor around an array, of which it takes the reference.   Null with an error set when there
/// is no memory.
PyObject* new_tensor(PyObject* owned_array);
/// Forget what a walk needs of a node.
void free_operands(NodeObject* node);
/// A node that shares its arguments.
PyObject* new_node(PyObject* op, PyObject* args, PyObject* attrs, PyObject* outs);
/// Whether a value of this array can have a gradient; -1 with an error set.
int can_have_gradient(PyObject* array);

/// The types of this folder; null with an error set.
PyTypeObject* make_tensor_type();
PyTypeObject* make_op_type();
PyTypeObject* make_node_type();
PyTypeObject* make_state_type();
PyTypeObject* make_operator_type();
PyTypeObject* make_walk_type();
PyObject* set_modes(PyObject* module, PyObject* args);
PyObject* next_seq(PyObject* module, PyObject* unused);
PyObject* oldest_seq(PyObject* module, PyObject* unused);
/// (leaves, gradients), two lists: make each gradient `grad` of its leaf; gives the pairs where
/// that is not all there is to do.
PyObject* deposit(PyObject* module, PyObject* args);
/// Whether all Tensors of a list are leaves.
PyObject* are_leaves(PyObject* module, PyObject* tensors);
/// Of a list of Tensors: a list of their arrays, and a tuple of their stop_gradient.
PyObject* arrays_of(PyObject* module, PyObject* tensors);
PyObject* stops_of(PyObject* module, PyObject* tensors);
/// A list of Tensors around a tuple of arrays.
PyObject* tensors_of(PyObject* module, PyObject* arrays);
/// (op, operands, taken, attrs, outs, wanted): Tensors around outs, of which those that the numbers
/// `wanted` say are results of a new node; its operands are those that the numbers `taken` say.
PyObject* recorded(PyObject* module, PyObject* args);
/// The module itself.
PyObject* make_module();

}  // namespace oarlock::autograd
