// The op rnn: several layers, one or two directions.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/rnn_gates.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// gates: index of each ONNX gate among Paddle's. states: h, and c.
struct Cell {
  std::string_view mode, onnx, activation;
  Ints gates;
  std::size_t states;
};

const Cell* cell_of(std::string_view mode) {
  static const Cell cells[] = {
      {"LSTM", "LSTM", "", {0, 3, 1, 2}, 2},
      {"GRU", "GRU", "", {1, 0, 2}, 1},
      {"RNN_TANH", "RNN", "Tanh", {0}, 1},
      {"RNN_RELU", "RNN", "Relu", {0}, 1},
  };
  for (const Cell& cell : cells)
    if (cell.mode == mode) return &cell;
  return nullptr;
}

struct RnnConfig {
  const Cell& cell;
  std::int64_t hidden, layers, directions;
  Values weights;
};

// The weight list has two matrices per layer and direction, then all biases.
struct LayerWeights {
  Value input, hidden, bias;
};

LayerWeights weights_of(NodeContext& n, const RnnConfig& net, std::int64_t layer) {
  Values input, hidden, bias;
  for (std::int64_t d = 0; d < net.directions; ++d) {
    auto at = static_cast<std::size_t>(2 * (layer * net.directions + d)),
         half = net.weights.size() / 2;
    auto sorted = [&](std::size_t i, bool matrix) {
      return reorder_gates(n, net.weights[i], net.cell.gates, net.hidden, matrix);
    };
    input.push_back(sorted(at, true));
    hidden.push_back(sorted(at + 1, true));
    bias.push_back(n.concat({sorted(half + at, false), sorted(half + at + 1, false)}, 1));
  }
  return {n.concat(input, 0), n.concat(hidden, 0), n.concat(bias, 0)};
}

NodeContext::Attrs attributes(const RnnConfig& net) {
  NodeContext::Attrs attrs{
      {"hidden_size", net.hidden},
      {"direction", std::string(net.directions == 2 ? "bidirectional" : "forward")}};
  if (!net.cell.activation.empty())
    attrs.emplace_back("activations", Strings(static_cast<std::size_t>(net.directions),
                                              std::string(net.cell.activation)));
  if (net.cell.mode == "GRU") attrs.emplace_back("linear_before_reset", std::int64_t{1});
  return attrs;
}

// The states of one layer.
Value layer_states(NodeContext& n, Value states, const RnnConfig& net, std::int64_t layer) {
  if (net.layers == 1) return states;
  return n.slice(states, {layer * net.directions}, {(layer + 1) * net.directions}, {0});
}

// Restores the NaNs that the kernel hides.
void restore_nans(NodeContext& n, const RnnConfig& net, Value x, const Values& states,
                  Values& made) {
  if (net.cell.gates.size() == 1 && !n.has("SequenceLength")) return;
  auto nans = nan_mask(row_sums(n, x), states);
  made[0] = Expr(n, made[0]) + propagate_nans(nans, net.directions == 1 ? Ints{0} : Ints{0, 1});
  Expr last(n, n.unsqueeze(reduce(n, "ReduceSum", nans, {0}, false), {2}));
  for (std::size_t i = 1; i < made.size(); ++i) made[i] = Expr(n, made[i]) + last;
}

// Runs one layer. x: [T,B,I] -> [T,B,D*H]; appends its final states to `last`.
Value run_layer(NodeContext& n, const RnnConfig& net, std::int64_t layer, Value x,
                std::vector<Values>& last) {
  auto [input, hidden, bias] = weights_of(n, net, layer);
  Value lengths = n.has("SequenceLength") ? n.cast(n.in("SequenceLength"), DType::int32) : Value{};
  Values operands{x, input, hidden, bias, lengths};
  Values states;
  for (Value all : n.ins("PreState")) states.push_back(layer_states(n, all, net, layer));
  operands.insert(operands.end(), states.begin(), states.end());
  auto made = n.emit_n(1 + net.cell.states, net.cell.onnx, operands, attributes(net));
  auto dtype = n.require_dtype(x);
  n.declare_type(made[0], dtype, Ints{n.dim(x, 0), net.directions, n.dim(x, 1), net.hidden});
  for (std::size_t i = 0; i < net.cell.states; ++i)
    n.declare_type(made[1 + i], dtype, Ints{net.directions, n.dim(x, 1), net.hidden});
  restore_nans(n, net, x, states, made);
  for (std::size_t i = 0; i < net.cell.states; ++i) last[i].push_back(made[1 + i]);
  if (net.directions == 1) return n.squeeze(made[0], {1});
  return n.reshape(n.transpose(made[0], {0, 2, 1, 3}), {0, 0, net.directions * net.hidden});
}

RnnConfig read_net(NodeContext& n) {
  auto mode = n.attr("mode", "RNN_TANH");
  const Cell* cell = cell_of(mode);
  n.require(cell, "attribute 'mode' is " + mode);
  auto layers = static_cast<std::int64_t>(
      require_unroll_size(n, n.attr("num_layers", 1), "attribute 'num_layers'"));
  auto hidden = static_cast<std::int64_t>(
      require_unroll_size(n, n.attr("hidden_size", 100), "attribute 'hidden_size'"));
  RnnConfig net{*cell, hidden, layers, n.attr("is_bidirec", false) ? 2 : 1, n.ins("WeightList")};
  n.require(
      static_cast<std::int64_t>(net.weights.size()) == 4 * net.layers * net.directions,
      std::to_string(net.weights.size()) + " weights are not four for each layer and direction");
  n.require(n.ins("PreState").size() == cell->states, "needs one initial value of each state");
  bool drops = !n.attr("is_test", false) && n.attr("dropout_prob", 0.0f) > 0 && layers > 1;
  n.require(!drops, "dropout between layers in training mode has no lowering");
  return net;
}

// ONNX Runtime's GRU and LSTM crash without steps or rows; a Reshape to [0,0,-1] rejects such
// inputs.
Value assert_nonempty_steps(NodeContext& n, Value x) {
  auto steps = n.dim(x, 0), rows = n.dim(x, 1);
  n.require(steps != 0 && rows != 0, "an Input without elements has no lowering");
  if (steps > 0 && rows > 0) return x;
  auto same = n.emit("Reshape", {x, n.ints({0, 0, -1})});
  n.declare_type(same, n.require_dtype(x), n.shape(x));
  return same;
}

void rnn(NodeContext& n) {
  RnnConfig net = read_net(n);
  auto x = n.in("Input");
  n.require(n.require_rank(x) == 3, "Input needs three axes: time, batch, features");
  if (net.cell.gates.size() > 1) x = assert_nonempty_steps(n, x);
  std::vector<Values> last(net.cell.states);
  for (std::int64_t layer = 0; layer < net.layers; ++layer) x = run_layer(n, net, layer, x, last);
  n.out("Out", x);
  Values states;
  for (const Values& of_layers : last) states.push_back(n.concat(of_layers, 0));
  n.outs("State", states);
}

}  // namespace

std::span<const Rule> rnn_rules() {
  static const Rule rules[] = {{"rnn", 14, rnn}};
  return rules;
}

}  // namespace oarlock
