// Packed sequences: how the offsets that belong to a value are found, passed from op to op, and
// given by the caller.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

bool holds_sequences(const VarDesc* var) {
  return var && var->kind == Kind::dense && var->lod_level == 1;
}

}  // namespace

std::vector<OffsetsInput> offset_inputs(const Program& program) {
  std::vector<OffsetsInput> made;
  Strings feeds = program.feeds(), names = input_names(program);
  std::set<std::string_view> taken(names.begin(), names.end());
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const VarDesc* var = program.var(feeds[i]);
    if (!var || var->lod_level <= 0) continue;
    std::string name = names[i] + ".lod";
    while (taken.count(name)) name += '_';
    made.push_back({name, i});
  }
  return made;
}

void Graph::offset_inputs() {
  Strings feeds = program_.feeds();
  for (const OffsetsInput& more : oarlock::offset_inputs(program_)) {
    const VarDesc* var = program_.var(feeds[more.feed]);
    if (var->lod_level > 1)
      throw Error(Fault::unsupported, program_.name + ": input '" + var->name + "' has " +
                                          std::to_string(var->lod_level) +
                                          " levels of sequences (LoD), only one has a lowering");
    model_.graph.inputs.push_back({more.name, DType::int64, {-1}, {more.name + ".0"}, true});
    infos_[more.name] = Info{DType::int64, Ints{-1}, std::nullopt};
    top_.offsets[var->name] = more.name;
    has_offsets_ = true;
  }
}

void Graph::offset_outputs() {
  Strings fetches = program_.fetches(), names = output_names(program_);
  for (std::size_t i = 0; i < fetches.size(); ++i)
    if (Value offsets = offsets_of(fetches[i]); !offsets.empty())
      output(offsets, fresh(names[i] + ".lod"));
}

// A name means what the innermost scope says that binds it.
Value Graph::offsets_of(std::string_view name) const {
  for (const Scope* scope = scope_; scope; scope = scope->outer) {
    if (auto found = scope->offsets.find(name); found != scope->offsets.end())
      return now(found->second);
    if (scope->bound.count(name)) return "";
  }
  return "";
}

// X before other slots.   A program without sequences pays nothing for them.
Value Graph::first_offsets(const OpDesc& op) const {
  if (!has_offsets_) return "";
  if (facts_of(op.type).offsets == Facts::none) return "";
  Strings names;
  for (auto& [slot, in] : op.inputs)
    names.insert(slot == "X" ? names.begin() : names.end(), in.begin(), in.end());
  for (const std::string& name : names)
    if (Value offsets = offsets_of(name); !offsets.empty()) return offsets;
  return "";
}

void Graph::pass_offsets(const OpDesc& op, const Value& passed) {
  if (!has_offsets_) return;
  bool hands_on = facts_of(op.type).offsets == Facts::handed_on;
  for (auto& [paddle, value] : results_) {
    auto own = own_offsets_.find(paddle);
    bool passes = hands_on || holds_sequences(program_.var(paddle, block_));
    Value offsets = own != own_offsets_.end() ? own->second : passes ? passed : "";
    if (offsets.empty())
      scope_->offsets.erase(paddle);
    else
      scope_->offsets[paddle] = offsets;
  }
}

Value Node::offsets(std::string_view slot, std::size_t index) const {
  const Strings& all = names(slot);
  return index < all.size() ? graph_.offsets_of(all[index]) : "";
}

void Node::out_offsets(std::string_view slot, const Value& offsets) {
  graph_.has_offsets_ |= !offsets.empty();
  for (const std::string& name : out_names(slot)) graph_.own_offsets_[name] = offsets;
}

void Node::out_offsets(std::string_view slot, const Value& offsets, std::size_t index) {
  const Strings& names = out_names(slot);
  graph_.has_offsets_ |= !offsets.empty();
  if (index < names.size()) graph_.own_offsets_[names[index]] = offsets;
}

}  // namespace oarlock
