#include "runtime/named_dimensions.h"

#include <algorithm>

#include "paddle/program.h"

namespace oarlock {
namespace {

std::string describe_dimension(std::size_t axis, const std::string& input) {
  return "dimension " + std::to_string(axis) + " of input '" + input + "'";
}

std::string format_input_name_and_type(const std::string& name, const TensorView& view) {
  return name + "=" + format_type(view.dtype, Ints(view.shape.begin(), view.shape.end()));
}

bool all_dynamic_dims_have_maximum(const TensorSpec& spec) {
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
    if (spec.shape[axis] < 0 && (!has_dim_name(spec, axis) || spec.ranges[axis]->max == 0))
      return false;
  return true;
}

}  // namespace

std::string describe_allowed_sizes(const DimRange& r) {
  if (r.min == r.max) return std::to_string(r.min);
  std::string sizes = r.max == 0 ? "at least " + std::to_string(r.min)
                                 : "from " + std::to_string(r.min) + " to " + std::to_string(r.max);
  return r.multiple == 1 ? sizes : "a multiple of " + std::to_string(r.multiple) + " " + sizes;
}

bool has_dim_name(const TensorSpec& spec, std::size_t axis) {
  return axis < spec.ranges.size() && spec.ranges[axis].has_value();
}

NamedDimensions::NamedDimensions(const std::vector<TensorSpec>& inputs) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t axis = 0; axis < inputs[i].ranges.size(); ++axis) {
      if (!has_dim_name(inputs[i], axis)) continue;
      const std::string& name = inputs[i].symbols[axis];
      dimensions_.push_back(
          {i, axis, i, axis, inputs[i].name, inputs[i].name, name, *inputs[i].ranges[axis]});
      const Dimension& d = dimensions_[first.emplace(name, dimensions_.size() - 1).first->second];
      dimensions_.back().first_input = d.input;
      dimensions_.back().first_axis = d.axis;
      dimensions_.back().first_input_name = d.input_name;
    }
}

void NamedDimensions::check(std::span<const TensorView> inputs) const {
  for (const Dimension& d : dimensions_) {
    std::int64_t size = inputs[d.input].shape[d.axis];
    if (!d.range.contains(size) || size != inputs[d.first_input].shape[d.first_axis])
      fail(d, inputs);
  }
}

void NamedDimensions::fail(const Dimension& d, std::span<const TensorView> inputs) {
  std::int64_t size = inputs[d.input].shape[d.axis];
  std::string text = "run: input '" + d.input_name + "': dimension " + std::to_string(d.axis) +
                     " ('" + d.name + "') is " + std::to_string(size),
              input = format_input_name_and_type(d.input_name, inputs[d.input]);
  if (!d.range.contains(size))
    throw Error(ErrorCode::input,
                text + "; it must be " + describe_allowed_sizes(d.range) + " (" + input + ")");
  if (d.first_input != d.input)
    input = format_input_name_and_type(d.first_input_name, inputs[d.first_input]) + ", " + input;
  throw Error(ErrorCode::input, text + ", but " +
                                    describe_dimension(d.first_axis, d.first_input_name) + " is " +
                                    std::to_string(inputs[d.first_input].shape[d.first_axis]) +
                                    "; they must be equal (" + input + ")");
}

std::int64_t next_allowed_size(const DimRange& range, std::int64_t wanted) {
  std::int64_t size = DimRange{std::max(wanted, range.min), 0, range.multiple}.smallest_size();
  return range.max == 0 ? size : std::min(size, range.largest_size());
}

StringMap tensorrt_shape_profile_options(const std::vector<TensorSpec>& inputs) {
  StringMap profile;
  for (const TensorSpec& spec : inputs) {
    // The names of inputs must not contain commas, by which ONNX Runtime separates the inputs of a
    // TensorRT profile.
    if (!all_dynamic_dims_have_maximum(spec) || spec.name.find(',') != std::string::npos) return {};
    if (std::none_of(spec.shape.begin(), spec.shape.end(), [](auto d) { return d < 0; })) continue;
    std::string shapes[3];
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
      std::int64_t sizes[3] = {spec.shape[axis], spec.shape[axis], spec.shape[axis]};
      if (spec.shape[axis] < 0) {
        const DimRange& range = *spec.ranges[axis];
        sizes[0] = range.smallest_size();
        sizes[2] = range.largest_size();
        sizes[1] = next_allowed_size(range, sizes[0] + (sizes[2] - sizes[0]) / 2);
      }
      for (int i = 0; i < 3; ++i) shapes[i] += (axis ? "x" : "") + std::to_string(sizes[i]);
    }
    const char* names[3] = {"trt_profile_min_shapes", "trt_profile_opt_shapes",
                            "trt_profile_max_shapes"};
    for (int i = 0; i < 3; ++i) {
      std::string& text = profile[names[i]];
      text += (text.empty() ? "" : ",") + spec.name + ":" + shapes[i];
    }
  }
  return profile;
}

}  // namespace oarlock
