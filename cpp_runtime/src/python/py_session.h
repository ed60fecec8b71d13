// Session as Python sees it.
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
  /// End the runs under way, in whatever thread; later ones end at once.
  void stop() noexcept;
  nb::list made_up_inputs(const MadeUp& how, const Shapes& shapes) const;
  const Session& session() const { return *session_; }
  Session& session() { return *session_; }

 private:
  std::vector<std::size_t> wanted(nb::handle fetch) const;
  std::vector<Tensor> call(std::span<const TensorView> inputs,
                           std::span<const std::size_t> wanted) const;

  std::unique_ptr<Session> session_;
  std::unique_ptr<Interrupt> interrupt_;
  std::atomic<bool> ended_ = false;
  std::vector<GuardSpec> guards_;
  std::vector<nb::object> names_;  // of the inputs, as Python strings
};

/// `(name, dtype, [2, 'x.0'])` of each.
nb::list specs(const std::vector<TensorSpec>& all);
/// Of those that are offsets: whose.
void add_offsets(nb::dict& found, const std::vector<TensorSpec>& all);

Options read_options(const nb::dict& options);

}  // namespace oarlock::python
