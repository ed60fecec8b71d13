// Recurrent ops over packed sequences: one layer whose input is already multiplied by its weight.
#include <algorithm>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/rnn_gates.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// The input of the recurrence: rows of `x` times `weight` [I,G*H], plus optional `bias` [G*H].
struct RnnInput {
  Expr x, weight;
  Value bias;
};

const std::string& single_name(const Slots& slots, std::string_view slot) {
  static const std::string none;
  auto found = slots.find(slot);
  return found != slots.end() && found->second.size() == 1 ? found->second[0] : none;
}

// The op before `reader` that wrote a variable, if nothing has written it since.
const OpDesc* producer(const NodeContext& n, const std::string& name, const OpDesc& reader) {
  const OpDesc* op = n.last_writer(name);
  return op && op < &reader && single_name(op->outputs, "Out") == name ? op : nullptr;
}

bool unchanged_since(const NodeContext& n, const std::string& name, const OpDesc& op) {
  const OpDesc* writer = n.last_writer(name);
  return n.is_bound(name) && (!writer || writer < &op);
}

// Fuses a preceding `fc`, whose product ONNX's op computes itself.
std::optional<RnnInput> fuse_fc(NodeContext& n, std::int64_t width) {
  const OpDesc* add = producer(n, single_name(n.op().inputs, "Input"), n.op());
  const OpDesc* mul = add && add->type == "elementwise_add"
                          ? producer(n, single_name(add->inputs, "X"), *add)
                          : add;
  if (!mul || mul->type != "mul" || int_attr(*mul, "x_num_col_dims", 1) != 1) return std::nullopt;
  if (int_attr(*mul, "y_num_col_dims", 1) != 1 || std::abs(int_attr(*add, "axis", -1)) != 1)
    return std::nullopt;
  auto &rows = single_name(mul->inputs, "X"), &table = single_name(mul->inputs, "Y");
  auto bias = add == mul ? std::string() : single_name(add->inputs, "Y");
  if (!unchanged_since(n, rows, *mul) || !unchanged_since(n, table, *mul)) return std::nullopt;
  if (add != mul && !unchanged_since(n, bias, *add)) return std::nullopt;
  Value x = n.lookup(rows), weight = n.lookup(table),
        shift = bias.empty() ? Value{} : n.lookup(bias);
  if (n.shape(weight) != Ints{n.dim(weight, 0), width} || n.rank(x) < 2) return std::nullopt;
  if (n.dim(weight, 0) < 1 || (shift && n.shape(shift) != Ints{width})) return std::nullopt;
  return RnnInput{{n, n.reshape(x, {-1, n.dim(weight, 0)})}, {n, weight}, shift};
}

RnnInput rnn_input(NodeContext& n, std::int64_t width) {
  if (auto found = fuse_fc(n, width)) return *found;
  auto x = in(n, "Input");
  n.require(n.require_rank(x) == 2, "needs Input [rows, gates]");
  auto square = n.emit("Expand", {n.scalar_like(0, x), n.ints({width, width})});
  return {x, {n, n.emit("EyeLike", {square})}, {}};
}

struct RecurrentOp {
  std::string_view onnx;
  std::int64_t hidden;
  Values weights;       // W, R and B
  Values states;        // Value{} for a missing state, which starts with 0
  Values extra_inputs;  // additional inputs
  Activations activations;
};

Values op_inputs(NodeContext& n, const RecurrentOp& net, const Expr& x, const Expr& lengths) {
  Values all{x};
  all.insert(all.end(), net.weights.begin(), net.weights.end());
  // ONNX Runtime crashes if there are no sequences.
  auto none = Expr(n, dim_as_vector(n, lengths, 0)) == 0;
  all.push_back(n.cast(runtime_assert(n, lengths, none, "there are no sequences"), DType::int32));
  all.insert(all.end(), net.states.begin(), net.states.end());
  all.insert(all.end(), net.extra_inputs.begin(), net.extra_inputs.end());
  return all;
}

NodeContext::Attrs op_attrs(const RecurrentOp& net, bool reverse) {
  Strings names;
  for (const Activation* each : net.activations) names.emplace_back(each->onnx);
  NodeContext::Attrs attrs{{"hidden_size", net.hidden},
                           {"direction", std::string(reverse ? "reverse" : "forward")},
                           {"activations", names}};
  auto lines = static_cast<std::size_t>(std::count(names.begin(), names.end(), "Affine"));
  if (lines)
    attrs.emplace_back("activation_alpha", std::vector<float>(lines, 1.0f)),
        attrs.emplace_back("activation_beta", std::vector<float>(lines, 0.0f));
  return attrs;
}

Value time_first(const Expr& v) { return v.node().transpose(v, {1, 0}); }

// Runs ONNX's op over padded sequences and restores the NaNs that its kernel hides. x: the rows ->
// [T,H]
Value run_over_sequences(NodeContext& n, const RecurrentOp& net, const Expr& x) {
  auto sequences = input_sequences(n, "Input");
  auto at = padded_index(sequences);
  bool reverse = n.attr("is_reverse", false);
  auto steps = gather_rows(x, time_first(at.rows));  // rows beyond an end are not read
  Expr made(n, n.emit_n(1, net.onnx, op_inputs(n, net, steps, sequences.lengths()),
                        op_attrs(net, reverse))[0]);
  n.declare_type(made, n.require_dtype(x), Ints{-1, 1, -1, net.hidden});
  Values given;
  std::copy_if(net.states.begin(), net.states.end(), std::back_inserter(given),
               [](Value v) { return bool(v); });
  Expr sums(n, time_first(pad_sequences(sum(x, {1}), at)));
  made = made + propagate_nans(nan_mask(sums, given), {reverse});
  return pack_sequences({n, n.transpose(n.squeeze(made, {1}), {1, 0, 2})}, at.mask);
}

Value first_state(NodeContext& n, std::string_view slot) {
  return n.has(slot) ? n.unsqueeze(n.in(slot), {0}) : Value{};
}

// ---- gru ----

// ONNX's update gate z keeps the old state; Paddle's keeps the new one unless origin_mode is set. 1
// - sigmoid(a) is sigmoid(-a).
void gru(NodeContext& n) {
  auto [gates, candidate, hidden] = gru_weights(n);
  auto& gate = activation(n, "gate_activation", "sigmoid");
  bool keeps = n.attr("origin_mode", false);
  n.require(keeps || gate.paddle == "sigmoid", "attribute 'gate_activation' is not sigmoid");
  auto [x, weight, shift] = rnn_input(n, 3 * hidden);
  auto dtype = n.require_dtype(x);
  Floats signs(static_cast<std::size_t>(3 * hidden), 1.0);
  if (!keeps) std::fill_n(signs.begin(), hidden, -1.0);
  Expr sign(n, n.floats(signs, dtype)), column(n, n.unsqueeze(sign, {1}));
  Expr w(n, n.transpose(weight, {1, 0})),
      r(n, n.concat({n.transpose(gates, {1, 0}), n.transpose(candidate, {1, 0})}, 0));
  auto bias = n.has("Bias") ? Expr(n, n.reshape(n.in("Bias"), {3 * hidden})) : sign.scalar_like(0);
  if (shift) bias = bias + Expr(n, shift);
  auto zeros = n.floats(Floats(static_cast<std::size_t>(3 * hidden), 0.0), dtype);
  auto first = [&](Value v) { return n.unsqueeze(v, {0}); };
  RecurrentOp net{"GRU",
                  hidden,
                  {first(w * column), first(r * column), first(n.concat({bias * sign, zeros}, 0))},
                  {first_state(n, "H0")},
                  {},
                  {&gate, &activation(n, "activation", "tanh")}};
  n.out("Hidden", run_over_sequences(n, net, x));
}

// ---- lstm: gates in the order candidate, input, forget, output ----

struct Lstm {
  std::int64_t hidden;
  Value weight, bias,
      peepholes;            // [H,4H]; [4H]; [3H] for input, forget and output gate, or omitted
  Activations activations;  // of gates, candidate and cell
};

Lstm read_lstm(NodeContext& n) {
  auto bias = n.reshape(n.in("Bias"), {-1}), weight = n.in("Weight");
  n.require(n.require_rank(weight) == 2 && n.dim(weight, 1) % 4 == 0,
            "needs Weight [hidden, 4 hidden]");
  auto hidden =
      static_cast<std::int64_t>(require_unroll_size(n, n.dim(weight, 1) / 4, "the hidden size"));
  Value peepholes =
      n.attr("use_peepholes", true) ? n.slice(bias, {4 * hidden}, {7 * hidden}, {0}) : Value{};
  return {
      hidden,
      weight,
      n.slice(bias, {0}, {4 * hidden}, {0}),
      peepholes,
      {&activation(n, "gate_activation", "sigmoid"), &activation(n, "candidate_activation", "tanh"),
       &activation(n, "cell_activation", "tanh")}};
}

Value lstm_hidden(NodeContext& n, const Lstm& net) {
  auto [x, weight, shift] = rnn_input(n, 4 * net.hidden);
  auto dtype = n.require_dtype(x);
  auto sorted = [&](Value v, bool matrix) {
    return reorder_gates(n, v, {1, 3, 2, 0}, net.hidden, matrix);
  };
  Expr bias(n, net.bias);
  if (shift) bias = bias + Expr(n, shift);
  auto zeros = n.floats(Floats(static_cast<std::size_t>(4 * net.hidden), 0.0), dtype);
  auto both = n.concat({sorted(bias, false), n.unsqueeze(zeros, {0})}, 1);
  auto peepholes =
      net.peepholes ? reorder_gates(n, net.peepholes, {0, 2, 1}, net.hidden, false) : Value{};
  return run_over_sequences(n,
                            {"LSTM",
                             net.hidden,
                             {sorted(n.transpose(weight, {1, 0}), true),
                              sorted(n.transpose(net.weight, {1, 0}), true), both},
                             {first_state(n, "H0"), first_state(n, "C0")},
                             {peepholes},
                             net.activations},
                            x);
}

Expr clip_state(const Expr& x, double max_abs) {
  return max_abs > 0 ? max(min(x, max_abs), -max_abs) : x;
}

// The next states: the output, which may be projected, and the cell.
using LstmStep = std::function<Expr(const Expr& hidden)>;
Exprs lstm_step(NodeContext& n, const Lstm& net, const Expr& pre, const Expr& cell, double clip,
                const LstmStep& project) {
  auto part = [&](Value of, std::int64_t at, std::int64_t axis) {
    return Expr(n, n.slice(of, {at * net.hidden}, {(at + 1) * net.hidden}, {axis}));
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

// Outputs and cells of every row, computed step by step. width: of the outputs
Exprs lstm_steps(NodeContext& n, const Lstm& net, std::int64_t width, double clip,
                 const LstmStep& project) {
  auto x = in(n, "Input");
  n.require(n.require_rank(x) == 2, "needs Input [rows, gates]");
  auto sequences = input_sequences(n, "Input");
  auto at = padded_index(sequences);
  auto first = [&](std::string_view slot, std::int64_t size) {
    if (n.has(slot)) return in(n, slot);
    return full_like(x, 0, n.concat({sequences.count(), n.ints({size})}, 0));
  };
  auto step = [&](const Exprs& last, const Exprs& now) -> ScanStep {
    auto pre = now[0] + last[0].emit("MatMul", {net.weight}) + Expr(n, net.bias);
    auto made = lstm_step(n, net, pre, last[1], clip, project);
    auto inside = unsqueeze_to_rank(now[1], 2);
    return {{where(inside, made[0], last[0]), where(inside, made[1], last[1])}, made};
  };
  auto done =
      build_scan(n, {1, n.attr("is_reverse", false)}, {first("H0", width), first("C0", net.hidden)},
                 {pad_sequences(x, at), at.mask}, step);
  return {pack_sequences(done.outputs[0], at.mask), pack_sequences(done.outputs[1], at.mask)};
}

// ONNX's LSTM does not output the cells: if they are read, both are computed step by step.
void lstm(NodeContext& n) {
  auto net = read_lstm(n);
  if (!n.is_read("Cell")) return n.out("Hidden", lstm_hidden(n, net));
  auto made = lstm_steps(n, net, net.hidden, 0, [](const Expr& hidden) { return hidden; });
  n.out("Hidden", made[0]);
  n.out("Cell", made[1]);
}

// An LSTM with projected output.
void lstmp(NodeContext& n) {
  auto net = read_lstm(n);
  auto projection = n.in("ProjWeight");
  n.require(n.require_rank(projection) == 2, "needs ProjWeight [hidden, projection]");
  auto& act = activation(n, "proj_activation", "tanh");
  auto max_projection = static_cast<double>(n.attr("proj_clip", 0.0f));
  auto project = [&](const Expr& hidden) {
    return clip_state(act.apply(hidden.emit("MatMul", {projection})), max_projection);
  };
  auto width = static_cast<std::int64_t>(
      require_unroll_size(n, n.dim(projection, 1), "the size of the projection"));
  auto made = lstm_steps(n, net, width, static_cast<double>(n.attr("cell_clip", 0.0f)), project);
  n.out("Projection", made[0]);
  n.out("Cell", made[1]);
}

}  // namespace

std::span<const Rule> lod_rnn_rules() {
  static const Rule rules[] = {{"gru", 14, gru}, {"lstm", 14, lstm}, {"lstmp", 13, lstmp}};
  return rules;
}

}  // namespace oarlock
