// Padding of inputs to a few sizes, so that ONNX Runtime sees few shapes.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// The allowed sizes ("buckets") of dynamic dimensions: inputs are padded with zeros at the end of
/// each such dimension to the next bucket, and outputs are cropped.
class ShapeBuckets {
 public:
  struct PaddedInputs {
    std::vector<TensorView> views;
    std::vector<Tensor> owners;                     // of padded views
    std::vector<std::vector<std::int64_t>> shapes;  // before the padding, by input
  };

  /// sizes: the buckets by symbol of a dimension: its name, or INPUT.AXIS.  Throws Error(input) for
  /// a symbol that no input has, and for sizes that are not positive.
  ShapeBuckets(const Shapes& sizes, const std::vector<TensorSpec>& inputs);

  bool empty() const { return dimensions_.empty(); }
  /// The inputs, padded with zeros to the next buckets. inputs: of the declared ranks. Throws
  /// Error(input) for a size above the largest bucket, for different sizes of dimensions of one
  /// name, and for an input on a GPU that needs padding.
  PaddedInputs pad(std::span<const TensorView> inputs) const;
  /// Throws Error(input) if the size of a dimension is none of its buckets.
  void require_bucket_sizes(std::span<const TensorView> inputs) const;
  /// `output`, cropped to the sizes before padding along the dimensions whose symbol is that of a
  /// padded dimension.
  Tensor crop(const Tensor& output, const TensorSpec& spec, const PaddedInputs& inputs) const;

 private:
  struct Dimension {
    std::size_t input, axis;
    std::string symbol, input_name;
    std::vector<std::int64_t> sizes;  // ascending
  };
  static std::string describe_dimension_size(const Dimension& dimension, std::int64_t size);
  static std::int64_t bucket_of(const Dimension& dimension, std::int64_t size);

  std::vector<Dimension> dimensions_;
};

}  // namespace oarlock
