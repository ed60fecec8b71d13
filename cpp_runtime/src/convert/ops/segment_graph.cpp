// Rows brought together by segments and along the edges of graphs.
#include <algorithm>
#include <cmath>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

struct Together {
  std::string_view paddle, onnx;
  int since;
  double empty;  // what a place holds before a row comes to it; of integers, which have no such
                 // number, the last
};

const Together& how(const Node& n, std::string_view attr) {
  static constexpr Together all[] = {{"SUM", "add", 16, 0},
                                     {"MEAN", "add", 16, 0},
                                     {"MAX", "max", 18, -INFINITY},
                                     {"MIN", "min", 18, INFINITY}};
  auto name = n.attr(attr, "SUM");
  auto found = std::find_if(std::begin(all), std::end(all),
                            [&](const Together& t) { return t.paddle == name; });
  n.require(found != std::end(all), "attribute '" + std::string(attr) + "' is " + name);
  n.need_opset(found->since);
  return *found;
}

Expr scattered(const Expr& onto, const Value& at, const Expr& rows, std::string_view reduction) {
  return {onto.node(), gathered_at(onto.node(), onto, at, rows, reduction)};
}

struct Gathered {
  Expr rows, counts;  // [count,*], 0 where nothing came; [count]
};

// count: int64[1]
Gathered gathered(const Expr& rows, const Value& places, const Value& count,
                  const Together& together) {
  Node& n = rows.node();
  int rank = n.need_rank(rows);
  n.require(rank > 0, "has no rows");
  auto at = n.unsqueeze(as_vector(n, places), {-1});
  auto shape = n.concat({count, n.slice(n.shape_of(rows), {1}, {rank}, {0})}, 0);
  Expr found = scattered(filled_like(rows, together.empty, shape), at, rows, together.onnx);
  auto ones = filled_like(rows, 1, n.shape_of(as_vector(n, places)));
  auto counts = scattered(filled_like(rows, 0, count), at, ones, "add");
  Ints behind = all_axes(rank);
  behind.erase(behind.begin());
  Expr column(n, n.unsqueeze(counts, behind));
  if (together.paddle == "MEAN") found = found / max(column, 1);
  if (together.empty != 0) found = where(column > 0, found, 0);
  return {found, counts};
}

// The numbers of segments do not fall, so the last is the largest.
void segment_pool(Node& n) {
  auto x = in(n, "X"),
       last = Expr(n, n.slice(as_vector(n, n.in("SegmentIds")), {-1}, {INT64_MAX}, {0}));
  auto [rows, counts] = gathered(x, positions_in(n, "SegmentIds"), last + 1, how(n, "pooltype"));
  n.out("Out", rows);
  n.out("SummedIds", n.unsqueeze(counts, {-1}));
}

// As many nodes as asked for, else as X has.   int64[1]
Value node_count(Node& n, const Value& x) {
  auto own = size_along(n, x, 0);
  if (n.has("Out_size")) {
    Expr asked(n, as_vector(n, n.in("Out_size")));
    return where(asked > 0, asked, Expr(n, own));
  }
  auto size = n.attr("out_size", Ints{0});
  return size.empty() || size[0] <= 0 ? own : n.ints({size[0]});
}

// The rows of nodes at one end of the edges.
Expr at_ends(Node& n, std::string_view nodes, std::string_view ends) {
  return in(n, nodes).emit("Gather", {as_vector(n, positions_in(n, ends))});
}

// What travels along an edge: of two rows, in the shape that both broadcast to.   Paddle has no
// more than these.
Expr message(Node& n, const Expr& a, const Expr& b) {
  auto op = n.attr("message_op", "ADD");
  n.require(op == "ADD" || op == "MUL", "attribute 'message_op' is " + op);
  return op == "ADD" ? a + b : a * b;
}

void receive(Node& n, const Expr& messages) {
  auto [rows, counts] = gathered(messages, positions_in(n, "Dst_index"), node_count(n, n.in("X")),
                                 how(n, "reduce_op"));
  n.out("Out", rows);
  n.out("Dst_count", counts.to(DType::int32));
}

void graph_send_recv(Node& n) { receive(n, at_ends(n, "X", "Src_index")); }

void graph_send_ue_recv(Node& n) {
  receive(n, message(n, at_ends(n, "X", "Src_index"), in(n, "Y")));
}

void graph_send_uv(Node& n) {
  n.out("out", message(n, at_ends(n, "x", "src_index"), at_ends(n, "y", "dst_index")));
}

}  // namespace

std::span<const Rule> segment_rules() {
  static const Rule rules[] = {
      {"segment_pool", 16, segment_pool},
      {"graph_send_recv", 16, graph_send_recv},
      {"graph_send_ue_recv", 16, graph_send_ue_recv},
      {"graph_send_uv", 7, graph_send_uv},
  };
  return rules;
}

}  // namespace oarlock
