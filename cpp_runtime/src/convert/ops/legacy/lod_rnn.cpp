// Recurrent ops over packed sequences: one layer whose input is already multiplied by its weight.
#include <algorithm>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/rnn_gates_activations_and_nans.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// The input of a recurrent op: rows of `x` times `weight` [I,G*H] (G gates, hidden size H), plus
// optional `bias` [G*H].
struct RnnInputProjection {
  Expr x, weight;
  Value bias;
};

const std::string& single_name_or_empty(const Slots& slots, std::string_view slot) {
  static const std::string none;
  auto it = slots.find(slot);
  return it != slots.end() && it->second.size() == 1 ? it->second[0] : none;
}

// The op before `reader` that writes variable `name` as its only output Out; null if a later op
// writes the variable again.
const OpDesc* find_input_producer(const NodeContext& n, const std::string& name,
                                  const OpDesc& reader) {
  const OpDesc* op = n.find_latest_earlier_writer_in_block(name);
  return op && op < &reader && single_name_or_empty(op->outputs, "Out") == name ? op : nullptr;
}

bool is_variable_unchanged_since_op(const NodeContext& n, const std::string& name,
                                    const OpDesc& op) {
  const OpDesc* writer = n.find_latest_earlier_writer_in_block(name);
  return n.has_variable_value(name) && (!writer || writer < &op);
}

// The operands of the ops `mul` and `elementwise_add` (a fully connected layer) that compute the
// input of the recurrent op, because ONNX's op contains this product; nullopt if other ops compute
// it.
std::optional<RnnInputProjection> find_fc_input_projection(NodeContext& n, std::int64_t width) {
  const OpDesc* add = find_input_producer(n, single_name_or_empty(n.op().inputs, "Input"), n.op());
  const OpDesc* mul = add && add->type == "elementwise_add"
                          ? find_input_producer(n, single_name_or_empty(add->inputs, "X"), *add)
                          : add;
  if (!mul || mul->type != "mul" || int_attr(*mul, "x_num_col_dims", 1) != 1) return std::nullopt;
  if (int_attr(*mul, "y_num_col_dims", 1) != 1 || std::abs(int_attr(*add, "axis", -1)) != 1)
    return std::nullopt;
  auto &rows = single_name_or_empty(mul->inputs, "X"),
       &table = single_name_or_empty(mul->inputs, "Y");
  auto bias = add == mul ? std::string() : single_name_or_empty(add->inputs, "Y");
  if (!is_variable_unchanged_since_op(n, rows, *mul) ||
      !is_variable_unchanged_since_op(n, table, *mul))
    return std::nullopt;
  if (add != mul && !is_variable_unchanged_since_op(n, bias, *add)) return std::nullopt;
  Value x = n.require_value_or_add_weight(rows), weight = n.require_value_or_add_weight(table),
        shift = bias.empty() ? Value{} : n.require_value_or_add_weight(bias);
  if (n.shape(weight) != Ints{n.dim(weight, 0), width} || n.rank(x) < 2) return std::nullopt;
  if (n.dim(weight, 0) < 1 || (shift && n.shape(shift) != Ints{width})) return std::nullopt;
  return RnnInputProjection{{n, n.reshape(x, {-1, n.dim(weight, 0)})}, {n, weight}, shift};
}

RnnInputProjection read_rnn_input_projection(NodeContext& n, std::int64_t width) {
  if (auto fused = find_fc_input_projection(n, width)) return *fused;
  auto x = input_expr(n, "Input");
  n.require(n.require_known_rank(x) == 2, "needs Input [rows, gates]");
  auto square = n.emit("Expand", {n.scalar_like(0, x), n.int64_vector({width, width})});
  return {x, {n, n.emit("EyeLike", {square})}, {}};
}

struct OnnxRnnNode {
  std::string_view onnx;
  std::int64_t hidden_size;
  Values weights;       // W, R and B
  Values states;        // Value{} for a missing state, which starts with 0
  Values extra_inputs;  // additional inputs
  Activations activations;
};

Values onnx_rnn_inputs(NodeContext& n, const OnnxRnnNode& net, const Expr& x, const Expr& lengths) {
  Values all{x};
  all.insert(all.end(), net.weights.begin(), net.weights.end());
  // The run fails if the batch has no sequences, because ONNX Runtime's recurrent ops would crash.
  auto none = Expr(n, dim_as_vector(n, lengths, 0)) == 0;
  all.push_back(
      n.cast(fail_at_run_time_if_any(n, lengths, none, "there are no sequences"), DType::int32));
  all.insert(all.end(), net.states.begin(), net.states.end());
  all.insert(all.end(), net.extra_inputs.begin(), net.extra_inputs.end());
  return all;
}

NodeContext::Attrs onnx_rnn_attrs(const OnnxRnnNode& net, bool reverse) {
  Strings names;
  for (const ActivationRow* each : net.activations) names.emplace_back(each->onnx);
  NodeContext::Attrs attrs{{"hidden_size", net.hidden_size},
                           {"direction", std::string(reverse ? "reverse" : "forward")},
                           {"activations", names}};
  auto lines = static_cast<std::size_t>(std::count(names.begin(), names.end(), "Affine"));
  if (lines)
    attrs.emplace_back("activation_alpha", std::vector<float>(lines, 1.0f)),
        attrs.emplace_back("activation_beta", std::vector<float>(lines, 0.0f));
  return attrs;
}

Value swap_batch_and_time(const Expr& v) { return v.context().transpose(v, {1, 0}); }

// Emits ONNX's recurrent op over padded sequences, and restores the NaNs that ONNX Runtime's kernel
// hides. x: the rows -> [T,H]
Value emit_rnn_on_padded_sequences(NodeContext& n, const OnnxRnnNode& net, const Expr& x) {
  auto sequences = require_input_row_partition(n, "Input");
  auto at = emit_padded_row_indices_and_mask(sequences);
  bool reverse = n.attr("is_reverse", false);
  auto steps = gather_rows(x, swap_batch_and_time(at.rows));  // rows beyond an end are not read
  Expr output(n,
              n.emit_multi_output(1, net.onnx, onnx_rnn_inputs(n, net, steps, sequences.lengths()),
                                  onnx_rnn_attrs(net, reverse))[0]);
  n.declare_type(output, n.require_known_dtype(x), Ints{-1, 1, -1, net.hidden_size});
  Values initial_states;
  std::copy_if(net.states.begin(), net.states.end(), std::back_inserter(initial_states),
               [](Value v) { return bool(v); });
  Expr sums(n, swap_batch_and_time(pad_sequences(sum(x, {1}), at)));
  output = output + propagate_nans_to_later_steps(
                        nan_or_zero_from_row_sums_and_states(sums, initial_states), {reverse});
  return pack_sequences({n, n.transpose(n.squeeze(output, {1}), {1, 0, 2})}, at.mask);
}

Value read_optional_initial_state(NodeContext& n, std::string_view slot) {
  return n.has_input(slot) ? n.unsqueeze(n.input(slot), {0}) : Value{};
}

// ---- gru ----

// ONNX's update gate z keeps the old state; Paddle's keeps the new one unless origin_mode is set. 1
// - sigmoid(a) is sigmoid(-a).
void gru(NodeContext& n) {
  auto [gates, candidate, hidden] = split_legacy_gru_weight(n);
  auto& gate = read_activation_attr(n, "gate_activation", "sigmoid");
  bool is_origin_mode = n.attr("origin_mode", false);
  n.require(is_origin_mode || gate.paddle == "sigmoid",
            "attribute 'gate_activation' is not sigmoid");
  auto [x, weight, shift] = read_rnn_input_projection(n, 3 * hidden);
  auto dtype = n.require_known_dtype(x);
  Floats signs(static_cast<std::size_t>(3 * hidden), 1.0);
  if (!is_origin_mode) std::fill_n(signs.begin(), hidden, -1.0);
  Expr sign(n, n.vector(signs, dtype)), column(n, n.unsqueeze(sign, {1}));
  Expr w(n, n.transpose(weight, {1, 0})),
      r(n, n.concat({n.transpose(gates, {1, 0}), n.transpose(candidate, {1, 0})}, 0));
  auto bias =
      n.has_input("Bias") ? Expr(n, n.reshape(n.input("Bias"), {3 * hidden})) : sign.scalar_like(0);
  if (shift) bias = bias + Expr(n, shift);
  auto zeros = n.vector(Floats(static_cast<std::size_t>(3 * hidden), 0.0), dtype);
  auto first = [&](Value v) { return n.unsqueeze(v, {0}); };
  OnnxRnnNode net{"GRU",
                  hidden,
                  {first(w * column), first(r * column), first(n.concat({bias * sign, zeros}, 0))},
                  {read_optional_initial_state(n, "H0")},
                  {},
                  {&gate, &read_activation_attr(n, "activation", "tanh")}};
  n.set_output("Hidden", emit_rnn_on_padded_sequences(n, net, x));
}

// ---- lstm: gates in the order candidate, input, forget, output ----

struct LstmParameters {
  std::int64_t hidden_size;
  Value weight, bias,
      peepholes;            // [H,4H]; [4H]; [3H] for input, forget and output gate, or omitted
  Activations activations;  // of gates, candidate and cell
};

LstmParameters read_lstm_parameters(NodeContext& n) {
  auto bias = n.reshape(n.input("Bias"), {-1}), weight = n.input("Weight");
  n.require(n.require_known_rank(weight) == 2 && n.dim(weight, 1) % 4 == 0,
            "needs Weight [hidden, 4 hidden]");
  auto hidden = static_cast<std::int64_t>(
      require_unrollable_size(n, n.dim(weight, 1) / 4, "the hidden size"));
  Value peepholes =
      n.attr("use_peepholes", true) ? n.slice(bias, {4 * hidden}, {7 * hidden}, {0}) : Value{};
  return {hidden,
          weight,
          n.slice(bias, {0}, {4 * hidden}, {0}),
          peepholes,
          {&read_activation_attr(n, "gate_activation", "sigmoid"),
           &read_activation_attr(n, "candidate_activation", "tanh"),
           &read_activation_attr(n, "cell_activation", "tanh")}};
}

Value emit_lstm(NodeContext& n, const LstmParameters& net) {
  auto [x, weight, shift] = read_rnn_input_projection(n, 4 * net.hidden_size);
  auto dtype = n.require_known_dtype(x);
  auto sorted = [&](Value v, bool matrix) {
    return reorder_gates(n, v, {1, 3, 2, 0}, net.hidden_size, matrix);
  };
  Expr bias(n, net.bias);
  if (shift) bias = bias + Expr(n, shift);
  auto zeros = n.vector(Floats(static_cast<std::size_t>(4 * net.hidden_size), 0.0), dtype);
  auto both = n.concat({sorted(bias, false), n.unsqueeze(zeros, {0})}, 1);
  auto peepholes =
      net.peepholes ? reorder_gates(n, net.peepholes, {0, 2, 1}, net.hidden_size, false) : Value{};
  return emit_rnn_on_padded_sequences(
      n,
      {"LSTM",
       net.hidden_size,
       {sorted(n.transpose(weight, {1, 0}), true), sorted(n.transpose(net.weight, {1, 0}), true),
        both},
       {read_optional_initial_state(n, "H0"), read_optional_initial_state(n, "C0")},
       {peepholes},
       net.activations},
      x);
}

Expr clip_state(const Expr& x, double max_abs) {
  return max_abs > 0 ? max(min(x, max_abs), -max_abs) : x;
}

// One step of an LSTM: returns the next output, projected by `project`, and the next cell state.
using LstmStep = std::function<Expr(const Expr& hidden)>;
Exprs lstm_step(NodeContext& n, const LstmParameters& net, const Expr& pre, const Expr& cell,
                double clip, const LstmStep& project) {
  auto part = [&](Value of, std::int64_t at, std::int64_t axis) {
    return Expr(n, n.slice(of, {at * net.hidden_size}, {(at + 1) * net.hidden_size}, {axis}));
  };
  auto peep = [&](const Expr& gate, std::int64_t at, const Expr& cell) {
    return net.peepholes ? gate + cell * part(net.peepholes, at, 0) : gate;
  };
  auto candidate = net.activations[1]->apply(part(pre, 0, 1));
  auto in = net.activations[0]->apply(peep(part(pre, 1, 1), 0, cell));
  auto forget = net.activations[0]->apply(peep(part(pre, 2, 1), 1, cell));
  auto now = clip_state(candidate * in + cell * forget, clip);
  auto out = net.activations[0]->apply(peep(part(pre, 3, 1), 2, now));
  return {project(out * net.activations[2]->apply(now)), now};
}

// An LSTM over packed sequences as a Scan over its steps: returns the outputs and the cell states
// of every row. width: of the outputs
Exprs scan_lstm(NodeContext& n, const LstmParameters& net, std::int64_t width, double clip,
                const LstmStep& project) {
  auto x = input_expr(n, "Input");
  n.require(n.require_known_rank(x) == 2, "needs Input [rows, gates]");
  auto sequences = require_input_row_partition(n, "Input");
  auto at = emit_padded_row_indices_and_mask(sequences);
  auto first = [&](std::string_view slot, std::int64_t size) {
    if (n.has_input(slot)) return input_expr(n, slot);
    return full_like(x, 0, n.concat({sequences.count(), n.int64_vector({size})}, 0));
  };
  auto step = [&](const Exprs& last, const Exprs& now) -> IterationResult {
    auto pre = now[0] + last[0].emit("MatMul", {net.weight}) + Expr(n, net.bias);
    auto next = lstm_step(n, net, pre, last[1], clip, project);
    auto inside = append_unit_axes_to_rank(now[1], 2);
    return {{where(inside, next[0], last[0]), where(inside, next[1], last[1])}, next};
  };
  auto done = build_scan(n, {1, n.attr("is_reverse", false)},
                         {first("H0", width), first("C0", net.hidden_size)},
                         {pad_sequences(x, at), at.mask}, step);
  return {pack_sequences(done.outputs[0], at.mask), pack_sequences(done.outputs[1], at.mask)};
}

// ONNX's LSTM does not output the cell state of each step; if an op reads it, outputs and cell
// states are computed step by step by a Scan.
void lstm(NodeContext& n) {
  auto net = read_lstm_parameters(n);
  if (!n.is_output_read("Cell")) return n.set_output("Hidden", emit_lstm(n, net));
  auto outputs = scan_lstm(n, net, net.hidden_size, 0, [](const Expr& hidden) { return hidden; });
  n.set_output("Hidden", outputs[0]);
  n.set_output("Cell", outputs[1]);
}

// The op `lstmp`: an LSTM over packed sequences, whose hidden state is projected to a smaller size.
void lstmp(NodeContext& n) {
  auto net = read_lstm_parameters(n);
  auto projection = n.input("ProjWeight");
  n.require(n.require_known_rank(projection) == 2, "needs ProjWeight [hidden, projection]");
  auto& act = read_activation_attr(n, "proj_activation", "tanh");
  auto max_projection = static_cast<double>(n.attr("proj_clip", 0.0f));
  auto project = [&](const Expr& hidden) {
    return clip_state(act.apply(hidden.emit("MatMul", {projection})), max_projection);
  };
  auto width = static_cast<std::int64_t>(
      require_unrollable_size(n, n.dim(projection, 1), "the size of the projection"));
  auto outputs = scan_lstm(n, net, width, static_cast<double>(n.attr("cell_clip", 0.0f)), project);
  n.set_output("Projection", outputs[0]);
  n.set_output("Cell", outputs[1]);
}

}  // namespace

std::span<const Rule> lod_rnn_rules() {
  static const Rule rules[] = {{"gru", 14, gru}, {"lstm", 14, lstm}, {"lstmp", 13, lstmp}};
  return rules;
}

}  // namespace oarlock
