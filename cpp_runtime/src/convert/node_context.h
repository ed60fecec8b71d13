// Lowering: one Paddle op in, a few ONNX nodes out.
//
// A rule sees a single `Node`: slots and attributes by their Paddle names, what is known of each
// operand, and the means to emit ONNX nodes.  It knows nothing of files or protobuf; it asks for
// names and gets names back.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oarlock/error.h"
#include "onnx/model.h"
#include "paddle/program.h"

namespace oarlock {

class Graph;
struct Fork;
struct Info;
struct Known;

using Value = std::string;  // the name of a tensor in the ONNX graph; "" stands for an optional
                            // input left out
using Values = std::vector<Value>;

/// A constant's content, where a rule asks for it.   bytes: little-endian, C order; valid while the
/// Graph lives.
struct Constant {
  DType dtype;
  Ints shape;
  std::string_view bytes;
};

class Node {
 public:
  using Attrs = std::vector<std::pair<std::string_view, onnx::Attr>>;

  Node(const OpDesc& op, Graph& graph) : op_(op), graph_(graph) {}

  // ---- the op ----
  const OpDesc& op() const { return op_; }
  int opset() const;

  // ---- operands, by Paddle's slot names ----
  bool has(std::string_view slot) const;      // an input slot with at least one argument
  bool has_out(std::string_view slot) const;  // an output slot with at least one argument
  Value in(std::string_view slot) const;      // exactly one
  Value in_or(std::string_view slot, Value otherwise = "") const;  // optional
  Values ins(std::string_view slot) const;                         // a list, possibly empty
  const Strings& names(
      std::string_view slot) const;  // Paddle's names in an input slot, "" slots included
  const Strings& out_names(std::string_view slot) const;  // and in an output slot
  bool is_read(std::string_view slot)
      const;  // whether an op, a guard or the caller wants what is in an output slot

  // ---- packed sequences (LoD): rows one behind the other, and where each sequence begins ----
  /// int64[sequences + 1] of an operand in a slot, the last being the number of rows; "" where it
  /// has none.
  Value offsets(std::string_view slot, std::size_t index = 0) const;
  /// Of the result in a slot; "" for none.   What a rule does not say is that of the first operand
  /// which has one.
  void out_offsets(std::string_view slot, const Value& offsets);
  /// Of one of several results in a slot.
  void out_offsets(std::string_view slot, const Value& offsets, std::size_t index);

  // ---- what is known of a value ----
  int rank(const Value& v) const;  // -1 when unknown
  std::optional<Ints> shape(
      const Value& v) const;  // nullopt when the rank is unknown; dims -1 when unknown
  std::int64_t dim(const Value& v, std::int64_t axis)
      const;                               // -1 when unknown; a negative axis counts from the end
  DType dtype(const Value& v) const;       // DType::none when unknown
  int need_rank(const Value& v) const;     // fails when unknown
  DType need_dtype(const Value& v) const;  // fails when unknown
  /// What the program declares of an output: the variable's dtype and shape.
  DType out_dtype(std::string_view slot = "Out") const;
  std::optional<Ints> out_shape(std::string_view slot = "Out") const;
  /// Content of a weight, of a constant, or of a shape computation that folded (small integers
  /// only): else nullopt.
  std::optional<Ints> const_ints(const Value& v) const;
  /// The same, but with -1 for elements that are not known.
  std::optional<Ints> partial_ints(const Value& v) const;
  std::optional<Constant> constant(const Value& v) const;
  /// The single number in a constant of any real type, or nullopt.
  std::optional<double> const_number(const Value& v) const;

  // ---- attributes, by Paddle's names; the default is Paddle's and fixes the type: another in the
  // file fails ----
  bool has_attr(std::string_view name) const;
  bool has_float(std::string_view name) const;  // as a FLOAT or FLOAT64
  std::int64_t attr(std::string_view name, std::int64_t otherwise) const;
  std::int64_t attr(std::string_view name, int otherwise) const {
    return attr(name, std::int64_t{otherwise});
  }
  float attr(std::string_view name, float otherwise) const;
  double attr(std::string_view name, double otherwise) const;
  bool attr(std::string_view name, bool otherwise) const;
  std::string attr(std::string_view name, const char* otherwise) const;
  std::string attr(std::string_view name, const std::string& otherwise) const {
    return attr(name, otherwise.c_str());
  }
  Ints attr(std::string_view name, const Ints& otherwise) const;        // INTS, LONGS, BOOLEANS
  Floats attr(std::string_view name, const Floats& otherwise) const;    // FLOATS, FLOAT64S
  Strings attr(std::string_view name, const Strings& otherwise) const;  // STRINGS
  Scalars attr(std::string_view name, const Scalars& otherwise) const;  // SCALARS
  DType attr(std::string_view name, DType otherwise) const;  // an INT that is a VarType.Type
  /// The value of an attribute that is a tensor (VAR), "" where it is a plain one or absent; VARS:
  /// all of them.
  Value attr_tensor(std::string_view name) const;
  Values attr_tensors(std::string_view name) const;
  /// An axis attribute, counted from the front.   rank: of the value it indexes, known.
  std::int64_t axis(std::string_view name, std::int64_t otherwise, int rank) const;

  // ---- constants ----
  Value ints(const Ints& values);           // int64[n]
  Value int_scalar(std::int64_t value);     // int64[]
  Value scalar(double value, DType dtype);  // dtype[]
  Value scalar_like(double value,
                    const Value& like);             // of the dtype of `like`, which must be known
  Value floats(const Floats& values, DType dtype);  // dtype[n]
  Value tensor(onnx::Tensor tensor);

  // ---- nodes ----
  Value emit(std::string_view onnx, Values in, Attrs attrs = {}, std::string_view domain = "");
  Values emit_n(std::size_t outputs, std::string_view onnx, Values in, Attrs attrs = {},
                std::string_view domain = "");
  /// Say what is known of a value that the inference cannot see through.
  void declare(const Value& v, DType dtype, std::optional<Ints> shape = std::nullopt);
  /// What two values have in common, said of `v`: which is one of them, or an earlier or later
  /// state of both.
  void declare_either(const Value& v, const Value& a, const Value& b);
  bool is_sequence(const Value& v) const;
  Value empty_sequence(DType dtype);
  /// The operand; an empty list where it is one that nothing was written to so far.
  Value in_or_empty(std::string_view slot);

  // ---- complex numbers ----
  /// The real and the imaginary part of a complex value; nullopt for a real one.
  std::optional<std::pair<Value, Value>> complex_parts(const Value& v) const;
  /// A complex value of two real ones of the same shape.   It is no value of the ONNX graph: only
  /// rules for complex operands can do something with it.
  Value complex(const Value& re, const Value& im);
  /// Between a complex value and a real one with the two parts in a last axis.   A real value is
  /// already its own.
  Value as_complex(const Value& pairs);
  Value as_real(const Value& v);
  /// Lower the op twice: on the real parts of its operands, and on the imaginary ones.
  void lower_by_parts();

  // ---- quantised values ----
  /// That `v`, whole numbers kept as floats, is `small` as int8; and what was remembered.
  void remember_int8(const Value& v, const Value& small);
  std::optional<Value> remembered_int8(const Value& v) const;

  // ---- common steps; each gives `v` itself back where there is nothing to do ----
  Value cast(const Value& v, DType dtype);
  Value transpose(const Value& v, const Ints& perm);
  Value swap_last(const Value& v);
  Value unsqueeze(const Value& v, const Ints& axes);
  Value squeeze(const Value& v, const Ints& axes);
  Value reshape(const Value& v,
                const Ints& shape);  // 0 copies a dim, as in ONNX; a weight costs nothing
  Value shape_of(const Value& v);    // int64[rank]
  Value slice(const Value& v, const Ints& starts, const Ints& ends, const Ints& axes,
              const Ints& steps = {});
  Value concat(const Values& parts, std::int64_t axis);  // one part: itself

  /// The node that was emitted last, and gave `v`, is called after it and `more`.
  void call(const Value& v, std::string_view more);

  // ---- results ----
  void out(std::string_view slot,
           const Value& v);  // binds; a slot the op does not have is passed over
  void outs(std::string_view slot, const Values& values);  // "" leaves one unbound

  // ---- control flow: a sub-block becomes an ONNX subgraph ----
  /// A subgraph, filled by `fill`, whose Node writes into it.  Outer values may be read by name, as
  /// in ONNX.
  std::shared_ptr<onnx::Graph> subgraph(const std::string& name,
                                        const std::function<void(Node&)>& fill);
  Value formal(const std::string& hint, DType dtype,
               std::optional<Ints> shape);  // inside: one more input of the subgraph
  Value formal_like(const std::string& hint,
                    const Value& v);  // inside: one of the type and rank of `v`
  void bind(const std::string& paddle_name,
            const Value& v);                           // inside: a Paddle variable now means `v`
  Value lookup(const std::string& paddle_name) const;  // what a Paddle variable means here
  bool is_bound(const std::string& paddle_name) const;
  void run_block(std::int64_t block);  // inside: lower every op of the block here
  void result(const Value& v);         // inside: one more output of the subgraph
  const Block& block(std::int64_t index) const;
  const Fork* fork() const;  // the two branches of which this op is one, or null
  const VarDesc* var(const std::string& paddle_name) const;  // its declaration, or null
  /// The op that last wrote `paddle_name` before this one, in this block; null when there is none.
  const OpDesc* writer(const std::string& paddle_name) const;

  /// For a rule that, for some operands, has nothing below `wanted`: the program is lowered again
  /// at that opset where the caller allows it (LowerOptions::max_opset), and refused elsewhere.
  void need_opset(int wanted) const;

  [[noreturn]] void fail(const std::string& why) const;
  void require(bool ok, const std::string& why) const {
    if (!ok) fail(why);
  }

 private:
  std::string base_of_outputs() const;
  std::string name_scope() const;
  void check_result(const Info& info) const;
  Value int_constant(DType dtype, const Known& known);
  Value viewed(const Value& v, const std::optional<Ints>& shape);
  const oarlock::Attr* find_attr(std::string_view name) const;
  [[noreturn]] void wrong_type(std::string_view name, const oarlock::Attr& found,
                               std::string_view wanted) const;
  template <class T>
  T read_attr(std::string_view name, T otherwise, std::string_view wanted) const;

  const OpDesc& op_;
  Graph& graph_;
};

}  // namespace oarlock
