// NumPy allocates arrays through an allocation handler (NEP 49). There is one handler per Python
// context (contextvars); tasks and threads have their own contexts.  The handler defined here
// rejects requests above OARLOCK_MAX_RESULT_BYTES while a kernel runs in the thread, and forwards
// all other requests to the handler that was installed before.
#include "autograd/array_size_limit.h"

#include <cstdlib>

#include "autograd/objects.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL oarlock_tape_numpy_api
#define NO_IMPORT_ARRAY
#include <numpy/arrayobject.h>

namespace oarlock::autograd {
namespace {

constexpr std::size_t kMinCheckedBytes =
    std::size_t{1} << 20;  // smaller arrays pass without reading the environment variable
constexpr const char* kCapsule = "mem_handler";  // the name that NumPy requires for the capsule

struct KernelDepthAndRejectedSize {
  int kernel_depth = 0;  // number of nested kernel calls in this thread
  std::size_t rejected_bytes = 0;
};
thread_local KernelDepthAndRejectedSize state;

// Reads the limit from OARLOCK_MAX_RESULT_BYTES, as core/result_size_limit.py and
// base/result_size_limit.cpp do.  If the variable is not a number above 0, the limit is 8 GiB.
std::size_t max_result_bytes() {
  constexpr std::size_t default_limit = std::size_t{8} << 30;
  const char* text = std::getenv("OARLOCK_MAX_RESULT_BYTES");
  if (!text || !*text) return default_limit;
  std::size_t limit = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || limit > (std::size_t{1} << 59)) return default_limit;
    limit = limit * 10 + static_cast<std::size_t>(*text - '0');
  }
  return limit ? limit : default_limit;
}

bool exceeds_limit_recording_size(std::size_t size) {
  if (size <= kMinCheckedBytes || state.kernel_depth == 0 || size <= max_result_bytes())
    return false;
  state.rejected_bytes = size;
  return true;
}

PyDataMemAllocator previous_allocator;  // the allocator of the previously installed handler

void* allocate(void* context, std::size_t size) {
  return exceeds_limit_recording_size(size) ? nullptr : previous_allocator.malloc(context, size);
}
void* allocate_zeros(void* context, std::size_t count, std::size_t size) {
  bool wraps = size && count > SIZE_MAX / size;
  return exceeds_limit_recording_size(wraps ? SIZE_MAX : count * size)
             ? nullptr
             : previous_allocator.calloc(context, count, size);
}
void* reallocate(void* context, void* block, std::size_t size) {
  return exceeds_limit_recording_size(size) ? nullptr
                                            : previous_allocator.realloc(context, block, size);
}

PyDataMem_Handler handler = {
    "oarlock", 1, {nullptr, allocate, allocate_zeros, reallocate, nullptr}};

// Creates the capsule of Oarlock's allocation handler, which forwards to the handler installed now.
// Returns null with an error set if this fails.
PyObject* make_allocation_handler_capsule() {
  Ref current(PyDataMem_GetHandler());
  if (!current) return nullptr;
  auto* handler_of_numpy =
      static_cast<PyDataMem_Handler*>(PyCapsule_GetPointer(current.get(), kCapsule));
  if (!handler_of_numpy) return nullptr;
  previous_allocator = handler_of_numpy->allocator;
  handler.allocator.ctx = previous_allocator.ctx;
  handler.allocator.free = previous_allocator.free;
  current.release();  // keeps the previous handler alive, which may have to free arrays
  return PyCapsule_New(&handler, kCapsule, nullptr);
}

// Installs the allocation handler that rejects large arrays in the current Python context, unless
// it is installed there already.  If the installation fails, kernels run without the limit.
void install_allocation_handler() noexcept {
  static PyObject* capsule = nullptr;
  PyObject* current = PyDataMem_GetHandler();
  bool is_installed = capsule && current == capsule;
  Py_XDECREF(current);
  if (is_installed) return;
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  if (!capsule) capsule = make_allocation_handler_capsule();
  if (capsule) Py_XDECREF(PyDataMem_SetHandler(capsule));
  PyErr_Restore(type, error, trace);
}

}  // namespace

ArraySizeLimitScope::ArraySizeLimitScope() noexcept {
  if (state.kernel_depth++ != 0) return;
  state.rejected_bytes = 0;
  install_allocation_handler();
}
ArraySizeLimitScope::~ArraySizeLimitScope() { --state.kernel_depth; }

PyObject* call_with_array_size_limit(PyObject*, PyObject* const* args, Py_ssize_t count,
                                     PyObject* names) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "limited() requires a function as its first argument");
    return nullptr;
  }
  ArraySizeLimitScope scope;
  return PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), names);
}

PyObject* take_rejected_size(PyObject*, PyObject*) {
  std::size_t size = state.rejected_bytes;
  state.rejected_bytes = 0;
  return PyLong_FromSize_t(size);
}

}  // namespace oarlock::autograd
