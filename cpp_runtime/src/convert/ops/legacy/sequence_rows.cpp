// Rows of packed sequences put in another order, brought together or left out.
#include <algorithm>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

Expr row_count(const Expr& x) { return {x.node(), size_along(x.node(), x, 0)}; }

// ---- padded and packed ----

// PadValue is one number, or a row.
void sequence_pad(Node& n) {
  auto x = in(n, "X"), value = in(n, "PadValue");
  auto sequences = sequences_of(n);
  auto lengths = sequences.lengths();
  auto length = n.attr("padded_length", -1);
  Expr longest = largest(lengths);
  if (length >= 0) {
    written_size(n, length, "attribute 'padded_length'");
    Expr wanted(n, n.ints({length}));
    longest = {
        n, only_where_none(n, wanted, longest > wanted, "a sequence is longer than padded_length")};
  }
  auto at = places(sequences.begins(), lengths, longest);
  auto found = rows_at(x, at.rows);
  n.out("Out", where(with_rank(at.inside, n.need_rank(found)), found, value));
  n.out("Length", lengths);
  for (auto slot : {"Out", "Length"}) n.out_offsets(slot, "");
}

void sequence_unpad(Node& n) {
  auto x = in(n, "X");
  n.require(n.need_rank(x) >= 2, "needs X [batch, time, ...]");
  Expr lengths(n, n.cast(as_vector(n, n.in("Length")), DType::int64)),
      longest(n, size_along(n, x, 1));
  auto wrong = lengths > longest || lengths < 0;
  lengths = {n, only_where_none(n, lengths, wrong, "a length is negative, or more than X has")};
  auto as_many = Expr(n, size_along(n, lengths, 0)) == Expr(n, size_along(n, x, 0));
  lengths = {n,
             only_where_none(n, lengths, !as_many, "there are not as many lengths as rows of X")};
  auto inside = Expr(n, n.unsqueeze(counted(n, longest), {0})) < as_column(lengths);
  n.out("Out", with_rank(packed(x, inside), 2));
  n.out_offsets("Out", of_lengths(lengths).offsets);
}

// ---- repeated ----

// Each row of X as often as its sequence in Y has rows.
void sequence_expand_as(Node& n) {
  auto sequences = sequences_of(n, "Y");
  n.out("Out", rows_at(in(n, "X"), sequence_numbers(sequences)));
  n.out_offsets("Out", sequences.offsets);
}

// The same for each sequence of X, where it has them.
void sequence_expand(Node& n) {
  auto x = in(n, "X");
  auto level = n.attr("ref_level", -1);
  n.require(level == -1 || level == 0, "attribute 'ref_level' is " + std::to_string(level));
  auto numbers = sequence_numbers(sequences_of(n, "Y"));
  if (n.offsets("X").empty()) {
    n.out("Out", rows_at(x, numbers));
    return n.out_offsets("Out", "");
  }
  auto sequences = sequences_of(n);
  auto lengths = rows_at(sequences.lengths(), numbers);
  auto at = places(rows_at(sequences.begins(), numbers), lengths, largest(lengths));
  n.out("Out", rows_at(x, packed(at.rows, at.inside)));
  n.out_offsets("Out", of_lengths(lengths).offsets);
}

// ---- in another order ----

void sequence_reverse(Node& n) {
  auto sequences = sequences_of(n);
  auto mirror = rows_at(sequences.begins() + sequences.ends() - 1, sequence_numbers(sequences));
  n.out("Y", rows_at(in(n, "X"), mirror - sequences.rows()));
}

// The first sequences of all, the second of all, ...
void sequence_concat(Node& n) {
  Values rows, inside;
  std::optional<Expr> offsets;
  for (std::size_t i = 0; i < need_values(n, "X").size(); ++i) {
    Sequences sequences{{n, n.offsets("X", i)}};
    n.require(!sequences.offsets.value().empty(), "needs packed sequences (LoD) in all of 'X'");
    auto at = places(sequences);
    rows.push_back(padded({n, n.ins("X")[i]}, at));
    inside.push_back(at.inside);
    offsets = offsets ? *offsets + sequences.offsets : sequences.offsets;
  }
  n.out("Out", packed({n, n.concat(rows, 1)}, {n, n.concat(inside, 1)}));
  n.out_offsets("Out", *offsets);
}

void sequence_slice(Node& n) {
  auto sequences = sequences_of(n);
  auto numbers = [&](std::string_view slot) {
    return Expr(n, n.cast(as_vector(n, n.in(slot)), DType::int64));
  };
  auto from = numbers("Offset"), lengths = numbers("Length");
  auto wrong = from < 0 || lengths < 0 || from + lengths > sequences.lengths();
  from = {n, only_where_none(n, from, wrong, "a slice is not inside of its sequence")};
  auto at = places(sequences.begins() + from, lengths, largest(lengths));
  n.out("Out", rows_at(in(n, "X"), packed(at.rows, at.inside)));
  n.out_offsets("Out", of_lengths(lengths).offsets);
}

// ---- left out ----

// What is left of sequences of which some rows are.   kept: bool[T]
Sequences left_of(const Sequences& sequences, const Expr& kept) {
  auto counted = of_lengths(kept.to(DType::int64)).offsets;
  return {rows_at(counted, sequences.offsets)};
}

Expr kept_rows(const Expr& x, const Expr& kept) {
  Node& n = x.node();
  n.require(n.need_rank(x) >= 1, "has no rows");
  Ints shape = *n.shape(x);
  Expr rows(n, n.emit("Compress", {x, kept}, {{"axis", std::int64_t{0}}}));
  shape[0] = -1;
  n.declare(rows, n.need_dtype(x), shape);
  return rows;
}

void sequence_erase(Node& n) {
  auto x = in(n, "X");
  Expr words(n, n.reshape(x, {-1})), kept = words == words;
  for (auto token : n.attr("tokens", Ints{})) kept = kept && !(words == static_cast<double>(token));
  n.out("Out", kept_rows(x, kept));
  n.out_offsets("Out", left_of(sequences_of(n), kept).offsets);
}

// Words that repeat the one before become one, where that is wanted; the blank is left out.
Expr kept_words(const Expr& words, const Expr& is_first, double blank, bool merges) {
  Node& n = words.node();
  auto kept = !(words == blank);
  if (!merges) return kept;
  int axis = n.need_rank(words) - 1;
  Ints pads(static_cast<std::size_t>(2 * axis + 2), 0);
  pads[static_cast<std::size_t>(axis)] = 1;
  auto longer = words.emit("Pad", {n.ints(pads), words.number(0)});
  Expr before(n, n.slice(longer, {0}, {-1}, {axis}));
  return kept && (is_first || !(words == before));
}

// ---- ctc_align ----

void align_packed(Node& n, const Expr& x, double blank, bool merges) {
  Expr words(n, n.reshape(x, {-1}));
  auto sequences = sequences_of(n, "Input");
  auto is_first = sequences.rows() == rows_at(sequences.begins(), sequence_numbers(sequences));
  auto kept = kept_words(words, is_first, blank, merges);
  auto found = kept_rows(words, kept);
  // Where nothing is left, real Paddle gives one row of -1.
  auto longer = n.concat({found, found.number(-1).emit("Unsqueeze", {n.ints({0})})}, 0);
  auto end = max(row_count(found), Expr(n, n.ints({1})));
  n.out("Output", n.unsqueeze(n.emit("Slice", {longer, n.ints({0}), end}), {1}));
  n.out_offsets("Output", left_of(sequences, kept).offsets);
}

// The words that are kept move to the front; what is behind them is filled.   x: [batch,time]
void align_padded(Node& n, const Expr& x, double blank, bool merges) {
  auto column = [&](const Expr& v) { return Expr(n, n.reshape(v, {-1, 1})); };
  auto lengths = column(in(n, "InputLength").to(DType::int64));
  Expr steps(n, n.unsqueeze(counted(n, size_along(n, x, 1)), {0}));
  auto kept = kept_words(x, steps == 0, blank, merges) && steps < lengths;
  auto counts = kept.to(DType::int64).emit("CumSum", {n.int_scalar(1)});
  auto targets = where(kept, counts - 1, Expr(n, size_along(n, x, 1)));
  auto room = n.concat({size_along(n, x, 0), Expr(n, size_along(n, x, 1)) + 1}, 0);
  auto empty = filled_like(x, static_cast<double>(n.attr("padding_value", 0)), room);
  auto put = n.emit("ScatterElements", {empty, targets, x}, {{"axis", std::int64_t{1}}});
  n.out("Output", n.slice(put, {0}, {-1}, {1}));
  n.out("OutputLength", sum(kept.to(DType::int64), {1}, true).to(n.need_dtype(x)));
}

void ctc_align(Node& n) {
  auto x = in(n, "Input");
  auto blank = static_cast<double>(n.attr("blank", 0));
  bool merges = n.attr("merge_repeated", true);
  n.require(n.need_rank(x) == 2, "needs Input [rows, 1] or [batch, time]");
  n.has("InputLength") ? align_padded(n, x, blank, merges) : align_packed(n, x, blank, merges);
}

// ---- other offsets ----

void sequence_reshape(Node& n) {
  auto x = in(n, "X");
  auto width = n.attr("new_dim", 1);
  written_size(n, width, "attribute 'new_dim'");
  auto elements = sequences_of(n).offsets * Expr(n, size_along(n, x, 1)),
       offsets = elements / static_cast<double>(width);
  auto wrong = !(offsets * static_cast<double>(width) == elements);
  n.out("Out", n.reshape(x, {-1, width}));
  n.out_offsets("Out", only_where_none(n, offsets, wrong,
                                       "the elements of a sequence do not fill rows of new_dim"));
}

// The same rows under other offsets: those of Y, the content of Y, or an attribute.
void lod_reset(Node& n) {
  auto x = in(n, "X");
  n.require(!n.attr("append", false), "a further level of sequences has no lowering");
  Value offsets = n.offsets("Y");
  if (offsets.empty()) {
    Ints target = n.attr("target_lod", Ints{});
    Expr given(n, n.has("Y") ? n.cast(as_vector(n, n.in("Y")), DType::int64) : n.ints(target));
    n.require(n.has("Y") || !target.empty(), "has no offsets");
    offsets = checked({given}, row_count(x)).offsets;
  }
  n.out("Out", x);
  n.out_offsets("Out", offsets);
}

}  // namespace

std::span<const Rule> sequence_rows_rules() {
  static const Rule rules[] = {
      {"sequence_pad", 11, sequence_pad, {.careless = true}},
      {"sequence_unpad", 11, sequence_unpad},
      {"sequence_expand", 11, sequence_expand},
      {"sequence_expand_as", 11, sequence_expand_as},
      {"sequence_concat", 11, sequence_concat},
      {"sequence_reverse", 11, sequence_reverse},
      {"sequence_slice", 11, sequence_slice},
      {"sequence_erase", 11, sequence_erase},
      {"ctc_align", 11, ctc_align, {.careless = true}},
      {"sequence_reshape", 11, sequence_reshape},
      {"lod_reset", 11, lod_reset},
  };
  return rules;
}

}  // namespace oarlock
