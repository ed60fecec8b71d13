#include "convert/graph_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/base64.h"
#include "base/poll.h"
#include "convert/axis_validation.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ORT does not read external data while it infers shapes, so whatever a shape may depend on is
// embedded.
constexpr std::size_t kEmbedBytes = 127;
constexpr std::size_t kEmbedIntBytes = 4096;

Strings contract_names(const std::vector<Arg>& args, Strings otherwise) {
  std::set<std::string> unique;
  for (const Arg& arg : args) unique.insert(arg.name);
  if (args.empty() || unique.size() != args.size()) return otherwise;
  Strings names;
  for (const Arg& arg : args) names.push_back(arg.name);
  return names;
}

Strings made_unique(Strings names) {
  std::set<std::string> seen;
  std::map<std::string, int> last_suffix;
  for (std::string& name : names) {
    std::string base = name;
    int& k = last_suffix[base];
    while (!seen.insert(name).second) name = base + "." + std::to_string(++k);
  }
  return names;
}

std::string first_output(const OpDesc& op) {
  for (auto& [slot, names] : op.outputs)
    for (const std::string& name : names)
      if (!name.empty()) return name;
  return "";
}

}  // namespace

Strings input_names(const Program& p) {
  return p.contract ? contract_names(p.contract->inputs, p.feeds()) : made_unique(p.feeds());
}

Strings output_names(const Program& p) {
  Strings own = made_unique(p.fetches());
  Strings names = p.contract ? contract_names(p.contract->outputs, own) : own;
  Strings own_inputs = input_names(p);
  std::set<std::string> inputs(own_inputs.begin(), own_inputs.end());
  for (const OffsetsInput& more : offset_inputs(p)) inputs.insert(more.name);
  for (std::string& name : names)  // an input that is handed through needs a second name in ONNX
    if (inputs.count(name)) name += ".out";
  return names;
}

Graph::Graph(const Program& program, const Params& params, const LowerOptions& options)
    : program_(program), params_(params), options_(options), top_{&model_.graph, {}, {}, nullptr} {
  model_.opset = options.opset;
  model_.ir = options.opset <= 8    ? 4
              : options.opset <= 14 ? 7
              : options.opset <= 18 ? 8
              : options.opset <= 20 ? 9
                                    : 10;
  model_.location = options.location;
  model_.graph.name = "main";
}

onnx::Model Graph::lower() {
  for (const std::string& name : input_names(program_)) used_.insert(name);
  for (const OffsetsInput& more : oarlock::offset_inputs(program_)) used_.insert(more.name);
  for (const std::string& name : output_names(program_)) used_.insert(name);
  for (const std::string& name : options_.extra_outputs) used_.insert(name);
  for (std::size_t i = 0; program_.contract && i < program_.contract->guards.size(); ++i)
    used_.insert("guard." + std::to_string(i));
  inputs();
  offset_inputs();
  run_block(0);
  report();
  if (options_.only_guards.empty()) outputs();
  if (options_.guard_outputs) guards();
  return finish();
}

onnx::Model Graph::finish() {
  onnx::prune(model_.graph);
  name_nodes(model_.graph, 0);  // those of outputs and guards, which no op emitted
  model_.domains.assign(domains_.begin(), domains_.end());
  if (program_.contract)
    model_.metadata.emplace_back("oarlock.contract", base64(program_.contract->bytes));
  return std::move(model_);
}

void Graph::inputs() {
  Strings feeds = program_.feeds(), names = input_names(program_);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const VarDesc* var = program_.var(feeds[i]);
    onnx::ValueInfo input{names[i], var->dtype, var->shape, {}, true};
    if (!row_of(var->dtype))
      throw Error(Fault::file, program_.name + ": input '" + names[i] + "' has no dtype");
    for (std::size_t d = 0; d < var->shape.size(); ++d)
      input.symbols.push_back(var->shape[d] < 0 ? names[i] + "." + std::to_string(d) : "");
    as_pairs(input);
    infos_[names[i]] = Info{input.dtype, input.shape, std::nullopt};
    top_.bound[feeds[i]] = is_complex(var->dtype) ? entered(names[i]) : names[i];
    model_.graph.inputs.push_back(std::move(input));
  }
}

// An output gets its name by renaming what computes it; what is computed by nobody, or twice an
// output, by an Identity.
void Graph::output(const Value& value, const std::string& name) {
  Value v = joined(value);
  if (auto found = output_renames_.find(v); found != output_renames_.end()) v = found->second;
  auto origin = origins_.find(v);
  bool computed =
      origin != origins_.end() && origin->second.graph == &model_.graph && !output_names_.count(v);
  Info known = info(v);
  if (v == name && computed) {
  } else if (computed) {
    note_rename(v, name);
    output_renames_[v] = name;
  } else {
    model_.graph.nodes.push_back({"Identity", "", "", {v}, {name}, {}});
  }
  infos_[name] = known;
  onnx::ValueInfo output{
      name, known.dtype, known.shape.value_or(Ints{}), {}, known.shape.has_value()};
  model_.graph.outputs.push_back(std::move(output));
  output_names_.insert(name);
}

void Graph::outputs() {
  Strings fetches = program_.fetches(), names = output_names(program_);
  static const OpDesc fetch{"fetch", {}, {}, {}, ""};
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    Value v = value_of(fetches[i], fetch);
    const VarDesc* var = program_.var(fetches[i]);
    if (var && is_complex(var->dtype) !=
                   !info(v).parts.first.empty())  // who reads pairs goes by what is declared
      throw Error(Fault::unsupported, program_.name + ": the output '" + names[i] +
                                          "' is declared " + std::string(name_of(var->dtype)) +
                                          ", which it is not");
    output(v, names[i]);
  }
  std::set<std::string> named(names.begin(), names.end());
  for (const std::string& extra : options_.extra_outputs) {
    bool is_named = named.count(extra) > 0;
    if (!is_named && !program_.var(extra))
      throw Error(Fault::input, program_.name + ": no variable '" + extra + "' to fetch");
    for (const onnx::ValueInfo& input : model_.graph.inputs)
      if (input.name == extra)
        throw Error(Fault::input, program_.name + ": '" + extra + "' is an input, not to fetch");
    if (is_named) continue;
    named.insert(extra);
    output(value_of(extra, fetch), extra);
  }
  if (options_.offset_outputs) offset_outputs();
  rename(model_.graph, 0, output_renames_);
  for (auto& [paddle, value] : top_.bound)
    if (auto found = output_renames_.find(value); found != output_renames_.end())
      value = found->second;
}

void Graph::guards() {
  if (!program_.contract) return;
  static const OpDesc reader{"guard", {}, {}, {}, ""};
  Strings feeds = program_.feeds();
  std::set<std::string_view> inputs(feeds.begin(), feeds.end());
  for (std::size_t i = 0; i < program_.contract->guards.size(); ++i) {
    const Guard& guard = program_.contract->guards[i];
    bool is_input = inputs.count(guard.var) > 0;
    if (is_input && guard.kind != "value") continue;  // judged before the run
    std::string name = "guard." + std::to_string(i);
    const Strings& only = options_.only_guards;
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    Value v = value_of(guard.var, reader);
    bool value = guard.kind == "value";
    model_.graph.nodes.push_back({value ? "Identity" : "Shape", "", "", {v}, {name}, {}});
    model_.graph.outputs.push_back({name, value ? info(v).dtype : DType::int64, {}, {}, false});
  }
}

void Graph::run_block(std::int32_t block) {
  std::int32_t outside = std::exchange(block_, block);
  std::size_t outside_index = op_index_;
  const std::vector<OpDesc>& ops = program_.blocks[block].ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].type == "feed" || ops[i].type == "fetch") continue;
    op_index_ = i;
    poll();
    lower_op(ops[i], i);
    for (auto& [slot, names] : ops[i].outputs)
      for (const std::string& name : names) scope_->writers[name] = &ops[i];
  }
  block_ = outside, op_index_ = outside_index;
}

// Passes for one kind of machine write into an op what they merged with it; only that machine's
// kernels read it.
static void refuse_merged(const Node& n) {
  for (auto name : {"fuse_relu", "fuse_brelu", "fuse_with_relu", "fuse_residual_connection"})
    n.require(!n.attr(name, false), std::string("attribute '") + name + "' is set");
  n.require(n.attr("fuse_activation", "").empty(), "attribute 'fuse_activation' is set");
  for (auto name : {"fused_reshape_Out", "fused_transpose_Out"})
    n.require(n.attr(name, Ints{}).empty(), std::string("attribute '") + name + "' is set");
}

// An attribute of a file may be megabytes long.   Cut between characters.
static std::string shortened(std::string text) {
  constexpr std::size_t most = 4000;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + " ...";
}

void Graph::lower_op(const OpDesc& op, std::size_t index) {
  const Rule* rule = rule_for(op);
  if (!rule) return missing_rule(op, index);
  std::size_t first_node = scope_->graph->nodes.size();
  auto outer_results = std::exchange(results_, {});
  auto outer_offsets = std::exchange(own_offsets_, {});
  try {
    Node node(op, *this);
    refuse_merged(node);
    check_axes(node);
    rule->lower(node);
    Value passed = first_offsets(op);
    name_results(op, first_node);
    name_nodes(*scope_->graph, first_node);
    pass_offsets(op, passed);
  } catch (const Error& error) {
    if (error.fault() != Fault::unsupported) throw;
    problems_.push_back(shortened(error.what()));
    poison(op);
  } catch (
      const std::logic_error& error) {  // thrown by a lowering rule that did not check its operands
    throw Error(Fault::file, program_.name + ": " + op.type +
                                 ": its operands or attributes are invalid (" + error.what() +
                                 ", op " + std::to_string(op_index_) + ")");
  }
  results_ = std::move(outer_results);
  own_offsets_ = std::move(outer_offsets);
}

void Graph::missing_rule(const OpDesc& op, std::size_t index) {
  auto [entry, is_new] = missing_.try_emplace(op.type);
  Missing& missing = entry->second;
  bool complex = has_complex_operand(op);
  const Rule* later = complex ? find_rule_for_complex(op.type) : nullptr;
  int since = complex ? (later ? later->since : 0) : first_opset(op.type);
  if (is_new) missing = {0, index, block_, first_output(op), op.where, since, complex};
  needed_opset_ = std::max(needed_opset_, since);
  ++missing.count;
  poison(op);
  std::int64_t body = int_attr(op, "sub_block", 0);
  bool further =
      body > block_ && body < static_cast<std::int64_t>(program_.blocks.size());  // no way back
  if (further) missing_rules_in(static_cast<std::int32_t>(body));
}

// Nobody will lower this block, yet what is missing in it belongs to the same list.
void Graph::missing_rules_in(std::int32_t block) {
  std::int32_t outside = std::exchange(block_, block);
  const std::vector<OpDesc>& ops = program_.blocks[static_cast<std::size_t>(block)].ops;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (!find_rule(ops[i].type, options_.opset)) missing_rule(ops[i], i);
  block_ = outside;
}

// After a failure the rest is looked at all the same, so that one error lists everything.
void Graph::poison(const OpDesc& op) {
  has_offsets_ = true;
  for (auto& [slot, names] : op.outputs)
    for (const std::string& name : names) {
      Value v = fresh(name);
      infos_[v] = declared(name);
      scope_->bound[name] = v;
      Value offsets = scope_->offsets[name] = fresh(name + ".lod");
      infos_[offsets] = Info{DType::int64, Ints{-1}, std::nullopt};
    }
}

std::string Graph::no_lowering(std::string_view type, const Missing& m) const {
  if (m.since)
    return "needs opset " + std::to_string(m.since) + ", not " + std::to_string(options_.opset);
  return m.complex && first_opset(type) ? "no lowering for complex numbers" : "no lowering";
}

void Graph::report() const {
  if (problems_.empty() && missing_.empty()) return;
  std::size_t count = problems_.size();
  std::string lines;
  for (auto& [type, m] : missing_) {
    count += m.count;
    lines += "\n  " + type + ": " + no_lowering(type, m) + " (" + std::to_string(m.count) +
             "x, first op " + std::to_string(m.index) +
             (m.block ? " of block " + std::to_string(m.block) : "") +
             (m.gives.empty() ? "" : ", giving '" + m.gives + "'") + ")" +
             (m.where.empty() ? "" : "\n    at " + m.where);
  }
  for (const std::string& problem : problems_) lines += "\n  " + problem;
  throw Error(Fault::unsupported, program_.name + ": " + std::to_string(count) + " op" +
                                      (count == 1 ? "" : "s") + " cannot be lowered" + lines);
}

const Value* Graph::find_bound(std::string_view name) const {
  for (const Scope* scope = scope_; scope; scope = scope->outer)
    if (auto found = scope->bound.find(name); found != scope->bound.end()) return &found->second;
  return nullptr;
}

const OpDesc* Graph::writer_of(std::string_view name) const {
  for (const Scope* scope = scope_; scope; scope = scope->outer)
    if (auto found = scope->writers.find(name); found != scope->writers.end()) return found->second;
  return nullptr;
}

bool Graph::is_read(const std::string& name) {
  if (!reads_) {
    reads_.emplace(options_.extra_outputs.begin(), options_.extra_outputs.end());
    for (const Block& block : program_.blocks)
      for (const OpDesc& op : block.ops)
        for (auto& [slot, names] : op.inputs) reads_->insert(names.begin(), names.end());
    if (program_.contract)
      for (const Guard& guard : program_.contract->guards) reads_->insert(guard.var);
  }
  return reads_->count(name) > 0;
}

const Forks& Graph::forks() {
  auto found = forks_.find(block_);
  if (found == forks_.end())
    found = forks_.emplace(block_, Forks(program_.blocks[static_cast<std::size_t>(block_)])).first;
  return found->second;
}

Value Graph::value_of(std::string_view name, const OpDesc& reader) {
  if (const Value* bound = find_bound(name)) return part_of(*bound);
  if (const Param* param = params_.find(name)) return weight(*param);
  if (const OpDesc* writer = writer_of(name))
    throw Error(Fault::unsupported, program_.name + ": " + writer->type + ": its result '" +
                                        std::string(name) + "', which " + reader.type +
                                        " reads, has no lowering");
  throw Error(Fault::file, program_.name + ": " + reader.type + ": reads '" + std::string(name) +
                               "' before anything writes it (op " + std::to_string(op_index_) +
                               ")");
}

Value Graph::weight(const Param& param) {
  bool small = param.length <= (is_integer(param.dtype) ? kEmbedIntBytes : kEmbedBytes);
  onnx::Initializer init{fresh(param.name), param.dtype, param.shape, "", false, 0, 0};
  if (is_complex(param.dtype)) init.dtype = oarlock::part_of(param.dtype), init.shape.push_back(2);
  if (small || options_.inline_weights) {
    init.bytes = std::string(params_.data(param));
  } else {
    init.external = true, init.offset = param.offset, init.length = param.length;
  }
  Value v = initializer(std::move(init));
  if (is_complex(param.dtype)) return scope_->bound[param.name] = entered(v);
  return top_.bound[param.name] = v;
}

Value Graph::initializer(onnx::Initializer init) {
  Value name = init.name;
  Info& known = infos_[name];
  known.dtype = init.dtype, known.shape = init.shape;
  if (auto values = init.external ? std::nullopt : as_ints({init.dtype, init.shape, init.bytes}))
    if (init.shape.size() <= 1) known.known = Known{init.shape, *values};
  initializer_index_[name] = model_.graph.initializers.size();
  model_.graph.initializers.push_back(std::move(init));
  return name;
}

// A small constant is named after its content, which also makes equal ones the same.
Value Graph::constant(const onnx::Tensor& tensor) {
  std::string name = "const";
  if (tensor.bytes.size() <= 64) {
    name = std::string(name_of(tensor.dtype)) + show(tensor.shape) + ":";
    for (unsigned char byte : tensor.bytes)
      name += "0123456789abcdef"[byte >> 4], name += "0123456789abcdef"[byte & 15];
    if (auto ints = as_ints({tensor.dtype, tensor.shape, tensor.bytes})) {
      std::string list;
      for (std::int64_t v : *ints) list += (list.empty() ? "" : ",") + std::to_string(v);
      name = std::string(name_of(tensor.dtype)) +
             (tensor.shape.empty() ? ":" + list : "[" + list + "]");
      if (tensor.shape.size() > 1) name += show(tensor.shape);
    }
    if (initializer_index_.count(name)) return name;
  }
  return initializer({fresh(name), tensor.dtype, tensor.shape, tensor.bytes, false, 0, 0});
}

const Info& Graph::info(const Value& v) const {
  static const Info nothing;
  auto found = infos_.find(v);
  return found == infos_.end() ? nothing : found->second;
}

std::string Graph::describe(const OpDesc& op) const {
  std::string text = "op " + std::to_string(op_index_);
  if (block_ != 0) text += " of block " + std::to_string(block_);
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names) {
      const Value* v = find_bound(name);
      const Param* param = params_.find(name);
      Info known = v       ? info(*v)
                   : param ? Info{param->dtype, param->shape, std::nullopt}
                           : declared(name);
      text += ", " + slot + "=" + std::string(name_of(known.dtype)) +
              (known.shape ? show(*known.shape) : "[...]");
    }
  return text;
}

onnx::Model lower(const Program& program, const Params& params, const LowerOptions& options) {
  for (LowerOptions now = options;;) {
    Graph graph(program, params, now);
    try {
      return graph.lower();
    } catch (const Error&) {
      if (graph.needed_opset() <= now.opset || graph.needed_opset() > options.max_opset) throw;
    }
    now.opset = graph.needed_opset();
  }
}

}  // namespace oarlock
