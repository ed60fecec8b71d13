// Many elements to one: sums, means, extremes, norms, positions.
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Integers are added up in int64 where the program says so, or declares the result so; a bool
// counts as 0 or 1.
Value widened(Node& n, const Value& x, DType wanted) {
  if (row_of(wanted)) return n.cast(x, wanted);
  bool wide = n.dtype(x) == DType::int32 && n.out_dtype() == DType::int64;
  return wide || n.dtype(x) == DType::boolean ? n.cast(x, DType::int64) : x;
}

Lower reduction(std::string_view onnx) {
  return [onnx](Node& n) {
    auto x = n.in("X");
    Over over = read_axes(n, "dim", "keep_dim", n.rank(x));
    auto y = reduce(n, onnx, widened(n, x, n.attr("out_dtype", DType::none)), over.axes, over.keep);
    out_scalar(n, "Out", y);
  };
}

// any is the largest of 0 and 1, all is the smallest.
Lower truth(std::string_view onnx) {
  return [onnx](Node& n) {
    auto x = n.in("X");
    Over over = read_axes(n, "dim", "keep_dim", n.rank(x));
    auto numbers = n.cast(n.cast(x, DType::boolean), DType::int32);
    out_scalar(n, "Out", n.cast(reduce(n, onnx, numbers, over.axes, over.keep), DType::boolean));
  };
}

void mean(Node& n) { out_scalar(n, "Out", reduce(n, "ReduceMean", n.in("X"), {}, false)); }

void logsumexp(Node& n) {
  auto x = n.in("X");
  Over over = read_axes(n, "axis", "keepdim", n.rank(x));
  out_scalar(n, "Out", reduce(n, "ReduceLogSumExp", x, over.axes, over.keep));
}

// ---- positions ----

Lower position(std::string_view onnx) {
  return [onnx](Node& n) {
    auto x = n.in("X");
    bool flat = n.attr("flatten", false), keep = n.attr("keepdims", false);
    auto dtype = n.attr("dtype", DType::int64);
    int rank = n.need_rank(x);
    if (rank == 0) return out_scalar(n, "Out", n.scalar(0, dtype));
    auto axis = flat ? 0 : axis_operand(n, "axis", "", -1, rank);
    if (n.dtype(x) == DType::int16) x = n.cast(x, DType::int32);  // ONNX Runtime compares no int16
    auto at = n.emit(onnx, {flat ? n.reshape(x, {-1}) : x},
                     {{"axis", axis}, {"keepdims", std::int64_t{!flat && keep}}});
    if (flat) n.declare(at, DType::int64, Ints{});
    if (flat && keep) at = n.reshape(at, Ints(static_cast<std::size_t>(rank), 1));
    out_scalar(n, "Out", n.cast(at, dtype));
  };
}

}  // namespace

std::span<const Rule> reduce_rules() {
  static const Rule rules[] = {
      {"reduce_sum", 7, reduction("ReduceSum")},
      {"reduce_mean", 7, reduction("ReduceMean")},
      {"reduce_max", 7, reduction("ReduceMax")},
      {"reduce_min", 7, reduction("ReduceMin")},
      {"reduce_amax", 7, reduction("ReduceMax")},
      {"reduce_amin", 7, reduction("ReduceMin")},
      {"reduce_prod", 7, reduction("ReduceProd")},
      {"reduce_any", 7, truth("ReduceMax")},
      {"reduce_all", 7, truth("ReduceMin")},
      {"mean", 7, mean},
      {"logsumexp", 7, logsumexp},
      {"arg_max", 7, position("ArgMax"), {.from_zero = "Out"}},
      {"arg_min", 7, position("ArgMin"), {.from_zero = "Out"}},
  };
  return rules;
}

}  // namespace oarlock
