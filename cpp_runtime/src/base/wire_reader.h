// The protobuf wire format, read: tags, varints, fixed words and length-delimited pieces of a
// buffer that outlives it. Every step is checked against the end of the piece it is in; a step that
// does not fit is one Error(file).
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "oarlock/error.h"

namespace oarlock {

/// Where a piece of a file came from, for messages.
struct Source {
  std::string name;
  const char* begin;
};

class Wire {
 public:
  Wire(const Source& source, std::string_view piece, std::string_view message)
      : source_(source), at_(piece.data()), end_(piece.data() + piece.size()), message_(message) {}

  /// Step to the next field; false at the end of the piece.
  bool next() {
    if (at_ == end_) return false;
    std::uint64_t tag = varint();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    if ((tag >> 3) == 0 || (tag >> 3) > 0x1fffffff) fail("field number out of range");
    return true;
  }
  std::uint32_t field() const { return field_; }
  std::string_view message() const { return message_; }

  std::int64_t int64() { return expect(0), static_cast<std::int64_t>(varint()); }
  std::int32_t int32() {
    return static_cast<std::int32_t>(int64());
  }  // a negative int32 is written as ten bytes
  bool boolean() { return int64() != 0; }
  float float32() { return expect(5), std::bit_cast<float>(fixed<std::uint32_t>()); }
  double float64() { return expect(1), std::bit_cast<double>(fixed<std::uint64_t>()); }
  std::string_view bytes() { return expect(2), piece(); }
  std::string string() { return std::string(bytes()); }
  Wire sub(std::string_view message) { return Wire(source_, bytes(), message); }

  /// Repeated scalars, packed or one by one.
  template <class F>
  void each_int64(F&& give) {
    each(0, [&](Wire& w) { give(static_cast<std::int64_t>(w.varint())); });
  }
  template <class F>
  void each_float32(F&& give) {
    each(5, [&](Wire& w) { give(std::bit_cast<float>(w.fixed<std::uint32_t>())); });
  }
  template <class F>
  void each_float64(F&& give) {
    each(1, [&](Wire& w) { give(std::bit_cast<double>(w.fixed<std::uint64_t>())); });
  }

  /// Pass over a field that is not known.
  void skip() {
    switch (type_) {
      case 0:
        varint();
        return;
      case 1:
        fixed<std::uint64_t>();
        return;
      case 2:
        piece();
        return;
      case 5:
        fixed<std::uint32_t>();
        return;
      default:
        fail("wire type " + std::to_string(type_) + " is not one of protobuf's");
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Fault::file, source_.name + ": " + why + " (" + std::string(message_) + " field " +
                                 std::to_string(field_) + " at byte " +
                                 std::to_string(at_ - source_.begin) + ")");
  }

 private:
  void expect(int type) const {
    if (type_ != type)
      fail("wire type " + std::to_string(type_) + " where " + std::to_string(type) + " belongs");
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) fail("cut off in a number");
      auto byte = static_cast<std::uint8_t>(*at_++);
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail("number of more than ten bytes");
  }

  template <class T>
  T fixed() {
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) fail("cut off in a number");
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::string_view piece() {
    std::uint64_t length = varint();
    auto left = static_cast<std::uint64_t>(end_ - at_);
    if (length > left)
      fail("says " + std::to_string(length) + " bytes, " + std::to_string(left) + " are left");
    std::string_view found(at_, length);
    at_ += length;
    return found;
  }

  template <class F>
  void each(int type, F&& read) {
    if (type_ == 2 && type != 2) {
      Wire packed(source_, piece(), message_);
      packed.field_ = field_;
      while (packed.at_ != packed.end_) read(packed);
      return;
    }
    expect(type);
    read(*this);
  }

  const Source& source_;
  const char* at_;
  const char* end_;
  std::string_view message_;
  std::uint32_t field_ = 0;
  int type_ = 0;
};

}  // namespace oarlock
