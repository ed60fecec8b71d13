// Computations on packed sequences: pooling, softmax, context windows.
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- sequence_pool ----

// `v` with one more element along an axis.
Expr append_element_along_axis(const Expr& v, std::int64_t axis, double value) {
  NodeContext& n = v.context();
  int rank = n.require_known_rank(v);
  Ints pads(static_cast<std::size_t>(2 * rank), 0);
  pads[static_cast<std::size_t>(rank + axis)] = 1;
  return v.emit("Pad", {n.int64_vector(pads), v.scalar_like(value)});
}

// Pools each sequence to one row, which is unspecified for empty sequences.
Expr pool_sequences(const Expr& x, const RowPartition& sequences, const std::string& type) {
  NodeContext& n = x.context();
  // A row is appended, because Gather must have a row to read even if all sequences are empty.
  if (type == "FIRST") return gather_rows(append_element_along_axis(x, 0, 0), sequences.starts());
  if (type == "LAST")
    return gather_rows(append_element_along_axis(x, 0, 0), max(sequences.ends() - 1, 0));
  if (type == "MAX")
    return reduce(
        "ReduceMax",
        append_element_along_axis(
            pad_sequences(x, emit_padded_row_indices_and_mask(sequences), -INFINITY), 1, -INFINITY),
        {1});
  auto total = sum(pad_sequences(x, emit_padded_row_indices_and_mask(sequences)), {1});
  if (type == "SUM") return total;
  auto sizes = append_unit_axes_to_rank(max(sequences.lengths(), 1).to(n.require_known_dtype(x)),
                                        n.require_known_rank(x));
  n.require(type == "AVERAGE" || type == "SQRT", "attribute 'pooltype' is " + type);
  return total / (type == "SQRT" ? sqrt(sizes) : sizes);
}

void sequence_pool(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto sequences = require_input_row_partition(n);
  auto pooled = pool_sequences(x, sequences, n.attr("pooltype", "AVERAGE"));
  n.set_output("Out",
               where(append_unit_axes_to_rank(sequences.lengths() > 0, n.require_known_rank(x)),
                     pooled, n.attr("pad_value", 0.0f)));
  n.set_row_splits("Out", {});
}

void sequence_softmax(NodeContext& n) {
  auto x = n.input("X");
  auto at = emit_padded_row_indices_and_mask(require_input_row_partition(n));
  auto scores = pad_sequences({n, n.reshape(x, {-1})}, at, -INFINITY);
  Expr shares(n, n.emit("Softmax", {scores}, {{"axis", std::int64_t{1}}}));
  n.set_output("Out", reshape_like(n, pack_sequences(shares, at.mask), x));
}

// ---- context rows ----

// Rows `first`, `first + 1`, ... relative to each row, inside the same sequence. [T,count]
struct ContextRowIndicesAndMask {
  Expr rows, mask;
};

ContextRowIndicesAndMask context_row_indices_and_mask(const RowPartition& sequences,
                                                      std::int64_t first, std::int64_t count) {
  NodeContext& n = sequences.context();
  auto sequence_of_row = sequence_id_per_row(sequences);
  auto rows = unsqueeze_last(sequences.all_row_indices()) +
              (arange(n, n.int64_vector({count})) + static_cast<double>(first));
  auto inside = rows >= unsqueeze_last(gather_rows(sequences.starts(), sequence_of_row)) &&
                rows < unsqueeze_last(gather_rows(sequences.ends(), sequence_of_row));
  return {where(inside, rows, 0), inside};
}

// For each row, the window of rows around it, with zeros outside of the sequence, times the filter.
// X [T,features], Filter [length*features,out]
void sequence_conv(NodeContext& n) {
  auto x = input_expr(n, "X"), filter = input_expr(n, "Filter");
  n.require(!n.attr("paddingTrainable", false), "padding that was trained has no lowering");
  n.require(n.attr("contextStride", 1) == 1, "attribute 'contextStride' is not 1");
  auto length = n.attr("contextLength", 1), start = n.attr("contextStart", 0);
  require_unrollable_size(n, length, "attribute 'contextLength'");
  n.require(start > -(1 << 20) && start < 1 << 20,
            "attribute 'contextStart' is " + std::to_string(start));
  auto context = context_row_indices_and_mask(require_input_row_partition(n), start, length);
  auto windows = where(append_unit_axes_to_rank(context.mask, 3), gather_rows(x, context.rows), 0);
  auto columns = n.slice(n.emit_shape(filter), {0}, {1}, {0});
  n.set_output(
      "Out", n.emit("MatMul",
                    {reshape_to_shape_parts(n, windows, {n.int64_vector({-1}), columns}), filter}));
}

// Each word of a sequence together with the `win_size` - 1 words that follow it. [T,1] ->
// [T,win_size]
void sequence_enumerate(NodeContext& n) {
  auto size = n.attr("win_size", 1);
  require_unrollable_size(n, size, "attribute 'win_size'");
  auto context = context_row_indices_and_mask(require_input_row_partition(n), 0, size);
  auto words = gather_rows({n, n.reshape(n.input("X"), {-1})}, context.rows);
  n.set_output("Out", where(context.mask, words, static_cast<double>(n.attr("pad_value", 0))));
}

// ---- boxes of several images ----

// Clips boxes to the original image size.  Input [T,4], ImInfo [n,3]: height, width, scale
void box_clip(NodeContext& n) {
  auto boxes = input_expr(n, "Input"), info = input_expr(n, "ImInfo");
  auto column = [&](std::int64_t at) { return Expr(n, n.slice(info, {at}, {at + 1}, {1})); };
  auto last = [&](std::int64_t at) { return round_half_away(column(at) / column(2)) - 1; };
  auto height = last(0), width = last(1);
  auto image_ids = sequence_id_per_row(require_input_row_partition(n, "Input"));
  Expr ends(n, n.concat({width, height, width, height}, 1));
  n.set_output("Output", max(min(boxes, gather_rows(ends, image_ids)), 0));
}

}  // namespace

std::span<const Rule> sequence_math_rules() {
  static const Rule rules[] = {
      {"sequence_pool", 11, sequence_pool}, {"sequence_softmax", 13, sequence_softmax},
      {"sequence_conv", 11, sequence_conv}, {"sequence_enumerate", 11, sequence_enumerate},
      {"box_clip", 11, box_clip},
  };
  return rules;
}

}  // namespace oarlock
