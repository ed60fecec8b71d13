// The tuning file `model.oarlock.tune.json`: the options that `oarlock-runner tune` found best for
// a model on a machine.
#pragma once
#include <string>
#include <vector>

#include "runtime/model_impl.h"
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// A session option that can be tuned. The default of the option is its value in `Options{}`.
struct TunableOption {
  const char* name;
  int Options::* member;

  bool is_default(const Options& options) const { return options.*member == Options{}.*member; }
};

/// The options that can be tuned, in the order in which they are tuned.
const std::vector<TunableOption>& tunable_options();

/// The execution provider that tuning tries beside ONNX Runtime's own kernels.
inline constexpr const char* kTunableProvider = "OpenVINO";

/// Whether ONNX Runtime contains kTunableProvider, and `options` leave the choice to the tuning.
bool can_use_tunable_provider(const Options& options, const Library& library);

/// `options` with kTunableProvider, which computes in float32 on the CPU.
Options with_tunable_provider(Options options);

/// The path of a model's tuning file; "" for a model in memory.
std::string tuning_path(const Model::Impl& model);

/// `options` with the tuned values of options left at their defaults.  Returns `options` unchanged
/// if the option tuned is off or execution_provider is set, and if the file is missing, damaged, or
/// of another machine, ONNX Runtime version or device.
Options options_with_tuning(const Options& options, const Model::Impl& model,
                            const Library& library);

/// The file content that stores `options`. comment: the inputs of the measurement.
std::string format_tuning(const Options& options, const Library& library,
                          const std::string& comment);

}  // namespace oarlock
