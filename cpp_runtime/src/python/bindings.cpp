// The module `oarlock.loader._runtime`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "oarlock/oarlock.h"
#include "paddle/program_parser.h"
#include "paddle/program_writer.h"
#include "pir/to_program.h"
#include "pir/writer.h"
#include "python/arrays.h"
#include "python/ctrl_c.h"
#include "python/py_pipeline.h"
#include "python/py_session.h"
#include "runtime/machine.h"
#include "runtime/model_impl.h"
#include "runtime/named_dimensions.h"
#include "runtime/ort_session_options.h"
#include "runtime/session_options_by_name.h"

namespace oarlock::python {
namespace {

using namespace nb::literals;
using Path = std::optional<std::string>;

PyObject* error_type = nullptr;

Model read_model(const nb::bytes& pdmodel, const Path& params_path, const std::string& name) {
  return Model::from_bytes({pdmodel.c_str(), pdmodel.size()}, params_path.value_or(""), name);
}

nb::bytes to_onnx(const nb::bytes& pdmodel, const Path& params_path, int opset,
                  const std::string& location, bool inline_weights, bool signed_activations,
                  const std::string& name) {
  SigintPollScope sigint_poll;
  OnnxOptions options{opset, location, inline_weights, signed_activations};
  std::string bytes = read_model(pdmodel, params_path, name).to_onnx(options);
  return nb::bytes(bytes.data(), bytes.size());
}

int lowest_opset(const nb::bytes& pdmodel, const Path& params_path, int min_opset, int max_opset,
                 const std::string& name) {
  SigintPollScope sigint_poll;
  return read_model(pdmodel, params_path, name).lowest_opset(min_opset, max_opset);
}

nb::str to_text(const nb::bytes& pdmodel, const Path& params_path, int opset,
                const std::string& name) {
  SigintPollScope sigint_poll;
  return nb::str(read_model(pdmodel, params_path, name).to_text(opset).c_str());
}

nb::dict describe_model(const nb::bytes& pdmodel, const Path& params_path,
                        const std::string& name) {
  SigintPollScope sigint_poll;
  Model model = read_model(pdmodel, params_path, name);
  nb::list params, guards;
  for (const ParameterSpec& p : model.parameters())
    params.append(
        nb::make_tuple(p.name, std::string(name_of(p.dtype)), p.shape, p.offset, p.length));
  for (const GuardSpec& g : model.guards())
    guards.append(nb::make_tuple(g.kind, g.var, g.axis, g.expected, g.reader, g.where, g.text));
  nb::dict result;
  result["inputs"] = to_spec_tuples(model.inputs());
  result["outputs"] = to_spec_tuples(model.outputs());
  result["ops"] = model.op_counts();
  result["params"] = params;
  result["guards"] = guards;
  result["producer"] = model.producer();
  result["verified"] = model.verification_summary();
  return result;
}

nb::tuple pir_to_pdmodel(const nb::bytes& json, const std::string& name) {
  SigintPollScope sigint_poll;
  std::int64_t version = 0;
  std::string bytes =
      to_pdmodel(pir::convert_pir_json_to_program({json.c_str(), json.size()}, name, &version));
  return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), version > pir::kNewestVersion);
}

nb::bytes pdmodel_to_pir(const nb::bytes& pdmodel, const std::string& name) {
  SigintPollScope sigint_poll;
  std::string json = pir::convert_program_to_pir_json(
      parse_upgrade_and_validate_program({pdmodel.c_str(), pdmodel.size()}, name));
  return nb::bytes(json.data(), json.size());
}

nb::dict program_tensor_name_by_row_splits_name(const nb::bytes& pdmodel, const std::string& name) {
  SigintPollScope sigint_poll;
  nb::dict result;
  add_tensor_names_by_row_splits_name(result, input_specs(parse_upgrade_and_validate_program(
                                                  {pdmodel.c_str(), pdmodel.size()}, name)));
  return result;
}

nb::dict session_tensor_name_by_row_splits_name(const PySession& session) {
  nb::dict result;
  add_tensor_names_by_row_splits_name(result, session.session().inputs());
  add_tensor_names_by_row_splits_name(result, session.session().outputs());
  return result;
}

nb::list session_named_dims(const PySession& session) {
  nb::list result;
  for (const TensorSpec& spec : session.session().inputs())
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
      if (has_dim_name(spec, axis)) {
        const DimRange& range = *spec.ranges[axis];
        result.append(nb::make_tuple(spec.name, axis, spec.symbols[axis], range.min, range.max,
                                     range.multiple));
      }
  return result;
}

void check_options_dict(const nb::dict& options) { check_options(read_options(options)); }

nb::list session_option_infos() {
  nb::list result;
  for (const OptionInfo& o : option_infos())
    result.append(nb::make_tuple(o.name, o.type, o.default_value, o.description));
  return result;
}

nb::dict ort_library_info_dict(const Path& path) {
  OrtLibraryInfo info = ort_library_info(path.value_or(""));
  nb::dict result;
  result["path"] = info.path;
  result["version"] = info.version;
  result["providers"] = info.providers;
  return result;
}

// Raises the Python exception for a C++ Error; bytes of the message that are not valid UTF-8 are
// replaced.
void translate_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    std::string_view message = error.what();
    nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
    nb::object exception = nb::handle(error_type)(text);
    exception.attr("kind") = std::string(name_of(error.code()));
    PyErr_SetObject(error_type, exception.ptr());
  }
}

void bind_session(nb::module_& m) {
  nb::class_<SyntheticInputOptions>(
      m, "SyntheticInputOptions",
      "Parameters of synthetic inputs: sizes of dynamic dimensions, values of integers.");
  m.def("synthetic_input_options_to_try", &synthetic_input_options_to_try,
        "Parameters of synthetic inputs to try, in order.");
  nb::class_<PySession>(
      m, "Session",
      "A model loaded into ONNX Runtime.  Thread-safe; the GIL is released during runs.")
      .def(nb::init<nb::bytes, const Path&, const nb::dict&, const std::string&>(), "pdmodel"_a,
           "params_path"_a.none(), "options"_a = nb::dict(), "name"_a = "model.pdmodel",
           nb::sig("def __init__(self, pdmodel: bytes, params_path: str | None, options: dict[str, "
                   "typing.Any] = ..., "
                   "name: str = ...) -> None"))
      .def("run", &PySession::run, "feeds"_a, "fetch"_a.none() = nb::none(),
           nb::sig("def run(self, feeds: dict[str, numpy.ndarray] | "
                   "collections.abc.Sequence[numpy.ndarray], "
                   "fetch: list[str] | None = None) -> list[numpy.ndarray]"),
           "Run on arrays by name or in order; return the outputs, or those named in `fetch`.")
      .def("stop", &PySession::stop, "Cancel current runs in all threads, and later ones.")
      .def("synthetic_inputs", &PySession::synthetic_inputs, "how"_a, "shapes"_a,
           nb::sig("def synthetic_inputs(self, how: SyntheticInputOptions, shapes: dict[str, "
                   "list[int]]) -> "
                   "list[numpy.ndarray]"),
           "One array per input, with the sizes in `shapes`, else those of `how`.")
      .def_prop_ro(
          "inputs", [](const PySession& s) { return to_spec_tuples(s.session().inputs()); },
          nb::sig("def inputs(self) -> list[tuple[str, str, list[int | str]]]"))
      .def_prop_ro(
          "outputs", [](const PySession& s) { return to_spec_tuples(s.session().outputs()); },
          nb::sig("def outputs(self) -> list[tuple[str, str, list[int | str]]]"))
      .def_prop_ro("named_dims", &session_named_dims,
                   nb::sig("def named_dims(self) -> list[tuple[str, int, str, int, int, int]]"),
                   "Input, axis, name, minimum, maximum (0: none) and multiple of each named "
                   "dimension")
      .def_prop_ro("offsets", &session_tensor_name_by_row_splits_name,
                   nb::sig("def offsets(self) -> dict[str, str]"),
                   "The inputs and outputs that say where packed sequences begin, and the names of "
                   "those whose rows they are.")
      .def_prop_ro("library", [](const PySession& s) { return s.session().library().path; })
      .def_prop_ro("version", [](const PySession& s) { return s.session().library().version; })
      .def_prop_ro("providers", [](const PySession& s) { return s.session().library().providers; })
      .def(
          "end_profile", [](PySession& s) { return s.session().end_profile(); },
          "Close the profile and return the name of its file, '' if none was requested.");
}

}  // namespace

NB_MODULE(_runtime, m) {
  m.doc() =
      "The C++ runtime: reads Paddle's files, converts them to ONNX, runs them on ONNX Runtime.";
  const char* module_name = PyModule_GetName(m.ptr());
  if (!module_name) throw nb::python_error();
  std::string error_name = std::string(module_name) + ".Error";
  error_type = PyErr_NewExceptionWithDoc(
      error_name.c_str(),
      "An error of the runtime.  kind: file, guard, input, unsupported or engine.", PyExc_Exception,
      nullptr);
  nb::handle(error_type).attr("kind") = "";
  m.attr("Error") = nb::handle(error_type);
  nb::register_exception_translator(translate_error);
  import_numpy_module();
  bind_session(m);
  bind_pipeline(m);
  m.def("check_options", &check_options_dict, "options"_a,
        nb::sig("def check_options(options: dict[str, typing.Any]) -> None"),
        "Raise Error for options of a Session that are not known, or that no machine has.");
  m.def("session_option_infos", &session_option_infos,
        nb::sig("def session_option_infos() -> list[tuple[str, str, str, str]]"),
        "The options of a Session: name, type, default and description of each.");
  m.def(
      "to_onnx", &to_onnx, "pdmodel"_a, "params_path"_a.none(), nb::kw_only(), "opset"_a = 17,
      "location"_a = "", "inline"_a = false, "signed_activations"_a = false,
      "name"_a = "model.pdmodel",
      nb::sig("def to_onnx(pdmodel: bytes, params_path: str | None, *, opset: int = 17, "
              "location: str = '', "
              "inline: bool = False, signed_activations: bool = False, name: str = ...) -> bytes"),
      "ModelProto bytes whose weights lie in the file at `params_path`, named there `location`.");
  m.def("lowest_opset", &lowest_opset, "pdmodel"_a, "params_path"_a.none(), "least"_a, "most"_a,
        "name"_a = "model.pdmodel",
        nb::sig("def lowest_opset(pdmodel: bytes, params_path: str | None, least: int, most: int, "
                "name: str = ...) -> int"),
        "The lowest opset from `least` to `most` at which every op has a lowering.");
  m.def("to_text", &to_text, "pdmodel"_a, "params_path"_a.none(), nb::kw_only(), "opset"_a = 17,
        "name"_a = "model.pdmodel",
        nb::sig("def to_text(pdmodel: bytes, params_path: str | None, *, opset: int = 17, name: "
                "str = ...) -> str"),
        "The ONNX graph as text, one node a line.");
  m.def(
      "describe", &describe_model, "pdmodel"_a, "params_path"_a.none(), "name"_a = "model.pdmodel",
      nb::sig("def describe(pdmodel: bytes, params_path: str | None, name: str = ...) -> dict[str, "
              "typing.Any]"),
      "Inputs, outputs, op counts, weights with offsets, guards.");
  m.def("pir_to_pdmodel", &pir_to_pdmodel, "json"_a, "name"_a = "model.json",
        nb::sig("def pir_to_pdmodel(json: bytes, name: str = ...) -> tuple[bytes, bool]"),
        "Convert a program of Paddle 3 to the bytes of a `.pdmodel`; and whether the file has a "
        "newer "
        "version than the converter was tested with.");
  m.def("pdmodel_to_pir", &pdmodel_to_pir, "pdmodel"_a, "name"_a = "model.pdmodel",
        nb::sig("def pdmodel_to_pir(pdmodel: bytes, name: str = ...) -> bytes"),
        "Convert a `.pdmodel` to a program of Paddle 3, as JSON of version 1.");
  m.def("offset_inputs", &program_tensor_name_by_row_splits_name, "pdmodel"_a,
        "name"_a = "model.pdmodel",
        nb::sig("def offset_inputs(pdmodel: bytes, name: str = ...) -> dict[str, str]"),
        "Map the name of each input of row offsets to the name of the input whose rows it "
        "partitions.");
  m.def("byte_products_saturate", &byte_products_saturate,
        "Whether ONNX Runtime's products of unsigned and signed bytes saturate on this processor.");
  m.def("convertible_op_types", &convertible_op_types,
        "All Paddle op types that can be converted, sorted.");
  m.def("ort_library_info", &ort_library_info_dict, "path"_a.none() = nb::none(),
        nb::sig("def ort_library_info(path: str | None = None) -> dict[str, typing.Any]"),
        "Path, version and providers of the engine.");
}

}  // namespace oarlock::python
