#include <iostream>
#include <set>

#include "cli/command.h"

namespace oarlock::cli {
namespace {

std::string dims(const TensorSpec& spec) {
  std::string text = "[";
  for (std::size_t i = 0; i < spec.shape.size(); ++i) text += (i ? ", " : "") + std::to_string(spec.shape[i]);
  return text + "]";
}

template <class T, class F>
std::string array(const std::vector<T>& all, F&& one) {
  std::string text = "[";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i ? ", " : "") + one(all[i]);
  return text + "]";
}

std::string tensor_json(const TensorSpec& s) {
  return "{\"name\": " + quoted(s.name) + ", \"dtype\": " + quoted(std::string(name_of(s.dtype))) +
         ", \"shape\": " + dims(s) + "}";
}

std::string guard_json(const GuardSpec& g) {
  return "{\"kind\": " + quoted(g.kind) + ", \"var\": " + quoted(g.var) + ", \"axis\": " + std::to_string(g.axis) +
         ", \"expected\": " + quoted(g.expected) + ", \"reader\": " + quoted(g.reader) +
         ", \"where\": " + quoted(g.where) + ", \"text\": " + quoted(g.text) + "}";
}

void print_json(const Model& m) {
  std::cout << "{\"inputs\": " << array(m.inputs(), tensor_json) << ", \"outputs\": " << array(m.outputs(), tensor_json)
            << ", \"ops\": {";
  std::string sep;
  for (auto& [op, count] : m.op_counts()) std::cout << sep << quoted(op) << ": " << count, sep = ", ";
  std::cout << "}, \"parameters\": "
            << array(m.parameters(),
                     [](const ParameterSpec& p) {
                       return "{\"name\": " + quoted(p.name) + ", \"dtype\": " + quoted(std::string(name_of(p.dtype))) +
                              ", \"shape\": " + dims({"", p.dtype, p.shape, {}, ""}) +
                              ", \"offset\": " + std::to_string(p.offset) + ", \"bytes\": " + std::to_string(p.length) +
                              "}";
                     })
            << ", \"guards\": " << array(m.guards(), guard_json) << ", \"producer\": " << quoted(m.producer())
            << ", \"verified\": " << quoted(m.verified()) << "}\n";
}

void print_guards(const Model& m) {
  for (const GuardSpec& g : m.guards()) {
    std::cout << "guard   " << g.kind << " of " << g.var << (g.kind == "dim" ? "[" + std::to_string(g.axis) + "]" : "")
              << " = " << g.expected << " (read by " << g.reader << " at " << g.where << ")\n";
  }
}

}  // namespace

int inspect(const Command& c) {
  Model m = open_model(c);
  if (c.json) return print_json(m), 0;
  for (const TensorSpec& s : m.inputs()) std::cout << "input   " << s.name << ": " << shown(s) << "\n";
  for (const TensorSpec& s : m.outputs()) std::cout << "output  " << s.name << ": " << shown(s) << "\n";
  std::set<std::string> lowered;
  for (const std::string& op : lowered_ops()) lowered.insert(op);
  for (auto& [op, count] : m.op_counts())
    std::cout << "op      " << op << " x" << count << (lowered.count(op) ? "" : "   (no lowering)") << "\n";
  std::size_t bytes = 0;
  for (const ParameterSpec& p : m.parameters()) {
    std::cout << "weight  " << p.name << ": " << shown({p.name, p.dtype, p.shape, {}, ""}) << " at " << p.offset
              << "\n";
    bytes += p.length;
  }
  std::cout << "weights " << m.parameters().size() << ", " << bytes << " bytes\n";
  print_guards(m);
  if (!m.producer().empty()) std::cout << "by      " << m.producer() << "\n";
  if (!m.verified().empty()) std::cout << "checked " << m.verified() << "\n";
  return 0;
}

}  // namespace oarlock::cli
