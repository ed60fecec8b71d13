// Many elements to one: sums, means, extremes, norms, positions.
#include <cmath>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

struct Over {
  Ints axes;  // none for all
  bool keep;
};

Over read_axes(Node& n, std::string_view axes, std::string_view keep, int rank) {
  bool all = n.attr("reduce_all", false);
  Ints dims = need_ints(n, {axes, "AxisTensor", "AxisTensorList"}, {0});
  bool kept = n.attr(keep, false);
  if (rank < 0) return {all ? Ints{} : dims, kept};
  dims = from_front(n, dims, rank);
  return {all || dims.size() == static_cast<std::size_t>(rank) ? Ints{} : dims, kept};
}

// Integers are added up in int64 where the program says so, or declares the result so; a bool counts as 0 or 1.
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

// ---- norms ----

// (sum |x|^p)^(1/p)
Value power_norm(Node& n, const Value& x, double p, const Over& over) {
  auto powers = n.emit("Pow", {n.emit("Abs", {x}), n.scalar_like(p, x)});
  auto sum = reduce(n, "ReduceSum", powers, over.axes, over.keep);
  return n.emit("Pow", {sum, n.scalar_like(1 / p, x)});
}

Value norm(Node& n, const Value& x, double p, const Over& over) {
  if (p == 1) return reduce(n, "ReduceL1", x, over.axes, over.keep);
  if (p == 2) return reduce(n, "ReduceL2", x, over.axes, over.keep);
  if (std::isinf(p)) return reduce(n, p > 0 ? "ReduceMax" : "ReduceMin", n.emit("Abs", {x}), over.axes, over.keep);
  if (p != 0) return power_norm(n, x, p, over);
  auto nonzero = n.cast(n.cast(x, DType::boolean), n.need_dtype(x));
  return reduce(n, "ReduceSum", nonzero, over.axes, over.keep);
}

void p_norm(Node& n) {
  auto x = n.in("X");
  bool vector = n.attr("asvector", false);
  Over over{vector ? Ints{} : Ints{n.attr("axis", -1)}, n.attr("keepdim", false)};
  out_scalar(n, "Out", norm(n, x, n.attr("porder", 2.0f), over));
}

void frobenius_norm(Node& n) {
  auto x = n.in("X");
  Over over = read_axes(n, "dim", "keep_dim", n.rank(x));
  out_scalar(n, "Out", norm(n, x, 2, over));
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
    auto at =
        n.emit(onnx, {flat ? n.reshape(x, {-1}) : x}, {{"axis", axis}, {"keepdims", std::int64_t{!flat && keep}}});
    if (flat) n.declare(at, DType::int64, Ints{});
    if (flat && keep) at = n.reshape(at, Ints(static_cast<std::size_t>(rank), 1));
    out_scalar(n, "Out", n.cast(at, dtype));
  };
}

void cumsum(Node& n) {
  auto x = n.in("X");
  if (n.attr("flatten", false)) x = n.reshape(x, {-1});
  if (n.rank(x) == 0) return n.out("Out", x);
  Ints axis = need_ints(n, {"axis", "", ""}, {-1});
  n.out("Out", n.emit("CumSum", {x, n.int_scalar(axis.at(0))},
                      {{"exclusive", std::int64_t{n.attr("exclusive", false)}},
                       {"reverse", std::int64_t{n.attr("reverse", false)}}}));
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
      {"p_norm", 7, p_norm},
      {"frobenius_norm", 7, frobenius_norm},
      {"arg_max", 7, position("ArgMax")},
      {"arg_min", 7, position("ArgMin")},
      {"cumsum", 11, cumsum},
  };
  return rules;
}

}  // namespace oarlock
