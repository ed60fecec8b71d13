#include "convert/runtime_assert.h"

#include <algorithm>

#include "convert/operands.h"

namespace oarlock {

int first_opset_of(std::string_view onnx, DType dtype) {
  struct Since {
    std::string_view onnx;
    int opset;
  };
  static constexpr Since newer[] = {
      {"Max", 8},
      {"Min", 8},
      {"Expand", 8},
      {"Compress", 9},
      {"Erf", 9},
      {"EyeLike", 9},
      {"IsNaN", 9},
      {"NonZero", 9},
      {"Sign", 9},
      {"Where", 9},
      {"ConstantOfShape", 9},
      {"IsInf", 10},
      {"Mod", 10},
      {"Resize", 10},
      {"RoiAlign", 10},
      {"NonMaxSuppression", 10},
      {"CumSum", 11},
      {"Det", 11},
      {"GatherND", 11},
      {"GatherElements", 11},
      {"Range", 11},
      {"Round", 11},
      {"ScatterND", 11},
      {"ScatterElements", 11},
      {"Unique", 11},
      {"SequenceAt", 11},
      {"SequenceEmpty", 11},
      {"SequenceInsert", 11},
      {"Einsum", 12},
      {"GreaterOrEqual", 12},
      {"LessOrEqual", 12},
      {"HardSwish", 14},
      {"Trilu", 14},
      {"GridSample", 16},
      {"DFT", 17},
      {"LayerNormalization", 17},
  };
  if ((onnx == "Max" || onnx == "Min") && is_integer(dtype)) return 12;
  if (onnx == "Equal") return is_integer(dtype) || dtype == DType::boolean ? 7 : 11;
  auto found = std::find_if(std::begin(newer), std::end(newer),
                            [&](const Since& s) { return s.onnx == onnx; });
  return found == std::end(newer) ? 7 : found->opset;
}

bool has_kernel(std::string_view onnx, DType dtype) {
  static constexpr std::string_view no_doubles[] = {
      "Acos",        "Acosh",         "Asin",      "Asinh",      "Atan",
      "Atanh",       "AveragePool",   "Conv",      "Cosh",       "ConvTranspose",
      "Elu",         "Erf",           "Gelu",      "Sinh",       "GlobalAveragePool",
      "HardSigmoid", "GlobalMaxPool", "HardSwish", "Softplus",   "InstanceNormalization",
      "Softsign",    "Tan",           "LSTM",      "GRU",        "RNN",
      "Resize",      "GridSample",    "Col2Im",    "MaxRoiPool",
  };
  if (is_complex(dtype)) return false;
  return dtype != DType::float64 ||
         std::find(std::begin(no_doubles), std::end(no_doubles), onnx) == std::end(no_doubles);
}

Value nonzero(Node& n, const Value& y) {
  if (auto known = n.const_ints(y)) {
    n.require(std::count(known->begin(), known->end(), 0) == 0, "divides by zero");
    return y;
  }
  return only_where_none(n, y, n.emit("Equal", {y, n.scalar_like(0, y)}),
                         "an integer is divided by zero");
}

// Adds 0, or ends the run where any is true: that many are to be one element and as many more.
// Every device has the engine judge a shape on the host, where an index may be looked up without a
// word.
Value only_where_none(Node& n, const Value& v, const Value& wrong, std::string_view why) {
  auto counts = n.cast(wrong, DType::int64);
  auto count = n.rank(wrong) == 0 ? counts : reduce(n, "ReduceSum", counts, {}, false);
  auto zero = n.emit("Reshape", {count, n.emit("Add", {count, n.ints({1})})});
  n.call(zero, std::string(kReason) + std::string(why));
  n.declare(zero, DType::int64, Ints{1});
  // ONNX Runtime makes one Reshape of this and a Squeeze, and the question would be gone.
  return n.emit("Add", {v, n.cast(reduce(n, "ReduceSum", zero, {0}, false), n.need_dtype(v))});
}

// A Reshape to [-1, 0, 0, ...] keeps every size, and refuses to divide by a product of the others
// that is 0.
Value nonempty(Node& n, const Value& v, std::int64_t axis) {
  int rank = n.need_rank(v);
  n.require(rank > 1, "an operand has only " + std::to_string(rank) + " axes");
  Ints dims = *n.shape(v), same(dims.size(), 0);
  dims.erase(dims.begin() + axis);
  n.require(std::count(dims.begin(), dims.end(), 0) == 0,
            "an operand without elements has no lowering");
  if (std::count(dims.begin(), dims.end(), -1) == 0) return v;
  same[static_cast<std::size_t>(axis)] = -1;
  auto checked = n.emit("Reshape", {v, n.ints(same)});
  n.declare(checked, n.need_dtype(v), n.shape(v));
  return checked;
}

}  // namespace oarlock
