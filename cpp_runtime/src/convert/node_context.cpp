#include "convert/node_context.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "convert/graph_builder.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

const Strings kNoNames;

const Strings& find_names(const Slots& slots, std::string_view slot) {
  auto found = slots.find(slot);
  return found == slots.end() ? kNoNames : found->second;
}

bool any_named(const Strings& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& n) { return !n.empty() && n != "@EMPTY@"; });
}

}  // namespace

int Node::opset() const { return graph_.options_.opset; }

// ---- operands ----

bool Node::has(std::string_view slot) const { return any_named(names(slot)); }
bool Node::has_out(std::string_view slot) const { return any_named(out_names(slot)); }
const Strings& Node::names(std::string_view slot) const { return find_names(op_.inputs, slot); }
const Strings& Node::out_names(std::string_view slot) const {
  return find_names(op_.outputs, slot);
}

Value Node::in(std::string_view slot) const {
  const Strings& all = names(slot);
  require(all.size() == 1 && any_named(all), "needs exactly one input '" + std::string(slot) + "'");
  return graph_.value_of(all[0], op_);
}

Value Node::in_or(std::string_view slot, Value otherwise) const {
  return has(slot) ? in(slot) : otherwise;
}

Values Node::ins(std::string_view slot) const {
  Values all;
  for (const std::string& name : names(slot)) all.push_back(graph_.value_of(name, op_));
  return all;
}

// ---- what is known ----

std::optional<Ints> Node::shape(const Value& v) const { return graph_.info(v).shape; }
DType Node::dtype(const Value& v) const { return graph_.info(v).dtype; }

int Node::rank(const Value& v) const {
  auto known = shape(v);
  return known ? static_cast<int>(known->size()) : -1;
}

std::int64_t Node::dim(const Value& v, std::int64_t axis) const {
  auto known = shape(v);
  if (!known) return -1;
  auto rank = static_cast<std::int64_t>(known->size());
  if (axis < 0) axis += rank;
  require(axis >= 0 && axis < rank, "'" + v + "' has no axis " + std::to_string(axis));
  return (*known)[axis];
}

int Node::need_rank(const Value& v) const {
  int known = rank(v);
  require(known >= 0, "needs a known rank of '" + v + "'");
  return known;
}

DType Node::need_dtype(const Value& v) const {
  DType known = dtype(v);
  require(row_of(known), "needs a known dtype of '" + v + "'");
  return known;
}

DType Node::out_dtype(std::string_view slot) const {
  const Strings& all = out_names(slot);
  return all.empty() ? DType::none : graph_.declared(all[0]).dtype;
}

std::optional<Ints> Node::out_shape(std::string_view slot) const {
  const Strings& all = out_names(slot);
  return all.empty() ? std::nullopt : graph_.declared(all[0]).shape;
}

std::optional<Ints> Node::partial_ints(const Value& v) const {
  const Info& known = graph_.info(v);
  if (!known.known) {
    auto content = constant(v);
    return content ? as_ints(*content) : std::nullopt;
  }
  Ints values = known.known->values;
  std::replace(values.begin(), values.end(), kUnknown, std::int64_t{-1});
  return values;
}

std::optional<Ints> Node::const_ints(const Value& v) const {
  const Info& known = graph_.info(v);
  if (known.known && std::count(known.known->values.begin(), known.known->values.end(), kUnknown))
    return std::nullopt;
  return partial_ints(v);
}

std::optional<Constant> Node::constant(const Value& v) const {
  auto at = graph_.initializer_index_.find(v);
  if (at == graph_.initializer_index_.end()) return std::nullopt;
  const onnx::Initializer& init = graph_.model_.graph.initializers[at->second];
  if (!init.external) return Constant{init.dtype, init.shape, init.bytes};
  Param param{"", init.dtype, init.shape, init.offset, init.length};
  return Constant{init.dtype, init.shape, graph_.params_.data(param)};
}

// ---- constants ----

Value Node::tensor(onnx::Tensor tensor) { return graph_.constant(tensor); }
Value Node::scalar_like(double value, const Value& like) { return scalar(value, need_dtype(like)); }
Value Node::int_scalar(std::int64_t value) {
  return tensor(
      {DType::int64, {}, std::string(reinterpret_cast<const char*>(&value), sizeof value)});
}
Value Node::ints(const Ints& values) {
  return tensor({DType::int64,
                 {static_cast<std::int64_t>(values.size())},
                 std::string(reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(std::int64_t))});
}

// ---- nodes ----

namespace {

// A hostile program could double a shape, or a list of dims, at every op.
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxKnown = 1024;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 48;

void forget_what_grows(Info& info) {
  for (std::size_t i = 0; info.shape && i < info.shape->size(); ++i)
    if ((*info.shape)[i] > kMaxSize) (*info.shape)[i] = -1;
  if (info.shape && info.shape->size() > kMaxRank) info.shape.reset();
  if (info.known && info.known->values.size() > kMaxKnown) info.known.reset();
}

}  // namespace

Value Node::emit(std::string_view onnx, Values in, Attrs attrs, std::string_view domain) {
  return emit_n(1, onnx, std::move(in), std::move(attrs), domain)[0];
}

Values Node::emit_n(std::size_t outputs, std::string_view onnx, Values in, Attrs attrs,
                    std::string_view domain) {
  require(outputs > 0, "gives nothing");
  onnx::Node node{std::string(onnx), std::string(domain), "", std::move(in), {}, {}};
  for (auto& [key, value] : attrs) node.attrs.emplace_back(key, std::move(value));
  std::vector<const Info*> known_in;
  for (const Value& v : node.inputs) known_in.push_back(&graph_.info(v));
  for (const Info* info : known_in)
    if (is_complex(info->dtype)) fail("complex numbers have no lowering here");
  if (!node.inputs.empty() && !has_kernel(onnx, known_in[0]->dtype))
    fail("ONNX Runtime has no kernel of " + node.op + " for " +
         std::string(name_of(known_in[0]->dtype)));
  std::vector<Info> known = infer(node, known_in);
  known.resize(outputs);
  for (Info& info : known) {
    check_result(info);
    forget_what_grows(info);
  }
  if (outputs == 1 && domain.empty()) {
    known[0].known = fold(node, known_in);
    forget_what_grows(known[0]);
    auto& folded = known[0].known;
    if (folded && !std::count(folded->values.begin(), folded->values.end(), kUnknown) &&
        (known[0].dtype == DType::int64 || known[0].dtype == DType::int32))
      return {int_constant(known[0].dtype, *folded)};
  }
  if (domain.empty() && !node.inputs.empty()) need_opset(first_opset_of(onnx, known_in[0]->dtype));
  const std::string stem = base_of_outputs() + "/" + node.op;
  for (std::size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back(graph_.fresh(stem));
    graph_.infos_[node.outputs.back()] = known[i];
    graph_.origins_[node.outputs.back()] = {graph_.scope_->graph,
                                            graph_.scope_->graph->nodes.size()};
  }
  node.name = name_scope();
  if (!domain.empty()) graph_.domains_.insert(std::string(domain));
  Values made = node.outputs;
  graph_.scope_->graph->nodes.push_back(std::move(node));
  return made;
}

// The engine allocates results during a run, where the limit does not apply.  So results of known
// size are checked here.
void Node::check_result(const Info& info) const {
  if (!info.shape || info.sequence) return;
  double bytes = static_cast<double>(std::max<std::size_t>(size_of(info.dtype), 1));
  for (std::int64_t d : *info.shape) bytes *= static_cast<double>(std::max<std::int64_t>(d, 0));
  if (bytes <= 1 << 20) return;  // most results are small: skip reading the environment
  auto limit = static_cast<double>(max_result_bytes());
  auto size = [](double count) {  // in tenths, without the locale
    bool large = count >= 1 << 30;
    auto tenths =
        static_cast<std::int64_t>(std::min(count / (large ? 1 << 30 : 1 << 20) * 10 + 0.5, 9e18));
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
           (large ? " GiB" : " MiB");
  };
  if (bytes > limit)
    fail("its result " + show(info.dtype, *info.shape) + " takes " + size(bytes) +
         ", more than the " + size(limit) + " that OARLOCK_MAX_RESULT_BYTES allows");
}

// The path of the layer that an op belongs to: `body/0/`, "" where the program does not say.
std::string Node::name_scope() const {
  auto scope = attr("op_namescope", "/");
  return scope.empty() || scope[0] != '/' ? scope : scope.substr(1);
}

void Node::call(const Value& v, std::string_view more) {
  auto& nodes = graph_.scope_->graph->nodes;
  if (!nodes.empty() && nodes.back().outputs[0] == v)
    nodes.back().name = name_scope() + v + std::string(more);
}

std::string Node::base_of_outputs() const {
  for (auto& [slot, names] : op_.outputs)
    if (!names.empty() && !names[0].empty()) return names[0];
  return op_.type;
}

void Node::declare(const Value& v, DType dtype, std::optional<Ints> shape) {
  Info& known = graph_.infos_[v];
  known.dtype = dtype;
  if (shape) known.shape = std::move(shape);
}

void Node::declare_either(const Value& v, const Value& a, const Value& b) {
  Info known = graph_.info(a), other = graph_.info(b);
  known.known.reset();
  known.parts = {};
  known.int8.clear();
  if (known.dtype == DType::none) known.dtype = other.dtype;
  bool alike = known.shape && other.shape && known.shape->size() == other.shape->size();
  if (!alike) known.shape.reset();
  for (std::size_t i = 0; alike && i < known.shape->size(); ++i)
    if ((*known.shape)[i] != (*other.shape)[i]) (*known.shape)[i] = -1;
  graph_.infos_[v] = known;
}

void Node::remember_int8(const Value& v, const Value& small) { graph_.infos_[v].int8 = small; }

std::optional<Value> Node::remembered_int8(const Value& v) const {
  const Value& small = graph_.info(v).int8;
  return small.empty() ? std::nullopt : std::optional(graph_.now(small));
}

bool Node::is_sequence(const Value& v) const { return graph_.info(v).sequence; }

Value Node::empty_sequence(DType dtype) {
  Value v = emit("SequenceEmpty", {}, {{"dtype", std::int64_t{onnx_of(dtype)}}});
  graph_.infos_[v] = Info{dtype, std::nullopt, std::nullopt, true};
  return v;
}

Value Node::in_or_empty(std::string_view slot) {
  const Strings& all = names(slot);
  const VarDesc* list = all.size() == 1 && !is_bound(all[0]) ? var(all[0]) : nullptr;
  return list && list->kind == Kind::array ? empty_sequence(list->dtype) : in(slot);
}

// ---- results ----

void Node::out(std::string_view slot, const Value& v) {
  const Strings& all = out_names(slot);
  if (!any_named(all)) return;
  require(all.size() == 1, "gives one '" + std::string(slot) + "' where the program wants " +
                               std::to_string(all.size()));
  graph_.results_.emplace_back(all[0], v);
}

void Node::outs(std::string_view slot, const Values& values) {
  const Strings& all = out_names(slot);
  require(all.size() == values.size(), "gives " + std::to_string(values.size()) + " '" +
                                           std::string(slot) + "' where the program wants " +
                                           std::to_string(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty() && !values[i].empty()) graph_.results_.emplace_back(all[i], values[i]);
}

// ---- control flow ----

std::shared_ptr<onnx::Graph> Node::subgraph(const std::string& name,
                                            const std::function<void(Node&)>& fill) {
  auto body = std::make_shared<onnx::Graph>();
  body->name = graph_.fresh(base_of_outputs() + "/" + name);
  Scope inner{body.get(), {}, {}, graph_.scope_};
  graph_.scope_ = &inner;
  struct Restore {
    Graph& graph;
    Scope* outer;
    ~Restore() { graph.scope_ = outer; }
  } restore{graph_, inner.outer};
  fill(*this);
  return body;
}

Value Node::formal(const std::string& hint, DType dtype, std::optional<Ints> shape) {
  Value v = graph_.fresh(hint);
  graph_.infos_[v] = Info{dtype, shape, std::nullopt};
  graph_.scope_->graph->inputs.push_back({v, dtype, shape.value_or(Ints{}), {}, shape.has_value()});
  return v;
}

void Node::bind(const std::string& paddle_name, const Value& v) {
  graph_.scope_->bound[paddle_name] = v;
  graph_.scope_->offsets.erase(paddle_name);
}
Value Node::lookup(const std::string& paddle_name) const {
  return graph_.value_of(paddle_name, op_);
}
bool Node::is_read(std::string_view slot) const {
  const Strings& names = out_names(slot);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return graph_.is_read(name); });
}
bool Node::is_bound(const std::string& paddle_name) const {
  return graph_.find_bound(paddle_name) || graph_.params_.find(paddle_name);
}

void Node::run_block(std::int64_t block) {
  require(block > 0 && block < static_cast<std::int64_t>(graph_.program_.blocks.size()),
          "names no sub-block");
  graph_.run_block(static_cast<std::int32_t>(block));
}

// A subgraph's output must be computed inside it, under a name of its own.
void Node::result(const Value& v) {
  onnx::Graph& body = *graph_.scope_->graph;
  auto origin = graph_.origins_.find(v);
  bool inside = origin != graph_.origins_.end() && origin->second.graph == &body &&
                !graph_.scope_->results.count(v);
  Info known = graph_.info(v);
  Value final = v;
  if (!inside) {  // not by `emit`, which knows that a constant is the same constant
    final = graph_.fresh(base_of_outputs() + "/Identity");
    body.nodes.push_back({"Identity", "", name_scope(), {v}, {final}, {}});
    graph_.infos_[final] = known;
  }
  graph_.scope_->results.insert(final);
  body.outputs.push_back({final, known.dtype, {}, {}, false, known.sequence});
}

Value Node::formal_like(const std::string& hint, const Value& v) {
  Value made = formal(hint, dtype(v), std::nullopt);
  declare_either(made, v, v);
  if (auto& dims = graph_.infos_[made].shape) dims->assign(dims->size(), -1);
  graph_.scope_->graph->inputs.back().sequence = is_sequence(v);
  return made;
}

const Fork* Node::fork() const { return graph_.forks().of(op_); }
const VarDesc* Node::var(const std::string& paddle_name) const {
  return graph_.program_.var(paddle_name, graph_.block_);
}

const Block& Node::block(std::int64_t index) const {
  return graph_.program_.blocks.at(static_cast<std::size_t>(index));
}

const OpDesc* Node::writer(const std::string& paddle_name) const {
  auto found = graph_.scope_->writers.find(paddle_name);
  return found == graph_.scope_->writers.end() ? nullptr : found->second;
}

void Node::need_opset(int wanted) const {
  if (opset() >= wanted) return;
  graph_.needed_opset_ = std::max(graph_.needed_opset_, wanted);
  fail("needs opset " + std::to_string(wanted));
}

void Node::fail(const std::string& why) const {
  std::string at = op_.where.empty() ? "" : "\n    at " + op_.where;
  throw Error(Fault::unsupported, op_.type + ": " + why + " (" + graph_.describe(op_) + ")" + at);
}

}  // namespace oarlock
