#include "pir/exporter.h"

#include <algorithm>
#include <utility>

#include "base/number_text_conversion.h"
#include "base/poll_callback.h"
#include "oarlock/error.h"
#include "pir/translator.h"

namespace oarlock::pir {
namespace {

constexpr std::int64_t kVersion = 1;

/// Attributes that an operation of PIR may lack: they have no effect on the result of inference,
/// belong to one backend, or repeat another attribute or input.
constexpr std::string_view kIgnoredAttrs[] = {
    "op_role",           "op_role_var", "op_namescope",
    "op_callstack",      "op_device",   "with_quant_attr",
    "use_mkldnn",        "use_cudnn",   "use_quantizer",
    "mkldnn_data_type",  "data_format", "workspace_size_MB",
    "exhaustive_search", "infer_flags", "in_dtype",
    "is_test",           "name",        "str_value",
    "diag_val",          "diag_step",
};

Type dense_type(DType dtype, Ints shape) {
  Type type;
  type.kind = Type::Kind::dense;
  type.dtype = dtype;
  type.shape = std::move(shape);
  return type;
}

AttrType attr_type_of_spec_type(std::string_view name) {
  static const std::map<std::string_view, AttrType> types = {
      {"bool", AttrType::BOOLEAN},     {"i32", AttrType::INT},       {"i64", AttrType::LONG},
      {"f32", AttrType::FLOAT},        {"f64", AttrType::FLOAT64},   {"str", AttrType::STRING},
      {"i32[]", AttrType::INTS},       {"i64[]", AttrType::LONGS},   {"f32[]", AttrType::FLOATS},
      {"f64[]", AttrType::FLOAT64S},   {"str[]", AttrType::STRINGS}, {"scalar", AttrType::SCALAR},
      {"scalar[]", AttrType::SCALARS}, {"ints", AttrType::LONGS},    {"bool[]", AttrType::BOOLEANS},
  };
  auto found = types.find(name);
  return found == types.end() ? AttrType::INT : found->second;
}

bool is_false_zero_minus_one_or_empty(const Attr& attr) {
  return std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
          return !value;
        else if constexpr (std::is_arithmetic_v<T>)
          return value == 0 || value == -1;
        else if constexpr (std::is_same_v<T, Scalar>)
          return value.as_double() == 0;
        else
          return value.empty();
      },
      attr.value);
}

/// Whether `attr` is the list of axes of a reduction over all axes, whose value is ignored.
bool is_ignored_reduction_axes_attr(const OpDesc& op, std::string_view attr) {
  auto found = op.attrs.find("reduce_all");
  return attr == "dim" && found != op.attrs.end() &&
         !is_false_zero_minus_one_or_empty(found->second);
}

/// Whether an op has the values of the attributes that a specification does not have.
bool legacy_only_attrs_match_spec(const OpDesc& op, const OpSpec& spec, bool is_only_candidate) {
  for (const AttrSpec& attr : spec.attrs) {
    if (!attr.is_legacy_only) continue;
    auto expected = parse_default(attr);
    auto found = op.attrs.find(attr.legacy_name);
    if (found == op.attrs.end() ? !is_only_candidate
                                : convert_attr(found->second, expected->type) != expected)
      return false;
  }
  if (op.type == "split") return (spec.name == "split_with_num") == (int_attr(op, "num", 0) > 0);
  return true;
}

}  // namespace

Attribute plain_attribute(std::string name, Attr value) {
  Attribute attr;
  attr.name = std::move(name);
  attr.value = std::move(value);
  return attr;
}

Attribute int_attribute(std::string name, std::int64_t value) {
  return plain_attribute(std::move(name), {AttrType::INT, value});
}

Attribute dtype_attribute(std::string name, DType dtype) {
  Attribute attr = plain_attribute(std::move(name), make_dtype_attr(dtype));
  attr.kind = Attribute::Kind::dtype;
  return attr;
}

Attribute place_attribute() {
  Attribute attr;
  attr.name = "place";
  attr.kind = Attribute::Kind::place;
  return attr;
}

Attribute int_array_attribute(std::string name, Ints values) {
  Attribute attr = plain_attribute(std::move(name), {AttrType::LONGS, std::move(values)});
  attr.kind = Attribute::Kind::int_array;
  return attr;
}

std::vector<Attribute> attributes_of_full_op(double value, DType dtype, const Ints& shape) {
  return {int_array_attribute("shape", shape), plain_attribute("value", {AttrType::FLOAT64, value}),
          dtype_attribute("dtype", dtype), place_attribute()};
}

void Exporter::fail(const OpDesc& op, const std::string& why) const {
  throw Error(ErrorCode::unsupported, in_.name + ": " + op.type + ": " + why +
                                          (op.location.empty() ? "" : " (" + op.location + ")"));
}

Program Exporter::run() {
  require_rules_for_all_ops();
  out_.file = in_.name;
  out_.version = kVersion;
  if (in_.contract) out_.contract = in_.contract->bytes;
  block_ = &out_.body;
  export_parameters();
  export_inputs();
  create_tensor_arrays(in_.blocks[0]);
  export_ops(in_.blocks[0]);
  export_outputs();
  set_result_names_of_ops(out_.body);
  return std::move(out_);
}

void Exporter::require_rules_for_all_ops() const {
  std::map<std::string, std::pair<std::size_t, std::string>> unsupported;  // count, first location
  for (const oarlock::Block& block : in_.blocks)
    for (const OpDesc& op : block.ops) {
      if (op.type == "feed" || op.type == "fetch" || find_export_rule(op.type)) continue;
      if (!op_specs_of_legacy_type(op.type).empty()) continue;
      auto& [count, location] = unsupported[op.type];
      if (count++ == 0) location = op.location;
    }
  if (unsupported.empty()) return;
  std::string text =
      in_.name + ": " + std::to_string(unsupported.size()) + " ops have no equivalent in Paddle 3:";
  std::size_t num_listed = 0;
  for (auto& [type, found] : unsupported) {
    if (++num_listed > kMaxListedProblems) break;
    text += "\n  " + type + " (" + std::to_string(found.first) + "x" +
            (found.second.empty() ? "" : ", first at " + found.second) + ")";
  }
  throw Error(ErrorCode::unsupported, text);
}

// -- parameters, inputs, outputs

void Exporter::export_parameters() {
  for (const VarDesc* var : in_.persistables_in_file_order()) {
    Parameter parameter;
    parameter.name = var->name;
    parameter.value = {next_id_++, dense_type(var->dtype, var->shape), var->stop_gradient};
    parameter.trainable = var->is_parameter && !var->stop_gradient;
    parameter.value.stop_gradient = !parameter.trainable;
    values_[var->name] = parameter.value;
    out_.body.parameters.push_back(std::move(parameter));
  }
}

void Exporter::export_inputs() {
  OpDesc feed;
  feed.type = "feed";
  for (const std::string& name : in_.feed_names()) {
    Type type = declared_type(feed, name);
    Value value = emit("data", {}, {type},
                       {plain_attribute("name", {AttrType::STRING, name}),
                        int_array_attribute("shape", type.shape),
                        dtype_attribute("dtype", type.dtype), place_attribute()})[0];
    const VarDesc* var = in_.find_var(name);
    if (var && var->lod_level > 0) fail(feed, "input '" + name + "' is packed sequences (LoD)");
    block_->ops.back().results[0].stop_gradient = var && var->stop_gradient;
    assign(name, value);
  }
}

void Exporter::export_outputs() {
  OpDesc fetch;
  fetch.type = "fetch";
  Strings feeds = in_.feed_names();
  std::int64_t column = 0;
  for (const std::string& name : in_.fetch_names()) {
    Value value = value_of(fetch, name);
    // An output that is also an input gets another name, because Paddle's Predictor rejects equal
    // names.
    bool is_input = std::ranges::find(feeds, name) != feeds.end();
    std::string output = is_input ? "fetch_name_" + std::to_string(column) : name;
    emit("fetch", {value.id}, {value.type},
         {plain_attribute("name", {AttrType::STRING, output}), int_attribute("col", column)});
    ++column;
  }
}

// -- variables

Type Exporter::declared_type(const OpDesc& op, const std::string& variable) const {
  const VarDesc* var = in_.find_var(variable, index_);
  if (!var) fail(op, "variable '" + variable + "' is not declared");
  Type type = dense_type(var->dtype, var->shape);
  if (var->kind == VarKind::array) type.kind = Type::Kind::array;
  return type;
}

const Value& Exporter::value_of(const OpDesc& op, const std::string& variable) const {
  auto found = values_.find(variable);
  if (found == values_.end()) fail(op, "variable '" + variable + "' is read before it is assigned");
  return found->second;
}

std::vector<Value> Exporter::values_of(const OpDesc& op, const Strings& variables) const {
  std::vector<Value> values;
  for (const std::string& variable : variables) values.push_back(value_of(op, variable));
  return values;
}

const Value& Exporter::input(const OpDesc& op, std::string_view slot) const {
  const Strings& names = variable_names_in_slot(op.inputs, slot);
  if (names.size() != 1) fail(op, "one variable is expected in slot " + std::string(slot));
  return value_of(op, names[0]);
}

void Exporter::assign(const std::string& variable, Value value) {
  const auto& local_variables = in_.blocks[static_cast<std::size_t>(index_)].index;
  if (value.type.kind == Type::Kind::array && !local_variables.contains(variable))
    throw Error(ErrorCode::unsupported,
                in_.name + ": '" + variable +
                    "' is replaced by another tensor array in a branch or loop" +
                    (location_.empty() ? "" : " (" + location_ + ")") +
                    ", which programs of Paddle 3 cannot express");
  names_.emplace(value.id, variable);
  values_[variable] = std::move(value);
}

// -- operations

std::vector<Value> Exporter::emit(std::string name, std::vector<std::int64_t> operands,
                                  std::vector<Type> results, std::vector<Attribute> attrs,
                                  Dialect dialect) {
  Operation op;
  op.dialect = dialect;
  op.name = std::move(name);
  op.operands = std::move(operands);
  op.attrs = std::move(attrs);
  op.location = location_;
  for (Type& type : results) op.results.push_back({next_id_++, std::move(type), false});
  block_->ops.push_back(std::move(op));
  return block_->ops.back().results;
}

void Exporter::emit_to_output(const OpDesc& op, std::string name,
                              std::vector<std::int64_t> operands, std::vector<Attribute> attrs) {
  const Strings& names = variable_names_in_slot(op.outputs, "Out");
  if (names.size() != 1) fail(op, "one variable is expected in slot Out");
  assign(names[0], emit(std::move(name), std::move(operands), {declared_type(op, names[0])},
                        std::move(attrs))[0]);
}

std::int64_t Exporter::emit_full(double value, DType dtype, const Ints& shape) {
  return emit_constant("full", dense_type(dtype, shape),
                       attributes_of_full_op(value, dtype, shape));
}

std::int64_t Exporter::emit_int_array(const Ints& values) {
  Type type = dense_type(DType::int64, {static_cast<std::int64_t>(values.size())});
  return emit_constant("full_int_array", std::move(type),
                       {plain_attribute("value", {AttrType::LONGS, values}),
                        dtype_attribute("dtype", DType::int64), place_attribute()});
}

std::int64_t Exporter::emit_constant(std::string name, Type type, std::vector<Attribute> attrs) {
  std::int64_t id = emit(std::move(name), {}, {std::move(type)}, std::move(attrs))[0].id;
  block_->ops.back().results[0].stop_gradient = true;
  return id;
}

std::int64_t Exporter::emit_list(const std::vector<Value>& elements) {
  Type list;
  list.kind = Type::Kind::list;
  std::vector<std::int64_t> ids;
  for (const Value& element : elements) {
    list.elements.push_back(element.type);
    ids.push_back(element.id);
  }
  return emit("combine", std::move(ids), {std::move(list)}, {}, Dialect::builtin)[0].id;
}

std::int64_t Exporter::emit_int64_vector_from_scalars(const std::vector<Value>& elements) {
  std::vector<Value> vectors;
  for (const Value& element : elements) {
    Value value = element;
    if (value.type.dtype != DType::int64)
      value = emit("cast", {value.id}, {dense_type(DType::int64, value.type.shape)},
                   {dtype_attribute("dtype", DType::int64)})[0];
    if (value.type.shape.size() != 1)
      value = emit("reshape", {value.id, emit_int_array({1})}, {dense_type(DType::int64, {1})})[0];
    vectors.push_back(std::move(value));
  }
  Type type = dense_type(DType::int64, {static_cast<std::int64_t>(elements.size())});
  std::int64_t list = emit_list(vectors);
  std::int64_t axis = emit_full(0, DType::int32);
  return emit("concat", {list, axis}, {type})[0].id;
}

Value Exporter::emit_zeros_for_unassigned(Type type) {
  for (std::int64_t& dim : type.shape) dim = std::max<std::int64_t>(dim, 1);
  std::int64_t id = emit_full(0, type.dtype, type.shape);
  return {id, std::move(type), true};
}

std::int64_t Exporter::get_or_emit_mutable_int_list_attr_value(const OpDesc& op,
                                                               std::string_view attr,
                                                               std::string_view tensor_slot,
                                                               std::string_view tensors_slot) {
  return get_or_emit_mutable_attr_value(
      op, {attr, "", attr, "ints", tensor_slot, tensors_slot, false, false, ""});
}

// -- blocks

Block Exporter::export_sub_block(std::optional<std::int64_t> index, std::vector<Value> args,
                                 const std::function<void()>& finish) {
  Block inner;
  inner.args = std::move(args);
  ValuesByVariable outer_values = values_;
  Block* outer_block = std::exchange(block_, &inner);
  std::int32_t outer_index = index_;
  if (index) {
    index_ = static_cast<std::int32_t>(*index);
    const oarlock::Block& block = in_.blocks[static_cast<std::size_t>(*index)];
    create_tensor_arrays(block);
    export_ops(block);
  }
  finish();
  index_ = outer_index;
  block_ = outer_block;
  values_ = std::move(outer_values);
  return inner;
}

Block Exporter::export_branch(std::optional<std::int64_t> index,
                              const std::function<void()>& finish) {
  auto outer_arrays = arrays_outside_of_branch_;
  for (auto& [variable, value] : values_)
    if (value.type.kind == Type::Kind::array) arrays_outside_of_branch_.insert(variable);
  Block branch = export_sub_block(index, {}, finish);
  arrays_outside_of_branch_ = std::move(outer_arrays);
  return branch;
}

void Exporter::require_writable_array(const OpDesc& op, const std::string& variable) const {
  if (arrays_outside_of_branch_.contains(variable))
    fail(op, "'" + variable +
                 "' is a tensor array of an enclosing block; programs of Paddle 3 "
                 "cannot change it in a branch");
}

// Emits a create_array for each tensor array of the block, before its first use.
void Exporter::create_tensor_arrays(const oarlock::Block& block) {
  for (const VarDesc& var : block.vars) {
    if (var.kind != VarKind::array) continue;
    Type type = dense_type(var.dtype, var.shape);
    type.kind = Type::Kind::array;
    assign(var.name, emit("create_array", {}, {type}, {dtype_attribute("dtype", var.dtype)})[0]);
  }
}

std::set<std::string> Exporter::outer_names_written_by_block(std::int64_t index) const {
  const oarlock::Block& block = in_.blocks[static_cast<std::size_t>(index)];
  std::set<std::string> names;
  for (const OpDesc& op : block.ops) {
    if (has_sub_block(op)) {
      names.merge(outer_names_written_by_block(int_attr(op, "sub_block", 0)));
      continue;
    }
    for (auto& [slot, written] : op.outputs) names.insert(written.begin(), written.end());
  }
  std::erase_if(names, [&](const std::string& name) {
    if (block.index.contains(name)) return true;
    const VarDesc* var = in_.find_var(name, static_cast<std::int32_t>(index));
    return !var || var->kind != VarKind::dense;
  });
  return names;
}

Value Exporter::new_block_argument(const Type& type) { return {next_argument_id_--, type, false}; }

void Exporter::export_ops(const oarlock::Block& block) {
  for (std::size_t i = 0; i < block.ops.size();) {
    call_poll_callback_if_due();
    const OpDesc& op = block.ops[i];
    location_ = op.location;
    if (ExportRule rule = find_export_rule(op.type)) {
      i += rule(*this, block.ops, i);
      continue;
    }
    export_op(op);
    ++i;
  }
}

void Exporter::export_op(const OpDesc& op) {
  if (op.type == "feed" || op.type == "fetch") return;
  const auto& candidates = op_specs_of_legacy_type(op.type);
  for (const OpSpec* spec : candidates)
    if (legacy_only_attrs_match_spec(op, *spec, candidates.size() == 1))
      return export_by_spec(op, *spec);
  fail(op, "no operation of Paddle 3 has these attributes");
}

void Exporter::set_result_names_of_ops(Block& block) const {
  for (Operation& op : block.ops) {
    for (std::size_t i = 0; i < op.results.size(); ++i)
      if (auto found = names_.find(op.results[i].id); found != names_.end()) {
        op.result_names.resize(op.results.size());
        op.result_names[i] = found->second;
      }
    for (Block& body : op.bodies) set_result_names_of_ops(body);
  }
}

// -- operations of the table

void Exporter::export_by_spec(const OpDesc& op, const OpSpec& spec) {
  check_inputs_outside_spec(op, spec);
  check_attrs_outside_spec(op, spec);
  std::vector<std::int64_t> operands;
  for (const OperandSpec& operand : spec.operands)
    operands.push_back(get_or_emit_operand_value(op, spec, operand));
  std::vector<Attribute> attrs;
  for (const AttrSpec& attr : spec.attrs)
    if (!attr.is_legacy_only && attr.is_in_version_1) attrs.push_back(make_attr(op, spec, attr));
  std::vector<Type> types;
  for (const ResultSpec& result : spec.results) {
    const Strings& names = variable_names_in_slot(op.outputs, result.slot);
    Type type;
    if (result.is_list) {
      type.kind = names.empty() ? Type::Kind::none : Type::Kind::list;
      for (const std::string& name : names) type.elements.push_back(declared_type(op, name));
    } else if (!names.empty()) {
      type = declared_type(op, names[0]);
    } else if (!result.is_optional) {
      type = dense_type(DType::float32, {-1});  // no op reads it
    }
    types.push_back(std::move(type));
  }
  bool is_batch_norm = spec.name == "batch_norm";
  auto results = emit(std::string(spec.name) + (is_batch_norm ? "_" : ""), std::move(operands),
                      std::move(types), std::move(attrs));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Strings& names = variable_names_in_slot(op.outputs, spec.results[i].slot);
    if (names.empty()) continue;
    if (!spec.results[i].is_list) {
      assign(names[0], results[i]);
      continue;
    }
    auto elements = emit("split", {results[i].id}, results[i].type.elements, {}, Dialect::builtin);
    for (std::size_t k = 0; k < names.size(); ++k) assign(names[k], elements[k]);
  }
}

std::int64_t Exporter::get_or_emit_operand_value(const OpDesc& op, const OpSpec& spec,
                                                 const OperandSpec& operand) {
  if (!operand.attr.empty()) return get_or_emit_mutable_attr_value(op, operand);
  const Strings& names = variable_names_in_slot(op.inputs, operand.slot);
  if (names.empty() && operand.slot.empty() && !operand.is_optional)
    return emit_full(0, DType::uint8);  // the state of a dropout that inference does not apply
  if (names.empty() && operand.is_optional) return 0;
  if (names.empty())
    fail(op, "slot " + std::string(operand.slot) + " is empty, which pd_op." +
                 std::string(spec.name) + " does not accept");
  if (!operand.is_list) return input(op, operand.slot).id;
  return emit_list(values_of(op, names));
}

std::int64_t Exporter::get_or_emit_mutable_attr_value(const OpDesc& op,
                                                      const OperandSpec& operand) {
  if (const Strings& names = variable_names_in_slot(op.inputs, operand.tensor_slot); !names.empty())
    return input(op, operand.tensor_slot).id;
  if (const Strings& names = variable_names_in_slot(op.inputs, operand.tensors_slot);
      !names.empty())
    return emit_int64_vector_from_scalars(values_of(op, names));
  bool is_integral = operand.default_value.find_first_of(".e") == std::string_view::npos;
  std::string_view default_type = is_integral ? "i64" : "f64";
  auto found = op.attrs.find(operand.attr);
  auto value = found == op.attrs.end()
                   ? parse_default({operand.attr, "", default_type, operand.default_value})
                   : std::optional(found->second);
  if (!value) fail(op, "attribute '" + std::string(operand.attr) + "' is missing");
  const Attr& attr = *value;
  if (attr.type == AttrType::VAR) return value_of(op, std::get<std::string>(attr.value)).id;
  if (attr.type == AttrType::VARS)
    return emit_int64_vector_from_scalars(values_of(op, std::get<Strings>(attr.value)));
  if (operand.attr_type == "ints") {
    auto ints = convert_attr(attr, AttrType::LONGS);
    if (!ints) fail(op, "attribute '" + std::string(operand.attr) + "' holds no integers");
    return emit_int_array(
        is_ignored_reduction_axes_attr(op, operand.attr) ? Ints() : std::get<Ints>(ints->value));
  }
  auto number = convert_attr(attr, AttrType::FLOAT64);
  if (!number && attr.type == AttrType::STRING)  // the tolerances of allclose
    if (auto parsed = try_parse_double(std::get<std::string>(attr.value)))
      number = Attr{AttrType::FLOAT64, *parsed};
  if (!number) fail(op, "attribute '" + std::string(operand.attr) + "' is no number");
  DType dtype = operand.attr_type == "f64"    ? DType::float64
                : operand.attr_type == "f32"  ? DType::float32
                : operand.attr_type == "i64"  ? DType::int64
                : operand.attr_type == "i32"  ? DType::int32
                : attr.type == AttrType::INT  ? DType::int32
                : attr.type == AttrType::LONG ? DType::int64
                                              : DType::float32;
  return emit_full(std::get<double>(number->value), dtype);
}

Attribute Exporter::make_attr(const OpDesc& op, const OpSpec& spec, const AttrSpec& attr) const {
  std::string name(attr.name);
  if (attr.type == "place") return place_attribute();
  auto found = op.attrs.find(attr.legacy_name);
  bool is_given = found != op.attrs.end();
  if (attr.type == "dtype") {
    if (is_given) {
      auto number = convert_attr(found->second, AttrType::INT);
      if (!number) fail(op, "attribute '" + name + "' is no dtype");
      return dtype_attribute(name, static_cast<DType>(std::get<std::int64_t>(number->value)));
    }
    return dtype_attribute(name, find_dtype_by_name(attr.default_value));
  }
  AttrType type = attr_type_of_spec_type(attr.type);
  std::optional<Attr> value;
  if (is_ignored_reduction_axes_attr(op, attr.legacy_name))
    value = Attr{AttrType::LONGS, Ints{}};
  else if (is_given)
    value = found->second;
  else
    value = parse_default(attr);
  if (!value && type == AttrType::BOOLEAN) value = Attr{type, false};
  auto converted = value ? convert_attr(*value, type) : std::nullopt;
  if (!converted || converted->type != type)
    fail(op, "attribute '" + std::string(attr.legacy_name) +
                 "' has no value that legacy_only_attrs_match_spec pd_op." +
                 std::string(spec.name));
  return plain_attribute(std::move(name), std::move(*converted));
}

void Exporter::check_inputs_outside_spec(const OpDesc& op, const OpSpec& spec) const {
  for (auto& [slot, names] : op.inputs) {
    std::string_view name = slot;
    bool is_known = std::ranges::any_of(spec.operands, [&](const OperandSpec& operand) {
      return name == operand.slot || name == operand.tensor_slot || name == operand.tensors_slot;
    });
    if (!is_known && !names.empty())
      fail(op, "slot " + slot + " has no equivalent in pd_op." + std::string(spec.name));
  }
}

// Fails if the op has an attribute that changes the result and that the operation of Paddle 3 does
// not have.
void Exporter::check_attrs_outside_spec(const OpDesc& op, const OpSpec& spec) const {
  for (auto& [name, value] : op.attrs) {
    std::string_view text = name;
    bool is_known =
        std::ranges::find(kIgnoredAttrs, text) != std::end(kIgnoredAttrs) || text == "reduce_all" ||
        std::ranges::find(spec.attrs, text, &AttrSpec::legacy_name) != spec.attrs.end() ||
        std::ranges::find(spec.operands, text, &OperandSpec::attr) != spec.operands.end();
    if (!is_known && !is_false_zero_minus_one_or_empty(value))
      fail(op, "attribute '" + name + "' has no equivalent in pd_op." + std::string(spec.name));
  }
}

}  // namespace oarlock::pir
