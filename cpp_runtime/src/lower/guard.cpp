#include "lower/guard.h"

#include <algorithm>

#include "lower/operands.h"

namespace oarlock {

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

// An entry that does not exist is looked up where there is a zero; ONNX Runtime checks that, and names the value.
Value nonzero(Node& n, const Value& y) {
  if (auto known = n.const_ints(y)) {
    n.require(std::count(known->begin(), known->end(), 0) == 0, "divides by zero");
    return y;
  }
  auto zeros = n.cast(n.emit("Equal", {y, n.scalar_like(0, y)}), DType::int64);
  auto any = n.rank(y) == 0 ? zeros : reduce(n, "ReduceMax", zeros, {}, false);
  auto none = n.emit("Gather", {n.cast(n.ints({0}), n.need_dtype(y)), any}, {{"axis", std::int64_t{0}}});
  return n.emit("Add", {y, none});
}

}  // namespace oarlock
