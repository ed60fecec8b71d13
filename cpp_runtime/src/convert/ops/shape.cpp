// The same elements in another shape or order.
#include <algorithm>

#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

constexpr std::int64_t kMostAxes = 64;  // a legal program has 9; each becomes an op

// One dim that is not known can be left to Reshape; -1 in the program and -1 for unknown mean the
// same then.
void reshape(Node& n) {
  auto x = n.in("X"), shape = int_list(n, {"shape", "Shape", "ShapeTensor"});
  auto known = n.partial_ints(shape);
  bool one_open = known && std::count(known->begin(), known->end(), -1) <= 1;
  n.out("Out", one_open ? n.reshape(x, *known) : n.emit("Reshape", {x, shape}));
}

void transpose(Node& n) {
  auto x = n.in("X");
  Ints perm = n.attr("axis", Ints{});
  for (auto& axis : perm)
    if (axis < 0) axis += static_cast<std::int64_t>(perm.size());
  n.out("Out", n.transpose(x, perm));
}

// The product of shape(x)[from:to], int64[1].
Value merged_size(Node& n, const Value& x, std::int64_t from, std::int64_t to) {
  auto dims = n.slice(n.shape_of(x), {from}, {to}, {0});
  auto known = n.const_ints(dims);
  if (!known) return reduce(n, "ReduceProd", dims, {0}, true);
  return n.ints({element_count(*known).value_or(-1)});
}

// Dims before `start` are copied by position; behind `stop` they must be known, or the merged ones
// must.
Value flattened(Node& n, const Value& x, std::int64_t start, std::int64_t stop, int rank) {
  Ints dims = *n.shape(x), to(static_cast<std::size_t>(start), 0);
  Ints merged(dims.begin() + start, dims.begin() + stop + 1);
  bool known = std::count(merged.begin(), merged.end(), -1) ==
               0;  // no -1 then: it finds no size where others are 0
  to.push_back(known ? element_count(merged).value_or(-1) : -1);
  to.insert(to.end(), dims.begin() + stop + 1, dims.end());
  if (std::count(to.begin(), to.end(), -1) <= 1) return n.reshape(x, to);
  auto head = n.slice(n.shape_of(x), {0}, {start}, {0}),
       tail = n.slice(n.shape_of(x), {stop + 1}, {rank}, {0});
  return n.emit("Reshape", {x, n.concat({head, merged_size(n, x, start, stop + 1), tail}, 0)});
}

void flatten_range(Node& n) {
  auto x = n.in("X");
  int rank = n.need_rank(x);
  if (rank == 0) return n.out("Out", n.unsqueeze(x, {0}));
  auto start = n.axis("start_axis", 1, rank), stop = n.axis("stop_axis", 1, rank);
  n.require(start <= stop, "attribute 'stop_axis' is before 'start_axis'");
  n.out("Out", flattened(n, x, start, stop, rank));
}

void flatten_to_matrix(Node& n) {
  auto axis = n.attr("axis", 1);
  n.out("Out", n.emit("Flatten", {n.in("X")}, {{"axis", axis}}));
}

// Without axes, whatever is 1 when it runs goes.   What follows counts on the rank that Paddle
// declares: that of sizes which are not known and more than 1.
Value squeeze_all(Node& n, const Value& x, Ints shape) {
  auto y = n.emit("Squeeze", {x});
  std::erase(shape, 1);
  n.declare(y, n.dtype(x), shape);
  return y;
}

// Dims that are known not to be 1 stay as they are, as in Paddle.
void squeeze(Node& n) {
  auto x = n.in("X");
  int rank = n.need_rank(x);
  Ints asked = from_front(n, need_ints(n, {"axes", "", ""}), rank), axes;
  Ints shape = n.shape(x).value_or(Ints{});
  bool open = std::find(shape.begin(), shape.end(), -1) != shape.end();
  if (asked.empty() && open) return n.out("Out", squeeze_all(n, x, shape));
  for (auto a : asked.empty() ? all_axes(rank) : asked)
    if (rank > 0 && (n.dim(x, a) == 1 || n.dim(x, a) < 0)) axes.push_back(a);
  n.out("Out", n.squeeze(x, axes));
}

// Paddle inserts one axis after the other, each counted in the shape so far; ONNX counts all in the
// final one.
Ints final_axes(const Node& n, const Ints& axes, int rank) {
  std::vector<bool> added(static_cast<std::size_t>(rank), false);
  for (auto a : axes) {
    auto size = static_cast<std::int64_t>(added.size()), at = a < 0 ? a + size + 1 : a;
    n.require(0 <= at && at <= size, "axis " + std::to_string(a) +
                                         " is not among those of a tensor of rank " +
                                         std::to_string(size + 1));
    added.insert(added.begin() + at, true);
  }
  Ints final;
  for (std::size_t i = 0; i < added.size(); ++i)
    if (added[i]) final.push_back(static_cast<std::int64_t>(i));
  return final;
}

// Axes that only a run knows: one after the other, as Paddle has it.   Their number has to be
// known.
Value unsqueeze_at(Node& n, Value x, const Value& axes) {
  auto count = n.dim(axes, 0);
  n.require(count >= 0 && n.opset() >= 13,
            "the number of 'axes' is computed at run time, which has no lowering");
  n.require(count <= kMostAxes, "there are " + std::to_string(count) + " 'axes'");
  for (std::int64_t i = 0; i < count; ++i) {
    auto longer = n.emit("Unsqueeze", {x, n.slice(axes, {i}, {i + 1}, {0})});
    n.declare(longer, n.dtype(x), Ints(written_size(n, n.need_rank(x) + 1, "the rank"), -1));
    x = longer;
  }
  return x;
}

void unsqueeze(Node& n) {
  auto x = n.in("X");
  auto given = int_list(n, {"axes", "AxesTensor", "AxesTensorList"});
  if (!n.const_ints(given)) return n.out("Out", unsqueeze_at(n, x, given));
  auto axes = need_ints(n, {"axes", "AxesTensor", "AxesTensorList"});
  n.out("Out", n.unsqueeze(x, n.rank(x) < 0 ? axes : final_axes(n, axes, n.rank(x))));
}

void shape_of(Node& n) { n.out("Out", n.cast(n.shape_of(n.in("Input")), DType::int32)); }

void size_of_tensor(Node& n) {
  auto x = n.in("Input");
  auto dims = n.shape(x);
  auto total = dims ? element_count(*dims).value_or(-1) : -1;
  out_scalar(n, "Out", total >= 0 ? n.int_scalar(total) : n.emit("Size", {x}));
}

}  // namespace

std::span<const Rule> shape_rules() {
  static const Rule rules[] = {
      {"reshape", 7, reshape},
      {"reshape2", 7, reshape},
      {"transpose", 7, transpose},
      {"transpose2", 7, transpose},
      {"flatten", 9, flatten_to_matrix, {.careless = true}},
      {"flatten2", 9, flatten_to_matrix, {.careless = true}},
      {"flatten_contiguous_range", 7, flatten_range},
      {"squeeze", 7, squeeze},
      {"squeeze2", 7, squeeze},
      {"unsqueeze", 7, unsqueeze},
      {"unsqueeze2", 7, unsqueeze},
      {"shape", 7, shape_of},
      {"size", 7, size_of_tensor},
  };
  return rules;
}

}  // namespace oarlock
