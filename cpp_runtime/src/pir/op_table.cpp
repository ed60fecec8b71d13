#include "pir/op_table.h"

#include <algorithm>
#include <map>

#include "base/number_text_conversion.h"

namespace oarlock::pir {
namespace {

/// A row of the table. Fields are separated by spaces.
/// operands: `x:X` (name:Slot), `x:X*` (a list), `x:X?` (optional), `axis@dim:ints|Tensor|Tensors`
/// (a mutable attribute: name@attr:type|slot of a tensor|slot of a list), `=default`.
/// results: `out:Out`.  attrs: `name:type=default`, `name>legacy_name:type`, `name>-:type`
/// (without effect), `name>!:type=default` (only the default is supported); `^`: not in version 1;
/// `+name`: `.pdmodel` only, always the default.
struct OpRow {
  std::string_view name, operands, results, attrs, legacy_type;
  int since;
};

constexpr OpRow kRows[] = {
#include "pir/ops.inc"
};

/// Returns the text before the first of the characters `separators`, and removes it with that
/// character from `text`; all of `text` if there is none.
std::string_view take_until_separator(std::string_view& text, std::string_view separators) {
  auto at = std::min(text.find_first_of(separators), text.size());
  std::string_view before = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return before;
}

bool remove_suffix_if_present(std::string_view& text, char suffix) {
  bool found = text.ends_with(suffix);
  if (found) text.remove_suffix(1);
  return found;
}

OperandSpec parse_operand(std::string_view text) {
  OperandSpec spec;
  if (auto at = text.find('@'); at != text.npos && text.find(':') > at) {
    auto equals = std::min(text.find('='), text.size());
    if (equals < text.size()) spec.default_value = text.substr(equals + 1);
    text = text.substr(0, equals);
    spec.name = take_until_separator(text, "@");
    spec.attr = take_until_separator(text, ":");
    spec.attr_type = take_until_separator(text, "|");
    spec.tensor_slot = take_until_separator(text, "|");
    spec.tensors_slot = text;
    return spec;
  }
  spec.is_optional = remove_suffix_if_present(text, '?');
  spec.is_list = remove_suffix_if_present(text, '*');
  spec.name = take_until_separator(text, ":");
  spec.slot = text;
  return spec;
}

ResultSpec parse_result(std::string_view text) {
  ResultSpec spec;
  spec.is_optional = remove_suffix_if_present(text, '?');
  spec.is_list = remove_suffix_if_present(text, '*');
  spec.name = take_until_separator(text, ":");
  spec.slot = text;
  return spec;
}

AttrSpec parse_attr(std::string_view text) {
  AttrSpec spec;
  spec.is_in_version_1 = !remove_suffix_if_present(text, '^');
  spec.is_legacy_only = text.starts_with('+');
  if (spec.is_legacy_only) text.remove_prefix(1);
  std::string_view names = take_until_separator(text, ":");
  spec.name = spec.legacy_name = take_until_separator(names, ">");
  if (!names.empty()) spec.legacy_name = names;
  spec.type = take_until_separator(text, "=");
  spec.default_value = text;
  return spec;
}

OpSpec parse_row(const OpRow& row) {
  OpSpec spec;
  spec.name = row.name;
  spec.legacy_type = row.legacy_type;
  spec.since = row.since;
  for (std::string_view rest = row.operands; !rest.empty();)
    spec.operands.push_back(parse_operand(take_until_separator(rest, " ")));
  for (std::string_view rest = row.results; !rest.empty();)
    spec.results.push_back(parse_result(take_until_separator(rest, " ")));
  for (std::string_view rest = row.attrs; !rest.empty();)
    spec.attrs.push_back(parse_attr(take_until_separator(rest, " ")));
  return spec;
}

}  // namespace

const std::vector<OpSpec>& op_specs() {
  static const std::vector<OpSpec> specs = [] {
    std::vector<OpSpec> all;
    for (const OpRow& row : kRows) all.push_back(parse_row(row));
    return all;
  }();
  return specs;
}

const std::vector<const OpSpec*>& op_specs_of_legacy_type(std::string_view type) {
  static const auto by_type = [] {
    std::map<std::string_view, std::vector<const OpSpec*>> all;
    for (const OpSpec& spec : op_specs()) all[spec.legacy_type].push_back(&spec);
    for (auto& [name, specs] : all) std::ranges::stable_sort(specs, {}, &OpSpec::since);
    return all;
  }();
  static const std::vector<const OpSpec*> none;
  auto found = by_type.find(type);
  return found == by_type.end() ? none : found->second;
}

const OpSpec* find_op_spec(std::string_view name) {
  const auto& specs = op_specs();
  auto find = [&](std::string_view wanted) {
    auto it = std::ranges::lower_bound(specs, wanted, {}, &OpSpec::name);
    return it != specs.end() && it->name == wanted ? &*it : nullptr;
  };
  const OpSpec* found = find(name);
  if (!found && name.ends_with('_')) found = find(name.substr(0, name.size() - 1));
  return found;
}

std::optional<Attr> parse_default(const AttrSpec& spec) {
  std::string_view text = spec.default_value;
  if (text.empty()) return std::nullopt;
  if (spec.type == "bool") return Attr{AttrType::BOOLEAN, text == "true"};
  if (spec.type == "str") return Attr{AttrType::STRING, std::string(text)};
  if (text.starts_with('[')) {
    Floats numbers;
    for (text = text.substr(1, text.size() - 2); !text.empty();) {
      auto number = try_parse_double(take_until_separator(text, ","));
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    return Attr{AttrType::FLOAT64S, std::move(numbers)};
  }
  auto number = try_parse_double(text);
  if (!number) return std::nullopt;
  if (spec.type == "i32" || spec.type == "i64")
    return Attr{AttrType::LONG, static_cast<std::int64_t>(*number)};
  if (spec.type == "f32" || spec.type == "f64") return Attr{AttrType::FLOAT64, *number};
  return std::nullopt;
}

}  // namespace oarlock::pir
