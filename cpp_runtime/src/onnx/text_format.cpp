// Text of a graph for golden tests and for people: not meant to be parsed.

#include "base/decimal.h"
#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

std::string number(float v) {
  for (int digits = 1; digits < 9; ++digits) {  // the shortest that reads back the same
    std::string text = format_double(v, digits);
    if (auto back = parse_double(text); back && static_cast<float>(*back) == v) return text;
  }
  return format_double(v, 9);
}

template <class T, class F>
std::string list(const std::vector<T>& values, F&& show_one) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + show_one(values[i]);
  return text + "]";
}

struct Printer {
  std::string out;
  std::string indent;

  std::string show(std::int64_t v) { return std::to_string(v); }
  std::string show(float v) { return number(v); }
  std::string show(const std::string& v) { return "\"" + v + "\""; }
  std::string show(const Ints& v) {
    return list(v, [](auto x) { return std::to_string(x); });
  }
  std::string show(const std::vector<float>& v) { return list(v, number); }
  std::string show(const Strings& v) {
    return list(v, [](auto& x) { return x; });
  }
  std::string show(const Tensor& v) { return oarlock::show(v.dtype, v.shape); }
  std::string show(const std::shared_ptr<Graph>& g) {
    return "{\n" + Printer{"", indent + "  "}.all(*g) + indent + "}";
  }

  static std::string names(const Strings& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
      text += (i ? ", " : "") + (all[i].empty() ? "_" : all[i]);
    return text;
  }

  void node(const Node& n) {
    out += indent + names(n.outputs) + " = " + (n.domain.empty() ? "" : n.domain + ".") + n.op;
    for (std::size_t i = 0; i < n.attrs.size(); ++i)
      out += (i ? ", " : "<") + n.attrs[i].first + "=" +
             std::visit([&](auto& v) { return show(v); }, n.attrs[i].second);
    out += (n.attrs.empty() ? "(" : ">(") + names(n.inputs) + ")\n";
  }

  std::string all(const Graph& g) {
    if (!indent.empty()) {
      Strings in;
      for (auto& v : g.inputs) in.push_back(v.name);
      out += indent + "(" + names(in) + ")\n";
    }
    for (const Node& n : g.nodes) node(n);
    if (!indent.empty()) {
      Strings results;
      for (auto& v : g.outputs) results.push_back(v.name);
      out += indent + "-> " + names(results) + "\n";
    }
    return out;
  }
};

}  // namespace

std::string to_text(const Graph& graph) { return Printer{"", ""}.all(graph); }

}  // namespace oarlock::onnx
