// One-hot, top-k, sorting, and selection by masks.
#include <numeric>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- one hot ----

// ids == 0, 1, ... depth-1, with the output's dtype. The one-hot vector of an id out of range
// contains only zeros.
Value one_hot_by_comparison(NodeContext& n, Value ids, DType dtype) {
  auto wide = n.unsqueeze(n.cast(ids, DType::int64), {-1});
  auto depth = n.has_input("depth_tensor") ? n.input("depth_tensor")
                                           : n.value_of_variable_attr_or_empty("depth");
  Value positions;
  if (!depth) {
    Ints all(require_unrollable_size(n, n.attr("depth", -1), "attribute 'depth'"));
    std::iota(all.begin(), all.end(), 0);
    positions = n.int64_vector(all);
  } else {
    positions = arange(n, n.cast(depth, DType::int64));
  }
  return n.cast(n.emit("Equal", {wide, positions}), dtype);
}

void one_hot_v2(NodeContext& n) {
  n.set_output("Out", one_hot_by_comparison(n, n.input("X"), n.attr("dtype", DType::float32)));
}

// The op one_hot (version 1) takes ids of shape [..., 1] and drops the last dim.
void one_hot_v1(NodeContext& n) {
  auto ids = n.input("X");
  n.set_output("Out", one_hot_by_comparison(n, n.squeeze(ids, {n.require_known_rank(ids) - 1}),
                                            n.attr("dtype", DType::float32)));
}

// ---- sorting ----

struct TopKOptions {
  Value k;  // int64[1]
  std::int64_t axis;
  bool largest, sorted;
};

void emit_top_k_and_set_outputs(NodeContext& n, Value x, const TopKOptions& order) {
  if (n.require_known_rank(x) == 0) {
    n.set_output("Out", x);
    return n.set_output("Indices", n.int64_scalar(0));
  }
  std::int64_t largest = order.largest, sorted = order.sorted;
  auto results = n.emit_multi_output(
      2, "TopK", {x, order.k}, {{"axis", order.axis}, {"largest", largest}, {"sorted", sorted}});
  n.set_output("Out", results[0]);
  n.set_output("Indices", results[1]);
}

Value read_k(NodeContext& n) {
  return as_int64_vector(n, read_int_list_as_vector(n, {"k", "K", ""}, {1}));
}

void top_k_v2(NodeContext& n) {
  auto x = n.input("X");
  auto axis = n.normalized_axis_attr("axis", -1, n.require_known_rank(x));
  emit_top_k_and_set_outputs(n, x,
                             {read_k(n), axis, n.attr("largest", true), n.attr("sorted", true)});
}

void top_k_v1(NodeContext& n) {
  auto x = n.input("X");
  emit_top_k_and_set_outputs(n, x, {read_k(n), n.require_known_rank(x) - 1, true, true});
}

void argsort(NodeContext& n) {
  auto x = n.input("X");
  auto axis = n.normalized_axis_attr("axis", -1, n.require_known_rank(x));
  auto all = n.rank(x) == 0 ? n.int64_vector({1}) : dim_as_vector(n, x, axis);
  emit_top_k_and_set_outputs(n, x, {all, axis, n.attr("descending", false), true});
}

// ---- masks ----

// The op where_index: the index of each true element, one index per row.
void where_index(NodeContext& n) {
  auto hits = n.emit("NonZero", {n.cast(n.input("Condition"), DType::boolean)});
  n.set_output("Out", n.transpose(hits, {1, 0}));
}

void masked_select(NodeContext& n) {
  auto x = n.input("X"), mask = n.input("Mask");
  if (n.shape(x) != n.shape(mask) || !n.shape(x)) {
    auto broadcast = n.emit("Expand", {x, n.emit_shape(mask)});
    mask = n.emit("Expand", {mask, n.emit_shape(x)});
    x = broadcast;
  }
  n.set_output("Y", n.emit("Compress", {n.reshape(x, {-1}), n.reshape(mask, {-1})},
                           {{"axis", std::int64_t{0}}}));
}

}  // namespace

std::span<const Rule> one_hot_sort_and_mask_rules() {
  static const Rule rules[] = {
      {"one_hot_v2", 11, one_hot_v2},
      {"one_hot", 11, one_hot_v1},
      {"top_k_v2", 11, top_k_v2, {.nonnegative_outputs = "Indices"}},
      {"top_k", 11, top_k_v1, {.nonnegative_outputs = "Indices"}},
      {"argsort", 11, argsort, {.nonnegative_outputs = "Indices"}},
      {"where_index", 9, where_index, {.nonnegative_outputs = "Out"}},
      {"masked_select", 9, masked_select},
  };
  return rules;
}

}  // namespace oarlock
