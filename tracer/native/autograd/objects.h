// Plain structs of the objects that every op call and backward step uses: the base classes of
// Tensor and Op, and the nodes of the tape.  Python subclasses of Tensor and Op add further fields.
// This header does not depend on particular ops.
#pragma once

#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <exception>
#include <new>

namespace oarlock::autograd {

/// An owned reference.
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

/// The base of the Python class Tensor. array: null for a tensor without a value.
struct TensorObject {
  PyObject_HEAD PyObject* array;
  PyObject* node;     // the node that computed it, None for a leaf
  PyObject* grad;     // Tensor or None
  PyObject* hooks;    // list or None
  PyObject* history;  // tuple of (sequence number, previous state) for in-place changes
  PyObject* origin;   // for a snapshot of a leaf: the leaf, which receives the gradients; else None
  PyObject* zeros;    // the array that zero_gradients_returning_rest() set, else None; see
                      // is_cleared_gradient()
  Py_ssize_t index;   // output index in the node
  Py_ssize_t version;  // number of in-place changes
  char stop_gradient;
  char
      saved_for_backward;  // whether a node took the tensor as input since its last in-place change
};

/// The base of the Python class Op.
struct OpObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* kernel;
  PyObject* rule;           // the vjp rule, None if there is none
  PyObject* rule_names;     // tuple: keyword arguments of the rule, attributes first
  PyObject* rule_defaults;  // tuple: defaults of those attributes
  PyObject* rule_outs;      // tuple of ints: outputs that the rule takes
  Py_ssize_t inputs;        // number of input slots
  Py_ssize_t same_dtype;  // bit i: input slot i must have the same dtype as the other marked slots
  Py_ssize_t floating;    // bit i: input slot i must have a floating dtype
  char single;            // whether the op has exactly one output, which is not a list
  char has_vjp;
};

/// A recorded op.
struct NodeObject {
  PyObject_HEAD PyObject* op;
  PyObject* args;   // inputs; None after the graph was freed
  PyObject* attrs;  // explicitly passed attributes
  PyObject* outs;   // output arrays of the kernel
  PyObject* hooks;  // dict: output index -> list, or None
  PyObject* grads;  // dict: output index -> gradient, if requested, or None
  NodeObject *prev,
      *next;  // neighbors in the list of nodes whose inputs were not freed, in creation order
  long long seq;
};

/// How the current mode handles op calls: `fallback` calls mode.run in Python; the other values are
/// modes that C++ implements.
enum class DispatchPath { fallback, eager, no_grad, arrays };

/// Types and Python objects that are set once, at import.
struct SharedObjects {
  PyTypeObject* tensor_base;
  PyTypeObject* op_base;
  PyTypeObject* node;
  PyTypeObject* tensor;  // the Python class Tensor
  PyObject* explain;     // (op, args, attrs, error): raises the error message for the user
  PyObject* is_float;    // (dtype) -> bool, for dtypes that are not NumPy's own
  PyObject* no_attrs;    // an empty dict, shared by nodes without attributes
  PyObject* empty_tuple;
  PyObject* method_type;  // types.MethodType
  PyObject* run;          // the string "run"
};
extern SharedObjects shared;

inline bool is_tensor(PyObject* o) { return PyObject_TypeCheck(o, shared.tensor_base) != 0; }
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }
inline OpObject* as_op(PyObject* o) { return reinterpret_cast<OpObject*>(o); }
inline NodeObject* as_node(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }

/// Returns the result of `body`; null with a Python error set if it throws.  A C++ exception must
/// not cross a CPython frame.
template <class Body>
PyObject* catch_exceptions(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

/// Allocates a zeroed object of a heap type; frees it once its fields are cleared.
inline PyObject* alloc_object(PyTypeObject* type) {
  return reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}
inline void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// The mode of this thread (borrowed reference), and the dispatch path of this mode.
PyObject* current_mode();
DispatchPath current_dispatch_path();

/// A Tensor with an array, whose reference is stolen.  Null with an error set if memory is
/// exhausted.
PyObject* wrap_owned_array(PyObject* owned_array);
/// Releases the operands, results and attributes of a node and removes it from the list of live
/// nodes.  Does nothing if that was done before.
void release_node_values_and_unlink(NodeObject* node);
/// A new node, which holds references to its arguments.  It is appended to the list of live nodes,
/// and its operand Tensors are marked as saved for backward.
PyObject* create_node_in_live_list(PyObject* op, PyObject* args, PyObject* attrs, PyObject* outs);
/// Whether an array can have a gradient; -1 with an error set.
int has_inexact_dtype(PyObject* array);

/// The types of this module; null with an error set.
PyTypeObject* make_tensor_type();
PyTypeObject* make_op_type();
PyTypeObject* make_node_type();
PyTypeObject* make_thread_mode_type();
PyTypeObject* make_binary_operator_type();
PyTypeObject* make_backward_engine_type();
PyObject* set_native_modes(PyObject* module, PyObject* args);
PyObject* take_next_seq(PyObject* module, PyObject* unused);
PyObject* oldest_live_node_seq(PyObject* module, PyObject* unused);
/// Takes two lists, leaves and gradients; sets `grad` of each leaf.  Returns the pairs that Python
/// must handle.
PyObject* set_leaf_gradients_returning_rest(PyObject* module, PyObject* args);
/// Sets the gradients of a list of Tensors to zero.  Returns the Tensors that Python must handle,
/// because their gradients are not on the CPU.
PyObject* zero_gradients_returning_rest(PyObject* module, PyObject* tensors);
/// Whether a gradient has not changed since zero_gradients_returning_rest() set it to zero.  Then
/// accumulation replaces it.
inline bool is_cleared_gradient(const TensorObject* gradient) {
  return gradient->zeros != Py_None && gradient->zeros == gradient->array && gradient->version == 0;
}
/// Whether all Tensors of a list are leaves.
PyObject* are_leaves(PyObject* module, PyObject* tensors);
/// The arrays of a list of Tensors, as a list; their stop_gradient, as a tuple.
PyObject* arrays_of(PyObject* module, PyObject* tensors);
PyObject* stop_gradients_of(PyObject* module, PyObject* tensors);
/// Whether each Tensor of a list holds the object at its position in a list of arrays; arguments
/// (tensors, arrays).
PyObject* tensors_hold_arrays(PyObject* module, PyObject* args);
/// A list of new Tensors with the arrays of a tuple.
PyObject* wrap_arrays(PyObject* module, PyObject* arrays);
/// Records a program call; arguments (op, operands, input_indices, attrs, outs, output_indices).
/// Returns Tensors with the arrays `outs`; those with an index in `output_indices` are outputs of a
/// new node, whose inputs are the operands with an index in `input_indices`.
PyObject* record_program_call(PyObject* module, PyObject* args);
/// Creates the module.
PyObject* make_module();

}  // namespace oarlock::autograd
