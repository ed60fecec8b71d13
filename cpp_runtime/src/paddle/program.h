// A program: blocks of ops on named variables, exactly what a `.pdmodel` can say.  Plain data, no
// behaviour of ops.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "oarlock/dtype.h"

namespace oarlock {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

enum class AttrType : std::int32_t {
  INT = 0,
  FLOAT = 1,
  STRING = 2,
  INTS = 3,
  FLOATS = 4,
  STRINGS = 5,
  BOOLEAN = 6,
  BOOLEANS = 7,
  BLOCK = 8,
  LONG = 9,
  BLOCKS = 10,
  LONGS = 11,
  FLOAT64S = 12,
  VAR = 13,
  VARS = 14,
  FLOAT64 = 15,
  SCALAR = 16,
  SCALARS = 17,
};
inline constexpr std::int32_t kAttrTypes = 18;

/// The name of an attribute's type as framework.proto spells it.
std::string_view name_of(AttrType type);

/// What a variable is, with the number that `VarType.type` uses.
enum class Kind : std::int32_t {
  dense = 7,  // LOD_TENSOR, called DENSE_TENSOR since 3.0
  selected_rows = 8,
  feed = 9,
  fetch = 10,
  step_scopes = 11,
  rank_table = 12,
  array = 13,
  reader = 15,
  raw = 17,
  strings = 26,
  vocab = 27,
};

struct VarDesc {
  std::string name;
  Ints shape;  // -1 for unknown
  DType dtype = DType::none;
  Kind kind = Kind::dense;
  bool persistable = false;
  std::int64_t lod_level = 0;  // 1: rows are packed sequences
};

/// A number of whatever type was written.   An integer or a bool keeps its exact value in `i`.
struct Scalar {
  enum class Type {
    none = 0,
    boolean = 1,
    int64 = 2,
    float64 = 3,
    complex128 = 4
  } type = Type::none;
  std::int64_t i = 0;
  double r = 0;
  double imag = 0;
  double as_double() const {
    return type == Type::boolean || type == Type::int64 ? static_cast<double>(i) : r;
  }
  bool operator==(const Scalar&) const = default;
};
using Scalars = std::vector<Scalar>;

/// INT, LONG, BLOCK: int64; FLOAT, FLOAT64: double; VAR: the variable's name; BOOLEANS, BLOCKS:
/// Ints; VARS: names.
struct Attr {
  AttrType type = AttrType::INT;
  std::variant<std::int64_t, double, bool, std::string, Ints, Floats, Strings, Scalar, Scalars>
      value;
  bool operator==(const Attr&) const = default;
};

using Slots = std::map<std::string, Strings, std::less<>>;

struct OpDesc {
  std::string type;
  Slots inputs, outputs;
  std::map<std::string, Attr, std::less<>> attrs;
  std::string where;  // the user's line, "" if not known
};

struct Block {
  Block() = default;
  Block(Block&&) = default;  // never copied: `index` views the names in `vars`
  Block& operator=(Block&&) = default;

  std::int32_t idx = 0;
  std::int32_t parent = -1;
  std::vector<VarDesc> vars;
  std::vector<OpDesc> ops;
  std::map<std::string_view, std::size_t> index;  // of vars by name; filled by validate()
};

struct Arg {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  std::string path;
};

struct Guard {
  std::string kind;  // dim | rank | value
  std::string var;
  std::int64_t axis = 0;
  std::string expected;  // Python's repr of an int, float or bool
  std::string reader, where, text;
};

struct Contract {
  std::int32_t version = 0;
  std::vector<Arg> inputs, outputs;
  std::string output_tree;
  std::vector<Guard> guards;
  std::string producer, verified;
  std::string bytes;  // the message as it was written
};

struct Program {
  std::string name;  // of the file, for messages
  std::vector<Block> blocks;
  std::int64_t version = 0;
  std::optional<Contract> contract;

  /// The declaration of `name` seen from `block`, enclosing blocks included, or null.
  const VarDesc* var(std::string_view name, std::int32_t block = 0) const;
  /// The variables whose values live in `.pdiparams`, in the order of the file: sorted by name,
  /// every block.
  std::vector<const VarDesc*> persistables() const;
  /// Names of the inputs and of the outputs, ordered by the `col` of their feed and fetch ops.
  Strings feeds() const;
  Strings fetches() const;
};

/// The value of an integer attribute, or `otherwise` where there is none of that type.
std::int64_t int_attr(const OpDesc& op, std::string_view name, std::int64_t otherwise);

/// Whether an op runs a block: once for all, or never, or many times.
bool has_block(const OpDesc& op);

/// `float32[2,?]`: what a message shows of a tensor.
std::string show(DType dtype, const Ints& shape);
/// `[2,?]`
std::string show(const Ints& shape);

}  // namespace oarlock
