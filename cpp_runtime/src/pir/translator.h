// Translation of a PIR program to the program of a `.pdmodel`.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "paddle/program.h"
#include "pir/op_table.h"
#include "pir/program.h"

namespace oarlock::pir {

/// The largest number of unsupported operations that one error lists.
inline constexpr std::size_t kMaxListedProblems = 50;

using Attrs = std::map<std::string, Attr, std::less<>>;

/// A PIR value in the program under construction.
struct Binding {
  std::string variable;  // "" for a list or an absent value
  Type type;
  std::vector<Binding> elements;    // of a list
  std::optional<Scalars> constant;  // the elements, if they are known
};

/// Where an op takes a list of integers from: an attribute, one tensor, or one tensor per element;
/// "" for none.
struct IntListAttrAndSlotNames {
  std::string_view attr, tensor_slot, tensors_slot;
};

/// The number of a dtype as an attribute.
inline Attr make_dtype_attr(DType dtype) {
  return {AttrType::INT, static_cast<std::int64_t>(dtype)};
}

/// The state that the rules of operations use. Positions of operands, results and bodies are those
/// of the operation.
class Translator {
 public:
  Translator(const Program& program, const JsonDocument& document);

  oarlock::Program translate();

  [[noreturn]] void fail(Json at, const std::string& why) const;

  /// The operand at a position; fails if it is absent.
  const Binding& require_operand_binding(const Operation& op, std::size_t position) const;
  /// The variable of an operand; "" if it is absent.
  std::string operand_variable(const Operation& op, std::size_t position) const;
  /// The value of an attribute; fails if it is missing or has another type.
  std::int64_t int_attr(const Operation& op, std::string_view name) const;

  /// The type of a result.
  const Type& result_type(const Operation& op, std::size_t position) const;
  /// The dtype of the first result: the attribute `dtype` if it is defined.
  DType dtype_attr_or_first_result_dtype(const Operation& op) const;

  /// Binds a result to a value.
  void bind(const Operation& op, std::size_t position, Binding binding);
  /// Declares the variable of a result and binds it; returns its name.
  std::string bind_result_to_new_variable(const Operation& op, std::size_t position);
  /// The variable of a result: that of the operand which the operation changes in place, or a new
  /// one.
  std::string bind_result_in_place_or_new(const Operation& op, std::size_t position);
  /// Declares the variables of a result that is a list and binds it; returns their names.
  Strings bind_result_to_new_list(const Operation& op, std::size_t position);
  /// Binds a result to the operand that the operation changes in place; returns its variable.
  std::string bind_result_in_place(const Operation& op, std::size_t position,
                                   std::size_t operand_position);
  /// Marks the elements of a bound result as known, unless an operation changes it in place.
  void set_constant_unless_changed_in_place(const Operation& op, std::size_t position,
                                            Scalars elements);
  /// Declares a variable for the scopes that an op with a sub-block creates.
  std::string declare_step_scopes_variable(const std::string& hint);
  /// Declares a variable in the current block; `hint` is made unique.
  std::string declare_variable_with_unique_name(const std::string& hint, const Type& type);

  /// Appends an op.
  void emit(const Operation& op, std::string type, Slots inputs, Slots outputs, Attrs attrs = {});
  /// Appends an op with one output of a given type; returns the output.
  std::string emit_to_new_variable(const Operation& op, const std::string& type, Slots inputs,
                                   Attrs attrs, const Type& result);

  /// Appends a cast of the variable `from` into the declared variable `to`.
  void emit_cast_into_variable(const Operation& op, const std::string& from, DType from_dtype,
                               const std::string& to, DType to_dtype);
  /// The op that was appended last.
  OpDesc& last_op() { return block().ops.back(); }

  /// Appends the feed op of an input.
  void add_input(const Operation& op, const std::string& name);
  /// Appends the fetch op of an output; copies the operand if its variable has another name.
  void add_output(const Operation& op, const std::string& name, std::int64_t column);

  /// Adds an operand of integers: as attribute if known, otherwise as tensors.
  void add_int_list_operand(const Operation& op, std::size_t position,
                            const IntListAttrAndSlotNames& slots, std::string_view legacy_type,
                            Slots& inputs, Attrs& attrs);
  /// Copies an attribute, if it is there, as another type.
  void copy_attr(const Operation& op, std::string_view name, AttrType type, Attrs& attrs) const;

  /// Translates an operation to the op that its row of the table (op_table.h) specifies.
  void translate_by_spec(const Operation& op, const OpSpec& spec);

  /// Translates the block of a body into a new block; at its end `finish` gets the operands of its
  /// yield.  Returns the index of the block.
  template <class Finish>
  std::int32_t translate_body(const Block& body, const Finish& finish) {
    std::int32_t outer = current_;
    std::int32_t inner = open_block();
    translate_ops(body);
    finish(yielded_bindings(body));
    current_ = outer;
    return inner;
  }
  void bind_argument(const Value& argument, Binding binding);

  /// Names that the ops of a block read or write and that enclosing blocks declare, sorted.
  std::set<std::string> outer_names_read_by_block(std::int32_t block) const;
  std::set<std::string> outer_names_written_by_block(std::int32_t block) const;

 private:
  std::int32_t open_block();
  oarlock::Block& block() { return out_.blocks[static_cast<std::size_t>(current_)]; }
  void translate_parameters(const Block& block);
  void translate_ops(const Block& block);
  void translate_op(const Operation& op);
  std::vector<Binding> yielded_bindings(const Block& body) const;
  void collect_unsupported_operations(const Block& block, std::vector<std::string>& problems) const;
  void reserve_program_input_and_output_names(const Block& block);
  void collect_values_changed_in_place(const Block& block);
  void add_operand(const Operation& op, const OperandSpec& spec, std::size_t position,
                   Slots& inputs, Attrs& attrs);
  void add_mutable_attr(const Operation& op, const OperandSpec& spec, const Binding& binding,
                        std::string_view legacy_type, Slots& inputs, Attrs& attrs);
  Strings emit_vector_elements(const Operation& op, const OperandSpec& spec, const Binding& vector);
  void add_attrs(const Operation& op, const OpSpec& spec, Attrs& attrs);
  void require_default_attr_value(const Operation& op, const AttrSpec& spec,
                                  const Attribute* attr) const;
  Strings bind_result_by_spec(const Operation& op, const ResultSpec& spec, std::size_t position);
  std::string unique_name(const std::string& hint);

  const Program& in_;
  const JsonDocument& document_;
  oarlock::Program out_;
  std::int32_t current_ = 0;
  std::map<std::int64_t, Binding> values_;
  std::map<std::int64_t, std::string> output_names_;    // of values that are fetched
  std::unordered_set<std::string> names_;               // of all variables
  std::unordered_map<std::string, int> last_suffixes_;  // of names made unique, by their hint
  std::set<std::int64_t> changed_in_place_;             // values
  std::int64_t num_inputs_ = 0;
};

/// A rule of an operation without a row in the table, or one whose row does not say everything.
using Rule = void (*)(Translator&, const Operation&);
/// The rule of an operation; null if there is none.
Rule find_special_rule(Dialect dialect, std::string_view name);

/// The position of the operand that an operation overwrites with a result; nullopt if the result is
/// a new value. PIR marks these operations with a trailing `_`: later readers of the operand see
/// the change, also those in a loop that only captures it.
std::optional<std::size_t> find_operand_overwritten_by_result(const Operation& op,
                                                              std::size_t result);

/// The value of an attribute in another width, or as a list; nullopt if it has no such value.
std::optional<Attr> convert_attr(const Attr& attr, AttrType type);

}  // namespace oarlock::pir
