// Truth values: comparisons, logic, choices, and bits of integers.
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// What ONNX cannot order is ordered as int32.
Pair ordered(Node& n) {
  auto pair = aligned(n);
  if (n.dtype(pair.x) != DType::boolean) return pair;
  return {n.cast(pair.x, DType::int32), n.cast(pair.y, DType::int32)};
}

Lower ordering(std::string_view onnx) {
  return [onnx](Node& n) {
    auto [x, y] = ordered(n);
    n.out("Out", n.emit(onnx, {x, y}));
  };
}

// Before opset 12 there was no "or equal".
Lower unless(std::string_view onnx) {
  return [onnx](Node& n) {
    auto [x, y] = ordered(n);
    n.out("Out", n.emit("Not", {n.emit(onnx, {x, y})}));
  };
}

Lower equality(bool wanted) {
  return [wanted](Node& n) {
    auto [x, y] = aligned(n);
    auto equal = n.emit("Equal", {x, y});
    n.out("Out", wanted ? equal : n.emit("Not", {equal}));
  };
}

Lower logical(std::string_view onnx) {
  return [onnx](Node& n) {
    auto [x, y] = aligned(n);
    n.out("Out", n.emit(onnx, {n.cast(x, DType::boolean), n.cast(y, DType::boolean)}));
  };
}

// Integers got their own ops in opset 18.
Lower bitwise(std::string_view of_bools, std::string_view of_integers) {
  return [of_bools, of_integers](Node& n) {
    auto x = n.in("X"), y = n.in("Y");
    if (n.need_dtype(x) == DType::boolean) return n.out("Out", n.emit(of_bools, {x, y}));
    n.need_opset(18);
    n.out("Out", n.emit(of_integers, {x, y}));
  };
}

// In two's complement ~x is -x - 1; an unsigned one has its largest value instead of -1.
void bitwise_not(Node& n) {
  auto x = n.in("X");
  auto dtype = n.need_dtype(x);
  if (dtype == DType::boolean) return n.out("Out", n.emit("Not", {x}));
  if (dtype != DType::int64 && dtype != DType::int32) n.need_opset(14);
  n.out("Out", n.emit("Sub", {n.scalar(dtype == DType::uint8 ? 255 : -1, dtype), x}));
}

// ---- what a float is; an integer is always finite ----

Value never(Node& n, const Value& x) { return n.emit("Less", {x, x}); }

Value is_nan(Node& n, const Value& x) { return n.emit("IsNaN", {x}); }

Value is_inf(Node& n, const Value& x) {
  bool narrow = n.dtype(x) == DType::float16;
  return n.emit("IsInf", {narrow ? n.cast(x, DType::float32) : x});
}

using Question = Value (*)(Node&, const Value&);

Value asked(Node& n, Question what) {
  auto x = n.in("X");
  return is_floating(n.need_dtype(x)) ? what(n, x) : never(n, x);
}

Lower each(Question what) {
  return [what](Node& n) { n.out("Out", asked(n, what)); };
}

// The first forms ask it of all elements together.
Lower any(Question what) {
  return [what](Node& n) {
    auto found = reduce(n, "ReduceMax", n.cast(asked(n, what), DType::int32), {}, false);
    out_scalar(n, "Out", n.cast(found, DType::boolean));
  };
}

Value finite(Node& n) {
  auto not_finite = [](Node& n, const Value& x) {
    return n.emit("Or", {is_nan(n, x), is_inf(n, x)});
  };
  return n.emit("Not", {asked(n, not_finite)});
}

void isfinite(Node& n) { n.out("Out", finite(n)); }

void all_finite(Node& n) {
  auto each = n.cast(finite(n), DType::int32);
  out_scalar(n, "Out", n.cast(reduce(n, "ReduceMin", each, {}, false), DType::boolean));
}

// ONNX Runtime chooses among numbers only, and not among all of them.
void where(Node& n) {
  auto condition = n.in("Condition"), x = n.in("X"), y = n.in("Y");
  auto dtype = n.need_dtype(x);
  bool narrow = dtype == DType::boolean || dtype == DType::int16;
  auto wide = [&](const Value& v) { return narrow ? n.cast(v, DType::int32) : v; };
  n.out("Out", n.cast(n.emit("Where", {condition, wide(x), wide(y)}), dtype));
}

}  // namespace

std::span<const Rule> compare_rules() {
  static const Rule rules[] = {
      {"equal", 11, equality(true)},
      {"not_equal", 11, equality(false)},
      {"less_than", 9, ordering("Less")},
      {"greater_than", 9, ordering("Greater")},
      {"less_equal", 9, unless("Greater")},
      {"greater_equal", 9, unless("Less")},
      {"less_equal", 12, ordering("LessOrEqual")},
      {"greater_equal", 12, ordering("GreaterOrEqual")},
      {"logical_and", 7, logical("And")},
      {"logical_or", 7, logical("Or")},
      {"logical_xor", 7, logical("Xor")},
      {"logical_not", 7,
       [](Node& n) { n.out("Out", n.emit("Not", {n.cast(n.in("X"), DType::boolean)})); }},
      {"bitwise_and", 7, bitwise("And", "BitwiseAnd")},
      {"bitwise_or", 7, bitwise("Or", "BitwiseOr")},
      {"bitwise_xor", 7, bitwise("Xor", "BitwiseXor")},
      {"bitwise_not", 7, bitwise_not},
      {"isnan_v2", 9, each(is_nan)},
      {"isinf_v2", 10, each(is_inf)},
      {"isfinite_v2", 10, isfinite},
      {"isnan", 9, any(is_nan)},
      {"isinf", 10, any(is_inf)},
      {"isfinite", 10, all_finite},
      {"where", 9, where},
  };
  return rules;
}

}  // namespace oarlock
