// Checks that pooling windows after convolutions fit the image.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "oarlock/tensor.h"
#include "paddle/program.h"

namespace oarlock {

/// Rejects inputs for which the window of a pool after a convolution does not fit the image: ONNX
/// Runtime's blocked kernels would divide by 0, which ends the process.  Before a run, sizes are
/// propagated from the inputs through the ops whose effect on sizes is known.
class PoolingShapeCheck {
 public:
  PoolingShapeCheck() = default;
  explicit PoolingShapeCheck(const Program& program);

  /// Checks the sizes of these inputs.  Throws Error(engine) with the pooling op and its source
  /// line.
  void check(std::span<const TensorView> inputs) const;

 private:
  struct Step {
    const OpDesc* op;
    std::size_t input, other_input,
        output;  // indices into a table of shapes; other_input: of a second operand, or `input`
    Ints windows{}, strides{}, pads{};  // windows: sizes of the window, per spatial axis; pads: sum
                                        // of both ends, -1 for SAME
    bool after_conv = false, ceil = false;  // after_conv: a pool after a convolution
  };
  class SizePropagationStepCollector;
  void fail(const Step& step, const Ints& shape) const;
  static void replace_sizes_by_window_counts(const Step& step, Ints& out);

  std::vector<Step> steps_;
  std::size_t num_inputs_ = 0, num_shapes_ = 0;
};

}  // namespace oarlock
