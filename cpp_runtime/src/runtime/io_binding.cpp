#include "oarlock/io_binding.h"

#include <algorithm>

#include "runtime/row_splits.h"
#include "runtime/session_impl.h"

namespace oarlock {

struct IoBinding::Impl {
  const Session::Impl& session;
  ort::BindingHandle binding;
  std::vector<Tensor> inputs;     // keep the bound memory alive; without dtype if not bound
  std::vector<TensorView> views;  // of inputs
  bool inputs_are_checked = false;
  std::vector<Tensor> outputs;
  std::vector<Device> devices;     // where runs allocate outputs
  std::vector<bool> is_allocated;  // whether runs allocate an output

  explicit Impl(const Session::Impl& s)
      : session(s),
        binding(
            ort::make<ort::BindingHandle, ort::CreateIoBinding>(s.library.api, s.session.get())),
        inputs(s.inputs.size()),
        views(s.inputs.size()),
        outputs(s.outputs.size()),
        devices(s.outputs.size()),
        is_allocated(s.outputs.size(), true) {
    // All outputs are bound in their order, because GetBoundOutputValues returns outputs in the
    // order in which their names were first bound.
    for (const char* name : s.all_output_names) bind_output_to_device(name, {});
  }

  void bind_output_to_device(const char* name, Device device) {
    session.library.api.call<ort::BindOutputToDevice>(binding.get(), name,
                                                      session.memory_info(device));
  }

  void check_inputs_then_only_row_splits() {
    if (inputs_are_checked)  // values may have changed
      return check_row_splits_input_values(session.inputs, views);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].dtype() == DType::none)
        throw Error(ErrorCode::input, "run: input '" + session.inputs[i].name +
                                          "' is not bound (the model has " +
                                          session.format_input_specs() + ")");
    session.check_inputs(views);
    std::vector<Tensor> bound_outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!is_allocated[i]) bound_outputs.push_back(outputs[i]);
    require_disjoint_memory(views, bound_outputs);
    inputs_are_checked = true;
  }

  /// Whether a run has values that are read afterwards: allocated outputs, or fetched guards.
  bool has_values_to_fetch() const {
    return !session.guards.fetch_names().empty() ||
           std::find(is_allocated.begin(), is_allocated.end(), true) != is_allocated.end();
  }

  /// Binds the outputs that runs allocate to new memory; otherwise ONNX Runtime would write to the
  /// outputs of the last run, which the caller may still read.
  void rebind_allocated_outputs_to_new_memory() {
    for (std::size_t i = 0; i < session.all_output_names.size(); ++i)
      if (i >= outputs.size() || is_allocated[i])
        bind_output_to_device(session.all_output_names[i],
                              i < outputs.size() ? devices[i] : Device{});
  }

  void fetch_allocated_outputs_and_check_guards() {
    const Library& library = session.library;
    OrtValues values(library.api, session.all_output_names.size());
    take_bound_outputs(library, binding.get(), values);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (is_allocated[i])
        outputs[i] = make_tensor_owning_ort_value(
            library, values.move_entry_to_handle(i),
            session.is_complex_output(session.all_output_names[i]), devices[i]);
    session.check_fetched_guards(values);
  }
};

IoBinding::IoBinding(const Session& session) : impl_(std::make_unique<Impl>(*session.impl_)) {}
IoBinding::~IoBinding() = default;
IoBinding::IoBinding(IoBinding&&) noexcept = default;
IoBinding& IoBinding::operator=(IoBinding&&) noexcept = default;

void IoBinding::bind_input(std::string_view name, Tensor tensor) {
  std::size_t index = impl_->session.find_input(name);
  check_input(impl_->session.inputs[index], tensor);
  auto value = impl_->session.make_ort_value_in_view_memory(tensor);
  impl_->session.library.api.call<ort::BindInput>(impl_->binding.get(),
                                                  impl_->session.input_names[index],
                                                  static_cast<const ort::Value*>(value.get()));
  impl_->inputs[index] = std::move(tensor);
  impl_->views[index] = impl_->inputs[index];
  impl_->inputs_are_checked = false;
}

void IoBinding::bind_output(std::string_view name, Tensor tensor) {
  std::size_t index = impl_->session.find_output(name);
  impl_->session.check_tensor_for_output(index, tensor);
  auto value = impl_->session.make_ort_value_in_view_memory(tensor);
  impl_->session.library.api.call<ort::BindOutput>(impl_->binding.get(),
                                                   impl_->session.all_output_names[index],
                                                   static_cast<const ort::Value*>(value.get()));
  impl_->outputs[index] = std::move(tensor);
  impl_->is_allocated[index] = false;
  impl_->inputs_are_checked = false;  // also checks for common memory
}

void IoBinding::bind_output(std::string_view name, Device device) {
  std::size_t index = impl_->session.find_output(name);
  impl_->bind_output_to_device(impl_->session.all_output_names[index], device);
  impl_->devices[index] = device;
  impl_->outputs[index] = {};
  impl_->is_allocated[index] = true;
}

void IoBinding::run(const CancellationToken* cancellation) {
  const Session::Impl& session = impl_->session;
  PageArenaScope scope(session.arena);
  session.check_weights_unchanged();
  impl_->check_inputs_then_only_row_splits();
  impl_->rebind_allocated_outputs_to_new_memory();
  try {
    session.library.api.call<ort::RunWithBinding>(
        session.session.get(), run_options_of_cancellation(cancellation),
        static_cast<const ort::IoBinding*>(impl_->binding.get()));
  } catch (const Error& error) {
    session.throw_run_error(error, impl_->views, cancellation);
  }
  if (impl_->has_values_to_fetch()) impl_->fetch_allocated_outputs_and_check_guards();
}

const std::vector<Tensor>& IoBinding::outputs() const { return impl_->outputs; }

}  // namespace oarlock
