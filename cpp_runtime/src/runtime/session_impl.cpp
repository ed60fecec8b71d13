#include "runtime/session_impl.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/log.h"
#include "onnx/model.h"
#include "runtime/error_location.h"
#include "runtime/machine.h"
#include "runtime/ort/node_placement.h"
#include "runtime/ort/provider_settings.h"
#include "runtime/ort_session_options.h"
#include "runtime/row_splits.h"
#include "runtime/synthetic_inputs.h"
#include "runtime/tuning_file.h"

namespace oarlock {
namespace {

// The check whether the file of weights was overwritten takes a tenth of the time of a small run,
// so it is repeated only after about 0.1 ms.
#ifdef __x86_64__
constexpr std::uint64_t kRecheckTicks = 200'000;
std::uint64_t clock_ticks() { return __builtin_ia32_rdtsc(); }  // a third of the cost of a clock
#else
constexpr std::uint64_t kRecheckTicks = 100'000;
std::uint64_t clock_ticks() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}
#endif
constexpr const char* kFileNameOfWeightsInMemory = "weights.pdiparams";
constexpr int kFolderKeyMinor =
    21;  // older versions have no option for the folder of external data

struct FolderAndFileName {
  std::string folder, name;
};

// Splits a path into folder and file name after resolving symbolic links, because ONNX Runtime
// rejects links that lead out of the folder.
FolderAndFileName resolve_and_split_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  std::string full = real ? real.get() : path;
  auto slash = full.find_last_of('/');
  return slash == std::string::npos
             ? FolderAndFileName{".", full}
             : FolderAndFileName{slash ? full.substr(0, slash) : "/", full.substr(slash + 1)};
}

// Sets the options that the value of option `memory` implies, unless the user set them.
Options with_memory_preset(Options options) {
  if (options.memory != "steady" && options.mem_pattern < 0) options.mem_pattern = 0;
  return options;
}

// Completes the options: values of the tuning file, the folder of the graph cache, and the TensorRT
// profile of named dimensions.
Options options_with_tuning_cache_and_tensorrt_profile(const Options& requested,
                                                       const Model::Impl& model,
                                                       const Library& library) {
  Options options = options_with_tuning(with_memory_preset(requested), model, library);
  options.cache_dir = cache_folder_or_empty_if_disabled(options.cache_dir);
  bool has_profile = std::any_of(options.provider.begin(), options.provider.end(),
                                 [](auto& o) { return o.first.starts_with("trt_profile_"); });
  if (options.device == "tensorrt" && !has_profile)
    options.provider.merge(tensorrt_shape_profile_options(input_specs(model.program)));
  return options;
}

/// The session that `make` creates, or null if `make` throws an Error, which happens if a cache
/// entry has damage that its digests do not show, or if ONNX Runtime cannot write the graph. The
/// caller then goes on without the cache.
template <class F>
ort::SessionHandle try_make_session(F&& make) {
  try {
    return make();
  } catch (const Error& error) {
    log_message(LogLevel::warning, "oarlock",
                std::string("the cache of optimized graphs is not used: ") + error.what());
    return {};
  }
}

// Throws Error(input) for an input without data or with more bytes than fit into memory; ONNX
// Runtime does not check this.
void check_has_data_and_size_fits_memory(const std::string& name, const TensorView& view) {
  std::size_t bytes = size_of(view.dtype);
  bool whole = true;
  for (std::int64_t d : view.shape)
    whole = !__builtin_mul_overflow(bytes, static_cast<std::size_t>(d), &bytes) && whole;
  if (!whole || bytes > PTRDIFF_MAX || (bytes > 0 && !view.data))
    throw Error(ErrorCode::input,
                "run: input '" + name + "' is " +
                    format_type(view.dtype, Ints(view.shape.begin(), view.shape.end())) +
                    (whole && !view.data ? " without data" : ", more than fits into memory"));
}

bool matches_spec(const TensorSpec& spec, DType dtype, std::span<const std::int64_t> shape) {
  return spec.dtype == dtype &&
         std::ranges::equal(spec.shape, shape, [](std::int64_t declared, std::int64_t size) {
           return declared < 0 || declared == size;
         });
}

// The text between `before` and `end`; "" if `before` does not occur.
std::string text_between(std::string_view text, std::string_view before, char end) {
  auto at = text.find(before);
  if (at == text.npos) return "";
  text.remove_prefix(at + before.size());
  return std::string(text.substr(0, text.find(end)));
}

// The message for a result that has another size than the tensor for it, from the messages of older
// and newer versions of ONNX Runtime; "" for other errors.
std::string describe_size_mismatch_of_output(const Error& error) {
  constexpr std::string_view older = "shape verification failed",
                             newer = "The output OrtValue provided for output";
  std::string_view message = error.what();
  bool is_newer = message.find(newer) != message.npos;
  if (!is_newer && message.find(older) == message.npos) return "";
  std::string name = is_newer ? " ('" + text_between(message, "provided for output '", '\'') + "')"
                              : "",
              given = text_between(message, is_newer ? "has shape {" : "Current shape:{", '}'),
              computed = text_between(
                  message, is_newer ? "output shape for this run is {" : "Requested shape:{", '}');
  return "run: an output has another size than the tensor for it" + name + ": [" + computed +
         "], the tensor has [" + given + "]";
}

}  // namespace

void check_input(const TensorSpec& spec, const TensorView& view) {
  if (!find_dtype_row(view.dtype))
    throw Error(ErrorCode::input, "run: input '" + spec.name + "' has the unknown dtype " +
                                      std::to_string(static_cast<std::int64_t>(view.dtype)) +
                                      ", the model requires " +
                                      format_type(spec.dtype, spec.shape));
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] < 0)
      throw Error(ErrorCode::input, "run: input '" + spec.name + "': dimension " +
                                        std::to_string(d) + " is " + std::to_string(view.shape[d]) +
                                        "; it must be at least 0");
  if (!matches_spec(spec, view.dtype, view.shape))
    throw Error(ErrorCode::input,
                "run: input '" + spec.name + "' is " +
                    format_type(view.dtype, Ints(view.shape.begin(), view.shape.end())) +
                    ", the model requires " + format_type(spec.dtype, spec.shape));
  check_has_data_and_size_fits_memory(spec.name, view);
}

void require_disjoint_memory(std::span<const TensorView> inputs, std::span<const Tensor> outputs) {
  auto overlaps = [](const Tensor& output, const void* data, std::size_t num_bytes) {
    auto first = reinterpret_cast<std::uintptr_t>(output.data());
    auto other = reinterpret_cast<std::uintptr_t>(data);
    return output.byte_size() > 0 && num_bytes > 0 && other < first + output.byte_size() &&
           first < other + num_bytes;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const TensorView& input : inputs)
      if (overlaps(outputs[i], input.data, tensor_byte_size(input.dtype, input.shape)))
        throw Error(ErrorCode::input, "run: an output is in the memory of an input");
    for (const Tensor& other : outputs.subspan(i + 1))
      if (overlaps(outputs[i], other.data(), other.byte_size()))
        throw Error(ErrorCode::input, "run: two outputs are in the same memory");
  }
}

const ort::RunOptions* run_options_of_cancellation(const CancellationToken* cancellation) {
  return cancellation ? cancellation->impl().options.get() : nullptr;
}

Session::Impl::Impl(const Model& m, const Options& o)
    : model(m),
      library(load_ort_library_once(o.ort_library)),
      options(options_with_tuning_cache_and_tensorrt_profile(o, m.impl(), library)),
      inputs(input_specs(m.impl().program)),
      guards(m.impl().program),
      named_dimensions(inputs),
      shape_buckets(options.shape_buckets, inputs),
      pooling_check(m.impl().program) {
  cpu_memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
  if (options.device != "cpu") {
    DeviceMemoryDescriptor memory = make_cuda_memory_descriptor(options.device_id);
    cuda_memory = make_device_memory_info(library, memory);
    pinned_memory = make_host_memory_info(library, memory);
  }
  if (options.memory == "smallest") arena = &shared_page_arena(library);
  session = load_cached_or_create_session();
  for (const TensorSpec& spec : inputs) input_names.push_back(spec.name.c_str());
  std::size_t count = 0;
  auto declared = m.outputs();
  library.api.call<ort::SessionGetOutputCount>(session.get(), &count);
  for (std::size_t i = 0; i + guards.fetch_names().size() < count; ++i) {
    bool complex = i < declared.size() && is_complex(declared[i].dtype);
    outputs.push_back(read_output_spec(library, session.get(), i, complex));
    if (i < declared.size()) outputs.back().path = declared[i].path;
    if (complex) complex_outputs.insert(outputs.back().name);
    all_outputs.push_back(i);
  }
  all_output_names = requested_and_guard_output_names(all_outputs);
  if (options.offsets) link_row_splits_outputs_to_owners(outputs, declared.size());
  check_cuda_graph_device_and_shapes(options, inputs);
  check_no_ops_left_on_cpu();
  for (const Shapes& shapes : options.warmup) warm_up(shapes);
}

/// Fails if the requested device does not run all nodes.
void Session::Impl::check_no_ops_left_on_cpu() const {
  if (options.device == "cpu" || options.cpu_fallback) return;
  std::string cpu_ops =
      describe_compute_ops_on_cpu(query_op_counts_by_provider(library, session.get()));
  if (!cpu_ops.empty())
    throw Error(ErrorCode::engine, options.device + ": has no kernel for all of " +
                                       model.impl().program.name + ", left on the CPU: " + cpu_ops +
                                       " (the option cpu_fallback allows that)");
}

/// Loads the graph from the cache, creates and caches it, or only creates it.
ort::SessionHandle Session::Impl::load_cached_or_create_session() const {
  std::optional<GraphCache> cache = GraphCache::create(model.impl(), library, options);
  if (!cache) return create(lower_and_serialize_model());
  auto cached_path = cache->find_valid_graph_path();
  if (cached_path)
    if (auto loaded_session =
            try_make_session([&] { return load_session_of_cached_graph(*cached_path); })) {
      log_message(LogLevel::info, "oarlock",
                  model.impl().program.name + ": loaded the optimized graph " + *cached_path);
      return loaded_session;
    }
  SerializedOnnxModel lowered = lower_and_serialize_model();
  if (auto draft = cache->try_begin_entry(cached_path))
    if (auto new_session = try_make_session(
            [&] { return create_session_and_cache_graph(lowered, std::move(*draft), *cache); }))
      return new_session;
  return create(lowered);
}

ort::OptionsHandle Session::Impl::make_ort_options_for_graph(const SerializedOnnxModel& graph,
                                                             const Options& session_options) const {
  ort::OptionsHandle settings = make_session_options(library, session_options, graph.folder);
  if (char* weights = model.impl().weights_in_memory.get()) {
    const char* file = kFileNameOfWeightsInMemory;
    std::size_t num_bytes = model.impl().num_bytes_in_memory;
    library.api.call<ort::AddExternalInitializersFromFilesInMemory>(
        settings.get(), &file, &weights, static_cast<const std::size_t*>(&num_bytes),
        std::size_t{1});
  }
  return settings;
}

/// only_guards: names of the guards to compute; empty: all outputs and guards.
Session::Impl::SerializedOnnxModel Session::Impl::lower_and_serialize_model(
    const Strings& only_guards) const {
  const Model::Impl& impl = model.impl();
  LoweringOptions lowering;
  FolderAndFileName weights = resolve_and_split_path(impl.weights.path());
  lowering.inline_weights =
      !impl.weights_in_memory && (options.copy_weights || library.minor < kFolderKeyMinor);
  lowering.location = weights.name;
  lowering.guard_outputs = true;
  lowering.extra_outputs = options.outputs;
  lowering.lod_outputs = options.offsets;
  lowering.integer_products = !byte_products_saturate();
  lowering.signed_activations = options.device == "tensorrt";
  lowering.guards_only = only_guards;
  if (impl.weights_in_memory) lowering.location = kFileNameOfWeightsInMemory;
  bool external = !lowering.inline_weights && !impl.weights.path().empty();
  log_message(LogLevel::info, "oarlock", impl.program.name + ": converts the program to ONNX");
  return {onnx::to_bytes(lower_program(impl.program, impl.params, lowering)),
          external ? weights.folder : ""};
}

ort::SessionHandle Session::Impl::create(const SerializedOnnxModel& graph) const {
  return create(graph.bytes, make_ort_options_for_graph(graph, options).get());
}

ort::SessionHandle Session::Impl::create_session_and_cache_graph(const SerializedOnnxModel& graph,
                                                                 CacheDraft draft,
                                                                 const GraphCache& cache) const {
  auto settings = make_ort_options_for_graph(graph, options);
  draft.configure_session_to_save_graph(library, settings.get());
  ort::SessionHandle ort_session = create(graph.bytes, settings.get());
  cache.try_commit_entry(std::move(draft));
  return ort_session;
}

ort::SessionHandle Session::Impl::load_session_of_cached_graph(const std::string& path) const {
  Options as_is = options;
  as_is.optimize = 0;
  auto settings = make_session_options(library, as_is, "");
  return ort::make<ort::SessionHandle, ort::CreateSession>(
      library.api, static_cast<const ort::Env*>(library.env), path.c_str(),
      static_cast<const ort::SessionOptions*>(settings.get()));
}

ort::SessionHandle Session::Impl::create(const std::string& bytes,
                                         const ort::SessionOptions* settings) const {
  return ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
      library.api, static_cast<const ort::Env*>(library.env),
      static_cast<const void*>(bytes.data()), bytes.size(), settings);
}

// Runs the session once on synthetic inputs of these shapes. Guards that these inputs violate are
// ignored, because ONNX Runtime is warmed up anyway.
void Session::Impl::warm_up(const Shapes& shapes) const {
  std::vector<Tensor> synthetic = synthetic_inputs(inputs, model.guards(), shapes);
  std::vector<TensorView> views(synthetic.begin(), synthetic.end());
  try {
    run(views, {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::guard) throw;
  }
}

// Throws Error(file) if the mapped file of weights was overwritten; checks at most once in about
// 0.1 ms. Runs with changed bytes would use other weights; reading beyond the new end of a
// truncated file would crash the process.
void Session::Impl::check_weights_unchanged() const {
  if (options.copy_weights) return;
  std::uint64_t now = clock_ticks();
  // The difference of the two tick counts is unsigned: if the counter of ticks decreased, the
  // difference is large, so that the weights are checked.
  if (now - last_weights_check.load(std::memory_order_relaxed) < kRecheckTicks) return;
  last_weights_check.store(now, std::memory_order_relaxed);
  const MappedFile& weights = model.impl().weights;
  if (weights.was_overwritten())
    throw Error(
        ErrorCode::file,
        base_name(weights.path()) +
            ": was overwritten while it was in use; replace such a file by renaming another, " +
            "or set copy_weights (" + weights.path() + ")");
}

void Session::Impl::check_inputs(std::span<const TensorView> input_views) const {
  if (input_views.size() == inputs.size())
    guards.check_input_shapes(
        input_views);  // before the other checks: a guard's message has the user's line
  check_input_types_and_shapes(input_views);
  named_dimensions.check(input_views);
  shape_buckets.require_bucket_sizes(input_views);
  check_row_splits_input_values(inputs, input_views);
  pooling_check.check(input_views);
}

void Session::Impl::check_input_types_and_shapes(std::span<const TensorView> input_views) const {
  if (input_views.size() != inputs.size())
    throw Error(ErrorCode::input,
                "run: " + std::to_string(input_views.size()) + " inputs given, the model has " +
                    std::to_string(inputs.size()) + " (" + format_input_specs() + ")");
  for (std::size_t i = 0; i < input_views.size(); ++i) check_input(inputs[i], input_views[i]);
}

std::string Session::Impl::format_input_specs() const {
  std::string text;
  for (const TensorSpec& spec : inputs)
    text += (text.empty() ? "" : ", ") + spec.name + "=" + format_type(spec.dtype, spec.shape);
  return text;
}

bool Session::Impl::is_complex_output(std::string_view name) const {
  return !complex_outputs.empty() && complex_outputs.count(name) > 0;
}

std::vector<Tensor> Session::Impl::run_engine(ort::Session* engine, const OrtValues& in,
                                              Names names,
                                              const ort::RunOptions* run_options) const {
  OrtValues output_values(library.api, names.size());
  if (options.device == "cpu")
    run_session(library, engine, run_options, input_names, in, names, output_values);
  else
    run_with_outputs_in_host_memory(library, engine, run_options,
                                    make_cuda_memory_descriptor(options.device_id), input_names, in,
                                    names, output_values);
  std::vector<Tensor> results;
  results.reserve(output_values.size());
  for (std::size_t i = 0; i < output_values.size(); ++i)
    results.push_back(make_tensor_owning_ort_value(library, output_values.move_entry_to_handle(i),
                                                   is_complex_output(names[i])));
  return results;
}

// Captures a CUDA graph at the first call, and runs it. All outputs and guards are always computed,
// because a CUDA graph cannot run in part.
std::vector<Tensor> Session::Impl::capture_once_and_run_cuda_graph(
    std::span<const TensorView> input_views, const OrtValues& values,
    std::span<const std::size_t> output_indices) const {
  std::call_once(cuda_graph_once, [&] {
    std::vector<bool> complex;
    for (const char* name : all_output_names) complex.push_back(is_complex_output(name));
    cuda_graph_run = std::make_unique<CapturedCudaGraph>(
        library, session.get(), make_cuda_memory_descriptor(options.device_id), input_names, values,
        all_output_names, complex);
  });
  std::vector<Tensor> everything = cuda_graph_run->run(input_views), results;
  for (std::size_t index : output_indices) results.push_back(everything[index]);
  results.insert(results.end(), everything.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                 everything.end());
  return results;
}

std::vector<const char*> Session::Impl::requested_and_guard_output_names(
    std::span<const std::size_t> output_indices) const {
  std::vector<const char*> names;
  for (std::size_t index : output_indices) {
    if (index >= outputs.size())
      throw Error(ErrorCode::input, "run: no output number " + std::to_string(index));
    names.push_back(outputs[index].name.c_str());
  }
  for (const std::string& name : guards.fetch_names()) names.push_back(name.c_str());
  return names;
}

// Throws Error(guard) if ViolatedGuardFinder finds a violated guard.
void Session::Impl::throw_if_guard_explains_failure(std::span<const TensorView> input_views,
                                                    const Error& error) const {
  if (!options.locate_guards || guards.fetch_names().empty()) return;
  OrtValues values(library.api, input_views.size());
  set_ort_values_to_views(values, input_views);
  Options small = options;
  small.optimize = 0;  // such sessions run rarely, and only for wrong inputs
  small.threads = 1;
  auto create_locator = [&](const Strings& outputs) {
    SerializedOnnxModel graph = lower_and_serialize_model(outputs);
    return create(graph.bytes, make_ort_options_for_graph(graph, small).get());
  };
  auto run_locator = [&](ort::Session* session, Names outputs) {
    return run_engine(session, values, outputs);
  };
  guard_finder.locate(guards, failed_main_block_op_index_or_size(model.impl().program, error),
                      create_locator, run_locator);
}

std::vector<Tensor> Session::Impl::run(std::span<const TensorView> input_views,
                                       std::span<const std::size_t> output_indices,
                                       const CancellationToken* cancellation) const {
  return shape_buckets.empty() ? run_unpadded(input_views, output_indices, cancellation)
                               : run_padded(input_views, output_indices, cancellation);
}

std::vector<Tensor> Session::Impl::run_padded(std::span<const TensorView> input_views,
                                              std::span<const std::size_t> output_indices,
                                              const CancellationToken* cancellation) const {
  check_input_types_and_shapes(input_views);
  ShapeBuckets::PaddedInputs padded = shape_buckets.pad(input_views);
  std::vector<Tensor> results = run_unpadded(padded.views, output_indices, cancellation);
  if (output_indices.empty()) output_indices = all_outputs;
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] = shape_buckets.crop(results[i], outputs[output_indices[i]], padded);
  return results;
}

std::vector<Tensor> Session::Impl::run_unpadded(std::span<const TensorView> input_views,
                                                std::span<const std::size_t> output_indices,
                                                const CancellationToken* cancellation) const {
  PageArenaScope scope(arena);
  check_weights_unchanged();
  check_inputs(input_views);
  std::vector<const char*> some = output_indices.empty()
                                      ? std::vector<const char*>()
                                      : requested_and_guard_output_names(output_indices);
  Names names = output_indices.empty() ? all_output_names : some;
  if (output_indices.empty()) output_indices = all_outputs;
  OrtValues values(library.api, input_views.size());
  set_ort_values_to_views(values, input_views);
  std::vector<Tensor> results;
  try {
    results =
        options.cuda_graph
            ? capture_once_and_run_cuda_graph(input_views, values, output_indices)
            : run_engine(session.get(), values, names, run_options_of_cancellation(cancellation));
  } catch (const Error& error) {
    throw_run_error(error, input_views, cancellation);
  }
  for (std::size_t i = 0; i < guards.fetch_names().size(); ++i)
    guards.check_fetched_value(i, results[output_indices.size() + i]);
  results.resize(output_indices.size());
  return results;
}

void Session::Impl::run_into(std::span<const TensorView> input_views,
                             std::span<const Tensor> output_tensors,
                             const CancellationToken* cancellation) const {
  if (options.cuda_graph)
    throw Error(ErrorCode::input,
                "run_into: with cuda_graph, outputs are bound once; use IoBinding");
  if (output_tensors.size() != outputs.size())
    throw Error(ErrorCode::input, "run_into: " + std::to_string(output_tensors.size()) +
                                      " outputs given, the model has " +
                                      std::to_string(outputs.size()));
  PageArenaScope scope(arena);
  check_weights_unchanged();
  check_inputs(input_views);
  OrtValues values(library.api, input_views.size());
  set_ort_values_to_views(values, input_views);
  OrtValues results(library.api, all_output_names.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_tensor_for_output(i, output_tensors[i]);
    results.set(i, make_ort_value_in_view_memory(output_tensors[i]));
  }
  require_disjoint_memory(input_views, output_tensors);
  try {
    run_session(library, session.get(), run_options_of_cancellation(cancellation), input_names,
                values, all_output_names, results);
  } catch (const Error& error) {
    throw_run_error(error, input_views, cancellation);
  }
  check_fetched_guards(results);
}

void Session::Impl::check_fetched_guards(OrtValues& results) const {
  for (std::size_t i = 0; i < guards.fetch_names().size(); ++i)
    guards.check_fetched_value(
        i, make_tensor_owning_ort_value(library, results.move_entry_to_handle(outputs.size() + i),
                                        false));
}

void Session::Impl::set_ort_values_to_views(OrtValues& values,
                                            std::span<const TensorView> views) const {
  for (std::size_t i = 0; i < views.size(); ++i)
    values.set(i, make_ort_value_in_view_memory(views[i]));
}

void Session::Impl::throw_run_error(const Error& error, std::span<const TensorView> input_views,
                                    const CancellationToken* cancellation) const {
  if (cancellation && cancellation->is_stopped()) throw Error(ErrorCode::canceled, "run: stopped");
  if (std::string mismatch = describe_size_mismatch_of_output(error); !mismatch.empty())
    throw Error(ErrorCode::input, mismatch);
  throw_if_guard_explains_failure(input_views, error);
  throw error_with_op_location(model.impl().program, error);
}

const ort::MemoryInfo* Session::Impl::memory_info(const Device& device) const {
  if (device.type == DeviceType::cpu) return cpu_memory.get();
  if (!cuda_memory || device.id != options.device_id)
    throw Error(ErrorCode::input, "run: memory of GPU " + std::to_string(device.id) +
                                      " is given to a session on " + options.device +
                                      (cuda_memory ? " " + std::to_string(options.device_id) : ""));
  return device.type == DeviceType::cuda ? cuda_memory.get() : pinned_memory.get();
}

ort::ValueHandle Session::Impl::make_ort_value_in_view_memory(const TensorView& view) const {
  const ort::MemoryInfo* memory = memory_info(view.device);
  // To ONNX Runtime, pinned memory is like other host memory: described as pinned memory, ONNX
  // Runtime 1.31 copies an output to itself and fails, if an earlier run had other outputs.
  if (view.device.type == DeviceType::cuda_pinned) memory = cpu_memory.get();
  return make_ort_value_of_view(library, memory, view);
}

void Session::Impl::check_tensor_for_output(std::size_t index, const Tensor& tensor) const {
  const TensorSpec& spec = outputs[index];
  if (!matches_spec(spec, tensor.dtype(), tensor.shape()))
    throw Error(ErrorCode::input, "run: the tensor for output '" + spec.name + "' is " +
                                      format_type(tensor.dtype(), tensor.shape()) +
                                      ", the output is " + format_type(spec.dtype, spec.shape));
  if (tensor.byte_size() > 0 && !tensor.data())
    throw Error(ErrorCode::input,
                "run: the tensor for output '" + spec.name + "' has no data (a null pointer)");
}

std::size_t Session::Impl::find_input(std::string_view name) const {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name) return i;
  throw Error(ErrorCode::input, "run: no input '" + std::string(name) + "' (the model has " +
                                    format_input_specs() + ")");
}

std::size_t Session::Impl::find_output(std::string_view name) const {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].name == name) return i;
  throw Error(ErrorCode::input, "run: no output '" + std::string(name) + "'");
}

}  // namespace oarlock
