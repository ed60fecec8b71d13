// One-hot, top-k, sorting, and selection by masks.
#include <numeric>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- one hot ----

// ids == 0, 1, ... depth-1, with the output's dtype.  Ids out of range yield zeros.
Value one_hot_values(NodeContext& n, Value ids, DType dtype) {
  auto wide = n.unsqueeze(n.cast(ids, DType::int64), {-1});
  auto depth = n.has("depth_tensor") ? n.in("depth_tensor") : n.attr_tensor("depth");
  Value positions;
  if (!depth) {
    Ints all(require_unroll_size(n, n.attr("depth", -1), "attribute 'depth'"));
    std::iota(all.begin(), all.end(), 0);
    positions = n.ints(all);
  } else {
    positions = arange(n, n.cast(depth, DType::int64));
  }
  return n.cast(n.emit("Equal", {wide, positions}), dtype);
}

void one_hot(NodeContext& n) {
  n.out("Out", one_hot_values(n, n.in("X"), n.attr("dtype", DType::float32)));
}

// The op one_hot (version 1) takes ids of shape [..., 1] and drops the last dim.
void one_hot_v1(NodeContext& n) {
  auto ids = n.in("X");
  n.out("Out", one_hot_values(n, n.squeeze(ids, {n.require_rank(ids) - 1}),
                              n.attr("dtype", DType::float32)));
}

// ---- sorting ----

struct TopKOptions {
  Value k;  // int64[1]
  std::int64_t axis;
  bool largest, sorted;
};

void top_k(NodeContext& n, Value x, const TopKOptions& order) {
  if (n.require_rank(x) == 0) {
    n.out("Out", x);
    return n.out("Indices", n.int_scalar(0));
  }
  std::int64_t largest = order.largest, sorted = order.sorted;
  auto found = n.emit_n(2, "TopK", {x, order.k},
                        {{"axis", order.axis}, {"largest", largest}, {"sorted", sorted}});
  n.out("Out", found[0]);
  n.out("Indices", found[1]);
}

Value read_k(NodeContext& n) { return as_vector(n, int_list(n, {"k", "K", ""}, {1})); }

void top_k_v2(NodeContext& n) {
  auto x = n.in("X");
  auto axis = n.axis_attr("axis", -1, n.require_rank(x));
  top_k(n, x, {read_k(n), axis, n.attr("largest", true), n.attr("sorted", true)});
}

void top_k_v1(NodeContext& n) {
  auto x = n.in("X");
  top_k(n, x, {read_k(n), n.require_rank(x) - 1, true, true});
}

void argsort(NodeContext& n) {
  auto x = n.in("X");
  auto axis = n.axis_attr("axis", -1, n.require_rank(x));
  auto all = n.rank(x) == 0 ? n.ints({1}) : dim_as_vector(n, x, axis);
  top_k(n, x, {all, axis, n.attr("descending", false), true});
}

// ---- masks ----

// Indices, one per row.
void where_index(NodeContext& n) {
  auto hits = n.emit("NonZero", {n.cast(n.in("Condition"), DType::boolean)});
  n.out("Out", n.transpose(hits, {1, 0}));
}

void masked_select(NodeContext& n) {
  auto x = n.in("X"), mask = n.in("Mask");
  if (n.shape(x) != n.shape(mask) || !n.shape(x)) {
    auto broadcast = n.emit("Expand", {x, n.shape_of(mask)});
    mask = n.emit("Expand", {mask, n.shape_of(x)});
    x = broadcast;
  }
  n.out("Y", n.emit("Compress", {n.reshape(x, {-1}), n.reshape(mask, {-1})},
                    {{"axis", std::int64_t{0}}}));
}

}  // namespace

std::span<const Rule> selection_rules() {
  static const Rule rules[] = {
      {"one_hot_v2", 11, one_hot},
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
