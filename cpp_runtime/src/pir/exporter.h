// Translation of the program of a `.pdmodel` to a PIR program of version 1 in memory, which
// pir/writer.h writes as `.json`. All releases of Paddle 3 read version 1 of PIR.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/program.h"
#include "pir/op_table.h"
#include "pir/program.h"

namespace oarlock::pir {

/// PIR values by the name of the variable that holds them at the current point of the program. A
/// variable can be assigned several times; a PIR value cannot.
using ValuesByVariable = std::map<std::string, Value, std::less<>>;

/// The state that the rules of ops use.
class Exporter {
 public:
  explicit Exporter(const oarlock::Program& program) : in_(program) {}

  Program run();

  [[noreturn]] void fail(const OpDesc& op, const std::string& why) const;

  // -- variables of the `.pdmodel`

  /// The type that a variable is declared with.
  Type declared_type(const OpDesc& op, const std::string& variable) const;
  /// The value that a variable holds; fails if no op wrote it.
  const Value& value_of(const OpDesc& op, const std::string& variable) const;
  bool is_assigned(std::string_view variable) const { return values_.contains(variable); }
  /// Fails if the current block is a branch that does not declare the tensor array `variable`
  /// itself, because in Paddle a write in a branch does not change an array outside of the branch.
  void require_writable_array(const OpDesc& op, const std::string& variable) const;
  std::vector<Value> values_of(const OpDesc& op, const Strings& variables) const;
  /// The value of the only variable in an input slot.
  const Value& input(const OpDesc& op, std::string_view slot) const;
  void assign(const std::string& variable, Value value);

  // -- operations

  /// Appends an operation to the current block; returns its results, which have the given types.
  std::vector<Value> emit(std::string name, std::vector<std::int64_t> operands,
                          std::vector<Type> results, std::vector<Attribute> attrs = {},
                          Dialect dialect = Dialect::pd_op);
  /// Appends an operation with the variable in the slot `Out` as result.
  void emit_to_output(const OpDesc& op, std::string name, std::vector<std::int64_t> operands,
                      std::vector<Attribute> attrs = {});
  std::int64_t emit_full(double value, DType dtype, const Ints& shape = {1});
  std::int64_t emit_int_array(const Ints& values);
  /// A list of tensors.
  std::int64_t emit_list(const std::vector<Value>& elements);
  /// A vector of integers of tensors with one element each.
  std::int64_t emit_int64_vector_from_scalars(const std::vector<Value>& elements);
  /// Zeros of a type: the value of a variable on paths that do not assign it.
  Value emit_zeros_for_unassigned(Type type);
  /// An operand of integers, from the tensor in `tensor_slot`, else from the tensors of one element
  /// each in `tensors_slot`, else from the attribute.
  std::int64_t get_or_emit_mutable_int_list_attr_value(const OpDesc& op, std::string_view attr,
                                                       std::string_view tensor_slot,
                                                       std::string_view tensors_slot);

  // -- blocks

  /// Translates the sub-block of a branch; without an index the branch is empty. Assignments in the
  /// branch are not visible after it. `finish` appends the yield.
  Block export_branch(std::optional<std::int64_t> index, const std::function<void()>& finish);
  /// Translates the sub-block that is the body of a loop, as export_branch does for branches; args:
  /// the arguments of the block.
  Block export_sub_block(std::optional<std::int64_t> index, std::vector<Value> args,
                         const std::function<void()>& finish);
  /// The variables of enclosing blocks that a sub-block assigns, sorted; without tensor arrays.
  std::set<std::string> outer_names_written_by_block(std::int64_t index) const;
  Value new_block_argument(const Type& type);

  /// The operations appended so far to the current block.
  Block& block() { return *block_; }

  void export_by_spec(const OpDesc& op, const OpSpec& spec);

 private:
  void require_rules_for_all_ops() const;
  void export_parameters();
  void export_inputs();
  void export_outputs();
  void export_ops(const oarlock::Block& block);
  void export_op(const OpDesc& op);
  void create_tensor_arrays(const oarlock::Block& block);
  std::int64_t get_or_emit_operand_value(const OpDesc& op, const OpSpec& spec,
                                         const OperandSpec& operand);
  std::int64_t emit_constant(std::string name, Type type, std::vector<Attribute> attrs);
  std::int64_t get_or_emit_mutable_attr_value(const OpDesc& op, const OperandSpec& operand);
  Attribute make_attr(const OpDesc& op, const OpSpec& spec, const AttrSpec& attr) const;
  void check_inputs_outside_spec(const OpDesc& op, const OpSpec& spec) const;
  void check_attrs_outside_spec(const OpDesc& op, const OpSpec& spec) const;

  void set_result_names_of_ops(Block& block) const;

  const oarlock::Program& in_;
  Program out_;
  std::string location_;                       // of the op that is being translated
  std::map<std::int64_t, std::string> names_;  // of variables, by value
  Block* block_ = nullptr;
  std::int32_t index_ = 0;  // of the current block in `in_`
  ValuesByVariable values_;
  std::set<std::string, std::less<>> arrays_outside_of_branch_;
  std::int64_t next_id_ = 1, next_argument_id_ = -1;
};

/// A rule of an op that is more than a row of the table of operations. A rule may translate several
/// ops from `position` on; it returns the number of ops that it translated.
using ExportRule = std::size_t (*)(Exporter&, const std::vector<OpDesc>& ops, std::size_t position);
/// The rule of an op type; null if there is none.
ExportRule find_export_rule(std::string_view type);

// Attributes of operations.
Attribute int_attribute(std::string name, std::int64_t value);  // a_i32
Attribute dtype_attribute(std::string name, DType dtype);       // a_dtype
Attribute place_attribute();                                    // a_place
Attribute int_array_attribute(std::string name, Ints values);   // a_intarray
Attribute plain_attribute(std::string name, Attr value);
/// The attributes of `full`.
std::vector<Attribute> attributes_of_full_op(double value, DType dtype, const Ints& shape);

}  // namespace oarlock::pir
