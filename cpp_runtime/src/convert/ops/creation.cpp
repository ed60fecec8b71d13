// Creation of tensors: constants, ranges, linspace, eye.
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/number_text_conversion.h"
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scalar_bytes.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMaxFilledElements = 64;   // larger tensors are filled at run time
constexpr std::int64_t kMaxUnrolledRange = 4096;  // longer ranges are computed at run time

// A tensor of which all elements are equal. element: the bytes of one of them
Value emit_full(NodeContext& n, Value shape, DType dtype, const std::string& element) {
  auto known = n.find_constant_ints(shape);
  auto count = known ? element_count(*known).value_or(-1) : -1;
  if (count > kMaxFilledElements || count < 0)
    return n.emit("ConstantOfShape", {shape}, {{"value", onnx::Tensor{dtype, {1}, element}}});
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) bytes += element;
  return n.tensor({dtype, *known, bytes});
}

// The fill value as bytes. Attribute `str_value` represents numbers as text that the float
// attribute `value` cannot: all digits of an int64, inf and nan.
std::string read_fill_value_bytes(const NodeContext& n, DType dtype) {
  auto text = n.attr("str_value", "");
  if (text.empty()) return encode_scalar(n.attr("value", 0.0f), dtype);
  const char* begin = text.c_str();
  char* end = nullptr;
  auto whole = std::strtoll(begin, &end, 10);
  if (*end == 0 && dtype == DType::int64)
    return std::string(reinterpret_cast<const char*>(&whole), sizeof whole);
  auto value = try_parse_double(text);
  n.require(value.has_value(), "attribute 'str_value' is '" + text + "', not a number");
  return encode_scalar(*value, dtype);
}

void fill_constant(NodeContext& n) {
  auto shape = read_int_list_as_vector(n, {"shape", "ShapeTensor", "ShapeTensorList"});
  auto dtype = n.attr("dtype", DType::float32);
  if (!n.has_input("ValueTensor"))
    return n.set_output("Out", emit_full(n, shape, dtype, read_fill_value_bytes(n, dtype)));
  n.set_output("Out",
               n.emit("Expand", {n.cast(as_scalar(n, n.input("ValueTensor")), dtype), shape}));
}

void fill_any_like(NodeContext& n) {
  auto x = n.input("X");
  auto dtype = n.attr("dtype", n.require_known_dtype(x));
  n.set_output("Out",
               emit_full(n, n.emit_shape(x), dtype, encode_scalar(n.attr("value", 0.0), dtype)));
}

void lower_fill_batch_size_like_op(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.set_output("Out",
               emit_full(n, shape_attr_with_batch_size(n), dtype, read_fill_value_bytes(n, dtype)));
}

void empty(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.set_output("Out",
               emit_full(n, read_int_list_as_vector(n, {"shape", "ShapeTensor", "ShapeTensorList"}),
                         dtype, encode_scalar(0, dtype)));
}

// ---- constants ----

template <class List>
std::string encode_scalars(const List& values, DType dtype) {
  std::string bytes;
  for (auto v : values) bytes += encode_scalar(static_cast<double>(v), dtype);
  return bytes;
}

std::string encode_int64s(const Ints& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(std::int64_t));
}

std::string read_assign_bytes(const NodeContext& n, DType dtype) {
  for (auto name : {"bool_values", "int32_values", "int8_values", "uint8_values"})
    if (auto values = n.attr(name, Ints{}); !values.empty()) return encode_scalars(values, dtype);
  if (auto values = n.attr("int64_values", Ints{}); !values.empty()) return encode_int64s(values);
  for (auto name : {"fp32_values", "fp64_values"})
    if (auto values = n.attr(name, Floats{}); !values.empty()) return encode_scalars(values, dtype);
  std::string bytes;
  for (const Scalar& s : n.attr("values", Scalars{}))
    bytes += dtype == DType::int64 ? encode_int64s({s.i}) : encode_scalar(s.as_double(), dtype);
  return bytes;
}

void assign_value(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto shape = n.attr("shape", Ints{});
  auto bytes = read_assign_bytes(n, dtype);
  n.require(
      bytes.size() == static_cast<std::size_t>(element_count(shape).value_or(-1)) * size_of(dtype),
      "values do not fill the shape");
  n.set_output("Out", n.tensor({dtype, shape, bytes}));
}

// ---- ranges ----

// The range as a constant, if it is short and its bounds are moderate.
std::optional<Ints> find_short_constant_range(NodeContext& n, Value start, Value end, Value step) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  Ints bounds;
  for (Value v : {start, end, step}) {
    auto known = n.find_constant_ints(v);
    if (!known || known->size() != 1 || (*known)[0] > most || (*known)[0] < -most)
      return std::nullopt;
    bounds.push_back((*known)[0]);
  }
  auto from = bounds[0], to = bounds[1], by = bounds[2];
  if (by == 0 || (to - from) / by >= kMaxUnrolledRange) return std::nullopt;
  Ints all;
  for (auto v = from; by > 0 ? v < to : v > to; v += by) all.push_back(v);
  return all;
}

// start, start + step, ... before `end` in floats; the number of steps is computed in floats.
Value emit_float_range(const Expr& start, const Expr& end, const Expr& step) {
  NodeContext& n = start.context();
  auto count = ceil((end - start) / step).to(DType::int64);
  auto at = arange(n, count);
  return at.to(n.require_known_dtype(start)) * step + start;
}

// start, start + step, ... before `end`; for a step that may be negative as a negated Range,
// because ONNX Runtime turns a Gather by a Range into a Slice and takes an end of -1 for the last
// element.
Value emit_int_range(const Expr& start, const Expr& end, const Expr& step) {
  NodeContext& n = start.context();
  auto by = n.find_constant_scalar(step);
  if (by && *by > 0) return n.emit("Range", {start, end, step});
  Expr negated{n, n.emit("Range", {-start, -end, -step})};
  n.declare_type(negated, n.require_known_dtype(start), Ints{-1});
  return -negated;
}

void range(NodeContext& n) {
  Expr start(n, as_scalar(n, n.input("Start"))), end(n, as_scalar(n, n.input("End"))),
      step(n, as_scalar(n, n.input("Step")));
  if (is_floating(n.require_known_dtype(start)))
    return n.set_output("Out", emit_float_range(start, end, step));
  auto all = n.dtype(start) == DType::int64 ? find_short_constant_range(n, start, end, step)
                                            : std::nullopt;
  n.set_output("Out", all ? n.int64_vector(*all) : emit_int_range(start, end, step));
}

// `size` evenly spaced values as a constant, computed from both ends to the middle, as in Paddle.
Value constant_linspace(NodeContext& n, double start, double stop, std::int64_t size, DType dtype) {
  double step = size > 1 ? (stop - start) / static_cast<double>(size - 1) : 0;
  Floats values;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back(i < (size + 1) / 2 ? start + step * static_cast<double>(i)
                                        : stop - step * static_cast<double>(size - 1 - i));
  return n.vector(values, dtype);
}

// Evenly spaced values (linspace) whose bounds are known only at run time. count: int64[]
Value runtime_linspace(const Expr& start, const Expr& stop, const Expr& count, DType dtype) {
  NodeContext& n = start.context();
  auto at = arange(n, count);
  auto step = (stop - start) / max(count - 1, 1).to(DType::float64);
  auto from_start = start + step * at.to(DType::float64),
       from_stop = stop - step * (count - 1 - at).to(DType::float64);
  return where(at * 2 < count, from_start, from_stop).to(dtype);
}

// The scalar in a slot as float64 at run time; if `dtype` is integral, cast to it first, as Paddle
// does.
Expr emit_scalar_input_as_float64_via_dtype(NodeContext& n, const char* slot, DType dtype) {
  auto number = as_scalar(n, n.input(slot));
  return Expr(n, n.cast(is_floating(dtype) ? number : n.cast(number, dtype), DType::float64));
}

// Evenly spaced values, constant if the inputs are. to: dtype of the result; dtype: dtype that the
// bounds are cast to
Value emit_linspace(NodeContext& n, DType to, DType dtype) {
  auto first = n.find_constant_scalar(n.input("Start")),
       last = n.find_constant_scalar(n.input("Stop")),
       size = n.find_constant_scalar(n.input("Num"));
  auto whole = [&](double v) { return is_floating(dtype) ? v : std::trunc(v); };
  if (first && last && size && *size >= 0 && *size <= kMaxUnrolledRange)
    return constant_linspace(n, whole(*first), whole(*last), static_cast<std::int64_t>(*size), to);
  Expr count(n, n.cast(as_scalar(n, n.input("Num")), DType::int64));
  return runtime_linspace(emit_scalar_input_as_float64_via_dtype(n, "Start", dtype),
                          emit_scalar_input_as_float64_via_dtype(n, "Stop", dtype), count, to);
}

void linspace(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.set_output("Out", emit_linspace(n, dtype, dtype));
}

// The op `logspace`: powers of Base with evenly spaced exponents.
void logspace(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto powers = emit_scalar_input_as_float64_via_dtype(n, "Base", dtype)
                    .emit("Pow", {emit_linspace(n, DType::float64, dtype)});
  n.set_output("Out", powers.to(dtype));
}

void eye(NodeContext& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto rows = n.attr("num_rows", 0), columns = n.attr("num_columns", -1);
  if (columns < 0) columns = rows;
  auto zeros = emit_full(n, n.int64_vector({rows, columns}), dtype, encode_scalar(0, dtype));
  n.set_output("Out", n.emit("EyeLike", {zeros}, {{"dtype", std::int64_t{onnx_of(dtype)}}}));
}

}  // namespace

std::span<const Rule> creation_rules() {
  static const Rule rules[] = {
      {"fill_constant", 9, fill_constant},
      {"fill_any_like", 9, fill_any_like},
      {"fill_constant_batch_size_like", 9, lower_fill_batch_size_like_op},
      {"empty", 9, empty},
      {"assign_value", 7, assign_value},
      {"range", 11, range},
      {"linspace", 11, linspace},
      {"logspace", 11, logspace},
      {"eye", 9, eye},
  };
  return rules;
}

}  // namespace oarlock
