// Reductions of rows by segments and along graph edges.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

struct SegmentReduction {
  std::string_view paddle, onnx;
  int since_opset;
  double initial;  // initial value; for integers, the last row replaces it
};

const SegmentReduction& find_reduction(const NodeContext& n, std::string_view attr) {
  static constexpr SegmentReduction all[] = {{"SUM", "add", 16, 0},
                                             {"MEAN", "add", 16, 0},
                                             {"MAX", "max", 18, -INFINITY},
                                             {"MIN", "min", 18, INFINITY}};
  auto name = n.attr(attr, "SUM");
  auto found = std::find_if(std::begin(all), std::end(all),
                            [&](const SegmentReduction& t) { return t.paddle == name; });
  n.require(found != std::end(all), "attribute '" + std::string(attr) + "' is " + name);
  n.require_opset(found->since_opset);
  return *found;
}

Expr scatter_rows(const Expr& onto, Value at, const Expr& rows, std::string_view reduction) {
  return {onto.node(), scatter_nd_reduce(onto.node(), onto, at, rows, reduction)};
}

struct Aggregated {
  Expr rows, counts;  // [count,*], 0 for empty segments; [count]
};

// count: int64[1]
Aggregated aggregate(const Expr& rows, Value places, Value count,
                     const SegmentReduction& together) {
  NodeContext& n = rows.node();
  int rank = n.require_rank(rows);
  n.require(rank > 0, "has no rows");
  auto at = n.unsqueeze(as_vector(n, places), {-1});
  auto shape = n.concat({count, n.slice(n.shape_of(rows), {1}, {rank}, {0})}, 0);
  Expr found = scatter_rows(full_like(rows, together.initial, shape), at, rows, together.onnx);
  auto ones = full_like(rows, 1, n.shape_of(as_vector(n, places)));
  auto counts = scatter_rows(full_like(rows, 0, count), at, ones, "add");
  Ints behind = all_axes(rank);
  behind.erase(behind.begin());
  Expr column(n, n.unsqueeze(counts, behind));
  if (together.paddle == "MEAN") found = found / max(column, 1);
  if (together.initial != 0) found = where(column > 0, found, 0);
  return {found, counts};
}

// Segment ids do not decrease, so the last is the largest.
void segment_pool(NodeContext& n) {
  auto x = in(n, "X"),
       last = Expr(n, n.slice(as_vector(n, n.in("SegmentIds")), {-1}, {INT64_MAX}, {0}));
  auto [rows, counts] =
      aggregate(x, index_input(n, "SegmentIds"), last + 1, find_reduction(n, "pooltype"));
  n.out("Out", rows);
  n.out("SummedIds", n.unsqueeze(counts, {-1}));
}

// The number of nodes, by default that of X. int64[1]
Value node_count(NodeContext& n, Value x) {
  auto own = dim_as_vector(n, x, 0);
  if (n.has("Out_size")) {
    Expr asked(n, as_vector(n, n.in("Out_size")));
    return where(asked > 0, asked, Expr(n, own));
  }
  auto size = n.attr("out_size", Ints{0});
  return size.empty() || size[0] <= 0 ? own : n.ints({size[0]});
}

// The rows of nodes at one end of the edges.
Expr edge_rows(NodeContext& n, std::string_view nodes, std::string_view ends) {
  return in(n, nodes).emit("Gather", {as_vector(n, index_input(n, ends))});
}

// The message of an edge: combines the rows of its two ends, with broadcasting.
Expr message(NodeContext& n, const Expr& a, const Expr& b) {
  auto op = n.attr("message_op", "ADD");
  n.require(op == "ADD" || op == "MUL", "attribute 'message_op' is " + op);
  return op == "ADD" ? a + b : a * b;
}

void aggregate_messages(NodeContext& n, const Expr& messages) {
  auto [rows, counts] = aggregate(messages, index_input(n, "Dst_index"), node_count(n, n.in("X")),
                                  find_reduction(n, "reduce_op"));
  n.out("Out", rows);
  n.out("Dst_count", counts.to(DType::int32));
}

void graph_send_recv(NodeContext& n) { aggregate_messages(n, edge_rows(n, "X", "Src_index")); }

void graph_send_ue_recv(NodeContext& n) {
  aggregate_messages(n, message(n, edge_rows(n, "X", "Src_index"), in(n, "Y")));
}

void graph_send_uv(NodeContext& n) {
  n.out("out", message(n, edge_rows(n, "x", "src_index"), edge_rows(n, "y", "dst_index")));
}

}  // namespace

std::span<const Rule> segment_graph_rules() {
  static const Rule rules[] = {
      {"segment_pool", 16, segment_pool},
      {"graph_send_recv", 16, graph_send_recv},
      {"graph_send_ue_recv", 16, graph_send_ue_recv},
      {"graph_send_uv", 7, graph_send_uv},
  };
  return rules;
}

}  // namespace oarlock
