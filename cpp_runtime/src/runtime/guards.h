// What the trace assumed, checked at every call.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "oarlock/tensor.h"
#include "paddle/program.h"

namespace oarlock {

class Guards {
 public:
  Guards() = default;
  explicit Guards(const Program& program);

  /// Judge what can be judged from the inputs' shapes.   Error(guard).
  void before(std::span<const TensorView> inputs) const;
  /// The extra outputs `guard.<i>` that a run must fetch.
  const Strings& fetched() const { return fetched_; }
  /// Judge what was fetched as `fetched()[index]`.   Error(guard).
  void after(std::size_t index, const Tensor& fetched) const;

  /// The number of guards in `fetched()` whose variable is computed before the op with this index
  /// in block 0.
  std::size_t num_before(std::size_t op) const;
  /// The indices in `fetched()` of the `count` guards whose variables are computed first.
  /// Ascending.
  std::vector<std::size_t> first_computed(std::size_t count) const;

 private:
  struct Outer {
    const Guard* guard;
    std::size_t input;
  };
  [[noreturn]] void refuse(const Guard& guard, const std::string& found) const;
  void shape(const Guard& guard, std::span<const std::int64_t> shape) const;
  void value(const Guard& guard, const Tensor& tensor) const;
  void values(const Guard& guard, const Tensor& tensor) const;
  void digest(const Guard& guard, const Tensor& tensor) const;

  std::string model_;
  std::vector<Outer> outer_;
  std::vector<const Guard*> inner_;
  Strings fetched_;
  // For each of `fetched_`, in the order of computation: 1 + the index of the op that writes its
  // variable, 0 for inputs and parameters; and the index in `fetched_`.
  std::vector<std::pair<std::size_t, std::size_t>> computed_;
};

/// Whether `found` is what Python wrote as `expected`.   float: within the rounding that engines
/// differ by.
bool is_expected(double found, const std::string& expected);

}  // namespace oarlock
