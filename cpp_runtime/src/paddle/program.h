// Programs as plain data: blocks of ops on named variables, as stored in a `.pdmodel`.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "oarlock/dim_range.h"
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

/// The largest rank of a tensor.
inline constexpr std::int64_t kMaxRank = 32;

/// The name of an attribute type in framework.proto.
std::string_view attr_type_name(AttrType type);

/// The kind of a variable; values are those of `VarType.type`.
enum class VarKind : std::int32_t {
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
  VarKind kind = VarKind::dense;
  bool persistable = false;
  std::int64_t lod_level = 0;  // 1: the rows are packed sequences
  bool is_parameter = false;
  bool stop_gradient = false;
};

/// A scalar attribute of any type.  Integers and bools keep their exact value in `i`.
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

/// The value of an attribute.  INT, LONG, BLOCK: int64; FLOAT, FLOAT64: double; VAR: the variable's
/// name; BOOLEANS, BLOCKS: Ints; VARS: names.
struct Attr {
  AttrType type = AttrType::INT;
  std::variant<std::int64_t, double, bool, std::string, Ints, Floats, Strings, Scalar, Scalars>
      value;
  bool operator==(const Attr&) const = default;
};

/// The elements of an attribute, a number as one element; nullopt for text and blocks.
std::optional<Scalars> attr_to_scalars_or_nullopt(const Attr& attr);

/// The number of elements of a list attribute; nullopt if it is no list.
std::optional<std::size_t> list_size_or_nullopt(const Attr& attr);

using Slots = std::map<std::string, Strings, std::less<>>;

struct OpDesc {
  std::string type;
  Slots inputs, outputs;
  std::map<std::string, Attr, std::less<>> attrs;
  std::string location;  // the user's source line, "" if unknown
};

struct Block {
  Block() = default;
  Block(Block&&) = default;  // not copyable: `index` views the names in `vars`
  Block& operator=(Block&&) = default;

  std::int32_t idx = 0;
  std::int32_t parent = -1;
  std::vector<VarDesc> vars;
  std::vector<OpDesc> ops;
  std::map<std::string_view, std::size_t>
      index;  // index of `vars` by name; filled by validate_and_fill_variable_indices()
};

/// The name and the range of a dynamic dimension of an input.
struct NamedDim {
  std::int64_t axis = 0;
  std::string name;
  DimRange range;
};

struct ContractInputOrOutput {
  std::string name;
  DType dtype = DType::none;
  Ints shape;
  std::string path;
  std::vector<NamedDim> named_dims = {};
};

struct Guard {
  std::string kind;  // dim | rank | value
  std::string var;
  std::int64_t axis = 0;
  std::string expected;  // Python repr of an int, float, bool or list, or `fnv1a64:` and the digest
                         // of a large tensor
  std::string reader, location, text;
};

struct Contract {
  std::int32_t version = 0;
  std::vector<ContractInputOrOutput> inputs, outputs;
  std::string output_tree;
  std::vector<Guard> guards;
  std::string producer, verified;
  std::string bytes;  // the serialized message
};

struct Program {
  std::string name;  // name of the file, for messages
  std::vector<Block> blocks;
  std::int64_t version = 0;
  std::optional<Contract> contract;

  /// The declaration of `name` visible from `block`, including enclosing blocks; null if there is
  /// none.
  const VarDesc* find_var(std::string_view name, std::int32_t block = 0) const;
  /// The variables stored in `.pdiparams`, of all blocks, in file order (sorted by name).
  std::vector<const VarDesc*> persistables_in_file_order() const;
  /// Names of the inputs and outputs, ordered by the `col` of their feed and fetch ops.
  Strings feed_names() const;
  Strings fetch_names() const;
};

/// The variable names in a slot; empty if the op does not have it.
const Strings& variable_names_in_slot(const Slots& slots, std::string_view slot);

/// The value of an integer attribute, or `default_value` if the op has none of that type.
std::int64_t int_attr(const OpDesc& op, std::string_view name, std::int64_t default_value);

/// Calls `visit` with the name of each variable that an op itself reads: its inputs, and the
/// attributes that name variables; not those that its sub-blocks read.
template <class Visit>
void for_each_directly_read_name(const OpDesc& op, const Visit& visit) {
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names) visit(name);
  for (auto& [attr, value] : op.attrs) {
    if (value.type == AttrType::VAR) visit(std::get<std::string>(value.value));
    if (value.type == AttrType::VARS)
      for (const std::string& name : std::get<Strings>(value.value)) visit(name);
  }
}

/// Whether an op runs a sub-block.
bool has_sub_block(const OpDesc& op);

/// The members of a range in JSON: `"min": 32, "max": 1280, "multiple": 32`.
std::string format_range_json_fields(const DimRange& range);

/// A tensor type as text: `float32[2,?]`.
std::string format_type(DType dtype, const Ints& shape);
/// `[2,?]`
std::string format_shape(const Ints& shape);

}  // namespace oarlock
