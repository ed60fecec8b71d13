#include "python/py_session.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>

#include "base/scoped_gil.h"
#include "python/arrays.h"
#include "python/ctrl_c.h"

namespace oarlock::python {
namespace {

using Setter = std::function<void(Options&, nb::handle)>;

template <class T>
Setter to(T Options::* member) {
  return [member](Options& o, nb::handle value) { o.*member = nb::cast<T>(value); };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"device", to(&Options::device)},
      {"device_id", to(&Options::device_id)},
      {"threads", to(&Options::threads)},
      {"inter_threads", to(&Options::inter_threads)},
      {"optimize", to(&Options::optimize)},
      {"spinning", to(&Options::spinning)},
      {"arena", to(&Options::arena)},
      {"mem_pattern", to(&Options::mem_pattern)},
      {"tuned", to(&Options::tuned)},
      {"deterministic", to(&Options::deterministic)},
      {"copy_weights", to(&Options::copy_weights)},
      {"offsets", to(&Options::offsets)},
      {"tf32", to(&Options::tf32)},
      {"fp16", to(&Options::fp16)},
      {"cache_dir", to(&Options::cache_dir)},
      {"cuda_graph", to(&Options::cuda_graph)},
      {"cpu_fallback", to(&Options::cpu_fallback)},
      {"locate_guards", to(&Options::locate_guards)},
      {"nvidia_dirs", to(&Options::nvidia_dirs)},
      {"profile", to(&Options::profile)},
      {"ort_library", to(&Options::ort_library)},
      {"provider", to(&Options::provider)},
      {"outputs", to(&Options::outputs)},
      {"warmup", to(&Options::warmup)},
  };
  return all;
}

}  // namespace

Options read_options(const nb::dict& given) {
  Options options;
  for (auto [key, value] : given) {
    std::string name = nb::cast<std::string>(key);
    auto setter = setters().find(name);
    if (setter == setters().end()) throw Error(Fault::input, "options: there is no '" + name + "'");
    try {
      setter->second(options, value);
    } catch (const nb::cast_error&) {
      throw Error(Fault::input, "options: '" + name + "' is a " +
                                    nb::cast<std::string>(nb::str(value.type().attr("__name__"))));
    }
  }
  return options;
}

nb::list specs(const std::vector<TensorSpec>& all) {
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

void add_offsets(nb::dict& found, const std::vector<TensorSpec>& all) {
  for (const TensorSpec& spec : all)
    if (!spec.offsets_of.empty()) found[spec.name.c_str()] = spec.offsets_of;
}

PySession::PySession(nb::bytes pdmodel, const std::optional<std::string>& params_path,
                     const nb::dict& options, const std::string& name) {
  Options read = read_options(options);
  std::string_view bytes(pdmodel.c_str(), pdmodel.size());
  {
    WithoutGil released;
    InterruptibleLowering until_ctrl_c;
    Model model = Model::from_bytes(bytes, params_path.value_or(""), name);
    session_ = std::make_unique<Session>(model, read);
    guards_ = model.guards();
  }
  interrupt_ = std::make_unique<Interrupt>(*session_);
  watch_ctrl_c();
  for (const TensorSpec& spec : session_->inputs())
    names_.push_back(nb::steal(PyUnicode_InternFromString(spec.name.c_str())));
}

std::vector<std::size_t> PySession::wanted(nb::handle fetch) const {
  std::vector<std::size_t> indices;
  for (nb::handle item : fetch) {
    std::string name = nb::cast<std::string>(item);
    std::size_t at = 0;
    while (at < session_->outputs().size() && session_->outputs()[at].name != name) ++at;
    if (at == session_->outputs().size())
      throw Error(Fault::input, "run: no output '" + name + "'");
    indices.push_back(at);
  }
  return indices;
}

// A run that Ctrl-C has stopped is begun again where Python makes no exception of it.
std::vector<Tensor> PySession::call(std::span<const TensorView> inputs,
                                    std::span<const std::size_t> wanted) const {
  for (;;) try {
      WithoutGil released;
      CtrlC watch(*interrupt_);
      return session_->run(inputs, wanted, interrupt_.get());
    } catch (const Error&) {
      if (ended_ || !interrupt_->is_stopped()) throw;
      interrupt_->reset();
      if (ended_) interrupt_->stop();  // which it was told meanwhile
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
}

void PySession::stop() noexcept {
  ended_ = true;
  interrupt_->stop();
}

nb::list PySession::run(nb::handle feeds, nb::handle fetch) const {
  const auto& specs = session_->inputs();
  bool named = PyDict_Check(feeds.ptr());
  if (!named && !PySequence_Check(feeds.ptr()))
    throw Error(Fault::input, "run: wants a dict of arrays, or a list of them");
  Py_ssize_t count = PyObject_Size(feeds.ptr());
  if (count < 0) throw nb::python_error();
  Inputs inputs(named ? specs.size() : static_cast<std::size_t>(count));
  for (std::size_t i = 0; named && i < specs.size(); ++i) {
    PyObject* array = PyDict_GetItemWithError(feeds.ptr(), names_[i].ptr());
    if (!array) throw Error(Fault::input, "run: input '" + specs[i].name + "' is missing");
    inputs.set(i, array, specs[i].name);
  }
  if (named && static_cast<std::size_t>(count) != specs.size())
    for (auto [key, value] : nb::borrow<nb::dict>(feeds)) {
      bool known = false;
      for (const nb::object& name : names_) known |= name.equal(key);
      if (!known)
        throw Error(Fault::input, "run: no input " + nb::cast<std::string>(nb::repr(key)));
    }
  if (!named) {
    std::size_t i = 0;
    for (nb::handle array : feeds)
      inputs.set(i, array, i < specs.size() ? specs[i].name : std::to_string(i)), ++i;
  }
  if (!fetch.is_none() && nb::len(fetch) == 0) return nb::list();
  std::vector<std::size_t> indices = fetch.is_none() ? std::vector<std::size_t>{} : wanted(fetch);
  std::vector<Tensor> results = call(inputs.views(), indices);
  nb::list out;
  for (const Tensor& tensor : results) out.append(to_numpy(tensor));
  return out;
}

nb::list PySession::made_up_inputs(const MadeUp& how, const Shapes& shapes) const {
  nb::list arrays;
  for (const Tensor& tensor : oarlock::made_up_inputs(session_->inputs(), guards_, shapes, how))
    arrays.append(to_numpy(tensor));
  return arrays;
}

}  // namespace oarlock::python
