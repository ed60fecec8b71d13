#include "runtime/guards.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/number_text_conversion.h"
#include "convert/scalar_bytes.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

// The tolerance when a float that ONNX Runtime computed is compared with the expected value of a
// guard.
constexpr double kRounding = 1e-5;

// The prefix of `reader` in a guard of an assert statement; the message of the assert follows.
constexpr std::string_view kAssertReader = "assert: ";

std::string describe_guarded_property(const Guard& g) {
  if (g.kind == "dim") return g.var + ".shape[" + std::to_string(g.axis) + "]";
  return g.kind == "rank" ? "the rank of " + g.var : g.var;
}

bool is_integer_text(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

}  // namespace

bool matches_expected(double actual, const std::string& expected) {
  if (expected == "True" || expected == "False") return (actual != 0) == (expected == "True");
  auto parsed = try_parse_double(expected);
  if (!parsed) return false;
  const double expected_value = *parsed;
  if (is_integer_text(expected)) return std::trunc(actual) == expected_value;
  if (std::isnan(expected_value) || std::isinf(expected_value))
    return std::isnan(expected_value) ? std::isnan(actual) : actual == expected_value;
  return std::fabs(actual - expected_value) <= kRounding * std::max(1.0, std::fabs(expected_value));
}

Guards::Guards(const Program& program) : model_(program.name) {
  if (!program.contract) return;
  Strings feeds = program.feed_names();
  for (std::size_t i = 0; i < program.contract->guards.size(); ++i) {
    const Guard& guard = program.contract->guards[i];
    auto feed = std::find(feeds.begin(), feeds.end(), guard.var);
    if (feed != feeds.end() && guard.kind != "value") {
      input_guards_.push_back({&guard, static_cast<std::size_t>(feed - feeds.begin())});
    } else {
      computation_order_.emplace_back(0, fetched_guards_.size());
      fetched_guards_.push_back(&guard);
      fetch_names_.push_back("guard." + std::to_string(i));
    }
  }
  std::map<std::string_view, std::size_t> last_write;
  const std::vector<OpDesc>& ops = program.blocks[0].ops;
  for (std::size_t i = 0; i < ops.size() && !fetched_guards_.empty(); ++i)
    for (auto& [slot, names] : ops[i].outputs)
      for (const std::string& name : names) last_write[name] = i + 1;
  for (auto& [written, index] : computation_order_)
    if (auto actual = last_write.find(fetched_guards_[index]->var); actual != last_write.end())
      written = actual->second;
  std::sort(computation_order_.begin(), computation_order_.end());
}

std::size_t Guards::num_guards_computed_before_op(std::size_t op) const {
  auto end = std::partition_point(computation_order_.begin(), computation_order_.end(),
                                  [&](auto& guard) { return guard.first <= op; });
  return static_cast<std::size_t>(end - computation_order_.begin());
}

std::vector<std::size_t> Guards::indices_of_first_n_computed_guards(std::size_t count) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) indices.push_back(computation_order_[i].second);
  std::sort(indices.begin(), indices.end());
  return indices;
}

void Guards::fail(const Guard& g, const std::string& actual) const {
  std::string where =
      g.location.empty() ? "" : "\n  at " + g.location + (g.text.empty() ? "" : ": " + g.text);
  if (g.reader.rfind(kAssertReader, 0) == 0)
    throw Error(ErrorCode::guard, model_ + ": " + g.reader + where);
  throw Error(ErrorCode::guard, model_ + ": " + describe_guarded_property(g) + " is " + actual +
                                    ", the trace assumed " + g.expected + " (read by " +
                                    (g.reader.empty() ? "?" : g.reader) + ")" + where);
}

void Guards::check_shape_guard(const Guard& g, std::span<const std::int64_t> shape) const {
  auto rank = static_cast<std::int64_t>(shape.size());
  if (g.kind == "dim" && g.axis >= rank) fail(g, "not there, the rank is " + std::to_string(rank));
  std::int64_t actual = g.kind == "rank" ? rank : shape[static_cast<std::size_t>(g.axis)];
  if (!matches_expected(static_cast<double>(actual), g.expected)) fail(g, std::to_string(actual));
}

// Checks a guard of a tensor with several elements: each element is compared with an element of the
// expected list, such as `[1.0, 2.0]`.
void Guards::check_elements_against_list(const Guard& g, const Tensor& tensor) const {
  std::string_view rest(g.expected);
  rest = rest.substr(1, rest.size() - 2);
  std::string_view bytes(static_cast<const char*>(tensor.data()), tensor.byte_size());
  std::size_t width = tensor.size() ? bytes.size() / tensor.size() : 1;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    std::size_t comma = std::min(rest.find(", "), rest.size());
    auto actual = decode_scalar(bytes.substr(i * width, width), tensor.dtype());
    std::string expected(rest.substr(0, comma));
    bool matches = actual && !rest.empty() &&
                   (tensor.dtype() == DType::int64 && is_integer_text(expected)
                        ? std::to_string(tensor.values<std::int64_t>()[i]) == expected
                        : matches_expected(*actual, expected));
    if (!matches)
      fail(g, actual ? "[..., " + format_significant_digits(*actual, 9) + ", ...] at " +
                           std::to_string(i)
                     : "of another dtype");
    rest.remove_prefix(std::min(rest.size(), comma + 2));
  }
  if (!rest.empty()) fail(g, std::to_string(tensor.size()) + " values");
}

// Checks a guard of a large tensor, for which the FNV-1a digest of the bytes is compared.
void Guards::check_digest(const Guard& g, const Tensor& tensor) const {
  std::uint64_t hash = 0xCBF29CE484222325u;
  auto* bytes = static_cast<const unsigned char*>(tensor.data());
  for (std::size_t i = 0; i < tensor.byte_size(); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  char text[40];
  std::snprintf(text, sizeof text, "fnv1a64:%016llx", static_cast<unsigned long long>(hash));
  if (text != g.expected) fail(g, text);
}

void Guards::check_value_guard(const Guard& g, const Tensor& tensor) const {
  if (g.expected.rfind("fnv1a64:", 0) == 0) return check_digest(g, tensor);
  if (g.expected.size() > 1 && g.expected.front() == '[' && g.expected.back() == ']')
    return check_elements_against_list(g, tensor);
  if (tensor.size() != 1) fail(g, std::to_string(tensor.size()) + " values");
  auto actual =
      decode_scalar({static_cast<const char*>(tensor.data()), tensor.byte_size()}, tensor.dtype());
  if (!actual) fail(g, "a " + std::string(name_of(tensor.dtype())));
  bool truth = tensor.dtype() == DType::boolean;
  if (tensor.dtype() == DType::int64 &&
      is_integer_text(g.expected)) {  // a double would round large integers
    std::string exact = std::to_string(tensor.values<std::int64_t>()[0]);
    return exact == g.expected ? void() : fail(g, exact);
  }
  if (!matches_expected(*actual, g.expected))
    fail(g, truth ? (*actual != 0 ? "True" : "False") : format_significant_digits(*actual, 9));
}

void Guards::check_input_shapes(std::span<const TensorView> inputs) const {
  for (const InputGuard& o : input_guards_) check_shape_guard(*o.guard, inputs[o.input].shape);
}

// Checks a guard of an intermediate variable. `fetched` is the value of the variable for a 'value'
// guard, and its shape for a 'dim' or 'rank' guard.
void Guards::check_fetched_value(std::size_t index, const Tensor& fetched) const {
  const Guard& guard = *fetched_guards_[index];
  if (guard.kind == "value")
    check_value_guard(guard, fetched);
  else
    check_shape_guard(guard, fetched.values<std::int64_t>());
}

}  // namespace oarlock
