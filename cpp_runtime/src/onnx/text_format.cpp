// Formats graphs as text for golden tests and display; the format is not parsed.

#include "base/number_text_conversion.h"
#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

std::string format_float(float v) {
  for (int digits = 1; digits < 9; ++digits) {  // the shortest text that parses to the same value
    std::string text = format_significant_digits(v, digits);
    if (auto back = try_parse_double(text); back && static_cast<float>(*back) == v) return text;
  }
  return format_significant_digits(v, 9);
}

template <class T, class F>
std::string format_list(const std::vector<T>& values, F&& format_one) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + format_one(values[i]);
  return text + "]";
}

struct Printer {
  std::string out;
  std::string indent;

  std::string format(std::int64_t v) { return std::to_string(v); }
  std::string format(float v) { return format_float(v); }
  std::string format(const std::string& v) { return "\"" + v + "\""; }
  std::string format(const Ints& v) {
    return format_list(v, [](auto x) { return std::to_string(x); });
  }
  std::string format(const std::vector<float>& v) { return format_list(v, format_float); }
  std::string format(const Strings& v) {
    return format_list(v, [](auto& x) { return x; });
  }
  std::string format(const Tensor& v) { return oarlock::format_type(v.dtype, v.shape); }
  std::string format(const std::shared_ptr<Graph>& g) {
    return "{\n" + Printer{"", indent + "  "}.print_graph(*g) + indent + "}";
  }

  static std::string format_names(const Strings& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
      text += (i ? ", " : "") + (all[i].empty() ? "_" : all[i]);
    return text;
  }

  void print_node(const Node& n) {
    out +=
        indent + format_names(n.outputs) + " = " + (n.domain.empty() ? "" : n.domain + ".") + n.op;
    for (std::size_t i = 0; i < n.attrs.size(); ++i)
      out += (i ? ", " : "<") + n.attrs[i].first + "=" +
             std::visit([&](auto& v) { return format(v); }, n.attrs[i].second);
    out += (n.attrs.empty() ? "(" : ">(") + format_names(n.inputs) + ")\n";
  }

  std::string print_graph(const Graph& g) {
    if (!indent.empty()) {
      Strings in;
      for (auto& v : g.inputs) in.push_back(v.name);
      out += indent + "(" + format_names(in) + ")\n";
    }
    for (const Node& n : g.nodes) print_node(n);
    if (!indent.empty()) {
      Strings results;
      for (auto& v : g.outputs) results.push_back(v.name);
      out += indent + "-> " + format_names(results) + "\n";
    }
    return out;
  }
};

}  // namespace

std::string to_text(const Graph& graph) { return Printer{"", ""}.print_graph(graph); }

}  // namespace oarlock::onnx
