// Single steps of recurrent networks.
#include "convert/operands.h"
#include "convert/ops/rnn_gates.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

Expr column_range(const Expr& x, std::int64_t from, std::int64_t to) {
  return {x.node(), x.node().slice(x, {from}, {to}, {1})};
}

void gru_unit(NodeContext& n) {
  auto before = in(n, "HiddenPrev"), x = in(n, "Input");
  auto [gates, candidate, hidden] = gru_weights(n);
  if (n.has("Bias")) x = x + in(n, "Bias");
  auto both = column_range(x, 0, 2 * hidden) + before.emit("MatMul", {gates});
  both = activation(n, "gate_activation", 1).apply(both);
  auto update = column_range(both, 0, hidden),
       reset = column_range(both, hidden, 2 * hidden) * before;
  auto sum = column_range(x, 2 * hidden, 3 * hidden) + reset.emit("MatMul", {candidate});
  auto made = activation(n, "activation", 2).apply(sum);
  bool keeps = n.attr("origin_mode", false);
  n.out("Hidden", keeps ? made + update * (before - made) : before + update * (made - before));
  n.out("ResetHiddenPrev", reset);
  n.out("Gate", n.concat({both, made}, 1));
}

// X: input, forget and output gate, candidate.
void lstm_unit(NodeContext& n) {
  auto x = in(n, "X");
  n.require(n.require_rank(x) == 2 && n.dim(x, 1) > 0 && n.dim(x, 1) % 4 == 0,
            "needs the number of gates to be known");
  auto hidden = n.dim(x, 1) / 4;
  auto part = [&](std::int64_t at) { return column_range(x, at * hidden, (at + 1) * hidden); };
  auto forget = sigmoid(part(1) + static_cast<double>(n.attr("forget_bias", 0.0f)));
  auto cell = forget * in(n, "C_prev") + sigmoid(part(0)) * tanh(part(3));
  n.out("C", cell);
  n.out("H", sigmoid(part(2)) * tanh(cell));
}

}  // namespace

std::span<const Rule> rnn_cells_rules() {
  static const Rule rules[] = {{"gru_unit", 10, gru_unit}, {"lstm_unit", 10, lstm_unit}};
  return rules;
}

}  // namespace oarlock
