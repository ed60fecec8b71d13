#include "oarlock/session.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "onnx/model.h"
#include "run/device.h"
#include "run/guards.h"
#include "run/library.h"
#include "run/model_impl.h"

namespace oarlock {
namespace {

constexpr std::size_t kMostExplained = 32;
constexpr int kFolderKeyMinor = 21;  // older engines cannot be told where external data lies

struct Paths {
  std::string folder, name;
};

// The real path: a link that leads out of its folder would be refused.
Paths split_real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  std::string full = real ? real.get() : path;
  auto slash = full.find_last_of('/');
  return slash == std::string::npos ? Paths{".", full}
                                    : Paths{slash ? full.substr(0, slash) : "/", full.substr(slash + 1)};
}

ort::OptionsHandle session_options(const Library& library, const Options& options, const std::string& folder) {
  const ort::Api& api = library.api;
  auto made = ort::make<ort::OptionsHandle, ort::CreateSessionOptions>(api);
  api.call<ort::SetSessionGraphOptimizationLevel>(made.get(), options.optimize);
  if (options.threads > 0) api.call<ort::SetIntraOpNumThreads>(made.get(), options.threads);
  if (options.inter_threads > 0) {
    api.call<ort::SetSessionExecutionMode>(made.get(), 1);
    api.call<ort::SetInterOpNumThreads>(made.get(), options.inter_threads);
  }
  if (options.deterministic) api.call<ort::SetDeterministicCompute>(made.get(), true);
  if (!options.profile.empty()) api.call<ort::EnableProfiling>(made.get(), options.profile.c_str());
  if (!folder.empty())
    api.call<ort::AddSessionConfigEntry>(made.get(), "session.model_external_initializers_file_folder_path",
                                         folder.c_str());
  append_device(library, made.get(), options);
  return made;
}

void check_options(const Options& o) {
  auto require = [](bool ok, const std::string& why) {
    if (!ok) throw Error(Fault::input, "options: " + why);
  };
  require(o.threads >= 0 && o.threads <= 4096, "threads is " + std::to_string(o.threads));
  require(o.inter_threads >= 0 && o.inter_threads <= 4096, "inter_threads is " + std::to_string(o.inter_threads));
  require(o.optimize == 0 || o.optimize == 1 || o.optimize == 2 || o.optimize == 99,
          "optimize is " + std::to_string(o.optimize) + ", none of 0, 1, 2, 99");
  require(o.device_id >= 0, "device_id is " + std::to_string(o.device_id));
}

TensorSpec output_spec(const Library& library, ort::Session* session, std::size_t index) {
  const ort::Api& api = library.api;
  TensorSpec spec;
  char* name = nullptr;
  api.call<ort::SessionGetOutputName>(session, index, library.allocator, &name);
  spec.name = name;
  api.call<ort::AllocatorFree>(library.allocator, static_cast<void*>(name));
  auto type = ort::make<ort::TypeInfoHandle, ort::SessionGetOutputTypeInfo>(api, session, index);
  const ort::TensorInfo* info = nullptr;
  api.call<ort::CastTypeInfoToTensorInfo>(static_cast<const ort::TypeInfo*>(type.get()), &info);
  if (!info) throw Error(Fault::unsupported, "output '" + spec.name + "' is not a tensor");
  int number = 0;
  std::size_t rank = 0;
  api.call<ort::GetTensorElementType>(info, &number);
  api.call<ort::GetDimensionsCount>(info, &rank);
  spec.dtype = dtype_of_onnx(number);
  spec.shape.resize(rank);
  std::vector<const char*> symbols(rank);
  api.call<ort::GetDimensions>(info, spec.shape.data(), rank);
  api.call<ort::GetSymbolicDimensions>(info, symbols.data(), rank);
  for (const char* symbol : symbols) spec.symbols.emplace_back(symbol ? symbol : "");
  return spec;
}

void join_pairs(TensorSpec& spec, DType dtype) {
  spec.dtype = dtype;
  if (!spec.shape.empty()) spec.shape.pop_back(), spec.symbols.pop_back();
}

}  // namespace

struct Session::Impl {
  Model model;  // keeps the program that the guards point into
  Options options;
  const Library& library;
  ort::MemoryHandle memory;
  ort::SessionHandle session;
  std::vector<TensorSpec> inputs, outputs;
  std::vector<const char*> input_names;
  std::vector<std::size_t> all_outputs;
  Guards guards;

  Impl(const Model& m, const Options& o)
      : model(m), options(o), library(open_library(o.ort_library)), guards(m.impl().program) {
    memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
    session = create();
    inputs = input_specs(m.impl().program);
    for (const TensorSpec& spec : inputs) input_names.push_back(spec.name.c_str());
    std::size_t count = 0;
    auto declared = m.outputs();
    library.api.call<ort::SessionGetOutputCount>(session.get(), &count);
    for (std::size_t i = 0; i + guards.fetched().size() < count; ++i) {
      outputs.push_back(output_spec(library, session.get(), i));
      if (i < declared.size() && is_complex(declared[i].dtype)) join_pairs(outputs.back(), declared[i].dtype);
      all_outputs.push_back(i);
    }
  }

  /// only: one guard's output instead of everything.
  ort::SessionHandle create(const std::string& only = "") const {
    const Model::Impl& impl = model.impl();
    LowerOptions lowering;
    Paths weights = split_real_path(impl.weights.path());
    lowering.inline_weights = options.copy_weights || library.minor < kFolderKeyMinor;
    lowering.location = weights.name;
    lowering.guard_outputs = true;
    lowering.extra_outputs = options.outputs;
    lowering.only_output = only;
    std::string bytes = onnx::to_bytes(lower(impl.program, impl.params, lowering));
    bool external = !lowering.inline_weights && !impl.weights.path().empty();
    auto settings = session_options(library, options, external ? weights.folder : "");
    return ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
        library.api, static_cast<const ort::Env*>(library.env), static_cast<const void*>(bytes.data()), bytes.size(),
        static_cast<const ort::SessionOptions*>(settings.get()));
  }

  void check(std::span<const TensorView> given) const {
    if (given.size() != inputs.size())
      throw Error(Fault::input, "run: " + std::to_string(given.size()) + " inputs given, the model has " +
                                    std::to_string(inputs.size()) + " (" + input_list() + ")");
    for (std::size_t i = 0; i < given.size(); ++i) check(inputs[i], given[i]);
  }

  static void check(const TensorSpec& spec, const TensorView& view) {
    bool fits = spec.dtype == view.dtype && spec.shape.size() == view.shape.size();
    for (std::size_t d = 0; fits && d < spec.shape.size(); ++d)
      fits = view.shape[d] >= 0 && (spec.shape[d] < 0 || spec.shape[d] == view.shape[d]);
    if (!fits)
      throw Error(Fault::input, "run: input '" + spec.name + "' is " +
                                    show(view.dtype, Ints(view.shape.begin(), view.shape.end())) +
                                    ", the model wants " + show(spec.dtype, spec.shape));
  }

  std::string input_list() const {
    std::string text;
    for (const TensorSpec& spec : inputs)
      text += (text.empty() ? "" : ", ") + spec.name + "=" + show(spec.dtype, spec.shape);
    return text;
  }

  // ONNX Runtime has no complex numbers; in memory one is two real ones.
  ort::ValueHandle pairs_of(const TensorView& view, std::size_t bytes) const {
    Ints shape(view.shape.begin(), view.shape.end());
    shape.push_back(2);
    void* data = view.data ? const_cast<void*>(view.data) : nullptr;
    return ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
        library.api, static_cast<const ort::MemoryInfo*>(memory.get()), data, bytes, shape.data(), shape.size(),
        onnx_of(part_of(view.dtype)));
  }

  ort::ValueHandle value_of(const TensorView& view) const {
    static std::int64_t nothing = 0;  // an empty tensor still needs an address
    std::size_t bytes = size_of(view.dtype);
    for (std::int64_t d : view.shape) bytes *= static_cast<std::size_t>(d);
    if (is_complex(view.dtype)) return pairs_of(view, bytes);
    void* data = view.data ? const_cast<void*>(view.data) : &nothing;
    return ort::make<ort::ValueHandle, ort::CreateTensorWithDataAsOrtValue>(
        library.api, static_cast<const ort::MemoryInfo*>(memory.get()), data, bytes, view.shape.data(),
        view.shape.size(), onnx_of(view.dtype));
  }

  bool is_pairs(std::string_view name) const {
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const TensorSpec& spec) { return spec.name == name && is_complex(spec.dtype); });
  }

  Tensor tensor_of(ort::ValueHandle value, bool pairs) const {
    const ort::Api& api = library.api;
    ort::Value* raw = value.get();
    int is_tensor = 0;
    api.call<ort::IsTensor>(static_cast<const ort::Value*>(raw), &is_tensor);
    if (!is_tensor) throw Error(Fault::unsupported, "run: an output is not a tensor");
    auto info = ort::make<ort::TensorInfoHandle, ort::GetTensorTypeAndShape>(api, static_cast<const ort::Value*>(raw));
    int number = 0;
    std::size_t rank = 0;
    void* data = nullptr;
    api.call<ort::GetTensorElementType>(static_cast<const ort::TensorInfo*>(info.get()), &number);
    api.call<ort::GetDimensionsCount>(static_cast<const ort::TensorInfo*>(info.get()), &rank);
    std::vector<std::int64_t> shape(rank);
    api.call<ort::GetDimensions>(static_cast<const ort::TensorInfo*>(info.get()), shape.data(), rank);
    api.call<ort::GetTensorMutableData>(raw, &data);
    DType dtype = dtype_of_onnx(number);
    if (pairs) shape.pop_back(), dtype = dtype == DType::float64 ? DType::complex128 : DType::complex64;
    return Tensor(dtype, std::move(shape), std::shared_ptr<void>(std::move(value)), data);
  }

  std::vector<Tensor> call(ort::Session* engine, std::span<const ort::ValueHandle> in,
                           std::span<const char* const> names) const {
    std::vector<const ort::Value*> raw_in;
    for (const ort::ValueHandle& value : in) raw_in.push_back(value.get());
    std::vector<ort::Value*> raw_out(names.size());
    library.api.call<ort::Run>(engine, static_cast<const ort::RunOptions*>(nullptr), input_names.data(), raw_in.data(),
                               raw_in.size(), names.data(), names.size(), raw_out.data());
    std::vector<ort::ValueHandle> owned;
    for (ort::Value* value : raw_out) owned.emplace_back(value, ort::ValueHandle::deleter_type{&library.api});
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < owned.size(); ++i)
      results.push_back(tensor_of(std::move(owned[i]), is_pairs(names[i])));
    return results;
  }

  // An assumption that broke often makes a later op fail.  The assumption is the better explanation, where it can be
  // had: the engine runs all of a graph whatever is fetched, so each guard gets a graph of its own.
  void explain(std::span<const ort::ValueHandle> in) const {
    for (std::size_t i = 0; i < std::min(guards.fetched().size(), kMostExplained); ++i) {
      const char* name = guards.fetched()[i].c_str();
      std::vector<Tensor> value;
      try {
        ort::SessionHandle alone = create(name);
        value = call(alone.get(), in, {&name, 1});
      } catch (const Error&) {
        continue;
      }
      guards.after(i, value[0]);
    }
  }

  std::vector<Tensor> run(std::span<const TensorView> given, std::span<const std::size_t> wanted) const {
    if (given.size() == inputs.size()) guards.before(given);  // the user's line says more than the sizes do
    check(given);
    if (wanted.empty()) wanted = all_outputs;
    std::vector<const char*> names;
    for (std::size_t index : wanted) names.push_back(outputs.at(index).name.c_str());
    for (const std::string& name : guards.fetched()) names.push_back(name.c_str());
    std::vector<ort::ValueHandle> values;
    for (const TensorView& view : given) values.push_back(value_of(view));
    std::vector<Tensor> results;
    try {
      results = call(session.get(), values, names);
    } catch (const Error&) {
      explain(values);
      throw;
    }
    for (std::size_t i = 0; i < guards.fetched().size(); ++i) guards.after(i, results[wanted.size() + i]);
    results.resize(wanted.size());
    return results;
  }
};

Session::Session(const Model& model, const Options& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(model, options);
}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const std::vector<TensorSpec>& Session::inputs() const { return impl_->inputs; }
const std::vector<TensorSpec>& Session::outputs() const { return impl_->outputs; }
const LibraryInfo& Session::library() const { return impl_->library.info; }

std::vector<Tensor> Session::run(std::span<const TensorView> inputs, std::span<const std::size_t> wanted) const {
  return impl_->run(inputs, wanted);
}

std::vector<Tensor> Session::run(std::span<const NamedView> inputs, std::span<const std::string> wanted) const {
  std::vector<TensorView> ordered(impl_->inputs.size());
  std::vector<bool> seen(ordered.size());
  for (auto& [name, view] : inputs) {
    std::size_t at = 0;
    while (at < ordered.size() && impl_->inputs[at].name != name) ++at;
    if (at == ordered.size() || seen[at])
      throw Error(Fault::input, "run: " + std::string(at == ordered.size() ? "no input '" : "two inputs '") +
                                    std::string(name) + "' (the model has " + impl_->input_list() + ")");
    ordered[at] = view, seen[at] = true;
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i])
      throw Error(Fault::input,
                  "run: input '" + impl_->inputs[i].name + "' is missing (the model has " + impl_->input_list() + ")");
  std::vector<std::size_t> indices;
  for (const std::string& name : wanted) {
    std::size_t at = 0;
    while (at < impl_->outputs.size() && impl_->outputs[at].name != name) ++at;
    if (at == impl_->outputs.size()) throw Error(Fault::input, "run: no output '" + name + "'");
    indices.push_back(at);
  }
  return impl_->run(ordered, indices);
}

std::string Session::end_profile() {
  if (impl_->options.profile.empty()) return "";
  char* name = nullptr;
  const Library& library = impl_->library;
  library.api.call<ort::SessionEndProfiling>(impl_->session.get(), library.allocator, &name);
  std::string path = name;
  library.api.call<ort::AllocatorFree>(library.allocator, static_cast<void*>(name));
  impl_->options.profile.clear();
  return path;
}

}  // namespace oarlock
