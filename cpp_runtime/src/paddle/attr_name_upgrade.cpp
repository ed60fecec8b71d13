#include "paddle/attr_name_upgrade.h"

namespace oarlock {
namespace {

struct AttrRename {
  std::string_view op, old_name, new_name;
};

// The part of ir/passes/upgrade_same_type_ops.py that renames attributes; changed semantics are
// handled in the conversion rules.
constexpr AttrRename kAttrRenames[] = {
#include "paddle/renamed_attrs.inc"
};

void rename_attrs(OpDesc& op) {
  for (const AttrRename& row : kAttrRenames) {
    if (op.type != row.op || op.attrs.contains(row.new_name)) continue;
    auto at = op.attrs.find(row.old_name);
    if (at == op.attrs.end()) continue;
    auto node = op.attrs.extract(at);
    node.key() = row.new_name;
    op.attrs.insert(std::move(node));
  }
}

}  // namespace

void upgrade_attr_names_of_program(Program& program) {
  for (Block& block : program.blocks)
    for (OpDesc& op : block.ops) rename_attrs(op);
}

}  // namespace oarlock
