// Reordering, combination and removal of rows of packed sequences.
#include <algorithm>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

Expr num_rows(const Expr& x) { return {x.context(), dim_as_vector(x.context(), x, 0)}; }

// ---- padding and packing ----

// The op sequence_pad, whose input PadValue is a scalar or a row.
void sequence_pad(NodeContext& n) {
  auto x = input_expr(n, "X"), value = input_expr(n, "PadValue");
  auto sequences = require_input_row_partition(n);
  auto lengths = sequences.lengths();
  auto length = n.attr("padded_length", -1);
  Expr longest = max_length_or_zero(lengths);
  if (length >= 0) {
    require_unrollable_size(n, length, "attribute 'padded_length'");
    Expr padded_length(n, n.int64_vector({length}));
    longest = {n, fail_at_run_time_if_any(n, padded_length, longest > padded_length,
                                          "a sequence is longer than padded_length")};
  }
  auto at = emit_padded_row_indices_and_mask(sequences.starts(), lengths, longest);
  auto rows = gather_rows(x, at.rows);
  n.set_output("Out",
               where(append_unit_axes_to_rank(at.mask, n.require_known_rank(rows)), rows, value));
  n.set_output("Length", lengths);
  for (auto slot : {"Out", "Length"}) n.set_row_splits(slot, {});
}

void sequence_unpad(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.require(n.require_known_rank(x) >= 2, "needs X [batch, time, ...]");
  Expr lengths(n, n.cast(as_int64_vector(n, n.input("Length")), DType::int64)),
      longest(n, dim_as_vector(n, x, 1));
  auto wrong = lengths > longest || lengths < 0;
  lengths = {
      n, fail_at_run_time_if_any(n, lengths, wrong, "a length is negative, or more than X has")};
  auto as_many = Expr(n, dim_as_vector(n, lengths, 0)) == Expr(n, dim_as_vector(n, x, 0));
  lengths = {n, fail_at_run_time_if_any(n, lengths, !as_many,
                                        "there are not as many lengths as rows of X")};
  auto inside = Expr(n, n.unsqueeze(arange(n, longest), {0})) < unsqueeze_last(lengths);
  n.set_output("Out", append_unit_axes_to_rank(pack_sequences(x, inside), 2));
  n.set_row_splits("Out", row_partition_from_lengths(lengths).row_splits);
}

// ---- repetition ----

// Repeats each row of X by the length of its sequence in Y.
void sequence_expand_as(NodeContext& n) {
  auto sequences = require_input_row_partition(n, "Y");
  n.set_output("Out", gather_rows(input_expr(n, "X"), sequence_id_per_row(sequences)));
  n.set_row_splits("Out", sequences.row_splits);
}

// Repeats a sequence of X (or a row, if X has no sequences) by the length of the corresponding
// sequence in Y.
void sequence_expand(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto level = n.attr("ref_level", -1);
  n.require(level == -1 || level == 0, "attribute 'ref_level' is " + std::to_string(level));
  auto sequence_of_row = sequence_id_per_row(require_input_row_partition(n, "Y"));
  if (!n.row_splits("X")) {
    n.set_output("Out", gather_rows(x, sequence_of_row));
    return n.set_row_splits("Out", {});
  }
  auto sequences = require_input_row_partition(n);
  auto lengths = gather_rows(sequences.lengths(), sequence_of_row);
  auto at = emit_padded_row_indices_and_mask(gather_rows(sequences.starts(), sequence_of_row),
                                             lengths, max_length_or_zero(lengths));
  n.set_output("Out", gather_rows(x, pack_sequences(at.rows, at.mask)));
  n.set_row_splits("Out", row_partition_from_lengths(lengths).row_splits);
}

// ---- reordering ----

void sequence_reverse(NodeContext& n) {
  auto sequences = require_input_row_partition(n);
  auto mirror =
      gather_rows(sequences.starts() + sequences.ends() - 1, sequence_id_per_row(sequences));
  n.set_output("Y", gather_rows(input_expr(n, "X"), mirror - sequences.all_row_indices()));
}

// Concatenates sequences: the first sequences of all inputs become the first sequence of the
// output, and so on.
void sequence_concat(NodeContext& n) {
  Values rows, inside;
  std::optional<Expr> offsets;
  for (std::size_t i = 0; i < require_one_or_more_inputs(n, "X").size(); ++i) {
    RowPartition sequences{{n, n.row_splits("X", i)}};
    n.require(bool(sequences.row_splits.value()), "needs packed sequences (LoD) in all of 'X'");
    auto at = emit_padded_row_indices_and_mask(sequences);
    rows.push_back(pad_sequences({n, n.inputs("X")[i]}, at));
    inside.push_back(at.mask);
    offsets = offsets ? *offsets + sequences.row_splits : sequences.row_splits;
  }
  n.set_output("Out", pack_sequences({n, n.concat(rows, 1)}, {n, n.concat(inside, 1)}));
  n.set_row_splits("Out", *offsets);
}

void sequence_slice(NodeContext& n) {
  auto sequences = require_input_row_partition(n);
  auto numbers = [&](std::string_view slot) {
    return Expr(n, n.cast(as_int64_vector(n, n.input(slot)), DType::int64));
  };
  auto from = numbers("Offset"), lengths = numbers("Length");
  auto wrong = from < 0 || lengths < 0 || from + lengths > sequences.lengths();
  from = {n, fail_at_run_time_if_any(n, from, wrong, "a slice is not inside of its sequence")};
  auto at = emit_padded_row_indices_and_mask(sequences.starts() + from, lengths,
                                             max_length_or_zero(lengths));
  n.set_output("Out", gather_rows(input_expr(n, "X"), pack_sequences(at.rows, at.mask)));
  n.set_row_splits("Out", row_partition_from_lengths(lengths).row_splits);
}

// ---- removal ----

// The sequences that remain when rows are removed. mask: bool[T]
RowPartition sequences_of_selected_rows(const RowPartition& sequences, const Expr& mask) {
  auto selected_before = row_partition_from_lengths(mask.to(DType::int64)).row_splits;
  return {gather_rows(selected_before, sequences.row_splits)};
}

Expr select_rows_by_mask(const Expr& x, const Expr& mask) {
  NodeContext& n = x.context();
  n.require(n.require_known_rank(x) >= 1, "has no rows");
  Ints shape = *n.shape(x);
  Expr rows(n, n.emit("Compress", {x, mask}, {{"axis", std::int64_t{0}}}));
  shape[0] = -1;
  n.declare_type(rows, n.require_known_dtype(x), shape);
  return rows;
}

void sequence_erase(NodeContext& n) {
  auto x = input_expr(n, "X");
  Expr words(n, n.reshape(x, {-1})), mask = words == words;
  for (auto token : n.attr("tokens", Ints{})) mask = mask && !(words == static_cast<double>(token));
  n.set_output("Out", select_rows_by_mask(x, mask));
  n.set_row_splits("Out",
                   sequences_of_selected_rows(require_input_row_partition(n), mask).row_splits);
}

// Whether each token remains when blanks and, if `merges`, repeated tokens are removed.
Expr ctc_output_mask(const Expr& words, const Expr& is_first, double blank, bool merges) {
  NodeContext& n = words.context();
  auto mask = !(words == blank);
  if (!merges) return mask;
  int axis = n.require_known_rank(words) - 1;
  Ints pads(static_cast<std::size_t>(2 * axis + 2), 0);
  pads[static_cast<std::size_t>(axis)] = 1;
  auto longer = words.emit("Pad", {n.int64_vector(pads), words.scalar_like(0)});
  Expr before(n, n.slice(longer, {0}, {-1}, {axis}));
  return mask && (is_first || !(words == before));
}

// ---- ctc_align ----

void ctc_align_packed(NodeContext& n, const Expr& x, double blank, bool merges) {
  Expr words(n, n.reshape(x, {-1}));
  auto sequences = require_input_row_partition(n, "Input");
  auto is_first = sequences.all_row_indices() ==
                  gather_rows(sequences.starts(), sequence_id_per_row(sequences));
  auto mask = ctc_output_mask(words, is_first, blank, merges);
  auto tokens = select_rows_by_mask(words, mask);
  // If no token remains, Paddle returns one row of -1.
  auto longer =
      n.concat({tokens, tokens.scalar_like(-1).emit("Unsqueeze", {n.int64_vector({0})})}, 0);
  auto end = max(num_rows(tokens), Expr(n, n.int64_vector({1})));
  n.set_output("Output", n.unsqueeze(n.emit("Slice", {longer, n.int64_vector({0}), end}), {1}));
  n.set_row_splits("Output", sequences_of_selected_rows(sequences, mask).row_splits);
}

// CTC alignment of padded sequences: moves the tokens that remain to the front of each row, and
// fills the rest of the row. x: [batch,time]
void ctc_align_padded(NodeContext& n, const Expr& x, double blank, bool merges) {
  auto column = [&](const Expr& v) { return Expr(n, n.reshape(v, {-1, 1})); };
  auto lengths = column(input_expr(n, "InputLength").to(DType::int64));
  Expr steps(n, n.unsqueeze(arange(n, dim_as_vector(n, x, 1)), {0}));
  auto mask = ctc_output_mask(x, steps == 0, blank, merges) && steps < lengths;
  auto counts = mask.to(DType::int64).emit("CumSum", {n.int64_scalar(1)});
  auto targets = where(mask, counts - 1, Expr(n, dim_as_vector(n, x, 1)));
  auto padded_shape = n.concat({dim_as_vector(n, x, 0), Expr(n, dim_as_vector(n, x, 1)) + 1}, 0);
  auto empty = full_like(x, static_cast<double>(n.attr("padding_value", 0)), padded_shape);
  auto scattered = n.emit("ScatterElements", {empty, targets, x}, {{"axis", std::int64_t{1}}});
  n.set_output("Output", n.slice(scattered, {0}, {-1}, {1}));
  n.set_output("OutputLength", sum(mask.to(DType::int64), {1}, true).to(n.require_known_dtype(x)));
}

void ctc_align(NodeContext& n) {
  auto x = input_expr(n, "Input");
  auto blank = static_cast<double>(n.attr("blank", 0));
  bool merges = n.attr("merge_repeated", true);
  n.require(n.require_known_rank(x) == 2, "needs Input [rows, 1] or [batch, time]");
  n.has_input("InputLength") ? ctc_align_padded(n, x, blank, merges)
                             : ctc_align_packed(n, x, blank, merges);
}

// ---- new row splits ----

void sequence_reshape(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto width = n.attr("new_dim", 1);
  require_unrollable_size(n, width, "attribute 'new_dim'");
  auto elements = require_input_row_partition(n).row_splits * Expr(n, dim_as_vector(n, x, 1)),
       offsets = elements / static_cast<double>(width);
  auto wrong = !(offsets * static_cast<double>(width) == elements);
  n.set_output("Out", n.reshape(x, {-1, width}));
  n.set_row_splits(
      "Out", fail_at_run_time_if_any(n, offsets, wrong,
                                     "the elements of a sequence do not fill rows of new_dim"));
}

// Returns the rows of X with new row splits: the row splits of Y, the elements of Y, or the
// attribute `target_lod`.
void lod_reset(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.require(!n.attr("append", false), "a further level of sequences has no lowering");
  Value offsets = n.row_splits("Y");
  if (!offsets) {
    Ints target = n.attr("target_lod", Ints{});
    Expr target_splits(n, n.has_input("Y") ? n.cast(as_int64_vector(n, n.input("Y")), DType::int64)
                                           : n.int64_vector(target));
    n.require(n.has_input("Y") || !target.empty(), "has no offsets");
    offsets = assert_row_splits_at_run_time({target_splits}, num_rows(x)).row_splits;
  }
  n.set_output("Out", x);
  n.set_row_splits("Out", offsets);
}

}  // namespace

std::span<const Rule> sequence_rearrangement_rules() {
  static const Rule rules[] = {
      {"sequence_pad", 11, sequence_pad, {.ignore_declared_shape = true}},
      {"sequence_unpad", 11, sequence_unpad},
      {"sequence_expand", 11, sequence_expand},
      {"sequence_expand_as", 11, sequence_expand_as},
      {"sequence_concat", 11, sequence_concat},
      {"sequence_reverse", 11, sequence_reverse},
      {"sequence_slice", 11, sequence_slice},
      {"sequence_erase", 11, sequence_erase},
      {"ctc_align", 11, ctc_align, {.ignore_declared_shape = true}},
      {"sequence_reshape", 11, sequence_reshape},
      {"lod_reset", 11, lod_reset},
  };
  return rules;
}

}  // namespace oarlock
