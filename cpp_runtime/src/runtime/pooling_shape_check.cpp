#include "runtime/pooling_shape_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "oarlock/error.h"

namespace oarlock {
namespace {

// Ops whose output has the shape of X.
constexpr std::array<std::string_view, 23> kShapePreservingOps = {
    "assign",        "batch_norm",
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

// The single name in the first of these slots that the op has.
const std::string* single_name(const Slots& slots, std::initializer_list<std::string_view> names) {
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

// Collects the steps: variables that are images with sizes that derive from an input, and whether a
// convolution precedes them.
class PoolingShapeCheck::StepFinder {
 public:
  StepFinder(const Program& program, PoolingShapeCheck& made) : program_(program), check_(made) {
    for (const std::string& name : program.feeds()) {
      const VarDesc* var = program.var(name);
      if (var && var->shape.size() >= 3) known_[name] = {made.inputs_, var->shape.size(), false};
      ++made.inputs_;
    }
    made.num_shapes_ = made.inputs_;
  }

  void run() {
    for (const OpDesc& op : program_.blocks[0].ops)
      if (op.type != "feed") visit(op);
  }

 private:
  struct TrackedShape {
    std::size_t index, rank;
    bool after_conv;
  };

  const TrackedShape* find(const std::string* name) const {
    auto found = name ? known_.find(*name) : known_.end();
    return found == known_.end() ? nullptr : &found->second;
  }

  void visit(const OpDesc& op) {
    bool conv = op.type == "conv2d" || op.type == "depthwise_conv2d" || op.type == "conv3d";
    auto step = conv                                               ? convolution(op)
                : op.type == "pool2d" || op.type == "pool3d"       ? pool(op)
                : op.type == "elementwise_add" || op.type == "sum" ? sum(op)
                : op.type == "concat"                              ? concat(op)
                : std::find(kShapePreservingOps.begin(), kShapePreservingOps.end(), op.type) !=
                        kShapePreservingOps.end()
                    ? same_shape(op)
                    : std::nullopt;
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) known_.erase(name);  // the name now has another value
    const std::string* to = single_name(op.outputs, {"Out", "Output", "Y"});
    if (!step || !to) return;
    step->output = check_.num_shapes_++;
    known_[*to] = {step->output, rank_, after_conv_ || conv};
    check_.steps_.push_back(*std::move(step));
  }

  std::optional<Step> step_from(const OpDesc& op, const TrackedShape* x) {
    if (!x) return {};
    rank_ = x->rank, after_conv_ = x->after_conv;
    return Step{.op = &op, .input = x->index, .other_input = x->index, .output = 0};
  }

  std::optional<Step> same_shape(const OpDesc& op) {
    return step_from(op, find(single_name(op.inputs, {"X"})));
  }

  // Adds one value per channel, or two images.
  std::optional<Step> sum(const OpDesc& op) {
    auto several = op.inputs.find("X");
    bool list = op.type == "sum" && several != op.inputs.end() && several->second.size() == 2;
    const std::string* second = list ? &several->second[1] : single_name(op.inputs, {"Y"});
    auto step = step_from(op, find(list ? &several->second[0] : single_name(op.inputs, {"X"})));
    const VarDesc* var = second ? program_.var(*second) : nullptr;
    if (!step || !var) return {};
    bool small =
        var->shape.size() == rank_ && std::count(var->shape.begin() + 2, var->shape.end(), 1) ==
                                          static_cast<std::ptrdiff_t>(rank_) - 2;
    if (small || (var->persistable && var->shape.size() == 1)) return step;
    const TrackedShape* y = find(second);
    if (!y || y->rank != rank_) return {};
    step->other_input = y->index, after_conv_ = after_conv_ || y->after_conv;
    return step;
  }

  std::optional<Step> concat(const OpDesc& op) {
    auto all = op.inputs.find("X");
    if (all == op.inputs.end() || single_name(op.inputs, {"AxisTensor"}) ||
        attr<std::int64_t>(op, "axis", 0) != 1)
      return {};
    for (const std::string& name : all->second)
      if (const TrackedShape* x = find(&name)) return step_from(op, x);
    return {};
  }

  std::optional<Step> with_window(const OpDesc& op, std::optional<Step> step, const Ints& kernel) {
    std::size_t dims = rank_ - 2;
    auto format = attr<std::string>(op, "data_format", "NCHW"),
         algorithm = attr<std::string>(op, "padding_algorithm", "EXPLICIT");
    auto pads = attr<Ints>(op, "paddings", Ints(dims, 0));
    if (!step || (!format.empty() && format.back() == 'C')) return {};
    step->windows = kernel, step->strides = attr<Ints>(op, "strides", Ints(dims, 1));
    step->pads.assign(dims, algorithm == "SAME" ? -1 : 0);
    if (kernel.size() != dims || step->strides.size() != dims ||
        (pads.size() != dims && pads.size() != 2 * dims))
      return {};
    for (std::size_t i = 0; algorithm == "EXPLICIT" && i < dims; ++i)
      step->pads[i] = pads.size() == dims ? 2 * pads[i] : pads[2 * i] + pads[2 * i + 1];
    bool is_valid =
        std::all_of(kernel.begin(), kernel.end(), [](auto k) { return k > 0; }) &&
        std::all_of(step->strides.begin(), step->strides.end(), [](auto s) { return s > 0; });
    return is_valid ? step : std::nullopt;
  }

  std::optional<Step> convolution(const OpDesc& op) {
    auto step = step_from(op, find(single_name(op.inputs, {"Input"})));
    const std::string* name = single_name(op.inputs, {"Filter"});
    const VarDesc* filter = name ? program_.var(*name) : nullptr;
    if (!step || !filter || filter->shape.size() != rank_ || rank_ < 3) return {};
    Ints reach(filter->shape.begin() + 2, filter->shape.end()),
        dilations = attr<Ints>(op, "dilations", Ints(rank_ - 2, 1));
    for (std::size_t i = 0; i < reach.size(); ++i)
      reach[i] = reach[i] < 0 ? -1 : (i < dilations.size() ? dilations[i] : 1) * (reach[i] - 1) + 1;
    return with_window(op, step, reach);
  }

  std::optional<Step> pool(const OpDesc& op) {
    auto step = step_from(op, find(single_name(op.inputs, {"X"})));
    if (!step || rank_ < 3 || attr(op, "adaptive", false) || attr(op, "global_pooling", false))
      return {};
    step->ceil = attr(op, "ceil_mode", false);
    step->after_conv = after_conv_;
    return with_window(op, step, attr<Ints>(op, "ksize", {}));
  }

  const Program& program_;
  PoolingShapeCheck& check_;
  std::map<std::string, TrackedShape, std::less<>> known_;
  std::size_t rank_ = 0;
  bool after_conv_ = false;
};

// Removes steps that no pool depends on.
PoolingShapeCheck::PoolingShapeCheck(const Program& program) {
  StepFinder(program, *this).run();
  std::vector<bool> is_needed(num_shapes_);
  std::vector<Step> needed_steps;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!step->after_conv && !is_needed[step->output]) continue;
    is_needed[step->input] = is_needed[step->other_input] = true;
    needed_steps.push_back(std::move(*step));
  }
  steps_.assign(std::make_move_iterator(needed_steps.rbegin()),
                std::make_move_iterator(needed_steps.rend()));
}

// Division truncates, as in Paddle and ONNX Runtime: a window that lacks less than a stride is
// counted.
void PoolingShapeCheck::apply(const Step& step, Ints& out) {
  for (std::size_t i = 0; i < step.windows.size(); ++i) {
    std::int64_t& size = out[2 + i];
    if (size < 0) continue;
    auto stride = step.strides[i], rest = size + step.pads[i] - step.windows[i];
    size = step.pads[i] < 0 ? (size + stride - 1) / stride
                            : (rest + (step.ceil ? stride - 1 : 0)) / stride + 1;
    if (size <= 0)
      size = step.after_conv ? 0 : -1;  // for a convolution, ONNX Runtime reports the error itself
  }
}

void PoolingShapeCheck::check(std::span<const TensorView> inputs) const {
  if (steps_.empty() || inputs.size() < inputs_) return;
  std::vector<Ints> shapes(num_shapes_);
  for (std::size_t i = 0; i < inputs_; ++i)
    shapes[i].assign(inputs[i].shape.begin(), inputs[i].shape.end());
  for (const Step& step : steps_) {
    const Ints &in = shapes[step.input], &other = shapes[step.other_input];
    Ints out = in;
    for (std::size_t axis = 0; axis < out.size(); ++axis)
      out[axis] = in[axis] < 0 || axis >= other.size() || other[axis] < 0
                      ? -1
                      : std::max(in[axis], other[axis]);
    if (2 + step.windows.size() <= out.size()) apply(step, out);
    for (std::size_t axis = 2; step.after_conv && axis < out.size(); ++axis)
      if (in[axis] > 0 && out[axis] == 0) fail(step, in);
    shapes[step.output] = std::move(out);
  }
}

void PoolingShapeCheck::fail(const Step& step, const Ints& shape) const {
  const std::string* gives = single_name(step.op->outputs, {"Out"});
  std::string at = step.op->location.empty() ? "" : "\n    at " + step.op->location;
  throw Error(ErrorCode::engine, "engine: " + step.op->type + ", giving '" + (gives ? *gives : "") +
                                     "': a window of " + show(step.windows) +
                                     " does not fit the remaining image, " +
                                     show(Ints(shape.begin() + 2, shape.end())) + at);
}

}  // namespace oarlock
