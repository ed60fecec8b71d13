// Reading attributes: the wanted type must be the one in the file, up to the width of a number.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/node_context.h"

namespace oarlock {

const oarlock::Attr* Node::find_attr(std::string_view name) const {
  auto found = op_.attrs.find(name);
  return found == op_.attrs.end() ? nullptr : &found->second;
}

bool Node::has_attr(std::string_view name) const { return find_attr(name) != nullptr; }

bool Node::has_float(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  return found && (found->type == AttrType::FLOAT || found->type == AttrType::FLOAT64);
}

void Node::wrong_type(std::string_view name, const oarlock::Attr& found,
                      std::string_view wanted) const {
  std::string text = "attribute '" + std::string(name) + "' ";
  if (found.type == AttrType::VAR || found.type == AttrType::VARS)
    fail(text + "is a tensor, which has no lowering here");
  fail(text + "is " + std::string(name_of(found.type)) + " where " + std::string(wanted) +
       " belongs");
}

template <class T>
T Node::read_attr(std::string_view name, T otherwise, std::string_view wanted) const {
  const oarlock::Attr* found = find_attr(name);
  if (!found) return otherwise;
  bool tensor = found->type == AttrType::VAR || found->type == AttrType::VARS;
  const T* value = tensor ? nullptr : std::get_if<T>(&found->value);
  if (!value) wrong_type(name, *found, wanted);
  return *value;
}

std::int64_t Node::attr(std::string_view name, std::int64_t otherwise) const {
  const oarlock::Attr* found = find_attr(name);
  if (found && found->type == AttrType::SCALAR) {
    const Scalar& s = std::get<Scalar>(found->value);
    if (s.type == Scalar::Type::int64 || s.type == Scalar::Type::boolean) return s.i;
  }
  constexpr std::int64_t most = std::int64_t{1} << 61;  // sums of a few do not overflow
  std::int64_t value = read_attr(name, otherwise, "INT or LONG");
  require(value > -most && value < most,
          "attribute '" + std::string(name) + "' is " + std::to_string(value));
  return value;
}

double Node::attr(std::string_view name, double otherwise) const {
  const oarlock::Attr* found = find_attr(name);
  if (found && found->type == AttrType::SCALAR) return std::get<Scalar>(found->value).as_double();
  return read_attr(name, otherwise, "FLOAT");
}

float Node::attr(std::string_view name, float otherwise) const {
  return static_cast<float>(attr(name, static_cast<double>(otherwise)));
}

bool Node::attr(std::string_view name, bool otherwise) const {
  return read_attr(name, otherwise, "BOOLEAN");
}
std::string Node::attr(std::string_view name, const char* otherwise) const {
  return read_attr(name, std::string(otherwise), "STRING");
}
Ints Node::attr(std::string_view name, const Ints& otherwise) const {
  return read_attr(name, otherwise, "INTS or LONGS");
}
Floats Node::attr(std::string_view name, const Floats& otherwise) const {
  return read_attr(name, otherwise, "FLOATS");
}
Strings Node::attr(std::string_view name, const Strings& otherwise) const {
  return read_attr(name, otherwise, "STRINGS");
}
Scalars Node::attr(std::string_view name, const Scalars& otherwise) const {
  return read_attr(name, otherwise, "SCALARS");
}

DType Node::attr(std::string_view name, DType otherwise) const {
  std::int64_t number = attr(name, static_cast<std::int64_t>(otherwise));
  if (number == -1 || number == static_cast<std::int64_t>(otherwise)) return otherwise;
  auto found = static_cast<DType>(number);
  require(row_of(found),
          "attribute '" + std::string(name) + "' names unknown dtype " + std::to_string(number));
  return found;
}

Value Node::attr_tensor(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  if (!found || found->type != AttrType::VAR) return "";
  return graph_.value_of(std::get<std::string>(found->value), op_);
}

Values Node::attr_tensors(std::string_view name) const {
  const oarlock::Attr* found = find_attr(name);
  Values all;
  if (found && found->type == AttrType::VARS)
    for (const std::string& var : std::get<Strings>(found->value))
      all.push_back(graph_.value_of(var, op_));
  return all;
}

std::int64_t Node::axis(std::string_view name, std::int64_t otherwise, int rank) const {
  int span = std::max(rank, 1);  // a 0-d tensor counts as one of a single axis
  std::int64_t axis = attr(name, otherwise), from_front = axis < 0 ? axis + span : axis;
  require(from_front >= 0 && from_front < span, "attribute '" + std::string(name) + "' is " +
                                                    std::to_string(axis) + " for rank " +
                                                    std::to_string(rank));
  return from_front;
}

}  // namespace oarlock
