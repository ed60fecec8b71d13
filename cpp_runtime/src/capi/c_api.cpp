// The C API: C++ objects behind handles. C functions catch all exceptions and return them as
// errors.
#include "oarlock/oarlock.h"
#include "oarlock/oarlock_c.h"
#include "oarlock/version.h"
#include "runtime/session_options_by_name.h"

struct oarlock_error {
  std::string message;
  oarlock::ErrorCode code;
};
struct oarlock_options {
  oarlock::Options options;
};
struct oarlock_session {
  std::shared_ptr<const oarlock::Session> session;
};
struct oarlock_results {
  std::shared_ptr<const oarlock::Session>
      session;  // owns the names, and may be freed before the results
  std::vector<oarlock::Tensor> tensors;
};
struct oarlock_io_binding {
  std::shared_ptr<const oarlock::Session> session;  // owns the names, and is used by each run
  oarlock::IoBinding binding;
};

namespace {

using namespace oarlock;

// The error that C functions return if no memory is left to create an error; it is never freed.
// Its text fits into the string object, which would allocate a longer one.
oarlock_error* out_of_memory_error() {
  static oarlock_error error{"out of memory", ErrorCode::engine};
  return &error;
}

oarlock_error* make_error(std::string_view message, ErrorCode code) {
  try {
    return new oarlock_error{std::string(message), code};
  } catch (...) {
    return out_of_memory_error();
  }
}

template <class F>
oarlock_error* catch_errors(F&& act) {
  try {
    act();
    return nullptr;
  } catch (const Error& error) {
    return make_error(error.what(), error.code());
  } catch (const std::exception& error) {
    return make_error(error.what(), ErrorCode::engine);
  } catch (...) {
    return make_error("oarlock: an unknown failure", ErrorCode::engine);
  }
}

void require_nonnull(bool ok, const char* what) {
  if (!ok) throw Error(ErrorCode::input, std::string(what) + " is null");
}

// Sets the output argument of a C function to null at its start, so that the caller may free the
// result also after an error.
template <class Handle>
void set_result_to_null(Handle** result, const char* name) {
  require_nonnull(result, name);
  *result = nullptr;
}

oarlock_session* make_session_handle(const Model& model, const oarlock_options* options) {
  return new oarlock_session{
      std::make_shared<const Session>(model, options ? options->options : Options{})};
}

constexpr std::size_t kMaxAxes = 32;
constexpr std::int32_t kNoType = -1;
const std::vector<TensorSpec> kNone;
constexpr oarlock_tensor kNoTensor = {nullptr, kNoType, 0, nullptr, nullptr, OARLOCK_CPU, 0};

// The spec at `index`; for an invalid index a spec of null pointers, because the C functions that
// return specs cannot return an error.
oarlock_spec c_spec_at_or_null(const std::vector<TensorSpec>& specs, std::size_t index) {
  if (index >= specs.size()) return {nullptr, nullptr, kNoType, 0, nullptr};
  const TensorSpec& s = specs[index];
  return {s.name.c_str(), s.path.c_str(), static_cast<std::int32_t>(s.dtype), s.shape.size(),
          s.shape.data()};
}

Device device_of(const oarlock_tensor& t) {
  if (t.device < OARLOCK_CPU || t.device > OARLOCK_CUDA_PINNED)
    throw Error(ErrorCode::input, "run: there is no device " + std::to_string(t.device));
  return {static_cast<DeviceType>(t.device), t.device_id};
}

TensorView make_view_of_c_tensor(const oarlock_tensor& t) {
  require_nonnull(t.rank == 0 || t.shape, "run: a shape");
  if (t.rank > kMaxAxes)
    throw Error(ErrorCode::input, "run: an input of " + std::to_string(t.rank) + " axes");
  return {static_cast<DType>(t.dtype), {t.shape, t.rank}, t.data, device_of(t)};
}

// A Tensor that uses the caller's memory without owning it.
Tensor make_tensor_of_c_tensor(const oarlock_tensor& t) {
  TensorView view = make_view_of_c_tensor(t);
  return Tensor::from_blob(const_cast<void*>(t.data), view.dtype,
                           {view.shape.begin(), view.shape.end()}, {}, view.device);
}

oarlock_tensor c_tensor_of(const std::string& name, const Tensor& t) {
  return {
      name.c_str(), static_cast<std::int32_t>(t.dtype()),       t.shape().size(), t.shape().data(),
      t.data(),     static_cast<std::int32_t>(t.device().type), t.device().id};
}

// The inputs of a call in the order of the session's inputs; inputs with names are matched by name.
std::vector<TensorView> order_inputs(const Session& session, const oarlock_tensor* inputs,
                                     std::size_t count) {
  bool named = count > 0 && inputs[0].name;
  std::vector<TensorView> views;
  std::vector<NamedView> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    if (named != (inputs[i].name != nullptr))
      throw Error(ErrorCode::input, "run: name all inputs or none");
    if (named)
      pairs.emplace_back(inputs[i].name, make_view_of_c_tensor(inputs[i]));
    else
      views.push_back(make_view_of_c_tensor(inputs[i]));
  }
  return named ? session.order_inputs(pairs) : views;
}

}  // namespace

extern "C" {

const char* oarlock_error_message(const oarlock_error* error) {
  return error ? error->message.c_str() : "";
}
const char* oarlock_error_kind(const oarlock_error* error) {
  return error ? name_of(error->code).data() : "";
}
int32_t oarlock_error_code(const oarlock_error* error) {
  return error ? static_cast<int32_t>(error->code) + 1 : OARLOCK_OK;
}
void oarlock_error_free(oarlock_error* error) {
  if (error != out_of_memory_error()) delete error;
}

oarlock_error* oarlock_options_new(oarlock_options** result) {
  return catch_errors([&] {
    set_result_to_null(result, "oarlock_options_new: result");
    *result = new oarlock_options;
  });
}
oarlock_error* oarlock_options_set(oarlock_options* options, const char* name, const char* value) {
  return catch_errors([&] {
    require_nonnull(options && name && value, "oarlock_options_set: an argument");
    set_option(options->options, name, value);
  });
}
void oarlock_options_free(oarlock_options* options) { delete options; }

oarlock_error* oarlock_session_open(const char* model, const char* params,
                                    const oarlock_options* options, oarlock_session** result) {
  return catch_errors([&] {
    set_result_to_null(result, "oarlock_session_open: result");
    require_nonnull(model, "oarlock_session_open: model");
    *result = make_session_handle(Model::open(model, params ? params : ""), options);
  });
}
oarlock_error* oarlock_session_open_memory(const void* program, size_t program_size,
                                           const void* params, size_t params_size,
                                           const oarlock_options* options,
                                           oarlock_session** result) {
  return catch_errors([&] {
    set_result_to_null(result, "oarlock_session_open_memory: result");
    require_nonnull(program && (params || params_size == 0),
                    "oarlock_session_open_memory: an argument");
    Model opened = Model::from_memory({static_cast<const char*>(program), program_size},
                                      {static_cast<const char*>(params), params_size});
    *result = make_session_handle(opened, options);
  });
}
size_t oarlock_session_input_count(const oarlock_session* s) {
  return s ? s->session->inputs().size() : 0;
}
size_t oarlock_session_output_count(const oarlock_session* s) {
  return s ? s->session->outputs().size() : 0;
}
oarlock_spec oarlock_session_input(const oarlock_session* s, size_t index) {
  return c_spec_at_or_null(s ? s->session->inputs() : kNone, index);
}
oarlock_spec oarlock_session_output(const oarlock_session* s, size_t index) {
  return c_spec_at_or_null(s ? s->session->outputs() : kNone, index);
}
void oarlock_session_free(oarlock_session* session) { delete session; }

oarlock_error* oarlock_run(const oarlock_session* session, const oarlock_tensor* inputs,
                           size_t count, oarlock_results** result) {
  return catch_errors([&] {
    set_result_to_null(result, "oarlock_run: result");
    require_nonnull(session && (inputs || count == 0), "oarlock_run: an argument");
    *result = new oarlock_results{
        session->session, session->session->run(order_inputs(*session->session, inputs, count))};
  });
}
oarlock_error* oarlock_run_into(const oarlock_session* session, const oarlock_tensor* inputs,
                                size_t count, const oarlock_tensor* outputs, size_t output_count) {
  return catch_errors([&] {
    require_nonnull(session && (inputs || count == 0) && (outputs || output_count == 0),
                    "oarlock_run_into: an argument");
    const std::vector<TensorSpec>& specs = session->session->outputs();
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < output_count; ++i) {
      if (outputs[i].name && i < specs.size() && outputs[i].name != specs[i].name)
        throw Error(ErrorCode::input, "oarlock_run_into: output " + std::to_string(i) + " is '" +
                                          specs[i].name + "', not '" + outputs[i].name + "'");
      tensors.push_back(make_tensor_of_c_tensor(outputs[i]));
    }
    session->session->run_into(order_inputs(*session->session, inputs, count), tensors);
  });
}
size_t oarlock_results_count(const oarlock_results* results) {
  return results ? results->tensors.size() : 0;
}
oarlock_tensor oarlock_results_get(const oarlock_results* results, size_t index) {
  if (index >= oarlock_results_count(results)) return kNoTensor;
  return c_tensor_of(results->session->outputs()[index].name, results->tensors[index]);
}
void oarlock_results_free(oarlock_results* results) { delete results; }

oarlock_error* oarlock_io_binding_new(const oarlock_session* session, oarlock_io_binding** result) {
  return catch_errors([&] {
    set_result_to_null(result, "oarlock_io_binding_new: result");
    require_nonnull(session, "oarlock_io_binding_new: session");
    *result = new oarlock_io_binding{session->session, IoBinding(*session->session)};
  });
}
oarlock_error* oarlock_io_binding_bind_input(oarlock_io_binding* binding,
                                             const oarlock_tensor* tensor) {
  return catch_errors([&] {
    require_nonnull(binding && tensor && tensor->name,
                    "oarlock_io_binding_bind_input: an argument");
    binding->binding.bind_input(tensor->name, make_tensor_of_c_tensor(*tensor));
  });
}
oarlock_error* oarlock_io_binding_bind_output(oarlock_io_binding* binding,
                                              const oarlock_tensor* tensor) {
  return catch_errors([&] {
    require_nonnull(binding && tensor && tensor->name,
                    "oarlock_io_binding_bind_output: an argument");
    if (tensor->data)
      binding->binding.bind_output(tensor->name, make_tensor_of_c_tensor(*tensor));
    else
      binding->binding.bind_output(tensor->name, device_of(*tensor));
  });
}
oarlock_error* oarlock_io_binding_run(oarlock_io_binding* binding) {
  return catch_errors([&] {
    require_nonnull(binding, "oarlock_io_binding_run: binding");
    binding->binding.run();
  });
}
oarlock_tensor oarlock_io_binding_output(const oarlock_io_binding* binding, size_t index) {
  if (!binding || index >= binding->binding.outputs().size()) return kNoTensor;
  const Tensor& tensor = binding->binding.outputs()[index];
  if (tensor.dtype() == DType::none) return kNoTensor;
  return c_tensor_of(binding->session->outputs()[index].name, tensor);
}
void oarlock_io_binding_free(oarlock_io_binding* binding) { delete binding; }

oarlock_error* oarlock_set_log_callback(int32_t level, oarlock_log_callback callback,
                                        void* context) {
  return catch_errors([&] {
    if (level < OARLOCK_LOG_VERBOSE || level > OARLOCK_LOG_OFF)
      throw Error(ErrorCode::input,
                  "oarlock_set_log_callback: there is no level " + std::to_string(level));
    LogCallback function;
    if (callback)
      function = [callback, context](LogLevel l, std::string_view source, std::string_view text) {
        callback(context, static_cast<int32_t>(l), std::string(source).c_str(),
                 std::string(text).c_str());
      };
    set_log_callback(static_cast<LogLevel>(level), std::move(function));
  });
}

const char* oarlock_version(void) { return OARLOCK_VERSION; }

}  // extern "C"
