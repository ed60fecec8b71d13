// Reductions of rows by segments and along graph edges.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

struct SegmentReductionMapping {
  std::string_view paddle, onnx;
  int since_opset;
  double initial;  // for integers, infinities become the limits of the dtype
};

const SegmentReductionMapping& read_segment_reduction_attr(const NodeContext& n,
                                                           std::string_view attr) {
  static constexpr SegmentReductionMapping all[] = {{"SUM", "add", 16, 0},
                                                    {"MEAN", "add", 16, 0},
                                                    {"MAX", "max", 18, -INFINITY},
                                                    {"MIN", "min", 18, INFINITY}};
  auto name = n.attr(attr, "SUM");
  auto it = std::find_if(std::begin(all), std::end(all),
                         [&](const SegmentReductionMapping& t) { return t.paddle == name; });
  n.require(it != std::end(all), "attribute '" + std::string(attr) + "' is " + name);
  n.require_opset(it->since_opset);
  return *it;
}

Expr scatter_reduce_rows(const Expr& onto, Value at, const Expr& rows, std::string_view reduction) {
  return {onto.context(), scatter_nd_reduce(onto.context(), onto, at, rows, reduction)};
}

struct AggregatedSegments {
  Expr rows, counts;  // [count,*], 0 for empty segments; [count]
};

// count: int64[1]
AggregatedSegments aggregate_segments(const Expr& rows, Value segment_ids, Value count,
                                      const SegmentReductionMapping& reduction) {
  NodeContext& n = rows.context();
  int rank = n.require_known_rank(rows);
  n.require(rank > 0, "has no rows");
  auto at = n.unsqueeze(as_int64_vector(n, segment_ids), {-1});
  auto shape = n.concat({count, n.slice(n.emit_shape(rows), {1}, {rank}, {0})}, 0);
  Expr aggregated =
      scatter_reduce_rows(full_like(rows, reduction.initial, shape), at, rows, reduction.onnx);
  auto ones = full_like(rows, 1, n.emit_shape(as_int64_vector(n, segment_ids)));
  auto counts = scatter_reduce_rows(full_like(rows, 0, count), at, ones, "add");
  Ints trailing_axes = all_axes(rank);
  trailing_axes.erase(trailing_axes.begin());
  Expr column(n, n.unsqueeze(counts, trailing_axes));
  if (reduction.paddle == "MEAN") aggregated = aggregated / max(column, 1);
  if (reduction.initial != 0) aggregated = where(column > 0, aggregated, 0);
  return {aggregated, counts};
}

// SegmentIds are in ascending order, so the last one determines the number of segments.
void segment_pool(NodeContext& n) {
  auto x = input_expr(n, "X"),
       last = Expr(n, n.slice(as_int64_vector(n, n.input("SegmentIds")), {-1}, {INT64_MAX}, {0}));
  auto [rows, counts] =
      aggregate_segments(x, read_index_input_invalidating_negatives(n, "SegmentIds"), last + 1,
                         read_segment_reduction_attr(n, "pooltype"));
  n.set_output("Out", rows);
  n.set_output("SummedIds", n.unsqueeze(counts, {-1}));
}

// The number of nodes in the output of a graph op: input or attribute `out_size`, by default the
// number of rows of X. int64[1]
Value read_num_output_rows(NodeContext& n, Value x) {
  auto own = dim_as_vector(n, x, 0);
  if (n.has_input("Out_size")) {
    Expr requested(n, as_int64_vector(n, n.input("Out_size")));
    return where(requested > 0, requested, Expr(n, own));
  }
  auto size = n.attr("out_size", Ints{0});
  return size.empty() || size[0] <= 0 ? own : n.int64_vector({size[0]});
}

// For each edge, the row of the node at one end: the rows of input `nodes` at the indices in input
// `ends`.
Expr gather_edge_rows(NodeContext& n, std::string_view nodes, std::string_view ends) {
  return input_expr(n, nodes).emit(
      "Gather", {as_int64_vector(n, read_index_input_invalidating_negatives(n, ends))});
}

// The message of an edge: combines the rows of its two ends, with broadcasting.
Expr apply_message_op(NodeContext& n, const Expr& a, const Expr& b) {
  auto op = n.attr("message_op", "ADD");
  n.require(op == "ADD" || op == "MUL", "attribute 'message_op' is " + op);
  return op == "ADD" ? a + b : a * b;
}

void set_aggregated_outputs(NodeContext& n, const Expr& messages) {
  auto [rows, counts] = aggregate_segments(
      messages, read_index_input_invalidating_negatives(n, "Dst_index"),
      read_num_output_rows(n, n.input("X")), read_segment_reduction_attr(n, "reduce_op"));
  n.set_output("Out", rows);
  n.set_output("Dst_count", counts.to(DType::int32));
}

void graph_send_recv(NodeContext& n) {
  set_aggregated_outputs(n, gather_edge_rows(n, "X", "Src_index"));
}

void graph_send_ue_recv(NodeContext& n) {
  set_aggregated_outputs(
      n, apply_message_op(n, gather_edge_rows(n, "X", "Src_index"), input_expr(n, "Y")));
}

void graph_send_uv(NodeContext& n) {
  n.set_output("out", apply_message_op(n, gather_edge_rows(n, "x", "src_index"),
                                       gather_edge_rows(n, "y", "dst_index")));
}

}  // namespace

std::span<const Rule> segment_pool_and_graph_send_recv_rules() {
  static const Rule rules[] = {
      {"segment_pool", 16, segment_pool},
      {"graph_send_recv", 16, graph_send_recv},
      {"graph_send_ue_recv", 16, graph_send_ue_recv},
      {"graph_send_uv", 7, graph_send_uv},
  };
  return rules;
}

}  // namespace oarlock
