#include "paddle/op_attr_checks.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace oarlock {
namespace {

constexpr std::int64_t kMaxWindow = 1 << 20;
constexpr std::int64_t kMaxCount = 4096;
constexpr std::size_t kMaxNumbers = 2 * kMaxRank;

enum AttrRangeClass {
  any,
  axis,
  window,
  count,
  number
};  // number: text that Paddle 1.8 wrote as a FLOAT

struct AttrRow {
  std::string_view op, attr;
  AttrType type;
  AttrRangeClass value_kind;
};

using enum AttrType;
constexpr AttrRow kRows[] = {
#include "paddle/op_attr_table.inc"
};

const AttrRow* find_attr_row(std::string_view op, std::string_view attr) {
  auto key = [](const AttrRow& row) { return std::tuple(row.op, row.attr); };
  const AttrRow* it = std::ranges::lower_bound(kRows, std::tuple(op, attr), {}, key);
  return it != std::end(kRows) && it->op == op && it->attr == attr ? it : nullptr;
}

bool is_int_or_bool_type(AttrType type) { return type == INT || type == LONG || type == BOOLEAN; }
bool is_number_or_bool_type(AttrType type) {
  return is_int_or_bool_type(type) || type == FLOAT || type == FLOAT64;
}
bool is_int_or_bool_list_type(AttrType type) {
  return type == INTS || type == LONGS || type == BOOLEANS;
}
bool is_number_or_bool_list_type(AttrType type) {
  return is_int_or_bool_list_type(type) || type == FLOATS || type == FLOAT64S;
}

/// Whether a file may store type `stored` for an attribute declared as `declared`. Versions of
/// Paddle write different integer and float widths.
bool is_accepted_type(AttrType stored, AttrType declared) {
  if (is_int_or_bool_type(declared)) return is_int_or_bool_type(stored);
  if (is_number_or_bool_type(declared)) return is_number_or_bool_type(stored);
  if (is_int_or_bool_list_type(declared)) return is_int_or_bool_list_type(stored);
  if (is_number_or_bool_list_type(declared)) return is_number_or_bool_list_type(stored);
  if (declared == SCALAR) return is_number_or_bool_type(stored) || stored == SCALAR;
  if (declared == SCALARS) return is_number_or_bool_list_type(stored) || stored == SCALARS;
  return stored == declared;
}

/// The list type of a scalar type; `type` itself if there is none.
AttrType list_attr_type_of_scalar(AttrType type) {
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

/// Whether the attribute is a scalar where a list is declared, or a list of at most one element
/// where a scalar is declared. Some versions of Paddle write these.
bool is_accepted_scalar_list_swap(const Attr& attr, AttrType declared) {
  AttrType list = list_attr_type_of_scalar(attr.type);
  if (list != attr.type) return is_accepted_type(list, declared);
  list = list_attr_type_of_scalar(declared);
  return list != declared && is_accepted_type(attr.type, list) &&
         list_size_or_nullopt(attr).value_or(2) <= 1;
}

std::string find_range_problem(AttrRangeClass value_kind, const std::string& name,
                               std::int64_t value) {
  std::string text = "attribute '" + name + "' ";
  if (value_kind == axis && (value < -kMaxRank || value >= kMaxRank))
    return text + "is " + std::to_string(value) + "; a tensor has at most " +
           std::to_string(kMaxRank) + " axes";
  std::int64_t largest = value_kind == window ? kMaxWindow : kMaxCount;
  if (value_kind != axis && (value < -largest || value > largest))
    return text + "holds " + std::to_string(value) + ", which is larger than " +
           std::to_string(largest);
  return "";
}

}  // namespace

std::optional<AttrType> declared_attr_type(std::string_view op, std::string_view name) {
  const AttrRow* row = find_attr_row(op, name);
  return row ? std::optional(row->type) : std::nullopt;
}

std::string find_attr_type_or_range_problem(const std::string& op, const std::string& name,
                                            const Attr& attr) {
  if (attr.type == VAR || attr.type == VARS) return "";
  const AttrRow* row = find_attr_row(op, name);
  if (!row) return "";
  bool accepted = is_accepted_type(attr.type, row->type) ||
                  (row->value_kind == number && is_number_or_bool_type(attr.type));
  if (!accepted && !is_accepted_scalar_list_swap(attr, row->type))
    return "attribute '" + name + "' has type " + std::string(attr_type_name(attr.type)) +
           ", but " + std::string(attr_type_name(row->type)) + " is expected";
  if (row->value_kind == any || row->value_kind == number) return "";
  if (auto* value = std::get_if<std::int64_t>(&attr.value))
    return find_range_problem(row->value_kind, name, *value);
  auto* values = std::get_if<Ints>(&attr.value);
  if (values && values->size() > kMaxNumbers && row->value_kind != count)
    return "attribute '" + name + "' has " + std::to_string(values->size()) +
           " elements, more than " + std::to_string(kMaxNumbers);
  if (values)
    for (std::int64_t value : *values)
      if (auto problem = find_range_problem(row->value_kind, name, value); !problem.empty())
        return problem;
  return "";
}

}  // namespace oarlock
