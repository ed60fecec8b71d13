#include "oarlock/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>

#include "onnx/model.h"
#include "runtime/error_location.h"
#include "runtime/graph_cache.h"
#include "runtime/guard_locator.h"
#include "runtime/guards.h"
#include "runtime/io_binding.h"
#include "runtime/lod_inputs.h"
#include "runtime/model_impl.h"
#include "runtime/ort/node_placement.h"
#include "runtime/ort/ort_values.h"
#include "runtime/ort/providers.h"
#include "runtime/pooling_shape_check.h"
#include "runtime/session_settings.h"
#include "runtime/synthetic_inputs.h"
#include "runtime/tuning_file.h"

namespace oarlock {
namespace {

// A look at a file costs a tenth of a small run; it is taken again after about 0.1 ms.
#ifdef __x86_64__
constexpr std::uint64_t kLookAgain = 200'000;
std::uint64_t ticks() {
  return __builtin_ia32_rdtsc();
}  // for a third of the time that a clock takes
#else
constexpr std::uint64_t kLookAgain = 100'000;
std::uint64_t ticks() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}
#endif
constexpr int kFolderKeyMinor = 21;  // older engines cannot be told where external data lies

struct Paths {
  std::string folder, name;
};

// The real path: a link that leads out of its folder would be refused.
Paths split_real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  std::string full = real ? real.get() : path;
  auto slash = full.find_last_of('/');
  return slash == std::string::npos
             ? Paths{".", full}
             : Paths{slash ? full.substr(0, slash) : "/", full.substr(slash + 1)};
}

// Everything that is left open decided, but for what is left to the engine.
Options settled(const Options& given, const Model::Impl& model, const Library& library) {
  Options options = with_tuning(given, model, library);
  options.cache_dir = cache_folder(options.cache_dir);
  return options;
}

}  // namespace

struct Interrupt::Impl {
  const Library& library;
  ort::RunOptionsHandle options =
      ort::make<ort::RunOptionsHandle, ort::CreateRunOptions>(library.api);
  std::atomic<bool> stopped = false;
};

struct Session::Impl {
  Model model;  // keeps the program that the guards point into
  const Library& library;
  Options options;
  ort::MemoryHandle memory;
  ort::SessionHandle session;
  std::vector<TensorSpec> inputs, outputs;
  std::vector<const char*> input_names,
      all_names;  // all_names: of outputs, and of guards that a run fetches
  std::vector<std::size_t> all_outputs;
  std::set<std::string, std::less<>>
      pairs;  // the outputs that the engine gives as pairs of real numbers
  Guards guards;
  Pictures pictures;
  mutable std::once_flag once;
  mutable std::unique_ptr<CapturedRun> captured;  // destroyed before the session
  mutable GuardLocator guard_locator;
  mutable std::atomic<std::uint64_t> last_look = 0;

  Impl(const Model& m, const Options& o)
      : model(m),
        library(open_library(o.ort_library)),
        options(settled(o, m.impl(), library)),
        guards(m.impl().program),
        pictures(m.impl().program) {
    memory = ort::make<ort::MemoryHandle, ort::CreateCpuMemoryInfo>(library.api, 0, 0);
    session = start();
    inputs = input_specs(m.impl().program);
    for (const TensorSpec& spec : inputs) input_names.push_back(spec.name.c_str());
    std::size_t count = 0;
    auto declared = m.outputs();
    library.api.call<ort::SessionGetOutputCount>(session.get(), &count);
    for (std::size_t i = 0; i + guards.fetched().size() < count; ++i) {
      bool complex = i < declared.size() && is_complex(declared[i].dtype);
      outputs.push_back(output_spec(library, session.get(), i, complex));
      if (i < declared.size()) outputs.back().path = declared[i].path;
      if (complex) pairs.insert(outputs.back().name);
      all_outputs.push_back(i);
    }
    all_names = names_of(all_outputs);
    if (options.offsets) mark_offsets(outputs, declared.size());
    check_cuda_graph(options, inputs);
    check_placement();
    for (const Shapes& shapes : options.warmup) warm_up(shapes);
  }

  /// A device that was asked for does the work, or says what it does not do.
  void check_placement() const {
    if (options.device == "cpu" || options.cpu_fallback) return;
    std::string left = computing_on_cpu(placement_of(library, session.get()));
    if (!left.empty())
      throw Error(Fault::engine, options.device + ": has no kernel for all of " +
                                     model.impl().program.name + ", left on the CPU: " + left +
                                     " (the option cpu_fallback allows that)");
  }

  /// A session from the cache, or one that leaves its graph there, or just one.
  ort::SessionHandle start() const {
    std::optional<Cache> cache = Cache::of(model.impl(), library, options);
    if (!cache) return create(lowered());
    auto kept = cache->find();
    if (kept)
      if (auto opened = tried([&] { return create_kept(*kept); })) return opened;
    Lowered made = lowered();
    if (auto draft = cache->draft(kept))
      if (auto saved = tried([&] { return create_and_keep(made, std::move(*draft), *cache); }))
        return saved;
    return create(made);
  }

  /// What `make` gives, or null where it is refused: damage that only the engine sees, a graph that
  /// it cannot write.
  template <class F>
  static ort::SessionHandle tried(F&& make) {
    try {
      return make();
    } catch (const Error&) {
      return {};
    }
  }

  struct Lowered {
    std::string bytes, folder;  // of a ModelProto, and of its weights
  };

  /// only_guards: names of the guards to compute; empty: all outputs and guards.
  Lowered lowered(const Strings& only_guards = {}) const {
    const Model::Impl& impl = model.impl();
    LowerOptions lowering;
    Paths weights = split_real_path(impl.weights.path());
    lowering.inline_weights = options.copy_weights || library.minor < kFolderKeyMinor;
    lowering.location = weights.name;
    lowering.guard_outputs = true;
    lowering.extra_outputs = options.outputs;
    lowering.offset_outputs = options.offsets;
    lowering.only_guards = only_guards;
    bool external = !lowering.inline_weights && !impl.weights.path().empty();
    onnx::Model graph = lower(impl.program, impl.params, lowering);
    return {onnx::to_bytes(graph), external ? weights.folder : ""};
  }

  ort::SessionHandle create(const Lowered& graph) const {
    return create(graph.bytes, session_settings(library, options, graph.folder).get());
  }

  ort::SessionHandle create_and_keep(const Lowered& graph, CacheDraft draft,
                                     const Cache& cache) const {
    auto settings = session_settings(library, options, graph.folder);
    draft.ask(library, settings.get());
    ort::SessionHandle made = create(graph.bytes, settings.get());
    cache.keep(std::move(draft));
    return made;
  }

  ort::SessionHandle create_kept(const std::string& path) const {
    Options as_is = options;
    as_is.optimize = 0;
    auto settings = session_settings(library, as_is, "");
    return ort::make<ort::SessionHandle, ort::CreateSession>(
        library.api, static_cast<const ort::Env*>(library.env), path.c_str(),
        static_cast<const ort::SessionOptions*>(settings.get()));
  }

  ort::SessionHandle create(const std::string& bytes, const ort::SessionOptions* settings) const {
    return ort::make<ort::SessionHandle, ort::CreateSessionFromArray>(
        library.api, static_cast<const ort::Env*>(library.env),
        static_cast<const void*>(bytes.data()), bytes.size(), settings);
  }

  // Made-up numbers may break what the trace assumed of values; the engine has run all the same.
  void warm_up(const Shapes& shapes) const {
    std::vector<Tensor> made_up = made_up_inputs(inputs, model.guards(), shapes);
    std::vector<TensorView> views(made_up.begin(), made_up.end());
    try {
      run(views, {});
    } catch (const Error& error) {
      if (error.fault() != Fault::guard) throw;
    }
  }

  // Mapped bytes that changed under the engine are other weights; those behind a new end would end
  // the process.
  void check_weights() const {
    if (options.copy_weights) return;
    std::uint64_t now = ticks();
    // Unsigned: where the count went back, a look is due as well.
    if (now - last_look.load(std::memory_order_relaxed) < kLookAgain) return;
    last_look.store(now, std::memory_order_relaxed);
    const MappedFile& weights = model.impl().weights;
    if (weights.was_overwritten())
      throw Error(
          Fault::file,
          base_name(weights.path()) +
              ": was overwritten while it was in use; replace such a file by renaming another, " +
              "or set copy_weights (" + weights.path() + ")");
  }

  void check(std::span<const TensorView> given) const {
    if (given.size() != inputs.size())
      throw Error(Fault::input, "run: " + std::to_string(given.size()) +
                                    " inputs given, the model has " +
                                    std::to_string(inputs.size()) + " (" + input_list() + ")");
    for (std::size_t i = 0; i < given.size(); ++i) check(inputs[i], given[i]);
    check_offsets(inputs, given);
    pictures.check(given);
  }

  static void check(const TensorSpec& spec, const TensorView& view) {
    bool fits = spec.dtype == view.dtype && spec.shape.size() == view.shape.size();
    for (std::size_t d = 0; fits && d < spec.shape.size(); ++d)
      fits = view.shape[d] >= 0 && (spec.shape[d] < 0 || spec.shape[d] == view.shape[d]);
    if (!fits)
      throw Error(Fault::input, "run: input '" + spec.name + "' is " +
                                    show(view.dtype, Ints(view.shape.begin(), view.shape.end())) +
                                    ", the model wants " + show(spec.dtype, spec.shape));
    check_memory(spec.name, view);
  }

  // The engine is given an address and a number of bytes, and believes both.
  static void check_memory(const std::string& name, const TensorView& view) {
    std::size_t bytes = size_of(view.dtype);
    bool whole = true;
    for (std::int64_t d : view.shape)
      whole = !__builtin_mul_overflow(bytes, static_cast<std::size_t>(d), &bytes) && whole;
    if (!whole || bytes > PTRDIFF_MAX || (bytes > 0 && !view.data))
      throw Error(Fault::input,
                  "run: input '" + name + "' is " +
                      show(view.dtype, Ints(view.shape.begin(), view.shape.end())) +
                      (whole && !view.data ? " without data" : ", more than fits into memory"));
  }

  std::string input_list() const {
    std::string text;
    for (const TensorSpec& spec : inputs)
      text += (text.empty() ? "" : ", ") + spec.name + "=" + show(spec.dtype, spec.shape);
    return text;
  }

  bool is_pairs(std::string_view name) const { return !pairs.empty() && pairs.count(name) > 0; }

  std::vector<Tensor> call(ort::Session* engine, const OrtValues& in, Names names,
                           const ort::RunOptions* how = nullptr) const {
    OrtValues made(library.api, names.size());
    if (options.device == "cpu")
      run_once(library, engine, how, input_names, in, names, made);
    else
      run_bound(library, engine, how, cuda_memory(options.device_id), input_names, in, names, made);
    std::vector<Tensor> results;
    results.reserve(made.size());
    for (std::size_t i = 0; i < made.size(); ++i)
      results.push_back(tensor_of(library, made.take(i), is_pairs(names[i])));
    return results;
  }

  // All outputs and guards at once: what is captured is one graph.
  std::vector<Tensor> launch(std::span<const TensorView> given, const OrtValues& values,
                             std::span<const std::size_t> wanted) const {
    std::call_once(once, [&] {
      std::vector<bool> complex;
      for (const char* name : all_names) complex.push_back(is_pairs(name));
      captured =
          std::make_unique<CapturedRun>(library, session.get(), cuda_memory(options.device_id),
                                        input_names, values, all_names, complex);
    });
    std::vector<Tensor> everything = captured->run(given), results;
    for (std::size_t index : wanted) results.push_back(everything[index]);
    results.insert(results.end(), everything.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                   everything.end());
    return results;
  }

  std::vector<const char*> names_of(std::span<const std::size_t> wanted) const {
    std::vector<const char*> names;
    for (std::size_t index : wanted) {
      if (index >= outputs.size())
        throw Error(Fault::input, "run: no output number " + std::to_string(index));
      names.push_back(outputs[index].name.c_str());
    }
    for (const std::string& name : guards.fetched()) names.push_back(name.c_str());
    return names;
  }

  // Throws Error(guard) if GuardLocator finds that the inputs violate a guard.
  void locate_guard(const OrtValues& in, const Error& error) const {
    if (!options.locate_guards || guards.fetched().empty()) return;
    Options small = options;
    small.optimize = 0;  // such a session runs rarely, and only while inputs are wrong
    small.threads = 1;
    auto create_locator = [&](const Strings& outputs) {
      Lowered graph = lowered(outputs);
      return create(graph.bytes, session_settings(library, small, graph.folder).get());
    };
    auto run_locator = [&](ort::Session* session, Names outputs) {
      return call(session, in, outputs);
    };
    guard_locator.locate(guards, failed_op(model.impl().program, error), create_locator,
                         run_locator);
  }

  std::vector<Tensor> run(std::span<const TensorView> given, std::span<const std::size_t> wanted,
                          const Interrupt* interrupt = nullptr) const {
    check_weights();
    if (given.size() == inputs.size())
      guards.before(given);  // the user's line says more than the sizes do
    check(given);
    std::vector<const char*> some = wanted.empty() ? std::vector<const char*>() : names_of(wanted);
    Names names = wanted.empty() ? all_names : some;
    if (wanted.empty()) wanted = all_outputs;
    OrtValues values(library.api, given.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      values.put(i, value_of(library, memory.get(), given[i]));
    std::vector<Tensor> results;
    try {
      const ort::RunOptions* how = interrupt ? interrupt->impl().options.get() : nullptr;
      results = options.cuda_graph ? launch(given, values, wanted)
                                   : call(session.get(), values, names, how);
    } catch (const Error& error) {
      if (interrupt && interrupt->is_stopped()) throw Error(Fault::engine, "run: stopped");
      locate_guard(values, error);
      throw blamed(model.impl().program, error);
    }
    for (std::size_t i = 0; i < guards.fetched().size(); ++i)
      guards.after(i, results[wanted.size() + i]);
    results.resize(wanted.size());
    return results;
  }
};

Interrupt::Interrupt(const Session& session) : impl_(new Impl{session.impl_->library}) {}
Interrupt::~Interrupt() = default;
bool Interrupt::is_stopped() const noexcept { return impl_->stopped; }

// Sets a flag that ONNX Runtime reads between ops; it allocates nothing, so a signal handler may.
void Interrupt::stop() noexcept {
  impl_->stopped = true;
  impl_->library.api.get<ort::RunOptionsSetTerminate>()(impl_->options.get());
}

void Interrupt::reset() noexcept {
  impl_->stopped = false;
  impl_->library.api.get<ort::RunOptionsUnsetTerminate>()(impl_->options.get());
}

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

std::vector<Tensor> Session::run(std::span<const TensorView> inputs,
                                 std::span<const std::size_t> wanted,
                                 const Interrupt* interrupt) const {
  return impl_->run(inputs, wanted, interrupt);
}

std::vector<Tensor> Session::run(std::span<const NamedView> inputs,
                                 std::span<const std::string> wanted) const {
  std::vector<TensorView> ordered(impl_->inputs.size());
  std::vector<bool> seen(ordered.size());
  for (auto& [name, view] : inputs) {
    std::size_t at = 0;
    while (at < ordered.size() && impl_->inputs[at].name != name) ++at;
    if (at == ordered.size() || seen[at])
      throw Error(Fault::input,
                  "run: " + std::string(at == ordered.size() ? "no input '" : "two inputs '") +
                      std::string(name) + "' (the model has " + impl_->input_list() + ")");
    ordered[at] = view, seen[at] = true;
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i])
      throw Error(Fault::input, "run: input '" + impl_->inputs[i].name +
                                    "' is missing (the model has " + impl_->input_list() + ")");
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
