#include "runtime/page_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace oarlock {
namespace {

constexpr std::size_t kAlignment = 64;
// Blocks smaller than this come from malloc: returning their few pages to the system would not be
// worth the time of the search for a free block.
constexpr std::size_t kSmallestBlock = 32768;
// The number of bytes of each mapped region. Pages that were never touched need no memory, so a
// region can be much larger than its blocks.
constexpr std::size_t kRegionSize = std::size_t{256} << 20;
constexpr std::size_t kLargestBlock = std::size_t{1} << 46;

// The size of a memory page: 4 kB on x86-64, up to 64 kB on ARM64.
std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t round_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

// Maps a region of at least `size` bytes; returns null if there is no address space.
std::pair<char*, std::size_t> try_map_region(std::size_t size) {
  for (std::size_t wanted : {std::max(size, kRegionSize), size}) {
    void* start = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) continue;
    ::madvise(start, wanted, MADV_HUGEPAGE);  // pages are touched again in each scope
    return {static_cast<char*>(start), wanted};
  }
  return {nullptr, 0};
}

}  // namespace

PageArena::~PageArena() {
  for (auto [start, size] : regions_) ::munmap(start, size);
}

void* PageArena::allocate(std::size_t size) noexcept try {
  if (size < kSmallestBlock)
    return std::aligned_alloc(kAlignment, round_up(std::max<std::size_t>(size, 1), kAlignment));
  if (size > kLargestBlock) return nullptr;
  size = round_up(size, page_size());
  std::lock_guard lock(mutex_);
  auto block = find_or_map_free_block(size);
  if (block == blocks_.end()) return nullptr;
  allocate_front_of_free_block(block, size);
  return block->first;
} catch (const std::bad_alloc&) {
  return nullptr;
}

PageArena::Blocks::iterator PageArena::find_or_map_free_block(std::size_t size) {
  auto fitting = free_blocks_.lower_bound({size, nullptr});
  if (fitting != free_blocks_.end()) return blocks_.find(fitting->second);
  auto [start, region_size] = try_map_region(size);
  if (!start) return blocks_.end();
  regions_.emplace(start, region_size);
  auto block = blocks_.emplace(start, Block{region_size, false, false}).first;
  free_blocks_.emplace(region_size, start);
  block->second.is_free = true;  // last: without memory for an entry, the region is never used
  return block;
}

// Allocates the first `size` bytes of a free block; the remaining bytes become a new free block.
void PageArena::allocate_front_of_free_block(Blocks::iterator block, std::size_t size) {
  Block& whole = block->second;
  std::size_t rest_size = whole.size - size;
  char* rest = block->first + size;
  if (rest_size > 0) blocks_.emplace(rest, Block{rest_size, true, whole.may_be_resident});
  auto entry = free_blocks_.extract({whole.size, block->first});
  if (rest_size > 0) {
    entry.value() = {rest_size, rest};
    free_blocks_.insert(std::move(entry));
  }
  whole = {size, false, true};
}

void PageArena::free(void* memory) noexcept {
  std::unique_lock lock(mutex_);
  auto block = blocks_.find(static_cast<char*>(memory));
  if (block == blocks_.end()) {
    lock.unlock();
    return std::free(memory);
  }
  try {
    free_blocks_.emplace(block->second.size, block->first);
  } catch (const std::bad_alloc&) {
    return release_pages(block);  // without memory for an entry, the addresses are never used again
  }
  block->second.is_free = true;
  block = join_with_free_neighbors(block);
  if (active_scopes_ > 0) return;
  release_pages(block);
  unmap_region_if_free(block);
}

PageArena::Regions::iterator PageArena::region_of(char* address) {
  return std::prev(regions_.upper_bound(address));
}

PageArena::Blocks::iterator PageArena::join_with_free_neighbors(Blocks::iterator block) {
  auto join_with_next = [&](Blocks::iterator first) {
    auto next = std::next(first);
    if (next == blocks_.end() || !next->second.is_free || !first->second.is_free ||
        region_of(next->first) != region_of(first->first))
      return;
    auto entry = free_blocks_.extract({first->second.size, first->first});
    free_blocks_.erase({next->second.size, next->first});
    first->second.size += next->second.size;
    first->second.may_be_resident |= next->second.may_be_resident;
    entry.value().first = first->second.size;
    free_blocks_.insert(std::move(entry));
    blocks_.erase(next);
  };
  join_with_next(block);
  if (block != blocks_.begin() && std::prev(block)->second.is_free) {
    auto previous = std::prev(block);
    if (region_of(previous->first) == region_of(block->first)) {
      join_with_next(previous);
      return previous;
    }
  }
  return block;
}

void PageArena::release_pages(Blocks::iterator block) {
  if (!block->second.may_be_resident) return;
  ::madvise(block->first, block->second.size, MADV_DONTNEED);
  block->second.may_be_resident = false;
}

void PageArena::unmap_region_if_free(Blocks::iterator block) {
  auto region = region_of(block->first);
  if (region->second != block->second.size) return;
  ::munmap(region->first, region->second);
  free_blocks_.erase({block->second.size, block->first});
  blocks_.erase(block);
  regions_.erase(region);
}

void PageArena::begin_scope() noexcept {
  std::lock_guard lock(mutex_);
  ++active_scopes_;
}

void PageArena::end_scope() noexcept {
  std::lock_guard lock(mutex_);
  --active_scopes_;
  for (auto [size, start] : free_blocks_) release_pages(blocks_.find(start));
}

std::size_t PageArena::used_bytes() const {
  std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& [start, block] : blocks_) total += block.is_free ? 0 : block.size;
  return total;
}

std::size_t PageArena::mapped_bytes() const {
  std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (auto [start, size] : regions_) total += size;
  return total;
}

}  // namespace oarlock
