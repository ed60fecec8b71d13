// Conversion rules: one Paddle op in, a few ONNX nodes out.  A rule receives a `NodeContext`:
// inputs and attributes by their Paddle names, the inferred types of inputs, and functions that
// emit ONNX nodes. A NodeContext does not access files or protobuf. "Fails" means that the op is
// rejected; one error lists all rejected ops of a program.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/value.h"
#include "oarlock/error.h"
#include "onnx/model.h"
#include "paddle/program.h"

namespace oarlock {

class GraphBuilder;
struct BuilderNode;
struct IfElsePair;
struct ValueType;
struct PartialValue;

/// The content of a constant. bytes: little-endian, C order; valid during the lifetime of the
/// GraphBuilder.
struct Constant {
  DType dtype;
  Ints shape;
  std::string_view bytes;
};

class NodeContext {
 public:
  using Attrs = std::vector<std::pair<std::string_view, onnx::Attr>>;

  NodeContext(const OpDesc& op, GraphBuilder& graph) : op_(op), graph_(graph) {}

  // ---- the op ----
  const OpDesc& op() const { return op_; }
  int opset() const;
  bool allows_matmul_integer() const;          // nodes that multiply integers instead of floats
  bool quantizes_activations_to_int8() const;  // rather than to uint8, which engines prefer

  // ---- inputs, by Paddle's slot names ----
  bool has_input(std::string_view slot) const;   // an input slot with at least one argument
  bool has_output(std::string_view slot) const;  // an output slot with at least one argument
  Value input(std::string_view slot) const;      // exactly one
  Value input_or(std::string_view slot, Value default_value = {}) const;  // optional
  Values inputs(std::string_view slot) const;                             // a list, possibly empty
  const Strings& input_names(
      std::string_view slot) const;  // variable names in an input slot, including ""
  const Strings& output_names(std::string_view slot) const;  // variable names in an output slot
  bool is_output_read(std::string_view slot)
      const;  // whether an op, a guard or the caller reads the variable in an output slot

  // ---- packed sequences (LoD): concatenated rows, and the row splits ----
  /// Row splits int64[sequences + 1] of an input; omitted if it has none.
  Value row_splits(std::string_view slot, std::size_t index = 0) const;
  /// Sets the row splits of an output; Value{} for none. By default, an output has the row splits
  /// of the first input that has any.
  void set_row_splits(std::string_view slot, Value row_splits);
  /// Sets the row splits of one of several outputs in a slot.
  void set_row_splits(std::string_view slot, Value row_splits, std::size_t index);

  // ---- names and inferred types of values ----
  const std::string& name(Value v) const;  // for messages
  int rank(Value v) const;                 // -1 when unknown
  std::optional<Ints> shape(
      Value v) const;  // nullopt when the rank is unknown; dims -1 when unknown
  std::int64_t dim(
      Value v, std::int64_t axis) const;     // -1 when unknown; a negative axis counts from the end
  DType dtype(Value v) const;                // DType::none when unknown
  int require_known_rank(Value v) const;     // fails when unknown
  DType require_known_dtype(Value v) const;  // fails when unknown
  /// The declared dtype and shape of an output variable.
  DType declared_output_dtype(std::string_view slot = "Out") const;
  std::optional<Ints> declared_output_shape(std::string_view slot = "Out") const;
  /// Integers of a weight, a constant or a folded shape computation; nullopt if unknown.
  std::optional<Ints> find_constant_ints(Value v) const;
  /// Like find_constant_ints, but with -1 for unknown elements.
  std::optional<Ints> find_partially_known_ints(Value v) const;
  std::optional<Constant> find_constant(Value v) const;
  /// The number in a one-element constant of a real dtype, or nullopt.
  std::optional<double> find_constant_scalar(Value v) const;
  /// The node that computes a value, null for inputs and weights. The pointer is valid until the
  /// next node is emitted.
  const BuilderNode* find_producer(Value v) const;

  // ---- attributes, by Paddle's names; the default is Paddle's and determines the expected type
  // ----
  bool has_attr(std::string_view name) const;
  bool has_float_attr(std::string_view name) const;  // of type FLOAT or FLOAT64
  std::int64_t attr(std::string_view name, std::int64_t default_value) const;
  std::int64_t attr(std::string_view name, int default_value) const {
    return attr(name, std::int64_t{default_value});
  }
  float attr(std::string_view name, float default_value) const;
  double attr(std::string_view name, double default_value) const;
  bool attr(std::string_view name, bool default_value) const;
  std::string attr(std::string_view name, const char* default_value) const;
  std::string attr(std::string_view name, const std::string& default_value) const {
    return attr(name, default_value.c_str());
  }
  Ints attr(std::string_view name, const Ints& default_value) const;        // INTS, LONGS, BOOLEANS
  Floats attr(std::string_view name, const Floats& default_value) const;    // FLOATS, FLOAT64S
  Strings attr(std::string_view name, const Strings& default_value) const;  // STRINGS
  Scalars attr(std::string_view name, const Scalars& default_value) const;  // SCALARS
  DType attr(std::string_view name, DType default_value) const;  // an INT that holds a VarType.Type
  /// The value of the variable that an attribute of type VAR names, Value{} if the attribute is
  /// absent or of another type. values_of_variable_list_attr() returns the values of the variables
  /// that an attribute of type VARS names; an empty list for other types.
  Value value_of_variable_attr_or_empty(std::string_view name) const;
  Values values_of_variable_list_attr(std::string_view name) const;
  /// A nonnegative axis attribute. rank: of the value that it indexes; must be known.
  std::int64_t normalized_axis_attr(std::string_view name, std::int64_t default_value,
                                    int rank) const;

  // ---- constants ----
  Value int64_vector(const Ints& values);   // int64[n]
  Value int64_scalar(std::int64_t value);   // int64[]
  Value scalar(double value, DType dtype);  // dtype[]
  Value scalar_like(double value,
                    Value like);                    // with the dtype of `like`, which must be known
  Value vector(const Floats& values, DType dtype);  // dtype[n]
  Value tensor(onnx::Tensor tensor);

  // ---- nodes ----
  Value emit(std::string_view onnx, Values in, Attrs attrs = {}, std::string_view domain = "");
  Values emit_multi_output(std::size_t outputs, std::string_view onnx, Values in, Attrs attrs = {},
                           std::string_view domain = "");
  /// Sets the type of a value that inference cannot determine.
  void declare_type(Value v, DType dtype, std::optional<Ints> shape = std::nullopt);
  /// Sets the type of `v` to the common type of `a` and `b`, for example of the results of two
  /// branches, or of a variable before and after a loop iteration.
  void declare_merged_type(Value v, Value a, Value b);
  bool is_sequence(Value v) const;
  Value empty_sequence(DType dtype);
  /// The tensor array in an input slot; an empty list if the array was not written yet.
  Value sequence_input_or_empty_if_unwritten(std::string_view slot);

  // ---- complex numbers ----
  /// The real and imaginary part of a complex value; nullopt for a real one.
  std::optional<std::pair<Value, Value>> find_complex_parts(Value v) const;
  /// A complex value of two real ones of the same shape. A complex value is not a value of the ONNX
  /// graph, so only rules for complex inputs can use it.
  Value make_complex_value_outside_graph(Value re, Value im);
  /// Converts between a complex value and a real one whose last axis holds both parts.  Real values
  /// are returned unchanged.
  Value as_complex(Value pairs);
  Value as_real(Value v);
  /// Converts the op twice: with the real and with the imaginary parts of its inputs.
  void lower_each_complex_part();

  // ---- quantized values ----
  /// Records that `v`, whole numbers stored as floats, equals `small` as int8 or uint8.
  void set_equivalent_8bit_value(Value v, Value small);
  Value equivalent_8bit_value(Value v) const;  // Value{} if it has none

  // ---- common steps; each returns `v` unchanged if there is nothing to do ----
  Value cast(Value v, DType dtype);
  Value transpose(Value v, const Ints& perm);
  Value swap_last_axes(Value v);
  Value unsqueeze(Value v, const Ints& axes);
  Value squeeze(Value v, const Ints& axes);
  Value reshape(Value v,
                const Ints& shape);  // 0 copies a dim, as in ONNX; reshaping a weight emits no node
  Value emit_shape(Value v);         // int64[rank]
  Value slice(Value v, const Ints& starts, const Ints& ends, const Ints& axes,
              const Ints& steps = {});
  Value concat(const Values& parts, std::int64_t axis);  // returns a single part unchanged

  /// Appends a suffix to the name of the last emitted node, if it computes `v`.
  void set_last_node_name_from_output_and_suffix(Value v, std::string_view suffix);

  // ---- results ----
  void set_output(std::string_view slot,
                  Value v);  // sets an output; ignored if the op does not have it
  void set_outputs(std::string_view slot,
                   const Values& values);  // Value{} leaves an output unbound

  // ---- control flow: a sub-block becomes an ONNX subgraph ----
  /// Builds a subgraph; `fill` emits its nodes and may call the functions marked "inside".  Values
  /// of outer graphs may be read.
  std::shared_ptr<onnx::Graph> build_subgraph(const std::string& name,
                                              const std::function<void(NodeContext&)>& fill);
  Value add_subgraph_input(const std::string& hint, DType dtype,
                           std::optional<Ints> shape);  // inside: adds an input to the subgraph
  Value add_subgraph_input_of_same_rank(
      const std::string& hint,
      Value v);  // inside: adds an input with the type and rank of `v`
  void bind_variable_and_clear_row_splits(const std::string& paddle_name,
                                          Value v);  // inside: binds a Paddle variable to `v`
  Value require_value_or_add_weight(
      const std::string& paddle_name) const;  // the value of a Paddle variable
  bool has_variable_value(const std::string& paddle_name) const;
  void lower_block_into_current_graph(
      std::int64_t block);            // inside: converts every op of the block
  void add_subgraph_output(Value v);  // inside: adds an output to the subgraph
  const Block& block(std::int64_t index) const;
  const IfElsePair* find_if_else_pair_of_op() const;  // the branch pair of this op, or null
  const VarDesc* find_var(const std::string& paddle_name) const;  // the declaration, or null
  /// The last op before this one in this block that writes `paddle_name`; null if there is none.
  const OpDesc* find_latest_earlier_writer_in_block(const std::string& paddle_name) const;

  /// Fails if the target opset is below `min_opset`, from which on the rule supports these inputs.
  /// If LoweringOptions::max_opset allows `min_opset`, the whole program is then converted again at
  /// that opset. what: the input or attribute that needs it, for the message.
  void require_opset(int min_opset, std::string_view what = "") const;

  [[noreturn]] void fail(const std::string& why) const;
  void require(bool ok, const std::string& why) const {
    if (!ok) fail(why);
  }

 private:
  std::string first_output_name_or_op_type() const;
  std::string node_name_prefix() const;
  void check_node_output_memory_limit(const ValueType& info) const;
  Value make_int_constant_of_known_value(DType dtype, const PartialValue& known);
  Value try_reshape_weight(Value v, const std::optional<Ints>& shape);
  const oarlock::Attr* find_attr(std::string_view name) const;
  [[noreturn]] void fail_attr_type(std::string_view name, const oarlock::Attr& stored,
                                   std::string_view expected) const;
  template <class T>
  T read_attr_or_default(std::string_view name, T default_value, std::string_view expected) const;

  const OpDesc& op_;
  GraphBuilder& graph_;
};

}  // namespace oarlock
