#include "convert/if_else_pairs.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace oarlock {
namespace {

// For each variable of a block, by name: the first conditional_block that writes the variable, and
// the operands of the logical_not ops that write it.
struct ConditionalAndNegationIndex {
  std::map<std::string_view, const OpDesc*> conditional_by_output;
  std::map<std::string_view, std::set<std::string_view>> negated_operands;

  explicit ConditionalAndNegationIndex(const Block& block) {
    for (const OpDesc& op : block.ops)
      if (op.type == "conditional_block") {
        for (const std::string& name : variable_names_in_slot(op.outputs, "Out"))
          conditional_by_output.emplace(name, &op);
      } else if (op.type == "logical_not") {
        const Strings& from = variable_names_in_slot(op.inputs, "X");
        for (const std::string& name : variable_names_in_slot(op.outputs, "Out"))
          negated_operands[name].insert(from.begin(), from.end());
      }
  }

  const OpDesc* find_first_writing_conditional(const std::string& name) const {
    auto found = conditional_by_output.find(name);
    return found == conditional_by_output.end() ? nullptr : found->second;
  }
  bool is_negation_of(const std::string& name, const std::string& of) const {
    auto found = negated_operands.find(name);
    return found != negated_operands.end() && found->second.count(of) > 0;
  }
};

bool includes_all_outputs_of_op(const OpDesc& op, const Strings& names) {
  const Strings& all = variable_names_in_slot(op.outputs, "Out");
  std::set<std::string_view> selected(names.begin(), names.end());
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& name) { return selected.count(name) > 0; });
}

bool is_if_else_pair(const IfElsePair& pair, const ConditionalAndNegationIndex& producers) {
  if (!includes_all_outputs_of_op(*pair.then_op, pair.then_outputs) ||
      !includes_all_outputs_of_op(*pair.else_op, pair.else_outputs))
    return false;
  const Strings &yes = variable_names_in_slot(pair.then_op->inputs, "Cond"),
                &no = variable_names_in_slot(pair.else_op->inputs, "Cond");
  if (yes.size() != 1 || no.size() != 1) return false;
  return producers.is_negation_of(no[0], yes[0]) || producers.is_negation_of(yes[0], no[0]);
}

}  // namespace

IfElsePairs::IfElsePairs(const Block& block) {
  ConditionalAndNegationIndex producers(block);
  std::map<std::pair<const OpDesc*, const OpDesc*>, std::size_t> pair_by_ops;
  std::map<const OpDesc*, std::size_t> num_pairs;  // the number of pairs that each op belongs to
  for (const OpDesc& select : block.ops) {
    const Strings& from = variable_names_in_slot(select.inputs, "X");
    if (select.type != "select_input" || from.size() != 2) continue;
    const OpDesc *no = producers.find_first_writing_conditional(from[0]),
                 *yes = producers.find_first_writing_conditional(from[1]);
    if (!yes || !no || yes == no) continue;
    auto [found, is_new] = pair_by_ops.try_emplace({yes, no}, pairs_.size());
    if (is_new) pairs_.push_back({yes, no, {}, {}}), ++num_pairs[yes], ++num_pairs[no];
    IfElsePair& pair = pairs_[found->second];
    pair.else_outputs.push_back(from[0]), pair.then_outputs.push_back(from[1]);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const IfElsePair& pair = pairs_[i];
    if (num_pairs[pair.then_op] > 1 || num_pairs[pair.else_op] > 1 ||
        !is_if_else_pair(pair, producers))
      continue;
    pair_index_[pair.then_op] = pair_index_[pair.else_op] = i;
  }
}

const IfElsePair* IfElsePairs::find(const OpDesc& op) const {
  auto found = pair_index_.find(&op);
  return found == pair_index_.end() ? nullptr : &pairs_[found->second];
}

}  // namespace oarlock
