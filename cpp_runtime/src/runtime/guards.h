// Checks of a model's guards at every run.
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

  /// Checks guards on the shapes of inputs.  Throws Error(guard).
  void check_input_shapes(std::span<const TensorView> inputs) const;
  /// The extra outputs `guard.<i>` that a run must fetch.
  const Strings& fetch_names() const { return fetch_names_; }
  /// Checks the fetched value of `fetch_names()[index]`.  Throws Error(guard).
  void check_fetched_value(std::size_t index, const Tensor& fetched) const;

  /// The number of fetched guards whose variable is computed before op `op` of block 0.
  std::size_t num_guards_computed_before_op(std::size_t op) const;
  /// The indices in `fetch_names()` of the `count` guards whose variables are computed first.
  /// Ascending.
  std::vector<std::size_t> indices_of_first_n_computed_guards(std::size_t count) const;

 private:
  struct InputGuard {
    const Guard* guard;
    std::size_t input;
  };
  [[noreturn]] void fail(const Guard& guard, const std::string& actual) const;
  void check_shape_guard(const Guard& guard, std::span<const std::int64_t> shape) const;
  void check_value_guard(const Guard& guard, const Tensor& tensor) const;
  void check_elements_against_list(const Guard& guard, const Tensor& tensor) const;
  void check_digest(const Guard& guard, const Tensor& tensor) const;

  std::string model_;
  std::vector<InputGuard> input_guards_;
  std::vector<const Guard*> fetched_guards_;
  Strings fetch_names_;
  // One pair for each of `fetch_names_`, in the order of computation. The first number of a pair is
  // 1 + the index of the op that writes the variable, 0 for inputs and parameters; the second
  // number is the index in `fetch_names_`.
  std::vector<std::pair<std::size_t, std::size_t>> computation_order_;
};

/// Whether `actual` equals `expected`, a Python repr; floats within rounding differences.  If
/// `expected` is an integer, the fraction of `actual` is ignored, as int() does; True and False
/// compare with actual != 0.
bool matches_expected(double actual, const std::string& expected);

}  // namespace oarlock
