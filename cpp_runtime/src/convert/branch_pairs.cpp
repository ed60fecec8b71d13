#include "convert/branch_pairs.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace oarlock {
namespace {

const Strings& names_in(const Slots& slots, std::string_view slot) {
  static const Strings none;
  auto found = slots.find(slot);
  return found == slots.end() ? none : found->second;
}

// The producers of the variables of a block, by name: the first conditional_block that writes a
// variable, and the operands of each logical_not.
struct Producers {
  std::map<std::string_view, const OpDesc*> conditional;
  std::map<std::string_view, std::set<std::string_view>> negated;

  explicit Producers(const Block& block) {
    for (const OpDesc& op : block.ops)
      if (op.type == "conditional_block") {
        for (const std::string& name : names_in(op.outputs, "Out")) conditional.emplace(name, &op);
      } else if (op.type == "logical_not") {
        const Strings& from = names_in(op.inputs, "X");
        for (const std::string& name : names_in(op.outputs, "Out"))
          negated[name].insert(from.begin(), from.end());
      }
  }

  const OpDesc* producer(const std::string& name) const {
    auto found = conditional.find(name);
    return found == conditional.end() ? nullptr : found->second;
  }
  bool negates(const std::string& name, const std::string& of) const {
    auto found = negated.find(name);
    return found != negated.end() && found->second.count(of) > 0;
  }
};

bool selects_all_outputs(const OpDesc& op, const Strings& names) {
  const Strings& all = names_in(op.outputs, "Out");
  std::set<std::string_view> selected(names.begin(), names.end());
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& name) { return selected.count(name) > 0; });
}

bool is_complete(const BranchPair& pair, const Producers& producers) {
  if (!selects_all_outputs(*pair.then_op, pair.then_outputs) ||
      !selects_all_outputs(*pair.else_op, pair.else_outputs))
    return false;
  const Strings &yes = names_in(pair.then_op->inputs, "Cond"),
                &no = names_in(pair.else_op->inputs, "Cond");
  if (yes.size() != 1 || no.size() != 1) return false;
  return producers.negates(no[0], yes[0]) || producers.negates(yes[0], no[0]);
}

}  // namespace

BranchPairs::BranchPairs(const Block& block) {
  Producers producers(block);
  std::map<std::pair<const OpDesc*, const OpDesc*>, std::size_t> pair_by_ops;
  std::map<const OpDesc*, std::size_t> num_pairs;  // the number of pairs that each op belongs to
  for (const OpDesc& select : block.ops) {
    const Strings& from = names_in(select.inputs, "X");
    if (select.type != "select_input" || from.size() != 2) continue;
    const OpDesc *no = producers.producer(from[0]), *yes = producers.producer(from[1]);
    if (!yes || !no || yes == no) continue;
    auto [found, is_new] = pair_by_ops.try_emplace({yes, no}, pairs_.size());
    if (is_new) pairs_.push_back({yes, no, {}, {}}), ++num_pairs[yes], ++num_pairs[no];
    BranchPair& pair = pairs_[found->second];
    pair.else_outputs.push_back(from[0]), pair.then_outputs.push_back(from[1]);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const BranchPair& pair = pairs_[i];
    if (num_pairs[pair.then_op] > 1 || num_pairs[pair.else_op] > 1 || !is_complete(pair, producers))
      continue;
    pair_index_[pair.then_op] = pair_index_[pair.else_op] = i;
  }
}

const BranchPair* BranchPairs::find(const OpDesc& op) const {
  auto found = pair_index_.find(&op);
  return found == pair_index_.end() ? nullptr : &pairs_[found->second];
}

}  // namespace oarlock
