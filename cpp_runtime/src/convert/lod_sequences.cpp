#include "convert/lod_sequences.h"

#include "convert/operands.h"
#include "convert/runtime_assert.h"

namespace oarlock {

Expr RowPartition::starts() const {
  return {context(), context().slice(row_splits, {0}, {-1}, {0})};
}
Expr RowPartition::ends() const {
  return {context(), context().slice(row_splits, {1}, {INT64_MAX}, {0})};
}
Expr RowPartition::lengths() const { return ends() - starts(); }
Expr RowPartition::count() const {
  return Expr(context(), dim_as_vector(context(), row_splits, 0)) - 1;
}
Expr RowPartition::all_row_indices() const {
  return arange(context(), context().slice(row_splits, {-1}, {INT64_MAX}, {0}));
}

RowPartition require_input_row_partition(NodeContext& n, std::string_view slot) {
  Value row_splits = n.row_splits(slot);
  n.require(bool(row_splits), "needs packed sequences (LoD) in '" + std::string(slot) + "'");
  return {{n, row_splits}};
}

RowPartition row_partition_from_lengths(const Expr& lengths) {
  NodeContext& n = lengths.context();
  return {{n, n.concat({n.int64_vector({0}), lengths.emit("CumSum", {n.int64_scalar(0)})}, 0)}};
}

RowPartition assert_row_splits_at_run_time(const RowPartition& sequences, const Expr& rows) {
  NodeContext& n = sequences.context();
  Expr first(n, n.slice(sequences.row_splits, {0}, {1}, {0})),
      last(n, n.slice(sequences.row_splits, {-1}, {INT64_MAX}, {0}));
  auto wrong = n.concat({sequences.lengths() < 0, !(first == 0), !(last == rows)}, 0);
  return {{n, fail_at_run_time_if_any(
                  n, sequences.row_splits, wrong,
                  "offsets must begin with 0, not fall, and end with the number of rows")}};
}

Expr max_length_or_zero(const Expr& lengths) {
  NodeContext& n = lengths.context();
  return reduce("ReduceMax", Expr(n, n.concat({lengths, n.int64_vector({0})}, 0)), {0}, true);
}

PaddedRowIndicesAndMask emit_padded_row_indices_and_mask(const Expr& begins, const Expr& lengths,
                                                         const Expr& max_length) {
  NodeContext& n = begins.context();
  Expr steps(n, n.unsqueeze(arange(n, max_length), {0}));
  auto mask = steps < unsqueeze_last(lengths);
  return {where(mask, unsqueeze_last(begins) + steps, 0), mask};
}

PaddedRowIndicesAndMask emit_padded_row_indices_and_mask(const RowPartition& sequences) {
  auto lengths = sequences.lengths();
  return emit_padded_row_indices_and_mask(sequences.starts(), lengths, max_length_or_zero(lengths));
}

Expr append_unit_axes_to_rank(const Expr& v, int rank) {
  Ints behind;
  for (int axis = v.context().require_known_rank(v); axis < rank; ++axis) behind.push_back(axis);
  return {v.context(), v.context().unsqueeze(v, behind)};
}

Expr pad_sequences(const Expr& rows, const PaddedRowIndicesAndMask& index, double pad_value) {
  auto padded = gather_rows(rows, index.rows);
  return where(append_unit_axes_to_rank(index.mask, rows.context().require_known_rank(padded)),
               padded, pad_value);
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

Expr sequence_id_per_row(const RowPartition& sequences) {
  NodeContext& n = sequences.context();
  auto index = emit_padded_row_indices_and_mask(sequences);
  auto numbers =
      unsqueeze_last(arange(n, sequences.count())).emit("Expand", {n.emit_shape(index.mask)});
  return pack_sequences(numbers, index.mask);
}

}  // namespace oarlock
