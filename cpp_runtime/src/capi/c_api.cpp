// The C API: C++ objects behind handles.  Exceptions do not leave this file.
#include "oarlock/oarlock.h"
#include "oarlock/oarlock_c.h"
#include "runtime/session_options_by_name.h"

struct oarlock_error {
  std::string message, kind;
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

namespace {

using namespace oarlock;

// The error that is returned if there is no memory for another one; it is never freed.
oarlock_error* out_of_memory_error() {
  static oarlock_error error{"oarlock: out of memory", "engine"};
  return &error;
}

oarlock_error* make_error(std::string_view message, std::string_view kind) {
  try {
    return new oarlock_error{std::string(message), std::string(kind)};
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
    return make_error(error.what(), name_of(error.code()));
  } catch (const std::exception& error) {
    return make_error(error.what(), "engine");
  } catch (...) {
    return make_error("oarlock: an unknown failure", "engine");
  }
}

void require_nonnull(bool ok, const char* what) {
  if (!ok) throw Error(ErrorCode::input, std::string(what) + " is null");
}

// Sets a result to null, so that freeing it after an error is valid.
template <class Handle>
void set_result_to_null(Handle** result, const char* name) {
  require_nonnull(result, name);
  *result = nullptr;
}

constexpr std::size_t kMaxAxes = 32;
constexpr std::int32_t kNoType = -1;
const std::vector<TensorSpec> kNone;

// A null spec for an invalid index: these functions return no error.
oarlock_spec c_spec_at_or_null(const std::vector<TensorSpec>& specs, std::size_t index) {
  if (index >= specs.size()) return {nullptr, nullptr, kNoType, 0, nullptr};
  const TensorSpec& s = specs[index];
  return {s.name.c_str(), s.path.c_str(), static_cast<std::int32_t>(s.dtype), s.shape.size(),
          s.shape.data()};
}

TensorView make_view_of_c_tensor(const oarlock_tensor& t) {
  require_nonnull(t.rank == 0 || t.shape, "run: a shape");
  if (t.rank > kMaxAxes)
    throw Error(ErrorCode::input, "run: an input of " + std::to_string(t.rank) + " axes");
  return {static_cast<DType>(t.dtype), {t.shape, t.rank}, t.data};
}

std::vector<Tensor> run_session(const Session& session, const oarlock_tensor* inputs,
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
  return named ? session.run(pairs) : session.run(views);
}

}  // namespace

extern "C" {

const char* oarlock_error_message(const oarlock_error* error) {
  return error ? error->message.c_str() : "";
}
const char* oarlock_error_kind(const oarlock_error* error) {
  return error ? error->kind.c_str() : "";
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
    Model opened = Model::open(model, params ? params : "");
    *result = new oarlock_session{
        std::make_shared<const Session>(opened, options ? options->options : Options{})};
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
    *result = new oarlock_results{session->session, run_session(*session->session, inputs, count)};
  });
}
size_t oarlock_results_count(const oarlock_results* results) {
  return results ? results->tensors.size() : 0;
}
oarlock_tensor oarlock_results_get(const oarlock_results* results, size_t index) {
  if (index >= oarlock_results_count(results)) return {nullptr, kNoType, 0, nullptr, nullptr};
  const Tensor& t = results->tensors[index];
  return {results->session->outputs()[index].name.c_str(), static_cast<std::int32_t>(t.dtype()),
          t.shape().size(), t.shape().data(), t.data()};
}
void oarlock_results_free(oarlock_results* results) { delete results; }

const char* oarlock_version(void) { return OARLOCK_VERSION; }

}  // extern "C"
