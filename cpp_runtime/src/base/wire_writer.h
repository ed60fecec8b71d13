// Writer of the protobuf wire format. The length of a nested message is inserted before its fields
// when all of them are written.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace oarlock {

class WireWriter {
 public:
  void int64(std::uint32_t field, std::int64_t value) {
    tag(field, 0);
    write_varint(static_cast<std::uint64_t>(value));
  }
  void float32(std::uint32_t field, float value) {
    tag(field, 5);
    auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
  }
  void float64(std::uint32_t field, double value) {
    tag(field, 1);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
  }
  void bytes(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    write_varint(value.size());
    out_.append(value);
  }
  template <class F>
  void message(std::uint32_t field, F&& fill) {
    tag(field, 2);
    std::size_t start = out_.size();
    fill();
    std::string length;
    append_varint(length, out_.size() - start);
    out_.insert(start, length);
  }
  std::string take_bytes() { return std::move(out_); }

 private:
  void tag(std::uint32_t field, std::uint32_t type) {
    write_varint(std::uint64_t{field} << 3 | type);
  }
  void write_varint(std::uint64_t value) { append_varint(out_, value); }
  static void append_varint(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
    to.push_back(static_cast<char>(value));
  }

  std::string out_;
};

}  // namespace oarlock
