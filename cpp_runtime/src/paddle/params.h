// Reader of `.pdiparams` files: consecutive records whose names come from the program.  Only
// headers are read, not the weights.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/program.h"

namespace oarlock {

struct ParamRecord {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  std::size_t offset = 0;  // of the data in the file
  std::size_t length = 0;
};

class Params {
 public:
  Params() = default;
  /// Reads the records of `bytes`, which must contain exactly one per persistable variable of
  /// `program`. file: for messages.  Throws Error(file).
  Params(std::string_view bytes, const Program& program, const std::string& file);

  const std::vector<ParamRecord>& all() const { return all_; }
  const ParamRecord* find(std::string_view name) const;
  std::string_view data(const ParamRecord& p) const { return bytes_.substr(p.offset, p.length); }

 private:
  std::string_view bytes_;
  std::string file_;
  std::vector<ParamRecord> all_;
  std::map<std::string_view, std::size_t> index_;
};

}  // namespace oarlock
