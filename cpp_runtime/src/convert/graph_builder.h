// The ONNX graph under construction: variable bindings per scope, and the name, the inferred type
// and the node of every value.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "convert/if_else_pairs.h"
#include "convert/node_context.h"
#include "onnx/model.h"
#include "paddle/params.h"
#include "paddle/program.h"

namespace oarlock {

/// The newest opset of the oldest supported ONNX Runtime, 1.19.
inline constexpr int kNewestOpset = 21;

struct LoweringOptions {
  int opset = 17;
  int max_opset = kNewestOpset;  // the limit if an op needs a later opset
  bool inline_weights = false;
  std::string location;        // file name of the weights in the ONNX file
  bool guard_outputs = false;  // fetched guards become extra outputs `guard.<i>`
  Strings guards_only;  // compute only these guards and no model output; empty: compute everything
  Strings extra_outputs;            // intermediate variables to output, after the program's own
  bool integer_products = true;     // use MatMulInteger, which saturates on some processors
  bool signed_activations = false;  // quantize activations to int8, as TensorRT requires
  bool lod_outputs =
      false;  // row splits of the program's outputs become outputs `<name>.lod`, after all others
};

/// Integers computed from shapes. values: kUnknownElement for unknown elements.
struct PartialValue {
  Ints shape, values;
};
inline constexpr std::int64_t kUnknownElement = INT64_MIN;

/// The inferred type of a value.
struct ValueType {
  DType dtype = DType::none;
  std::optional<Ints> shape;
  std::optional<PartialValue> partial_value;
  bool is_sequence = false;                 // of tensors of that dtype
  std::pair<Value, Value> complex_parts{};  // real and imaginary part of a complex value
  Value equivalent_8bit_value{};  // the int8 or uint8 form of quantized values stored as floats
};

/// A node under construction. onnx: the node, without inputs and outputs until
/// GraphBuilder::write_nodes_and_names_to_onnx_graph().
struct BuilderNode {
  onnx::Node onnx;
  Values inputs, outputs;
};

/// A graph under construction: the main graph, or the body of an If, Loop or Scan. onnx: the graph,
/// without nodes and without names of outputs until
/// GraphBuilder::write_nodes_and_names_to_onnx_graph().
struct BuilderGraph {
  std::shared_ptr<onnx::Graph> onnx;
  std::vector<BuilderNode> nodes;
  Values outputs;
};

/// The name and type of a value, and the node or initializer that produces it. name: unique in the
/// model; a result of an op has the name of its variable.
struct ValueRecord {
  std::string name;
  ValueType type;
  const BuilderGraph* graph = nullptr;  // the graph that computes it; null for inputs and weights
  std::size_t node = 0;                 // its node in that graph
  std::optional<std::size_t> initializer = std::nullopt;  // index of the weight or constant
  bool has_variable_name = false;
  bool is_graph_output = false;
};

/// The Paddle variables of a graph under construction.
struct VariableScope {
  BuilderGraph* graph;
  std::map<std::string, Value, std::less<>> bindings;
  std::map<std::string, const OpDesc*, std::less<>> writers;
  VariableScope* parent = nullptr;
  std::map<std::string, Value, std::less<>> row_splits = {};  // row splits of packed sequences
};

struct Rule;

class GraphBuilder {
 public:
  GraphBuilder(const Program& program, const Params& params, const LoweringOptions& options);

  /// Converts the whole program.  Throws Error(unsupported) that lists every op without a
  /// conversion.
  onnx::Model build();
  /// The highest opset that an op needs whose conversion failed at the current one; 0 if none
  /// failed for that reason.
  int opset_needed_by_failed_ops() const { return needed_opset_; }

 private:
  friend class NodeContext;

  void add_inputs();
  void add_row_split_inputs();
  void add_row_split_outputs();
  void add_outputs();
  void add_output(Value v, const std::string& name);
  void add_guarded_variable_outputs();
  void lower_block_into_current_graph(std::int32_t block);
  void lower_op(const OpDesc& op, std::size_t index);
  void record_missing_rule_and_bind_outputs(const OpDesc& op, std::size_t index);
  void record_missing_rules_of_block(std::int32_t block);
  const Rule* find_rule_for(const OpDesc& op) const;
  bool has_complex_operand(const OpDesc& op) const;
  Value select_current_complex_part(Value v) const;
  Value complex_to_pairs(Value v);
  Value pairs_to_complex(Value pairs);
  void name_type_and_bind_op_results(const OpDesc& op, std::size_t first_node);
  Value row_splits_of(std::string_view paddle_name) const;
  Value find_row_splits_inherited_by_op(const OpDesc& op) const;
  void propagate_row_splits(const OpDesc& op, Value inherited);
  void bind_outputs_of_failed_op_to_placeholders(const OpDesc& op);
  void throw_if_problems() const;
  onnx::Model finish_prune_and_take_model();

  Value require_value_or_add_weight(std::string_view paddle_name, const OpDesc& reader);
  Value find_binding(std::string_view paddle_name) const;
  const OpDesc* find_latest_writing_op(std::string_view paddle_name) const;
  bool is_read_anywhere(const std::string& paddle_name);
  const IfElsePairs& if_else_pairs_of_current_block();
  Value add_weight(const ParamRecord& param);
  Value add_initializer(onnx::Initializer init);
  Value add_constant(const onnx::Tensor& tensor);
  Value add_value_with_unique_name(const std::string& wanted_name, ValueType type);
  Value add_value_with_exact_name(std::string name, ValueType type);
  void add_node(BuilderGraph& graph, BuilderNode node);
  void add_graph_output(BuilderGraph& graph, Value v, onnx::ValueInfo info);
  ValueRecord& record_of(Value v) { return values_[v.id_]; }
  const ValueRecord& record_of(Value v) const { return values_[v.id_]; }
  ValueType& type_of(Value v) { return record_of(v).type; }
  const ValueType& type_of(Value v) const { return record_of(v).type; }
  ValueType declared_type(std::string_view paddle_name) const;
  bool ignores_declared_output_sizes(const OpDesc& op) const;
  void complete_type_from_declaration(ValueType& type, const OpDesc& op, const std::string& name,
                                      bool trusted) const;
  std::string unique_name(const std::string& wanted);
  BuilderGraph& add_empty_graph(std::string name);
  onnx::Graph& main_graph() { return *graphs_.front().onnx; }
  void complete_node_names_from_outputs(BuilderGraph& graph, std::size_t first_node) const;
  Strings names_of(const Values& values) const;
  void write_nodes_and_names_to_onnx_graph(BuilderGraph& graph) const;
  std::string describe_op_index_and_inputs(const OpDesc& op) const;

  const Program& program_;
  const Params& params_;
  LoweringOptions options_;
  onnx::Model model_;
  std::deque<BuilderGraph> graphs_;    // the first is the main graph
  std::deque<ValueRecord> values_{1};  // by Value::id_
  VariableScope top_scope_;
  VariableScope* scope_ = &top_scope_;
  std::int32_t block_index_ = 0;
  std::size_t op_index_ = 0;
  std::set<std::string, std::less<>> used_names_, domains_;
  std::map<std::string, int, std::less<>>
      last_suffix_;  // by name that was requested more than once
  std::map<std::tuple<DType, Ints, std::string>, Value> small_constants_;  // by content
  std::vector<std::pair<std::string, Value>> op_results_;  // outputs of the current op
  std::map<std::string, Value, std::less<>>
      own_row_splits_;           // row splits that the rule of the current op sets
  bool has_row_splits_ = false;  // whether any value has row splits
  std::vector<std::string> problems_;
  int needed_opset_ = 0;
  std::optional<std::set<std::string_view>>
      read_names_;  // every variable that an op, a guard or the caller reads
  std::map<std::int32_t, IfElsePairs> if_else_pairs_;  // by block index
  int complex_part_ = -1;  // the part that rules see: 0 real, 1 imaginary, -1 the whole value
  struct MissingRule {
    std::size_t count, first_op_index;  // number of ops, and index of the first
    std::int32_t block;
    std::string output, location;  // an output variable, and the user's line
    int since_opset;  // the first opset with a rule for such inputs, 0 if there is none
    bool has_complex_inputs;
  };
  std::string describe_missing_rule(std::string_view type, const MissingRule& missing) const;
  std::map<std::string, MissingRule, std::less<>> missing_rules_;  // by op type
};

/// Replaces a complex input or output by a real one with an additional axis of size 2.
void convert_complex_value_info_to_pairs(onnx::ValueInfo& value);

/// Type inference and constant folding of emitted nodes.  See shape_inference.cpp and
/// constant_folding.cpp.
std::vector<ValueType> infer_node_output_types(const onnx::Node& node,
                                               const std::vector<const ValueType*>& in);
std::optional<PartialValue> fold_node_to_partial_value(const onnx::Node& node,
                                                       const std::vector<const ValueType*>& in);

/// Names of the model's inputs and outputs: those of the contract, else the variable names.
Strings input_names(const Program& program);
/// The names of an input's dynamic dimensions, "" for others: that in the contract, else
/// `<name>.<axis>`. index: of the input; name: that in input_names(); shape: the declared one.
Strings input_dim_symbols(const Program& program, std::size_t index, const std::string& name,
                          const Ints& shape);
Strings output_names(const Program& program);

/// The ONNX input `<name>.lod`, int64[sequences + 1], with the row splits of an input of packed
/// sequences; it comes after all inputs of the program: the row at which each sequence starts, and
/// the number of rows.
struct RowSplitInput {
  std::string name;
  std::size_t feed_index;  // index of the input
};
std::vector<RowSplitInput> row_split_inputs(const Program& program);

/// The integers of a constant of an integer type; nullopt for other types.
std::optional<Ints> try_decode_ints(const Constant& constant);

/// Converts a program to ONNX.
onnx::Model lower_program(const Program& program, const Params& params,
                          const LoweringOptions& options = {});

}  // namespace oarlock
