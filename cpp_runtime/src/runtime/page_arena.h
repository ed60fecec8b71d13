// Memory for blocks of changing sizes that returns the pages of free blocks to the system.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace oarlock {

/// Allocates blocks of 32 KiB or more as parts of mapped regions, with the smallest free block that
/// is large enough (best fit), and joins adjacent free blocks; smaller blocks come from malloc.
/// Pages of free blocks stay resident while a scope is active, so that blocks inside of it reuse
/// them, and are returned to the system at its end. Thread-safe.
class PageArena {
 public:
  PageArena() = default;
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;
  ~PageArena();

  /// A block aligned to 64 bytes; null if there is no memory.
  void* allocate(std::size_t size) noexcept;
  /// Frees a block of allocate(), or null.
  void free(void* block) noexcept;

  void begin_scope() noexcept;
  /// Returns the pages of all free blocks to the system, also those of other active scopes.
  void end_scope() noexcept;

  /// The number of bytes of used blocks in regions.
  std::size_t used_bytes() const;
  /// The number of bytes of mapped regions; free pages that are not resident count, too.
  std::size_t mapped_bytes() const;

 private:
  struct Block {
    std::size_t size;
    bool is_free;
    bool may_be_resident;  // of a free block: whether pages of it may be resident
  };
  using Blocks = std::map<char*, Block>;
  using Regions = std::map<char*, std::size_t>;

  Blocks::iterator find_or_map_free_block(std::size_t size);
  void allocate_front_of_free_block(Blocks::iterator block, std::size_t size);
  Regions::iterator region_of(char* address);
  Blocks::iterator join_with_free_neighbors(Blocks::iterator block);
  void release_pages(Blocks::iterator block);
  void unmap_region_if_free(Blocks::iterator block);

  mutable std::mutex mutex_;
  Blocks blocks_;  // all blocks by address; they cover the regions
  std::set<std::pair<std::size_t, char*>> free_blocks_;  // by size, then by address
  Regions regions_;                                      // the size of each region by its start
  int active_scopes_ = 0;
};

/// A scope of `arena`; null for none.
class PageArenaScope {
 public:
  explicit PageArenaScope(PageArena* arena) : arena_(arena) {
    if (arena_) arena_->begin_scope();
  }
  PageArenaScope(const PageArenaScope&) = delete;
  PageArenaScope& operator=(const PageArenaScope&) = delete;
  ~PageArenaScope() {
    if (arena_) arena_->end_scope();
  }

 private:
  PageArena* arena_;
};

}  // namespace oarlock
