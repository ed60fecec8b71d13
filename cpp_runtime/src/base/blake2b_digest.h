// BLAKE2b (RFC 7693) digests of file content.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

/// A 256-bit digest of all added bytes.
class Blake2bDigest {
 public:
  Blake2bDigest();
  Blake2bDigest& add(std::string_view bytes);
  /// Adds the length and then the bytes, so that adjacent parts cannot be confused.
  Blake2bDigest& add_with_length(std::string_view bytes);
  /// Returns 64 hexadecimal digits. No bytes can be added after this call.
  std::string finalize_to_hex();

 private:
  void compress(const unsigned char* block, bool last);

  std::array<std::uint64_t, 8> state_;
  std::array<unsigned char, 128> block_{};
  std::size_t num_buffered_ = 0;
  std::uint64_t num_bytes_ = 0;
};

std::string blake2b_hex_digest(std::string_view bytes);

}  // namespace oarlock
