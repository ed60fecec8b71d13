// Comparisons, boolean logic, selection, and bitwise ops.
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// Casts bool, which ONNX's comparisons do not support, to int32.
OperandPair read_orderable_operands(NodeContext& n) {
  auto pair = read_operands_aligned_by_axis_attr(n);
  if (n.dtype(pair.x) != DType::boolean) return pair;
  return {n.cast(pair.x, DType::int32), n.cast(pair.y, DType::int32)};
}

LowerFn comparison_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto [x, y] = read_orderable_operands(n);
    n.set_output("Out", n.emit(onnx, {x, y}));
  };
}

// x <= y is computed as !(x > y), and x >= y as !(x < y), because ONNX has LessOrEqual and
// GreaterOrEqual only since opset 12.
LowerFn negated_comparison_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto [x, y] = read_orderable_operands(n);
    n.set_output("Out", n.emit("Not", {n.emit(onnx, {x, y})}));
  };
}

LowerFn equality_rule(bool is_equal) {
  return [is_equal](NodeContext& n) {
    auto [x, y] = read_operands_aligned_by_axis_attr(n);
    auto equal = n.emit("Equal", {x, y});
    n.set_output("Out", is_equal ? equal : n.emit("Not", {equal}));
  };
}

LowerFn logical_rule(std::string_view onnx) {
  return [onnx](NodeContext& n) {
    auto [x, y] = read_operands_aligned_by_axis_attr(n);
    n.set_output("Out", n.emit(onnx, {n.cast(x, DType::boolean), n.cast(y, DType::boolean)}));
  };
}

// ONNX has bitwise ops of integers since opset 18; bools use the logical op `bool_op`.
LowerFn bitwise_rule(std::string_view bool_op, std::string_view int_op) {
  return [bool_op, int_op](NodeContext& n) {
    auto x = n.input("X"), y = n.input("Y");
    if (n.require_known_dtype(x) == DType::boolean)
      return n.set_output("Out", n.emit(bool_op, {x, y}));
    n.require_opset(18);
    n.set_output("Out", n.emit(int_op, {x, y}));
  };
}

// ~x is -x - 1; for unsigned types the largest value replaces -1.
void bitwise_not(NodeContext& n) {
  auto x = n.input("X");
  auto dtype = n.require_known_dtype(x);
  if (dtype == DType::boolean) return n.set_output("Out", n.emit("Not", {x}));
  if (dtype != DType::int64 && dtype != DType::int32) n.require_opset(14);
  n.set_output("Out", n.emit("Sub", {n.scalar(dtype == DType::uint8 ? 255 : -1, dtype), x}));
}

// ---- NaN and infinity; integers are always finite ----

Value emit_false_like(NodeContext& n, Value x) { return n.emit("Less", {x, x}); }

Value emit_is_nan(NodeContext& n, Value x) { return n.emit("IsNaN", {x}); }

Value emit_is_inf(NodeContext& n, Value x) {
  bool narrow = n.dtype(x) == DType::float16;
  return n.emit("IsInf", {narrow ? n.cast(x, DType::float32) : x});
}

using Predicate = Value (*)(NodeContext&, Value);

Value emit_float_predicate_or_false(NodeContext& n, Predicate predicate) {
  auto x = n.input("X");
  return is_floating(n.require_known_dtype(x)) ? predicate(n, x) : emit_false_like(n, x);
}

LowerFn elementwise_predicate_rule(Predicate predicate) {
  return [predicate](NodeContext& n) {
    n.set_output("Out", emit_float_predicate_or_false(n, predicate));
  };
}

// A rule for ops of Paddle 1.x that return whether a predicate, such as NaN, holds for any element.
LowerFn reduce_any_predicate_rule(Predicate predicate) {
  return [predicate](NodeContext& n) {
    auto result =
        reduce(n, "ReduceMax", n.cast(emit_float_predicate_or_false(n, predicate), DType::int32),
               {}, false);
    set_scalar_output_as_declared(n, "Out", n.cast(result, DType::boolean));
  };
}

Value emit_is_finite(NodeContext& n) {
  auto not_finite = [](NodeContext& n, Value x) {
    return n.emit("Or", {emit_is_nan(n, x), emit_is_inf(n, x)});
  };
  return n.emit("Not", {emit_float_predicate_or_false(n, not_finite)});
}

void isfinite_v2(NodeContext& n) { n.set_output("Out", emit_is_finite(n)); }

void isfinite_v1(NodeContext& n) {
  auto each = n.cast(emit_is_finite(n), DType::int32);
  set_scalar_output_as_declared(n, "Out",
                                n.cast(reduce(n, "ReduceMin", each, {}, false), DType::boolean));
}

// ONNX Runtime's Where does not support bool and int16, which are cast to int32.
void lower_where_op(NodeContext& n) {
  auto condition = n.input("Condition"), x = n.input("X"), y = n.input("Y");
  auto dtype = n.require_known_dtype(x);
  bool narrow = dtype == DType::boolean || dtype == DType::int16;
  auto wide = [&](Value v) { return narrow ? n.cast(v, DType::int32) : v; };
  n.set_output("Out", n.cast(n.emit("Where", {condition, wide(x), wide(y)}), dtype));
}

}  // namespace

std::span<const Rule> comparison_and_logic_rules() {
  static const Rule rules[] = {
      {"equal", 11, equality_rule(true)},
      {"not_equal", 11, equality_rule(false)},
      {"less_than", 9, comparison_rule("Less")},
      {"greater_than", 9, comparison_rule("Greater")},
      {"less_equal", 9, negated_comparison_rule("Greater")},
      {"greater_equal", 9, negated_comparison_rule("Less")},
      {"less_equal", 12, comparison_rule("LessOrEqual")},
      {"greater_equal", 12, comparison_rule("GreaterOrEqual")},
      {"logical_and", 7, logical_rule("And")},
      {"logical_or", 7, logical_rule("Or")},
      {"logical_xor", 7, logical_rule("Xor")},
      {"logical_not", 7,
       [](NodeContext& n) {
         n.set_output("Out", n.emit("Not", {n.cast(n.input("X"), DType::boolean)}));
       }},
      {"bitwise_and", 7, bitwise_rule("And", "BitwiseAnd")},
      {"bitwise_or", 7, bitwise_rule("Or", "BitwiseOr")},
      {"bitwise_xor", 7, bitwise_rule("Xor", "BitwiseXor")},
      {"bitwise_not", 7, bitwise_not},
      {"isnan_v2", 9, elementwise_predicate_rule(emit_is_nan)},
      {"isinf_v2", 10, elementwise_predicate_rule(emit_is_inf)},
      {"isfinite_v2", 10, isfinite_v2},
      {"isnan", 9, reduce_any_predicate_rule(emit_is_nan)},
      {"isinf", 10, reduce_any_predicate_rule(emit_is_inf)},
      {"isfinite", 10, isfinite_v1},
      {"where", 9, lower_where_op},
  };
  return rules;
}

}  // namespace oarlock
