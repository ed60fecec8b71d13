// Numbers from packed sequences: one of each sequence, one of each row, or of the rows around it.
#include <cmath>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- sequence_pool ----

// `v` with one element more along an axis.
Expr longer(const Expr& v, std::int64_t axis, double last) {
  Node& n = v.node();
  int rank = n.need_rank(v);
  Ints pads(static_cast<std::size_t>(2 * rank), 0);
  pads[static_cast<std::size_t>(rank + axis)] = 1;
  return v.emit("Pad", {n.ints(pads), v.number(last)});
}

// A row for each sequence; anything for those without rows.
Expr pooled(const Expr& x, const Sequences& sequences, const std::string& type) {
  Node& n = x.node();
  // Where no sequence has rows, there must be one to look at all the same.
  if (type == "FIRST") return rows_at(longer(x, 0, 0), sequences.begins());
  if (type == "LAST") return rows_at(longer(x, 0, 0), max(sequences.ends() - 1, 0));
  if (type == "MAX")
    return reduce("ReduceMax", longer(padded(x, places(sequences), -INFINITY), 1, -INFINITY), {1});
  auto total = sum(padded(x, places(sequences)), {1});
  if (type == "SUM") return total;
  auto sizes = with_rank(max(sequences.lengths(), 1).to(n.need_dtype(x)), n.need_rank(x));
  n.require(type == "AVERAGE" || type == "SQRT", "attribute 'pooltype' is " + type);
  return total / (type == "SQRT" ? sqrt(sizes) : sizes);
}

void sequence_pool(Node& n) {
  auto x = in(n, "X");
  auto sequences = sequences_of(n);
  auto found = pooled(x, sequences, n.attr("pooltype", "AVERAGE"));
  n.out("Out", where(with_rank(sequences.lengths() > 0, n.need_rank(x)), found,
                     n.attr("pad_value", 0.0f)));
  n.out_offsets("Out", "");
}

void sequence_softmax(Node& n) {
  auto x = n.in("X");
  auto at = places(sequences_of(n));
  auto scores = padded({n, n.reshape(x, {-1})}, at, -INFINITY);
  Expr shares(n, n.emit("Softmax", {scores}, {{"axis", std::int64_t{1}}}));
  n.out("Out", reshape_like(n, packed(shares, at.inside), x));
}

// ---- rows around a row ----

// Rows `first`, `first + 1`, ... from each row on, where they belong to the same sequence.
// [T,count]
struct Around {
  Expr rows, inside;
};

Around around(const Sequences& sequences, std::int64_t first, std::int64_t count) {
  Node& n = sequences.node();
  auto numbers = sequence_numbers(sequences);
  auto rows =
      as_column(sequences.rows()) + (counted(n, n.ints({count})) + static_cast<double>(first));
  auto inside = rows >= as_column(rows_at(sequences.begins(), numbers)) &&
                rows < as_column(rows_at(sequences.ends(), numbers));
  return {where(inside, rows, 0), inside};
}

// A window of rows, nothing outside of the sequence, times the filter.   X [T,features], Filter
// [length*features,out]
void sequence_conv(Node& n) {
  auto x = in(n, "X"), filter = in(n, "Filter");
  n.require(!n.attr("paddingTrainable", false), "padding that was trained has no lowering");
  n.require(n.attr("contextStride", 1) == 1, "attribute 'contextStride' is not 1");
  auto length = n.attr("contextLength", 1), start = n.attr("contextStart", 0);
  written_size(n, length, "attribute 'contextLength'");
  n.require(start > -(1 << 20) && start < 1 << 20,
            "attribute 'contextStart' is " + std::to_string(start));
  auto seen = around(sequences_of(n), start, length);
  auto windows = where(with_rank(seen.inside, 3), rows_at(x, seen.rows), 0);
  auto columns = n.slice(n.shape_of(filter), {0}, {1}, {0});
  n.out("Out", n.emit("MatMul", {reshaped(n, windows, {n.ints({-1}), columns}), filter}));
}

// Each word with those that follow it.   [T,1] -> [T,win_size]
void sequence_enumerate(Node& n) {
  auto size = n.attr("win_size", 1);
  written_size(n, size, "attribute 'win_size'");
  auto seen = around(sequences_of(n), 0, size);
  auto words = rows_at({n, n.reshape(n.in("X"), {-1})}, seen.rows);
  n.out("Out", where(seen.inside, words, static_cast<double>(n.attr("pad_value", 0))));
}

// ---- boxes of several pictures ----

// Corners inside of a picture of its size before it was scaled.   Input [T,4], ImInfo [n,3]:
// height, width, scale
void box_clip(Node& n) {
  auto boxes = in(n, "Input"), info = in(n, "ImInfo");
  auto column = [&](std::int64_t at) { return Expr(n, n.slice(info, {at}, {at + 1}, {1})); };
  auto last = [&](std::int64_t at) { return round_half_away(column(at) / column(2)) - 1; };
  auto height = last(0), width = last(1);
  auto pictures = sequence_numbers(sequences_of(n, "Input"));
  Expr ends(n, n.concat({width, height, width, height}, 1));
  n.out("Output", max(min(boxes, rows_at(ends, pictures)), 0));
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
