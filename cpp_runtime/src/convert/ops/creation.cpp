// Tensors from nothing.
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/decimal.h"
#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"
#include "convert/scalar_bytes.h"

namespace oarlock {
namespace {

constexpr std::int64_t kSmall = 64;     // up to here a filled tensor is written out
constexpr std::int64_t kListed = 4096;  // and a sequence up to here

// One number everywhere.   one: its bytes
Value filled(Node& n, const Value& shape, DType dtype, const std::string& one) {
  auto known = n.const_ints(shape);
  auto count = known ? element_count(*known).value_or(-1) : -1;
  if (count > kSmall || count < 0)
    return n.emit("ConstantOfShape", {shape}, {{"value", onnx::Tensor{dtype, {1}, one}}});
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) bytes += one;
  return n.tensor({dtype, *known, bytes});
}

// Text holds what a float cannot: all digits of an int64, inf and nan.
std::string number(const Node& n, DType dtype) {
  auto text = n.attr("str_value", "");
  if (text.empty()) return encoded(n.attr("value", 0.0f), dtype);
  const char* begin = text.c_str();
  char* end = nullptr;
  auto whole = std::strtoll(begin, &end, 10);
  if (*end == 0 && dtype == DType::int64)
    return std::string(reinterpret_cast<const char*>(&whole), sizeof whole);
  auto value = parse_double(text);
  n.require(value.has_value(), "attribute 'str_value' is '" + text + "', not a number");
  return encoded(*value, dtype);
}

void fill_constant(Node& n) {
  auto shape = int_list(n, {"shape", "ShapeTensor", "ShapeTensorList"});
  auto dtype = n.attr("dtype", DType::float32);
  if (!n.has("ValueTensor")) return n.out("Out", filled(n, shape, dtype, number(n, dtype)));
  n.out("Out", n.emit("Expand", {n.cast(as_scalar(n, n.in("ValueTensor")), dtype), shape}));
}

void fill_any_like(Node& n) {
  auto x = n.in("X");
  auto dtype = n.attr("dtype", n.need_dtype(x));
  n.out("Out", filled(n, n.shape_of(x), dtype, encoded(n.attr("value", 0.0), dtype)));
}

void fill_zeros_like(Node& n) {
  auto x = n.in("X");
  auto dtype = n.need_dtype(x);
  n.out("Out", filled(n, n.shape_of(x), dtype, encoded(0, dtype)));
}

void fill_batch_size_like(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.out("Out", filled(n, batch_shape(n), dtype, number(n, dtype)));
}

void empty(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.out("Out", filled(n, int_list(n, {"shape", "ShapeTensor", "ShapeTensorList"}), dtype,
                      encoded(0, dtype)));
}

// ---- values in the program ----

template <class List>
std::string packed(const List& values, DType dtype) {
  std::string bytes;
  for (auto v : values) bytes += encoded(static_cast<double>(v), dtype);
  return bytes;
}

std::string packed_longs(const Ints& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(std::int64_t));
}

std::string assigned(const Node& n, DType dtype) {
  for (auto name : {"bool_values", "int32_values", "int8_values", "uint8_values"})
    if (auto values = n.attr(name, Ints{}); !values.empty()) return packed(values, dtype);
  if (auto values = n.attr("int64_values", Ints{}); !values.empty()) return packed_longs(values);
  for (auto name : {"fp32_values", "fp64_values"})
    if (auto values = n.attr(name, Floats{}); !values.empty()) return packed(values, dtype);
  std::string bytes;
  for (const Scalar& s : n.attr("values", Scalars{}))
    bytes += dtype == DType::int64 ? packed_longs({s.i}) : encoded(s.as_double(), dtype);
  return bytes;
}

void assign_value(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto shape = n.attr("shape", Ints{});
  auto bytes = assigned(n, dtype);
  n.require(
      bytes.size() == static_cast<std::size_t>(element_count(shape).value_or(-1)) * size_of(dtype),
      "values do not fill the shape");
  n.out("Out", n.tensor({dtype, shape, bytes}));
}

// ---- sequences ----

// The sequence, where it is a short one of constants that are not extreme.
std::optional<Ints> listed(Node& n, const Value& start, const Value& end, const Value& step) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  Ints bounds;
  for (const Value& v : {start, end, step}) {
    auto known = n.const_ints(v);
    if (!known || known->size() != 1 || (*known)[0] > most || (*known)[0] < -most)
      return std::nullopt;
    bounds.push_back((*known)[0]);
  }
  auto from = bounds[0], to = bounds[1], by = bounds[2];
  if (by == 0 || (to - from) / by >= kListed) return std::nullopt;
  Ints all;
  for (auto v = from; by > 0 ? v < to : v > to; v += by) all.push_back(v);
  return all;
}

// How many steps floats take is counted in floats.
Value range_of_floats(const Expr& start, const Expr& end, const Expr& step) {
  Node& n = start.node();
  auto count = ceil((end - start) / step).to(DType::int64);
  auto at = counted(n, count);
  return at.to(n.need_dtype(start)) * step + start;
}

// ONNX Runtime makes a slice of a lookup by a Range, and takes an end of -1 for the last: not where
// the lookup is by what is negated.
Value range_of_ints(const Expr& start, const Expr& end, const Expr& step) {
  Node& n = start.node();
  auto by = n.const_number(step);
  if (by && *by > 0) return n.emit("Range", {start, end, step});
  Expr turned{n, n.emit("Range", {-start, -end, -step})};
  n.declare(turned, n.need_dtype(start), Ints{-1});
  return -turned;
}

void range(Node& n) {
  Expr start(n, as_scalar(n, n.in("Start"))), end(n, as_scalar(n, n.in("End"))),
      step(n, as_scalar(n, n.in("Step")));
  if (is_floating(n.need_dtype(start))) return n.out("Out", range_of_floats(start, end, step));
  auto all = n.dtype(start) == DType::int64 ? listed(n, start, end, step) : std::nullopt;
  n.out("Out", all ? n.ints(*all) : range_of_ints(start, end, step));
}

// From both ends to the middle, as Paddle counts.
Value linspace_known(Node& n, double start, double stop, std::int64_t size, DType dtype) {
  double step = size > 1 ? (stop - start) / static_cast<double>(size - 1) : 0;
  Floats values;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back(i < (size + 1) / 2 ? start + step * static_cast<double>(i)
                                        : stop - step * static_cast<double>(size - 1 - i));
  return n.floats(values, dtype);
}

// The same at run time.   count: int64[]
Value linspace_computed(const Expr& start, const Expr& stop, const Expr& count, DType dtype) {
  Node& n = start.node();
  auto at = counted(n, count);
  auto step = (stop - start) / max(count - 1, 1).to(DType::float64);
  auto from_start = start + step * at.to(DType::float64),
       from_stop = stop - step * (count - 1 - at).to(DType::float64);
  return where(at * 2 < count, from_start, from_stop).to(dtype);
}

// Cut to the dtype of the result before anything is computed.
Expr cut(Node& n, const char* slot, DType dtype) {
  auto number = as_scalar(n, n.in(slot));
  return Expr(n, n.cast(is_floating(dtype) ? number : n.cast(number, dtype), DType::float64));
}

// Known numbers are written out.   to: of the result; dtype: that its ends are cut to
Value even_steps(Node& n, DType to, DType dtype) {
  auto first = n.const_number(n.in("Start")), last = n.const_number(n.in("Stop")),
       size = n.const_number(n.in("Num"));
  auto whole = [&](double v) { return is_floating(dtype) ? v : std::trunc(v); };
  if (first && last && size && *size >= 0 && *size <= kListed)
    return linspace_known(n, whole(*first), whole(*last), static_cast<std::int64_t>(*size), to);
  Expr count(n, n.cast(as_scalar(n, n.in("Num")), DType::int64));
  return linspace_computed(cut(n, "Start", dtype), cut(n, "Stop", dtype), count, to);
}

void linspace(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  n.out("Out", even_steps(n, dtype, dtype));
}

// Powers with exponents in even steps.
void logspace(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto powers = cut(n, "Base", dtype).emit("Pow", {even_steps(n, DType::float64, dtype)});
  n.out("Out", powers.to(dtype));
}

void eye(Node& n) {
  auto dtype = n.attr("dtype", DType::float32);
  auto rows = n.attr("num_rows", 0), columns = n.attr("num_columns", -1);
  if (columns < 0) columns = rows;
  auto zeros = filled(n, n.ints({rows, columns}), dtype, encoded(0, dtype));
  n.out("Out", n.emit("EyeLike", {zeros}, {{"dtype", std::int64_t{onnx_of(dtype)}}}));
}

}  // namespace

std::span<const Rule> create_rules() {
  static const Rule rules[] = {
      {"fill_constant", 9, fill_constant},
      {"fill_any_like", 9, fill_any_like},
      {"fill_zeros_like", 9, fill_zeros_like},
      {"fill_zeros_like2", 9, fill_zeros_like},
      {"fill_constant_batch_size_like", 9, fill_batch_size_like},
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
