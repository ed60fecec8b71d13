// Reads attributes: the stored type must match the requested one, except for the width of numbers.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/node_context.h"

namespace oarlock {

const oarlock::Attr* NodeContext::find_attr(std::string_view name) const {
  auto stored = op_.attrs.find(name);
  return stored == op_.attrs.end() ? nullptr : &stored->second;
}

bool NodeContext::has_attr(std::string_view name) const { return find_attr(name) != nullptr; }

bool NodeContext::has_float_attr(std::string_view name) const {
  const oarlock::Attr* stored = find_attr(name);
  return stored && (stored->type == AttrType::FLOAT || stored->type == AttrType::FLOAT64);
}

void NodeContext::fail_attr_type(std::string_view name, const oarlock::Attr& stored,
                                 std::string_view expected) const {
  std::string text = "attribute '" + std::string(name) + "' ";
  if (stored.type == AttrType::VAR || stored.type == AttrType::VARS)
    fail(text + "is a tensor, which has no lowering here");
  fail(text + "is " + std::string(attr_type_name(stored.type)) + " where " + std::string(expected) +
       " belongs");
}

template <class T>
T NodeContext::read_attr_or_default(std::string_view name, T default_value,
                                    std::string_view expected) const {
  const oarlock::Attr* stored = find_attr(name);
  if (!stored) return default_value;
  bool tensor = stored->type == AttrType::VAR || stored->type == AttrType::VARS;
  const T* value = tensor ? nullptr : std::get_if<T>(&stored->value);
  if (!value) fail_attr_type(name, *stored, expected);
  return *value;
}

std::int64_t NodeContext::attr(std::string_view name, std::int64_t default_value) const {
  const oarlock::Attr* stored = find_attr(name);
  if (stored && stored->type == AttrType::SCALAR) {
    const Scalar& s = std::get<Scalar>(stored->value);
    if (s.type == Scalar::Type::int64 || s.type == Scalar::Type::boolean) return s.i;
  }
  constexpr std::int64_t limit = std::int64_t{1} << 61;  // so that sums of a few do not overflow
  std::int64_t value = read_attr_or_default(name, default_value, "INT or LONG");
  require(value > -limit && value < limit,
          "attribute '" + std::string(name) + "' is " + std::to_string(value));
  return value;
}

double NodeContext::attr(std::string_view name, double default_value) const {
  const oarlock::Attr* stored = find_attr(name);
  if (stored && stored->type == AttrType::SCALAR)
    return std::get<Scalar>(stored->value).as_double();
  return read_attr_or_default(name, default_value, "FLOAT");
}

float NodeContext::attr(std::string_view name, float default_value) const {
  return static_cast<float>(attr(name, static_cast<double>(default_value)));
}

bool NodeContext::attr(std::string_view name, bool default_value) const {
  return read_attr_or_default(name, default_value, "BOOLEAN");
}
std::string NodeContext::attr(std::string_view name, const char* default_value) const {
  return read_attr_or_default(name, std::string(default_value), "STRING");
}
Ints NodeContext::attr(std::string_view name, const Ints& default_value) const {
  return read_attr_or_default(name, default_value, "INTS or LONGS");
}
Floats NodeContext::attr(std::string_view name, const Floats& default_value) const {
  return read_attr_or_default(name, default_value, "FLOATS");
}
Strings NodeContext::attr(std::string_view name, const Strings& default_value) const {
  return read_attr_or_default(name, default_value, "STRINGS");
}
Scalars NodeContext::attr(std::string_view name, const Scalars& default_value) const {
  return read_attr_or_default(name, default_value, "SCALARS");
}

DType NodeContext::attr(std::string_view name, DType default_value) const {
  std::int64_t number = attr(name, static_cast<std::int64_t>(default_value));
  if (number == -1 || number == static_cast<std::int64_t>(default_value)) return default_value;
  auto stored = static_cast<DType>(number);
  require(find_dtype_row(stored),
          "attribute '" + std::string(name) + "' names unknown dtype " + std::to_string(number));
  return stored;
}

Value NodeContext::value_of_variable_attr_or_empty(std::string_view name) const {
  const oarlock::Attr* stored = find_attr(name);
  if (!stored || stored->type != AttrType::VAR) return {};
  return graph_.require_value_or_add_weight(std::get<std::string>(stored->value), op_);
}

Values NodeContext::values_of_variable_list_attr(std::string_view name) const {
  const oarlock::Attr* stored = find_attr(name);
  Values all;
  if (stored && stored->type == AttrType::VARS)
    for (const std::string& var : std::get<Strings>(stored->value))
      all.push_back(graph_.require_value_or_add_weight(var, op_));
  return all;
}

std::int64_t NodeContext::normalized_axis_attr(std::string_view name, std::int64_t default_value,
                                               int rank) const {
  int span = std::max(rank, 1);  // a 0-D tensor counts as one axis
  std::int64_t axis = attr(name, default_value), from_front = axis < 0 ? axis + span : axis;
  require(from_front >= 0 && from_front < span, "attribute '" + std::string(name) + "' is " +
                                                    std::to_string(axis) + " for rank " +
                                                    std::to_string(rank));
  return from_front;
}

}  // namespace oarlock
