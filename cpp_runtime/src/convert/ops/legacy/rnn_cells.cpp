// Single steps of recurrent networks.
#include "convert/operands.h"
#include "convert/ops/rnn_gates_activations_and_nans.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Expr slice_columns(const Expr& x, std::int64_t from, std::int64_t to) {
  return {x.context(), x.context().slice(x, {from}, {to}, {1})};
}

void gru_unit(NodeContext& n) {
  auto before = input_expr(n, "HiddenPrev"), x = input_expr(n, "Input");
  auto [gates, candidate, hidden] = split_legacy_gru_weight(n);
  if (n.has_input("Bias")) x = x + input_expr(n, "Bias");
  auto both = slice_columns(x, 0, 2 * hidden) + before.emit("MatMul", {gates});
  both = read_activation_attr(n, "gate_activation", 1).apply(both);
  auto update = slice_columns(both, 0, hidden),
       reset = slice_columns(both, hidden, 2 * hidden) * before;
  auto sum = slice_columns(x, 2 * hidden, 3 * hidden) + reset.emit("MatMul", {candidate});
  auto candidate_state = read_activation_attr(n, "activation", 2).apply(sum);
  bool is_origin_mode = n.attr("origin_mode", false);
  n.set_output("Hidden", is_origin_mode ? candidate_state + update * (before - candidate_state)
                                        : before + update * (candidate_state - before));
  n.set_output("ResetHiddenPrev", reset);
  n.set_output("Gate", n.concat({both, candidate_state}, 1));
}

// One LSTM step. The columns of X are the input gate, forget gate, output gate and candidate.
void lstm_unit(NodeContext& n) {
  auto x = input_expr(n, "X");
  n.require(n.require_known_rank(x) == 2 && n.dim(x, 1) > 0 && n.dim(x, 1) % 4 == 0,
            "needs the number of gates to be known");
  auto hidden = n.dim(x, 1) / 4;
  auto part = [&](std::int64_t at) { return slice_columns(x, at * hidden, (at + 1) * hidden); };
  auto forget = sigmoid(part(1) + static_cast<double>(n.attr("forget_bias", 0.0f)));
  auto cell = forget * input_expr(n, "C_prev") + sigmoid(part(0)) * tanh(part(3));
  n.set_output("C", cell);
  n.set_output("H", sigmoid(part(2)) * tanh(cell));
}

}  // namespace

std::span<const Rule> rnn_cells_rules() {
  static const Rule rules[] = {{"gru_unit", 10, gru_unit}, {"lstm_unit", 10, lstm_unit}};
  return rules;
}

}  // namespace oarlock
