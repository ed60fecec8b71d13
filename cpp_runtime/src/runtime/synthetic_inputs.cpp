#include "runtime/synthetic_inputs.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "convert/scalar_bytes.h"
#include "paddle/validator.h"
#include "runtime/named_dimensions.h"
#include "runtime/row_splits.h"

namespace oarlock {
namespace {

using SizeByDimName = std::map<std::string, std::int64_t>;

// The size of each named dimension: the size in `shapes` or, if it has none there, the allowed size
// next to 1 (for a name that only first dimensions have) or next to `size`.
SizeByDimName choose_named_dimension_sizes(const std::vector<TensorSpec>& specs,
                                           const Shapes& shapes, std::int64_t size) {
  SizeByDimName given, sizes;
  for (const TensorSpec& spec : specs)
    for (std::size_t d = 0; d < spec.shape.size(); ++d) {
      if (!has_dim_name(spec, d)) continue;
      std::int64_t& chosen = sizes[spec.symbols[d]];
      chosen = std::max(chosen, next_allowed_size(*spec.ranges[d], d == 0 ? 1 : size));
      if (auto shape = shapes.find(spec.name); shape != shapes.end() && d < shape->second.size())
        given.emplace(spec.symbols[d], shape->second[d]);
    }
  given.merge(sizes);
  return given;
}

std::vector<std::int64_t> synthetic_shape(const TensorSpec& spec,
                                          const std::vector<GuardSpec>& guards,
                                          const SizeByDimName& named_sizes, std::int64_t size) {
  auto shape = spec.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) continue;
    shape[d] = has_dim_name(spec, d) ? named_sizes.at(spec.symbols[d]) : d == 0 ? 1 : size;
    for (const GuardSpec& g : guards)
      if (g.kind == "dim" && g.var == spec.name && g.axis == static_cast<std::int64_t>(d))
        shape[d] = std::atoll(g.expected.c_str());
  }
  return shape;
}

// The limit of the elements of all generated inputs, because a hostile file may require sizes that
// exhaust the memory.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 27;

// Subtracts the number of elements of an input from `remaining`; throws Error(input) if the input
// has more elements than `remaining`.
void subtract_elements_or_throw_above_limit(const TensorSpec& spec, const Ints& shape,
                                            std::int64_t& remaining) {
  std::optional<std::int64_t> count = element_count(shape);
  if (!count || *count > remaining)
    throw Error(ErrorCode::input, "generated input '" + spec.name + "' would be " +
                                      format_type(spec.dtype, shape) +
                                      "; the generated inputs have at most " +
                                      std::to_string(kMaxElements) + " elements");
  remaining -= *count;
}

// A tensor of deterministic values: floats in [0, 1), and integers 0 and 1, which are valid indices
// of a table of two rows and valid lengths of a sequence of one step.
Tensor make_synthetic_tensor(const TensorSpec& spec, std::vector<std::int64_t> shape,
                             SyntheticInputOptions::IntegerValues integers) {
  Tensor tensor(spec.dtype, std::move(shape));
  std::uint32_t state = 12345;
  auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  auto integer = [&] {
    return integers == SyntheticInputOptions::zeros_and_ones
               ? next() & 1
               : integers == SyntheticInputOptions::ones;
  };
  auto* bytes = static_cast<char*>(tensor.data());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    double value = is_floating(spec.dtype) ? next() / 16777216.0 : integer();
    bytes += encode_scalar(value, spec.dtype).copy(bytes, size_of(spec.dtype));
  }
  return tensor;
}

// Row splits that divide the rows of `rows` into sequences of nearly equal length.
Tensor even_row_splits(std::vector<std::int64_t> shape, const Tensor& rows) {
  Tensor tensor(DType::int64, std::move(shape));
  auto count = static_cast<std::int64_t>(tensor.size()) - 1,
       last = rows.shape().empty() ? 0 : rows.shape()[0];
  auto* offsets = static_cast<std::int64_t*>(tensor.data());
  for (std::int64_t i = 0; i <= count; ++i) offsets[i] = count ? last * i / count : 0;
  return tensor;
}

}  // namespace

std::vector<SyntheticInputOptions> synthetic_input_options_to_try() {
  std::vector<SyntheticInputOptions> specs;
  for (auto integers : {SyntheticInputOptions::zeros_and_ones, SyntheticInputOptions::ones,
                        SyntheticInputOptions::zeros})
    for (std::int64_t size : {1, 8, 32, 64, 224}) specs.push_back({size, integers});
  return specs;
}

void require_known_input_names(const std::vector<TensorSpec>& specs, const Shapes& shapes) {
  for (auto& [name, shape] : shapes) {
    bool known =
        std::any_of(specs.begin(), specs.end(), [&name = name](auto& s) { return s.name == name; });
    if (!known) throw Error(ErrorCode::input, "shapes: no input '" + name + "'");
  }
}

std::vector<Tensor> synthetic_inputs(const std::vector<TensorSpec>& specs,
                                     const std::vector<GuardSpec>& guards, const Shapes& shapes,
                                     const SyntheticInputOptions& synthetic) {
  require_known_input_names(specs, shapes);
  SizeByDimName named_sizes = choose_named_dimension_sizes(specs, shapes, synthetic.dynamic_dim);
  std::vector<Ints> chosen_shapes;  // all are checked before memory for values is allocated
  std::int64_t remaining = kMaxElements;
  for (const TensorSpec& spec : specs) {
    if (auto shape = shapes.find(spec.name); shape != shapes.end()) {
      chosen_shapes.push_back(shape->second);
      continue;
    }
    chosen_shapes.push_back(synthetic_shape(spec, guards, named_sizes, synthetic.dynamic_dim));
    subtract_elements_or_throw_above_limit(spec, chosen_shapes.back(), remaining);
  }
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < specs.size(); ++i)
    inputs.push_back(
        make_synthetic_tensor(specs[i], std::move(chosen_shapes[i]), synthetic.integers));
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (std::size_t of = row_splits_owner_index_or_size(specs, i); of != specs.size()) {
      auto shape_entry = shapes.find(specs[i].name);
      inputs[i] = even_row_splits(
          shape_entry != shapes.end() ? shape_entry->second : std::vector<std::int64_t>{2},
          inputs[of]);
    }
  return inputs;
}

}  // namespace oarlock
