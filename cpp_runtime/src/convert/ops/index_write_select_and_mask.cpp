// Writing and adding at tensor indices (index_put, index_add), selection (multiplex, gather_tree),
// shard_index and sequence_mask.
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// Row i of the output is row i of the input that Ids[i] selects.
void multiplex(NodeContext& n) {
  Values stacked;
  for (Value candidate : require_one_or_more_inputs(n, "X"))
    stacked.push_back(n.unsqueeze(candidate, {0}));
  auto ids =
      n.reshape(n.cast(read_index_input_invalidating_negatives(n, "Ids"), DType::int64), {-1, 1});
  auto rows = arange(n, dim_as_scalar(n, ids, 0));
  auto at = n.concat({ids, n.unsqueeze(rows, {-1})}, 1);
  n.set_output("Out", n.emit("GatherND", {n.concat(stacked, 0), at}));
}

Value write_or_add_at(NodeContext& n, Value x, Value at, Value values, bool add) {
  if (!add) return n.emit("ScatterND", {x, at, values});
  n.require_opset(16);
  return scatter_nd_reduce(n, x, at, values, "add");
}

void index_add(NodeContext& n) {
  auto x = n.input("X");
  auto axis = n.normalized_axis_attr("axis", 0, n.require_known_rank(x));
  Ints to_front = all_axes(n.rank(x)), back = to_front;
  std::rotate(to_front.begin(), to_front.begin() + axis, to_front.begin() + axis + 1);
  std::rotate(back.begin(), back.begin() + 1, back.begin() + axis + 1);
  auto at =
      n.unsqueeze(as_int64_vector(n, read_index_input_invalidating_negatives(n, "Index")), {-1});
  auto sum = write_or_add_at(n, n.transpose(x, to_front), at,
                             n.transpose(n.input("AddValue"), to_front), true);
  n.set_output("Out", n.transpose(sum, back));
}

// Appends the index lists of an indexing tensor to `positions`: a mask of k axes yields k lists, a
// tensor of integers one.
void append_index_lists_of_mask_or_integers(NodeContext& n, Value index, Exprs& positions) {
  if (n.require_known_dtype(index) != DType::boolean)
    return positions.emplace_back(n, n.cast(index, DType::int64)), void();
  auto hits = n.emit("NonZero", {index});
  for (int axis = 0; axis < n.require_known_rank(index); ++axis)
    positions.emplace_back(n, n.squeeze(n.slice(hits, {axis}, {axis + 1}, {0}), {0}));
}

// Stacks index lists, broadcast to one shape. int64[*,axes]
Value stack_index_lists(NodeContext& n, const Exprs& positions) {
  Expr all = positions[0];
  for (std::size_t i = 1; i < positions.size(); ++i) all = all + positions[i];
  Values columns;
  for (const Expr& p : positions)
    columns.push_back(
        n.unsqueeze(positions.size() == 1 ? p : p.emit("Expand", {n.emit_shape(all)}), {-1}));
  return n.concat(columns, static_cast<std::int64_t>(n.require_known_rank(all)));
}

void index_put(NodeContext& n) {
  auto x = n.input("x"), value = n.input("value");
  Exprs positions;
  for (Value index : require_one_or_more_inputs(n, "indices"))
    append_index_lists_of_mask_or_integers(n, index, positions);
  auto axes = static_cast<std::int64_t>(positions.size());
  n.require(axes > 0, "a mask without axes has no lowering");
  n.require(axes <= n.require_known_rank(x), "there are more indices than axes");
  auto at = stack_index_lists(n, positions);
  auto lead = n.slice(n.emit_shape(at), {0}, {-1}, {0}),
       trailing_shape = n.slice(n.emit_shape(x), {axes}, {n.rank(x)}, {0});
  auto values = n.emit("Expand", {value, n.concat({lead, trailing_shape}, 0)});
  n.set_output("out", write_or_add_at(n, x, at, values, n.attr("accumulate", false)));
}

// The index relative to the first index of shard `shard_id`; `ignore_value` for indices of other
// shards.
void shard_index(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto count = n.attr("index_num", 0), shards = n.attr("nshards", 0), id = n.attr("shard_id", 0);
  n.require(count > 0 && shards > 0 && id >= 0 && id < shards, "names no shard");
  std::int64_t each = (count + shards - 1) / shards;
  auto size = static_cast<double>(each), first = static_cast<double>(id) * size;
  auto mine = x >= first && x < first + size;
  n.set_output("Out", where(mine, x - first, static_cast<double>(n.attr("ignore_value", -1))));
}

// The op sequence_mask: for each length, 1 at the positions below it and 0 at all others.
void sequence_mask(NodeContext& n) {
  auto x = input_expr(n, "X");
  auto length = n.attr("maxlen", -1);
  auto wide = [&](Value v) { return n.cast(v, DType::int64); };
  Value end = n.has_input("MaxLenTensor") ? as_scalar(n, wide(n.input("MaxLenTensor")))
              : length >= 0               ? n.int64_scalar(length)
                                          : wide(reduce(n, "ReduceMax", x, {}, false));
  auto positions = arange(n, end).to(n.require_known_dtype(x));
  n.set_output("Y",
               (positions < Expr(n, n.unsqueeze(x, {-1}))).to(n.attr("out_dtype", DType::int64)));
}

// Traces beams from the last step back to the first: at each step takes the token of each beam,
// then continues with the parent beam.
void gather_tree(NodeContext& n) {
  auto ids = input_expr(n, "Ids"), parents = input_expr(n, "Parents");
  auto gather_beams = [&](const Expr& from, const Expr& beams) {
    return Expr(n, n.emit("GatherElements", {from, beams}, {{"axis", std::int64_t{1}}}));
  };
  n.require(n.require_known_rank(ids) == 3, "needs the shape [time, batch, beams]");
  auto beams = arange(n, dim_as_scalar(n, ids, 2));
  auto start =
      beams.to(n.require_known_dtype(parents)).emit("Expand", {shape_except_axis(n, ids, 0)});
  auto step = [&](const Exprs& beam, const Exprs& now) -> IterationResult {
    return {{gather_beams(now[1], beam[0])}, {gather_beams(now[0], beam[0])}};
  };
  n.set_output("Out", build_scan(n, {0, true}, {start}, {ids, parents}, step).outputs[0]);
}

}  // namespace

std::span<const Rule> index_write_select_and_mask_rules() {
  static const Rule rules[] = {
      {"multiplex", 12, multiplex},         {"index_add", 16, index_add},
      {"index_put", 11, index_put},         {"shard_index", 9, shard_index},
      {"sequence_mask", 11, sequence_mask}, {"gather_tree", 11, gather_tree},
  };
  return rules;
}

}  // namespace oarlock
