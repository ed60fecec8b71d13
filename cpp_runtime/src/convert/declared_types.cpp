// Types that the program declares, and when the converter trusts them.
#include <algorithm>

#include "convert/graph_builder.h"
#include "convert/registry.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

// Whether a declared shape has a known size where the inferred shape has none or another one.
bool has_declared_sizes_unlike_inferred(const std::optional<Ints>& declared,
                                        const std::optional<Ints>& inferred) {
  auto is_size = [](std::int64_t d) { return d >= 0; };
  if (!declared || !inferred)
    return declared && std::any_of(declared->begin(), declared->end(), is_size);
  if (declared->size() != inferred->size()) return false;
  for (std::size_t i = 0; i < declared->size(); ++i)
    if (is_size((*declared)[i]) && (*declared)[i] != (*inferred)[i]) return true;
  return false;
}

}  // namespace

ValueType GraphBuilder::declared_type(std::string_view name) const {
  const VarDesc* var = program_.find_var(name, block_index_);
  if (!var) return {};
  // An empty shape in a program of Paddle before 2.5 is unspecified, because these versions have no
  // 0-D tensors.
  bool is_unspecified = var->shape.empty() && program_.version > 0 && program_.version < 2005000;
  if (var->kind != VarKind::dense || is_unspecified)
    return {var->dtype, std::nullopt, std::nullopt};
  ValueType info{var->dtype, var->shape, std::nullopt};
  for (std::int64_t& d : *info.shape) d = std::max(d, std::int64_t{-1});
  return info;
}

// Whether the declared sizes of the outputs may be wrong: the op has a block, or an input has a
// declared size that was not inferred. An op that runs a block may change the shape of a variable
// at run time.
bool GraphBuilder::ignores_declared_output_sizes(const OpDesc& op) const {
  if (has_sub_block(op)) return true;
  for (auto& [slot, names] : op.inputs)
    for (const std::string& name : names)
      if (Value v = find_binding(name);
          v && has_declared_sizes_unlike_inferred(declared_type(name).shape, type_of(v).shape))
        return true;
  return false;
}

// Completes `type` by the declaration of variable `name`: sets the dtype and the rank that
// inference did not find and, if `trusted`, the sizes too.
void GraphBuilder::complete_type_from_declaration(ValueType& type, const OpDesc& op,
                                                  const std::string& name, bool trusted) const {
  ValueType declared = declared_type(name);
  if (output_traits_or_default(op.type).ignore_declared_shape) declared.shape.reset();
  if (!trusted && declared.shape) declared.shape = Ints(declared.shape->size(), -1);
  if (type.dtype == DType::none) type.dtype = declared.dtype;
  if (!type.shape)
    type.shape = declared.shape;
  else if (declared.shape && declared.shape->size() == type.shape->size())
    for (std::size_t i = 0; i < type.shape->size(); ++i)
      if ((*type.shape)[i] < 0) (*type.shape)[i] = (*declared.shape)[i];
}

}  // namespace oarlock
