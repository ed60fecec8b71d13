#include "pir/writer.h"

#include <cmath>
#include <utility>

#include "base/base64.h"
#include "base/json.h"
#include "base/number_text_conversion.h"
#include "pir/dtype_names.h"
#include "pir/exporter.h"
#include "pir/json_keys.h"

namespace oarlock::pir {
namespace {

/// Writes the fields of each object sorted by name, as Paddle does.
class Writer {
 public:
  std::string write(const Program& program) {
    out_ = R"({"base_code":{"magic":"pir","trainable":true,"version":)" +
           std::to_string(program.version) + "},";
    if (!program.contract.empty())
      out_ += "\"" + std::string(kContractKey) +
              "\":" + quote_json(encode_base64(program.contract)) + ",";
    out_ += R"("program":{"regions":[)";
    write_region(program.body);
    out_ += "]}}";
    return std::move(out_);
  }

 private:
  /// Writes elements separated by commas.
  template <class List, class Write>
  void write_list(const List& list, const Write& write) {
    out_ += '[';
    bool is_first = true;
    for (const auto& element : list) {
      if (!std::exchange(is_first, false)) out_ += ',';
      write(element);
    }
    out_ += ']';
  }

  void write_region(const Block& block) {
    out_ += R"({"#":"region_)" + std::to_string(num_regions_++) + R"(","blocks":[{"#":"block_)" +
            std::to_string(num_blocks_++) + R"(","args":)";
    write_list(block.args, [&](const Value& arg) {
      out_ += R"({"#":)" + std::to_string(arg.id) + R"(,"TT":)";
      write_type(arg.type);
      out_ += '}';
    });
    out_ += R"(,"ops":[)";
    bool is_first = true;
    for (const Parameter& parameter : block.parameters) {
      if (!std::exchange(is_first, false)) out_ += ',';
      write_parameter(parameter);
    }
    for (const Operation& op : block.ops) {
      if (!std::exchange(is_first, false)) out_ += ',';
      write_operation(op);
    }
    out_ += "]}]}";
  }

  void write_parameter(const Parameter& parameter) {
    out_ += R"({"#":"p","A":[0,1,1,)" + quote_json(parameter.name) + R"(],"DA":[],"O":)";
    write_result_value(parameter.value);
    out_ += R"(,"OA":[)" + std::string(parameter.persistable ? "1" : "0") + "," +
            (parameter.value.stop_gradient ? "1" : "0") + "," + (parameter.trainable ? "1" : "0") +
            R"(],"QA":[]})";
  }

  void write_operation(const Operation& op) {
    out_ +=
        R"({"#":")" + std::to_string(static_cast<int>(op.dialect)) + "." + op.name + R"(","A":)";
    write_list(op.attrs, [&](const Attribute& attr) {
      out_ += R"({"AT":)";
      write_attribute(attr);
      out_ += R"(,"N":)" + quote_json(attr.name) + "}";
    });
    out_ += R"(,"I":)";
    write_list(op.operands,
               [&](const std::int64_t& id) { out_ += R"({"%":)" + std::to_string(id) + "}"; });
    out_ += R"(,"O":)";
    write_list(op.results, [&](const Value& result) { write_result_value(result); });
    out_ += R"(,"OA":)";
    write_result_attrs(op);
    write_location_and_result_names(op);
    if (!op.bodies.empty()) {
      out_ += R"(,"regions":)";
      write_list(op.bodies, [&](const Block& body) { write_region(body); });
    }
    out_ += '}';
  }

  void write_location_and_result_names(const Operation& op) {
    if (op.location.empty() && op.result_names.empty()) return;
    out_ += ",\"" + std::string(kDebugKey) + "\":{";
    if (!op.location.empty()) out_ += R"("location":)" + quote_json(op.location);
    if (!op.result_names.empty()) {
      out_ += op.location.empty() ? R"("names":)" : R"(,"names":)";
      write_list(op.result_names, [&](const std::string& name) { out_ += quote_json(name); });
    }
    out_ += '}';
  }

  void write_result_attrs(const Operation& op) {
    if (op.results.empty()) return void(out_ += "[]");
    out_ += '[';
    if (op.name == "fetch")
      out_ += R"({"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":true}]},"N":"persistable"},)";
    out_ += R"({"AT":{"#":"0.a_array","D":)";
    write_list(op.results,
               [&](const Value& result) { write_bool_attribute(result.stop_gradient); });
    out_ += R"(},"N":"stop_gradient"}])";
  }

  void write_result_value(const Value& value) {
    out_ += R"({"%":)" + std::to_string(value.id) + R"(,"TT":)";
    write_type(value.type);
    out_ += '}';
  }

  void write_type(const Type& type) {
    switch (type.kind) {
      case Type::Kind::dense:
      case Type::Kind::array: {
        bool is_dense = type.kind == Type::Kind::dense;
        out_ += is_dense ? R"({"#":"0.t_dtensor","D":[{"#":")"
                         : R"({"#":"1.t_dense_tensor_array","D":[{"#":")";
        out_ += std::string(element_type_name(type.dtype)) + R"("},)";
        write_list(type.shape, [&](const std::int64_t& dim) { out_ += std::to_string(dim); });
        out_ += is_dense ? R"(,"NCHW",[],0]})" : R"(,"NCHW"]})";
        return;
      }
      case Type::Kind::list:
        out_ += R"({"#":"0.t_vec","D":)";
        write_list(type.elements, [&](const Type& element) { write_type(element); });
        out_ += '}';
        return;
      default:
        out_ += R"({"#":"NULL"})";
    }
  }

  // -- attributes

  void write_attribute(const Attribute& attr) {
    const Attr& value = attr.value;
    switch (attr.kind) {
      case Attribute::Kind::place:
        out_ += R"({"#":"1.a_place","D":[0,0,""]})";
        return;
      case Attribute::Kind::dtype:
        out_ += R"({"#":"1.a_dtype","D":)" +
                quote_json(dtype_name_in_attributes(
                    static_cast<DType>(std::get<std::int64_t>(value.value)))) +
                "}";
        return;
      case Attribute::Kind::int_array:
        out_ += R"({"#":"1.a_intarray","D":)";
        write_list(std::get<Ints>(value.value),
                   [&](const std::int64_t& x) { out_ += std::to_string(x); });
        out_ += '}';
        return;
      case Attribute::Kind::absent:
        out_ += R"({"#":"NULL"})";
        return;
      default:
        write_attribute_by_attr_type(value);
    }
  }

  void write_attribute_by_attr_type(const Attr& attr) {
    switch (attr.type) {
      case AttrType::BOOLEAN:
        return write_bool_attribute(std::get<bool>(attr.value));
      case AttrType::INT:
        return write_int_attribute("0.a_i32", std::get<std::int64_t>(attr.value));
      case AttrType::LONG:
        return write_int_attribute("0.a_i64", std::get<std::int64_t>(attr.value));
      case AttrType::FLOAT:
        return write_float_attribute("0.a_f32", std::get<double>(attr.value));
      case AttrType::FLOAT64:
        return write_float_attribute("0.a_f64", std::get<double>(attr.value));
      case AttrType::STRING:
        return write_string_attribute_value(std::get<std::string>(attr.value));
      case AttrType::INTS:
        return write_array_attribute(std::get<Ints>(attr.value),
                                     [&](std::int64_t x) { write_int_attribute("0.a_i32", x); });
      case AttrType::LONGS:
        return write_array_attribute(std::get<Ints>(attr.value),
                                     [&](std::int64_t x) { write_int_attribute("0.a_i64", x); });
      case AttrType::BOOLEANS:
        return write_array_attribute(std::get<Ints>(attr.value),
                                     [&](std::int64_t x) { write_bool_attribute(x != 0); });
      case AttrType::FLOATS:
        return write_array_attribute(std::get<Floats>(attr.value),
                                     [&](double x) { write_float_attribute("0.a_f32", x); });
      case AttrType::FLOAT64S:
        return write_array_attribute(std::get<Floats>(attr.value),
                                     [&](double x) { write_float_attribute("0.a_f64", x); });
      case AttrType::STRINGS:
        return write_array_attribute(std::get<Strings>(attr.value), [&](const std::string& x) {
          write_string_attribute_value(x);
        });
      case AttrType::SCALARS:
        return write_array_attribute(std::get<Scalars>(attr.value),
                                     [&](const Scalar& x) { write_paddle_scalar_attribute(x); });
      case AttrType::SCALAR:
        return write_paddle_scalar_attribute(std::get<Scalar>(attr.value));
      default:
        out_ += R"({"#":"NULL"})";
    }
  }

  template <class List, class Write>
  void write_array_attribute(const List& list, const Write& write) {
    out_ += R"({"#":"0.a_array","D":)";
    write_list(list, write);
    out_ += '}';
  }

  void write_bool_attribute(bool value) {
    out_ += R"({"#":"0.a_bool","D":)" + std::string(value ? "true" : "false") + "}";
  }

  void write_int_attribute(const char* type, std::int64_t value) {
    out_ += R"({"#":")" + std::string(type) + R"(","D":)" + std::to_string(value) + "}";
  }

  void write_string_attribute_value(const std::string& text) {
    out_ += R"({"#":"0.a_str","D":)" + quote_json(text) + "}";
  }

  // NaN is written as "NAN", because Paddle reads only "NAN", although it writes "NaN".
  void write_float_attribute(const char* type, double value) {
    out_ += R"({"#":")" + std::string(type) + "\",";
    if (std::isnan(value))
      out_ += R"("VD":"NAN"})";
    else if (std::isinf(value))
      out_ += value > 0 ? R"("VD":"INF"})" : R"("VD":"-INF"})";
    else
      out_ += R"("D":)" + format_significant_digits(value, kRoundTripDigits) + "}";
  }

  void write_paddle_scalar_attribute(const Scalar& scalar) {
    if (scalar.type != Scalar::Type::complex128)
      return write_float_attribute("0.a_f64", scalar.as_double());
    out_ += R"({"#":"0.a_c128","D":[)" + format_significant_digits(scalar.r, kRoundTripDigits) +
            "," + format_significant_digits(scalar.imag, kRoundTripDigits) + "]}";
  }

  std::string out_;
  std::size_t num_regions_ = 0, num_blocks_ = 0;
};

}  // namespace

std::string format_program_as_json(const Program& program) { return Writer().write(program); }

std::string convert_program_to_pir_json(const oarlock::Program& program) {
  return format_program_as_json(Exporter(program).run());
}

}  // namespace oarlock::pir
