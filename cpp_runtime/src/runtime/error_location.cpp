#include "runtime/error_location.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "convert/runtime_assert.h"
#include "runtime/ort/ort_messages.h"

namespace oarlock {
namespace {

// The node that ONNX Runtime's message names: `Non-zero status code returned while running Add
// node. Name:'y' Status Message: ...`
struct FailedNode {
  std::string_view op_type, name;
};

struct OpAndOutputName {
  const OpDesc* op = nullptr;
  std::string_view output;
};

// Returns the text between `before` and `after`; `text` then starts with `after`. If `before` and
// `after` do not occur, returns "" and leaves `text` unchanged.
std::string_view consume_text_between(std::string_view& text, std::string_view before,
                                      std::string_view after) {
  auto from = text.find(before);
  auto to = from == text.npos ? from : text.find(after, from + before.size());
  if (to == text.npos) return "";
  auto text_between = text.substr(from + before.size(), to - from - before.size());
  text.remove_prefix(to);
  return text_between;
}

// The nodes that an error message names: the failed node is the last one, preceded by the nodes
// whose subgraphs contain it.
std::vector<FailedNode> parse_failed_nodes(std::string_view message) {
  std::vector<FailedNode> all;
  for (;;) {
    auto kind = consume_text_between(message, "while running ", " node"),
         name = consume_text_between(message, "Name:'", "'");
    if (name.empty()) return all;
    all.push_back({kind, name.substr(0, name.find(kAssertPrefix))});
  }
}

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether a node is named after a variable: `fused body/0/conv.tmp_0/Conv` after `conv.tmp_0`.
bool is_named_after(std::string_view node, std::string_view variable) {
  for (auto at = node.find(variable); at != node.npos; at = node.find(variable, at + 1)) {
    auto end = at + variable.size();
    bool starts = at == 0 || node[at - 1] == '/' || node[at - 1] == ' ';
    if (starts && (end == node.size() || !is_alnum(node[end]))) return true;
  }
  return false;
}

// Calls `visit(op, name)` for each output variable of each op of the blocks.
template <class F>
void for_each_output_in_blocks(std::span<const Block> blocks, F&& visit) {
  for (const Block& block : blocks)
    for (const OpDesc& op : block.ops)
      for (auto& [slot, names] : op.outputs)
        for (const std::string& name : names) visit(op, name);
}

std::int64_t sub_block_index_or_minus_one(const OpDesc& op) {
  return int_attr(op, "sub_block", -1);
}

// The op whose output variable has the longest name of all that `node` is named after. outer: among
// ops with the same variable, prefer one with a sub-block.
OpAndOutputName find_op_of_node(std::span<const Block> blocks, std::string_view node, bool outer) {
  OpAndOutputName located;
  for_each_output_in_blocks(blocks, [&](const OpDesc& op, const std::string& name) {
    bool better = outer && located.op && name == located.output &&
                  sub_block_index_or_minus_one(*located.op) < 0 &&
                  sub_block_index_or_minus_one(op) >= 0;
    if ((better || name.size() > located.output.size()) && is_named_after(node, name))
      located = {&op, name};
  });
  return located;
}

// The program's op for the innermost of the nested `nodes` that corresponds to one. The op of each
// node is searched first in the block of the op of the enclosing node.
OpAndOutputName find_op_of_innermost_failed_node(const Program& program,
                                                 const std::vector<FailedNode>& nodes) {
  std::span<const Block> all = program.blocks,
                         within = all.first(std::min<std::size_t>(all.size(), 1));
  OpAndOutputName located;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bool outer = i + 1 < nodes.size();
    OpAndOutputName next = find_op_of_node(within, nodes[i].name, outer);
    if (!next.op) next = find_op_of_node(all, nodes[i].name, outer);
    if (!next.op) return located;
    located = next;
    auto block = sub_block_index_or_minus_one(*located.op);
    if (block >= 0 && static_cast<std::size_t>(block) < all.size())
      within = all.subspan(static_cast<std::size_t>(block), 1);
  }
  return located;
}

// Whether ONNX Runtime may fuse an op of this type into the preceding convolution; a fused node is
// named after the last of its ops.
bool may_be_fused_into_conv(std::string_view op) {
  static constexpr std::string_view all[] = {
      "elementwise_add", "elementwise_mul", "batch_norm", "relu",
      "relu6",           "leaky_relu",      "sigmoid",    "tanh",
      "hard_sigmoid",    "hardsigmoid",     "clip"};
  return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

bool is_convolution(const OpDesc& op) { return op.type.find("conv") != op.type.npos; }

bool reads_variable(const OpDesc& op, const std::string& name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](auto& slot) {
    return std::find(slot.second.begin(), slot.second.end(), name) != slot.second.end();
  });
}

// The op that computes an input of `reader`, preferably a convolution.
OpAndOutputName find_input_producer_preferring_conv(const Program& program, const OpDesc& reader) {
  OpAndOutputName located;
  for_each_output_in_blocks(program.blocks, [&](const OpDesc& op, const std::string& name) {
    bool better = !located.op || (is_convolution(op) && !is_convolution(*located.op));
    if (&op != &reader && better && reads_variable(reader, name)) located = {&op, name};
  });
  return located;
}

// If the failed node is a fused convolution, returns the convolution instead of `last`, the op that
// was fused into it.
OpAndOutputName find_fused_convolution(const Program& program, const OpAndOutputName& last,
                                       std::string_view op_type) {
  constexpr int kMaxFusedOps = 4;
  OpAndOutputName at = last;
  if (op_type.find("Conv") == op_type.npos) return last;
  for (int i = 0; i < kMaxFusedOps && at.op && may_be_fused_into_conv(at.op->type); ++i)
    at = find_input_producer_preferring_conv(program, *at.op);
  return at.op && is_convolution(*at.op) ? at : last;
}

// Explanations of errors about an index out of range, by which a program reports that a
// maybe-undefined variable has no value. The prefix of the variable's name selects the explanation.
// Prefixes, which saved models contain, and texts are the same as in `capture/undefined_checks.py`.
struct UndefinedVariableCause {
  std::string_view prefix, explanation;
};
constexpr UndefinedVariableCause kUndefinedCauses[] = {
    {"undefined_after_zero_iterations_",
     "has no value: the loop that assigns it ran zero iterations; assign it before the loop"},
    {"undefined_on_path_",
     "has no value: the branch that assigns it was not taken; assign it before, or use it under "
     "the same condition"},
    {"is_none_here_", "is None here; check `is not None` first"},
    {"no_return_in_",
     "ended without a `return`, so its result is None here; return a value on every path, or "
     "check `is not None` first"},
};

// `'y' has no value: ... - ` for a variable with such a prefix, else "".
std::string undefined_variable_reason(std::string_view name) {
  for (const UndefinedVariableCause& cause : kUndefinedCauses)
    if (name.substr(0, cause.prefix.size()) == cause.prefix) {
      name = name.substr(cause.prefix.size());
      name = name.substr(0, name.rfind('.'));
      return "'" + std::string(name.substr(0, name.rfind('_'))) + "' " +
             std::string(cause.explanation) + " - ";
    }
  return "";
}

}  // namespace

Error error_with_op_location(const Program& program, const Error& error) {
  std::string_view message = error.what();
  std::vector<FailedNode> nodes = parse_failed_nodes(message);
  OpAndOutputName located = find_op_of_innermost_failed_node(program, nodes);
  if (error.code() != ErrorCode::engine || !located.op) return error;
  located = find_fused_convolution(program, located, nodes.back().op_type);
  bool no_memory = message.find("out of memory") != message.npos;
  std::string at = located.op->location.empty() ? "" : "\n    at " + located.op->location;
  return Error(ErrorCode::engine, "engine: " + std::string(no_memory ? "out of memory: " : "") +
                                      undefined_variable_reason(located.output) + located.op->type +
                                      ", output '" + std::string(located.output) +
                                      "': " + translated_failure_reason(message) + at);
}

std::size_t failed_main_block_op_index_or_size(const Program& program, const Error& error) {
  std::span<const Block> main_block = std::span(program.blocks).first(1);
  std::vector<FailedNode> nodes = parse_failed_nodes(error.what());
  OpAndOutputName located = nodes.empty()
                                ? OpAndOutputName()
                                : find_op_of_node(main_block, nodes[0].name, nodes.size() > 1);
  std::size_t at = main_block[0].ops.size();
  if (!located.op) return at;
  // Several ops may write the variable of the failed op; the search returns the last of them,
  // because the failed op is not after it.
  while (at > 0) {
    const OpDesc& op = main_block[0].ops[--at];
    for (auto& [slot, names] : op.outputs)
      if (std::find(names.begin(), names.end(), located.output) != names.end()) return at;
  }
  return at;
}

}  // namespace oarlock
