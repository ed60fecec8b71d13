// PIR programs of Paddle 3 as plain data, as stored in a `.json`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "paddle/program.h"

namespace oarlock::pir {

struct Type {
  /// none: there is no value; dense: a tensor; list: a list of tensors; array: a tensor array;
  /// other: a type that is not supported, whose name in PIR is `name`.
  enum class Kind { none, dense, list, array, other } kind = Kind::none;
  DType dtype = DType::none;
  Ints shape;  // -1 for unknown
  std::vector<Type> elements;
  std::string name;
};

/// A result of an operation or an argument of a block.  id: the number by which operands refer to
/// it; not 0.
struct Value {
  std::int64_t id = 0;
  Type type;
  bool stop_gradient = true;
};

/// An attribute.  Kind::dtype: the value is the VarType number of a dtype, -1 for the undefined
/// dtype; Kind::absent: the attribute does not affect results (a place, a layout, or no value).
struct Attribute {
  enum class Kind { plain, dtype, int_array, place, absent } kind = Kind::plain;
  std::string name;
  Attr value;
  Json source;
};

/// Dialects of operations, by their numbers in files.
enum class Dialect { builtin = 0, pd_op = 1, cf = 2, custom = 3, dist = 4 };

struct Block;

struct Operation {
  Dialect dialect = Dialect::pd_op;
  std::string name;
  std::vector<std::int64_t> operands;  // ids of values; 0: absent
  std::vector<Value> results;
  std::vector<Attribute> attrs;
  std::vector<Block> bodies;  // the block of each region
  Strings result_names;       // of the variables in the `.pdmodel`; "" or missing if not known
  std::string location;       // the user's source line, "" if unknown
  Json source;

  const Attribute* find_attr(std::string_view attr) const;
};

/// A parameter or buffer: an operation without operands. Only the values of persistable parameters
/// are in the `.pdiparams`.
struct Parameter {
  Value value;
  std::string name;
  bool persistable = true;
  bool trainable = false;
  Json source;
};

struct Block {
  std::vector<Value> args;
  std::vector<Parameter> parameters;
  std::vector<Operation> ops;
};

struct Program {
  std::string file;  // for messages
  std::int64_t version = 0;
  Block body;
  std::string contract;  // the serialized contract of Oarlock; "" if there is none
};

}  // namespace oarlock::pir
