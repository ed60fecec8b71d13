// Tests of the GPU code without a GPU: options, search order, messages, and runs with buffers in
// CPU memory.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "check.h"
#include "fixtures.h"
#include "oarlock/session.h"
#include "onnx/model.h"
#include "runtime/device_memory_runs.h"
#include "runtime/model_impl.h"
#include "runtime/ort/node_placement.h"
#include "runtime/ort/nvidia_libraries.h"
#include "runtime/ort/provider_settings.h"
#include "runtime/ort_session_options.h"

using namespace oarlock;

namespace {

Options on(const std::string& device) {
  Options options;
  options.device = device;
  return options;
}

void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

DeviceMemoryDescriptor host_memory() { return {"Cpu", "Cpu", 0, copy}; }

// An ONNX Runtime session of the mlp.
struct Raw {
  Model model = Model::open(fixture("mlp"));
  const Library& library = load_ort_library_once("");
  std::string bytes;
  ort::SessionHandle session;
  ort::MemoryHandle memory;

  explicit Raw(const char* record = "0") {
    OnnxOptions options;
    options.inline_weights = true;
    bytes = model.to_onnx(options);
    auto settings = make_session_options(library, Options{}, "");
    library.api.call<ort::AddSessionConfigEntry>(settings.get(),
                                                 "session.record_ep_graph_assignment_info", record);
    session = ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
        library.api, static_cast<const ort::Env*>(library.env),
        static_cast<const void*>(bytes.data()), bytes.size(),
        static_cast<const ort::SessionOptions*>(settings.get()));
    memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
  }
};

}  // namespace

TEST("gpu: CUDA options, overridden by the user") {
  Options options = on("cuda");
  options.device_id = 2;
  options.tf32 = false;
  Settings settings = cuda_settings(options);
  CHECK_EQ(settings["device_id"], "2");
  CHECK_EQ(settings["use_tf32"], "0");
  CHECK_EQ(settings["cudnn_conv_algo_search"], "HEURISTIC");
  CHECK_EQ(settings["enable_cuda_graph"], "0");
  options.provider = {{"cudnn_conv_algo_search", "EXHAUSTIVE"}, {"gpu_mem_limit", "1000"}};
  settings = cuda_settings(options);
  CHECK_EQ(settings["cudnn_conv_algo_search"], "EXHAUSTIVE");
  CHECK_EQ(settings["gpu_mem_limit"], "1000");
}

TEST("gpu: TensorRT options") {
  Options options = on("tensorrt");
  options.fp16 = true;
  options.provider = {{"trt_profile_min_shapes", "x:1x3"}};
  Settings settings = tensorrt_settings(options, "/kept");
  CHECK_EQ(settings["trt_fp16_enable"], "1");
  CHECK_EQ(settings["trt_engine_cache_enable"], "1");
  CHECK_EQ(settings["trt_engine_cache_path"], "/kept");
  CHECK_EQ(settings["trt_timing_cache_path"], "/kept");
  CHECK_EQ(settings["trt_profile_min_shapes"], "x:1x3");
  CHECK_EQ(cuda_settings(options).count("trt_profile_min_shapes"), std::size_t{0});
  CHECK_EQ(tensorrt_settings(options, "").count("trt_engine_cache_enable"), std::size_t{0});
}

TEST("gpu: a CUDA graph needs fixed sizes and a device") {
  Options options = on("cuda");
  options.cuda_graph = true;
  check_cuda_graph_device_and_shapes(options, {{"x", DType::float32, {1, 3}, {}, ""}});
  CHECK_ERROR(
      "cuda_graph needs inputs of fixed sizes, 'x' is float32[?,3]",
      check_cuda_graph_device_and_shapes(options, {{"x", DType::float32, {-1, 3}, {}, ""}}));
  options.device = "cpu";
  CHECK_ERROR("cuda_graph needs the device cuda or tensorrt",
              check_cuda_graph_device_and_shapes(options, {}));
}

TEST("gpu: named folders are searched before those of wheels") {
  namespace fs = std::filesystem;
  fs::path root = fs::temp_directory_path() / ("oarlock-gpu-" + std::to_string(::getpid()));
  for (auto folder : {"site/onnxruntime/capi", "site/nvidia/cudnn/lib", "site/nvidia/cu13/lib",
                      "site/tensorrt_libs"})
    fs::create_directories(root / folder);
  auto found = nvidia_library_search_folders(
      "/opt/a:/opt/b:", (root / "site/onnxruntime/capi/libonnxruntime.so.1").string());
  std::vector<std::string> wanted{"/opt/a", "/opt/b", (root / "site/nvidia/cu13/lib").string(),
                                  (root / "site/nvidia/cudnn/lib").string(),
                                  (root / "site/tensorrt_libs").string()};
  CHECK(found == wanted);
  std::ofstream(root / "site/nvidia/cu13/lib/libcudart.so.13") << "no library";
  auto opened = open_nvidia_libraries(found, false);
  CHECK_EQ(opened.size(), std::size_t{7});
  CHECK_EQ(opened[0].path, "");  // a file that cannot be opened is skipped
  CHECK_HAS(describe_library_search(opened, found), "libcudart.so.*: left to the system's loader");
  CHECK_HAS(describe_library_search({}, {}), "no folder");
  CHECK_EQ(open_nvidia_libraries({}, true).size(), std::size_t{9});
  fs::remove_all(root);
}

TEST("gpu: compute nodes on the CPU, without shape computations") {
  OpCountsByProvider placement{{"CUDAExecutionProvider", {{"Conv", 3}}},
                               {"CPUExecutionProvider", {{"Shape", 2}, {"Gather", 1}}}};
  CHECK_EQ(describe_compute_ops_on_cpu(placement), "");
  placement["CPUExecutionProvider"]["NonMaxSuppression"] = 2;
  placement["CPUExecutionProvider"]["GridSample"] = 1;
  CHECK_EQ(describe_compute_ops_on_cpu(placement), "1 GridSample, 2 NonMaxSuppression");
}

TEST("gpu: node placement") {
  Raw raw("1");
  OpCountsByProvider placement = query_op_counts_by_provider(raw.library, raw.session.get());
  if (raw.library.minor < 24) return;
  CHECK(!placement["CPUExecutionProvider"].empty());
  CHECK(!describe_compute_ops_on_cpu(placement).empty());
}

TEST("gpu: bound and captured runs equal plain runs") {
  Raw raw;
  Session session(raw.model);
  std::vector<float> data{1, 2, 3, 4};
  std::vector<std::int64_t> shape{1, 4};
  std::vector<TensorView> views{{std::span<const float>(data), shape}};
  std::vector<Tensor> wanted = session.run(views);
  std::string in = session.inputs()[0].name, out = session.outputs()[0].name;
  std::vector<const char*> inputs{in.c_str()}, outputs{out.c_str()};
  OrtValues values(raw.library.api, 1), bound(raw.library.api, 1);
  values.set(0, make_ort_value_of_view(raw.library, raw.memory.get(), views[0]));
  run_with_outputs_in_host_memory(raw.library, raw.session.get(), nullptr, host_memory(), inputs,
                                  values, outputs, bound);
  Tensor first = make_tensor_owning_ort_value(raw.library, bound.move_entry_to_handle(0), false);
  CHECK(first.shape() == wanted[0].shape());
  CHECK_EQ(std::memcmp(first.data(), wanted[0].data(), first.size() * 4), 0);
  CapturedCudaGraph captured(raw.library, raw.session.get(), host_memory(), inputs, values, outputs,
                             {false});
  for (float start : {1.0f, 5.0f}) {
    data[0] = start;
    std::vector<Tensor> again = session.run(views), found = captured.run(views);
    CHECK(found[0].shape() == again[0].shape());
    CHECK_EQ(std::memcmp(found[0].data(), again[0].data(), found[0].size() * 4), 0);
  }
}

TEST("gpu: complex outputs of a captured run") {
  const Library& library = load_ort_library_once("");
  onnx::Model model;  // y = Identity(x), pairs in and out
  model.opset = 17, model.ir_version = 8;
  model.graph.name = "main";
  model.graph.inputs.push_back({"x", DType::float32, {3, 2}, {"", ""}, true});
  model.graph.nodes.push_back({"Identity", "", "y", {"x"}, {"y"}, {}});
  model.graph.outputs.push_back({"y", DType::float32, {3, 2}, {"", ""}, true});
  std::string bytes = onnx::to_bytes(model);
  auto settings = make_session_options(library, Options{}, "");
  auto session = ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
      library.api, static_cast<const ort::Env*>(library.env),
      static_cast<const void*>(bytes.data()), bytes.size(),
      static_cast<const ort::SessionOptions*>(settings.get()));
  auto memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
  std::vector<float> data{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> shape{3};
  std::vector<TensorView> views{{DType::complex64, shape, data.data()}};
  OrtValues values(library.api, 1);
  values.set(0, make_ort_value_of_view(library, memory.get(), views[0]));
  std::vector<const char*> inputs{"x"}, outputs{"y"};
  CapturedCudaGraph captured(library, session.get(), host_memory(), inputs, values, outputs,
                             {true});
  Tensor found = captured.run(views)[0];
  CHECK(found.dtype() == DType::complex64);
  CHECK(found.shape() == shape);
  CHECK_EQ(std::memcmp(found.data(), data.data(), 24), 0);
}

TEST("gpu: a missing device is an error") {
  Model model = Model::open(fixture("mlp"));
  for (const char* device : {"cuda", "tensorrt"}) CHECK_ERROR(device, Session(model, on(device)));
  CHECK_ERROR("'tpu' is not one of cpu, cuda, tensorrt", Session(model, on("tpu")));
}
