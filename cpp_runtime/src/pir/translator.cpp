#include "pir/translator.h"

#include <algorithm>

#include "base/number_text_conversion.h"
#include "base/poll_callback.h"
#include "oarlock/error.h"
#include "paddle/op_attr_checks.h"

namespace oarlock::pir {
namespace {

constexpr std::int64_t kProgramVersion = 3000000;  // of Paddle 3.0
constexpr std::int64_t kMaxVectorElements = 64;    // of a vector whose elements are separate inputs

std::string quote_and_truncate(std::string_view text) {
  return "'" + std::string(text.substr(0, 200)) + "'";
}

std::string full_name(const Operation& op) {
  constexpr std::string_view dialects[] = {"builtin", "pd_op", "cf", "custom_op", "dist"};
  return std::string(dialects[static_cast<std::size_t>(op.dialect)]) + "." + op.name;
}

/// The layer of an operation: `/Net/Linear_1/`; "" if it is not known.
std::string layer_path(const Operation& op) {
  const Attribute* attr = op.find_attr("struct_name");
  auto* text = attr ? std::get_if<std::string>(&attr->value.value) : nullptr;
  return text ? *text : "";
}

bool is_yield(const Operation& op) { return op.dialect == Dialect::cf && op.name == "yield"; }

/// The attribute for a mutable attribute with known elements.
Attr make_attr_from_scalars(const Scalars& elements, std::string_view attr_type) {
  if (attr_type == "ints") {
    Ints ints;
    for (const Scalar& element : elements)
      ints.push_back(element.type == Scalar::Type::float64 ? static_cast<std::int64_t>(element.r)
                                                           : element.i);
    return {AttrType::LONGS, std::move(ints)};
  }
  if (elements.size() == 1 && elements[0].type == Scalar::Type::float64)
    return {AttrType::FLOAT64, elements[0].r};
  if (elements.size() == 1 && elements[0].type != Scalar::Type::complex128)
    return {AttrType::LONG, elements[0].i};
  return {AttrType::SCALARS, elements};
}

}  // namespace

std::optional<std::size_t> find_operand_overwritten_by_result(const Operation& op,
                                                              std::size_t result) {
  if (op.dialect != Dialect::pd_op || !op.name.ends_with('_')) return std::nullopt;
  if (op.name == "batch_norm_")  // x, mean, variance -> out, mean_out, variance_out
    return result == 1 || result == 2 ? std::optional(result) : std::nullopt;
  if (result != 0 || op.name == "full_" || op.name == "cast_" || op.name == "share_data_")
    return std::nullopt;
  return op.name == "assign_out_" ? 1 : 0;
}

Translator::Translator(const Program& program, const JsonDocument& document)
    : in_(program), document_(document) {}

void Translator::fail(Json at, const std::string& why) const {
  throw Error(ErrorCode::file, in_.file + ": " + document_.path_of(at) + ": " + why);
}

oarlock::Program Translator::translate() {
  std::vector<std::string> problems;
  collect_unsupported_operations(in_.body, problems);
  if (!problems.empty()) {
    std::string text =
        in_.file + ": " + std::to_string(problems.size()) + " operations are not supported:";
    for (std::size_t i = 0; i < std::min(problems.size(), kMaxListedProblems); ++i)
      text += "\n  " + problems[i];
    if (problems.size() > kMaxListedProblems) text += "\n  ...";
    throw Error(ErrorCode::unsupported, text);
  }
  out_.name = in_.file;
  out_.version = kProgramVersion;
  out_.blocks.emplace_back();
  VarDesc feed, fetch;
  feed.name = "feed", feed.kind = VarKind::feed, feed.persistable = true;
  fetch.name = "fetch", fetch.kind = VarKind::fetch, fetch.persistable = true;
  names_ = {"feed", "fetch"};
  block().vars = {feed, fetch};
  translate_parameters(in_.body);
  reserve_program_input_and_output_names(in_.body);
  collect_values_changed_in_place(in_.body);
  translate_ops(in_.body);
  return std::move(out_);
}

void Translator::collect_unsupported_operations(const Block& block,
                                                std::vector<std::string>& problems) const {
  for (const Operation& op : block.ops) {
    bool has_spec = op.dialect == Dialect::pd_op && find_op_spec(op.name);
    if (!has_spec && !find_special_rule(op.dialect, op.name) && !is_yield(op)) {
      std::string layer = layer_path(op);
      problems.push_back(document_.path_of(op.source) + ": " + full_name(op) +
                         (layer.empty() ? "" : " of " + layer));
    }
    for (const Block& body : op.bodies) collect_unsupported_operations(body, problems);
  }
}

// The variable of each program input and output gets the name of the input or output, unless
// another variable has this name.
void Translator::reserve_program_input_and_output_names(const Block& block) {
  for (const Operation& op : block.ops)
    if (op.dialect == Dialect::pd_op && op.name == "data")
      if (const Attribute* name = op.find_attr("name"))
        if (auto* text = std::get_if<std::string>(&name->value.value)) names_.insert(*text);
  for (const Operation& op : block.ops) {
    if (op.dialect != Dialect::pd_op || op.name != "fetch" || op.operands.size() != 1) continue;
    const Attribute* name = op.find_attr("name");
    auto* text = name ? std::get_if<std::string>(&name->value.value) : nullptr;
    if (text && !text->empty() && !names_.contains(*text))
      if (output_names_.emplace(op.operands[0], *text).second) names_.insert(*text);
  }
}

void Translator::collect_values_changed_in_place(const Block& block) {
  for (const Operation& op : block.ops) {
    for (std::size_t i = 0; i < op.results.size(); ++i)
      if (auto operand = find_operand_overwritten_by_result(op, i);
          operand && *operand < op.operands.size())
        changed_in_place_.insert(op.operands[*operand]);
    for (const Block& body : op.bodies) collect_values_changed_in_place(body);
  }
}

std::string Translator::unique_name(const std::string& hint) {
  if (names_.insert(hint).second) return hint;
  // The last suffix is stored per hint, because a search from 1 would take quadratic time.
  for (int& suffix = last_suffixes_[hint];;)
    if (std::string name = hint + "_" + std::to_string(++suffix); names_.insert(name).second)
      return name;
}

std::int32_t Translator::open_block() {
  oarlock::Block inner;
  inner.idx = static_cast<std::int32_t>(out_.blocks.size());
  inner.parent = current_;
  out_.blocks.push_back(std::move(inner));
  return current_ = static_cast<std::int32_t>(out_.blocks.size()) - 1;
}

// Declares and binds a variable for each parameter. A parameter that is not persistable has no
// record in the file of weights; Paddle writes such parameters for values that inference does not
// read.
void Translator::translate_parameters(const Block& body) {
  for (const Parameter& p : body.parameters) {
    if (p.name.empty() || !names_.insert(p.name).second)
      fail(p.source, "parameter name " + quote_and_truncate(p.name) + " is empty or given twice");
    VarDesc var;
    var.name = p.name;
    var.dtype = p.value.type.dtype;
    var.shape = p.value.type.shape;
    var.persistable = p.persistable;
    var.is_parameter = p.trainable;
    var.stop_gradient = p.value.stop_gradient;
    block().vars.push_back(var);
    values_[p.value.id] = {p.name, p.value.type, {}, std::nullopt};
    if (!p.persistable)
      block().ops.push_back({"fill_constant",
                             {},
                             {{"Out", {p.name}}},
                             {{"shape", {AttrType::LONGS, p.value.type.shape}},
                              {"dtype", make_dtype_attr(var.dtype)},
                              {"value", {AttrType::FLOAT, 0.0}}},
                             ""});
  }
}

void Translator::translate_ops(const Block& body) {
  if (&body != &in_.body && !body.parameters.empty())
    fail(body.parameters[0].source, "a parameter inside of a branch or loop");
  for (const Operation& op : body.ops) {
    call_poll_callback_if_due();
    if (!is_yield(op)) translate_op(op);
  }
}

void Translator::translate_op(const Operation& op) {
  if (Rule rule = find_special_rule(op.dialect, op.name)) return rule(*this, op);
  translate_by_spec(op, *find_op_spec(op.name));
}

std::vector<Binding> Translator::yielded_bindings(const Block& body) const {
  if (body.ops.empty() || !is_yield(body.ops.back()))
    fail(body.ops.empty() ? document_.root() : body.ops.back().source,
         "a branch or loop without cf.yield at its end");
  std::vector<Binding> bindings;
  for (std::size_t i = 0; i < body.ops.back().operands.size(); ++i)
    bindings.push_back(require_operand_binding(body.ops.back(), i));
  return bindings;
}

// -- operands and results

const Binding& Translator::require_operand_binding(const Operation& op,
                                                   std::size_t position) const {
  std::int64_t id = position < op.operands.size() ? op.operands[position] : 0;
  auto found = values_.find(id);
  if (id == 0 || found == values_.end())
    fail(op.source, full_name(op) + ": operand " + std::to_string(position) + " is missing");
  return found->second;
}

std::string Translator::operand_variable(const Operation& op, std::size_t position) const {
  if (position >= op.operands.size() || op.operands[position] == 0) return "";
  const Binding& binding = require_operand_binding(op, position);
  if (binding.variable.empty())
    fail(op.source, full_name(op) + ": operand " + std::to_string(position) + " is no tensor");
  return binding.variable;
}

std::int64_t Translator::int_attr(const Operation& op, std::string_view name) const {
  const Attribute* attr = op.find_attr(name);
  auto value = attr ? convert_attr(attr->value, AttrType::LONG) : std::nullopt;
  if (!value) fail(op.source, full_name(op) + ": no integer attribute " + quote_and_truncate(name));
  return std::get<std::int64_t>(value->value);
}

void Translator::bind(const Operation& op, std::size_t position, Binding binding) {
  if (position >= op.results.size())
    fail(op.source, full_name(op) + ": result " + std::to_string(position) + " is missing");
  values_[op.results[position].id] = std::move(binding);
}

void Translator::bind_argument(const Value& argument, Binding binding) {
  values_[argument.id] = std::move(binding);
}

std::string Translator::declare_variable_with_unique_name(const std::string& hint,
                                                          const Type& type) {
  VarDesc var;
  var.name = unique_name(hint);
  var.dtype = type.dtype;
  var.shape = type.shape;
  if (type.kind == Type::Kind::array) var.kind = VarKind::array;
  block().vars.push_back(var);
  return var.name;
}

std::string Translator::bind_result_to_new_variable(const Operation& op, std::size_t position) {
  if (position >= op.results.size())
    fail(op.source, full_name(op) + ": result " + std::to_string(position) + " is missing");
  const Value& result = op.results[position];
  if (result.type.kind != Type::Kind::dense && result.type.kind != Type::Kind::array)
    fail(op.source,
         full_name(op) + ": result " + std::to_string(position) + " is no tensor" +
             (result.type.name.empty() ? "" : " but " + quote_and_truncate(result.type.name)));
  std::string name;
  if (auto output = output_names_.find(result.id); output != output_names_.end() && current_ == 0) {
    names_.erase(output->second);
    name = declare_variable_with_unique_name(output->second, result.type);
  } else {
    bool is_named = position < op.result_names.size() && !op.result_names[position].empty();
    name = declare_variable_with_unique_name(
        is_named ? op.result_names[position] : op.name + "_" + std::to_string(result.id),
        result.type);
  }
  block().vars.back().stop_gradient = result.stop_gradient;
  values_[result.id] = {name, result.type, {}, std::nullopt};
  return name;
}

void Translator::emit(const Operation& op, std::string type, Slots inputs, Slots outputs,
                      Attrs attrs) {
  block().ops.push_back({std::move(type), std::move(inputs), std::move(outputs), std::move(attrs),
                         op.location.empty() ? layer_path(op) : op.location});
}

std::string Translator::emit_to_new_variable(const Operation& op, const std::string& type,
                                             Slots inputs, Attrs attrs, const Type& result) {
  std::string name = declare_variable_with_unique_name(op.name + "_" + type + ".tmp", result);
  emit(op, type, std::move(inputs), {{"Out", {name}}}, std::move(attrs));
  return name;
}

const Type& Translator::result_type(const Operation& op, std::size_t position) const {
  if (position >= op.results.size())
    fail(op.source, full_name(op) + ": result " + std::to_string(position) + " is missing");
  return op.results[position].type;
}

DType Translator::dtype_attr_or_first_result_dtype(const Operation& op) const {
  const Attribute* attr = op.find_attr("dtype");
  auto* number = attr ? std::get_if<std::int64_t>(&attr->value.value) : nullptr;
  return number && attr->kind == Attribute::Kind::dtype && *number >= 0
             ? static_cast<DType>(*number)
             : result_type(op, 0).dtype;
}

Strings Translator::bind_result_to_new_list(const Operation& op, std::size_t position) {
  const Type& type = result_type(op, position);
  if (type.kind != Type::Kind::list)
    fail(op.source, full_name(op) + ": result " + std::to_string(position) + " is no list");
  std::int64_t id = op.results[position].id;
  Binding list{"", type, {}, std::nullopt};
  Strings names;
  for (std::size_t i = 0; i < type.elements.size(); ++i) {
    names.push_back(declare_variable_with_unique_name(
        op.name + "_" + std::to_string(id) + "." + std::to_string(i), type.elements[i]));
    block().vars.back().stop_gradient = op.results[position].stop_gradient;
    list.elements.push_back({names.back(), type.elements[i], {}, std::nullopt});
  }
  bind(op, position, std::move(list));
  return names;
}

std::string Translator::bind_result_in_place(const Operation& op, std::size_t position,
                                             std::size_t operand_position) {
  Binding binding = require_operand_binding(op, operand_position);
  std::string variable = operand_variable(op, operand_position);
  binding.constant.reset();
  bind(op, position, std::move(binding));
  return variable;
}

std::string Translator::bind_result_in_place_or_new(const Operation& op, std::size_t position) {
  auto changed = find_operand_overwritten_by_result(op, position);
  return changed ? bind_result_in_place(op, position, *changed)
                 : bind_result_to_new_variable(op, position);
}

void Translator::set_constant_unless_changed_in_place(const Operation& op, std::size_t position,
                                                      Scalars elements) {
  std::int64_t id = op.results[position].id;
  if (!changed_in_place_.contains(id)) values_[id].constant = std::move(elements);
}

std::string Translator::declare_step_scopes_variable(const std::string& hint) {
  VarDesc var;
  var.name = unique_name(hint);
  var.kind = VarKind::step_scopes;
  block().vars.push_back(var);
  return var.name;
}

void Translator::emit_cast_into_variable(const Operation& op, const std::string& from,
                                         DType from_dtype, const std::string& to, DType to_dtype) {
  emit(op, "cast", {{"X", {from}}}, {{"Out", {to}}},
       {{"in_dtype", make_dtype_attr(from_dtype)}, {"out_dtype", make_dtype_attr(to_dtype)}});
}

// -- inputs and outputs

void Translator::add_input(const Operation& op, const std::string& name) {
  if (current_ != 0) fail(op.source, "an input inside of a branch or loop");
  for (const VarDesc& var : block().vars)
    if (var.name == name)
      fail(op.source, "input name " + quote_and_truncate(name) + " is given twice");
  const Type& type = result_type(op, 0);
  if (type.kind != Type::Kind::dense) fail(op.source, "an input is a tensor");
  names_.erase(name);
  std::string variable = declare_variable_with_unique_name(name, type);
  block().vars.back().stop_gradient = op.results[0].stop_gradient;
  values_[op.results[0].id] = {variable, type, {}, std::nullopt};
  emit(op, "feed", {{"X", {"feed"}}}, {{"Out", {variable}}},
       {{"col", {AttrType::INT, num_inputs_++}}});
}

void Translator::add_output(const Operation& op, const std::string& name, std::int64_t column) {
  if (current_ != 0) fail(op.source, "an output inside of a branch or loop");
  if (column < 0 || column > (1 << 20)) fail(op.source, "output column " + std::to_string(column));
  const Type type = require_operand_binding(op, 0).type;
  std::string variable = operand_variable(op, 0);
  auto reserved = output_names_.find(op.operands[0]);
  if (reserved == output_names_.end() || reserved->second != variable || name != variable) {
    if (reserved != output_names_.end() && reserved->second == name) names_.erase(name);
    std::string copy = declare_variable_with_unique_name(name, type);
    emit(op, "assign", {{"X", {variable}}}, {{"Out", {copy}}});
    variable = copy;
  }
  emit(op, "fetch", {{"X", {variable}}}, {{"Out", {"fetch"}}}, {{"col", {AttrType::INT, column}}});
}

// -- operands that are attributes or tensors

void Translator::add_int_list_operand(const Operation& op, std::size_t position,
                                      const IntListAttrAndSlotNames& slots,
                                      std::string_view legacy_type, Slots& inputs, Attrs& attrs) {
  add_mutable_attr(
      op,
      {slots.attr, "", slots.attr, "ints", slots.tensor_slot, slots.tensors_slot, false, false, ""},
      require_operand_binding(op, position), legacy_type, inputs, attrs);
}

void Translator::copy_attr(const Operation& op, std::string_view name, AttrType type,
                           Attrs& attrs) const {
  const Attribute* attr = op.find_attr(name);
  if (!attr) return;
  auto value = convert_attr(attr->value, type);
  if (!value)
    fail(attr->source, full_name(op) + ": attribute " + quote_and_truncate(name) +
                           " has no value of type " + std::string(attr_type_name(type)));
  attrs[std::string(name)] = std::move(*value);
}

// -- operations of the table

void Translator::translate_by_spec(const Operation& op, const OpSpec& spec) {
  if (op.operands.size() > spec.operands.size() || op.results.size() > spec.results.size())
    fail(op.source, full_name(op) + ": " + std::to_string(op.operands.size()) + " operands and " +
                        std::to_string(op.results.size()) + " results, expected " +
                        std::to_string(spec.operands.size()) + " and " +
                        std::to_string(spec.results.size()));
  Slots inputs, outputs;
  Attrs attrs;
  for (std::size_t i = 0; i < spec.operands.size(); ++i)
    add_operand(op, spec.operands[i], i, inputs, attrs);
  add_attrs(op, spec, attrs);
  for (std::size_t i = 0; i < op.results.size(); ++i)
    if (Strings names = bind_result_by_spec(op, spec.results[i], i); !names.empty())
      outputs[std::string(spec.results[i].slot)] = std::move(names);
  emit(op, std::string(spec.legacy_type), std::move(inputs), std::move(outputs), std::move(attrs));
}

void Translator::add_operand(const Operation& op, const OperandSpec& spec, std::size_t position,
                             Slots& inputs, Attrs& attrs) {
  bool is_present = position < op.operands.size() && op.operands[position] != 0;
  if (!spec.attr.empty()) {
    if (!is_present)
      fail(op.source, full_name(op) + ": operand " + quote_and_truncate(spec.name) + " is missing");
    return add_mutable_attr(op, spec, require_operand_binding(op, position),
                            find_op_spec(op.name)->legacy_type, inputs, attrs);
  }
  if (!is_present && !spec.is_optional)
    fail(op.source, full_name(op) + ": operand " + quote_and_truncate(spec.name) + " is missing");
  if (is_present && spec.slot.empty() && spec.is_optional)
    fail(op.source,
         full_name(op) + ": operand " + quote_and_truncate(spec.name) + " is not supported");
  if (!is_present || spec.slot.empty()) return;
  const Binding& binding = require_operand_binding(op, position);
  Strings& names = inputs[std::string(spec.slot)];
  if (binding.type.kind == Type::Kind::list && spec.is_list)
    for (const Binding& element : binding.elements) names.push_back(element.variable);
  else
    names.push_back(operand_variable(op, position));
}

void Translator::add_mutable_attr(const Operation& op, const OperandSpec& spec,
                                  const Binding& binding, std::string_view legacy_type,
                                  Slots& inputs, Attrs& attrs) {
  if (binding.constant) {
    Attr attr = make_attr_from_scalars(*binding.constant, spec.attr_type);
    if (auto declared = declared_attr_type(legacy_type, spec.attr)) {
      auto converted = convert_attr(attr, *declared);
      if (!converted)
        fail(op.source, full_name(op) + ": operand " + quote_and_truncate(spec.name) +
                            " has no value of type " + std::string(attr_type_name(*declared)));
      attr = std::move(*converted);
    }
    attrs[std::string(spec.attr)] = std::move(attr);
    return;
  }
  Strings names;
  for (const Binding& element : binding.elements) names.push_back(element.variable);
  bool is_list = binding.type.kind == Type::Kind::list;
  if (!is_list && spec.tensor_slot.empty() && !spec.tensors_slot.empty()) {
    inputs[std::string(spec.tensors_slot)] = emit_vector_elements(op, spec, binding);
    return;
  }
  if (is_list && !spec.tensors_slot.empty()) {
    inputs[std::string(spec.tensors_slot)] = std::move(names);
  } else if (is_list && spec.tensor_slot == kVarAttr) {
    attrs[std::string(spec.attr)] = {AttrType::VARS, std::move(names)};
  } else if (!is_list && spec.tensor_slot == kVarAttr) {
    attrs[std::string(spec.attr)] = {AttrType::VAR, binding.variable};
  } else if (!is_list && !spec.tensor_slot.empty()) {
    inputs[std::string(spec.tensor_slot)] = {binding.variable};
    if (spec.attr_type != "ints")  // some ops require the attribute, which the tensor replaces
      attrs[std::string(spec.attr)] =
          *convert_attr({AttrType::FLOAT, 0.0},
                        declared_attr_type(legacy_type, spec.attr).value_or(AttrType::FLOAT));
  } else {
    fail(op.source,
         full_name(op) + ": operand " + quote_and_truncate(spec.name) + " must be a constant");
  }
}

// Emits ops that split a vector into its elements, tensors of shape [1]; returns the names of their
// variables.
Strings Translator::emit_vector_elements(const Operation& op, const OperandSpec& spec,
                                         const Binding& vector) {
  const Ints& shape = vector.type.shape;
  if (shape.size() != 1 || shape[0] < 0 || shape[0] > kMaxVectorElements)
    fail(op.source, full_name(op) + ": operand " + quote_and_truncate(spec.name) +
                        " must be a constant or a vector of a known length up to " +
                        std::to_string(kMaxVectorElements));
  if (shape[0] == 1) return {vector.variable};
  Strings names;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    names.push_back(declare_variable_with_unique_name(
        op.name + ".element", {vector.type.kind, vector.type.dtype, {1}, {}, ""}));
  emit(op, "split", {{"X", {vector.variable}}}, {{"Out", names}},
       {{"num", {AttrType::INT, shape[0]}}, {"axis", {AttrType::INT, std::int64_t{0}}}});
  return names;
}

void Translator::add_attrs(const Operation& op, const OpSpec& spec, Attrs& attrs) {
  for (const AttrSpec& attr_spec : spec.attrs) {
    const Attribute* attr = attr_spec.is_legacy_only ? nullptr : op.find_attr(attr_spec.name);
    if (attr_spec.legacy_name == kWithoutEffect || (attr && attr->kind == Attribute::Kind::absent))
      continue;
    if (attr_spec.legacy_name == kOnlyDefault) {
      require_default_attr_value(op, attr_spec, attr);
      continue;
    }
    std::optional<Attr> value = attr ? std::optional(attr->value) : parse_default(attr_spec);
    if (!value) continue;
    if (auto declared = declared_attr_type(spec.legacy_type, attr_spec.legacy_name)) {
      auto converted = convert_attr(*value, *declared);
      if (!converted)
        fail(attr ? attr->source : op.source,
             full_name(op) + ": attribute " + quote_and_truncate(attr_spec.name) + " has type " +
                 std::string(attr_type_name(value->type)) + ", but " +
                 std::string(attr_type_name(*declared)) + " is expected");
      value = std::move(converted);
    }
    attrs[std::string(attr_spec.legacy_name)] = std::move(*value);
  }
}

void Translator::require_default_attr_value(const Operation& op, const AttrSpec& spec,
                                            const Attribute* attr) const {
  auto expected = parse_default(spec);
  auto given = attr && expected ? convert_attr(attr->value, expected->type) : expected;
  if (given != expected)
    fail(attr->source, full_name(op) + ": attribute " + quote_and_truncate(spec.name) +
                           " is supported with the value " + std::string(spec.default_value) +
                           " only");
}

Strings Translator::bind_result_by_spec(const Operation& op, const ResultSpec& spec,
                                        std::size_t position) {
  const Value& result = op.results[position];
  if (result.type.kind == Type::Kind::none || spec.slot.empty()) return {};
  if (result.type.kind == Type::Kind::list) return bind_result_to_new_list(op, position);
  return {bind_result_in_place_or_new(op, position)};
}

// -- blocks

std::set<std::string> Translator::outer_names_read_by_block(std::int32_t index) const {
  const oarlock::Block& inner = out_.blocks[static_cast<std::size_t>(index)];
  std::set<std::string> declared, found;
  for (const VarDesc& var : inner.vars) declared.insert(var.name);
  for (const OpDesc& op : inner.ops)
    for_each_directly_read_name(op, [&](const std::string& name) { found.insert(name); });
  std::set<std::string> outer;
  std::set_difference(found.begin(), found.end(), declared.begin(), declared.end(),
                      std::inserter(outer, outer.end()));
  return outer;
}

std::set<std::string> Translator::outer_names_written_by_block(std::int32_t index) const {
  const oarlock::Block& inner = out_.blocks[static_cast<std::size_t>(index)];
  std::set<std::string> declared, outer;
  for (const VarDesc& var : inner.vars) declared.insert(var.name);
  for (const OpDesc& op : inner.ops)
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names)
        if (!declared.contains(name)) outer.insert(name);
  return outer;
}

}  // namespace oarlock::pir
