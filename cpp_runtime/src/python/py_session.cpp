#include "python/py_session.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/scoped_gil.h"
#include "python/arrays.h"
#include "python/ctrl_c.h"
#include "runtime/session_options_by_name.h"

namespace oarlock::python {

namespace {

constexpr std::size_t kMaxReprBytes = 100;

std::string short_repr(nb::handle value) {
  auto text = nb::cast<std::string>(nb::repr(value));
  return text.size() <= kMaxReprBytes ? text : "a long value";
}

}  // namespace

Options read_options(const nb::dict& dict) {
  Options options;
  for (auto [key, value] : dict) {
    std::string name = nb::cast<std::string>(key);
    bool known = false;
    try {
      for_each_option(options, [&](const char* option, auto& member, const char*) {
        if (name != option) return;
        known = true;
        member = nb::cast<std::remove_reference_t<decltype(member)>>(value);
      });
    } catch (const nb::cast_error&) {
      auto info = std::ranges::find(option_infos(), name, &OptionInfo::name);
      throw Error(ErrorCode::input,
                  "options: '" + name + "' is a " +
                      nb::cast<std::string>(nb::str(value.type().attr("__name__"))) +
                      "; the type of the option is " + info->type + " (" + short_repr(value) + ")");
    }
    if (!known) throw Error(ErrorCode::input, "options: there is no '" + name + "'");
  }
  return options;
}

nb::list to_spec_tuples(const std::vector<TensorSpec>& all) {
  nb::list list;
  for (const TensorSpec& spec : all) {
    nb::list shape;
    for (std::size_t i = 0; i < spec.shape.size(); ++i) {
      bool named = spec.shape[i] < 0 && !spec.symbols[i].empty();
      named ? shape.append(nb::str(spec.symbols[i].c_str()))
            : shape.append(nb::int_(spec.shape[i]));
    }
    list.append(nb::make_tuple(spec.name, std::string(name_of(spec.dtype)), shape));
  }
  return list;
}

void add_tensor_names_by_row_splits_name(nb::dict& found, const std::vector<TensorSpec>& all) {
  for (const TensorSpec& spec : all)
    if (!spec.offsets_of.empty()) found[spec.name.c_str()] = spec.offsets_of;
}

PySession::PySession(nb::bytes pdmodel, const std::optional<std::string>& params_path,
                     const nb::dict& options, const std::string& name) {
  Options read = read_options(options);
  std::string_view bytes(pdmodel.c_str(), pdmodel.size());
  {
    GilScopedRelease released;
    SigintPollScope sigint_poll;
    Model model = Model::from_bytes(bytes, params_path.value_or(""), name);
    session_ = std::make_unique<Session>(model, read);
    guards_ = model.guards();
  }
  cancellation_ = std::make_unique<CancellationToken>(*session_);
  install_chained_sigint_handler();
  for (const TensorSpec& spec : session_->inputs())
    input_names_.push_back(nb::steal(PyUnicode_InternFromString(spec.name.c_str())));
}

std::vector<std::size_t> PySession::output_indices(nb::handle fetch) const {
  std::vector<std::size_t> indices;
  for (nb::handle item : fetch) {
    std::string name;
    if (!nb::try_cast(item, name))
      throw Error(ErrorCode::input, "run: no output " + nb::cast<std::string>(nb::repr(item)));
    std::size_t at = 0;
    while (at < session_->outputs().size() && session_->outputs()[at].name != name) ++at;
    if (at == session_->outputs().size())
      throw Error(ErrorCode::input, "run: no output '" + name + "'");
    indices.push_back(at);
  }
  return indices;
}

// Runs the session; Ctrl-C cancels the run. If the Python signal handler then raises no exception,
// the run is repeated.
std::vector<Tensor> PySession::run_interruptibly(std::span<const TensorView> inputs,
                                                 std::span<const std::size_t> outputs) const {
  for (;;) try {
      GilScopedRelease released;
      CancelOnSigintScope watch(*cancellation_);
      return session_->run(inputs, outputs, cancellation_.get());
    } catch (const Error&) {
      if (is_stopped_ || !cancellation_->is_stopped()) throw;
      cancellation_->reset();
      if (is_stopped_) cancellation_->stop();  // stop() was called meanwhile
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
}

void PySession::stop() noexcept {
  is_stopped_ = true;
  cancellation_->stop();
}

nb::list PySession::run(nb::handle feeds, nb::handle fetch) const {
  const auto& specs = session_->inputs();
  bool named = PyDict_Check(feeds.ptr());
  if (!named && !PySequence_Check(feeds.ptr()))
    throw Error(ErrorCode::input, "run: expected a dict of arrays, or a list of them");
  // A tuple, because the conversion of an array may run Python code that changes the list.
  nb::object sequence;
  if (!named) {
    sequence = nb::steal(PySequence_Tuple(feeds.ptr()));
    if (!sequence.is_valid()) throw nb::python_error();
  }
  InputBuffers inputs(named ? specs.size() : nb::len(sequence));
  for (std::size_t i = 0; named && i < specs.size(); ++i) {
    nb::object array = nb::borrow(PyDict_GetItemWithError(feeds.ptr(), input_names_[i].ptr()));
    if (!array.is_valid())
      throw Error(ErrorCode::input, "run: input '" + specs[i].name + "' is missing");
    inputs.set(i, array, specs[i].name);
  }
  if (named && static_cast<std::size_t>(PyDict_Size(feeds.ptr())) != specs.size())
    for (auto [key, value] : nb::borrow<nb::dict>(feeds)) {
      bool known = false;
      for (const nb::object& name : input_names_) known |= name.equal(key);
      if (!known)
        throw Error(ErrorCode::input, "run: no input " + nb::cast<std::string>(nb::repr(key)));
    }
  if (!named) {
    std::size_t i = 0;
    for (nb::handle array : sequence)
      inputs.set(i, array, i < specs.size() ? specs[i].name : std::to_string(i)), ++i;
  }
  if (!fetch.is_none() && nb::len(fetch) == 0) return nb::list();
  std::vector<std::size_t> indices =
      fetch.is_none() ? std::vector<std::size_t>{} : output_indices(fetch);
  std::vector<Tensor> results = run_interruptibly(inputs.views(), indices);
  nb::list out;
  for (const Tensor& tensor : results) out.append(to_numpy(tensor));
  return out;
}

nb::list PySession::synthetic_inputs(const SyntheticInputOptions& synthetic,
                                     const Shapes& shapes) const {
  nb::list arrays;
  for (const Tensor& tensor :
       oarlock::synthetic_inputs(session_->inputs(), guards_, shapes, synthetic))
    arrays.append(to_numpy(tensor));
  return arrays;
}

}  // namespace oarlock::python
