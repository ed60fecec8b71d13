#include "base/blake2b_digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace oarlock {
namespace {

constexpr std::size_t kBlock = 128, kBytes = 32;
constexpr std::uint64_t kInitialState[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::size_t kMessageOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

using Words = std::array<std::uint64_t, 16>;

inline void mix(Words& v, std::size_t a, std::size_t b, std::size_t c, std::size_t d,
                std::uint64_t x, std::uint64_t y) {
  v[a] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

}  // namespace

Blake2bDigest::Blake2bDigest() {
  std::copy(std::begin(kInitialState), std::end(kInitialState), state_.begin());
  state_[0] ^= 0x01010000 ^ kBytes;  // no key, sequential mode
}

void Blake2bDigest::compress(const unsigned char* block, bool last) {
  Words v, m;
  std::memcpy(m.data(), block, kBlock);
  for (std::size_t i = 0; i < 8; ++i) v[i] = state_[i], v[i + 8] = kInitialState[i];
  v[12] ^= num_bytes_;
  if (last) v[14] = ~v[14];
  for (std::size_t round = 0; round < 12; ++round) {
    const auto& s = kMessageOrder[round % 10];
    for (std::size_t i = 0; i < 4; ++i)
      mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
    for (std::size_t i = 0; i < 4; ++i)
      mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[2 * i + 8]],
          m[s[2 * i + 9]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[i + 8];
}

// BLAKE2b compresses the last block with a flag, so a full block stays in the buffer until more
// bytes follow.
Blake2bDigest& Blake2bDigest::add(std::string_view bytes) {
  auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t left = bytes.size(); left > 0;) {
    if (num_buffered_ == kBlock) {
      num_bytes_ += kBlock;
      compress(block_.data(), false);
      num_buffered_ = 0;
    }
    for (; num_buffered_ == 0 && left > kBlock; from += kBlock, left -= kBlock) {
      num_bytes_ += kBlock;
      compress(from, false);
    }
    std::size_t count = std::min(left, kBlock - num_buffered_);
    std::memcpy(block_.data() + num_buffered_, from, count);
    num_buffered_ += count, from += count, left -= count;
  }
  return *this;
}

Blake2bDigest& Blake2bDigest::add_with_length(std::string_view bytes) {
  std::uint64_t size = bytes.size();
  return add({reinterpret_cast<const char*>(&size), sizeof size}).add(bytes);
}

std::string Blake2bDigest::finalize_to_hex() {
  num_bytes_ += num_buffered_;
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(num_buffered_), block_.end(),
            static_cast<unsigned char>(0));
  compress(block_.data(), true);
  std::string text;
  for (std::size_t i = 0; i < kBytes; ++i) {
    auto byte = static_cast<unsigned>(state_[i / 8] >> (8 * (i % 8)) & 0xff);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string blake2b_hex_digest(std::string_view bytes) {
  return Blake2bDigest().add(bytes).finalize_to_hex();
}

}  // namespace oarlock
