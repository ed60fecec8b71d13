// Elements chosen by what they are: the largest, the ones that are not zero, the hot one.
#include <numeric>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// ---- one hot ----

// ids == 0, 1, ... depth-1, as the output's dtype.   An id that is out of range gives zeros.
Value hot(Node& n, const Value& ids, DType dtype) {
  auto wide = n.unsqueeze(n.cast(ids, DType::int64), {-1});
  auto depth = n.has("depth_tensor") ? n.in("depth_tensor") : n.attr_tensor("depth");
  Value positions;
  if (depth.empty()) {
    Ints all(written_size(n, n.attr("depth", -1), "attribute 'depth'"));
    std::iota(all.begin(), all.end(), 0);
    positions = n.ints(all);
  } else {
    positions = counted(n, n.cast(depth, DType::int64));
  }
  return n.cast(n.emit("Equal", {wide, positions}), dtype);
}

void one_hot(Node& n) { n.out("Out", hot(n, n.in("X"), n.attr("dtype", DType::float32))); }

// The first form wants ids of shape [..., 1], and drops that dim.
void one_hot_column(Node& n) {
  auto ids = n.in("X");
  n.out("Out", hot(n, n.squeeze(ids, {n.need_rank(ids) - 1}), n.attr("dtype", DType::float32)));
}

// ---- in order ----

struct Order {
  Value k;  // int64[1]
  std::int64_t axis;
  bool largest, sorted;
};

void ordered(Node& n, const Value& x, const Order& order) {
  if (n.need_rank(x) == 0) {
    n.out("Out", x);
    return n.out("Indices", n.int_scalar(0));
  }
  std::int64_t largest = order.largest, sorted = order.sorted;
  auto found = n.emit_n(2, "TopK", {x, order.k},
                        {{"axis", order.axis}, {"largest", largest}, {"sorted", sorted}});
  n.out("Out", found[0]);
  n.out("Indices", found[1]);
}

Value count_of(Node& n) { return as_vector(n, int_list(n, {"k", "K", ""}, {1})); }

void top_k_v2(Node& n) {
  auto x = n.in("X");
  auto axis = n.axis("axis", -1, n.need_rank(x));
  ordered(n, x, {count_of(n), axis, n.attr("largest", true), n.attr("sorted", true)});
}

void top_k_v1(Node& n) {
  auto x = n.in("X");
  ordered(n, x, {count_of(n), n.need_rank(x) - 1, true, true});
}

void argsort(Node& n) {
  auto x = n.in("X");
  auto axis = n.axis("axis", -1, n.need_rank(x));
  auto all = n.rank(x) == 0 ? n.ints({1}) : size_along(n, x, axis);
  ordered(n, x, {all, axis, n.attr("descending", false), true});
}

// ---- by truth ----

// Positions, one a row.
void where_index(Node& n) {
  auto hits = n.emit("NonZero", {n.cast(n.in("Condition"), DType::boolean)});
  n.out("Out", n.transpose(hits, {1, 0}));
}

void masked_select(Node& n) {
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

std::span<const Rule> select_rules() {
  static const Rule rules[] = {
      {"one_hot_v2", 11, one_hot},
      {"one_hot", 11, one_hot_column},
      {"top_k_v2", 11, top_k_v2, {.from_zero = "Indices"}},
      {"top_k", 11, top_k_v1, {.from_zero = "Indices"}},
      {"argsort", 11, argsort, {.from_zero = "Indices"}},
      {"where_index", 9, where_index, {.from_zero = "Out"}},
      {"masked_select", 9, masked_select},
  };
  return rules;
}

}  // namespace oarlock
