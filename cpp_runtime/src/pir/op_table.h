// The operations of PIR's dialect pd_op that have an equivalent op in a `.pdmodel`, with the names
// of operands, results and attributes in a `.pdmodel`.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "paddle/program.h"

namespace oarlock::pir {

/// Marks of `ops.inc` in place of names.  kVarAttr: the value of a mutable attribute is read from
/// the variable that a VAR attribute names.  kWithoutEffect: an attribute that does not change
/// results. kOnlyDefault: an attribute of which only the default is supported.
inline constexpr std::string_view kVarAttr = "@", kWithoutEffect = "-", kOnlyDefault = "!";

/// An operand.  Either `slot` is set, or `attr`: a mutable attribute, which `.pdmodel` stores as an
/// attribute or reads from a tensor.
struct OperandSpec {
  std::string_view name;
  std::string_view slot;  // "" for an operand without an equivalent: an optional one must be
                          // absent, others are dropped
  std::string_view attr;
  std::string_view attr_type;     // ints, scalar, i32, i64, f32, f64
  std::string_view tensor_slot;   // of one tensor with the value, or kVarAttr
  std::string_view tensors_slot;  // of one tensor per element
  bool is_list = false;
  bool is_optional = false;
  std::string_view default_value;  // of a mutable attribute; "" if it has none
};

struct ResultSpec {
  std::string_view name;
  std::string_view slot;  // "" for a result without an equivalent
  bool is_list = false;
  bool is_optional = false;
};

/// type: bool i32 i64 f32 f64 str dtype ints scalar, with [] for lists, as files of version 1 write
/// it.
struct AttrSpec {
  std::string_view name;
  std::string_view legacy_name;  // or kWithoutEffect, kOnlyDefault
  std::string_view type;
  std::string_view default_value;  // "" if it has none
  bool is_in_version_1 = true;
  bool is_legacy_only = false;  // `.pdmodel` requires it; it always has the default
};

struct OpSpec {
  std::string_view name;
  std::vector<OperandSpec> operands;
  std::vector<ResultSpec> results;
  std::vector<AttrSpec> attrs;  // in the order of files
  std::string_view legacy_type;
  int since = 1;  // the first version of files that has the operation
};

/// The specification of an operation; null if it has no equivalent. An operation in place, whose
/// name ends in `_`, has the specification of the operation without `_`.
const OpSpec* find_op_spec(std::string_view name);

/// The specifications with an op type of `.pdmodel`, the oldest first; empty if there are none.
const std::vector<const OpSpec*>& op_specs_of_legacy_type(std::string_view type);

/// The default value of an attribute; nullopt if it has none.
std::optional<Attr> parse_default(const AttrSpec& spec);

/// All specifications, sorted by name.
const std::vector<OpSpec>& op_specs();

}  // namespace oarlock::pir
