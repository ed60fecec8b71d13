#include "convert/graph_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/base64.h"
#include "base/poll_callback.h"
#include "convert/axis_attr_limits.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ONNX Runtime does not read external data during shape inference, so constants that shapes may
// depend on are embedded.
constexpr std::size_t kEmbedBytes = 127;
constexpr std::size_t kEmbedIntBytes = 4096;

Strings contract_names_if_unique_or_default(const std::vector<ContractInputOrOutput>& args,
                                            Strings default_value) {
  std::set<std::string> unique;
  for (const ContractInputOrOutput& arg : args) unique.insert(arg.name);
  if (args.empty() || unique.size() != args.size()) return default_value;
  Strings names;
  for (const ContractInputOrOutput& arg : args) names.push_back(arg.name);
  return names;
}

Strings make_names_unique(Strings names) {
  std::set<std::string> seen;
  std::map<std::string, int> last_suffix;
  for (std::string& name : names) {
    std::string base = name;
    int& k = last_suffix[base];
    while (!seen.insert(name).second) name = base + "." + std::to_string(++k);
  }
  return names;
}

// The ranges of named dimensions for tools that read ONNX files: {"h": {"min": 32, "max": 1280,
// "multiple": 32}}; "" if there are none.
std::string format_named_dim_ranges_json(const Program& p) {
  if (!p.contract) return "";
  std::map<std::string, DimRange> ranges;
  for (const ContractInputOrOutput& arg : p.contract->inputs)
    for (const NamedDim& dim : arg.named_dims) ranges.emplace(dim.name, dim.range);
  std::string text;
  for (auto& [name, range] : ranges)
    text += (text.empty() ? "{" : ", ") + ('"' + name) + "\": {" + format_range_json_fields(range) +
            "}";
  return text.empty() ? "" : text + "}";
}

std::string first_output_name(const OpDesc& op) {
  for (auto& [slot, names] : op.outputs)
    for (const std::string& name : names)
      if (!name.empty()) return name;
  return "";
}

}  // namespace

Strings input_names(const Program& p) {
  return p.contract ? contract_names_if_unique_or_default(p.contract->inputs, p.feed_names())
                    : make_names_unique(p.feed_names());
}

Strings input_dim_symbols(const Program& p, std::size_t index, const std::string& name,
                          const Ints& shape) {
  Strings symbols;
  for (std::size_t d = 0; d < shape.size(); ++d)
    symbols.push_back(shape[d] < 0 ? name + "." + std::to_string(d) : "");
  if (p.contract && index < p.contract->inputs.size())
    for (const NamedDim& dim : p.contract->inputs[index].named_dims)
      symbols[static_cast<std::size_t>(dim.axis)] = dim.name;
  return symbols;
}

Strings output_names(const Program& p) {
  Strings fetch_names = make_names_unique(p.fetch_names());
  Strings names = p.contract ? contract_names_if_unique_or_default(p.contract->outputs, fetch_names)
                             : fetch_names;
  Strings own_inputs = input_names(p);
  std::set<std::string> inputs(own_inputs.begin(), own_inputs.end());
  for (const RowSplitInput& lod_input : row_split_inputs(p)) inputs.insert(lod_input.name);
  for (std::string& name : names)  // an input that is also an output needs a second name in ONNX
    if (inputs.count(name)) name += ".out";
  return names;
}

GraphBuilder::GraphBuilder(const Program& program, const Params& params,
                           const LoweringOptions& options)
    : program_(program),
      params_(params),
      options_(options),
      top_scope_{&add_empty_graph("main"), {}, {}, nullptr} {
  model_.opset = options.opset;
  model_.ir_version = options.opset <= 8    ? 4
                      : options.opset <= 14 ? 7
                      : options.opset <= 18 ? 8
                      : options.opset <= 20 ? 9
                                            : 10;
  model_.location = options.location;
}

onnx::Model GraphBuilder::build() {
  for (const std::string& name : input_names(program_)) used_names_.insert(name);
  for (const RowSplitInput& lod_input : oarlock::row_split_inputs(program_))
    used_names_.insert(lod_input.name);
  for (const std::string& name : output_names(program_)) used_names_.insert(name);
  for (const std::string& name : options_.extra_outputs) used_names_.insert(name);
  for (std::size_t i = 0; program_.contract && i < program_.contract->guards.size(); ++i)
    used_names_.insert("guard." + std::to_string(i));
  add_inputs();
  add_row_split_inputs();
  lower_block_into_current_graph(0);
  throw_if_problems();
  if (options_.guards_only.empty()) add_outputs();
  if (options_.guard_outputs) add_guarded_variable_outputs();
  return finish_prune_and_take_model();
}

onnx::Model GraphBuilder::finish_prune_and_take_model() {
  for (BuilderGraph& graph : graphs_) write_nodes_and_names_to_onnx_graph(graph);
  model_.graph = std::move(main_graph());
  // Graphs for TensorRT (`signed_activations`) keep DequantizeLinear: TensorRT cannot cast int8
  // tensors, and dequantizes weights itself when it builds the engine.
  if (!options_.signed_activations)
    onnx::dequantize_weights_of_float_ops_by_multiplication(model_.graph);
  onnx::prune(model_.graph);
  onnx::concat_loop_sequences_in_chunks(model_.graph);
  onnx::quantize_outputs_before_transpose(model_.graph);
  model_.domains.assign(domains_.begin(), domains_.end());
  if (program_.contract)
    model_.metadata.emplace_back("oarlock.contract", encode_base64(program_.contract->bytes));
  if (std::string dims = format_named_dim_ranges_json(program_); !dims.empty())
    model_.metadata.emplace_back("oarlock.dims", dims);
  return std::move(model_);
}

void GraphBuilder::add_inputs() {
  Strings feeds = program_.feed_names(), names = input_names(program_);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const VarDesc* var = program_.find_var(feeds[i]);
    onnx::ValueInfo input{names[i], var->dtype, var->shape,
                          input_dim_symbols(program_, i, names[i], var->shape), true};
    if (!find_dtype_row(var->dtype))
      throw Error(ErrorCode::file, program_.name + ": input '" + names[i] + "' has no dtype");
    convert_complex_value_info_to_pairs(input);
    Value v = add_value_with_exact_name(names[i], {input.dtype, input.shape, std::nullopt});
    top_scope_.bindings[feeds[i]] = is_complex(var->dtype) ? pairs_to_complex(v) : v;
    main_graph().inputs.push_back(std::move(input));
  }
}

// Makes `value` an output of the graph with the name `name`. Values that no node of this graph
// computes, and values that already are an output, are copied by an Identity.
void GraphBuilder::add_output(Value value, const std::string& name) {
  Value v = complex_to_pairs(value);
  if (ValueRecord& record = record_of(v);
      record.graph == top_scope_.graph && !record.is_graph_output) {
    record.name = name;
  } else {
    Value copy = add_value_with_exact_name(name, type_of(v));
    add_node(*top_scope_.graph, {{"Identity", "", "", {}, {}, {}}, {v}, {copy}});
    v = copy;
  }
  const ValueType& known = type_of(v);
  add_graph_output(*top_scope_.graph, v,
                   {"", known.dtype, known.shape.value_or(Ints{}), {}, known.shape.has_value()});
}

void GraphBuilder::add_outputs() {
  Strings fetches = program_.fetch_names(), names = output_names(program_);
  static const OpDesc fetch{"fetch", {}, {}, {}, ""};
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    Value v = require_value_or_add_weight(fetches[i], fetch);
    const VarDesc* var = program_.find_var(fetches[i]);
    if (var &&
        is_complex(var->dtype) !=
            bool(type_of(v).complex_parts.first))  // readers of pairs rely on the declared dtype
      throw Error(ErrorCode::unsupported, program_.name + ": the output '" + names[i] +
                                              "' is declared " + std::string(name_of(var->dtype)) +
                                              ", which it is not");
    add_output(v, names[i]);
  }
  std::set<std::string> fetched(names.begin(), names.end());
  for (const std::string& extra : options_.extra_outputs) {
    bool already_fetched = fetched.count(extra) > 0;
    if (!already_fetched && !program_.find_var(extra))
      throw Error(ErrorCode::input, program_.name + ": no variable '" + extra + "' to fetch");
    for (const onnx::ValueInfo& input : main_graph().inputs)
      if (input.name == extra)
        throw Error(ErrorCode::input,
                    program_.name + ": '" + extra + "' is an input, not to fetch");
    if (already_fetched) continue;
    fetched.insert(extra);
    add_output(require_value_or_add_weight(extra, fetch), extra);
  }
  if (options_.lod_outputs) add_row_split_outputs();
}

void GraphBuilder::add_guarded_variable_outputs() {
  if (!program_.contract) return;
  static const OpDesc reader{"guard", {}, {}, {}, ""};
  Strings feeds = program_.feed_names();
  std::set<std::string_view> inputs(feeds.begin(), feeds.end());
  for (std::size_t i = 0; i < program_.contract->guards.size(); ++i) {
    const Guard& guard = program_.contract->guards[i];
    bool is_input = inputs.count(guard.var) > 0;
    if (is_input && guard.kind != "value") continue;  // checked before the run
    std::string name = "guard." + std::to_string(i);
    const Strings& only = options_.guards_only;
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    Value v = require_value_or_add_weight(guard.var, reader);
    bool value = guard.kind == "value";
    Value output = add_value_with_exact_name(
        name, {value ? type_of(v).dtype : DType::int64, std::nullopt, std::nullopt});
    add_node(*top_scope_.graph,
             {{value ? "Identity" : "Shape", "", "", {}, {}, {}}, {v}, {output}});
    add_graph_output(*top_scope_.graph, output, {"", type_of(output).dtype, {}, {}, false});
  }
}

void GraphBuilder::lower_block_into_current_graph(std::int32_t block) {
  std::int32_t outer_block = std::exchange(block_index_, block);
  std::size_t outer_index = op_index_;
  const std::vector<OpDesc>& ops = program_.blocks[block].ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].type == "feed" || ops[i].type == "fetch") continue;
    op_index_ = i;
    call_poll_callback_if_due();
    lower_op(ops[i], i);
    for (auto& [slot, names] : ops[i].outputs)
      for (const std::string& name : names) scope_->writers[name] = &ops[i];
  }
  block_index_ = outer_block, op_index_ = outer_index;
}

// Rejects ops with attributes in which Paddle's passes for specific hardware store fused ops,
// because only kernels of that hardware read these attributes.
static void reject_fused_attrs(const NodeContext& n) {
  for (auto name : {"fuse_relu", "fuse_brelu", "fuse_with_relu", "fuse_residual_connection"})
    n.require(!n.attr(name, false), std::string("attribute '") + name + "' is set");
  n.require(n.attr("fuse_activation", "").empty(), "attribute 'fuse_activation' is set");
  for (auto name : {"fused_reshape_Out", "fused_transpose_Out"})
    n.require(n.attr(name, Ints{}).empty(), std::string("attribute '") + name + "' is set");
}

// Truncates attribute text, which may be megabytes long, between characters.
static std::string truncate_text(std::string text) {
  constexpr std::size_t max_bytes = 4000;
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + " ...";
}

void GraphBuilder::lower_op(const OpDesc& op, std::size_t index) {
  const Rule* rule = find_rule_for(op);
  if (!rule) return record_missing_rule_and_bind_outputs(op, index);
  std::size_t first_node = scope_->graph->nodes.size();
  auto outer_results = std::exchange(op_results_, {});
  auto outer_row_splits = std::exchange(own_row_splits_, {});
  try {
    NodeContext node(op, *this);
    reject_fused_attrs(node);
    check_axis_attrs_within_max_rank(node);
    rule->lower(node);
    Value inherited_row_splits = find_row_splits_inherited_by_op(op);
    name_type_and_bind_op_results(op, first_node);
    complete_node_names_from_outputs(*scope_->graph, first_node);
    propagate_row_splits(op, inherited_row_splits);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    problems_.push_back(truncate_text(error.what()));
    bind_outputs_of_failed_op_to_placeholders(op);
  } catch (const std::logic_error& error) {  // a rule did not validate its inputs
    throw Error(ErrorCode::file, program_.name + ": " + op.type +
                                     ": its operands or attributes are invalid (" + error.what() +
                                     ", op " + std::to_string(op_index_) + ")");
  }
  op_results_ = std::move(outer_results);
  own_row_splits_ = std::move(outer_row_splits);
}

void GraphBuilder::record_missing_rule_and_bind_outputs(const OpDesc& op, std::size_t index) {
  auto [entry, is_new] = missing_rules_.try_emplace(op.type);
  MissingRule& missing = entry->second;
  bool complex = has_complex_operand(op);
  const Rule* complex_rule = complex ? find_complex_rule(op.type) : nullptr;
  int since_opset =
      complex ? (complex_rule ? complex_rule->since_opset : 0) : min_opset_of_op_rules(op.type);
  if (is_new)
    missing = {0, index, block_index_, first_output_name(op), op.location, since_opset, complex};
  needed_opset_ = std::max(needed_opset_, since_opset);
  ++missing.count;
  bind_outputs_of_failed_op_to_placeholders(op);
  std::int64_t body = int_attr(op, "sub_block", 0);
  bool is_inner_block =
      body > block_index_ &&
      body < static_cast<std::int64_t>(
                 program_.blocks.size());  // only later blocks, so that there is no cycle
  if (is_inner_block) record_missing_rules_of_block(static_cast<std::int32_t>(body));
}

// Records the ops without a conversion rule in a block that is not converted, so that the error
// about missing rules lists them too.
void GraphBuilder::record_missing_rules_of_block(std::int32_t block) {
  std::int32_t outer_block = std::exchange(block_index_, block);
  const std::vector<OpDesc>& ops = program_.blocks[static_cast<std::size_t>(block)].ops;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (!find_rule(ops[i].type, options_.opset)) record_missing_rule_and_bind_outputs(ops[i], i);
  block_index_ = outer_block;
}

// Binds the outputs of an op that cannot be converted to placeholders, so that conversion continues
// and one error lists all problems.
void GraphBuilder::bind_outputs_of_failed_op_to_placeholders(const OpDesc& op) {
  has_row_splits_ = true;
  for (auto& [slot, names] : op.outputs)
    for (const std::string& name : names) {
      scope_->bindings[name] = add_value_with_unique_name(name, declared_type(name));
      scope_->row_splits[name] =
          add_value_with_unique_name(name + ".lod", {DType::int64, Ints{-1}, std::nullopt});
    }
}

std::string GraphBuilder::describe_missing_rule(std::string_view type, const MissingRule& m) const {
  if (m.since_opset)
    return "needs opset " + std::to_string(m.since_opset) + ", not " +
           std::to_string(options_.opset);
  return m.has_complex_inputs && min_opset_of_op_rules(type) ? "no lowering for complex numbers"
                                                             : "no lowering";
}

void GraphBuilder::throw_if_problems() const {
  if (problems_.empty() && missing_rules_.empty()) return;
  std::size_t count = problems_.size();
  std::string lines;
  for (auto& [type, m] : missing_rules_) {
    count += m.count;
    lines += "\n  " + type + ": " + describe_missing_rule(type, m) + " (" +
             std::to_string(m.count) + "x, first op " + std::to_string(m.first_op_index) +
             (m.block ? " of block " + std::to_string(m.block) : "") +
             (m.output.empty() ? "" : ", output '" + m.output + "'") + ")" +
             (m.location.empty() ? "" : "\n    at " + m.location);
  }
  for (const std::string& problem : problems_) lines += "\n  " + problem;
  throw Error(ErrorCode::unsupported, program_.name + ": " + std::to_string(count) + " op" +
                                          (count == 1 ? "" : "s") + " cannot be lowered" + lines);
}

Value GraphBuilder::find_binding(std::string_view name) const {
  for (const VariableScope* scope = scope_; scope; scope = scope->parent)
    if (auto found = scope->bindings.find(name); found != scope->bindings.end())
      return found->second;
  return {};
}

const OpDesc* GraphBuilder::find_latest_writing_op(std::string_view name) const {
  for (const VariableScope* scope = scope_; scope; scope = scope->parent)
    if (auto found = scope->writers.find(name); found != scope->writers.end()) return found->second;
  return nullptr;
}

bool GraphBuilder::is_read_anywhere(const std::string& name) {
  if (!read_names_) {
    read_names_.emplace(options_.extra_outputs.begin(), options_.extra_outputs.end());
    for (const Block& block : program_.blocks)
      for (const OpDesc& op : block.ops)
        for (auto& [slot, names] : op.inputs) read_names_->insert(names.begin(), names.end());
    if (program_.contract)
      for (const Guard& guard : program_.contract->guards) read_names_->insert(guard.var);
  }
  return read_names_->count(name) > 0;
}

const IfElsePairs& GraphBuilder::if_else_pairs_of_current_block() {
  auto found = if_else_pairs_.find(block_index_);
  if (found == if_else_pairs_.end())
    found = if_else_pairs_
                .emplace(block_index_,
                         IfElsePairs(program_.blocks[static_cast<std::size_t>(block_index_)]))
                .first;
  return found->second;
}

Value GraphBuilder::require_value_or_add_weight(std::string_view name, const OpDesc& reader) {
  if (Value bound = find_binding(name)) return select_current_complex_part(bound);
  if (const ParamRecord* param = params_.find(name)) return add_weight(*param);
  if (const OpDesc* writer = find_latest_writing_op(name))
    throw Error(ErrorCode::unsupported, program_.name + ": " + writer->type + ": its result '" +
                                            std::string(name) + "', which " + reader.type +
                                            " reads, has no lowering");
  throw Error(ErrorCode::file, program_.name + ": " + reader.type + ": reads '" +
                                   std::string(name) + "' before anything writes it (op " +
                                   std::to_string(op_index_) + ")");
}

Value GraphBuilder::add_weight(const ParamRecord& param) {
  bool small = param.length <= (is_integer(param.dtype) ? kEmbedIntBytes : kEmbedBytes);
  onnx::Initializer init{param.name, param.dtype, param.shape, "", false, 0, 0};
  if (is_complex(param.dtype))
    init.dtype = oarlock::complex_part_dtype(param.dtype), init.shape.push_back(2);
  if (small || options_.inline_weights) {
    init.bytes = std::string(params_.data(param));
  } else {
    init.is_external = true, init.offset = param.offset, init.length = param.length;
  }
  Value v = add_initializer(std::move(init));
  if (is_complex(param.dtype)) return scope_->bindings[param.name] = pairs_to_complex(v);
  return top_scope_.bindings[param.name] = v;
}

// Adds a weight or constant, and makes its name unique.
Value GraphBuilder::add_initializer(onnx::Initializer init) {
  ValueType known{init.dtype, init.shape, std::nullopt};
  if (auto values =
          init.is_external ? std::nullopt : try_decode_ints({init.dtype, init.shape, init.bytes}))
    if (init.shape.size() <= 1) known.partial_value = PartialValue{init.shape, *values};
  Value v = add_value_with_unique_name(init.name, std::move(known));
  init.name = record_of(v).name;
  record_of(v).initializer = main_graph().initializers.size();
  main_graph().initializers.push_back(std::move(init));
  return v;
}

namespace {

// The dtype and elements of a few integers, like `int64[0,400]`, which viewers show where the
// constant is used; "const" for others.
std::string constant_name(const onnx::Tensor& tensor) {
  constexpr std::size_t kMaxLength = 24;
  auto ints = try_decode_ints({tensor.dtype, tensor.shape, tensor.bytes});
  if (!ints || tensor.shape.size() > 1) return "const";
  std::string list;
  for (std::int64_t v : *ints) list += (list.empty() ? "" : ",") + std::to_string(v);
  std::string name =
      std::string(name_of(tensor.dtype)) + (tensor.shape.empty() ? ":" + list : "[" + list + "]");
  return name.size() <= kMaxLength ? name : "const";
}

}  // namespace

// Small equal constants are one value.
Value GraphBuilder::add_constant(const onnx::Tensor& tensor) {
  constexpr std::size_t kMaxSharedBytes = 4096;
  auto add = [&] {
    return add_initializer(
        {constant_name(tensor), tensor.dtype, tensor.shape, tensor.bytes, false, 0, 0});
  };
  if (tensor.bytes.size() > kMaxSharedBytes) return add();
  auto [found, is_new] =
      small_constants_.try_emplace(std::tuple(tensor.dtype, tensor.shape, tensor.bytes));
  if (is_new) found->second = add();
  return found->second;
}

std::string GraphBuilder::describe_op_index_and_inputs(const OpDesc& op) const {
  std::string text = "op " + std::to_string(op_index_);
  if (block_index_ != 0) text += " of block " + std::to_string(block_index_);
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names) {
      Value v = find_binding(name);
      const ParamRecord* param = params_.find(name);
      ValueType known = v       ? type_of(v)
                        : param ? ValueType{param->dtype, param->shape, std::nullopt}
                                : declared_type(name);
      text += ", " + slot + "=" + std::string(name_of(known.dtype)) +
              (known.shape ? format_shape(*known.shape) : "[...]");
    }
  return text;
}

onnx::Model lower_program(const Program& program, const Params& params,
                          const LoweringOptions& options) {
  for (LoweringOptions attempt = options;;) {
    GraphBuilder graph(program, params, attempt);
    try {
      return graph.build();
    } catch (const Error&) {
      if (graph.opset_needed_by_failed_ops() <= attempt.opset ||
          graph.opset_needed_by_failed_ops() > options.max_opset)
        throw;
    }
    attempt.opset = graph.opset_needed_by_failed_ops();
  }
}

}  // namespace oarlock
