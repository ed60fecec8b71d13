// DEFLATE decompression (RFC 1951), bit by bit; used for small command-line inputs only.
#include <array>
#include <cstdint>

#include "runner/npz.h"

namespace oarlock {
namespace {

struct BitReader {
  std::string_view bytes;
  const std::string& label;
  std::size_t pos = 0;
  unsigned bit = 0;

  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorCode::file, label + ": " + why);
  }
  unsigned read_bit() {
    if (pos >= bytes.size()) fail("cut off in its compressed data");
    unsigned value = static_cast<unsigned char>(bytes[pos]) >> bit & 1;
    if (++bit == 8) bit = 0, ++pos;
    return value;
  }
  unsigned read_bits(unsigned count) {
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i) value |= read_bit() << i;
    return value;
  }
};

/// A canonical Huffman code: the number of codes of each length, and the symbols in code order.
struct HuffmanCodes {
  std::array<std::uint16_t, 16> counts{};
  std::vector<std::uint16_t> symbols;

  explicit HuffmanCodes(const std::vector<std::uint8_t>& lengths) {
    for (std::uint8_t length : lengths) ++counts[length];
    counts[0] = 0;
    for (unsigned length = 1; length < 16; ++length)
      for (std::size_t s = 0; s < lengths.size(); ++s)
        if (lengths[s] == length) symbols.push_back(static_cast<std::uint16_t>(s));
  }

  unsigned decode(BitReader& in) const {
    int code = 0, first = 0, index = 0;
    for (unsigned length = 1; length < 16; ++length) {
      code |= static_cast<int>(in.read_bit());
      if (code - first < counts[length])
        return symbols[static_cast<std::size_t>(index + code - first)];
      index += counts[length], first = (first + counts[length]) << 1, code <<= 1;
    }
    in.fail("an unknown code in its compressed data");
  }
};

// Tables by symbol: the base value of a length or distance, and the number of its extra bits (RFC
// 1951, 3.2.5).
constexpr std::uint16_t kLengthBase[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::uint8_t kLengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint16_t kDistanceBase[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

void inflate_codes(BitReader& in, const HuffmanCodes& literal, const HuffmanCodes& distance,
                   std::string& out, std::size_t size) {
  for (;;) {
    unsigned symbol = literal.decode(in);
    if (symbol == 256) return;
    if (symbol < 256) {
      out.push_back(static_cast<char>(symbol));
    } else {
      if (symbol > 285) in.fail("an unknown length in its compressed data");
      std::size_t length = kLengthBase[symbol - 257] + in.read_bits(kLengthBits[symbol - 257]);
      unsigned d = distance.decode(in);
      if (d > 29) in.fail("an unknown distance in its compressed data");
      std::size_t back = kDistanceBase[d] + in.read_bits(d < 4 ? 0 : d / 2 - 1);
      if (back > out.size()) in.fail("a distance before the beginning of its data");
      for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - back]);
    }
    if (out.size() > size) in.fail("more data than the entry declares");
  }
}

void inflate_stored_block(BitReader& in, std::string& out) {
  if (in.bit) in.bit = 0, ++in.pos;
  unsigned length = in.read_bits(16);
  if ((in.read_bits(16) ^ length) != 0xffff) in.fail("a broken stored piece");
  if (length > in.bytes.size() - in.pos) in.fail("cut off in a stored piece");
  out.append(in.bytes.substr(in.pos, length));
  in.pos += length;
}

void inflate_fixed_block(BitReader& in, std::string& out, std::size_t size) {
  std::vector<std::uint8_t> lengths(288, 8);
  for (int i = 144; i < 256; ++i) lengths[static_cast<std::size_t>(i)] = 9;
  for (int i = 256; i < 280; ++i) lengths[static_cast<std::size_t>(i)] = 7;
  inflate_codes(in, HuffmanCodes(lengths), HuffmanCodes(std::vector<std::uint8_t>(30, 5)), out,
                size);
}

std::vector<std::uint8_t> read_code_lengths(BitReader& in, const HuffmanCodes& codes,
                                            std::size_t count) {
  std::vector<std::uint8_t> lengths;
  while (lengths.size() < count) {
    unsigned symbol = codes.decode(in);
    if (symbol < 16) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    if (symbol == 16 && lengths.empty()) in.fail("a repeat of nothing in its compressed data");
    std::uint8_t value = symbol == 16 ? lengths.back() : 0;
    unsigned times = symbol == 16   ? 3 + in.read_bits(2)
                     : symbol == 17 ? 3 + in.read_bits(3)
                                    : 11 + in.read_bits(7);
    lengths.insert(lengths.end(), times, value);
  }
  if (lengths.size() != count) in.fail("a repeat past the end in its compressed data");
  return lengths;
}

void inflate_dynamic_block(BitReader& in, std::string& out, std::size_t size) {
  static constexpr std::uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
  std::size_t literals = in.read_bits(5) + 257, distances = in.read_bits(5) + 1,
              codes = in.read_bits(4) + 4;
  std::vector<std::uint8_t> lengths(19);
  for (std::size_t i = 0; i < codes; ++i)
    lengths[order[i]] = static_cast<std::uint8_t>(in.read_bits(3));
  auto all = read_code_lengths(in, HuffmanCodes(lengths), literals + distances);
  auto middle = all.begin() + static_cast<std::ptrdiff_t>(literals);
  inflate_codes(in, HuffmanCodes({all.begin(), middle}), HuffmanCodes({middle, all.end()}), out,
                size);
}

}  // namespace

std::string inflate(std::string_view bytes, std::size_t size, const std::string& label) {
  BitReader in{bytes, label};
  if (size / 1040 > bytes.size()) in.fail("declares more data than its compressed data can hold");
  std::string out;
  for (bool last = false; !last;) {
    last = in.read_bit();
    switch (in.read_bits(2)) {
      case 0:
        inflate_stored_block(in, out);
        break;
      case 1:
        inflate_fixed_block(in, out, size);
        break;
      case 2:
        inflate_dynamic_block(in, out, size);
        break;
      default:
        in.fail("a piece of unknown kind in its compressed data");
    }
    if (out.size() > size) in.fail("more data than the entry declares");
  }
  if (out.size() != size) in.fail("less data than the entry declares");
  return out;
}

}  // namespace oarlock
