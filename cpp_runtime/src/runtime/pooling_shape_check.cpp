#include "runtime/pooling_shape_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "oarlock/error.h"

namespace oarlock {
namespace {

// Ops whose result is as large as X.
constexpr std::array<std::string_view, 23> kKeeping = {"assign",        "batch_norm",
                                                       "cast",          "clip",
                                                       "dropout",       "elu",
                                                       "gelu",          "group_norm",
                                                       "hard_sigmoid",  "hard_swish",
                                                       "instance_norm", "leaky_relu",
                                                       "mish",          "prelu",
                                                       "relu",          "relu6",
                                                       "scale",         "sigmoid",
                                                       "silu",          "softplus",
                                                       "swish",         "sync_batch_norm",
                                                       "tanh"};

// The only name in the first of these slots that the op has.
const std::string* only(const Slots& slots, std::initializer_list<std::string_view> names) {
  for (auto name : names)
    if (auto found = slots.find(name); found != slots.end() && found->second.size() == 1)
      return &found->second[0];
  return nullptr;
}

template <class T>
T attr(const OpDesc& op, std::string_view name, T otherwise) {
  auto found = op.attrs.find(name);
  const T* value = found == op.attrs.end() ? nullptr : std::get_if<T>(&found->second.value);
  return value ? *value : otherwise;
}

}  // namespace

// Finds the steps: which variables are pictures whose sizes come from an input, and whether a
// convolution lies before them.
class Pictures::Follow {
 public:
  Follow(const Program& program, Pictures& made) : program_(program), made_(made) {
    for (const std::string& name : program.feeds()) {
      const VarDesc* var = program.var(name);
      if (var && var->shape.size() >= 3) known_[name] = {made.inputs_, var->shape.size(), false};
      ++made.inputs_;
    }
    made.places_ = made.inputs_;
  }

  void all() {
    for (const OpDesc& op : program_.blocks[0].ops)
      if (op.type != "feed") see(op);
  }

 private:
  struct Place {
    std::size_t at, rank;
    bool convolved;
  };

  const Place* place(const std::string* name) const {
    auto found = name ? known_.find(*name) : known_.end();
    return found == known_.end() ? nullptr : &found->second;
  }

  void see(const OpDesc& op) {
    bool conv = op.type == "conv2d" || op.type == "depthwise_conv2d" || op.type == "conv3d";
    auto step = conv                                               ? convolution(op)
                : op.type == "pool2d" || op.type == "pool3d"       ? pool(op)
                : op.type == "elementwise_add" || op.type == "sum" ? sum(op)
                : op.type == "concat"                              ? joined(op)
                : std::find(kKeeping.begin(), kKeeping.end(), op.type) != kKeeping.end()
                    ? keeping(op)
                    : std::nullopt;
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) known_.erase(name);  // another value under that name
    const std::string* to = only(op.outputs, {"Out", "Output", "Y"});
    if (!step || !to) return;
    step->to = made_.places_++;
    known_[*to] = {step->to, rank_, convolved_ || conv};
    made_.steps_.push_back(*std::move(step));
  }

  std::optional<Step> from(const OpDesc& op, const Place* x) {
    if (!x) return {};
    rank_ = x->rank, convolved_ = x->convolved;
    return Step{.op = &op, .from = x->at, .other = x->at, .to = 0};
  }

  std::optional<Step> keeping(const OpDesc& op) { return from(op, place(only(op.inputs, {"X"}))); }

  // One number for each channel, or two pictures.
  std::optional<Step> sum(const OpDesc& op) {
    auto several = op.inputs.find("X");
    bool list = op.type == "sum" && several != op.inputs.end() && several->second.size() == 2;
    const std::string* second = list ? &several->second[1] : only(op.inputs, {"Y"});
    auto step = from(op, place(list ? &several->second[0] : only(op.inputs, {"X"})));
    const VarDesc* var = second ? program_.var(*second) : nullptr;
    if (!step || !var) return {};
    bool small =
        var->shape.size() == rank_ && std::count(var->shape.begin() + 2, var->shape.end(), 1) ==
                                          static_cast<std::ptrdiff_t>(rank_) - 2;
    if (small || (var->persistable && var->shape.size() == 1)) return step;
    const Place* y = place(second);
    if (!y || y->rank != rank_) return {};
    step->other = y->at, convolved_ = convolved_ || y->convolved;
    return step;
  }

  std::optional<Step> joined(const OpDesc& op) {
    auto all = op.inputs.find("X");
    if (all == op.inputs.end() || only(op.inputs, {"AxisTensor"}) ||
        attr<std::int64_t>(op, "axis", 0) != 1)
      return {};
    for (const std::string& name : all->second)
      if (const Place* x = place(&name)) return from(op, x);
    return {};
  }

  std::optional<Step> windows(const OpDesc& op, std::optional<Step> step, const Ints& kernel) {
    std::size_t dims = rank_ - 2;
    auto format = attr<std::string>(op, "data_format", "NCHW"),
         how = attr<std::string>(op, "padding_algorithm", "EXPLICIT");
    auto pads = attr<Ints>(op, "paddings", Ints(dims, 0));
    if (!step || (!format.empty() && format.back() == 'C')) return {};
    step->reach = kernel, step->strides = attr<Ints>(op, "strides", Ints(dims, 1));
    step->pads.assign(dims, how == "SAME" ? -1 : 0);
    if (kernel.size() != dims || step->strides.size() != dims ||
        (pads.size() != dims && pads.size() != 2 * dims))
      return {};
    for (std::size_t i = 0; how == "EXPLICIT" && i < dims; ++i)
      step->pads[i] = pads.size() == dims ? 2 * pads[i] : pads[2 * i] + pads[2 * i + 1];
    bool sound =
        std::all_of(kernel.begin(), kernel.end(), [](auto k) { return k > 0; }) &&
        std::all_of(step->strides.begin(), step->strides.end(), [](auto s) { return s > 0; });
    return sound ? step : std::nullopt;
  }

  std::optional<Step> convolution(const OpDesc& op) {
    auto step = from(op, place(only(op.inputs, {"Input"})));
    const std::string* name = only(op.inputs, {"Filter"});
    const VarDesc* filter = name ? program_.var(*name) : nullptr;
    if (!step || !filter || filter->shape.size() != rank_ || rank_ < 3) return {};
    Ints reach(filter->shape.begin() + 2, filter->shape.end()),
        dilations = attr<Ints>(op, "dilations", Ints(rank_ - 2, 1));
    for (std::size_t i = 0; i < reach.size(); ++i)
      reach[i] = reach[i] < 0 ? -1 : (i < dilations.size() ? dilations[i] : 1) * (reach[i] - 1) + 1;
    return windows(op, step, reach);
  }

  std::optional<Step> pool(const OpDesc& op) {
    auto step = from(op, place(only(op.inputs, {"X"})));
    if (!step || rank_ < 3 || attr(op, "adaptive", false) || attr(op, "global_pooling", false))
      return {};
    step->ceil = attr(op, "ceil_mode", false);
    step->pool = convolved_;
    return windows(op, step, attr<Ints>(op, "ksize", {}));
  }

  const Program& program_;
  Pictures& made_;
  std::map<std::string, Place, std::less<>> known_;
  std::size_t rank_ = 0;
  bool convolved_ = false;
};

// What no pool comes behind is not followed.
Pictures::Pictures(const Program& program) {
  Follow(program, *this).all();
  std::vector<bool> wanted(places_);
  std::vector<Step> kept;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!step->pool && !wanted[step->to]) continue;
    wanted[step->from] = wanted[step->other] = true;
    kept.push_back(std::move(*step));
  }
  steps_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

// Divisions cut off, as in Paddle and in the engine: a window that misses less than a stride is
// begun.
void Pictures::go(const Step& step, Ints& out) {
  for (std::size_t i = 0; i < step.reach.size(); ++i) {
    std::int64_t& size = out[2 + i];
    if (size < 0) continue;
    auto stride = step.strides[i], rest = size + step.pads[i] - step.reach[i];
    size = step.pads[i] < 0 ? (size + stride - 1) / stride
                            : (rest + (step.ceil ? stride - 1 : 0)) / stride + 1;
    if (size <= 0) size = step.pool ? 0 : -1;  // of a convolution the engine says so itself
  }
}

void Pictures::check(std::span<const TensorView> inputs) const {
  if (steps_.empty() || inputs.size() < inputs_) return;
  std::vector<Ints> shapes(places_);
  for (std::size_t i = 0; i < inputs_; ++i)
    shapes[i].assign(inputs[i].shape.begin(), inputs[i].shape.end());
  for (const Step& step : steps_) {
    const Ints &in = shapes[step.from], &other = shapes[step.other];
    Ints out = in;
    for (std::size_t axis = 0; axis < out.size(); ++axis)
      out[axis] = in[axis] < 0 || axis >= other.size() || other[axis] < 0
                      ? -1
                      : std::max(in[axis], other[axis]);
    if (2 + step.reach.size() <= out.size()) go(step, out);
    for (std::size_t axis = 2; step.pool && axis < out.size(); ++axis)
      if (in[axis] > 0 && out[axis] == 0) refuse(step, in);
    shapes[step.to] = std::move(out);
  }
}

void Pictures::refuse(const Step& step, const Ints& shape) const {
  const std::string* gives = only(step.op->outputs, {"Out"});
  std::string at = step.op->where.empty() ? "" : "\n    at " + step.op->where;
  throw Error(Fault::engine, "engine: " + step.op->type + ", giving '" + (gives ? *gives : "") +
                                 "': a window of " + show(step.reach) +
                                 " does not fit into what is left of the picture, " +
                                 show(Ints(shape.begin() + 2, shape.end())) + at);
}

}  // namespace oarlock
