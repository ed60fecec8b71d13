// isclose, elementwise, and reductions of whole tensors to one bool: allclose, equal_all, is_empty.
#include <cmath>
#include <cstdlib>

#include "base/number_text_conversion.h"
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Reads a tolerance: a tensor of one element, an attribute with a number as text, or in files of
// Paddle 1.8 a FLOAT attribute.
Expr read_tolerance(NodeContext& n, std::string_view slot, std::string_view attr,
                    const char* default_value) {
  if (n.has_input(slot)) return Expr(n, as_scalar(n, n.input(slot))).to(DType::float64);
  if (n.has_float_attr(attr)) return {n, n.scalar(n.attr(attr, 0.0), DType::float64)};
  auto text = n.attr(attr, default_value);
  auto value = try_parse_double(text);
  n.require(value.has_value(),
            "attribute '" + std::string(attr) + "' is '" + text + "', not a number");
  return {n, n.scalar(*value, DType::float64)};
}

// |x - y| <= atol + rtol * |y|, or equal; in float64, as in Paddle.
Expr is_close(NodeContext& n) {
  auto x = input_expr(n, "Input").to(DType::float64), y = input_expr(n, "Other").to(DType::float64);
  auto limit = read_tolerance(n, "Atol", "atol", "1e-8") +
               read_tolerance(n, "Rtol", "rtol", "1e-5") * abs(y);
  auto result = x == y || abs(x - y) <= limit;
  return n.attr("equal_nan", false) ? result || (isnan(x) && isnan(y)) : result;
}

// Whether all elements are true; true for an empty tensor.
Expr all_true(const Expr& truths) {
  NodeContext& n = truths.context();
  Expr misses(n, reduce(n, "ReduceSum", (!truths).to(DType::int64), {}, false));
  return misses == 0;
}

void isclose(NodeContext& n) { n.set_output("Out", is_close(n)); }

void allclose(NodeContext& n) { set_scalar_output_as_declared(n, "Out", all_true(is_close(n))); }

// Whether shapes and elements are equal. Elements are compared only if the shapes are equal,
// because different shapes might broadcast.
Expr have_same_shape_and_elements(NodeContext& n, const Expr& x, const Expr& y) {
  Expr sizes(n, n.emit_shape(x)), others(n, n.emit_shape(y));
  auto same =
      n.build_subgraph("same", [&](NodeContext& b) { b.add_subgraph_output(all_true(x == y)); });
  auto other = n.build_subgraph(
      "other", [&](NodeContext& b) { b.add_subgraph_output(b.scalar(0, DType::boolean)); });
  auto result =
      n.emit("If", {all_true(sizes == others)}, {{"then_branch", same}, {"else_branch", other}});
  n.declare_type(result, DType::boolean, Ints{});
  return {n, result};
}

void equal_all(NodeContext& n) {
  auto x = input_expr(n, "X"), y = input_expr(n, "Y");
  auto a = n.shape(x), b = n.shape(y);
  n.require(a && b, "needs the ranks of both operands to be known");
  bool differ = a->size() != b->size();
  for (std::size_t i = 0; !differ && i < a->size(); ++i)
    differ = (*a)[i] >= 0 && (*b)[i] >= 0 && (*a)[i] != (*b)[i];
  if (differ) return set_scalar_output_as_declared(n, "Out", n.scalar(0, DType::boolean));
  bool comparable = a == b && std::count(a->begin(), a->end(), -1) == 0;
  set_scalar_output_as_declared(
      n, "Out", comparable ? all_true(x == y) : have_same_shape_and_elements(n, x, y));
}

void is_empty(NodeContext& n) {
  Expr count(n, n.emit("Size", {n.input("X")}));
  set_scalar_output_as_declared(n, "Out", count == 0);
}

}  // namespace

std::span<const Rule> closeness_and_equality_rules() {
  static const Rule rules[] = {
      {"isclose", 11, isclose},
      {"allclose", 11, allclose},
      {"equal_all", 11, equal_all},
      {"is_empty", 11, is_empty},
  };
  return rules;
}

}  // namespace oarlock
