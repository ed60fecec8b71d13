// Look-ups in a program.  program_parser.cpp reads a program from bytes.
#include "paddle/program.h"

#include <algorithm>

namespace oarlock {

std::string_view attr_type_name(AttrType type) {
  static constexpr std::string_view names[kAttrTypes] = {
      "INT",      "FLOAT",    "STRING", "INTS",    "FLOATS", "STRINGS",
      "BOOLEAN",  "BOOLEANS", "BLOCK",  "LONG",    "BLOCKS", "LONGS",
      "FLOAT64S", "VAR",      "VARS",   "FLOAT64", "SCALAR", "SCALARS"};
  auto at = static_cast<std::int32_t>(type);
  return at >= 0 && at < kAttrTypes ? names[at] : "?";
}

std::optional<Scalars> attr_to_scalars_or_nullopt(const Attr& attr) {
  auto real = [](double x) { return Scalar{Scalar::Type::float64, 0, x, 0}; };
  auto integer = [](std::int64_t x) { return Scalar{Scalar::Type::int64, x, 0, 0}; };
  Scalars all;
  if (auto* flag = std::get_if<bool>(&attr.value)) return Scalars{integer(*flag)};
  if (auto* number = std::get_if<std::int64_t>(&attr.value)) return Scalars{integer(*number)};
  if (auto* number = std::get_if<double>(&attr.value)) return Scalars{real(*number)};
  if (auto* scalar = std::get_if<Scalar>(&attr.value)) return Scalars{*scalar};
  if (auto* scalars = std::get_if<Scalars>(&attr.value)) return *scalars;
  if (auto* ints = std::get_if<Ints>(&attr.value))
    for (std::int64_t x : *ints) all.push_back(integer(x));
  else if (auto* floats = std::get_if<Floats>(&attr.value))
    for (double x : *floats) all.push_back(real(x));
  else
    return std::nullopt;
  return all;
}

std::optional<std::size_t> list_size_or_nullopt(const Attr& attr) {
  if (auto* ints = std::get_if<Ints>(&attr.value)) return ints->size();
  if (auto* floats = std::get_if<Floats>(&attr.value)) return floats->size();
  if (auto* texts = std::get_if<Strings>(&attr.value)) return texts->size();
  if (auto* scalars = std::get_if<Scalars>(&attr.value)) return scalars->size();
  return std::nullopt;
}

const VarDesc* Program::find_var(std::string_view name, std::int32_t block) const {
  for (std::int32_t at = block; at >= 0; at = blocks[at].parent) {
    const auto& index = blocks[at].index;
    if (auto it = index.find(name); it != index.end()) return &blocks[at].vars[it->second];
  }
  return nullptr;
}

std::vector<const VarDesc*> Program::persistables_in_file_order() const {
  std::map<std::string_view, const VarDesc*>
      by_name;  // ordered by bytes, as Paddle sorts std::string
  for (const Block& block : blocks)
    for (const VarDesc& v : block.vars) {
      bool is_runtime_holder = v.kind == VarKind::feed || v.kind == VarKind::fetch ||
                               v.kind == VarKind::reader || v.kind == VarKind::raw;
      if (v.persistable && !is_runtime_holder) by_name.emplace(v.name, &v);
    }
  std::vector<const VarDesc*> sorted;
  for (auto& [name, var] : by_name) sorted.push_back(var);
  return sorted;
}

const Strings& variable_names_in_slot(const Slots& slots, std::string_view slot) {
  static const Strings none;
  auto it = slots.find(slot);
  return it == slots.end() ? none : it->second;
}

std::int64_t int_attr(const OpDesc& op, std::string_view name, std::int64_t default_value) {
  auto it = op.attrs.find(name);
  if (it == op.attrs.end()) return default_value;
  const std::int64_t* value = std::get_if<std::int64_t>(&it->second.value);
  return value ? *value : default_value;
}

bool has_sub_block(const OpDesc& op) { return op.attrs.count("sub_block") > 0; }

namespace {

Strings feed_or_fetch_names_by_column(const Block& block, std::string_view type,
                                      const Slots OpDesc::* side, std::string_view slot) {
  std::vector<std::pair<std::int64_t, std::string>> columns;
  for (const OpDesc& op : block.ops) {
    if (op.type != type) continue;
    const Slots& slots = op.*side;
    if (auto names = slots.find(slot); names != slots.end() && !names->second.empty())
      columns.emplace_back(int_attr(op, "col", 0), names->second[0]);
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](auto& a, auto& b) { return a.first < b.first; });
  Strings names;
  for (auto& [col, name] : columns) names.push_back(name);
  return names;
}

}  // namespace

Strings Program::feed_names() const {
  return feed_or_fetch_names_by_column(blocks[0], "feed", &OpDesc::outputs, "Out");
}
Strings Program::fetch_names() const {
  return feed_or_fetch_names_by_column(blocks[0], "fetch", &OpDesc::inputs, "X");
}

std::string format_shape(const Ints& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + "]";
}

std::string format_range_json_fields(const DimRange& range) {
  return "\"min\": " + std::to_string(range.min) +
         ", \"max\": " + (range.max == 0 ? "null" : std::to_string(range.max)) +
         ", \"multiple\": " + std::to_string(range.multiple);
}

std::string format_type(DType dtype, const Ints& shape) {
  return std::string(name_of(dtype)) + format_shape(shape);
}

}  // namespace oarlock
