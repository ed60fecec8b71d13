#include "convert/ops/rnn_gates_activations_and_nans.h"

#include <sstream>

#include "convert/operands.h"

namespace oarlock {
namespace {

constexpr ActivationRow kActivations[] = {
    {0, "identity", "Affine", [](const Expr& x) { return x; }},
    {1, "sigmoid", "Sigmoid", sigmoid},
    {2, "tanh", "Tanh", tanh},
    {3, "relu", "Relu", relu},
};

template <class T>
const ActivationRow& find_activation_row_or_fail(const NodeContext& n, std::string_view attr,
                                                 const T& value, T ActivationRow::* member) {
  for (const ActivationRow& row : kActivations)
    if (row.*member == value) return row;
  std::ostringstream why;
  why << "attribute '" << attr << "' is " << value;
  n.fail(why.str());
}

}  // namespace

const ActivationRow& read_activation_attr(const NodeContext& n, std::string_view attr,
                                          std::int64_t default_value) {
  return find_activation_row_or_fail(n, attr, n.attr(attr, default_value), &ActivationRow::number);
}

const ActivationRow& read_activation_attr(const NodeContext& n, std::string_view attr,
                                          const char* default_value) {
  std::string name = n.attr(attr, default_value);
  return find_activation_row_or_fail(n, attr, std::string_view(name), &ActivationRow::paddle);
}

Value reorder_gates(NodeContext& n, Value weight, const Ints& order, std::int64_t hidden,
                    bool matrix) {
  auto gates = static_cast<std::int64_t>(order.size());
  Ints separated{gates, hidden}, merged{1, gates * hidden};
  if (matrix) separated.push_back(-1), merged.push_back(-1);
  if (gates == 1) return n.unsqueeze(weight, {0});
  auto sorted = n.emit("Gather", {n.reshape(weight, separated), n.int64_vector(order)},
                       {{"axis", std::int64_t{0}}});
  return n.reshape(sorted, merged);
}

GruWeights split_legacy_gru_weight(NodeContext& n) {
  auto weight = n.input("Weight");
  n.require(n.require_known_rank(weight) == 2, "needs Weight [hidden, 3 hidden]");
  auto hidden =
      static_cast<std::int64_t>(require_unrollable_size(n, n.dim(weight, 0), "the hidden size"));
  auto flat = n.reshape(weight, {-1});
  auto part = [&](std::int64_t from, std::int64_t to, std::int64_t columns) {
    return Expr(n, n.reshape(n.slice(flat, {from}, {to}, {0}), {hidden, columns}));
  };
  auto square = hidden * hidden;
  return {part(0, 2 * square, 2 * hidden), part(2 * square, 3 * square, hidden), hidden};
}

Expr sum_last_axis_of_rank_3(NodeContext& n, Value v) { return sum(Expr(n, v), {2}); }

Expr nan_or_zero_from_row_sums_and_states(const Expr& rows, const Values& states) {
  NodeContext& n = rows.context();
  Expr sums(n, n.unsqueeze(rows, {1}));
  for (Value state : states) sums = sums + sum_last_axis_of_rank_3(n, state);
  return where(isnan(sums), sums, 0);
}

Expr propagate_nans_to_later_steps(const Expr& nans, const Ints& reverse) {
  NodeContext& n = nans.context();
  Values all;
  for (std::size_t d = 0; d < reverse.size(); ++d) {
    auto at = static_cast<std::int64_t>(d);
    auto own = reverse.size() == 1 ? nans.value() : n.slice(nans, {at}, {at + 1}, {1});
    all.push_back(n.emit("CumSum", {own, n.int64_scalar(0)}, {{"reverse", reverse[d]}}));
  }
  return {n, n.unsqueeze(n.concat(all, 1), {3})};
}

}  // namespace oarlock
