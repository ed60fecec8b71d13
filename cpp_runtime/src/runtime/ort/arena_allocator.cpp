#include "runtime/ort/arena_allocator.h"

#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace oarlock {
namespace {

/// The layout of OrtAllocator up to version 17; later versions have optional functions.
struct AllocatorFunctions {
  std::uint32_t version;
  void* (*allocate)(AllocatorFunctions*, std::size_t);
  void (*free)(AllocatorFunctions*, void*);
  const ort::MemoryInfo* (*info)(const AllocatorFunctions*);
};

struct ArenaOutOfMemory : std::bad_alloc {
  const char* what() const noexcept override { return "Failed to allocate memory (bad_alloc)"; }
};

struct ArenaAllocator {
  AllocatorFunctions functions{
      17,
      // If no memory is left, the allocator throws: ONNX Runtime does not check for null, but
      // catches exceptions of its allocators.
      [](AllocatorFunctions* self, std::size_t size) {
        void* block = reinterpret_cast<ArenaAllocator*>(self)->arena.allocate(size);
        if (!block) throw ArenaOutOfMemory();
        return block;
      },
      [](AllocatorFunctions* self, void* block) {
        reinterpret_cast<ArenaAllocator*>(self)->arena.free(block);
      },
      [](const AllocatorFunctions* self) -> const ort::MemoryInfo* {
        return reinterpret_cast<const ArenaAllocator*>(self)->memory.get();
      },
  };
  ort::MemoryHandle memory;
  PageArena arena;

  explicit ArenaAllocator(const Library& library)
      : memory(ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(
            library.api, ort::kDeviceAllocator, ort::kDefaultMemory)) {
    library.api.call<ort::RegisterAllocator>(library.env,
                                             reinterpret_cast<ort::Allocator*>(&functions));
  }
};

}  // namespace

PageArena& shared_page_arena(const Library& library) {
  static std::mutex mutex;
  // The map is never destroyed, because tensors in the arena may outlive all other objects.
  static auto& allocators = *new std::map<const Library*, std::unique_ptr<ArenaAllocator>>;
  std::lock_guard lock(mutex);
  auto& allocator = allocators[&library];
  if (!allocator) allocator = std::make_unique<ArenaAllocator>(library);
  return allocator->arena;
}

}  // namespace oarlock
