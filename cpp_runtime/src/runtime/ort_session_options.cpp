#include "runtime/ort_session_options.h"

#include <unistd.h>

#include <filesystem>

#include "runtime/execution_provider.h"
#include "runtime/machine.h"
#include "runtime/ort/arena_allocator.h"

namespace oarlock {
namespace {

constexpr int kMaxThreads = 4096;
// How long idle threads of a session spin before they sleep; ONNX Runtime's default is about 10 ms.
// Threads that spin for 10 ms slow down session creation, while pages of the mapped weights are
// loaded, and waste a core between requests.
constexpr const char* kSpinMicroseconds = "200";

void require(bool ok, const std::string& why) {
  if (!ok) throw Error(ErrorCode::input, "options: " + why);
}

// Throws if the folder of the profile cannot be written to, because ONNX Runtime reports no error
// in this case.
void check_profile_folder_is_writable(const std::string& prefix) {
  namespace fs = std::filesystem;
  std::string folder = fs::absolute(prefix).parent_path().string();
  std::error_code error;
  require(fs::is_directory(folder, error), "profile: there is no folder " + folder);
  require(::access(folder.c_str(), W_OK) == 0,
          "profile: the folder " + folder + " cannot be written to");
}

void check_device_name(const std::string& name) {
  require(name == "cpu" || name == "cuda" || name == "tensorrt",
          "device '" + name + "' is not one of cpu, cuda, tensorrt");
}

void check_tristate(const char* name, int value) {
  require(value >= -1 && value <= 1,
          std::string(name) + " is " + std::to_string(value) + ", none of -1, 0, 1");
}

}  // namespace

void check_options(const Options& o) {
  for (auto [name, value] : {std::pair{"threads", o.threads}, {"inter_threads", o.inter_threads}})
    require(value >= 0 && value <= kMaxThreads, std::string(name) + " is " + std::to_string(value));
  require(
      o.optimize == -1 || o.optimize == 0 || o.optimize == 1 || o.optimize == 2 || o.optimize == 99,
      "optimize is " + std::to_string(o.optimize) + ", none of 0, 1, 2, 99");
  check_tristate("spinning", o.spinning);
  check_tristate("arena", o.arena);
  check_tristate("mem_pattern", o.mem_pattern);
  require(o.memory == "steady" || o.memory == "changing" || o.memory == "smallest",
          "memory '" + o.memory + "' is not one of steady, changing, smallest");
  check_device_name(o.device);
  require(
      o.execution_provider.empty() || o.device == "cpu",
      "execution_provider '" + o.execution_provider + "' needs the device cpu, not " + o.device);
  require(o.provider_library.empty() || !o.execution_provider.empty(),
          "provider_library needs execution_provider, the name of the provider in it");
  require(o.provider.empty() || o.device != "cpu" || !o.execution_provider.empty(),
          "provider needs execution_provider, or the device cuda or tensorrt");
  require(o.device_id >= 0, "device_id is " + std::to_string(o.device_id));
  if (!o.profile.empty()) check_profile_folder_is_writable(o.profile);
}

ort::OptionsHandle make_session_options(const Library& library, const Options& options,
                                        const std::string& folder) {
  const ort::Api& api = library.api;
  auto settings = ort::make<ort::OptionsHandle, ort::CreateSessionOptions>(api);
  auto entry = [&](const char* key, const char* value) {
    api.call<ort::AddSessionConfigEntry>(settings.get(), key, value);
  };
  api.call<ort::SetSessionGraphOptimizationLevel>(settings.get(),
                                                  options.optimize < 0 ? 99 : options.optimize);
  if (options.threads > 0) api.call<ort::SetIntraOpNumThreads>(settings.get(), options.threads);
  if (options.inter_threads > 0) {
    api.call<ort::SetSessionExecutionMode>(settings.get(), 1);
    api.call<ort::SetInterOpNumThreads>(settings.get(), options.inter_threads);
  }
  if (options.spinning >= 0) {
    entry("session.intra_op.allow_spinning", options.spinning ? "1" : "0");
    entry("session.inter_op.allow_spinning", options.spinning ? "1" : "0");
  }
  if (options.spinning < 0) entry("session.intra_op.spin_duration_us", kSpinMicroseconds);
  if (options.memory == "smallest") {
    shared_page_arena(library);  // registers it
    entry("session.use_env_allocators", "1");
  }
  if (options.arena == 0) api.call<ort::DisableCpuMemArena>(settings.get());
  if (options.mem_pattern == 0) api.call<ort::DisableMemPattern>(settings.get());
  if (options.deterministic) api.call<ort::SetDeterministicCompute>(settings.get(), true);
  if (!options.profile.empty())
    api.call<ort::EnableProfiling>(settings.get(), options.profile.c_str());
  if (byte_products_saturate()) entry("session.disable_quant_qdq", "1");
  if (!folder.empty())
    entry("session.model_external_initializers_file_folder_path", folder.c_str());
  // Add and LayerNormalization are not fused on the CPU: the kernel of the fused op
  // (SkipLayerNormalization) takes 2 to 7 times as long as those of the two ops.
  if (options.device == "cpu" && options.execution_provider.empty())
    entry("optimization.disable_specified_optimizers", "SkipLayerNormFusion");
  else
    entry("session.record_ep_graph_assignment_info", "1");
  append_device_execution_providers(library, settings.get(), options);
  return settings;
}

}  // namespace oarlock
