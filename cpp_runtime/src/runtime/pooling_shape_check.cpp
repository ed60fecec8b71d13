#include "runtime/pooling_shape_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "oarlock/error.h"

namespace oarlock {
namespace {

// Op types whose output has the shape of input X.
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

// The variable in the first of the slots `names` that contains exactly one variable; null if there
// is no such slot.
const std::string* find_single_variable_in_slots(const Slots& slots,
                                                 std::initializer_list<std::string_view> names) {
  for (auto name : names)
    if (auto it = slots.find(name); it != slots.end() && it->second.size() == 1)
      return &it->second[0];
  return nullptr;
}

template <class T>
T attr_or(const OpDesc& op, std::string_view name, T default_value) {
  auto it = op.attrs.find(name);
  const T* value = it == op.attrs.end() ? nullptr : std::get_if<T>(&it->second.value);
  return value ? *value : default_value;
}

}  // namespace

// Collects the steps of the check: the ops through which the sizes of images propagate from the
// inputs, with whether a convolution precedes them.
class PoolingShapeCheck::SizePropagationStepCollector {
 public:
  SizePropagationStepCollector(const Program& program, PoolingShapeCheck& check)
      : program_(program), check_(check) {
    for (const std::string& name : program.feed_names()) {
      const VarDesc* var = program.find_var(name);
      if (var && var->shape.size() >= 3)
        tracked_[name] = {check.num_inputs_, var->shape.size(), false};
      ++check.num_inputs_;
    }
    check.num_shapes_ = check.num_inputs_;
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

  const TrackedShape* find_tracked_shape(const std::string* name) const {
    auto found = name ? tracked_.find(*name) : tracked_.end();
    return found == tracked_.end() ? nullptr : &found->second;
  }

  void visit(const OpDesc& op) {
    bool conv = op.type == "conv2d" || op.type == "depthwise_conv2d" || op.type == "conv3d";
    auto step = conv                                               ? conv_step(op)
                : op.type == "pool2d" || op.type == "pool3d"       ? pool_step(op)
                : op.type == "elementwise_add" || op.type == "sum" ? add_step(op)
                : op.type == "concat"                              ? concat_step(op)
                : std::find(kShapePreservingOps.begin(), kShapePreservingOps.end(), op.type) !=
                        kShapePreservingOps.end()
                    ? shape_preserving_step(op)
                    : std::nullopt;
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) tracked_.erase(name);  // the name now has another value
    const std::string* to = find_single_variable_in_slots(op.outputs, {"Out", "Output", "Y"});
    if (!step || !to) return;
    step->output = check_.num_shapes_++;
    tracked_[*to] = {step->output, rank_, after_conv_ || conv};
    check_.steps_.push_back(*std::move(step));
  }

  std::optional<Step> make_step_and_set_rank_and_after_conv(const OpDesc& op,
                                                            const TrackedShape* x) {
    if (!x) return {};
    rank_ = x->rank, after_conv_ = x->after_conv;
    return Step{.op = &op, .input = x->index, .other_input = x->index, .output = 0};
  }

  std::optional<Step> shape_preserving_step(const OpDesc& op) {
    return make_step_and_set_rank_and_after_conv(
        op, find_tracked_shape(find_single_variable_in_slots(op.inputs, {"X"})));
  }

  // The step of an op that adds one value per channel to an image, or adds two images.
  std::optional<Step> add_step(const OpDesc& op) {
    auto several = op.inputs.find("X");
    bool list = op.type == "sum" && several != op.inputs.end() && several->second.size() == 2;
    const std::string* second =
        list ? &several->second[1] : find_single_variable_in_slots(op.inputs, {"Y"});
    auto step = make_step_and_set_rank_and_after_conv(
        op, find_tracked_shape(list ? &several->second[0]
                                    : find_single_variable_in_slots(op.inputs, {"X"})));
    const VarDesc* var = second ? program_.find_var(*second) : nullptr;
    if (!step || !var) return {};
    bool small =
        var->shape.size() == rank_ && std::count(var->shape.begin() + 2, var->shape.end(), 1) ==
                                          static_cast<std::ptrdiff_t>(rank_) - 2;
    if (small || (var->persistable && var->shape.size() == 1)) return step;
    const TrackedShape* y = find_tracked_shape(second);
    if (!y || y->rank != rank_) return {};
    step->other_input = y->index, after_conv_ = after_conv_ || y->after_conv;
    return step;
  }

  std::optional<Step> concat_step(const OpDesc& op) {
    auto all = op.inputs.find("X");
    if (all == op.inputs.end() || find_single_variable_in_slots(op.inputs, {"AxisTensor"}) ||
        attr_or<std::int64_t>(op, "axis", 0) != 1)
      return {};
    for (const std::string& name : all->second)
      if (const TrackedShape* x = find_tracked_shape(&name))
        return make_step_and_set_rank_and_after_conv(op, x);
    return {};
  }

  std::optional<Step> step_with_window_or_nullopt(const OpDesc& op, std::optional<Step> step,
                                                  const Ints& kernel) {
    std::size_t dims = rank_ - 2;
    auto format = attr_or<std::string>(op, "data_format", "NCHW"),
         algorithm = attr_or<std::string>(op, "padding_algorithm", "EXPLICIT");
    auto pads = attr_or<Ints>(op, "paddings", Ints(dims, 0));
    if (!step || (!format.empty() && format.back() == 'C')) return {};
    step->windows = kernel, step->strides = attr_or<Ints>(op, "strides", Ints(dims, 1));
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

  std::optional<Step> conv_step(const OpDesc& op) {
    auto step = make_step_and_set_rank_and_after_conv(
        op, find_tracked_shape(find_single_variable_in_slots(op.inputs, {"Input"})));
    const std::string* name = find_single_variable_in_slots(op.inputs, {"Filter"});
    const VarDesc* filter = name ? program_.find_var(*name) : nullptr;
    if (!step || !filter || filter->shape.size() != rank_ || rank_ < 3) return {};
    Ints reach(filter->shape.begin() + 2, filter->shape.end()),
        dilations = attr_or<Ints>(op, "dilations", Ints(rank_ - 2, 1));
    for (std::size_t i = 0; i < reach.size(); ++i)
      reach[i] = reach[i] < 0 ? -1 : (i < dilations.size() ? dilations[i] : 1) * (reach[i] - 1) + 1;
    return step_with_window_or_nullopt(op, step, reach);
  }

  std::optional<Step> pool_step(const OpDesc& op) {
    auto step = make_step_and_set_rank_and_after_conv(
        op, find_tracked_shape(find_single_variable_in_slots(op.inputs, {"X"})));
    if (!step || rank_ < 3 || attr_or(op, "adaptive", false) ||
        attr_or(op, "global_pooling", false))
      return {};
    step->ceil = attr_or(op, "ceil_mode", false);
    step->after_conv = after_conv_;
    return step_with_window_or_nullopt(op, step, attr_or<Ints>(op, "ksize", {}));
  }

  const Program& program_;
  PoolingShapeCheck& check_;
  std::map<std::string, TrackedShape, std::less<>> tracked_;
  std::size_t rank_ = 0;
  bool after_conv_ = false;
};

// Collects the steps of the program, and removes those on which no pool after a convolution
// depends.
PoolingShapeCheck::PoolingShapeCheck(const Program& program) {
  SizePropagationStepCollector(program, *this).run();
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

// Replaces the known spatial sizes in `out` by the numbers of window positions. If no window fits,
// the size becomes 0 for a pool after a convolution, which check() rejects, and -1 (unknown) for
// other ops. Division truncates towards zero, as in Paddle and ONNX Runtime, so that a window that
// exceeds the image by less than a stride is counted.
void PoolingShapeCheck::replace_sizes_by_window_counts(const Step& step, Ints& out) {
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
  if (steps_.empty() || inputs.size() < num_inputs_) return;
  std::vector<Ints> shapes(num_shapes_);
  for (std::size_t i = 0; i < num_inputs_; ++i)
    shapes[i].assign(inputs[i].shape.begin(), inputs[i].shape.end());
  for (const Step& step : steps_) {
    const Ints &in = shapes[step.input], &other = shapes[step.other_input];
    Ints out = in;
    for (std::size_t axis = 0; axis < out.size(); ++axis)
      out[axis] = in[axis] < 0 || axis >= other.size() || other[axis] < 0
                      ? -1
                      : std::max(in[axis], other[axis]);
    if (2 + step.windows.size() <= out.size()) replace_sizes_by_window_counts(step, out);
    for (std::size_t axis = 2; step.after_conv && axis < out.size(); ++axis)
      if (in[axis] > 0 && out[axis] == 0) fail(step, in);
    shapes[step.output] = std::move(out);
  }
}

void PoolingShapeCheck::fail(const Step& step, const Ints& shape) const {
  const std::string* output = find_single_variable_in_slots(step.op->outputs, {"Out"});
  std::string at = step.op->location.empty() ? "" : "\n    at " + step.op->location;
  throw Error(ErrorCode::engine, "engine: " + step.op->type + ", output '" +
                                     (output ? *output : "") + "': a window of " +
                                     format_shape(step.windows) +
                                     " does not fit the remaining image, " +
                                     format_shape(Ints(shape.begin() + 2, shape.end())) + at);
}

}  // namespace oarlock
