#include "paddle/op_upgrade.h"

#include "paddle/op_attr_checks.h"

namespace oarlock {
namespace {

struct TypeRename {
  std::string_view old_type, new_type;
};

struct AttrRename {
  std::string_view op, old_name, new_name;
};

// The op types and attributes that newer Paddle versions renamed, as in ir/passes/upgrade_ops.py.
// Changes of the meaning of an op are handled in its conversion rule.
constexpr TypeRename kTypeRenames[] = {
#include "paddle/older_op_types.inc"
};
constexpr AttrRename kAttrRenames[] = {
#include "paddle/older_attr_names.inc"
};

void rename_type(OpDesc& op) {
  for (const TypeRename& row : kTypeRenames)
    if (op.type == row.old_type) {
      op.type = row.new_type;
      return;
    }
}

// Renames attributes that have a name of older versions; if the current name has a value already,
// the older attribute stays and is not read. If a new attribute replaces several older ones, all
// but one of the older ones are empty lists in files.
void rename_attrs(OpDesc& op) {
  for (const AttrRename& row : kAttrRenames) {
    if (op.type != row.op) continue;
    auto older = op.attrs.find(row.old_name), current = op.attrs.find(row.new_name);
    if (older == op.attrs.end()) continue;
    if (current != op.attrs.end() && list_size_or_nullopt(current->second) != 0) continue;
    if (current != op.attrs.end()) op.attrs.erase(current);
    auto node = op.attrs.extract(older);
    node.key() = row.new_name;
    op.attrs.insert(std::move(node));
  }
}

// Converts attributes whose declared type is SCALARS from lists of numbers, as which Paddle before
// 2.5 stored them.
void convert_number_lists_to_scalars_type(OpDesc& op) {
  for (auto& [name, attr] : op.attrs) {
    if (attr.type == AttrType::SCALARS || declared_attr_type(op.type, name) != AttrType::SCALARS)
      continue;
    if (auto elements = attr_to_scalars_or_nullopt(attr))
      attr = {AttrType::SCALARS, std::move(*elements)};
  }
}

}  // namespace

void upgrade_op_types_and_attrs(Program& program) {
  for (Block& block : program.blocks)
    for (OpDesc& op : block.ops) {
      rename_type(op);
      rename_attrs(op);
      convert_number_lists_to_scalars_type(op);
    }
}

}  // namespace oarlock
