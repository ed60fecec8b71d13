// What the program declares of its variables, and how far that is believed.
#include <algorithm>

#include "lower/graph.h"
#include "read/validate.h"

namespace oarlock {
namespace {

// Ops of which Paddle declares sizes that are wrong where it does not know its operands': it counts with -1 as with a
// number, or takes the most that there can be for what there is.   What they give is inferred here.
bool declares_carelessly(const OpDesc& op) {
  static constexpr std::string_view careless[] = {
      "collect_fpn_proposals",
      "conv2d_transpose",
      "conv3d_transpose",
      "crf_decoding",
      "ctc_align",
      "cumsum",
      "depthwise_conv2d_transpose",
      "diag_v2",
      "expand_as",
      "expand_v2",
      "flatten",
      "flatten2",
      "gather",
      "gather_nd",
      "matmul",
      "matmul_v2",
      "matrix_nms",
      "mul",
      "multiclass_nms",
      "multiclass_nms2",
      "multiclass_nms3",
      "pad",
      "pad2d",
      "sequence_pad",
      "set_value",
      "tile",
  };
  return std::find(std::begin(careless), std::end(careless), op.type) != std::end(careless);
}

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

// Paddle infers each shape from those declared before: what is wrong once stays wrong down the program.   And blocks
// leave variables in another shape than was declared.
bool Graph::doubts(const OpDesc& op) const {
  if (has_block(op)) return true;
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (const Value* v = find_bound(name); v && claims_more(declared(name).shape, info(*v).shape)) return true;
  return false;
}

// Fills in what was not found.   trusted: sizes, too, not only the dtype and the rank.
void Graph::add_declared(Info& known, const OpDesc& op, const std::string& name, bool trusted) const {
  Info said = declared(name);
  if (declares_carelessly(op)) said.shape.reset();
  if (!trusted && said.shape) said.shape = Ints(said.shape->size(), -1);
  if (known.dtype == DType::none) known.dtype = said.dtype;
  if (!known.shape)
    known.shape = said.shape;
  else if (said.shape && said.shape->size() == known.shape->size())
    for (std::size_t i = 0; i < known.shape->size(); ++i)
      if ((*known.shape)[i] < 0) (*known.shape)[i] = (*said.shape)[i];
}

}  // namespace oarlock
