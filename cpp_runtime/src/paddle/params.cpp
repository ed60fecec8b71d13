#include "paddle/params.h"

#include <cstring>
#include <utility>

#include "base/wire_reader.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

constexpr std::uint64_t kMaxLodLevels = 16;
constexpr std::size_t kMaxDescBytes = 1024;

/// Reads records in sequence; `pos` never passes the end.
struct RecordReader {
  const std::string& file;
  std::string_view bytes;
  std::size_t pos = 0;
  std::string record_label;  // the record that is read, for messages

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file,
                file + ": " + why + " (" + record_label + " at byte " + std::to_string(pos) + ")");
  }

  std::string_view read_bytes(std::uint64_t length, const char* what) {
    if (length > bytes.size() - pos)
      fail(std::string(what) + " takes " + std::to_string(length) + " bytes, " +
           std::to_string(bytes.size() - pos) + " are left");
    std::string_view payload = bytes.substr(pos, length);
    pos += length;
    return payload;
  }

  template <class T>
  T read_number(const char* what) {
    T value;
    std::memcpy(&value, read_bytes(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  void read_and_check_version(const char* what) {
    auto version = read_number<std::uint32_t>(what);
    if (version != 0)
      fail(std::string(what) + " is " + std::to_string(version) + ", only 0 is known");
  }

  void skip_lod() {
    auto count = read_number<std::uint64_t>("level count");
    if (count > kMaxLodLevels) fail(std::to_string(count) + " LoD levels");
    for (std::uint64_t i = 0; i < count; ++i)
      read_bytes(read_number<std::uint64_t>("level size"), "level");
  }

  void read_tensor_desc_into(ParamRecord& p) {
    auto length = read_number<std::int32_t>("description size");
    if (length < 0 || static_cast<std::size_t>(length) > kMaxDescBytes)
      fail("description of " + std::to_string(length) + " bytes");
    WireSourceFile source{file, bytes.data()};
    for (WireReader w(source, read_bytes(static_cast<std::uint64_t>(length), "description"),
                      "TensorDesc");
         w.next();) {
      if (w.field_number() == 1)
        p.dtype = static_cast<DType>(w.int32());
      else if (w.field_number() == 2)
        w.for_each_int64([&](auto d) { p.shape.push_back(d); });
      else
        w.skip();
    }
    if (static_cast<int>(p.dtype) == 19) p.dtype = DType::int64;  // SIZE_T has the same bits
    if (!find_dtype_row(p.dtype))
      fail("unknown dtype " + std::to_string(static_cast<int>(p.dtype)));
    if (std::cmp_greater(p.shape.size(), kMaxRank)) fail("rank " + std::to_string(p.shape.size()));
  }

  ParamRecord read_record(const std::string& name) {
    ParamRecord p;
    p.name = name;
    read_and_check_version("LoD version");
    skip_lod();
    read_and_check_version("tensor version");
    read_tensor_desc_into(p);
    auto count = element_count(p.shape);
    std::int64_t length = 0;
    if (!count ||
        __builtin_mul_overflow(*count, static_cast<std::int64_t>(size_of(p.dtype)), &length))
      fail("shape " + format_shape(p.shape) + " is not one of a stored tensor");
    p.offset = pos;
    p.length = read_bytes(static_cast<std::uint64_t>(length), format_type(p.dtype, p.shape).c_str())
                   .size();
    return p;
  }
};

}  // namespace

Params::Params(std::string_view bytes, const Program& program, const std::string& file)
    : bytes_(bytes), file_(file) {
  RecordReader reader{file_, bytes, 0, ""};
  auto vars = program.persistables_in_file_order();
  all_.reserve(vars.size());
  for (std::size_t i = 0; i < vars.size(); ++i) {
    reader.record_label = "record " + std::to_string(i) + " of " + std::to_string(vars.size()) +
                          ", '" + vars[i]->name + "'";
    all_.push_back(reader.read_record(vars[i]->name));
  }
  reader.record_label = "after " + std::to_string(vars.size()) + " records";
  if (reader.pos != bytes.size())
    reader.fail(std::to_string(bytes.size() - reader.pos) + " bytes are left over");
  for (std::size_t i = 0; i < all_.size(); ++i) index_.emplace(all_[i].name, i);
}

const ParamRecord* Params::find(std::string_view name) const {
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &all_[found->second];
}

}  // namespace oarlock
