#include "oarlock/session.h"

#include "runtime/ort_session_options.h"
#include "runtime/session_impl.h"

namespace oarlock {

CancellationToken::CancellationToken(const Session& session)
    : impl_(new Impl{session.impl_->library}) {}
CancellationToken::~CancellationToken() = default;
bool CancellationToken::is_stopped() const noexcept { return impl_->stopped; }

// Sets a flag that ONNX Runtime reads between ops. The function allocates no memory, so a signal
// handler may call it.
void CancellationToken::stop() noexcept {
  impl_->stopped = true;
  impl_->library.api.get<ort::RunOptionsSetTerminate>()(impl_->options.get());
}

void CancellationToken::reset() noexcept {
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
const OrtLibraryInfo& Session::library() const { return impl_->library.info; }

std::vector<Tensor> Session::run(std::span<const TensorView> inputs,
                                 std::span<const std::size_t> output_indices,
                                 const CancellationToken* cancellation) const {
  return impl_->run(inputs, output_indices, cancellation);
}

std::vector<TensorView> Session::order_inputs(std::span<const NamedView> inputs) const {
  std::vector<TensorView> ordered(impl_->inputs.size());
  std::vector<bool> seen(ordered.size());
  for (auto& [name, view] : inputs) {
    std::size_t at = impl_->find_input(name);
    if (seen[at])
      throw Error(ErrorCode::input, "run: two inputs '" + std::string(name) + "' (the model has " +
                                        impl_->format_input_specs() + ")");
    ordered[at] = view, seen[at] = true;
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i])
      throw Error(ErrorCode::input, "run: input '" + impl_->inputs[i].name +
                                        "' is missing (the model has " +
                                        impl_->format_input_specs() + ")");
  return ordered;
}

std::vector<Tensor> Session::run(std::span<const NamedView> inputs,
                                 std::span<const std::string> output_names) const {
  std::vector<std::size_t> indices;
  for (const std::string& name : output_names) indices.push_back(impl_->find_output(name));
  return impl_->run(order_inputs(inputs), indices);
}

void Session::run_into(std::span<const TensorView> inputs, std::span<const Tensor> outputs,
                       const CancellationToken* cancellation) const {
  impl_->run_into(inputs, outputs, cancellation);
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
