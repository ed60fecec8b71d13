// Preloaded by test_faults.py: makes C++ allocations and the creation of threads fail when told to.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations_left{-1};  // before one fails; negative: none fails
std::atomic<long> threads_left{-1};

bool fails(std::atomic<long>& left) {
  long now = left;
  while (now >= 0)
    if (left.compare_exchange_weak(now, now - 1)) return now == 0;
  return false;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails(allocations_left)) throw std::bad_alloc();
  void* found = nullptr;
  if (posix_memalign(&found, alignment < sizeof(void*) ? sizeof(void*) : alignment,
                     bytes ? bytes : 1) != 0)
    throw std::bad_alloc();
  return found;
}

}  // namespace

extern "C" void fail_allocation_after(long count) { allocations_left = count; }
extern "C" long allocations_before_failure() { return allocations_left; }
/// Every thread after `count` more fails to start; negative: none fails.
extern "C" void fail_threads_after(long count) { threads_left = count; }

void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocate(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  long left = threads_left;
  if (left == 0) return EAGAIN;
  if (left > 0) threads_left = left - 1;
  return create(thread, attributes, start, argument);
}
