// Reads attributes: the stored type must match the requested one, except for the width of numbers.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/node_context.h"

namespace oarlock {

const oarlock::Attr* NodeContext::find_attr(std::string_view name) const {
  auto found = op_.attrs.find(name);
  return found == op_.attrs.end() ? nullptr : &found->second;
}

bool NodeContext::has_attr(std::string_view name) const { return find_attr(name) != nullptr; }

bool NodeContext::has_float_attr(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  return found && (found->type == AttrType::FLOAT || found->type == AttrType::FLOAT64);
}

void NodeContext::fail_attr_type(std::string_view name, const oarlock::Attr& found,
                                 std::string_view wanted) const {
  std::string text = "attribute '" + std::string(name) + "' ";
  if (found.type == AttrType::VAR || found.type == AttrType::VARS)
    fail(text + "is a tensor, which has no lowering here");
  fail(text + "is " + std::string(name_of(found.type)) + " where " + std::string(wanted) +
       " belongs");
}

template <class T>
T NodeContext::read_attr(std::string_view name, T default_value, std::string_view wanted) const {
  const oarlock::Attr* found = find_attr(name);
  if (!found) return default_value;
  bool tensor = found->type == AttrType::VAR || found->type == AttrType::VARS;
  const T* value = tensor ? nullptr : std::get_if<T>(&found->value);
  if (!value) fail_attr_type(name, *found, wanted);
  return *value;
}

std::int64_t NodeContext::attr(std::string_view name, std::int64_t default_value) const {
  const oarlock::Attr* found = find_attr(name);
  if (found && found->type == AttrType::SCALAR) {
    const Scalar& s = std::get<Scalar>(found->value);
    if (s.type == Scalar::Type::int64 || s.type == Scalar::Type::boolean) return s.i;
  }
  constexpr std::int64_t limit = std::int64_t{1} << 61;  // so that sums of a few do not overflow
  std::int64_t value = read_attr(name, default_value, "INT or LONG");
  require(value > -limit && value < limit,
          "attribute '" + std::string(name) + "' is " + std::to_string(value));
  return value;
}

double NodeContext::attr(std::string_view name, double default_value) const {
  const oarlock::Attr* found = find_attr(name);
  if (found && found->type == AttrType::SCALAR) return std::get<Scalar>(found->value).as_double();
  return read_attr(name, default_value, "FLOAT");
}

float NodeContext::attr(std::string_view name, float default_value) const {
  return static_cast<float>(attr(name, static_cast<double>(default_value)));
}

bool NodeContext::attr(std::string_view name, bool default_value) const {
  return read_attr(name, default_value, "BOOLEAN");
}
std::string NodeContext::attr(std::string_view name, const char* default_value) const {
  return read_attr(name, std::string(default_value), "STRING");
}
Ints NodeContext::attr(std::string_view name, const Ints& default_value) const {
  return read_attr(name, default_value, "INTS or LONGS");
}
Floats NodeContext::attr(std::string_view name, const Floats& default_value) const {
  return read_attr(name, default_value, "FLOATS");
}
Strings NodeContext::attr(std::string_view name, const Strings& default_value) const {
  return read_attr(name, default_value, "STRINGS");
}
Scalars NodeContext::attr(std::string_view name, const Scalars& default_value) const {
  return read_attr(name, default_value, "SCALARS");
}

DType NodeContext::attr(std::string_view name, DType default_value) const {
  std::int64_t number = attr(name, static_cast<std::int64_t>(default_value));
  if (number == -1 || number == static_cast<std::int64_t>(default_value)) return default_value;
  auto found = static_cast<DType>(number);
  require(row_of(found),
          "attribute '" + std::string(name) + "' names unknown dtype " + std::to_string(number));
  return found;
}

Value NodeContext::attr_tensor(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  if (!found || found->type != AttrType::VAR) return {};
  return graph_.value_of(std::get<std::string>(found->value), op_);
}

Values NodeContext::attr_tensors(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  Values all;
  if (found && found->type == AttrType::VARS)
    for (const std::string& var : std::get<Strings>(found->value))
      all.push_back(graph_.value_of(var, op_));
  return all;
}

std::int64_t NodeContext::axis_attr(std::string_view name, std::int64_t default_value,
                                    int rank) const {
  int span = std::max(rank, 1);  // a 0-D tensor counts as one axis
  std::int64_t axis = attr(name, default_value), from_front = axis < 0 ? axis + span : axis;
  require(from_front >= 0 && from_front < span, "attribute '" + std::string(name) + "' is " +
                                                    std::to_string(axis) + " for rank " +
                                                    std::to_string(rank));
  return from_front;
}

}  // namespace oarlock
