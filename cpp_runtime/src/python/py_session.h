// The Python class Session.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "oarlock/session.h"
#include "runtime/synthetic_inputs.h"

namespace oarlock::python {

namespace nb = nanobind;

class PySession {
 public:
  PySession(nb::bytes pdmodel, const std::optional<std::string>& params_path,
            const nb::dict& options, const std::string& name);
  nb::list run(nb::handle feeds, nb::handle fetch) const;
  /// Cancels current runs in all threads, and later ones.
  void stop() noexcept;
  nb::list synthetic_inputs(const SyntheticInputOptions& synthetic, const Shapes& shapes) const;
  const Session& session() const { return *session_; }
  Session& session() { return *session_; }

 private:
  std::vector<std::size_t> output_indices(nb::handle fetch) const;
  std::vector<Tensor> run_interruptibly(std::span<const TensorView> inputs,
                                        std::span<const std::size_t> outputs) const;

  std::unique_ptr<Session> session_;
  std::unique_ptr<CancellationToken> cancellation_;
  std::atomic<bool> is_stopped_ = false;
  std::vector<GuardSpec> guards_;
  std::vector<nb::object> input_names_;  // input names as Python strings
};

/// `(name, dtype, [2, 'x.0'])` for each tensor.
nb::list to_spec_tuples(const std::vector<TensorSpec>& all);
/// Adds the tensors that hold row splits, with the names of the tensors that they belong to.
void add_tensor_names_by_row_splits_name(nb::dict& found, const std::vector<TensorSpec>& all);

Options read_options(const nb::dict& options);

}  // namespace oarlock::python
