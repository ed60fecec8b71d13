// Named dimensions of a model's inputs: checks of the sizes of a call, and the sizes of synthetic
// inputs and of TensorRT's profile.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// The named dimensions of the inputs of a model; checks the sizes of a call.  ir/dim.py has the
/// same checks in Python.
class NamedDimensions {
 public:
  explicit NamedDimensions(const std::vector<TensorSpec>& inputs);

  /// Checks inputs of the declared ranks.  Throws Error(input) for a size that the range of its
  /// dimension does not contain, and for different sizes of dimensions of one name.
  void check(std::span<const TensorView> inputs) const;

 private:
  struct Dimension {
    std::size_t input, axis;
    std::size_t first_input, first_axis;  // the first dimension of the same name
    std::string input_name, first_input_name, name;
    DimRange range;
  };
  [[noreturn]] static void fail(const Dimension& d, std::span<const TensorView> inputs);

  std::vector<Dimension> dimensions_;
};

/// Whether a dimension has a name.
bool has_dim_name(const TensorSpec& spec, std::size_t axis);

/// The allowed sizes as text, such as `a multiple of 32 from 32 to 1280`.
std::string describe_allowed_sizes(const DimRange& range);

/// The smallest allowed size of `range` that is at least `wanted`; the largest allowed size if
/// there is none.
std::int64_t next_allowed_size(const DimRange& range, std::int64_t wanted);

/// The options trt_profile_min_shapes, trt_profile_opt_shapes and trt_profile_max_shapes of
/// TensorRT for the ranges of all dynamic dimensions; opt is the smallest allowed size that is
/// at least the middle of the range. The result is empty if a dynamic dimension has no name or no
/// maximum, or if the name of an input contains a comma.
StringMap tensorrt_shape_profile_options(const std::vector<TensorSpec>& inputs);

}  // namespace oarlock
