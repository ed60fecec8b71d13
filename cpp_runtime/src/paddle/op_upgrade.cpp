#include "paddle/op_upgrade.h"

namespace oarlock {
namespace {

struct Renamed {
  std::string_view type, before, today;
};

constexpr Renamed kRenamed[] = {
#include "paddle/older_attrs.inc"
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
