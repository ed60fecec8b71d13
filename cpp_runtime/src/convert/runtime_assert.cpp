#include "convert/runtime_assert.h"

#include <algorithm>

#include "convert/operands.h"

namespace oarlock {

Value assert_nonzero_divisor(NodeContext& n, Value y) {
  if (auto known = n.find_constant_ints(y)) {
    n.require(std::count(known->begin(), known->end(), 0) == 0, "divides by zero");
    return y;
  }
  return fail_at_run_time_if_any(n, y, n.emit("Equal", {y, n.scalar_like(0, y)}),
                                 "an integer is divided by zero");
}

// Returns `v`, and fails at run time with `message` if an element of `violated` is true. The check
// is a Reshape of one element to `count + 1` elements, whose result 0 is added to `v`. A Reshape
// fails on every device, because shapes are computed on the host; an out-of-range index may be
// ignored.
Value fail_at_run_time_if_any(NodeContext& n, Value v, Value violated, std::string_view message) {
  auto counts = n.cast(violated, DType::int64);
  auto count = n.rank(violated) == 0 ? counts : reduce(n, "ReduceSum", counts, {}, false);
  auto zero = n.emit("Reshape", {count, n.emit("Add", {count, n.int64_vector({1})})});
  n.set_last_node_name_from_output_and_suffix(zero,
                                              std::string(kAssertPrefix) + std::string(message));
  n.declare_type(zero, DType::int64, Ints{1});
  // The axis of the Reshape is removed by a ReduceSum. ONNX Runtime would merge a Squeeze with the
  // Reshape and drop the check.
  return n.emit("Add",
                {v, n.cast(reduce(n, "ReduceSum", zero, {0}, false), n.require_known_dtype(v))});
}

// Returns `v`, and fails at run time if a size other than that of the axis is 0: by a Reshape to
// [-1, 0, 0, ...].
Value assert_nonempty_except_axis(NodeContext& n, Value v, std::int64_t axis) {
  int rank = n.require_known_rank(v);
  n.require(rank > 1, "an operand has only " + std::to_string(rank) + " axes");
  Ints dims = *n.shape(v), same(dims.size(), 0);
  dims.erase(dims.begin() + axis);
  n.require(std::count(dims.begin(), dims.end(), 0) == 0,
            "an operand without elements has no lowering");
  if (std::count(dims.begin(), dims.end(), -1) == 0) return v;
  same[static_cast<std::size_t>(axis)] = -1;
  auto checked = n.emit("Reshape", {v, n.int64_vector(same)});
  n.declare_type(checked, n.require_known_dtype(v), n.shape(v));
  return checked;
}

}  // namespace oarlock
