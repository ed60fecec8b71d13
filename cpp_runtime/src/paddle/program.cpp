#include "paddle/program.h"

#include <algorithm>

namespace oarlock {

std::string_view name_of(AttrType type) {
  static constexpr std::string_view names[kAttrTypes] = {
      "INT",      "FLOAT",    "STRING", "INTS",    "FLOATS", "STRINGS",
      "BOOLEAN",  "BOOLEANS", "BLOCK",  "LONG",    "BLOCKS", "LONGS",
      "FLOAT64S", "VAR",      "VARS",   "FLOAT64", "SCALAR", "SCALARS"};
  auto at = static_cast<std::int32_t>(type);
  return at >= 0 && at < kAttrTypes ? names[at] : "?";
}

const VarDesc* Program::var(std::string_view name, std::int32_t block) const {
  for (std::int32_t at = block; at >= 0; at = blocks[at].parent) {
    const auto& index = blocks[at].index;
    if (auto found = index.find(name); found != index.end()) return &blocks[at].vars[found->second];
  }
  return nullptr;
}

std::vector<const VarDesc*> Program::persistables() const {
  std::map<std::string_view, const VarDesc*>
      found;  // ordered by bytes, as Paddle sorts std::string
  for (const Block& block : blocks)
    for (const VarDesc& v : block.vars) {
      bool is_runtime_holder = v.kind == VarKind::feed || v.kind == VarKind::fetch ||
                               v.kind == VarKind::reader || v.kind == VarKind::raw;
      if (v.persistable && !is_runtime_holder) found.emplace(v.name, &v);
    }
  std::vector<const VarDesc*> sorted;
  for (auto& [name, var] : found) sorted.push_back(var);
  return sorted;
}

std::int64_t int_attr(const OpDesc& op, std::string_view name, std::int64_t default_value) {
  auto found = op.attrs.find(name);
  if (found == op.attrs.end()) return default_value;
  const std::int64_t* value = std::get_if<std::int64_t>(&found->second.value);
  return value ? *value : default_value;
}

bool has_sub_block(const OpDesc& op) { return op.attrs.count("sub_block") > 0; }

namespace {

Strings ordered_by_col(const Block& block, std::string_view type, const Slots OpDesc::* side,
                       std::string_view slot) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const OpDesc& op : block.ops) {
    if (op.type != type) continue;
    const Slots& slots = op.*side;
    if (auto names = slots.find(slot); names != slots.end() && !names->second.empty())
      found.emplace_back(int_attr(op, "col", 0), names->second[0]);
  }
  std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; });
  Strings names;
  for (auto& [col, name] : found) names.push_back(name);
  return names;
}

}  // namespace

Strings Program::feeds() const {
  return ordered_by_col(blocks[0], "feed", &OpDesc::outputs, "Out");
}
Strings Program::fetches() const {
  return ordered_by_col(blocks[0], "fetch", &OpDesc::inputs, "X");
}

std::string show(const Ints& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + "]";
}

std::string show(DType dtype, const Ints& shape) {
  return std::string(name_of(dtype)) + show(shape);
}

}  // namespace oarlock
