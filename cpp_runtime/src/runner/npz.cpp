#include "runner/npz.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "base/atomic_files.h"
#include "base/mapped_file.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint64_t kMax32 = 0xffffffff;

struct DTypeDescrPair {
  DType dtype;
  std::string_view descr;
};
constexpr DTypeDescrPair kNumpyDescrs[] = {
    {DType::boolean, "|b1"},     {DType::int8, "|i1"},          {DType::uint8, "|u1"},
    {DType::int16, "<i2"},       {DType::uint16, "<u2"},        {DType::int32, "<i4"},
    {DType::uint32, "<u4"},      {DType::int64, "<i8"},         {DType::uint64, "<u8"},
    {DType::float16, "<f2"},     {DType::float32, "<f4"},       {DType::float64, "<f8"},
    {DType::bfloat16, "<V2"},    {DType::bfloat16, "|V2"},      {DType::complex64, "<c8"},
    {DType::complex128, "<c16"}, {DType::float8_e4m3fn, "|V1"}, {DType::float8_e4m3fn, "<V1"},
};

/// Sequential reader of a byte range.
struct ByteReader {
  std::string_view bytes;
  const std::string& file;
  std::size_t pos = 0;

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, file + ": " + why);
  }
  std::string_view read_bytes(std::uint64_t count) {
    if (pos > bytes.size() || count > bytes.size() - pos)
      fail("cut off at byte " + std::to_string(bytes.size()));
    pos += count;
    return bytes.substr(pos - count, count);
  }
  template <class T>
  T read_number() {
    T value;
    std::memcpy(&value, read_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
};

std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int k = 0; k < 8; ++k) t[i] = t[i] & 1 ? t[i] >> 1 ^ 0xedb88320u : t[i] >> 1;
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffff;
  for (char byte : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

// ---- .npy ----

// The value of a key of the header's dict, which NumPy always writes in the same form.
std::string_view npy_header_value(std::string_view header, std::string_view key,
                                  const ByteReader& in) {
  auto at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) in.fail("no '" + std::string(key) + "' in an array's header");
  at = header.find_first_not_of(' ', at + key.size() + 3);
  if (at == std::string_view::npos)
    in.fail("an empty '" + std::string(key) + "' in an array's header");
  char close = header[at] == '\'' ? '\'' : header[at] == '(' ? ')' : ',';
  auto end = header.find(close, at + 1);
  if (end == std::string_view::npos)
    in.fail("an open '" + std::string(key) + "' in an array's header");
  return header.substr(at, end - at + (close == ',' ? 0 : 1));
}

Ints parse_shape(std::string_view text, const ByteReader& in) {
  Ints shape;
  std::string digits;
  for (char c : text) {
    if (c >= '0' && c <= '9')
      digits += c;
    else if (c == ',' || c == ')') {
      if (digits.size() > 18) in.fail("an array's shape has a dim of " + digits);
      if (!digits.empty()) shape.push_back(std::stoll(digits));
      digits.clear();
    } else if (c != '(' && c != ' ')
      in.fail("an array's shape is " + std::string(text));
  }
  return shape;
}

// Copies the elements of an array in column-major order to `to` in row-major order.
void copy_column_major_to_row_major(const Ints& shape, std::size_t size, const char* from, char* to,
                                    std::size_t count) {
  Ints index(shape.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t source = 0, stride = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      source += static_cast<std::size_t>(index[d]) * stride;
      stride *= static_cast<std::size_t>(shape[d]);
    }
    std::memcpy(to + i * size, from + source * size, size);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

Tensor parse_npy(std::string_view bytes, const std::string& label) {
  ByteReader in{bytes, label};
  if (in.read_bytes(6) != "\x93NUMPY") in.fail("is not an array of NumPy");
  int major = in.read_number<std::uint8_t>();
  in.read_bytes(1);
  std::string_view header =
      in.read_bytes(major == 1 ? in.read_number<std::uint16_t>() : in.read_number<std::uint32_t>());
  std::string_view descr = npy_header_value(header, "descr", in);
  descr = descr.size() > 2 ? descr.substr(1, descr.size() - 2) : descr;
  DType dtype = DType::none;
  for (const DTypeDescrPair& code : kNumpyDescrs)
    if (code.descr == descr) dtype = code.dtype;
  if (dtype == DType::none) in.fail("has elements of type " + std::string(descr));
  Ints shape = parse_shape(npy_header_value(header, "shape", in), in);
  auto count = element_count(shape);
  std::size_t left = bytes.size() - in.pos;
  if (!count || static_cast<std::uint64_t>(*count) > left ||
      static_cast<std::size_t>(*count) * size_of(dtype) != left)
    in.fail("has " + std::to_string(left) + " bytes for " + format_type(dtype, shape));
  Tensor tensor(dtype, shape);
  const char* data = bytes.data() + in.pos;
  bool fortran = npy_header_value(header, "fortran_order", in) == "True";
  if (fortran && shape.size() > 1)
    copy_column_major_to_row_major(shape, size_of(dtype), data, static_cast<char*>(tensor.data()),
                                   tensor.size());
  else if (left)
    std::memcpy(tensor.data(), data, left);
  return tensor;
}

std::string to_npy(const Tensor& tensor) {
  std::string_view descr;
  for (const DTypeDescrPair& code : kNumpyDescrs)
    if (code.dtype == tensor.dtype() && descr.empty()) descr = code.descr;
  if (descr.empty())
    throw Error(ErrorCode::input,
                "npy: files cannot hold " + format_type(tensor.dtype(), tensor.shape()));
  std::string shape;
  for (std::int64_t d : tensor.shape())
    shape += std::to_string(d) + (tensor.shape().size() == 1 ? "," : ", ");
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  std::string header =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + std::string(static_cast<const char*>(tensor.data()), tensor.byte_size());
}

// ---- zip ----

struct ZipEntry {
  std::string name;
  std::uint16_t method = 0;
  std::uint64_t packed_size = 0, size = 0, offset = 0;
  std::uint32_t crc = 0;
};

// Replaces those sizes and offsets of a zip entry that do not fit into 32 bits by the 64-bit
// numbers in its extra field 1, which are in the order size, packed size, offset.
void read_zip64_sizes(ByteReader extra, ZipEntry& e) {
  while (extra.pos + 4 <= extra.bytes.size()) {
    auto id = extra.read_number<std::uint16_t>();
    ByteReader field{extra.read_bytes(extra.read_number<std::uint16_t>()), extra.file};
    if (id != 1) continue;
    for (std::uint64_t* value : {&e.size, &e.packed_size, &e.offset})
      if (*value == kMax32) *value = field.read_number<std::uint64_t>();
  }
}

ZipEntry read_zip_directory_entry(ByteReader& in) {
  ZipEntry e;
  if (in.read_number<std::uint32_t>() != kCentral) in.fail("its list of arrays is broken");
  in.read_bytes(6);
  e.method = in.read_number<std::uint16_t>();
  in.read_bytes(4);
  e.crc = in.read_number<std::uint32_t>();
  e.packed_size = in.read_number<std::uint32_t>();
  e.size = in.read_number<std::uint32_t>();
  auto name = in.read_number<std::uint16_t>(), extra = in.read_number<std::uint16_t>(),
       comment = in.read_number<std::uint16_t>();
  in.read_bytes(8);
  e.offset = in.read_number<std::uint32_t>();
  e.name = std::string(in.read_bytes(name));
  read_zip64_sizes({in.read_bytes(extra), in.file}, e);
  in.read_bytes(comment);
  return e;
}

std::vector<ZipEntry> read_zip_directory(std::string_view bytes, const std::string& file) {
  ByteReader in{bytes, file};
  if (bytes.size() < 22) in.fail("is not an .npz file");
  std::size_t at = bytes.size() - 22, lowest = at > 0xffff ? at - 0xffff : 0;
  std::uint32_t mark = 0;
  for (; std::memcpy(&mark, bytes.data() + at, 4), mark != kEnd; --at)
    if (at == lowest) in.fail("is not an .npz file");
  in.pos = at + 10;
  std::size_t count = in.read_number<std::uint16_t>();
  in.read_bytes(4);
  in.pos = in.read_number<std::uint32_t>();
  std::vector<ZipEntry> entries;
  std::uint64_t left = bytes.size();  // limits archives whose arrays share their bytes
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(read_zip_directory_entry(in));
    if (entries.back().packed_size > left)
      in.fail("the compressed arrays have more bytes than the file");
    left -= entries.back().packed_size;
  }
  return entries;
}

std::string read_zip_entry_content(std::string_view bytes, const ZipEntry& e,
                                   const std::string& label) {
  ByteReader in{bytes, label, e.offset};
  if (in.read_number<std::uint32_t>() != kLocal) in.fail("is not where the file says");
  in.read_bytes(22);
  auto name = in.read_number<std::uint16_t>(), extra = in.read_number<std::uint16_t>();
  in.read_bytes(std::size_t{name} + extra);
  std::string_view packed = in.read_bytes(e.packed_size);
  if (e.method != 0 && e.method != 8)
    in.fail("is compressed by method " + std::to_string(e.method));
  std::string plain = e.method == 8 ? inflate(packed, e.size, label) : std::string(packed);
  if (plain.size() != e.size || crc32(plain) != e.crc) in.fail("is damaged (its checksum differs)");
  return plain;
}

struct ByteWriter {
  std::string bytes;
  ByteWriter& write_u16(std::uint64_t v) { return write_int(v, 2); }
  ByteWriter& write_u32(std::uint64_t v) { return write_int(v, 4); }
  ByteWriter& write_int(std::uint64_t v, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(v >> (8 * i));
    return *this;
  }
};

// Writes the fields that the local and the central header of a zip entry share. The date is
// 1980-01-01, the earliest date that zip can store.
void write_zip_header_fields(ByteWriter& out, const ZipEntry& e) {
  out.write_u16(20)
      .write_u16(0x800)
      .write_u16(0)
      .write_u16(0)
      .write_u16(0x21)
      .write_u32(e.crc)
      .write_u32(e.size)
      .write_u32(e.size)
      .write_u16(e.name.size())
      .write_u16(0);
}

}  // namespace

NamedTensors parse_npz(std::string_view bytes, const std::string& name) {
  NamedTensors arrays;
  std::set<std::string> seen;
  for (const ZipEntry& e : read_zip_directory(bytes, name)) {
    std::string key = e.name.size() > 4 && e.name.rfind(".npy") == e.name.size() - 4
                          ? e.name.substr(0, e.name.size() - 4)
                          : e.name;
    std::string label = name + ": array '" + key + "'";
    if (!seen.insert(key).second) throw Error(ErrorCode::file, label + " is there twice");
    arrays.emplace_back(key, parse_npy(read_zip_entry_content(bytes, e, label), label));
  }
  return arrays;
}

NamedTensors read_npz(const std::string& path) {
  MappedFile file(path);
  return parse_npz(file.bytes(), base_name(path));
}

void write_npz(const std::string& path, const NamedTensors& arrays) {
  ByteWriter out, directory;
  for (auto& [key, tensor] : arrays) {
    std::string npy = to_npy(tensor);
    ZipEntry e{key + ".npy", 0, npy.size(), npy.size(), out.bytes.size(), crc32(npy)};
    if (e.size >= kMax32 || e.offset >= kMax32)
      throw Error(ErrorCode::file, base_name(path) + ": more than 4 GiB of results");
    out.write_u32(kLocal), write_zip_header_fields(out, e);
    out.bytes += e.name, out.bytes += npy;
    directory.write_u32(kCentral).write_u16(20), write_zip_header_fields(directory, e);
    directory.write_u16(0).write_u16(0).write_u16(0).write_u32(0).write_u32(e.offset);
    directory.bytes += e.name;
  }
  std::size_t at = out.bytes.size(), count = arrays.size();
  if (at >= kMax32 || directory.bytes.size() >= kMax32)
    throw Error(ErrorCode::file, base_name(path) + ": more than 4 GiB of results");
  if (count > 0xffff) throw Error(ErrorCode::file, base_name(path) + ": more than 65535 results");
  out.bytes += directory.bytes;
  out.write_u32(kEnd)
      .write_u16(0)
      .write_u16(0)
      .write_u16(count)
      .write_u16(count)
      .write_u32(directory.bytes.size())
      .write_u32(at)
      .write_u16(0);
  write_atomically(path, out.bytes);
}

}  // namespace oarlock
