// Propagates row splits of packed sequences from inputs through ops to outputs.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

bool is_packed_sequence_var(const VarDesc* var) {
  return var && var->kind == VarKind::dense && var->lod_level == 1;
}

}  // namespace

std::vector<RowSplitInput> row_split_inputs(const Program& program) {
  std::vector<RowSplitInput> inputs;
  Strings feeds = program.feed_names(), names = input_names(program);
  std::set<std::string_view> names_in_use(names.begin(), names.end());
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const VarDesc* var = program.find_var(feeds[i]);
    if (!var || var->lod_level <= 0) continue;
    std::string name = names[i] + ".lod";
    while (names_in_use.count(name)) name += '_';
    inputs.push_back({name, i});
  }
  return inputs;
}

void GraphBuilder::add_row_split_inputs() {
  Strings feeds = program_.feed_names();
  for (const RowSplitInput& lod_input : oarlock::row_split_inputs(program_)) {
    const VarDesc* var = program_.find_var(feeds[lod_input.feed_index]);
    if (var->lod_level > 1)
      throw Error(ErrorCode::unsupported,
                  program_.name + ": input '" + var->name + "' has " +
                      std::to_string(var->lod_level) +
                      " levels of sequences (LoD), only one has a lowering");
    main_graph().inputs.push_back(
        {lod_input.name, DType::int64, {-1}, {lod_input.name + ".0"}, true});
    top_scope_.row_splits[var->name] =
        add_value_with_exact_name(lod_input.name, {DType::int64, Ints{-1}, std::nullopt});
    has_row_splits_ = true;
  }
}

void GraphBuilder::add_row_split_outputs() {
  Strings fetches = program_.fetch_names(), names = output_names(program_);
  for (std::size_t i = 0; i < fetches.size(); ++i)
    if (Value offsets = row_splits_of(fetches[i]))
      add_output(offsets, unique_name(names[i] + ".lod"));
}

// The row splits of a variable, from the innermost scope that binds it.
Value GraphBuilder::row_splits_of(std::string_view name) const {
  for (const VariableScope* scope = scope_; scope; scope = scope->parent) {
    if (auto found = scope->row_splits.find(name); found != scope->row_splits.end())
      return found->second;
    if (scope->bindings.count(name)) return {};
  }
  return {};
}

// The row splits of the first input that has any; slot X is searched first.
Value GraphBuilder::find_row_splits_inherited_by_op(const OpDesc& op) const {
  if (!has_row_splits_) return {};
  if (output_traits_or_default(op.type).lod == OutputTraits::none) return {};
  Strings names;
  for (auto& [slot, in] : op.inputs)
    names.insert(slot == "X" ? names.begin() : names.end(), in.begin(), in.end());
  for (const std::string& name : names)
    if (Value offsets = row_splits_of(name)) return offsets;
  return {};
}

void GraphBuilder::propagate_row_splits(const OpDesc& op, Value inherited) {
  if (!has_row_splits_) return;
  bool propagates = output_traits_or_default(op.type).lod == OutputTraits::propagate;
  for (auto& [paddle, value] : op_results_) {
    auto own = own_row_splits_.find(paddle);
    bool passes = propagates || is_packed_sequence_var(program_.find_var(paddle, block_index_));
    Value offsets = own != own_row_splits_.end() ? own->second : passes ? inherited : Value{};
    if (offsets)
      scope_->row_splits[paddle] = offsets;
    else
      scope_->row_splits.erase(paddle);
  }
}

Value NodeContext::row_splits(std::string_view slot, std::size_t index) const {
  const Strings& all = input_names(slot);
  return index < all.size() ? graph_.row_splits_of(all[index]) : Value{};
}

void NodeContext::set_row_splits(std::string_view slot, Value row_splits) {
  graph_.has_row_splits_ |= bool(row_splits);
  for (const std::string& name : output_names(slot)) graph_.own_row_splits_[name] = row_splits;
}

void NodeContext::set_row_splits(std::string_view slot, Value row_splits, std::size_t index) {
  const Strings& names = output_names(slot);
  graph_.has_row_splits_ |= bool(row_splits);
  if (index < names.size()) graph_.own_row_splits_[names[index]] = row_splits;
}

}  // namespace oarlock
