// NumPy allocates through a handler (NEP 49), one per Python context and so one per thread.   This
// handler rejects requests above the limit while a kernel runs in the thread, and forwards all
// others to the previous handler.
#include "autograd/memory_limit.h"

#include <cstdlib>

#include "autograd/objects.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL oarlock_tape_numpy_api
#define NO_IMPORT_ARRAY
#include <numpy/arrayobject.h>

namespace oarlock::autograd {
namespace {

constexpr std::size_t kUnchecked = std::size_t{1}
                                   << 20;  // most arrays are smaller: the environment is not read
constexpr const char* kCapsule = "mem_handler";  // as NumPy names it

struct ThreadState {
  int kernels = 0;  // nesting depth of the kernels that run now
  bool has_handler = false;
  std::size_t refused = 0;
};
thread_local ThreadState state;

// The same as core/limits.py and base/limits.cpp: a number above 0, or 8 GiB.
std::size_t max_bytes() {
  constexpr std::size_t standard = std::size_t{8} << 30;
  const char* text = std::getenv("OARLOCK_MAX_RESULT_BYTES");
  if (!text || !*text) return standard;
  std::size_t found = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || found > (std::size_t{1} << 59)) return standard;
    found = found * 10 + static_cast<std::size_t>(*text - '0');
  }
  return found ? found : standard;
}

bool is_refused(std::size_t size) {
  if (size <= kUnchecked || state.kernels == 0 || size <= max_bytes()) return false;
  state.refused = size;
  return true;
}

PyDataMemAllocator before;  // the previous handler

void* allocate(void* context, std::size_t size) {
  return is_refused(size) ? nullptr : before.malloc(context, size);
}
void* allocate_zeros(void* context, std::size_t count, std::size_t size) {
  bool wraps = size && count > SIZE_MAX / size;
  return wraps || is_refused(count * size) ? nullptr : before.calloc(context, count, size);
}
void* reallocate(void* context, void* block, std::size_t size) {
  return is_refused(size) ? nullptr : before.realloc(context, block, size);
}

PyDataMem_Handler handler = {
    "oarlock", 1, {nullptr, allocate, allocate_zeros, reallocate, nullptr}};

// Creates the capsule of the handler, which forwards to the handler active now; null with an error
// set.
PyObject* make_capsule() {
  Ref now(PyDataMem_GetHandler());
  if (!now) return nullptr;
  auto* found = static_cast<PyDataMem_Handler*>(PyCapsule_GetPointer(now.get(), kCapsule));
  if (!found) return nullptr;
  before = found->allocator;
  handler.allocator.ctx = before.ctx;
  handler.allocator.free = before.free;
  now.release();  // the one before lives as long as arrays may be freed by it
  return PyCapsule_New(&handler, kCapsule, nullptr);
}

// Set the handler in this thread, once.   Without it kernels work without the limit.
void set_handler() noexcept {
  static PyObject* capsule = nullptr;
  state.has_handler = true;
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  if (!capsule) capsule = make_capsule();
  if (capsule) Py_XDECREF(PyDataMem_SetHandler(capsule));
  PyErr_Restore(type, error, trace);
}

}  // namespace

LimitedAllocations::LimitedAllocations() noexcept {
  if (!state.has_handler) set_handler();
  if (state.kernels++ == 0) state.refused = 0;
}
LimitedAllocations::~LimitedAllocations() { --state.kernels; }

PyObject* limited(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "limited() takes a function");
    return nullptr;
  }
  LimitedAllocations scope;
  return PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), names);
}

PyObject* take_refused(PyObject*, PyObject*) {
  std::size_t size = state.refused;
  state.refused = 0;
  return PyLong_FromSize_t(size);
}

}  // namespace oarlock::autograd
