#include "paddle/op_upgrade.h"

namespace oarlock {
namespace {

struct Renamed {
  std::string_view type, before, today;
};

// The share of ir/passes/upgrade_attrs.py; what changed its result has a case in its rule.
constexpr Renamed kRenamed[] = {
    {"flip", "dims", "axis"},
    {"roll", "dims", "axis"},
    {"trace", "dim1", "axis1"},
    {"trace", "dim2", "axis2"},
};

void rename(OpDesc& op) {
  for (const Renamed& row : kRenamed) {
    if (op.type != row.type || op.attrs.contains(row.today)) continue;
    auto at = op.attrs.find(row.before);
    if (at == op.attrs.end()) continue;
    auto node = op.attrs.extract(at);
    node.key() = row.today;
    op.attrs.insert(std::move(node));
  }
}

}  // namespace

void rename_older(Program& program) {
  for (Block& block : program.blocks)
    for (OpDesc& op : block.ops) rename(op);
}

}  // namespace oarlock
