// Constant folding and type inference at conversion time.
#include "check.h"
#include "convert/graph_builder.h"

using namespace oarlock;

namespace {

ValueType tensor(Ints shape, DType dtype = DType::float32) {
  return {dtype, std::move(shape), std::nullopt};
}
ValueType ints(Ints values) {
  Ints shape{static_cast<std::int64_t>(values.size())};
  return {DType::int64, shape, PartialValue{shape, std::move(values)}};
}
ValueType whole(std::int64_t value) { return {DType::int64, Ints{}, PartialValue{{}, {value}}}; }

onnx::Node node(std::string op, std::vector<std::pair<std::string, onnx::Attr>> attrs = {}) {
  return {std::move(op), "", "", {}, {"y"}, std::move(attrs)};
}

/// `1,?,3`, or `none` if nothing was folded.
std::string folded(const onnx::Node& n, const std::vector<ValueType>& in) {
  std::vector<const ValueType*> views;
  for (const ValueType& info : in) views.push_back(&info);
  auto known = fold_node_to_partial_value(n, views);
  if (!known) return "none";
  std::string text = known->shape.empty() ? "scalar " : "";
  for (std::int64_t v : known->values)
    text += (v == kUnknownElement ? "?" : std::to_string(v)) + ",";
  return text;
}

std::string inferred(const onnx::Node& n, const std::vector<ValueType>& in) {
  std::vector<const ValueType*> views;
  for (const ValueType& info : in) views.push_back(&info);
  ValueType info = infer_node_output_types(n, views)[0];
  return std::string(name_of(info.dtype)) + (info.shape ? format_shape(*info.shape) : "[...]");
}

}  // namespace

TEST("fold: unknown dims do not affect others") {
  CHECK_EQ(folded(node("Shape"), {tensor({-1, 3, 8})}), "?,3,8,");
  CHECK_EQ(folded(node("Gather"), {ints({kUnknownElement, 3, 8}), whole(1)}), "scalar 3,");
  CHECK_EQ(folded(node("Gather"), {ints({kUnknownElement, 3, 8}), whole(-1)}), "scalar 8,");
  CHECK_EQ(folded(node("Gather"), {ints({kUnknownElement, 3, 8}), whole(7)}), "none");
  CHECK_EQ(folded(node("Slice"), {ints({kUnknownElement, 3, 8}), ints({1}), ints({INT64_MAX})}),
           "3,8,");
  CHECK_EQ(folded(node("Slice"),
                  {ints({kUnknownElement, 3, 8}), ints({-1}), ints({3}), ints({0}), ints({-1})}),
           "none");
  CHECK_EQ(
      folded(node("Concat", {{"axis", std::int64_t{0}}}), {ints({kUnknownElement}), ints({4})}),
      "?,4,");
}

TEST("fold: arithmetic") {
  CHECK_EQ(folded(node("Mul"), {ints({2, kUnknownElement}), whole(3)}), "6,?,");
  CHECK_EQ(folded(node("Sub"), {whole(2), whole(5)}), "scalar -3,");
  CHECK_EQ(folded(node("Div"), {ints({7}), ints({2})}), "3,");
  CHECK_EQ(folded(node("Div"), {ints({-7}), ints({2})}),
           "?,");  // Paddle and ONNX round differently
  CHECK_EQ(folded(node("Div"), {ints({7}), ints({0})}), "?,");
  CHECK_EQ(folded(node("Add"), {ints({INT64_MAX}), ints({1})}), "?,");
  CHECK_EQ(folded(node("Add"), {ints({1, 2}), ints({1, 2, 3})}), "none");
}

TEST("fold: between a scalar and a one-element list") {
  CHECK_EQ(folded(node("Unsqueeze"), {whole(5), ints({0})}), "5,");
  CHECK_EQ(folded(node("Squeeze"), {ints({5}), ints({0})}), "scalar 5,");
  CHECK_EQ(folded(node("Reshape"), {ints({5}), ints({})}), "scalar 5,");
  CHECK_EQ(folded(node("Cast", {{"to", std::int64_t{6}}}), {ints({5})}), "5,");
  CHECK_EQ(folded(node("Cast", {{"to", std::int64_t{6}}}), {ints({1LL << 40})}), "none");
  CHECK_EQ(folded(node("Cast", {{"to", std::int64_t{1}}}), {ints({5})}), "none");
}

TEST("infer: shapes as ONNX defines them") {
  CHECK_EQ(inferred(node("Relu"), {tensor({-1, 3})}), "float32[?,3]");
  CHECK_EQ(inferred(node("Add"), {tensor({-1, 1, 4}), tensor({5, 1})}), "float32[?,5,4]");
  CHECK_EQ(inferred(node("Less"), {tensor({2}), tensor({2})}), "bool[2]");
  CHECK_EQ(inferred(node("Transpose", {{"perm", Ints{2, 0, 1}}}), {tensor({2, 3, 4})}),
           "float32[4,2,3]");
  CHECK_EQ(inferred(node("Transpose", {{"perm", Ints{2, 0, 9}}}), {tensor({2, 3, 4})}),
           "float32[...]");
  CHECK_EQ(inferred(node("Unsqueeze"), {tensor({2, 3}), ints({0, -1})}), "float32[1,2,3,1]");
  CHECK_EQ(inferred(node("Squeeze"), {tensor({1, 3, 1}), ints({0, 2})}), "float32[3]");
  CHECK_EQ(inferred(node("Reshape"), {tensor({-1, 3, 4}), ints({0, -1})}), "float32[?,12]");
  CHECK_EQ(inferred(node("Concat", {{"axis", std::int64_t{1}}}), {tensor({-1, 3}), tensor({2, 4})}),
           "float32[2,7]");
  CHECK_EQ(inferred(node("Gather", {{"axis", std::int64_t{1}}}), {tensor({2, 3}), tensor({5, 6})}),
           "float32[2,5,6]");
  CHECK_EQ(inferred(node("Cast", {{"to", std::int64_t{7}}}), {tensor({2})}), "int64[2]");
  CHECK_EQ(inferred(node("Nothing"), {tensor({2})}), "?[...]");
}
