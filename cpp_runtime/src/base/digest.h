// BLAKE2b (RFC 7693): names what a file holds.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// 256 bits of digest of everything that was added.
class Digest {
 public:
  Digest();
  Digest& add(std::string_view bytes);
  /// The same with its length in front, so that two parts cannot pass for one.
  Digest& part(std::string_view bytes);
  /// 64 hexadecimal digits.   Nothing can be added after.
  std::string hex();

 private:
  void compress(const unsigned char* block, bool last);

  std::array<std::uint64_t, 8> state_;
  std::array<unsigned char, 128> waiting_{};
  std::size_t filled_ = 0;
  std::uint64_t count_ = 0;
};

std::string digest_of(std::string_view bytes);

}  // namespace oarlock
