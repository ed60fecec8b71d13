// Tests of the arena that returns free pages to the system.
#include "runtime/page_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "check.h"

using namespace oarlock;

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// The number of resident pages of a block.
std::size_t resident_pages(void* block, std::size_t size) {
  std::vector<unsigned char> pages(size / page_size());
  CHECK_EQ(::mincore(block, size, pages.data()), 0);
  std::size_t count = 0;
  for (unsigned char page : pages) count += page & 1U;
  return count;
}

}  // namespace

TEST("arena: pages of free blocks are reused in a scope and returned at its end") {
  PageArena arena;
  void* other = arena.allocate(kMegabyte);  // keeps the region mapped
  arena.begin_scope();
  void* first = arena.allocate(8 * kMegabyte);
  std::memset(first, 1, 8 * kMegabyte);
  arena.free(first);
  CHECK_EQ(resident_pages(first, 8 * kMegabyte), 8 * kMegabyte / page_size());
  void* second = arena.allocate(4 * kMegabyte);
  CHECK(second == first);
  arena.end_scope();
  CHECK_EQ(resident_pages(first, 8 * kMegabyte), 4 * kMegabyte / page_size());
  arena.free(second);  // outside of a scope: at once
  CHECK_EQ(resident_pages(first, 8 * kMegabyte), std::size_t{0});
  CHECK_EQ(arena.used_bytes(), kMegabyte);
  arena.free(other);
  CHECK_EQ(arena.mapped_bytes(), std::size_t{0});
}

TEST("arena: the smallest block that is large enough is used; neighbors are joined") {
  PageArena arena;
  arena.begin_scope();
  std::vector<void*> blocks;
  for (std::size_t megabytes : {4, 1, 2, 1, 8, 1})
    blocks.push_back(arena.allocate(megabytes * kMegabyte));
  for (std::size_t i : {0, 2, 4}) arena.free(blocks[i]);
  CHECK(arena.allocate(2 * kMegabyte) == blocks[2]);
  CHECK(arena.allocate(3 * kMegabyte) == blocks[0]);
  arena.free(blocks[1]);  // joins the rest of the first block
  CHECK(arena.allocate(2 * kMegabyte) == static_cast<char*>(blocks[0]) + 3 * kMegabyte);
  arena.end_scope();
}

TEST("arena: small, empty and impossible sizes") {
  PageArena arena;
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{40'000}}) {
    void* block = arena.allocate(size);
    CHECK(block != nullptr);
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, std::uintptr_t{0});
    std::memset(block, 1, size);
    arena.free(block);
  }
  arena.free(nullptr);
  CHECK(arena.allocate(SIZE_MAX) == nullptr);
  CHECK(arena.allocate(std::size_t{1} << 60) == nullptr);
  CHECK_EQ(arena.used_bytes(), std::size_t{0});
}

TEST("arena: blocks of several threads never overlap") {
  PageArena arena;
  auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (int round = 0; round < 2000; ++round) {
      if (round % 50 == 0) PageArenaScope scope(&arena);
      if (blocks.size() < 20 && random() % 2) {
        std::size_t size = 1 + random() % (random() % 4 ? 20'000 : 300'000);
        auto* block = static_cast<unsigned char*>(arena.allocate(size));
        block[0] = block[size - 1] = static_cast<unsigned char>(seed);
        blocks.emplace_back(block, size);
      } else if (!blocks.empty()) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        auto [block, size] = blocks.back();
        CHECK_EQ(block[0], seed);
        CHECK_EQ(block[size - 1], seed);
        arena.free(block);
        blocks.pop_back();
      }
    }
    for (auto [block, size] : blocks) arena.free(block);
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(arena.used_bytes(), std::size_t{0});
  CHECK_EQ(arena.mapped_bytes(), std::size_t{0});
}
