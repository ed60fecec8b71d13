#include "run/blame.h"

#include <algorithm>
#include <string_view>

#include "lower/guard.h"
#include "lower/operands.h"

namespace oarlock {
namespace {

struct Found {
  const OpDesc* op = nullptr;
  std::string_view gives;
};

// What stands between `before` and `after`, "" where they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  auto from = text.find(before);
  if (from == text.npos) return "";
  text.remove_prefix(from + before.size());
  auto to = text.find(after);
  return to == text.npos ? "" : text.substr(0, to);
}

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A node is called after a variable: `fused body/0/conv.tmp_0/Conv` after `conv.tmp_0`.
bool is_called_after(std::string_view node, std::string_view variable) {
  for (auto at = node.find(variable); at != node.npos; at = node.find(variable, at + 1)) {
    auto end = at + variable.size();
    bool starts = at == 0 || node[at - 1] == '/' || node[at - 1] == ' ';
    if (starts && (end == node.size() || !is_word(node[end]))) return true;
  }
  return false;
}

// The op whose variable is the longest that the node is called after.
Found op_of(const Program& program, std::string_view node) {
  Found found;
  for (const Block& block : program.blocks)
    for (const OpDesc& op : block.ops)
      for (auto& [slot, names] : op.outputs)
        for (const std::string& name : names)
          if (name.size() > found.gives.size() && is_called_after(node, name)) found = {&op, name};
  return found;
}

// Where the brackets that `text` starts with end.
std::size_t closed(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' || text[i] == '<';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '>';
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// Without the engine's own file, function and condition:
// `/src/broadcast.h:540 void Append(long, long) axis == 1 was false. Attempting to broadcast ...`
std::string_view without_source(std::string_view reason) {
  if (reason.empty() || reason[0] != '/') return reason;
  auto arguments = reason.find('(');
  if (arguments == reason.npos) return reason;
  reason.remove_prefix(arguments);
  reason.remove_prefix(closed(reason));
  if (reason.substr(0, 6) == " const") reason.remove_prefix(6);
  if (reason.substr(0, 2) == " [") reason.remove_prefix(1), reason.remove_prefix(closed(reason));
  constexpr std::string_view condition = " was false. ";
  if (auto at = reason.find(condition); at != reason.npos) reason.remove_prefix(at + condition.size());
  return reason.substr(std::min(reason.find_first_not_of(' '), reason.size()));
}

bool is_about_index(std::string_view reason) {
  static constexpr std::string_view ways[] = {"indices element out of data bounds", "invalid indice found",
                                              "invalid index found", "Out of range value in index tensor",
                                              "Value in indices must be within bounds"};
  return std::any_of(std::begin(ways), std::end(ways), [&](auto way) { return reason.find(way) != reason.npos; });
}

// Our own, where a node was made to fail for it; else the engine's.
std::string reason_of(std::string_view message) {
  if (auto own = between(message, kReason, "'"); !own.empty()) return std::string(own);
  constexpr std::string_view status = "Status Message: ";
  auto at = message.find(status);
  std::string reason(without_source(message.substr(at == message.npos ? 0 : at + status.size())));
  reason.erase(reason.find_last_not_of(" \n") + 1);
  if (!is_about_index(reason)) return reason;
  bool negative = reason.find(std::to_string(kNoPosition)) != reason.npos;
  return negative ? "an index is negative" : "an index is out of range: " + reason;
}

}  // namespace

Error blamed(const Program& program, const Error& error) {
  std::string_view message = error.what();
  auto node = between(message, "Name:'", "'");
  Found found = op_of(program, node.substr(0, node.find(kReason)));
  if (error.fault() != Fault::engine || !found.op) return error;
  bool no_memory = message.find("out of memory") != message.npos;
  std::string at = found.op->where.empty() ? "" : "\n    at " + found.op->where;
  return Error(Fault::engine, "engine: " + std::string(no_memory ? "out of memory: " : "") + found.op->type +
                                  ", giving '" + std::string(found.gives) + "': " + reason_of(message) + at);
}

}  // namespace oarlock
