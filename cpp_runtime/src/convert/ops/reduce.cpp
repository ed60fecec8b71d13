// Reductions: sums, means, extremes, norms, argmax.
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The input of a reduction, cast to `requested` if `requested` is a dtype. If `requested` is no
// dtype, int32 is cast to int64 if the output is declared int64, and bool to int64 (0 or 1).
Value cast_for_reduction(NodeContext& n, Value x, DType requested) {
  if (find_dtype_row(requested)) return n.cast(x, requested);
  bool wide = n.dtype(x) == DType::int32 && n.declared_output_dtype() == DType::int64;
  return wide || n.dtype(x) == DType::boolean ? n.cast(x, DType::int64) : x;
}

LowerFn reduction_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto x = n.input("X");
    ReduceAxesAndKeepdims over = read_reduce_axes_and_keepdims(n, "dim", "keep_dim", n.rank(x));
    auto y = reduce(n, onnx, cast_for_reduction(n, x, n.attr("out_dtype", DType::none)), over.axes,
                    over.keepdims);
    set_scalar_output_as_declared(n, "Out", y);
  };
}

// Returns a rule that reduces bools as numbers 0 and 1: `any` is their maximum, `all` their
// minimum.
LowerFn bool_reduction_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto x = n.input("X");
    ReduceAxesAndKeepdims over = read_reduce_axes_and_keepdims(n, "dim", "keep_dim", n.rank(x));
    auto numbers = n.cast(n.cast(x, DType::boolean), DType::int32);
    set_scalar_output_as_declared(
        n, "Out", n.cast(reduce(n, onnx, numbers, over.axes, over.keepdims), DType::boolean));
  };
}

void mean(NodeContext& n) {
  set_scalar_output_as_declared(n, "Out", reduce(n, "ReduceMean", n.input("X"), {}, false));
}

void logsumexp(NodeContext& n) {
  auto x = n.input("X");
  ReduceAxesAndKeepdims over = read_reduce_axes_and_keepdims(n, "axis", "keepdim", n.rank(x));
  set_scalar_output_as_declared(n, "Out",
                                reduce(n, "ReduceLogSumExp", x, over.axes, over.keepdims));
}

// ---- argmax, argmin ----

LowerFn arg_reduction_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto x = n.input("X");
    bool flat = n.attr("flatten", false), keep = n.attr("keepdims", false);
    auto dtype = n.attr("dtype", DType::int64);
    int rank = n.require_known_rank(x);
    if (rank == 0) return set_scalar_output_as_declared(n, "Out", n.scalar(0, dtype));
    auto axis = flat ? 0 : require_const_axis(n, "axis", "", -1, rank);
    if (n.dtype(x) == DType::int16)
      x = n.cast(x, DType::int32);  // ONNX Runtime has no int16 comparison
    auto at = n.emit(onnx, {flat ? n.reshape(x, {-1}) : x},
                     {{"axis", axis}, {"keepdims", std::int64_t{!flat && keep}}});
    if (flat) n.declare_type(at, DType::int64, Ints{});
    if (flat && keep) at = n.reshape(at, Ints(static_cast<std::size_t>(rank), 1));
    set_scalar_output_as_declared(n, "Out", n.cast(at, dtype));
  };
}

}  // namespace

std::span<const Rule> reduce_rules() {
  static const Rule rules[] = {
      {"reduce_sum", 7, reduction_rule("ReduceSum")},
      {"reduce_mean", 7, reduction_rule("ReduceMean")},
      {"reduce_max", 7, reduction_rule("ReduceMax")},
      {"reduce_min", 7, reduction_rule("ReduceMin")},
      {"reduce_amax", 7, reduction_rule("ReduceMax")},
      {"reduce_amin", 7, reduction_rule("ReduceMin")},
      {"reduce_prod", 7, reduction_rule("ReduceProd")},
      {"reduce_any", 7, bool_reduction_rule("ReduceMax")},
      {"reduce_all", 7, bool_reduction_rule("ReduceMin")},
      {"mean", 7, mean},
      {"logsumexp", 7, logsumexp},
      {"arg_max", 7, arg_reduction_rule("ArgMax"), {.nonnegative_outputs = "Out"}},
      {"arg_min", 7, arg_reduction_rule("ArgMin"), {.nonnegative_outputs = "Out"}},
  };
  return rules;
}

}  // namespace oarlock
