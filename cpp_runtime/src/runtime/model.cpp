#include "oarlock/model.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/blake2b_digest.h"
#include "convert/registry.h"
#include "paddle/program_parser.h"
#include "pir/reader.h"
#include "pir/to_program.h"
#include "runtime/model_impl.h"

namespace oarlock {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string strip_suffix(const std::string& path, std::string_view end) {
  return ends_with(path, end) ? path.substr(0, path.size() - end.size()) : path;
}

std::shared_ptr<Model::Impl> load_program(std::string_view bytes, const std::string& name) {
  auto impl = std::make_shared<Model::Impl>();
  impl->program = pir::starts_with_json_object(bytes)
                      ? pir::convert_pir_json_to_program(bytes, name)
                      : parse_upgrade_and_validate_program(bytes, name);
  impl->digest = blake2b_hex_digest(bytes);  // after parsing, which limits the size
  return impl;
}

/// values: the folder with one file per parameter, used if there is no `.pdiparams`
std::shared_ptr<const Model::Impl> load_model(std::string_view bytes, std::string pdiparams,
                                              const std::string& name, const std::string& prefix,
                                              const std::string& values = "") {
  auto impl = load_program(bytes, name);
  impl->prefix = prefix;
  bool needed = !impl->program.persistables_in_file_order().empty();
  if (needed && pdiparams.empty() && !values.empty()) {
    impl->combined_params = std::make_unique<TemporaryCombinedParams>(values, impl->program);
    pdiparams = impl->combined_params->path();
  }
  if (needed && pdiparams.empty())
    throw Error(ErrorCode::file,
                name + ": has " +
                    std::to_string(impl->program.persistables_in_file_order().size()) +
                    " weights but no .pdiparams was given");
  if (!pdiparams.empty()) impl->weights = MappedFile(pdiparams);
  impl->params =
      Params(impl->weights.bytes(), impl->program, pdiparams.empty() ? name : base_name(pdiparams));
  return impl;
}

// Returns the spec of an input or output from the declaration of its variable and from its entry in
// the contract, without symbols of dimensions.
TensorSpec make_tensor_spec(const Program& program, const std::string& variable,
                            const std::string& name, const std::vector<ContractInputOrOutput>& args,
                            std::size_t index) {
  const VarDesc* var = program.find_var(variable);
  TensorSpec spec{name, var->dtype, var->shape, Strings(var->shape.size()), ""};
  if (index < args.size()) spec.path = args[index].path;
  return spec;
}

std::vector<std::optional<DimRange>> dim_ranges(const ContractInputOrOutput& arg) {
  std::vector<std::optional<DimRange>> ranges(arg.named_dims.empty() ? 0 : arg.shape.size());
  for (const NamedDim& dim : arg.named_dims) ranges[static_cast<std::size_t>(dim.axis)] = dim.range;
  return ranges;
}

LoweringOptions to_lowering_options(const Model::Impl& impl, const OnnxOptions& options) {
  LoweringOptions lowering;
  if (impl.weights_in_memory && !options.inline_weights)
    throw Error(ErrorCode::input, impl.program.name +
                                      ": the weights are in memory, so the ONNX file must contain "
                                      "them; set inline_weights");
  if (options.opset < 7 || options.opset > 23)
    throw Error(ErrorCode::input, "opset: " + std::to_string(options.opset) + " is not in 7 .. 23");
  lowering.opset = options.opset;
  lowering.max_opset = options.opset;
  lowering.inline_weights = options.inline_weights;
  lowering.signed_activations = options.signed_activations;
  lowering.location = options.location.empty() ? base_name(impl.weights.path()) : options.location;
  return lowering;
}

/// The options of a conversion whose graph is not written to a file.
LoweringOptions lowering_options_at_opset(const Model::Impl& impl, int opset) {
  OnnxOptions options;
  options.opset = opset;
  options.inline_weights = impl.weights_in_memory != nullptr;
  return to_lowering_options(impl, options);
}

const std::string kEmpty;

/// The folder that `path` names directly or as `path/__model__`, with a slash at its end; "" for
/// other paths and for a prefix of a `.pdmodel`. The caller checks that the folder has `__model__`.
std::string legacy_folder_named_by_path_or_empty(const std::string& path) {
  std::error_code error;
  if (base_name(path) == "__model__")
    return path.substr(0, path.size() - 9).empty() ? "./" : path.substr(0, path.size() - 9);
  return std::filesystem::is_directory(path, error) && !is_file(path + ".pdmodel") ? path + "/"
                                                                                   : "";
}

bool has_program_file_at_prefix(const std::string& prefix) {
  return is_file(prefix + ".pdmodel") || is_file(prefix + ".json");
}

/// Whether a path names a directory, and not the prefix of a program beside it.
bool is_directory_and_not_program_prefix(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) && !has_program_file_at_prefix(path);
}

/// The prefix of the model in a published model directory, which contains `inference.json`,
/// `inference.pdmodel`, `model.json` or `model.pdmodel`; other paths unchanged.
std::string prefix_in_model_directory(const std::string& path) {
  if (!is_directory_and_not_program_prefix(path)) return path;
  for (const char* stem : {"inference", "model"})
    if (std::string prefix = (std::filesystem::path(path) / stem).string();
        has_program_file_at_prefix(prefix))
      return prefix;
  return path;
}

/// The suffix of the program that a path or a prefix names: that of Paddle 3 if only such a file
/// exists.
std::string program_suffix(const std::string& path) {
  bool is_pir =
      ends_with(path, ".json") || (!is_file(path + ".pdmodel") && is_file(path + ".json"));
  return is_pir ? ".json" : ".pdmodel";
}

}  // namespace

Model Model::open(const std::string& prefix_or_file, const std::string& pdiparams) {
  std::string path = prefix_in_model_directory(prefix_or_file);
  for (std::string_view other : {".onnx", ".ort"})
    if (ends_with(path, other))
      throw Error(ErrorCode::file,
                  base_name(path) + ": is no .pdmodel; models are opened as Paddle's files");
  if (std::string folder = legacy_folder_named_by_path_or_empty(path);
      !folder.empty() && is_file(folder + "__model__")) {
    MappedFile file(folder + "__model__");
    Model model;
    model.impl_ = load_model(file.bytes(), pdiparams, "__model__", folder, folder);
    return model;
  }
  if (is_directory_and_not_program_prefix(path))
    throw Error(ErrorCode::file, base_name(path) +
                                     ": is a directory without inference.json, inference.pdmodel, "
                                     "model.json, model.pdmodel or __model__");
  std::string suffix = program_suffix(path);
  bool whole = ends_with(path, suffix) || (!pdiparams.empty() && is_file(path));
  std::string prefix = strip_suffix(path, suffix);
  std::string weights = !pdiparams.empty()               ? pdiparams
                        : is_file(prefix + ".pdiparams") ? prefix + ".pdiparams"
                                                         : "";
  MappedFile file(whole ? path : path + suffix);
  Model model;
  model.impl_ = load_model(file.bytes(), weights, base_name(file.path()), prefix);
  return model;
}

Model Model::from_bytes(std::string_view pdmodel, const std::string& pdiparams,
                        const std::string& name) {
  Model model;
  model.impl_ = load_model(pdmodel, pdiparams, name, strip_suffix(pdiparams, ".pdiparams"));
  return model;
}

Model Model::from_memory(std::string_view program, std::string_view pdiparams,
                         const std::string& name) {
  return from_memory(
      program, pdiparams.size(),
      [&](std::uint64_t offset, void* to, std::size_t count) {
        std::memcpy(to, pdiparams.data() + offset, count);
      },
      name);
}

Model Model::from_memory(std::string_view program, std::uint64_t params_size,
                         const ReadFunction& read, const std::string& name) {
  if (params_size > 0 && !read)
    throw Error(ErrorCode::input, name + ": the function that reads parameters is empty");
  if (params_size > PTRDIFF_MAX)
    throw Error(ErrorCode::input, name + ": " + std::to_string(params_size) +
                                      " bytes of parameters do not fit into memory");
  auto impl = load_program(program, name);
  impl->num_bytes_in_memory = static_cast<std::size_t>(params_size);
  impl->weights_in_memory.reset(new (std::nothrow) char[impl->num_bytes_in_memory + 1]);
  if (!impl->weights_in_memory)
    throw Error(ErrorCode::file,
                name + ": no memory for " + std::to_string(params_size) + " bytes of parameters");
  if (params_size) read(0, impl->weights_in_memory.get(), impl->num_bytes_in_memory);
  impl->params = Params(impl->weights_bytes(), impl->program, name);
  Model model;
  model.impl_ = std::move(impl);
  return model;
}

std::vector<TensorSpec> input_specs(const Program& program) {
  static const std::vector<ContractInputOrOutput> none;
  Strings feeds = program.feed_names(), names = input_names(program);
  std::vector<TensorSpec> specs;
  const std::vector<ContractInputOrOutput>& args =
      program.contract ? program.contract->inputs : none;
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    specs.push_back(make_tensor_spec(program, feeds[i], names[i], args, i));
    specs.back().symbols = input_dim_symbols(program, i, names[i], specs.back().shape);
    if (i < args.size()) specs.back().ranges = dim_ranges(args[i]);
  }
  for (const RowSplitInput& more : row_split_inputs(program))
    specs.push_back(
        {more.name, DType::int64, {-1}, {more.name + ".0"}, "", names[more.feed_index]});
  return specs;
}

std::vector<TensorSpec> Model::inputs() const { return input_specs(impl_->program); }

std::vector<TensorSpec> Model::outputs() const {
  static const std::vector<ContractInputOrOutput> none;
  const Program& program = impl_->program;
  Strings fetches = program.fetch_names(), names = output_names(program);
  std::vector<TensorSpec> specs;
  for (std::size_t i = 0; i < fetches.size(); ++i)
    specs.push_back(make_tensor_spec(program, fetches[i], names[i],
                                     program.contract ? program.contract->outputs : none, i));
  return specs;
}

std::vector<ParameterSpec> Model::parameters() const {
  std::vector<ParameterSpec> specs;
  for (const ParamRecord& p : impl_->params.all())
    specs.push_back({p.name, p.dtype, p.shape, p.offset, p.length});
  return specs;
}

std::vector<GuardSpec> Model::guards() const {
  std::vector<GuardSpec> specs;
  if (impl_->program.contract)
    for (const Guard& g : impl_->program.contract->guards)
      specs.push_back({g.kind, g.var, g.expected, g.reader, g.location, g.text, g.axis});
  return specs;
}

std::map<std::string, std::size_t> Model::op_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const Block& block : impl_->program.blocks)
    for (const OpDesc& op : block.ops)
      if (op.type != "feed" && op.type != "fetch") ++counts[op.type];
  return counts;
}

const std::string& Model::producer() const {
  return impl_->program.contract ? impl_->program.contract->producer : kEmpty;
}
const std::string& Model::verification_summary() const {
  return impl_->program.contract ? impl_->program.contract->verified : kEmpty;
}

std::string Model::to_onnx(const OnnxOptions& options) const {
  auto model = lower_program(impl_->program, impl_->params, to_lowering_options(*impl_, options));
  onnx::localize_small_int_constants(model.graph);
  onnx::prune(model.graph);  // constants that only subgraphs read
  return onnx::to_bytes(model);
}

int Model::lowest_opset(int min_opset, int max_opset) const {
  LoweringOptions lowering = lowering_options_at_opset(*impl_, min_opset);
  lowering.max_opset = max_opset;
  return lower_program(impl_->program, impl_->params, lowering).opset;
}

std::string Model::to_text(int opset) const {
  LoweringOptions lowering = lowering_options_at_opset(*impl_, opset);
  return onnx::to_text(lower_program(impl_->program, impl_->params, lowering).graph);
}

std::vector<std::string> convertible_op_types() {
  std::vector<std::string> names;
  for (std::string_view name : op_types_with_rule()) names.emplace_back(name);
  return names;
}

}  // namespace oarlock
