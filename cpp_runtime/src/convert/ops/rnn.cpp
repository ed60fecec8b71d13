// The op rnn: several layers, one or two directions.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/ops/rnn_gates_activations_and_nans.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// A row of the table of cell types: a `mode` of Paddle's rnn, and the ONNX op, activation and gate
// order for it. gate_order: index of each ONNX gate among Paddle's; num_states: 2 with a cell
// state, else 1.
struct RnnModeMapping {
  std::string_view mode, onnx, activation;
  Ints gate_order;
  std::size_t num_states;
};

const RnnModeMapping* find_rnn_mode_mapping(std::string_view mode) {
  static const RnnModeMapping cells[] = {
      {"LSTM", "LSTM", "", {0, 3, 1, 2}, 2},
      {"GRU", "GRU", "", {1, 0, 2}, 1},
      {"RNN_TANH", "RNN", "Tanh", {0}, 1},
      {"RNN_RELU", "RNN", "Relu", {0}, 1},
  };
  for (const RnnModeMapping& cell : cells)
    if (cell.mode == mode) return &cell;
  return nullptr;
}

struct RnnConfig {
  const RnnModeMapping& cell;
  std::int64_t hidden_size, num_layers, num_directions;
  Values weights;
};

// The weights of one layer in ONNX's layout (W, R and B).
struct LayerWeights {
  Value input, hidden, bias;
};

LayerWeights emit_onnx_layer_weights(NodeContext& n, const RnnConfig& config, std::int64_t layer) {
  Values input, hidden, bias;
  for (std::int64_t d = 0; d < config.num_directions; ++d) {
    auto at = static_cast<std::size_t>(2 * (layer * config.num_directions + d)),
         half = config.weights.size() / 2;
    auto sorted = [&](std::size_t i, bool matrix) {
      return reorder_gates(n, config.weights[i], config.cell.gate_order, config.hidden_size,
                           matrix);
    };
    input.push_back(sorted(at, true));
    hidden.push_back(sorted(at + 1, true));
    bias.push_back(n.concat({sorted(half + at, false), sorted(half + at + 1, false)}, 1));
  }
  return {n.concat(input, 0), n.concat(hidden, 0), n.concat(bias, 0)};
}

NodeContext::Attrs onnx_rnn_attrs(const RnnConfig& config) {
  NodeContext::Attrs attrs{
      {"hidden_size", config.hidden_size},
      {"direction", std::string(config.num_directions == 2 ? "bidirectional" : "forward")}};
  if (!config.cell.activation.empty())
    attrs.emplace_back("activations", Strings(static_cast<std::size_t>(config.num_directions),
                                              std::string(config.cell.activation)));
  if (config.cell.mode == "GRU") attrs.emplace_back("linear_before_reset", std::int64_t{1});
  return attrs;
}

// The initial states of one layer, sliced out of those of all layers.
Value slice_initial_states_of_layer(NodeContext& n, Value states, const RnnConfig& config,
                                    std::int64_t layer) {
  if (config.num_layers == 1) return states;
  return n.slice(states, {layer * config.num_directions}, {(layer + 1) * config.num_directions},
                 {0});
}

// Adds NaN to those outputs and final states that depend on a NaN in inputs or initial states,
// because ONNX Runtime's kernels hide such NaNs.
void restore_nans(NodeContext& n, const RnnConfig& config, Value x, const Values& states,
                  Values& results) {
  if (config.cell.gate_order.size() == 1 && !n.has_input("SequenceLength")) return;
  auto nans = nan_or_zero_from_row_sums_and_states(sum_last_axis_of_rank_3(n, x), states);
  results[0] = Expr(n, results[0]) + propagate_nans_to_later_steps(
                                         nans, config.num_directions == 1 ? Ints{0} : Ints{0, 1});
  Expr last(n, n.unsqueeze(reduce(n, "ReduceSum", nans, {0}, false), {2}));
  for (std::size_t i = 1; i < results.size(); ++i) results[i] = Expr(n, results[i]) + last;
}

// Runs one layer. x: [T,B,I] -> [T,B,D*H]; appends its final states to `last`.
Value emit_layer_and_append_final_states(NodeContext& n, const RnnConfig& config,
                                         std::int64_t layer, Value x, std::vector<Values>& last) {
  auto [input, hidden, bias] = emit_onnx_layer_weights(n, config, layer);
  Value lengths =
      n.has_input("SequenceLength") ? n.cast(n.input("SequenceLength"), DType::int32) : Value{};
  Values operands{x, input, hidden, bias, lengths};
  Values states;
  for (Value all : n.inputs("PreState"))
    states.push_back(slice_initial_states_of_layer(n, all, config, layer));
  operands.insert(operands.end(), states.begin(), states.end());
  auto results = n.emit_multi_output(1 + config.cell.num_states, config.cell.onnx, operands,
                                     onnx_rnn_attrs(config));
  auto dtype = n.require_known_dtype(x);
  n.declare_type(results[0], dtype,
                 Ints{n.dim(x, 0), config.num_directions, n.dim(x, 1), config.hidden_size});
  for (std::size_t i = 0; i < config.cell.num_states; ++i)
    n.declare_type(results[1 + i], dtype,
                   Ints{config.num_directions, n.dim(x, 1), config.hidden_size});
  restore_nans(n, config, x, states, results);
  for (std::size_t i = 0; i < config.cell.num_states; ++i) last[i].push_back(results[1 + i]);
  if (config.num_directions == 1) return n.squeeze(results[0], {1});
  return n.reshape(n.transpose(results[0], {0, 2, 1, 3}),
                   {0, 0, config.num_directions * config.hidden_size});
}

RnnConfig read_rnn_config(NodeContext& n) {
  auto mode = n.attr("mode", "RNN_TANH");
  const RnnModeMapping* cell = find_rnn_mode_mapping(mode);
  n.require(cell, "attribute 'mode' is " + mode);
  auto layers = static_cast<std::int64_t>(
      require_unrollable_size(n, n.attr("num_layers", 1), "attribute 'num_layers'"));
  auto hidden = static_cast<std::int64_t>(
      require_unrollable_size(n, n.attr("hidden_size", 100), "attribute 'hidden_size'"));
  RnnConfig config{*cell, hidden, layers, n.attr("is_bidirec", false) ? 2 : 1,
                   n.inputs("WeightList")};
  n.require(
      static_cast<std::int64_t>(config.weights.size()) ==
          4 * config.num_layers * config.num_directions,
      std::to_string(config.weights.size()) + " weights are not four for each layer and direction");
  n.require(n.inputs("PreState").size() == cell->num_states,
            "needs one initial value of each state");
  bool drops = !n.attr("is_test", false) && n.attr("dropout_prob", 0.0f) > 0 && layers > 1;
  n.require(!drops, "dropout between layers in training mode has no lowering");
  return config;
}

// Returns `x` through a Reshape to [0,0,-1], which fails at run time if there are no steps or no
// rows; ONNX Runtime's GRU and LSTM crash on such inputs.
Value emit_nonempty_input_check(NodeContext& n, Value x) {
  auto steps = n.dim(x, 0), rows = n.dim(x, 1);
  n.require(steps != 0 && rows != 0, "an Input without elements has no lowering");
  if (steps > 0 && rows > 0) return x;
  auto same = n.emit("Reshape", {x, n.int64_vector({0, 0, -1})});
  n.declare_type(same, n.require_known_dtype(x), n.shape(x));
  return same;
}

void rnn(NodeContext& n) {
  RnnConfig config = read_rnn_config(n);
  auto x = n.input("Input");
  n.require(n.require_known_rank(x) == 3, "Input needs three axes: time, batch, features");
  if (config.cell.gate_order.size() > 1) x = emit_nonempty_input_check(n, x);
  std::vector<Values> last(config.cell.num_states);
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer)
    x = emit_layer_and_append_final_states(n, config, layer, x, last);
  n.set_output("Out", x);
  Values states;
  for (const Values& of_layers : last) states.push_back(n.concat(of_layers, 0));
  n.set_outputs("State", states);
}

}  // namespace

std::span<const Rule> rnn_rules() {
  static const Rule rules[] = {{"rnn", 14, rnn}};
  return rules;
}

}  // namespace oarlock
