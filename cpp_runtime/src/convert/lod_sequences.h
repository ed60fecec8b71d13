// Packed sequences (LoD): padding to one length, which ONNX ops can process, and packing.
#pragma once
#include "convert/expression.h"

namespace oarlock {

/// The partition of rows into sequences. row_splits: int64[n+1]
struct RowPartition {
  Expr row_splits;

  NodeContext& context() const { return row_splits.context(); }
  Expr starts() const;           // [n]
  Expr ends() const;             // [n]
  Expr lengths() const;          // [n]
  Expr count() const;            // n as int64[1]
  Expr all_row_indices() const;  // indices of all rows [T]
};

/// The partition of an input's rows into sequences. Fails if the input has no row splits.
RowPartition require_input_row_partition(NodeContext& n, std::string_view slot = "X");
/// The partition of rows into consecutive sequences of these lengths. lengths: int64[n]
RowPartition row_partition_from_lengths(const Expr& lengths);
/// Row splits computed at run time; the run fails if they do not partition `rows` (int64[1]) rows.
RowPartition assert_row_splits_at_run_time(const RowPartition& sequences, const Expr& rows);

/// The maximum of `lengths`, 0 if there are none. int64[1]
Expr max_length_or_zero(const Expr& lengths);

/// Index into padded sequences. rows: int64[n,max_length], the row at each position, 0 beyond the
/// end; mask: bool[n,max_length]
struct PaddedRowIndicesAndMask {
  Expr rows, mask;  // int64 and bool [n,max_length]
};
PaddedRowIndicesAndMask emit_padded_row_indices_and_mask(const RowPartition& sequences);
/// Row indices and mask of the padded form of ranges of rows: range i has lengths[i] rows and
/// begins at row begins[i]. begins, lengths: int64[n]; max_length: int64[1]
PaddedRowIndicesAndMask emit_padded_row_indices_and_mask(const Expr& begins, const Expr& lengths,
                                                         const Expr& max_length);

/// Pads sequences to one length: [T,*] -> [n,max_length,*], filled with `pad_value` beyond the end
/// of a sequence
Expr pad_sequences(const Expr& rows, const PaddedRowIndicesAndMask& index, double pad_value = 0);
/// Packs padded sequences: [n,max_length,*] -> [T,*]
Expr pack_sequences(const Expr& padded, const Expr& mask);
/// The sequence index of each row. [T]
Expr sequence_id_per_row(const RowPartition& sequences);
/// `v` with trailing axes of size 1, up to a rank.
Expr append_unit_axes_to_rank(const Expr& v, int rank);

}  // namespace oarlock
