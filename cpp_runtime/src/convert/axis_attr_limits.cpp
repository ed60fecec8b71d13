#include "convert/axis_attr_limits.h"

#include "convert/node_context.h"

namespace oarlock {
namespace {

constexpr std::string_view kAxisAttrs[] = {
    "axis",          "axes",       "axis1",     "axis2",          "dim", "dim1", "dim2",
    "decrease_axis", "start_axis", "stop_axis", "begin_norm_axis"};

}  // namespace

void check_axis_attrs_within_max_rank(const NodeContext& n) {
  for (std::string_view name : kAxisAttrs) {
    auto found = n.op().attrs.find(name);
    if (found == n.op().attrs.end()) continue;
    Ints axes;
    if (auto* one = std::get_if<std::int64_t>(&found->second.value)) axes = {*one};
    if (auto* several = std::get_if<Ints>(&found->second.value)) axes = *several;
    for (std::int64_t axis : axes)
      n.require(axis >= -kMaxRank && axis < kMaxRank, "attribute '" + std::string(name) + "' is " +
                                                          std::to_string(axis) +
                                                          "; a tensor has at most 32 axes");
  }
}

}  // namespace oarlock
