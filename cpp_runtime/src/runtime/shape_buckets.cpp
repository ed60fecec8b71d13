#include "runtime/shape_buckets.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "paddle/program.h"

namespace oarlock {
namespace {

using Sizes = std::vector<std::int64_t>;

// Copies the elements of an array whose indices are valid in both shapes to an array of shape
// `to_shape`; its other elements do not change.
void copy_common_elements(const char* from, std::span<const std::int64_t> from_shape, char* to,
                          std::span<const std::int64_t> to_shape, std::size_t element_size) {
  if (from_shape.empty()) {
    std::memcpy(to, from, element_size);
    return;
  }
  std::int64_t count = std::min(from_shape[0], to_shape[0]);
  auto bytes_of_rest = [&](std::span<const std::int64_t> shape) {
    std::size_t bytes = element_size;
    for (std::int64_t d : shape.subspan(1)) bytes *= static_cast<std::size_t>(d);
    return bytes;
  };
  std::size_t from_step = bytes_of_rest(from_shape), to_step = bytes_of_rest(to_shape);
  if (std::ranges::equal(from_shape.subspan(1), to_shape.subspan(1))) {
    std::memcpy(to, from, from_step * static_cast<std::size_t>(count));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    copy_common_elements(from + static_cast<std::size_t>(i) * from_step, from_shape.subspan(1),
                         to + static_cast<std::size_t>(i) * to_step, to_shape.subspan(1),
                         element_size);
}

Tensor pad_or_crop(const TensorView& view, Sizes shape) {
  Tensor result(view.dtype, std::move(shape));
  bool is_empty = std::ranges::count(view.shape, 0) > 0 || result.size() == 0;
  if (!is_empty)
    copy_common_elements(static_cast<const char*>(view.data), view.shape,
                         static_cast<char*>(result.data()), result.shape(), size_of(view.dtype));
  return result;
}

std::string join_dynamic_symbols(const std::vector<TensorSpec>& inputs) {
  std::set<std::string> symbols;
  for (const TensorSpec& spec : inputs) symbols.insert(spec.symbols.begin(), spec.symbols.end());
  std::string text;
  for (const std::string& symbol : symbols)
    if (!symbol.empty()) text += (text.empty() ? "" : ", ") + symbol;
  return text.empty() ? "none" : text;
}

std::string join_sizes(const Sizes& sizes) {
  std::string text;
  for (std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

}  // namespace

ShapeBuckets::ShapeBuckets(const Shapes& buckets, const std::vector<TensorSpec>& inputs) {
  for (const auto& [symbol, given_sizes] : buckets) {
    Sizes sizes = given_sizes;
    std::ranges::sort(sizes);
    if (sizes.empty() || sizes.front() <= 0)
      throw Error(ErrorCode::input,
                  "options: shape_buckets of '" + symbol + "' are not positive sizes");
    bool found = false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (std::size_t axis = 0; axis < inputs[i].symbols.size(); ++axis) {
        if (inputs[i].symbols[axis] != symbol || inputs[i].shape[axis] >= 0) continue;
        dimensions_.push_back({i, axis, symbol, inputs[i].name, sizes});
        found = true;
      }
    if (!found)
      throw Error(ErrorCode::input, "options: shape_buckets: no input has the dynamic dimension '" +
                                        symbol + "' (there are: " + join_dynamic_symbols(inputs) +
                                        ")");
  }
}

std::string ShapeBuckets::describe_dimension_size(const Dimension& d, std::int64_t size) {
  return "run: dimension " + std::to_string(d.axis) + " of input '" + d.input_name + "' is " +
         std::to_string(size);
}

std::int64_t ShapeBuckets::bucket_of(const Dimension& d, std::int64_t size) {
  auto bucket = std::ranges::lower_bound(d.sizes, size);
  if (bucket == d.sizes.end())
    throw Error(ErrorCode::input, describe_dimension_size(d, size) +
                                      ", larger than the shape_buckets of '" + d.symbol + "' (" +
                                      join_sizes(d.sizes) + ")");
  return *bucket;
}

ShapeBuckets::PaddedInputs ShapeBuckets::pad(std::span<const TensorView> inputs) const {
  PaddedInputs padded;
  padded.views.assign(inputs.begin(), inputs.end());
  for (const TensorView& view : inputs)
    padded.shapes.emplace_back(view.shape.begin(), view.shape.end());
  std::vector<Sizes> shapes = padded.shapes;
  std::map<std::string, std::int64_t> size_by_symbol;
  for (const Dimension& d : dimensions_) {
    std::int64_t& size = shapes[d.input][d.axis];
    std::int64_t first = size_by_symbol.emplace(d.symbol, size).first->second;
    if (first != size)
      throw Error(ErrorCode::input, "run: dimension " + std::to_string(d.axis) + " ('" + d.symbol +
                                        "') of input '" + d.input_name + "' is " +
                                        std::to_string(size) + ", that of another input " +
                                        std::to_string(first) + "; they must be equal");
    size = bucket_of(d, size);
  }
  padded.owners.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (shapes[i] == padded.shapes[i]) continue;
    if (!inputs[i].device.is_host())
      throw Error(ErrorCode::input, "run: shape_buckets pad inputs in host memory, not on a GPU");
    padded.owners.push_back(pad_or_crop(inputs[i], shapes[i]));
    padded.views[i] = padded.owners.back();
  }
  return padded;
}

void ShapeBuckets::require_bucket_sizes(std::span<const TensorView> inputs) const {
  for (const Dimension& d : dimensions_) {
    std::int64_t size = inputs[d.input].shape[d.axis];
    if (bucket_of(d, size) != size)
      throw Error(ErrorCode::input, describe_dimension_size(d, size) +
                                        ", none of the shape_buckets of '" + d.symbol + "' (" +
                                        join_sizes(d.sizes) + "); only Session::run pads inputs");
  }
}

Tensor ShapeBuckets::crop(const Tensor& output, const TensorSpec& spec,
                          const PaddedInputs& inputs) const {
  Sizes shape = output.shape();
  for (const Dimension& d : dimensions_)
    for (std::size_t axis = 0; axis < std::min(shape.size(), spec.symbols.size()); ++axis)
      if (spec.symbols[axis] == d.symbol && shape[axis] == inputs.views[d.input].shape[d.axis])
        shape[axis] = inputs.shapes[d.input][d.axis];
  return shape == output.shape() ? output : pad_or_crop(output, std::move(shape));
}

}  // namespace oarlock
