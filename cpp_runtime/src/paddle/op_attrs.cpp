#include "paddle/op_attrs.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace oarlock {
namespace {

constexpr std::int64_t kMaxRank = 32;
constexpr std::int64_t kMaxWindow = 1 << 20;
constexpr std::int64_t kMaxCount = 4096;
constexpr std::size_t kMaxNumbers = 2 * kMaxRank;

enum ValueKind {
  any,
  axis,
  window,
  count,
  number
};  // number: text that Paddle 1.8 wrote as a FLOAT

struct AttrRow {
  std::string_view op, attr;
  AttrType type;
  ValueKind kind;
};

using enum AttrType;
constexpr AttrRow kRows[] = {
#include "paddle/op_attrs.inc"
};

const AttrRow* find_row(std::string_view op, std::string_view attr) {
  auto key = [](const AttrRow& row) { return std::tuple(row.op, row.attr); };
  const AttrRow* found = std::ranges::lower_bound(kRows, std::tuple(op, attr), {}, key);
  return found != std::end(kRows) && found->op == op && found->attr == attr ? found : nullptr;
}

bool is_int(AttrType type) { return type == INT || type == LONG || type == BOOLEAN; }
bool is_number(AttrType type) { return is_int(type) || type == FLOAT || type == FLOAT64; }
bool is_int_list(AttrType type) { return type == INTS || type == LONGS || type == BOOLEANS; }
bool is_number_list(AttrType type) {
  return is_int_list(type) || type == FLOATS || type == FLOAT64S;
}

/// Whether a file may store type `found` for an attribute declared as `wanted`. Versions of Paddle
/// write different integer and float widths.
bool is_accepted(AttrType found, AttrType wanted) {
  if (is_int(wanted)) return is_int(found);
  if (is_number(wanted)) return is_number(found);
  if (is_int_list(wanted)) return is_int_list(found);
  if (is_number_list(wanted)) return is_number_list(found);
  if (wanted == SCALAR) return is_number(found) || found == SCALAR;
  if (wanted == SCALARS) return is_number_list(found) || found == SCALARS;
  return found == wanted;
}

/// The list type of a scalar type; `type` itself if there is none.
AttrType list_type(AttrType type) {
  switch (type) {
    case INT:
      return INTS;
    case LONG:
      return LONGS;
    case BOOLEAN:
      return BOOLEANS;
    case FLOAT:
      return FLOATS;
    case FLOAT64:
      return FLOAT64S;
    case STRING:
      return STRINGS;
    case SCALAR:
      return SCALARS;
    default:
      return type;
  }
}

bool has_at_most_one_element(const Attr& attr) {
  if (auto* ints = std::get_if<Ints>(&attr.value)) return ints->size() <= 1;
  if (auto* floats = std::get_if<Floats>(&attr.value)) return floats->size() <= 1;
  if (auto* texts = std::get_if<Strings>(&attr.value)) return texts->size() <= 1;
  if (auto* scalars = std::get_if<Scalars>(&attr.value)) return scalars->size() <= 1;
  return false;
}

/// Whether the attribute is a number where a list is declared, or a one-element list where a number
/// is declared. Some versions of Paddle write these.
bool is_scalar_or_singleton(const Attr& attr, AttrType wanted) {
  AttrType list = list_type(attr.type);
  if (list != attr.type) return is_accepted(list, wanted);
  list = list_type(wanted);
  return list != wanted && is_accepted(attr.type, list) && has_at_most_one_element(attr);
}

std::string range_problem(ValueKind kind, const std::string& name, std::int64_t value) {
  std::string text = "attribute '" + name + "' ";
  if (kind == axis && (value < -kMaxRank || value >= kMaxRank))
    return text + "is " + std::to_string(value) + "; a tensor has at most " +
           std::to_string(kMaxRank) + " axes";
  std::int64_t largest = kind == window ? kMaxWindow : kMaxCount;
  if (kind != axis && (value < -largest || value > largest))
    return text + "holds " + std::to_string(value) + ", which is larger than " +
           std::to_string(largest);
  return "";
}

}  // namespace

std::string op_attr_problem(const std::string& op, const std::string& name, const Attr& attr) {
  if (attr.type == VAR || attr.type == VARS) return "";
  const AttrRow* row = find_row(op, name);
  if (!row) return "";
  bool accepted =
      is_accepted(attr.type, row->type) || (row->kind == number && is_number(attr.type));
  if (!accepted && !is_scalar_or_singleton(attr, row->type))
    return "attribute '" + name + "' has type " + std::string(name_of(attr.type)) + ", but " +
           std::string(name_of(row->type)) + " is expected";
  if (row->kind == any || row->kind == number) return "";
  if (auto* value = std::get_if<std::int64_t>(&attr.value))
    return range_problem(row->kind, name, *value);
  auto* values = std::get_if<Ints>(&attr.value);
  if (values && values->size() > kMaxNumbers && row->kind != count)
    return "attribute '" + name + "' has " + std::to_string(values->size()) +
           " elements, more than " + std::to_string(kMaxNumbers);
  if (values)
    for (std::int64_t value : *values)
      if (auto problem = range_problem(row->kind, name, value); !problem.empty()) return problem;
  return "";
}

}  // namespace oarlock
