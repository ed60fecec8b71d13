// Pools behind convolutions whose windows do not fit into what is left of a picture.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "oarlock/tensor.h"
#include "paddle/program.h"

namespace oarlock {

/// The engine's blocked kernels divide by the number of windows, which ends the process where there
/// are none: sizes are followed from the inputs through the ops that are known to keep or to cut
/// them, as far as that goes, and asked before a run.
class Pictures {
 public:
  Pictures() = default;
  explicit Pictures(const Program& program);

  /// Judge the sizes of these inputs.   Error(engine) with the pool and its line.
  void check(std::span<const TensorView> inputs) const;

 private:
  struct Step {
    const OpDesc* op;
    std::size_t from, other,
        to;  // places in a table of shapes; other: of a second operand, or `from`
    Ints reach{}, strides{},
        pads{};  // of windows, per axis; pads: at both ends together, -1 for as much as SAME takes
    bool pool = false, ceil = false;  // pool: one that is behind a convolution
  };
  class Follow;
  void refuse(const Step& step, const Ints& shape) const;
  static void go(const Step& step, Ints& out);

  std::vector<Step> steps_;
  std::size_t inputs_ = 0, places_ = 0;
};

}  // namespace oarlock
