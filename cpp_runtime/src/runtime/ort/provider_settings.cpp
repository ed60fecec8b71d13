#include "runtime/ort/provider_settings.h"

#include <algorithm>

#include "paddle/validator.h"

namespace oarlock {
namespace {

std::string to_flag(bool on) { return on ? "1" : "0"; }

Settings merge_settings(Settings settings, const std::map<std::string, std::string>& more) {
  for (auto& [key, value] : more) settings[key] = value;
  return settings;
}

}  // namespace

Settings cuda_settings(const Options& o) {
  Settings settings{
      {"device_id", std::to_string(o.device_id)},
      {"cudnn_conv_algo_search",
       "HEURISTIC"},  // the default, EXHAUSTIVE, takes seconds for every new shape
      {"cudnn_conv_use_max_workspace", "1"},
      {"cudnn_conv1d_pad_to_nc1d", "1"},
      {"use_tf32", to_flag(o.tf32)},
      {"enable_cuda_graph", to_flag(o.cuda_graph)},
  };
  if (o.memory != "steady") settings["arena_extend_strategy"] = "kSameAsRequested";
  if (o.memory == "smallest") settings["cudnn_conv_use_max_workspace"] = "0";
  return o.device == "cuda" ? merge_settings(settings, o.provider) : settings;
}

Settings tensorrt_settings(const Options& o, const std::string& cache) {
  Settings settings{
      {"device_id", std::to_string(o.device_id)},
      {"trt_fp16_enable", to_flag(o.fp16)},
      {"trt_cuda_graph_enable", to_flag(o.cuda_graph)},
      {"trt_context_memory_sharing_enable", "1"},
  };
  if (!cache.empty())
    for (const char* what : {"engine", "timing"}) {
      settings[std::string("trt_") + what + "_cache_enable"] = "1";
      settings[std::string("trt_") + what + "_cache_path"] = cache;
    }
  return merge_settings(settings, o.provider);
}

void check_cuda_graph_device_and_shapes(const Options& options,
                                        const std::vector<TensorSpec>& inputs) {
  if (!options.cuda_graph) return;
  if (options.device == "cpu")
    throw Error(ErrorCode::input, "options: cuda_graph needs the device cuda or tensorrt");
  for (const TensorSpec& spec : inputs)
    if (std::count(spec.shape.begin(), spec.shape.end(), -1))
      throw Error(ErrorCode::input, "options: cuda_graph needs inputs of fixed sizes, '" +
                                        spec.name + "' is " + format_type(spec.dtype, spec.shape));
}

}  // namespace oarlock
