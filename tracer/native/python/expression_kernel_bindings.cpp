// Expressions: several elementwise kernels in one call.  All instructions are applied to one chunk
// of elements before the next chunk, so intermediate values stay in the cache.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

constexpr Size kChunk = 1024;      // elements per chunk
constexpr Size kParallel = 32768;  // elements per task
constexpr std::size_t kMaxInputs = 64;
constexpr int kMaxRank = 8;

constexpr std::array<const char*, kernels::kNumExprOps> kNames = {
    "add",       "sub",       "mul",           "div",       "max",       "min",
    "first",     "second",    "mask",          "relu",      "tanh",      "sigmoid",
    "silu",      "gelu",      "gelu_tanh",     "exp",       "erf",       "sqrt",
    "square",    "abs",       "reciprocal",    "relu_grad", "tanh_grad", "sigmoid_grad",
    "silu_grad", "gelu_grad", "gelu_tanh_grad"};

std::size_t require_expr_op_index(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return i;
  throw nb::value_error(("there is no instruction " + name).c_str());
}

/// x, y: numbers of the operands' values. destination: the buffer that receives the result; if
/// negative, it is output number -1 - destination instead.
struct Instruction {
  std::size_t op, x, y;
  Size destination;
};

/// The instructions, constants and outputs of an expression. Values are numbered: inputs, then
/// constants, then results of instructions.
struct ExpressionCode {
  std::size_t inputs = 0, buffers = 0;
  std::vector<double> constants;
  std::vector<Instruction> instructions;
  std::vector<std::size_t> outputs;
  std::vector<std::size_t> reusable;  // inputs that the caller does not read again

  [[nodiscard]] std::size_t first_result_index() const { return inputs + constants.size(); }
};

/// How an input broadcasts to the result [rows, columns]: its elements depend on the row, on the
/// column, on both, or on neither.
enum BroadcastKind : unsigned char { scalar = 0, by_row = 1, by_column = 2, full = 3 };

struct ExpressionInput {
  const char* data = nullptr;
  BroadcastKind kind = scalar;
  bool is_byte = false;  // bool or uint8
};

/// The shape of the result, merged to [rows, columns] so that every input broadcasts in one of four
/// ways.
struct BroadcastOperandsAndShape {
  npy_intp shape[kMaxRank];
  int rank = 0, type = NPY_FLOAT;
  Size size = 1, columns = 0;  // columns: 0 until an input determines it
  std::array<ExpressionInput, kMaxInputs> inputs;

  bool try_broadcast_operands(const std::vector<KernelOperand>& operands) {
    return broadcast(operands) &&
           std::all_of(operands.begin(), operands.end(), [&](const KernelOperand& a) {
             return try_init_input_and_columns(
                 a, inputs[static_cast<std::size_t>(&a - operands.data())]);
           });
  }

 private:
  bool broadcast(const std::vector<KernelOperand>& operands) {
    bool typed = false;
    for (const KernelOperand& a : operands) {
      if (!a.is_array() || a.rank() > kMaxRank || !a.is_contiguous() || a.size() == 0) return false;
      rank = std::max(rank, a.rank());
      if (a.type() == NPY_BOOL || a.type() == NPY_UBYTE) continue;
      if (!a.is_real() || (typed && a.type() != type)) return false;
      type = a.type();
      typed = true;
    }
    for (int i = 0; i < rank; ++i) {
      shape[i] = 1;
      for (const KernelOperand& a : operands) {
        Size d = dim(a, i);
        if (d != 1 && shape[i] != 1 && d != shape[i]) return false;
        if (d != 1) shape[i] = d;
      }
      size *= shape[i];
    }
    return typed;
  }

  [[nodiscard]] Size dim(const KernelOperand& a, int axis) const {
    int own = axis - (rank - a.rank());
    return own < 0 ? 1 : a.dim(own);
  }

  bool try_init_input_and_columns(const KernelOperand& a, ExpressionInput& in) {
    in.data = a.address<char>();
    in.is_byte = a.type() == NPY_BOOL || a.type() == NPY_UBYTE;
    Size count = a.size();
    in.kind = count == size ? full : scalar;
    if (count == size || count == 1) return true;
    int from = 0, to = rank;  // the axes along which the input varies
    while (dim(a, from) == 1) ++from;
    while (dim(a, to - 1) == 1) --to;
    for (int i = from; i < to; ++i)
      if (dim(a, i) != shape[i]) return false;
    Size before = 1, behind = 1;
    for (int i = 0; i < from; ++i) before *= shape[i];
    for (int i = to; i < rank; ++i) behind *= shape[i];
    if (before != 1 && behind != 1) return false;
    in.kind = behind == 1 ? by_column : by_row;
    Size num_columns = behind == 1 ? count : size / count;
    if (columns != 0 && columns != num_columns) return false;
    columns = num_columns;
    return true;
  }
};

template <class T>
class ExpressionRun {
 public:
  ExpressionRun(const ExpressionCode& code, const BroadcastOperandsAndShape& layout,
                const std::vector<KernelOperand>& outputs)
      : code_(code), layout_(layout), columns_(layout.columns ? layout.columns : layout.size) {
    for (const KernelOperand& a : outputs) outputs_.push_back(a.address<T>());
    rows_ = layout.size / columns_;
    chunk_rows_ = std::max<Size>(1, kChunk / columns_);
    chunk_columns_ = std::min(columns_, kChunk);
    buffer_size_ = std::min(layout.size, std::max(chunk_rows_ * chunk_columns_, kChunk));
  }

  /// A chunk consists of several rows, or of a part of one long row.
  void run() const {
    Size parts = chunk_columns_ == columns_ ? 1 : (columns_ + chunk_columns_ - 1) / chunk_columns_;
    Size chunks = (rows_ + chunk_rows_ - 1) / chunk_rows_ * parts;
    kernels::parallel_ranges(
        chunks, std::max<Size>(1, kParallel / (chunk_rows_ * chunk_columns_)),
        [&](Size from, Size to) {
          auto* memory =
              static_cast<T*>(kernels::workspace(5, num_workspace_elements() * sizeof(T)));
          std::vector<const T*> values = init_constant_buffers_and_addresses(memory);
          for (Size i = from; i < to; ++i) {
            Size row = i / parts * chunk_rows_, column = i % parts * chunk_columns_;
            run_chunk(memory, values, row, std::min(chunk_rows_, rows_ - row), column,
                      std::min(chunk_columns_, columns_ - column));
          }
        });
  }

 private:
  const ExpressionCode& code_;
  const BroadcastOperandsAndShape& layout_;
  Size columns_, rows_, chunk_rows_, chunk_columns_, buffer_size_;
  std::vector<T*> outputs_;

  [[nodiscard]] std::size_t num_workspace_elements() const {
    return (code_.first_result_index() + code_.buffers) *
           static_cast<std::size_t>(buffer_size_ + 16);
  }
  T* buffer_address(T* memory, std::size_t number) const {
    return memory + number * static_cast<std::size_t>(buffer_size_ + 16);
  }

  // Fills the buffers of constants and scalar inputs, and returns the addresses of all values that
  // instructions read.
  std::vector<const T*> init_constant_buffers_and_addresses(T* memory) const {
    std::vector<const T*> values(code_.first_result_index() + code_.instructions.size());
    for (std::size_t i = 0; i < code_.first_result_index(); ++i) {
      T* to = buffer_address(memory, i);
      values[i] = to;
      if (i >= code_.inputs)
        std::fill(to, to + buffer_size_, static_cast<T>(code_.constants[i - code_.inputs]));
      else if (layout_.inputs[i].kind == scalar)
        std::fill(to, to + buffer_size_, load_element(layout_.inputs[i], 0));
    }
    return values;
  }

  static T load_element(const ExpressionInput& in, Size i) {
    return in.is_byte ? static_cast<T>(static_cast<unsigned char>(in.data[i]))
                      : reinterpret_cast<const T*>(in.data)[i];
  }

  const T* load_or_view_input_chunk(const ExpressionInput& in, T* to, Size row, Size rows,
                                    Size column, Size columns) const {
    if (in.kind == full) {
      Size start = row * columns_ + column;
      if (!in.is_byte) return reinterpret_cast<const T*>(in.data) + start;
      for (Size i = 0; i < rows * columns; ++i) to[i] = load_element(in, start + i);
      return to;
    }
    if (in.kind == by_column && rows == 1 && !in.is_byte)
      return reinterpret_cast<const T*>(in.data) + column;
    for (Size r = 0; r < rows; ++r)
      for (Size c = 0; c < columns; ++c)
        to[r * columns + c] = load_element(in, in.kind == by_row ? row + r : column + c);
    return to;
  }

  void run_chunk(T* memory, std::vector<const T*>& values, Size row, Size rows, Size column,
                 Size columns) const {
    for (std::size_t i = 0; i < code_.inputs; ++i)
      if (layout_.inputs[i].kind != scalar)
        values[i] = load_or_view_input_chunk(layout_.inputs[i], buffer_address(memory, i), row,
                                             rows, column, columns);
    const auto& ops = kernels::kernel_table<T>().expr_ops.run;
    std::size_t number = code_.first_result_index();
    for (const Instruction& step : code_.instructions) {
      T* to =
          step.destination < 0
              ? outputs_[static_cast<std::size_t>(-1 - step.destination)] + row * columns_ + column
              : buffer_address(memory, code_.first_result_index() +
                                           static_cast<std::size_t>(step.destination));
      ops[step.op](rows * columns, values[step.x], values[step.y], to);
      values[number++] = to;
    }
  }
};

class Expression {
 public:
  Expression(std::size_t inputs, std::vector<double> constants, const nb::list& code,
             std::vector<std::size_t> outputs, std::vector<std::size_t> reusable,
             Py_ssize_t owned_refcount)
      : owned_refcount_(owned_refcount) {
    code_.inputs = inputs;
    code_.constants = std::move(constants);
    code_.outputs = std::move(outputs);
    code_.reusable = std::move(reusable);
    if (inputs < 1 || inputs > kMaxInputs)
      throw nb::value_error("an expression has 1 to 64 inputs");
    for (nb::handle item : code) {
      auto [name, x, y] = nb::cast<std::tuple<std::string, std::size_t, std::size_t>>(item);
      std::size_t known = code_.first_result_index() + code_.instructions.size();
      if (x >= known || y >= known) throw nb::value_error("an operand is not computed yet");
      code_.instructions.push_back({require_expr_op_index(name), x, y, 0});
    }
    for (std::size_t o : code_.outputs)
      if (o < code_.first_result_index() ||
          o >= code_.first_result_index() + code_.instructions.size())
        throw nb::value_error("an output is not a result");
    for (std::size_t i : code_.reusable)
      if (i >= inputs) throw nb::value_error("a reusable value is not an input");
    assign_result_buffers();
    set_last_reads_of_inputs();
  }

  [[nodiscard]] nb::object call(const nb::args& operands) const {
    if (operands.size() != code_.inputs) return not_implemented();
    std::vector<std::size_t> free = overwritable_input_indices(operands);
    std::vector<KernelOperand> arrays;
    arrays.reserve(operands.size());
    for (nb::handle a : operands) {
      bool number = PyArray_CheckScalar(a.ptr()) && !PyArray_Check(a.ptr());
      nb::object array = number ? nb::steal(PyArray_FromScalar(a.ptr(), nullptr)) : nb::borrow(a);
      if (!array.is_valid()) throw nb::python_error();
      arrays.emplace_back(array);
    }
    BroadcastOperandsAndShape layout;
    if (!layout.try_broadcast_operands(arrays) || !all_outputs_have_full_shape(layout))
      return not_implemented();
    std::vector<KernelOperand> outputs;
    outputs.reserve(code_.outputs.size());
    for (std::size_t output : code_.outputs)
      outputs.push_back(take_reusable_or_new_output(output, free, arrays, layout));
    dispatch_real_type(layout.type, [&]<class T>(T) {
      ScopedGilReleaseForWork unlocked(layout.size * static_cast<Size>(code_.instructions.size()));
      ExpressionRun<T>(code_, layout, outputs).run();
    });
    if (outputs.size() == 1) return python::to_object(std::move(outputs[0]));
    nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(outputs.size())));
    if (!result.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i),
                      python::to_object(std::move(outputs[i])).release().ptr());
    return result;
  }

 private:
  ExpressionCode code_;
  std::vector<std::size_t> last_reads_;  // for each input, the last instruction that reads it
  Py_ssize_t owned_refcount_;            // see `is_unshared`

  // Returns the indices of the reusable inputs to which no other object refers.
  [[nodiscard]] std::vector<std::size_t> overwritable_input_indices(
      const nb::args& operands) const {
    std::vector<std::size_t> result;
    for (std::size_t i : code_.reusable)
      if (is_unshared(operands[i], owned_refcount_)) result.push_back(i);
    return result;
  }

  // Returns the array for an output: the array of a reusable input that no later instruction reads,
  // or a new array.
  KernelOperand take_reusable_or_new_output(std::size_t output, std::vector<std::size_t>& free,
                                            const std::vector<KernelOperand>& arrays,
                                            const BroadcastOperandsAndShape& layout) const {
    for (auto i = free.begin(); i != free.end(); ++i) {
      const KernelOperand& a = arrays[*i];
      bool same_shape = a.rank() == layout.rank &&
                        std::equal(layout.shape, layout.shape + layout.rank, a.shape());
      if (!same_shape || a.type() != layout.type ||
          last_reads_[*i] > output - code_.first_result_index())
        continue;
      KernelOperand result = a;
      free.erase(i);
      return result;
    }
    return empty(layout.rank, layout.shape, layout.type);
  }

  void set_last_reads_of_inputs() {
    last_reads_.assign(code_.inputs, 0);
    for (std::size_t i = 0; i < code_.instructions.size(); ++i)
      for (std::size_t value : {code_.instructions[i].x, code_.instructions[i].y})
        if (value < code_.inputs) last_reads_[value] = i;
  }

  // Whether every output has the full shape [rows, columns] of the expression.
  [[nodiscard]] bool all_outputs_have_full_shape(const BroadcastOperandsAndShape& layout) const {
    std::vector<unsigned char> kinds(code_.first_result_index(), scalar);
    for (std::size_t i = 0; i < code_.inputs; ++i) kinds[i] = layout.inputs[i].kind;
    for (const Instruction& step : code_.instructions)
      kinds.push_back(static_cast<unsigned char>(kinds[step.x] | kinds[step.y]));
    return std::all_of(code_.outputs.begin(), code_.outputs.end(),
                       [&](std::size_t o) { return kinds[o] == full; });
  }

  // Assigns buffers to the results of instructions.  A buffer is free again after the last
  // instruction that reads it.  Results that are outputs get arrays instead of buffers.
  void assign_result_buffers() {
    auto& steps = code_.instructions;
    std::size_t first = code_.first_result_index();
    std::vector<std::size_t> last(steps.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t v : {steps[i].x, steps[i].y})
        if (v >= first) last[v - first] = i;
    std::vector<Size> free_buffers;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t v : {steps[i].x, steps[i].y}) {
        if (v < first || last[v - first] != i) continue;
        last[v - first] = steps.size();  // both operands may be the same value
        if (steps[v - first].destination >= 0) free_buffers.push_back(steps[v - first].destination);
      }
      auto output = std::find(code_.outputs.begin(), code_.outputs.end(), first + i);
      if (output != code_.outputs.end()) {
        steps[i].destination = -1 - (output - code_.outputs.begin());
        continue;
      }
      if (free_buffers.empty()) free_buffers.push_back(static_cast<Size>(code_.buffers++));
      steps[i].destination = free_buffers.back();
      free_buffers.pop_back();
    }
  }
};

}  // namespace

void bind_expression(nb::module_& m) {
  nb::class_<Expression>(m, "Expression",
                         "Elementwise instructions on arrays that broadcast to one shape. A call "
                         "returns NotImplemented for other broadcasts, layouts and dtypes. Values "
                         "are numbered: inputs, constants, results.\n\n"
                         "reusable: inputs that the caller does not read again. One whose "
                         "reference count in the call is `owned_refcount` is overwritten.")
      .def(nb::init<std::size_t, std::vector<double>, nb::list, std::vector<std::size_t>,
                    std::vector<std::size_t>, Py_ssize_t>(),
           nb::arg("inputs"), nb::arg("constants"), nb::arg("code"), nb::arg("outputs"),
           nb::arg("reusable") = nb::list(), nb::arg("owned_refcount") = 0)
      .def("__call__", &Expression::call);
}

}  // namespace oarlock::python
