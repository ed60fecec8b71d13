// Recurrent networks over packed sequences, as the first models had them: one layer, its input
// already multiplied.
#include <algorithm>

#include "convert/lod_sequences.h"
#include "convert/operands.h"
#include "convert/ops/rnn_gates.h"
#include "convert/registry.h"
#include "convert/runtime_assert.h"
#include "convert/scan_builder.h"

namespace oarlock {
namespace {

// What a network is fed: rows of `x` times `weight` [I,G*H], plus `bias` [G*H] where there is one.
struct Fed {
  Expr x, weight;
  Value bias;
};

const std::string& only(const Slots& slots, std::string_view slot) {
  static const std::string none;
  auto found = slots.find(slot);
  return found != slots.end() && found->second.size() == 1 ? found->second[0] : none;
}

// The op before `reader` that gave a variable which nothing has written since.
const OpDesc* giver(const Node& n, const std::string& name, const OpDesc& reader) {
  const OpDesc* op = n.writer(name);
  return op && op < &reader && only(op->outputs, "Out") == name ? op : nullptr;
}

bool unchanged_since(const Node& n, const std::string& name, const OpDesc& op) {
  const OpDesc* writer = n.writer(name);
  return n.is_bound(name) && (!writer || writer < &op);
}

// `fc` in front, whose product ONNX's op computes itself: by one matrix instead of two.
std::optional<Fed> behind_fc(Node& n, std::int64_t width) {
  const OpDesc* add = giver(n, only(n.op().inputs, "Input"), n.op());
  const OpDesc* mul =
      add && add->type == "elementwise_add" ? giver(n, only(add->inputs, "X"), *add) : add;
  if (!mul || mul->type != "mul" || int_attr(*mul, "x_num_col_dims", 1) != 1) return std::nullopt;
  if (int_attr(*mul, "y_num_col_dims", 1) != 1 || std::abs(int_attr(*add, "axis", -1)) != 1)
    return std::nullopt;
  auto &rows = only(mul->inputs, "X"), &table = only(mul->inputs, "Y");
  auto bias = add == mul ? std::string() : only(add->inputs, "Y");
  if (!unchanged_since(n, rows, *mul) || !unchanged_since(n, table, *mul)) return std::nullopt;
  if (add != mul && !unchanged_since(n, bias, *add)) return std::nullopt;
  Value x = n.lookup(rows), weight = n.lookup(table), shift = bias.empty() ? "" : n.lookup(bias);
  if (n.shape(weight) != Ints{n.dim(weight, 0), width} || n.rank(x) < 2) return std::nullopt;
  if (n.dim(weight, 0) < 1 || (!shift.empty() && n.shape(shift) != Ints{width}))
    return std::nullopt;
  return Fed{{n, n.reshape(x, {-1, n.dim(weight, 0)})}, {n, weight}, shift};
}

Fed fed(Node& n, std::int64_t width) {
  if (auto found = behind_fc(n, width)) return *found;
  auto x = in(n, "Input");
  n.require(n.need_rank(x) == 2, "needs Input [rows, gates]");
  auto square = n.emit("Expand", {n.scalar_like(0, x), n.ints({width, width})});
  return {x, {n, n.emit("EyeLike", {square})}, ""};
}

struct Network {
  std::string_view onnx;
  std::int64_t hidden;
  Values weights;  // W, R and B
  Values states;   // "" for one that is not given: it begins with 0
  Values more;     // further operands
  Activations activations;
};

Values operands_of(Node& n, const Network& net, const Expr& x, const Expr& lengths) {
  Values all{x};
  all.insert(all.end(), net.weights.begin(), net.weights.end());
  // Of no sequence at all ONNX Runtime ends the process.
  auto none = Expr(n, size_along(n, lengths, 0)) == 0;
  all.push_back(n.cast(only_where_none(n, lengths, none, "there are no sequences"), DType::int32));
  all.insert(all.end(), net.states.begin(), net.states.end());
  all.insert(all.end(), net.more.begin(), net.more.end());
  return all;
}

Node::Attrs attributes(const Network& net, bool reverse) {
  Strings names;
  for (const Activation* each : net.activations) names.emplace_back(each->onnx);
  Node::Attrs attrs{{"hidden_size", net.hidden},
                    {"direction", std::string(reverse ? "reverse" : "forward")},
                    {"activations", names}};
  auto lines = static_cast<std::size_t>(std::count(names.begin(), names.end(), "Affine"));
  if (lines)
    attrs.emplace_back("activation_alpha", std::vector<float>(lines, 1.0f)),
        attrs.emplace_back("activation_beta", std::vector<float>(lines, 0.0f));
  return attrs;
}

Value time_first(const Expr& v) { return v.node().transpose(v, {1, 0}); }

// ONNX's op over padded sequences, with the NaNs that its kernel hides.   x: the rows -> [T,H]
Value over_sequences(Node& n, const Network& net, const Expr& x) {
  auto sequences = sequences_of(n, "Input");
  auto at = places(sequences);
  bool reverse = n.attr("is_reverse", false);
  auto steps = rows_at(x, time_first(at.rows));  // what lies behind an end is not read
  Expr made(n, n.emit_n(1, net.onnx, operands_of(n, net, steps, sequences.lengths()),
                        attributes(net, reverse))[0]);
  n.declare(made, n.need_dtype(x), Ints{-1, 1, -1, net.hidden});
  Values given;
  std::copy_if(net.states.begin(), net.states.end(), std::back_inserter(given),
               [](auto& v) { return !v.empty(); });
  Expr sums(n, time_first(padded(sum(x, {1}), at)));
  made = made + lasting(not_numbers(sums, given), {reverse});
  return packed({n, n.transpose(n.squeeze(made, {1}), {1, 0, 2})}, at.inside);
}

Value first_state(Node& n, std::string_view slot) {
  return n.has(slot) ? n.unsqueeze(n.in(slot), {0}) : "";
}

// ---- gru ----

// What ONNX calls the update gate z keeps the old state; Paddle's keeps the new one, unless told
// so: 1 - sigmoid(a) is sigmoid(-a).
void gru(Node& n) {
  auto [gates, candidate, hidden] = gru_weights(n);
  auto& gate = activation(n, "gate_activation", "sigmoid");
  bool keeps = n.attr("origin_mode", false);
  n.require(keeps || gate.paddle == "sigmoid", "attribute 'gate_activation' is not sigmoid");
  auto [x, weight, shift] = fed(n, 3 * hidden);
  auto dtype = n.need_dtype(x);
  Floats signs(static_cast<std::size_t>(3 * hidden), 1.0);
  if (!keeps) std::fill_n(signs.begin(), hidden, -1.0);
  Expr sign(n, n.floats(signs, dtype)), column(n, n.unsqueeze(sign, {1}));
  Expr w(n, n.transpose(weight, {1, 0})),
      r(n, n.concat({n.transpose(gates, {1, 0}), n.transpose(candidate, {1, 0})}, 0));
  auto bias = n.has("Bias") ? Expr(n, n.reshape(n.in("Bias"), {3 * hidden})) : sign.number(0);
  if (!shift.empty()) bias = bias + Expr(n, shift);
  auto zeros = n.floats(Floats(static_cast<std::size_t>(3 * hidden), 0.0), dtype);
  auto first = [&](const Value& v) { return n.unsqueeze(v, {0}); };
  Network net{"GRU",
              hidden,
              {first(w * column), first(r * column), first(n.concat({bias * sign, zeros}, 0))},
              {first_state(n, "H0")},
              {},
              {&gate, &activation(n, "activation", "tanh")}};
  n.out("Hidden", over_sequences(n, net, x));
}

// ---- lstm: gates in the order of candidate, input, forget, output ----

struct Lstm {
  std::int64_t hidden;
  Value weight, bias,
      peepholes;            // [H,4H]; [4H]; [3H] for input, forget and output gate, "" for none
  Activations activations;  // of gates, candidate and cell
};

Lstm read_lstm(Node& n) {
  auto bias = n.reshape(n.in("Bias"), {-1}), weight = n.in("Weight");
  n.require(n.need_rank(weight) == 2 && n.dim(weight, 1) % 4 == 0,
            "needs Weight [hidden, 4 hidden]");
  auto hidden = static_cast<std::int64_t>(written_size(n, n.dim(weight, 1) / 4, "the hidden size"));
  Value peepholes =
      n.attr("use_peepholes", true) ? n.slice(bias, {4 * hidden}, {7 * hidden}, {0}) : "";
  return {
      hidden,
      weight,
      n.slice(bias, {0}, {4 * hidden}, {0}),
      peepholes,
      {&activation(n, "gate_activation", "sigmoid"), &activation(n, "candidate_activation", "tanh"),
       &activation(n, "cell_activation", "tanh")}};
}

Value hidden_of(Node& n, const Lstm& net) {
  auto [x, weight, shift] = fed(n, 4 * net.hidden);
  auto dtype = n.need_dtype(x);
  auto sorted = [&](const Value& v, bool matrix) {
    return gates_in_order(n, v, {1, 3, 2, 0}, net.hidden, matrix);
  };
  Expr bias(n, net.bias);
  if (!shift.empty()) bias = bias + Expr(n, shift);
  auto zeros = n.floats(Floats(static_cast<std::size_t>(4 * net.hidden), 0.0), dtype);
  auto both = n.concat({sorted(bias, false), n.unsqueeze(zeros, {0})}, 1);
  auto peepholes =
      net.peepholes.empty() ? "" : gates_in_order(n, net.peepholes, {0, 2, 1}, net.hidden, false);
  return over_sequences(n,
                        {"LSTM",
                         net.hidden,
                         {sorted(n.transpose(weight, {1, 0}), true),
                          sorted(n.transpose(net.weight, {1, 0}), true), both},
                         {first_state(n, "H0"), first_state(n, "C0")},
                         {peepholes},
                         net.activations},
                        x);
}

Expr clipped(const Expr& x, double most) { return most > 0 ? max(min(x, most), -most) : x; }

// What the next step begins with: the output, which may be a projection, and the cell.
using LstmStep = std::function<Expr(const Expr& hidden)>;
Exprs lstm_step(Node& n, const Lstm& net, const Expr& pre, const Expr& cell, double clip,
                const LstmStep& project) {
  auto part = [&](const Value& of, std::int64_t at, std::int64_t axis) {
    return Expr(n, n.slice(of, {at * net.hidden}, {(at + 1) * net.hidden}, {axis}));
  };
  auto peep = [&](const Expr& gate, std::int64_t at, const Expr& cell) {
    return net.peepholes.empty() ? gate : gate + cell * part(net.peepholes, at, 0);
  };
  auto candidate = net.activations[1]->of(part(pre, 0, 1));
  auto in = net.activations[0]->of(peep(part(pre, 1, 1), 0, cell));
  auto forget = net.activations[0]->of(peep(part(pre, 2, 1), 1, cell));
  auto now = clipped(candidate * in + cell * forget, clip);
  auto out = net.activations[0]->of(peep(part(pre, 3, 1), 2, now));
  return {project(out * net.activations[2]->of(now)), now};
}

// Outputs and cells of every row, step by step.   width: of the outputs
Exprs steps_of(Node& n, const Lstm& net, std::int64_t width, double clip, const LstmStep& project) {
  auto x = in(n, "Input");
  n.require(n.need_rank(x) == 2, "needs Input [rows, gates]");
  auto sequences = sequences_of(n, "Input");
  auto at = places(sequences);
  auto first = [&](std::string_view slot, std::int64_t size) {
    if (n.has(slot)) return in(n, slot);
    return filled_like(x, 0, n.concat({sequences.count(), n.ints({size})}, 0));
  };
  auto step = [&](const Exprs& last, const Exprs& now) -> Step {
    auto pre = now[0] + last[0].emit("MatMul", {net.weight}) + Expr(n, net.bias);
    auto made = lstm_step(n, net, pre, last[1], clip, project);
    auto inside = with_rank(now[1], 2);
    return {{where(inside, made[0], last[0]), where(inside, made[1], last[1])}, made};
  };
  auto done = walk(n, {1, n.attr("is_reverse", false)},
                   {first("H0", width), first("C0", net.hidden)}, {padded(x, at), at.inside}, step);
  return {packed(done.kept[0], at.inside), packed(done.kept[1], at.inside)};
}

// ONNX's op does not give the cells: where somebody reads them, both are computed step by step.
void lstm(Node& n) {
  auto net = read_lstm(n);
  if (!n.is_read("Cell")) return n.out("Hidden", hidden_of(n, net));
  auto made = steps_of(n, net, net.hidden, 0, [](const Expr& hidden) { return hidden; });
  n.out("Hidden", made[0]);
  n.out("Cell", made[1]);
}

// An LSTM whose output is projected before it comes back.
void lstmp(Node& n) {
  auto net = read_lstm(n);
  auto projection = n.in("ProjWeight");
  n.require(n.need_rank(projection) == 2, "needs ProjWeight [hidden, projection]");
  auto& act = activation(n, "proj_activation", "tanh");
  auto most = static_cast<double>(n.attr("proj_clip", 0.0f));
  auto project = [&](const Expr& hidden) {
    return clipped(act.of(hidden.emit("MatMul", {projection})), most);
  };
  auto width = static_cast<std::int64_t>(
      written_size(n, n.dim(projection, 1), "the size of the projection"));
  auto made = steps_of(n, net, width, static_cast<double>(n.attr("cell_clip", 0.0f)), project);
  n.out("Projection", made[0]);
  n.out("Cell", made[1]);
}

}  // namespace

std::span<const Rule> rnn_packed_rules() {
  static const Rule rules[] = {{"gru", 14, gru}, {"lstm", 14, lstm}, {"lstmp", 13, lstmp}};
  return rules;
}

}  // namespace oarlock
