// Products of matrices.
#include "lower/rules.h"

namespace oarlock {
namespace {

// A vector has nothing to swap: Paddle ignores the flag then.
Value maybe_swapped(Node& n, std::string_view slot, std::string_view flag) {
  auto v = n.in(slot);
  return n.attr(flag, false) && n.rank(v) != 1 ? n.swap_last(v) : v;
}

}  // namespace

std::span<const Rule> matmul_rules() {
  static const Rule rules[] = {
      {"matmul_v2", 9,
       [](Node& n) {
         auto x = maybe_swapped(n, "X", "trans_x"), y = maybe_swapped(n, "Y", "trans_y");
         n.out("Out", n.emit("MatMul", {x, y}));
       }},
  };
  return rules;
}

}  // namespace oarlock
