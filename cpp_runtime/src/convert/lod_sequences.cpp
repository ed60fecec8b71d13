#include "convert/lod_sequences.h"

#include "convert/operands.h"
#include "convert/runtime_assert.h"

namespace oarlock {

Expr Sequences::starts() const { return {context(), context().slice(row_splits, {0}, {-1}, {0})}; }
Expr Sequences::ends() const {
  return {context(), context().slice(row_splits, {1}, {INT64_MAX}, {0})};
}
Expr Sequences::lengths() const { return ends() - starts(); }
Expr Sequences::count() const {
  return Expr(context(), dim_as_vector(context(), row_splits, 0)) - 1;
}
Expr Sequences::row_indices() const {
  return arange(context(), context().slice(row_splits, {-1}, {INT64_MAX}, {0}));
}

Sequences input_sequences(NodeContext& n, std::string_view slot) {
  Value row_splits = n.row_splits(slot);
  n.require(bool(row_splits), "needs packed sequences (LoD) in '" + std::string(slot) + "'");
  return {{n, row_splits}};
}

Sequences sequences_from_lengths(const Expr& lengths) {
  NodeContext& n = lengths.context();
  return {{n, n.concat({n.int64_vector({0}), lengths.emit("CumSum", {n.int64_scalar(0)})}, 0)}};
}

Sequences assert_row_splits(const Sequences& sequences, const Expr& rows) {
  NodeContext& n = sequences.context();
  Expr first(n, n.slice(sequences.row_splits, {0}, {1}, {0})),
      last(n, n.slice(sequences.row_splits, {-1}, {INT64_MAX}, {0}));
  auto wrong = n.concat({sequences.lengths() < 0, !(first == 0), !(last == rows)}, 0);
  return {
      {n, runtime_assert(n, sequences.row_splits, wrong,
                         "offsets must begin with 0, not fall, and end with the number of rows")}};
}

Expr max_length_or_zero(const Expr& lengths) {
  NodeContext& n = lengths.context();
  return reduce("ReduceMax", Expr(n, n.concat({lengths, n.int64_vector({0})}, 0)), {0}, true);
}

PaddedIndex padded_index(const Expr& begins, const Expr& lengths, const Expr& max_length) {
  NodeContext& n = begins.context();
  Expr steps(n, n.unsqueeze(arange(n, max_length), {0}));
  auto mask = steps < unsqueeze_last(lengths);
  return {where(mask, unsqueeze_last(begins) + steps, 0), mask};
}

PaddedIndex padded_index(const Sequences& sequences) {
  auto lengths = sequences.lengths();
  return padded_index(sequences.starts(), lengths, max_length_or_zero(lengths));
}

Expr unsqueeze_to_rank(const Expr& v, int rank) {
  Ints behind;
  for (int axis = v.context().require_known_rank(v); axis < rank; ++axis) behind.push_back(axis);
  return {v.context(), v.context().unsqueeze(v, behind)};
}

Expr pad_sequences(const Expr& rows, const PaddedIndex& index, double pad_value) {
  auto padded = gather_rows(rows, index.rows);
  return where(unsqueeze_to_rank(index.mask, rows.context().require_known_rank(padded)), padded,
               pad_value);
}

Expr pack_sequences(const Expr& padded, const Expr& mask) {
  NodeContext& n = padded.context();
  n.require(n.require_known_rank(padded) >= 2, "needs an axis of sequences and one of time");
  Ints shape = *n.shape(padded);
  shape.erase(shape.begin());
  shape[0] = -1;
  auto flat =
      reshape_to_shape_parts(n, padded, {n.int64_vector({-1}), shape_from_axis(n, padded, 2)});
  Expr rows(n, n.emit("Compress", {flat, n.reshape(mask, {-1})}, {{"axis", std::int64_t{0}}}));
  n.declare_type(rows, n.require_known_dtype(padded), shape);
  return rows;
}

Expr sequence_ids(const Sequences& sequences) {
  NodeContext& n = sequences.context();
  auto index = padded_index(sequences);
  auto numbers =
      unsqueeze_last(arange(n, sequences.count())).emit("Expand", {n.shape_of(index.mask)});
  return pack_sequences(numbers, index.mask);
}

}  // namespace oarlock
