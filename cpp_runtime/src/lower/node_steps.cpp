// Steps that many rules take, and constants of every dtype.
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "lower/graph.h"
#include "lower/node.h"
#include "lower/numbers.h"

namespace oarlock {

Value Node::cast(const Value& v, DType to) {
  require(row_of(to), "cannot cast to an unknown dtype");
  if (dtype(v) == to) return v;
  return emit("Cast", {v}, {{"to", std::int64_t{onnx_of(to)}}});
}

Value Node::transpose(const Value& v, const Ints& perm) {
  bool same = true;
  for (std::size_t i = 0; i < perm.size(); ++i) same &= perm[i] == static_cast<std::int64_t>(i);
  return same ? v : emit("Transpose", {v}, {{"perm", perm}});
}

Value Node::swap_last(const Value& v) {
  int r = rank(v);
  require(r >= 2, "'" + v + "' needs a known rank of two or more to be transposed");
  Ints perm(static_cast<std::size_t>(r));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[r - 1], perm[r - 2]);
  return emit("Transpose", {v}, {{"perm", perm}});
}

Value Node::unsqueeze(const Value& v, const Ints& axes) {
  if (axes.empty()) return v;
  return opset() < 13 ? emit("Unsqueeze", {v}, {{"axes", axes}}) : emit("Unsqueeze", {v, ints(axes)});
}

Value Node::squeeze(const Value& v, const Ints& axes) {
  if (axes.empty()) return v;
  return opset() < 13 ? emit("Squeeze", {v}, {{"axes", axes}}) : emit("Squeeze", {v, ints(axes)});
}

Value Node::reshape(const Value& v, const Ints& shape) { return emit("Reshape", {v, ints(shape)}); }
Value Node::shape_of(const Value& v) { return emit("Shape", {v}); }

Value Node::slice(const Value& v, const Ints& starts, const Ints& ends, const Ints& axes, const Ints& steps) {
  Values in{v, ints(starts), ints(ends), ints(axes)};
  if (!steps.empty()) in.push_back(ints(steps));
  return emit("Slice", in);
}

Value Node::concat(const Values& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts[0] : emit("Concat", parts, {{"axis", axis}});
}

Value Node::scalar(double value, DType dtype) { return tensor({dtype, {}, encoded(value, dtype)}); }

Value Node::floats(const Floats& values, DType dtype) {
  std::string bytes;
  for (double v : values) bytes += encoded(v, dtype);
  return tensor({dtype, {static_cast<std::int64_t>(values.size())}, bytes});
}

Value Node::int_constant(DType dtype, const Known& known) {
  std::string bytes;
  for (std::int64_t v : known.values) {
    auto narrow = static_cast<std::int32_t>(v);
    bytes += dtype == DType::int64 ? std::string(reinterpret_cast<const char*>(&v), sizeof v)
                                   : std::string(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  return tensor({dtype, known.shape, bytes});
}

std::optional<double> Node::const_number(const Value& v) const {
  auto content = constant(v);
  if (!content || content->bytes.size() != size_of(content->dtype)) return std::nullopt;
  return decoded(content->bytes, content->dtype);
}

}  // namespace oarlock
