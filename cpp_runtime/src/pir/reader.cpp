#include "pir/reader.h"

#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/base64.h"
#include "base/poll_callback.h"
#include "oarlock/error.h"
#include "pir/dtype_names.h"
#include "pir/json_keys.h"

namespace oarlock::pir {
namespace {

constexpr std::size_t kMaxRank = 32;
constexpr int kMaxTypeDepth = 4;

/// Reads values of one document; remembers which ids are defined in the enclosing blocks.
class Reader {
 public:
  Reader(const JsonDocument& document, const std::string& file)
      : document_(document), file_(file) {}

  Program read() {
    Json root = document_.root();
    Program program;
    program.file = file_;
    if (!root.find("base_code"))
      fail(root, "this is not a program that Paddle 3 saved, there is no field 'base_code'");
    Json base = require_field(root, "base_code", Json::Type::object);
    if (require_field(base, "magic", Json::Type::string).string_or_empty() != "pir")
      fail(base, "magic is not 'pir'");
    program.version = require_field(base, "version", Json::Type::integer).integer_or_zero();
    if (program.version < 1) fail(base, "version " + std::to_string(program.version));
    Json regions = require_field(require_field(root, "program", Json::Type::object), "regions",
                                 Json::Type::array);
    if (regions.size() != 1) fail(regions, "a program has one region");
    program.body = read_region(*regions.begin());
    if (Json contract = root.find(kContractKey)) program.contract = decode_contract_bytes(contract);
    return program;
  }

 private:
  [[noreturn]] void fail(Json at, const std::string& why) const {
    std::string path = document_.path_of(at);
    throw Error(ErrorCode::file, file_ + ": " + path + (path.empty() ? "" : ": ") + why);
  }

  Json require_field(Json object, std::string_view name, Json::Type type) const {
    Json value = object.find(name);
    if (!value) fail(object, "no field '" + std::string(name) + "'");
    if (value.type() != type) fail(value, "a value of another type is expected");
    return value;
  }

  Json require_element(Json list, std::size_t position, Json::Type type) const {
    Json value = list.find_at(position);
    if (value.type() != type)
      fail(list, "element " + std::to_string(position) + " is missing or has another type");
    return value;
  }

  std::string decode_contract_bytes(Json json) const {
    auto bytes = decode_base64(json.string_or_empty());
    if (json.type() != Json::Type::string || !bytes) fail(json, "no base64");
    return *bytes;
  }

  Block read_region(Json json) {
    Json blocks = require_field(json, "blocks", Json::Type::array);
    if (blocks.size() != 1) fail(blocks, "a region has one block");
    return read_block(*blocks.begin());
  }

  Block read_block(Json json) {
    Block block;
    std::vector<std::int64_t> defined;
    if (Json kwargs = json.find("kwargs"); kwargs.size()) fail(kwargs, "is not supported");
    for (Json arg : require_field(json, "args", Json::Type::array))
      block.args.push_back(read_and_define_value(arg, "#", defined));
    for (Json op : require_field(json, "ops", Json::Type::array)) {
      call_poll_callback_if_due();
      std::string_view name = require_field(op, "#", Json::Type::string).string_or_empty();
      if (name == "p")
        block.parameters.push_back(read_parameter(op, defined));
      else
        block.ops.push_back(read_operation(op, name, defined));
    }
    for (std::int64_t id : defined) visible_.erase(id);
    return block;
  }

  std::int64_t read_id(Json json, std::string_view field = "%") const {
    return require_field(json, field, Json::Type::integer).integer_or_zero();
  }

  Value read_and_define_value(Json json, std::string_view id_field,
                              std::vector<std::int64_t>& defined) {
    Value value;
    value.id = read_id(json, id_field);
    if (value.id == 0 || !known_.insert(value.id).second)
      fail(json, "value %" + std::to_string(value.id) + " is 0 or defined twice");
    visible_.insert(value.id);
    defined.push_back(value.id);
    value.type = read_type(require_field(json, "TT", Json::Type::object), 0);
    return value;
  }

  Parameter read_parameter(Json json, std::vector<std::int64_t>& defined) {
    Parameter parameter;
    parameter.source = json;
    Json attrs = require_field(json, "A", Json::Type::array);
    parameter.name = require_element(attrs, 3, Json::Type::string).string_or_empty();
    parameter.value =
        read_and_define_value(require_field(json, "O", Json::Type::object), "%", defined);
    if (parameter.value.type.kind != Type::Kind::dense) fail(json, "a parameter is a tensor");
    if (Json flags = json.find("OA"); flags.size()) {
      parameter.persistable = require_element(flags, 0, Json::Type::integer).integer_or_zero() != 0;
      parameter.value.stop_gradient =
          require_element(flags, 1, Json::Type::integer).integer_or_zero() != 0;
      parameter.trainable = require_element(flags, 2, Json::Type::integer).integer_or_zero() != 0;
    }
    return parameter;
  }

  Operation read_operation(Json json, std::string_view name, std::vector<std::int64_t>& defined) {
    Operation op;
    op.source = json;
    auto dot = name.find('.');
    auto dialect = dot == 1 && name[0] >= '0' && name[0] <= '4' ? name[0] - '0' : -1;
    if (dialect < 0)
      fail(json, "operation '" + std::string(name.substr(0, 80)) + "' has an unknown dialect");
    op.dialect = static_cast<Dialect>(dialect);
    op.name = name.substr(dot + 1);
    for (Json operand : require_field(json, "I", Json::Type::array)) {
      op.operands.push_back(read_id(operand));
      if (op.operands.back() != 0 && !visible_.contains(op.operands.back()))
        fail(operand, "value %" + std::to_string(op.operands.back()) + " is not defined before");
    }
    for (Json region : json.find("regions")) op.bodies.push_back(read_region(region));
    for (Json result : require_field(json, "O", Json::Type::array))
      op.results.push_back(read_and_define_value(result, "%", defined));
    for (Json attr : require_field(json, "A", Json::Type::array))
      op.attrs.push_back(read_attr(attr));
    for (Json attr : json.find("OA")) read_stop_gradient_into_results(attr, op);
    if (Json debug = json.find(kDebugKey)) {
      op.location = debug.find("location").string_or_empty();
      for (Json name_of_result : debug.find("names"))
        op.result_names.emplace_back(name_of_result.string_or_empty());
    }
    return op;
  }

  void read_stop_gradient_into_results(Json json, Operation& op) const {
    if (json.find("N").string_or_empty() != "stop_gradient") return;
    std::size_t i = 0;
    for (Json flag : json.find("AT").find("D"))
      if (i < op.results.size()) op.results[i++].stop_gradient = flag.find("D").boolean_or_false();
  }

  // -- types

  Type read_type(Json json, int depth) const {
    if (depth > kMaxTypeDepth) fail(json, "a type nested too deep");
    std::string_view name = require_field(json, "#", Json::Type::string).string_or_empty();
    Type type;
    if (name == "NULL") return type;
    if (name == "0.t_dtensor" || name == "1.t_dense_tensor_array") {
      type.kind = name[0] == '0' ? Type::Kind::dense : Type::Kind::array;
      Json data = require_field(json, "D", Json::Type::array);
      type.dtype = read_element_type(require_element(data, 0, Json::Type::object));
      type.shape = read_dims(require_element(data, 1, Json::Type::array));
    } else if (name == "0.t_vec") {
      type.kind = Type::Kind::list;
      for (Json element : require_field(json, "D", Json::Type::array))
        type.elements.push_back(read_type(element, depth + 1));
    } else {
      type.kind = Type::Kind::other;
      type.name = name;
    }
    return type;
  }

  DType read_element_type(Json json) const {
    std::string_view name = require_field(json, "#", Json::Type::string).string_or_empty();
    auto dtype = find_dtype_of_element_type(name);
    if (!dtype) fail(json, "elements of type '" + std::string(name.substr(0, 80)) + "'");
    return *dtype;
  }

  Ints read_dims(Json json) const {
    if (json.size() > kMaxRank) fail(json, "rank " + std::to_string(json.size()));
    Ints dims;
    for (Json dim : json) {
      if (dim.type() != Json::Type::integer) fail(dim, "a dimension is an integer");
      dims.push_back(std::max<std::int64_t>(dim.integer_or_zero(), -1));
    }
    return dims;
  }

  // -- attributes

  Attribute read_attr(Json json) const {
    Attribute attr;
    attr.source = json;
    attr.name = require_field(json, "N", Json::Type::string).string_or_empty();
    Json typed = require_field(json, "AT", Json::Type::object);
    std::string_view type = require_field(typed, "#", Json::Type::string).string_or_empty();
    if (type == "1.a_dtype") {
      attr.kind = Attribute::Kind::dtype;
      std::string_view name = require_field(typed, "D", Json::Type::string).string_or_empty();
      auto dtype = find_dtype_attr_number(name);
      if (!dtype) fail(typed, "dtype '" + std::string(name.substr(0, 80)) + "' is unknown");
      attr.value = {AttrType::INT, *dtype};
    } else if (type == "NULL" || type == "1.a_place" || type == "1.a_layout" ||
               type == "0.a_type") {
      attr.kind = Attribute::Kind::absent;
    } else if (type == "0.a_array") {
      attr.value = read_array(require_field(typed, "D", Json::Type::array));
    } else if (type == "1.a_intarray") {
      attr.value = read_json_int_list(require_field(typed, "D", Json::Type::array));
    } else if (type == "1.a_scalar") {
      attr.value = read_paddle_scalar(require_field(typed, "D", Json::Type::array));
    } else {
      attr.value = read_bool_number_or_string(typed, type);
    }
    return attr;
  }

  Attr read_json_int_list(Json list) const {
    Ints values;
    for (Json value : list) {
      if (value.type() != Json::Type::integer) fail(value, "an integer is expected");
      values.push_back(value.integer_or_zero());
    }
    return {AttrType::LONGS, std::move(values)};
  }

  // A value of Paddle's type Scalar: ["float32", 0.5], or ["complex64", 0.5, 1]
  Attr read_paddle_scalar(Json data) const {
    std::string_view dtype = require_element(data, 0, Json::Type::string).string_or_empty();
    Json value = data.find_at(1);
    if (dtype.starts_with("complex"))
      return {AttrType::SCALAR, Scalar{Scalar::Type::complex128, 0, value.number_or_zero(),
                                       data.find_at(2).number_or_zero()}};
    if (value.type() == Json::Type::boolean)
      return {AttrType::SCALAR, Scalar{Scalar::Type::boolean, value.boolean_or_false(), 0, 0}};
    if (value.type() == Json::Type::integer && !dtype.starts_with("float"))
      return {AttrType::SCALAR, Scalar{Scalar::Type::int64, value.integer_or_zero(), 0, 0}};
    if (!value.is_number()) fail(data, "a number is expected");
    return {AttrType::SCALAR, Scalar{Scalar::Type::float64, 0, value.number_or_zero(), 0}};
  }

  double read_float(Json typed) const {
    if (Json text = typed.find("VD")) {
      std::string_view word = text.string_or_empty();
      if (word == "NaN" || word == "NAN") return std::numeric_limits<double>::quiet_NaN();
      if (word == "INF") return std::numeric_limits<double>::infinity();
      if (word == "-INF") return -std::numeric_limits<double>::infinity();
      fail(text, "NaN, INF or -INF is expected");
    }
    Json value = typed.find("D");
    if (!value.is_number()) fail(typed, "a number is expected");
    return value.number_or_zero();
  }

  Attr read_bool_number_or_string(Json typed, std::string_view type) const {
    if (type == "0.a_bool")
      return {AttrType::BOOLEAN, require_field(typed, "D", Json::Type::boolean).boolean_or_false()};
    if (type == "0.a_i32")
      return {AttrType::INT, require_field(typed, "D", Json::Type::integer).integer_or_zero()};
    if (type == "0.a_i64" || type == "0.a_index")
      return {AttrType::LONG, require_field(typed, "D", Json::Type::integer).integer_or_zero()};
    if (type == "0.a_f32") return {AttrType::FLOAT, read_float(typed)};
    if (type == "0.a_f64") return {AttrType::FLOAT64, read_float(typed)};
    if (type == "0.a_str" || type == "0.a_tensorname")
      return {AttrType::STRING,
              std::string(require_field(typed, "D", Json::Type::string).string_or_empty())};
    if (type == "0.a_c64" || type == "0.a_c128") {
      Json parts = require_field(typed, "D", Json::Type::array);
      return {AttrType::SCALAR,
              Scalar{Scalar::Type::complex128, 0, parts.find_at(0).number_or_zero(),
                     parts.find_at(1).number_or_zero()}};
    }
    fail(typed, "an attribute of type '" + std::string(type.substr(0, 80)) + "'");
  }

  // Reads a list of attribute values, which have one type. The element type of an empty list is not
  // known.
  Attr read_array(Json list) const {
    Ints ints;
    Floats floats;
    Strings strings;
    Scalars scalars;
    std::optional<AttrType> type;
    for (Json element : list) {
      Attr value = read_bool_number_or_string(
          element, require_field(element, "#", Json::Type::string).string_or_empty());
      if (type && *type != value.type) fail(list, "a list of attributes of several types");
      type = value.type;
      if (auto* flag = std::get_if<bool>(&value.value))
        ints.push_back(*flag);
      else if (auto* number = std::get_if<std::int64_t>(&value.value))
        ints.push_back(*number);
      else if (auto* real = std::get_if<double>(&value.value))
        floats.push_back(*real);
      else if (auto* text = std::get_if<std::string>(&value.value))
        strings.push_back(std::move(*text));
      else
        scalars.push_back(std::get<Scalar>(value.value));
    }
    switch (type.value_or(AttrType::LONG)) {
      case AttrType::BOOLEAN:
        return {AttrType::BOOLEANS, std::move(ints)};
      case AttrType::INT:
        return {AttrType::INTS, std::move(ints)};
      case AttrType::FLOAT:
        return {AttrType::FLOATS, std::move(floats)};
      case AttrType::FLOAT64:
        return {AttrType::FLOAT64S, std::move(floats)};
      case AttrType::STRING:
        return {AttrType::STRINGS, std::move(strings)};
      case AttrType::SCALAR:
        return {AttrType::SCALARS, std::move(scalars)};
      default:
        return {AttrType::LONGS, std::move(ints)};
    }
  }

  const JsonDocument& document_;
  const std::string& file_;
  std::set<std::int64_t> known_, visible_;
};

}  // namespace

bool starts_with_json_object(std::string_view bytes) {
  auto first = bytes.find_first_not_of(" \t\r\n");
  return first != bytes.npos && bytes[first] == '{';
}

Program parse_pir_program(const JsonDocument& document, const std::string& file) {
  return Reader(document, file).read();
}

const Attribute* Operation::find_attr(std::string_view attr) const {
  for (const Attribute& a : attrs)
    if (a.name == attr) return &a;
  return nullptr;
}

}  // namespace oarlock::pir
