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

bool covers(const OpDesc& op, const Strings& names) {
  const Strings& all = names_in(op.outputs, "Out");
  std::set<std::string_view> selected(names.begin(), names.end());
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& name) { return selected.count(name) > 0; });
}

bool is_whole(const Fork& fork, const Producers& producers) {
  if (!covers(*fork.yes, fork.yes_names) || !covers(*fork.no, fork.no_names)) return false;
  const Strings &yes = names_in(fork.yes->inputs, "Cond"), &no = names_in(fork.no->inputs, "Cond");
  if (yes.size() != 1 || no.size() != 1) return false;
  return producers.negates(no[0], yes[0]) || producers.negates(yes[0], no[0]);
}

}  // namespace

Forks::Forks(const Block& block) {
  Producers producers(block);
  std::map<std::pair<const OpDesc*, const OpDesc*>, std::size_t> at;
  std::map<const OpDesc*, std::size_t> pairs;  // in how many pairs each op is a branch
  for (const OpDesc& select : block.ops) {
    const Strings& from = names_in(select.inputs, "X");
    if (select.type != "select_input" || from.size() != 2) continue;
    const OpDesc *no = producers.producer(from[0]), *yes = producers.producer(from[1]);
    if (!yes || !no || yes == no) continue;
    auto [found, is_new] = at.try_emplace({yes, no}, forks_.size());
    if (is_new) forks_.push_back({yes, no, {}, {}}), ++pairs[yes], ++pairs[no];
    Fork& fork = forks_[found->second];
    fork.no_names.push_back(from[0]), fork.yes_names.push_back(from[1]);
  }
  for (std::size_t i = 0; i < forks_.size(); ++i) {
    const Fork& fork = forks_[i];
    if (pairs[fork.yes] > 1 || pairs[fork.no] > 1 || !is_whole(fork, producers)) continue;
    fork_of_[fork.yes] = fork_of_[fork.no] = i;
  }
}

const Fork* Forks::of(const OpDesc& op) const {
  auto found = fork_of_.find(&op);
  return found == fork_of_.end() ? nullptr : &forks_[found->second];
}

}  // namespace oarlock
