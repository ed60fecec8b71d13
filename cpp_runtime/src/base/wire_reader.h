// Reader of the protobuf wire format: tags, varints, fixed-size numbers and length-delimited
// payloads.  The buffer must outlive the reader.  Every read is checked against the end of its
// payload and throws Error(file) beyond it.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "oarlock/error.h"

namespace oarlock {

/// The file that is read, for error messages.
struct WireSourceFile {
  std::string name;
  const char* begin;
};

class WireReader {
 public:
  WireReader(const WireSourceFile& source, std::string_view payload, std::string_view message)
      : source_(source),
        pos_(payload.data()),
        end_(payload.data() + payload.size()),
        message_(message) {}

  /// Moves to the next field.  Returns false at the end of the payload.
  bool next() {
    if (pos_ == end_) return false;
    std::uint64_t tag = read_varint();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    if ((tag >> 3) == 0 || (tag >> 3) > 0x1fffffff) fail("field number out of range");
    return true;
  }
  std::uint32_t field_number() const { return field_; }

  std::int64_t int64() { return expect_wire_type(0), static_cast<std::int64_t>(read_varint()); }
  std::int32_t int32() {
    return static_cast<std::int32_t>(int64());
  }  // protobuf writes negative int32 values with ten bytes
  bool boolean() { return int64() != 0; }
  float float32() { return expect_wire_type(5), std::bit_cast<float>(read_fixed<std::uint32_t>()); }
  double float64() {
    return expect_wire_type(1), std::bit_cast<double>(read_fixed<std::uint64_t>());
  }
  std::string_view bytes() { return expect_wire_type(2), read_length_delimited(); }
  std::string string() { return std::string(bytes()); }
  WireReader submessage(std::string_view message) { return WireReader(source_, bytes(), message); }

  /// Calls `visit` for each element of a repeated scalar field, packed or not.
  template <class F>
  void for_each_int64(F&& visit) {
    for_each_element(0, [&](WireReader& w) { visit(static_cast<std::int64_t>(w.read_varint())); });
  }
  template <class F>
  void for_each_float32(F&& visit) {
    for_each_element(
        5, [&](WireReader& w) { visit(std::bit_cast<float>(w.read_fixed<std::uint32_t>())); });
  }
  template <class F>
  void for_each_float64(F&& visit) {
    for_each_element(
        1, [&](WireReader& w) { visit(std::bit_cast<double>(w.read_fixed<std::uint64_t>())); });
  }

  /// Skips an unknown field.
  void skip() {
    switch (type_) {
      case 0:
        read_varint();
        return;
      case 1:
        read_fixed<std::uint64_t>();
        return;
      case 2:
        read_length_delimited();
        return;
      case 5:
        read_fixed<std::uint32_t>();
        return;
      default:
        fail("wire type " + std::to_string(type_) + " is not one of protobuf's");
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, source_.name + ": " + why + " (" + std::string(message_) +
                                     " field " + std::to_string(field_) + " at byte " +
                                     std::to_string(pos_ - source_.begin) + ")");
  }

 private:
  void expect_wire_type(int type) const {
    if (type_ != type)
      fail("wire type " + std::to_string(type_) + " where " + std::to_string(type) + " belongs");
  }

  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (pos_ == end_) fail("cut off in a number");
      auto byte = static_cast<std::uint8_t>(*pos_++);
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail("number of more than ten bytes");
  }

  template <class T>
  T read_fixed() {
    if (static_cast<std::size_t>(end_ - pos_) < sizeof(T)) fail("cut off in a number");
    T value;
    std::memcpy(&value, pos_, sizeof(T));
    pos_ += sizeof(T);
    return value;
  }

  std::string_view read_length_delimited() {
    std::uint64_t length = read_varint();
    auto remaining = static_cast<std::uint64_t>(end_ - pos_);
    if (length > remaining)
      fail("declares " + std::to_string(length) + " bytes, " + std::to_string(remaining) +
           " are left");
    std::string_view payload(pos_, length);
    pos_ += length;
    return payload;
  }

  template <class F>
  void for_each_element(int type, F&& read) {
    if (type_ == 2 && type != 2) {
      WireReader packed(source_, read_length_delimited(), message_);
      packed.field_ = field_;
      while (packed.pos_ != packed.end_) read(packed);
      return;
    }
    expect_wire_type(type);
    read(*this);
  }

  const WireSourceFile& source_;
  const char* pos_;
  const char* end_;
  std::string_view message_;
  std::uint32_t field_ = 0;
  int type_ = 0;
};

}  // namespace oarlock
