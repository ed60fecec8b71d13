// Search by order or value, and counting.
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// Transposes `x` so that `axis` becomes the last axis.
Expr move_axis_last(const Expr& x, std::int64_t axis) {
  Ints perm = all_axes(x.context().rank(x));
  std::rotate(perm.begin() + axis, perm.begin() + axis + 1, perm.end());
  return {x.context(), x.context().transpose(x, perm)};
}

// ---- kthvalue, mode, median ----

void set_outputs_of_scalar_input(NodeContext& n, const Expr& x) {
  n.set_output("Out", x);
  n.set_output("Indices", n.int64_scalar(0));
}

void kthvalue(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (n.require_known_rank(x) == 0) return set_outputs_of_scalar_input(n, x);
  auto axis = n.normalized_axis_attr("axis", -1, n.rank(x)), k = n.attr("k", 1);
  n.require(k > 0 && (n.dim(x, axis) < 0 || k <= n.dim(x, axis)),
            "attribute 'k' is " + std::to_string(k));
  auto results = n.emit_multi_output(2, "TopK", {x, n.int64_vector({k})},
                                     {{"axis", axis}, {"largest", std::int64_t{0}}});
  auto select_kth = [&](Value v) {
    auto one = n.slice(v, {k - 1}, {k}, {axis});
    return n.attr("keepdim", false) ? one : n.squeeze(one, {axis});
  };
  n.set_output("Out", select_kth(results[0]));
  n.set_output("Indices", select_kth(results[1]));
}

// The op mode: the most frequent element along an axis, found by comparing every element with every
// other. Of several most frequent elements the smallest is chosen, and of its indices the last.
void mode(NodeContext& n) {
  auto x = input_expr(n, "X");
  if (n.require_known_rank(x) == 0) return set_outputs_of_scalar_input(n, x);
  auto axis = n.normalized_axis_attr("axis", -1, n.rank(x));
  auto lines = move_axis_last(x, axis);
  Expr column(n, n.unsqueeze(lines, {-1})), row(n, n.unsqueeze(lines, {-2}));
  int last = n.rank(x) - 1;
  auto counts = sum((column == row).to(DType::int64), {last + 1});
  auto is_most_frequent = counts == reduce("ReduceMax", counts, {last}, true);
  auto value = reduce("ReduceMin", where(is_most_frequent, lines, INFINITY), {last}, true);
  auto is_value = lines == value;
  if (is_floating(n.require_known_dtype(x))) is_value = is_value || (isnan(lines) && isnan(value));
  auto positions = where(is_value, arange(n, dim_as_scalar(n, lines, last)), -1);
  auto at = reduce(n, "ReduceMax", positions, {last}, true);
  auto shaped = [&](Value v) {
    auto squeezed = n.squeeze(v, {last});
    return n.attr("keepdim", false) ? n.unsqueeze(squeezed, {axis}) : squeezed;
  };
  n.set_output("Out", shaped(value));
  n.set_output("Indices", shaped(at));
}

// Moves `axes` to the end and merges them into one axis.
Expr merge_axes_into_last(NodeContext& n, const Expr& x, const Ints& axes) {
  Ints perm;
  for (auto axis : all_axes(n.rank(x)))
    if (std::count(axes.begin(), axes.end(), axis) == 0) perm.push_back(axis);
  auto num_kept_axes = static_cast<std::int64_t>(perm.size());
  perm.insert(perm.end(), axes.begin(), axes.end());
  auto transposed = n.transpose(x, perm);
  auto shape = n.emit_shape(transposed);
  auto size = reduce(n, "ReduceProd", n.slice(shape, {num_kept_axes}, {n.rank(x)}, {0}), {0}, true);
  Expr lines(
      n, reshape_to_shape_parts(n, transposed, {n.slice(shape, {0}, {num_kept_axes}, {0}), size}));
  n.declare_type(lines, n.require_known_dtype(x),
                 Ints(static_cast<std::size_t>(num_kept_axes) + 1, -1));
  return lines;
}

// The op nanmedian: the median of the elements that are not NaN, or the mean of the two middle
// ones; NaN is sorted to the end.
void nanmedian(NodeContext& n) {
  auto x = input_expr(n, "X");
  int rank = n.require_known_rank(x);
  ReduceAxesAndKeepdims over{normalize_sort_and_deduplicate_axes(n, n.attr("axis", Ints{}), rank),
                             n.attr("keepdim", true)};
  if (over.axes.empty()) over.axes = all_axes(rank);
  if (rank == 0) return n.set_output("Out", x);
  bool floats = is_floating(n.require_known_dtype(x));
  auto lines = merge_axes_into_last(n, x, over.axes);
  auto last = static_cast<std::int64_t>(n.require_known_rank(lines)) - 1;
  auto is_ignored = floats ? isnan(lines) : !(lines == lines);
  auto count = sum((!is_ignored).to(DType::int64), {last}, true);
  auto sorted = n.emit_multi_output(
      2, "TopK",
      {floats ? where(is_ignored, INFINITY, lines) : lines, dim_as_vector(n, lines, last)},
      {{"axis", last}, {"largest", std::int64_t{0}}})[0];
  n.declare_type(sorted, n.require_known_dtype(x), n.shape(lines));
  auto at = [&](const Expr& position) {
    return Expr(n, n.emit("GatherElements", {sorted, position}, {{"axis", last}}));
  };
  auto low = at(max(count - 1, 0) / 2), high = at(min(count / 2, max(count - 1, 0)));
  auto middle = where(low == high, low, (low + high) / 2);
  auto median =
      n.squeeze(floats ? where(count == Expr(n, n.int64_scalar(0)), NAN, middle) : middle, {last});
  n.set_output("Out", over.keepdims ? n.unsqueeze(median, over.axes) : median);
}

// ---- searchsorted ----

// The number of elements of `sorted` before each value (or not after it).
Expr insertion_positions(const Expr& sorted, const Expr& values, bool right) {
  NodeContext& n = sorted.context();
  Expr line = n.require_known_rank(sorted) == 1 ? sorted : Expr(n, n.unsqueeze(sorted, {-2}));
  Expr each(n, n.unsqueeze(values, {-1}));
  auto before = right ? line <= each : line < each;
  return sum(before.to(DType::int64), {n.require_known_rank(values)});
}

void searchsorted(NodeContext& n) {
  auto positions = insertion_positions(input_expr(n, "SortedSequence"), input_expr(n, "Values"),
                                       n.attr("right", false));
  n.set_output("Out", positions.to(n.attr("out_int32", false) ? DType::int32 : DType::int64));
}

// Repeats each slice.
void repeat_interleave(NodeContext& n) {
  auto x = n.input("X");
  auto axis = n.normalized_axis_attr("dim", 0, n.require_known_rank(x)),
       times = n.attr("Repeats", 0);
  auto set_gathered_output = [&](Value at) {
    n.set_output("Out", n.emit("Gather", {x, at}, {{"axis", axis}}));
  };
  if (n.has_input("RepeatsTensor")) {
    Expr repeats(n, as_int64_vector(n, n.input("RepeatsTensor")));
    auto ends = repeats.emit("CumSum", {n.int64_scalar(0)});
    return set_gathered_output(insertion_positions(ends, arange(n, sum(repeats)), true));
  }
  n.require(times > 0, "attribute 'Repeats' is " + std::to_string(times));
  auto each = static_cast<double>(times);
  Expr size(n, dim_as_scalar(n, x, axis));
  set_gathered_output(arange(n, size * each) / each);
}

// ---- counting ----

// The sums of `amounts` at each of `count` (int64[1]) positions.
Expr sum_by_position(const Expr& positions, const Expr& amounts, Value count) {
  NodeContext& n = positions.context();
  auto zeros = full_like(amounts, 0, count);
  return {n, n.emit("ScatterElements", {zeros, positions, amounts},
                    {{"reduction", std::string("add")}})};
}

struct HistogramRange {
  Expr low, high;
};

// The range of a histogram: the attributes `min` and `max` or, if both are 0, the range of the
// data; an empty range is widened.
HistogramRange histogram_range(NodeContext& n, const Expr& flat) {
  auto least = n.attr("min", 0), most = n.attr("max", 0);
  bool of_data = least == 0 && most == 0;
  Expr low(n, of_data ? reduce(n, "ReduceMin", flat, {}, false)
                      : flat.scalar_like(static_cast<double>(least)).value());
  Expr high(n, of_data ? reduce(n, "ReduceMax", flat, {}, false)
                       : flat.scalar_like(static_cast<double>(most)).value());
  auto empty = low == high;
  return {where(empty, low - 1, low), where(empty, high + 1, high)};
}

void histogram(NodeContext& n) {
  Expr flat(n, n.reshape(n.input("X"), {-1}));
  auto bins = n.attr("bins", 100);
  require_unrollable_size(n, bins, "attribute 'bins'");
  auto [low, high] = histogram_range(n, flat);
  auto bin = ((flat - low) * static_cast<double>(bins) / (high - low)).to(DType::int64);
  auto inside = flat >= low && flat <= high;
  auto position = where(inside, min(bin, static_cast<double>(bins - 1)), 0);
  n.set_output("Out", sum_by_position(position, inside.to(DType::int64), n.int64_vector({bins})));
}

void bincount(NodeContext& n) {
  Expr x(n, as_int64_vector(n, n.input("X")));
  auto least = n.attr("minlength", 0);
  n.require(least >= 0, "attribute 'minlength' is " + std::to_string(least));
  auto longest = n.concat({x, n.int64_vector({least - 1})}, 0);
  auto count = n.emit("Add", {reduce(n, "ReduceMax", longest, {0}, true), n.int64_vector({1})});
  if (!n.has_input("Weights"))
    return n.set_output("Out", sum_by_position(x, full_like(x, 1, n.emit_shape(x)), count));
  auto weights = input_expr(n, "Weights");
  bool narrow = n.require_known_dtype(weights) == DType::float32;
  n.set_output("Out",
               sum_by_position(x, weights.to(narrow ? DType::float32 : DType::float64), count));
}

// ---- unique ----

void unique(NodeContext& n) {
  auto x = n.input("X");
  auto dtype = n.attr("dtype", DType::int64), own = n.require_known_dtype(x);
  bool narrow = own == DType::int32 || own == DType::boolean;
  NodeContext::Attrs attrs{{"sorted", std::int64_t{n.attr("is_sorted", false)}}};
  Ints axis = n.attr("axis", Ints{});
  if (!axis.empty()) {
    auto along = normalize_sort_and_deduplicate_axes(n, axis, n.require_known_rank(x)).at(0);
    attrs.emplace_back("axis", along);
    if (n.rank(x) > 1)
      x = assert_nonempty_except_axis(n, x, along);  // the kernel crashes for empty slices
  }
  auto results = n.emit_multi_output(4, "Unique", {narrow ? n.cast(x, DType::int64) : x}, attrs);
  n.declare_type(results[0], narrow ? DType::int64 : own);
  n.set_output("Out", n.cast(results[0], own));
  constexpr std::string_view slots[] = {"Indices", "Index", "Counts"};
  for (std::size_t i = 0; i < 3; ++i) {
    n.declare_type(results[i + 1], DType::int64, Ints{-1});
    n.set_output(slots[i], n.cast(results[i + 1], dtype));
  }
}

void unique_with_counts(NodeContext& n) {
  auto x = n.input("X");
  auto dtype = n.attr("dtype", DType::int32), own = n.require_known_dtype(x);
  bool narrow = own == DType::int32 || own == DType::boolean;
  auto results = n.emit_multi_output(4, "Unique", {narrow ? n.cast(x, DType::int64) : x},
                                     {{"sorted", std::int64_t{0}}});
  n.declare_type(results[0], narrow ? DType::int64 : own);
  n.set_output("Out", n.cast(results[0], own));
  for (auto [slot, at] : {std::pair{"Index", 2}, std::pair{"Count", 3}}) {
    n.declare_type(results[at], DType::int64, Ints{-1});
    n.set_output(slot, n.cast(results[at], dtype));
  }
}

// Whether each slice along the first axis differs from the previous slice; true for the first
// slice. bool[n]
Expr slice_differs_from_previous_mask(const Expr& slices) {
  NodeContext& n = slices.context();
  auto behind = n.slice(slices, {1}, {INT64_MAX}, {0}), before = n.slice(slices, {0}, {-1}, {0});
  auto differs = (!(Expr(n, behind) == Expr(n, before))).to(DType::int32);
  Ints rest = all_axes(n.rank(slices));
  rest.erase(rest.begin());
  if (!rest.empty()) differs = Expr(n, reduce(n, "ReduceMax", differs, rest, false));
  auto all = n.concat({n.cast(n.int64_vector({1}), DType::int32), differs}, 0);
  auto some =
      n.emit("Slice", {all, n.int64_vector({0}), dim_as_vector(n, slices, 0)});  // may be empty
  n.declare_type(some, DType::int32, Ints{-1});
  return Expr(n, some).to(DType::boolean);
}

void unique_consecutive(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto dtype = n.attr("dtype", DType::float32);
  Ints axis_attr = n.attr("axis", Ints{});
  n.require(axis_attr.empty() || n.require_known_rank(x) > 0, "has no axis");
  auto axis =
      axis_attr.empty() ? 0 : normalize_sort_and_deduplicate_axes(n, axis_attr, n.rank(x)).at(0);
  Ints perm = all_axes(axis_attr.empty() ? 1 : n.rank(x));
  std::rotate(perm.begin(), perm.begin() + axis, perm.begin() + axis + 1);
  Expr slices(n, axis_attr.empty() ? n.reshape(x, {-1}) : n.transpose(x, perm));
  auto starts = slice_differs_from_previous_mask(slices);
  Ints back = all_axes(static_cast<int>(perm.size()));
  std::rotate(back.begin(), back.begin() + 1, back.begin() + axis + 1);
  n.set_output(
      "Out", n.transpose(n.emit("Compress", {slices, starts}, {{"axis", std::int64_t{0}}}), back));
  auto groups = starts.to(DType::int64).emit("CumSum", {n.int64_scalar(0)}) - 1;
  n.set_output("Index", groups.to(dtype));
  Expr first(n, n.squeeze(starts.emit("NonZero"), {0}));
  auto next = n.concat({n.slice(first, {1}, {INT64_MAX}, {0}), dim_as_vector(n, slices, 0)}, 0);
  n.set_output("Counts", (Expr(n, next) - first).to(dtype));
}

}  // namespace

std::span<const Rule> order_statistic_and_count_rules() {
  static const Rule rules[] = {
      {"kthvalue", 11, kthvalue},
      {"mode", 12, mode},
      {"nanmedian", 13, nanmedian},
      {"searchsorted", 9, searchsorted},
      {"repeat_interleave", 11, repeat_interleave},
      {"histogram", 16, histogram},
      {"bincount", 16, bincount},
      {"unique", 11, unique},
      {"unique_with_counts", 11, unique_with_counts},
      {"unique_consecutive", 11, unique_consecutive},
  };
  return rules;
}

}  // namespace oarlock
