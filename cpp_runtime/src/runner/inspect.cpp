#include <algorithm>
#include <iostream>
#include <set>

#include "base/json.h"
#include "runner/command_line.h"
#include "runtime/model_impl.h"
#include "runtime/named_dimensions.h"
#include "runtime/tuning_file.h"

namespace oarlock::runner {
namespace {

std::string format_dims(const TensorSpec& spec) {
  std::string text = "[";
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(spec.shape[i]);
  return text + "]";
}

template <class T, class F>
std::string format_json_array(const std::vector<T>& all, F&& one) {
  std::string text = "[";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i ? ", " : "") + one(all[i]);
  return text + "]";
}

std::string named_dims_json_field(const TensorSpec& s) {
  std::string text;
  for (std::size_t axis = 0; axis < s.shape.size(); ++axis) {
    if (!has_dim_name(s, axis)) continue;
    text += (text.empty() ? ", \"dims\": [" : ", ") + std::string("{\"axis\": ") +
            std::to_string(axis) + ", \"name\": " + quote_json(s.symbols[axis]) + ", " +
            format_range_json_fields(*s.ranges[axis]) + "}";
  }
  return text.empty() ? "" : text + "]";
}

std::string tensor_spec_json(const TensorSpec& s) {
  return "{\"name\": " + quote_json(s.name) + ", \"dtype\": " + quote_json(name_of(s.dtype)) +
         ", \"shape\": " + format_dims(s) + named_dims_json_field(s) + "}";
}

std::string guard_json(const GuardSpec& g) {
  return "{\"kind\": " + quote_json(g.kind) + ", \"var\": " + quote_json(g.var) +
         ", \"axis\": " + std::to_string(g.axis) + ", \"expected\": " + quote_json(g.expected) +
         ", \"reader\": " + quote_json(g.reader) + ", \"where\": " + quote_json(g.where) +
         ", \"text\": " + quote_json(g.text) + "}";
}

// The result of conversion: opset and number of nodes, or the error.
struct ConversionSummary {
  int opset = 0;
  std::size_t nodes = 0;
  std::string error;
};

ConversionSummary try_lower_and_summarize(const Model& m) {
  try {
    onnx::Model graph = lower_program(m.impl().program, m.impl().params, {});
    return {graph.opset, graph.graph.nodes.size(), ""};
  } catch (const Error& error) {
    return {0, 0, error.what()};
  }
}

std::vector<std::string> op_types_without_rule(const Model& m) {
  std::vector<std::string> lowered = convertible_op_types(), missing;
  for (auto& [op, count] : m.op_counts())
    if (!std::binary_search(lowered.begin(), lowered.end(), op)) missing.push_back(op);
  return missing;
}

std::size_t total_weight_bytes(const Model& m) {
  std::size_t bytes = 0;
  for (const ParameterSpec& p : m.parameters()) bytes += p.length;
  return bytes;
}

std::string conversion_result_json(const Model& m) {
  ConversionSummary result = try_lower_and_summarize(m);
  if (!result.error.empty()) return "{\"error\": " + quote_json(result.error) + "}";
  return "{\"opset\": " + std::to_string(result.opset) +
         ", \"nodes\": " + std::to_string(result.nodes) + "}";
}

void print_json(const Model& m) {
  std::cout << "{\"inputs\": " << format_json_array(m.inputs(), tensor_spec_json)
            << ", \"outputs\": " << format_json_array(m.outputs(), tensor_spec_json)
            << ", \"ops\": {";
  std::string sep;
  for (auto& [op, count] : m.op_counts())
    std::cout << sep << quote_json(op) << ": " << count, sep = ", ";
  std::cout << "}, \"parameters\": "
            << format_json_array(
                   m.parameters(),
                   [](const ParameterSpec& p) {
                     return "{\"name\": " + quote_json(p.name) +
                            ", \"dtype\": " + quote_json(name_of(p.dtype)) +
                            ", \"shape\": " + format_dims({"", p.dtype, p.shape, {}, ""}) +
                            ", \"offset\": " + std::to_string(p.offset) +
                            ", \"bytes\": " + std::to_string(p.length) + "}";
                   })
            << ", \"parameter_bytes\": " << total_weight_bytes(m)
            << ", \"without_lowering\": " << format_json_array(op_types_without_rule(m), quote_json)
            << ", \"onnx\": " << conversion_result_json(m)
            << ", \"guards\": " << format_json_array(m.guards(), guard_json)
            << ", \"producer\": " << quote_json(m.producer())
            << ", \"verified\": " << quote_json(m.verification_summary()) << "}\n";
}

void print_guards(const Model& m) {
  for (const GuardSpec& g : m.guards()) {
    std::cout << "guard   " << g.kind << " of " << g.var
              << (g.kind == "dim" ? "[" + std::to_string(g.axis) + "]" : "") << " = " << g.expected
              << " (read by " << g.reader << " at " << g.where << ")\n";
  }
}

void print_named_dims(const Model& m) {
  std::set<std::string> printed;
  for (const TensorSpec& s : m.inputs())
    for (std::size_t axis = 0; axis < s.shape.size(); ++axis)
      if (has_dim_name(s, axis) && printed.insert(s.symbols[axis]).second)
        std::cout << "dim     " << s.symbols[axis] << ": "
                  << describe_allowed_sizes(*s.ranges[axis]) << "\n";
}

void print_ops(const Model& m) {
  std::vector<std::string> missing = op_types_without_rule(m);
  for (auto& [op, count] : m.op_counts()) {
    bool lowered = std::find(missing.begin(), missing.end(), op) == missing.end();
    std::cout << "op      " << op << " x" << count << (lowered ? "" : "   (no lowering)") << "\n";
  }
}

void print_weights(const Model& m) {
  for (const ParameterSpec& p : m.parameters())
    std::cout << "param   " << p.name << ": "
              << format_tensor_type({p.name, p.dtype, p.shape, {}, ""}) << " at " << p.offset
              << ", " << p.length << " bytes\n";
  std::cout << "params  " << m.parameters().size() << ", " << total_weight_bytes(m) << " bytes\n";
}

void print_conversion_result(const Model& m) {
  ConversionSummary result = try_lower_and_summarize(m);
  if (result.error.empty())
    std::cout << "onnx    opset " << result.opset << ", " << result.nodes << " nodes\n";
  else
    std::cout << "onnx    not converted: " << result.error << "\n";
}

}  // namespace

int inspect(const Command& c) {
  Model m = open_model(c);
  if (c.json) return print_json(m), 0;
  for (const TensorSpec& s : m.inputs())
    std::cout << "input   " << s.name << ": " << format_tensor_type(s) << "\n";
  for (const TensorSpec& s : m.outputs())
    std::cout << "output  " << s.name << ": " << format_tensor_type(s) << "\n";
  print_named_dims(m);
  print_ops(m);
  print_weights(m);
  print_conversion_result(m);
  print_guards(m);
  if (!m.producer().empty()) std::cout << "written by " << m.producer() << "\n";
  if (!m.verification_summary().empty())
    std::cout << "verification: " << m.verification_summary() << "\n";
  std::string tuning = tuning_path(m.impl());
  if (is_file(tuning)) std::cout << "tuned   " << tuning << "\n";
  return 0;
}

}  // namespace oarlock::runner
