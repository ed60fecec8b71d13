#include "paddle/params.h"

#include <cstring>

#include "base/wire_reader.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

constexpr std::uint64_t kMaxLevels = 16;
constexpr std::size_t kMaxDesc = 1024;
constexpr std::size_t kMaxRank = 32;

/// One walk over the file; `at` never passes the end.
struct Walk {
  const std::string& file;
  std::string_view bytes;
  std::size_t at = 0;
  std::string record;  // which one is being read, for messages

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Fault::file,
                file + ": " + why + " (" + record + " at byte " + std::to_string(at) + ")");
  }

  std::string_view take(std::uint64_t length, const char* what) {
    if (length > bytes.size() - at)
      fail(std::string(what) + " takes " + std::to_string(length) + " bytes, " +
           std::to_string(bytes.size() - at) + " are left");
    std::string_view piece = bytes.substr(at, length);
    at += length;
    return piece;
  }

  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  void version(const char* what) {
    auto found = number<std::uint32_t>(what);
    if (found != 0) fail(std::string(what) + " is " + std::to_string(found) + ", only 0 is known");
  }

  void levels() {
    auto count = number<std::uint64_t>("level count");
    if (count > kMaxLevels) fail(std::to_string(count) + " LoD levels");
    for (std::uint64_t i = 0; i < count; ++i) take(number<std::uint64_t>("level size"), "level");
  }

  void desc(Param& p) {
    auto length = number<std::int32_t>("description size");
    if (length < 0 || static_cast<std::size_t>(length) > kMaxDesc)
      fail("description of " + std::to_string(length) + " bytes");
    Source source{file, bytes.data()};
    for (Wire w(source, take(static_cast<std::uint64_t>(length), "description"), "TensorDesc");
         w.next();) {
      if (w.field() == 1)
        p.dtype = static_cast<DType>(w.int32());
      else if (w.field() == 2)
        w.each_int64([&](auto d) { p.shape.push_back(d); });
      else
        w.skip();
    }
    if (static_cast<int>(p.dtype) == 19) p.dtype = DType::int64;  // SIZE_T has the same bits
    if (!row_of(p.dtype)) fail("unknown dtype " + std::to_string(static_cast<int>(p.dtype)));
    if (p.shape.size() > kMaxRank) fail("rank " + std::to_string(p.shape.size()));
  }

  Param next(const std::string& name) {
    Param p;
    p.name = name;
    version("LoD version");
    levels();
    version("tensor version");
    desc(p);
    auto count = element_count(p.shape);
    std::int64_t length = 0;
    if (!count ||
        __builtin_mul_overflow(*count, static_cast<std::int64_t>(size_of(p.dtype)), &length))
      fail("shape " + show(p.shape) + " is not one of a stored tensor");
    p.offset = at;
    p.length = take(static_cast<std::uint64_t>(length), show(p.dtype, p.shape).c_str()).size();
    return p;
  }
};

}  // namespace

Params::Params(std::string_view bytes, const Program& program, const std::string& file)
    : bytes_(bytes), file_(file) {
  Walk walk{file_, bytes, 0, ""};
  auto vars = program.persistables();
  all_.reserve(vars.size());
  for (std::size_t i = 0; i < vars.size(); ++i) {
    walk.record = "record " + std::to_string(i) + " of " + std::to_string(vars.size()) + ", '" +
                  vars[i]->name + "'";
    all_.push_back(walk.next(vars[i]->name));
  }
  walk.record = "after " + std::to_string(vars.size()) + " records";
  if (walk.at != bytes.size())
    walk.fail(std::to_string(bytes.size() - walk.at) + " bytes are left over");
  for (std::size_t i = 0; i < all_.size(); ++i) index_.emplace(all_[i].name, i);
}

const Param* Params::find(std::string_view name) const {
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &all_[found->second];
}

}  // namespace oarlock
