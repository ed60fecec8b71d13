#include "runtime/error_location.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "convert/runtime_assert.h"
#include "runtime/ort/ort_messages.h"

namespace oarlock {
namespace {

// A node that failed.   `Non-zero status code returned while running Add node. Name:'y' Status
// Message: ...`
struct Failed {
  std::string_view kind, name;
};

struct Found {
  const OpDesc* op = nullptr;
  std::string_view gives;
};

// What stands between `before` and `after`, which is cut off the text; "" where they are not there.
std::string_view cut(std::string_view& text, std::string_view before, std::string_view after) {
  auto from = text.find(before);
  auto to = from == text.npos ? from : text.find(after, from + before.size());
  if (to == text.npos) return "";
  auto found = text.substr(from + before.size(), to - from - before.size());
  text.remove_prefix(to);
  return found;
}

// The node that failed, behind those whose subgraphs it is in.
std::vector<Failed> failed_nodes(std::string_view message) {
  std::vector<Failed> all;
  for (;;) {
    auto kind = cut(message, "while running ", " node"), name = cut(message, "Name:'", "'");
    if (name.empty()) return all;
    all.push_back({kind, name.substr(0, name.find(kReason))});
  }
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A node is called after a variable: `fused body/0/conv.tmp_0/Conv` after `conv.tmp_0`.
bool is_called_after(std::string_view node, std::string_view variable) {
  for (auto at = node.find(variable); at != node.npos; at = node.find(variable, at + 1)) {
    auto end = at + variable.size();
    bool starts = at == 0 || node[at - 1] == '/' || node[at - 1] == ' ';
    if (starts && (end == node.size() || !is_word(node[end]))) return true;
  }
  return false;
}

// see(op, name) for each variable that an op gives.
template <class F>
void each_result(std::span<const Block> blocks, F&& see) {
  for (const Block& block : blocks)
    for (const OpDesc& op : block.ops)
      for (auto& [slot, names] : op.outputs)
        for (const std::string& name : names) see(op, name);
}

std::int64_t block_of(const OpDesc& op) { return int_attr(op, "sub_block", -1); }

// The op whose variable is the longest that the node is called after.   outer: of those that give
// the same variable, one that has a block is wanted.
Found op_of(std::span<const Block> blocks, std::string_view node, bool outer) {
  Found found;
  each_result(blocks, [&](const OpDesc& op, const std::string& name) {
    bool better =
        outer && found.op && name == found.gives && block_of(*found.op) < 0 && block_of(op) >= 0;
    if ((better || name.size() > found.gives.size()) && is_called_after(node, name))
      found = {&op, name};
  });
  return found;
}

// Each node is looked for in the block of the op around it first.
Found innermost(const Program& program, const std::vector<Failed>& nodes) {
  std::span<const Block> all = program.blocks,
                         within = all.first(std::min<std::size_t>(all.size(), 1));
  Found found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bool outer = i + 1 < nodes.size();
    Found next = op_of(within, nodes[i].name, outer);
    if (!next.op) next = op_of(all, nodes[i].name, outer);
    if (!next.op) return found;
    found = next;
    auto block = block_of(*found.op);
    if (block >= 0 && static_cast<std::size_t>(block) < all.size())
      within = all.subspan(static_cast<std::size_t>(block), 1);
  }
  return found;
}

// What the engine computes together with the convolution before it; the node is called after the
// last of them.
bool joins_convolution(std::string_view op) {
  static constexpr std::string_view all[] = {
      "elementwise_add", "elementwise_mul", "batch_norm", "relu",
      "relu6",           "leaky_relu",      "sigmoid",    "tanh",
      "hard_sigmoid",    "hardsigmoid",     "clip"};
  return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

bool is_convolution(const OpDesc& op) { return op.type.find("conv") != op.type.npos; }

bool reads(const OpDesc& op, const std::string& name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](auto& slot) {
    return std::find(slot.second.begin(), slot.second.end(), name) != slot.second.end();
  });
}

// The op that gives an input of `reader`: a convolution, where there is one.
Found giver(const Program& program, const OpDesc& reader) {
  Found found;
  each_result(program.blocks, [&](const OpDesc& op, const std::string& name) {
    bool better = !found.op || (is_convolution(op) && !is_convolution(*found.op));
    if (&op != &reader && better && reads(reader, name)) found = {&op, name};
  });
  return found;
}

// A convolution that failed is blamed itself, not what was joined to it.
Found without_joined(const Program& program, const Found& last, std::string_view kind) {
  constexpr int kMostJoined = 4;
  Found at = last;
  if (kind.find("Conv") == kind.npos) return last;
  for (int i = 0; i < kMostJoined && at.op && joins_convolution(at.op->type); ++i)
    at = giver(program, *at.op);
  return at.op && is_convolution(*at.op) ? at : last;
}

// Positions that are out of range where a variable has no value; what their names begin with is in
// `capture/undefined_checks.py`.
struct Late {
  std::string_view prefix, why;
};
constexpr Late kLate[] = {
    {"no_round_gave_", "has no value: the loop that gives it one ran no round; give it one before"},
    {"no_way_gave_",
     "has no value: the way that gives it one was not taken; give it one before, or use it under "
     "the same condition"},
    {"is_none_here_", "is None here; ask `is not None` before"},
    {"nothing_returned_by_",
     "came to its end without a `return`, so what it gave is None here; return a value there, or "
     "ask `is not None` "
     "before"},
};

// `'y' has no value: ... - ` for a variable of such a name, else nothing.
std::string without_value(std::string_view name) {
  for (const Late& late : kLate)
    if (name.substr(0, late.prefix.size()) == late.prefix) {
      name = name.substr(late.prefix.size());
      name = name.substr(0, name.rfind('.'));
      return "'" + std::string(name.substr(0, name.rfind('_'))) + "' " + std::string(late.why) +
             " - ";
    }
  return "";
}

}  // namespace

Error blamed(const Program& program, const Error& error) {
  std::string_view message = error.what();
  std::vector<Failed> nodes = failed_nodes(message);
  Found found = innermost(program, nodes);
  if (error.fault() != Fault::engine || !found.op) return error;
  found = without_joined(program, found, nodes.back().kind);
  bool no_memory = message.find("out of memory") != message.npos;
  std::string at = found.op->where.empty() ? "" : "\n    at " + found.op->where;
  return Error(Fault::engine, "engine: " + std::string(no_memory ? "out of memory: " : "") +
                                  without_value(found.gives) + found.op->type + ", giving '" +
                                  std::string(found.gives) + "': " + reason_of(message) + at);
}

std::size_t failed_op(const Program& program, const Error& error) {
  std::span<const Block> main_block = std::span(program.blocks).first(1);
  std::vector<Failed> nodes = failed_nodes(error.what());
  Found found = nodes.empty() ? Found() : op_of(main_block, nodes[0].name, nodes.size() > 1);
  std::size_t at = main_block[0].ops.size();
  if (!found.op) return at;
  // Several ops may write the variable that the node is named after: the failed one is not after
  // the last.
  while (at > 0) {
    const OpDesc& op = main_block[0].ops[--at];
    for (auto& [slot, names] : op.outputs)
      if (std::find(names.begin(), names.end(), found.gives) != names.end()) return at;
  }
  return at;
}

}  // namespace oarlock
