#include "convert/lod_sequences.h"

#include "convert/operands.h"
#include "convert/runtime_assert.h"

namespace oarlock {

Expr Sequences::begins() const { return {node(), node().slice(offsets, {0}, {-1}, {0})}; }
Expr Sequences::ends() const { return {node(), node().slice(offsets, {1}, {INT64_MAX}, {0})}; }
Expr Sequences::lengths() const { return ends() - begins(); }
Expr Sequences::count() const { return Expr(node(), size_along(node(), offsets, 0)) - 1; }
Expr Sequences::rows() const {
  return counted(node(), node().slice(offsets, {-1}, {INT64_MAX}, {0}));
}

Sequences sequences_of(Node& n, std::string_view slot) {
  Value offsets = n.offsets(slot);
  n.require(!offsets.empty(), "needs packed sequences (LoD) in '" + std::string(slot) + "'");
  return {{n, offsets}};
}

Sequences of_lengths(const Expr& lengths) {
  Node& n = lengths.node();
  return {{n, n.concat({n.ints({0}), lengths.emit("CumSum", {n.int_scalar(0)})}, 0)}};
}

Sequences checked(const Sequences& sequences, const Expr& rows) {
  Node& n = sequences.node();
  Expr first(n, n.slice(sequences.offsets, {0}, {1}, {0})),
      last(n, n.slice(sequences.offsets, {-1}, {INT64_MAX}, {0}));
  auto wrong = n.concat({sequences.lengths() < 0, !(first == 0), !(last == rows)}, 0);
  return {
      {n, only_where_none(n, sequences.offsets, wrong,
                          "offsets must begin with 0, not fall, and end with the number of rows")}};
}

Expr largest(const Expr& lengths) {
  Node& n = lengths.node();
  return reduce("ReduceMax", Expr(n, n.concat({lengths, n.ints({0})}, 0)), {0}, true);
}

Places places(const Expr& begins, const Expr& lengths, const Expr& longest) {
  Node& n = begins.node();
  Expr steps(n, n.unsqueeze(counted(n, longest), {0}));
  auto inside = steps < as_column(lengths);
  return {where(inside, as_column(begins) + steps, 0), inside};
}

Places places(const Sequences& sequences) {
  auto lengths = sequences.lengths();
  return places(sequences.begins(), lengths, largest(lengths));
}

Expr with_rank(const Expr& v, int rank) {
  Ints behind;
  for (int axis = v.node().need_rank(v); axis < rank; ++axis) behind.push_back(axis);
  return {v.node(), v.node().unsqueeze(v, behind)};
}

Expr padded(const Expr& rows, const Places& places, double behind) {
  auto found = rows_at(rows, places.rows);
  return where(with_rank(places.inside, rows.node().need_rank(found)), found, behind);
}

Expr packed(const Expr& padded, const Expr& inside) {
  Node& n = padded.node();
  n.require(n.need_rank(padded) >= 2, "needs an axis of sequences and one of time");
  Ints shape = *n.shape(padded);
  shape.erase(shape.begin());
  shape[0] = -1;
  auto flat = reshaped(n, padded, {n.ints({-1}), sizes_from(n, padded, 2)});
  Expr rows(n, n.emit("Compress", {flat, n.reshape(inside, {-1})}, {{"axis", std::int64_t{0}}}));
  n.declare(rows, n.need_dtype(padded), shape);
  return rows;
}

Expr sequence_numbers(const Sequences& sequences) {
  Node& n = sequences.node();
  auto at = places(sequences);
  auto numbers = as_column(counted(n, sequences.count())).emit("Expand", {n.shape_of(at.inside)});
  return packed(numbers, at.inside);
}

}  // namespace oarlock
