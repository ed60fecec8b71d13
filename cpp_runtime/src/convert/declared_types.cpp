// What the program declares of its variables, and how far that is believed.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

// Whether sizes are said that were not found, or others.
bool claims_more(const std::optional<Ints>& said, const std::optional<Ints>& known) {
  auto is_size = [](std::int64_t d) { return d >= 0; };
  if (!said || !known) return said && std::any_of(said->begin(), said->end(), is_size);
  if (said->size() != known->size()) return false;
  for (std::size_t i = 0; i < said->size(); ++i)
    if (is_size((*said)[i]) && (*said)[i] != (*known)[i]) return true;
  return false;
}

}  // namespace

Info Graph::declared(std::string_view name) const {
  const VarDesc* var = program_.var(name, block_);
  if (!var) return {};
  // Before 2.5 there were no 0-d tensors: no dims meant that nobody had said.
  bool unsaid = var->shape.empty() && program_.version > 0 && program_.version < 2005000;
  if (var->kind != Kind::dense || unsaid) return {var->dtype, std::nullopt, std::nullopt};
  Info info{var->dtype, var->shape, std::nullopt};
  for (std::int64_t& d : *info.shape) d = std::max(d, std::int64_t{-1});
  return info;
}

// Paddle infers each shape from those declared before: what is wrong once stays wrong down the
// program.   And blocks leave variables in another shape than was declared.
bool Graph::doubts(const OpDesc& op) const {
  if (has_block(op)) return true;
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (const Value* v = find_bound(name); v && claims_more(declared(name).shape, info(*v).shape))
        return true;
  return false;
}

// Fills in what was not found.   trusted: sizes, too, not only the dtype and the rank.
void Graph::add_declared(Info& known, const OpDesc& op, const std::string& name,
                         bool trusted) const {
  Info said = declared(name);
  if (facts_of(op.type).careless) said.shape.reset();
  if (!trusted && said.shape) said.shape = Ints(said.shape->size(), -1);
  if (known.dtype == DType::none) known.dtype = said.dtype;
  if (!known.shape)
    known.shape = said.shape;
  else if (said.shape && said.shape->size() == known.shape->size())
    for (std::size_t i = 0; i < known.shape->size(); ++i)
      if ((*known.shape)[i] < 0) (*known.shape)[i] = (*said.shape)[i];
}

}  // namespace oarlock
