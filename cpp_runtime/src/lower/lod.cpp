// Packed sequences: how the offsets that belong to a value are found, passed from op to op, and given by the caller.
#include <algorithm>

#include "lower/graph.h"

namespace oarlock {
namespace {

bool holds_sequences(const VarDesc* var) { return var && var->kind == Kind::dense && var->lod_level == 1; }

// Some ops, such as ctc_align, do not declare that they give sequences, nor does then what only hands them on.
bool hands_on(const OpDesc& op) { return op.type == "scale" || op.type == "cast" || op.type == "assign"; }

// What comes out of a block, or of one of two operands, is not cut as any operand is; nor are boxes that were chosen.
bool passes_nothing(const OpDesc& op) {
  static constexpr std::string_view others[] = {"select_input", "multiclass_nms", "matrix_nms", "_proposals"};
  auto has = [&](std::string_view part) { return op.type.find(part) != std::string::npos; };
  return has_block(op) || std::any_of(std::begin(others), std::end(others), has);
}

}  // namespace

std::vector<LodInput> lod_inputs(const Program& program) {
  std::vector<LodInput> made;
  Strings feeds = program.feeds(), names = input_names(program);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const VarDesc* var = program.var(feeds[i]);
    if (!var || var->lod_level <= 0) continue;
    std::string name = names[i] + ".lod";
    while (std::find(names.begin(), names.end(), name) != names.end()) name += '_';
    made.push_back({name, i});
  }
  return made;
}

void Graph::lod_inputs() {
  Strings feeds = program_.feeds();
  for (const LodInput& lod : oarlock::lod_inputs(program_)) {
    const VarDesc* var = program_.var(feeds[lod.feed]);
    if (var->lod_level > 1)
      throw Error(Fault::unsupported, program_.name + ": input '" + var->name + "' has " +
                                          std::to_string(var->lod_level) +
                                          " levels of sequences (LoD), only one has a lowering");
    model_.graph.inputs.push_back({lod.name, DType::int64, {-1}, {lod.name + ".0"}, true});
    infos_[lod.name] = Info{DType::int64, Ints{-1}, std::nullopt};
    top_.lods[var->name] = lod.name;
  }
}

void Graph::lod_outputs() {
  Strings fetches = program_.fetches(), names = output_names(program_);
  for (std::size_t i = 0; i < fetches.size(); ++i)
    if (Value lod = lod_of(fetches[i]); !lod.empty()) output(lod, fresh(names[i] + ".lod"));
}

// A name means what the innermost scope says that binds it.
Value Graph::lod_of(std::string_view name) const {
  for (const Scope* scope = scope_; scope; scope = scope->outer) {
    if (auto found = scope->lods.find(name); found != scope->lods.end()) return now(found->second);
    if (scope->bound.count(name)) return "";
  }
  return "";
}

// X before other slots.
Value Graph::first_lod(const OpDesc& op) const {
  if (passes_nothing(op)) return "";
  Strings names;
  for (auto& [slot, in] : op.inputs) names.insert(slot == "X" ? names.begin() : names.end(), in.begin(), in.end());
  for (const std::string& name : names)
    if (Value lod = lod_of(name); !lod.empty()) return lod;
  return "";
}

void Graph::pass_lods(const OpDesc& op, const Value& passed) {
  for (auto& [paddle, value] : results_) {
    auto own = own_lods_.find(paddle);
    bool passes = hands_on(op) || holds_sequences(program_.var(paddle, block_));
    Value lod = own != own_lods_.end() ? own->second : passes ? passed : "";
    if (lod.empty())
      scope_->lods.erase(paddle);
    else
      scope_->lods[paddle] = lod;
  }
}

Value Node::lod(std::string_view slot, std::size_t index) const {
  const Strings& all = names(slot);
  return index < all.size() ? graph_.lod_of(all[index]) : "";
}

void Node::out_lod(std::string_view slot, const Value& offsets) {
  for (const std::string& name : out_names(slot)) graph_.own_lods_[name] = offsets;
}

}  // namespace oarlock
