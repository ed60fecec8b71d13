#include "convert/node_context.h"

#include <algorithm>
#include <cstring>

#include "base/result_size_limit.h"
#include "convert/graph_builder.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

bool has_nonempty_name(const Strings& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& n) { return !n.empty() && n != "@EMPTY@"; });
}

}  // namespace

int NodeContext::opset() const { return graph_.options_.opset; }

bool NodeContext::allows_matmul_integer() const { return graph_.options_.integer_products; }

bool NodeContext::quantizes_activations_to_int8() const {
  return graph_.options_.signed_activations;
}

// ---- inputs ----

bool NodeContext::has_input(std::string_view slot) const {
  return has_nonempty_name(input_names(slot));
}
bool NodeContext::has_output(std::string_view slot) const {
  return has_nonempty_name(output_names(slot));
}
const Strings& NodeContext::input_names(std::string_view slot) const {
  return variable_names_in_slot(op_.inputs, slot);
}
const Strings& NodeContext::output_names(std::string_view slot) const {
  return variable_names_in_slot(op_.outputs, slot);
}

Value NodeContext::input(std::string_view slot) const {
  const Strings& all = input_names(slot);
  require(all.size() == 1 && has_nonempty_name(all),
          "needs exactly one input '" + std::string(slot) + "'");
  return graph_.require_value_or_add_weight(all[0], op_);
}

Value NodeContext::input_or(std::string_view slot, Value default_value) const {
  return has_input(slot) ? input(slot) : default_value;
}

Values NodeContext::inputs(std::string_view slot) const {
  Values all;
  for (const std::string& name : input_names(slot))
    all.push_back(graph_.require_value_or_add_weight(name, op_));
  return all;
}

// ---- names and inferred types ----

const std::string& NodeContext::name(Value v) const { return graph_.record_of(v).name; }
std::optional<Ints> NodeContext::shape(Value v) const { return graph_.type_of(v).shape; }
DType NodeContext::dtype(Value v) const { return graph_.type_of(v).dtype; }

int NodeContext::rank(Value v) const {
  auto known = shape(v);
  return known ? static_cast<int>(known->size()) : -1;
}

std::int64_t NodeContext::dim(Value v, std::int64_t axis) const {
  auto known = shape(v);
  if (!known) return -1;
  auto rank = static_cast<std::int64_t>(known->size());
  if (axis < 0) axis += rank;
  require(axis >= 0 && axis < rank, "'" + name(v) + "' has no axis " + std::to_string(axis));
  return (*known)[axis];
}

int NodeContext::require_known_rank(Value v) const {
  int known = rank(v);
  require(known >= 0, "needs a known rank of '" + name(v) + "'");
  return known;
}

DType NodeContext::require_known_dtype(Value v) const {
  DType known = dtype(v);
  require(find_dtype_row(known), "needs a known dtype of '" + name(v) + "'");
  return known;
}

DType NodeContext::declared_output_dtype(std::string_view slot) const {
  const Strings& all = output_names(slot);
  return all.empty() ? DType::none : graph_.declared_type(all[0]).dtype;
}

std::optional<Ints> NodeContext::declared_output_shape(std::string_view slot) const {
  const Strings& all = output_names(slot);
  return all.empty() ? std::nullopt : graph_.declared_type(all[0]).shape;
}

std::optional<Ints> NodeContext::find_partially_known_ints(Value v) const {
  const ValueType& known = graph_.type_of(v);
  if (!known.partial_value) {
    auto content = find_constant(v);
    return content ? try_decode_ints(*content) : std::nullopt;
  }
  Ints values = known.partial_value->values;
  std::replace(values.begin(), values.end(), kUnknownElement, std::int64_t{-1});
  return values;
}

std::optional<Ints> NodeContext::find_constant_ints(Value v) const {
  const ValueType& known = graph_.type_of(v);
  if (known.partial_value && std::count(known.partial_value->values.begin(),
                                        known.partial_value->values.end(), kUnknownElement))
    return std::nullopt;
  return find_partially_known_ints(v);
}

std::optional<Constant> NodeContext::find_constant(Value v) const {
  auto index = graph_.record_of(v).initializer;
  if (!index) return std::nullopt;
  const onnx::Initializer& init = graph_.main_graph().initializers[*index];
  if (!init.is_external) return Constant{init.dtype, init.shape, init.bytes};
  ParamRecord param{"", init.dtype, init.shape, init.offset, init.length};
  return Constant{init.dtype, init.shape, graph_.params_.data(param)};
}

// ---- constants ----

Value NodeContext::tensor(onnx::Tensor tensor) { return graph_.add_constant(tensor); }
Value NodeContext::scalar_like(double value, Value like) {
  return scalar(value, require_known_dtype(like));
}
Value NodeContext::int64_scalar(std::int64_t value) {
  return tensor(
      {DType::int64, {}, std::string(reinterpret_cast<const char*>(&value), sizeof value)});
}
Value NodeContext::int64_vector(const Ints& values) {
  return tensor({DType::int64,
                 {static_cast<std::int64_t>(values.size())},
                 std::string(reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(std::int64_t))});
}

// ---- nodes ----

namespace {

// Limits of the rank and the known values of an inferred type; without them, a malicious program
// could double the length of a shape or of a list of dims at every op.
constexpr std::size_t kMaxInferredRank = 64;
constexpr std::size_t kMaxKnownElements = 1024;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 48;

void drop_oversized_type_info(ValueType& info) {
  for (std::size_t i = 0; info.shape && i < info.shape->size(); ++i)
    if ((*info.shape)[i] > kMaxSize) (*info.shape)[i] = -1;
  if (info.shape && info.shape->size() > kMaxInferredRank) info.shape.reset();
  if (info.partial_value && info.partial_value->values.size() > kMaxKnownElements)
    info.partial_value.reset();
}

}  // namespace

Value NodeContext::emit(std::string_view onnx, Values in, Attrs attrs, std::string_view domain) {
  return emit_multi_output(1, onnx, std::move(in), std::move(attrs), domain)[0];
}

Values NodeContext::emit_multi_output(std::size_t outputs, std::string_view onnx, Values in,
                                      Attrs attrs, std::string_view domain) {
  require(outputs > 0, "has no outputs");
  onnx::Node node{std::string(onnx), std::string(domain), "", {}, {}, {}};
  for (auto& [key, value] : attrs) node.attrs.emplace_back(key, std::move(value));
  std::vector<const ValueType*> known_in;
  for (Value v : in) known_in.push_back(&graph_.type_of(v));
  for (const ValueType* info : known_in)
    if (is_complex(info->dtype)) fail("complex numbers have no lowering here");
  if (!in.empty() && !ort_has_kernel(onnx, known_in[0]->dtype))
    fail("ONNX Runtime has no kernel of " + node.op + " for " +
         std::string(name_of(known_in[0]->dtype)));
  std::vector<ValueType> known = infer_node_output_types(node, known_in);
  known.resize(outputs);
  for (ValueType& info : known) {
    check_node_output_memory_limit(info);
    drop_oversized_type_info(info);
  }
  if (outputs == 1 && domain.empty()) {
    known[0].partial_value = fold_node_to_partial_value(node, known_in);
    drop_oversized_type_info(known[0]);
    auto& folded = known[0].partial_value;
    if (folded && !std::count(folded->values.begin(), folded->values.end(), kUnknownElement) &&
        (known[0].dtype == DType::int64 || known[0].dtype == DType::int32))
      return {make_int_constant_of_known_value(known[0].dtype, *folded)};
  }
  if (domain.empty() && !in.empty())
    require_opset(since_opset_of_onnx_op_for_dtype(onnx, known_in[0]->dtype));
  const std::string stem = first_output_name_or_op_type() + "/" + node.op;
  node.name = node_name_prefix();
  Values results;
  for (ValueType& type : known)
    results.push_back(graph_.add_value_with_unique_name(stem, std::move(type)));
  if (!domain.empty()) graph_.domains_.insert(std::string(domain));
  graph_.add_node(*graph_.scope_->graph, {std::move(node), std::move(in), results});
  return results;
}

// Checks outputs of known size against the limit of the size of a result, because the limit does
// not apply when ONNX Runtime allocates outputs during a run.
void NodeContext::check_node_output_memory_limit(const ValueType& info) const {
  if (!info.shape || info.is_sequence) return;
  double bytes = static_cast<double>(std::max<std::size_t>(size_of(info.dtype), 1));
  for (std::int64_t d : *info.shape) bytes *= static_cast<double>(std::max<std::int64_t>(d, 0));
  if (bytes <= 1 << 20) return;  // most results are small: avoid reading the environment
  auto limit = static_cast<double>(max_result_bytes());
  auto size = [](double count) {  // in tenths, independent of the locale
    bool large = count >= 1 << 30;
    auto tenths =
        static_cast<std::int64_t>(std::min(count / (large ? 1 << 30 : 1 << 20) * 10 + 0.5, 9e18));
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
           (large ? " GiB" : " MiB");
  };
  if (bytes > limit)
    fail("its result " + format_type(info.dtype, *info.shape) + " takes " + size(bytes) +
         ", more than the " + size(limit) + " that OARLOCK_MAX_RESULT_BYTES allows");
}

// The path of the layer that an op belongs to, such as `body/0/`; "" if unknown.
std::string NodeContext::node_name_prefix() const {
  auto scope = attr("op_namescope", "/");
  return scope.empty() || scope[0] != '/' ? scope : scope.substr(1);
}

void NodeContext::set_last_node_name_from_output_and_suffix(Value v, std::string_view suffix) {
  auto& nodes = graph_.scope_->graph->nodes;
  if (!nodes.empty() && nodes.back().outputs[0] == v)
    nodes.back().onnx.name = node_name_prefix() + name(v) + std::string(suffix);
}

std::string NodeContext::first_output_name_or_op_type() const {
  for (auto& [slot, names] : op_.outputs)
    if (!names.empty() && !names[0].empty()) return names[0];
  return op_.type;
}

void NodeContext::declare_type(Value v, DType dtype, std::optional<Ints> shape) {
  ValueType& known = graph_.type_of(v);
  known.dtype = dtype;
  if (shape) known.shape = std::move(shape);
}

void NodeContext::declare_merged_type(Value v, Value a, Value b) {
  ValueType known = graph_.type_of(a), other = graph_.type_of(b);
  known.partial_value.reset();
  known.complex_parts = {};
  known.equivalent_8bit_value = {};
  if (known.dtype == DType::none) known.dtype = other.dtype;
  bool alike = known.shape && other.shape && known.shape->size() == other.shape->size();
  if (!alike) known.shape.reset();
  for (std::size_t i = 0; alike && i < known.shape->size(); ++i)
    if ((*known.shape)[i] != (*other.shape)[i]) (*known.shape)[i] = -1;
  graph_.type_of(v) = std::move(known);
}

void NodeContext::set_equivalent_8bit_value(Value v, Value small) {
  graph_.type_of(v).equivalent_8bit_value = small;
}

Value NodeContext::equivalent_8bit_value(Value v) const {
  return graph_.type_of(v).equivalent_8bit_value;
}

const BuilderNode* NodeContext::find_producer(Value v) const {
  const ValueRecord& record = graph_.record_of(v);
  return record.graph ? &record.graph->nodes[record.node] : nullptr;
}

bool NodeContext::is_sequence(Value v) const { return graph_.type_of(v).is_sequence; }

Value NodeContext::empty_sequence(DType dtype) {
  Value v = emit("SequenceEmpty", {}, {{"dtype", std::int64_t{onnx_of(dtype)}}});
  graph_.type_of(v) = ValueType{dtype, std::nullopt, std::nullopt, true};
  return v;
}

Value NodeContext::sequence_input_or_empty_if_unwritten(std::string_view slot) {
  const Strings& all = input_names(slot);
  const VarDesc* list = all.size() == 1 && !has_variable_value(all[0]) ? find_var(all[0]) : nullptr;
  return list && list->kind == VarKind::array ? empty_sequence(list->dtype) : input(slot);
}

// ---- results ----

void NodeContext::set_output(std::string_view slot, Value v) {
  const Strings& all = output_names(slot);
  if (!has_nonempty_name(all)) return;
  require(all.size() == 1, "produces one '" + std::string(slot) + "', but the program has " +
                               std::to_string(all.size()));
  graph_.op_results_.emplace_back(all[0], v);
}

void NodeContext::set_outputs(std::string_view slot, const Values& values) {
  const Strings& all = output_names(slot);
  require(all.size() == values.size(), "produces " + std::to_string(values.size()) + " '" +
                                           std::string(slot) + "', but the program has " +
                                           std::to_string(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty() && values[i]) graph_.op_results_.emplace_back(all[i], values[i]);
}

// ---- control flow ----

std::shared_ptr<onnx::Graph> NodeContext::build_subgraph(
    const std::string& name, const std::function<void(NodeContext&)>& fill) {
  BuilderGraph& body =
      graph_.add_empty_graph(graph_.unique_name(first_output_name_or_op_type() + "/" + name));
  VariableScope inner{&body, {}, {}, graph_.scope_};
  graph_.scope_ = &inner;
  struct ScopeRestorer {
    GraphBuilder& graph;
    VariableScope* outer;
    ~ScopeRestorer() { graph.scope_ = outer; }
  } restore{graph_, inner.parent};
  fill(*this);
  return body.onnx;
}

Value NodeContext::add_subgraph_input(const std::string& hint, DType dtype,
                                      std::optional<Ints> shape) {
  Value v = graph_.add_value_with_unique_name(hint, {dtype, shape, std::nullopt});
  graph_.scope_->graph->onnx->inputs.push_back(
      {name(v), dtype, shape.value_or(Ints{}), {}, shape.has_value()});
  return v;
}

void NodeContext::bind_variable_and_clear_row_splits(const std::string& paddle_name, Value v) {
  graph_.scope_->bindings[paddle_name] = v;
  graph_.scope_->row_splits.erase(paddle_name);
}
Value NodeContext::require_value_or_add_weight(const std::string& paddle_name) const {
  return graph_.require_value_or_add_weight(paddle_name, op_);
}
bool NodeContext::is_output_read(std::string_view slot) const {
  const Strings& names = output_names(slot);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return graph_.is_read_anywhere(name); });
}
bool NodeContext::has_variable_value(const std::string& paddle_name) const {
  return bool(graph_.find_binding(paddle_name)) || graph_.params_.find(paddle_name);
}

void NodeContext::lower_block_into_current_graph(std::int64_t block) {
  require(block > 0 && block < static_cast<std::int64_t>(graph_.program_.blocks.size()),
          "names no sub-block");
  graph_.lower_block_into_current_graph(static_cast<std::int32_t>(block));
}

// Adds an output to a subgraph. In ONNX a subgraph must compute its outputs itself, and a value can
// be only one output; all other values are copied by an Identity.
void NodeContext::add_subgraph_output(Value v) {
  BuilderGraph& body = *graph_.scope_->graph;
  const ValueRecord& record = graph_.record_of(v);
  if (record.graph != &body || record.is_graph_output) {  // not by `emit`, which reuses constants
    Value copy = graph_.add_value_with_unique_name(first_output_name_or_op_type() + "/Identity",
                                                   record.type);
    graph_.add_node(body, {{"Identity", "", node_name_prefix(), {}, {}, {}}, {v}, {copy}});
    v = copy;
  }
  const ValueType& known = graph_.type_of(v);
  graph_.add_graph_output(body, v, {"", known.dtype, {}, {}, false, known.is_sequence});
}

Value NodeContext::add_subgraph_input_of_same_rank(const std::string& hint, Value v) {
  Value input = add_subgraph_input(hint, dtype(v), std::nullopt);
  declare_merged_type(input, v, v);
  if (auto& dims = graph_.type_of(input).shape) dims->assign(dims->size(), -1);
  graph_.scope_->graph->onnx->inputs.back().is_sequence = is_sequence(v);
  return input;
}

const IfElsePair* NodeContext::find_if_else_pair_of_op() const {
  return graph_.if_else_pairs_of_current_block().find(op_);
}
const VarDesc* NodeContext::find_var(const std::string& paddle_name) const {
  return graph_.program_.find_var(paddle_name, graph_.block_index_);
}

const Block& NodeContext::block(std::int64_t index) const {
  return graph_.program_.blocks.at(static_cast<std::size_t>(index));
}

const OpDesc* NodeContext::find_latest_earlier_writer_in_block(
    const std::string& paddle_name) const {
  auto found = graph_.scope_->writers.find(paddle_name);
  return found == graph_.scope_->writers.end() ? nullptr : found->second;
}

void NodeContext::require_opset(int min_opset, std::string_view what) const {
  if (opset() >= min_opset) return;
  graph_.needed_opset_ = std::max(graph_.needed_opset_, min_opset);
  fail((what.empty() ? "" : std::string(what) + " ") + "needs opset " + std::to_string(min_opset));
}

void NodeContext::fail(const std::string& why) const {
  std::string at = op_.location.empty() ? "" : "\n    at " + op_.location;
  throw Error(ErrorCode::unsupported,
              op_.type + ": " + why + " (" + graph_.describe_op_index_and_inputs(op_) + ")" + at);
}

}  // namespace oarlock
