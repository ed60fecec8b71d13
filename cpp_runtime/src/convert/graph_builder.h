// The ONNX graph under construction: what Paddle's names mean at each point, what is known of every
// value.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "convert/branch_pairs.h"
#include "convert/node_context.h"
#include "onnx/model.h"
#include "paddle/params.h"
#include "paddle/program.h"

namespace oarlock {

/// The newest opset of the oldest ONNX Runtime that is supported, 1.19.
inline constexpr int kNewestOpset = 21;

struct LowerOptions {
  int opset = 17;
  int max_opset = kNewestOpset;  // up to which it is raised where an op needs a later one
  bool inline_weights = false;
  std::string location;        // of the weights, as the ONNX file names it
  bool guard_outputs = false;  // inner guards become extra outputs `guard.<i>`
  Strings only_guards;    // compute only these guards and no output of the model; empty: compute
                          // everything
  Strings extra_outputs;  // inner variables to fetch as well, after the program's own outputs
  bool offset_outputs =
      false;  // offsets of the program's own outputs become outputs `<name>.lod`, after all others
};

/// Integers computed from shapes.   values: kUnknown where an element is not known.
struct Known {
  Ints shape, values;
};
inline constexpr std::int64_t kUnknown = INT64_MIN;

/// What is known of one value.
struct Info {
  DType dtype = DType::none;
  std::optional<Ints> shape;
  std::optional<Known> known;
  bool sequence = false;            // of tensors of that dtype
  std::pair<Value, Value> parts{};  // of a complex value: the real and the imaginary one
  Value int8{};                     // the same as int8, of whole numbers kept as floats
};

/// One level of naming: the main graph, or the body of an If or Loop.
struct Scope {
  onnx::Graph* graph;
  std::map<std::string, Value, std::less<>> bound;
  std::map<std::string, const OpDesc*, std::less<>> writers;
  Scope* outer = nullptr;
  std::map<std::string, Value, std::less<>> offsets =
      {};                                     // of packed sequences: where each begins, and the end
  std::set<Value, std::less<>> results = {};  // of a subgraph, so far
};

struct Rule;

class Graph {
 public:
  Graph(const Program& program, const Params& params, const LowerOptions& options);

  /// Lower the whole program.   Error(unsupported) listing every op that could not be.
  onnx::Model lower();
  /// The opset without which an op could not be lowered; 0 where that was not the reason.
  int needed_opset() const { return needed_opset_; }

 private:
  friend class Node;

  void inputs();
  void offset_inputs();
  void offset_outputs();
  void outputs();
  void output(const Value& v, const std::string& name);
  void guards();
  void run_block(std::int32_t block);
  void lower_op(const OpDesc& op, std::size_t index);
  void missing_rule(const OpDesc& op, std::size_t index);
  void missing_rules_in(std::int32_t block);
  const Rule* rule_for(const OpDesc& op) const;
  bool has_complex_operand(const OpDesc& op) const;
  Value part_of(const Value& v) const;
  Value joined(const Value& v);
  Value entered(const Value& pairs);
  void name_results(const OpDesc& op, std::size_t first_node);
  static void name_nodes(onnx::Graph& graph, std::size_t first_node);
  Value offsets_of(std::string_view paddle_name) const;
  Value first_offsets(const OpDesc& op) const;
  void pass_offsets(const OpDesc& op, const Value& passed);
  void poison(const OpDesc& op);
  void report() const;
  onnx::Model finish();

  Value value_of(std::string_view paddle_name, const OpDesc& reader);
  const Value* find_bound(std::string_view paddle_name) const;
  const OpDesc* writer_of(std::string_view paddle_name) const;
  bool is_read(const std::string& paddle_name);
  const Forks& forks();
  Value weight(const Param& param);
  Value initializer(onnx::Initializer init);
  Value constant(const onnx::Tensor& tensor);
  const Info& info(const Value& v) const;
  Info declared(std::string_view paddle_name) const;
  bool doubts(const OpDesc& op) const;
  void add_declared(Info& known, const OpDesc& op, const std::string& name, bool trusted) const;
  std::string fresh(const std::string& wanted);
  const Value& now(const Value& v) const;
  using Renames = std::map<Value, Value, std::less<>>;
  static void rename(onnx::Graph& graph, std::size_t first_node, const Renames& renames);
  void note_rename(const Value& from, const Value& to);
  std::string describe(const OpDesc& op) const;

  const Program& program_;
  const Params& params_;
  LowerOptions options_;
  onnx::Model model_;
  Scope top_;
  Scope* scope_ = &top_;
  std::int32_t block_ = 0;
  std::size_t op_index_ = 0;
  std::set<std::string, std::less<>> used_, domains_;
  std::map<std::string, int, std::less<>> last_suffix_;  // of names that were wanted more than once
  std::map<std::string, Info, std::less<>> infos_;
  std::map<std::string, std::size_t, std::less<>> initializer_index_;
  std::vector<std::pair<std::string, Value>> results_;  // of the op being lowered
  std::map<std::string, Value, std::less<>>
      own_offsets_;           // of its results, where its rule says which
  bool has_offsets_ = false;  // whether any value has had some
  std::vector<std::string> problems_;
  int needed_opset_ = 0;
  std::map<Value, Value, std::less<>>
      renamed_;  // what was renamed after others may have noted its name
  struct Origin {
    const onnx::Graph* graph;
    std::size_t node;
  };
  std::map<Value, Origin, std::less<>> origins_;  // which node computes a value
  Renames output_renames_;  // of values to outputs, before the nodes are changed
  std::set<std::string, std::less<>> output_names_;  // of the ONNX graph, so far
  std::optional<std::set<std::string_view>>
      reads_;                            // every variable that an op, a guard or the caller reads
  std::map<std::int32_t, Forks> forks_;  // by block
  int part_ = -1;  // which one is looked at: 0 real, 1 imaginary, -1 the whole
  struct Missing {
    std::size_t count, index;  // how often, and where first
    std::int32_t block;
    std::string gives, where;  // a variable
    int since;  // the first opset with a rule for such operands, 0 where there is none
    bool complex;
  };
  std::string no_lowering(std::string_view type, const Missing& missing) const;
  std::map<std::string, Missing, std::less<>> missing_;  // by type
};

/// A complex input as it stands in ONNX: real, with one more axis of size 2.   Nothing for a real
/// one.
void as_pairs(onnx::ValueInfo& value);

/// What emitted ONNX nodes give, as far as it is known.   infer.cpp and fold.cpp.
std::vector<Info> infer(const onnx::Node& node, const std::vector<const Info*>& in);
std::optional<Known> fold(const onnx::Node& node, const std::vector<const Info*>& in);

/// The names by which a model's inputs and outputs are addressed: the contract's where it has them,
/// else the variables'.
Strings input_names(const Program& program);
Strings output_names(const Program& program);

/// An input of packed sequences has another one, after all inputs of the program: `<name>.lod`,
/// int64[sequences + 1], where each sequence begins among its rows, and the number of rows.
struct OffsetsInput {
  std::string name;
  std::size_t feed;  // which input's
};
std::vector<OffsetsInput> offset_inputs(const Program& program);

/// Integers in a constant of an integer type; nullopt for other types.
std::optional<Ints> as_ints(const Constant& constant);

/// Program -> ONNX.
onnx::Model lower(const Program& program, const Params& params, const LowerOptions& options = {});

}  // namespace oarlock
