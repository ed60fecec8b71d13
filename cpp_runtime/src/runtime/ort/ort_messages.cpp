#include "runtime/ort/ort_messages.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "convert/operands.h"
#include "convert/runtime_assert.h"

namespace oarlock {
namespace {

// A message of ONNX Runtime, in which `$` matches any text, and the message that replaces it, in
// which $1 is the first match.
struct MessageTranslation {
  std::string_view ort, message;
};

constexpr MessageTranslation kMessagePatterns[] = {
    {"Attempting to broadcast an axis by a dimension other than 1. $ by $",
     "sizes $1 and $2 do not broadcast"},
    {"Non concat axis dimensions must match: Axis $ has mismatched dimensions of $ and $",
     "axis $1 is of size $2 and of size $3"},
    {"MatMul dimension mismatch", "the sizes of the axis to be summed differ"},
    {"left operand cannot broadcast on dim $", "axis $1 does not broadcast"},
    {"right operand cannot broadcast on dim $", "axis $1 does not broadcast"},
    {"GEMM: Dimension mismatch, W: {$} K: $ N:$", "rows of size $2 do not fit a weight of [$1]"},
    {"Gemm: Invalid bias shape for broadcast", "the summand does not broadcast to the product"},
    {"The input tensor cannot be reshaped to the requested shape. Input shape:{$}, requested "
     "shape:{$}",
     "[$1] cannot be reshaped to [$2]"},
    {"invalid expand shape", "the shape does not broadcast to the requested one"},
    {"Dimension of input $ must be 1 instead of $. shape={$}",
     "axis $1 of [$3] is of size $2, not 1"},
    {"Cannot split using values in 'split' attribute. Axis=$ Input shape={$} NumOutputs=$ ",
     "axis $1 of [$2] does not split into these $3 parts"},
    {"Input channels C is not equal to kernel channels * group. C: $ kernel channels: $ group: $",
     "the input has $1 channels, the filter takes $2 in each of $3 groups"},
    {"Invalid input shape: {$}", "[$1] is smaller than the filter"},
    {"Scale and (optional) bias must match X.shape[axis:] or be NumPy-broadcastable to it. "
     "X.shape={$} scale.shape={$}",
     "the scale of [$2] does not fit an input of [$1]"},
    {"Invalid input scale: 0th dimension != $",
     "the scale is not of size $1, as the input's channels are"},
    {"Einsum operands could not be broadcast together",
     "the sizes of the operands do not fit the equation"},
};

// The texts that match the `$`s of `pattern`; nullopt if `text` does not match. A `$` at the end of
// `pattern` matches one word.
std::optional<std::vector<std::string_view>> match_pattern(std::string_view pattern,
                                                           std::string_view text) {
  std::vector<std::string_view> matches;
  auto literal = pattern.substr(0, pattern.find('$'));
  auto at = text.find(literal);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + literal.size());
  while (literal.size() < pattern.size()) {
    pattern.remove_prefix(literal.size() + 1);
    literal = pattern.substr(0, pattern.find('$'));
    auto end =
        literal.empty() ? std::min(text.find_first_of(" \n"), text.size()) : text.find(literal);
    if (end == text.npos) return std::nullopt;
    matches.push_back(text.substr(0, end));
    text.remove_prefix(end + literal.size());
  }
  return matches;
}

std::string fill_template(std::string_view words, const std::vector<std::string_view>& matches) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] == '$' ? text += matches.at(static_cast<std::size_t>(words[++i] - '1'))
                    : text += words[i];
  return text;
}

std::string translate_message(const std::string& reason) {
  for (const MessageTranslation& pattern : kMessagePatterns)
    if (auto matches = match_pattern(pattern.ort, reason))
      return fill_template(pattern.message, *matches) + " (" + reason + ")";
  return reason;
}

// The index after the bracket that closes the opening bracket at the start of `text`; the length of
// `text` if no bracket closes it.
std::size_t find_end_of_leading_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' || text[i] == '<';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '>';
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// Removes a source location `concatbase.h:133 PrepareForComputeImpl ` from the start.
std::string_view strip_relative_source_location(std::string_view reason) {
  auto colon = reason.find(':'), space = reason.find(' ');
  if (space == reason.npos || colon > space) return reason;
  auto file = reason.substr(0, colon), line = reason.substr(colon + 1, space - colon - 1);
  bool source = file.ends_with(".h") || file.ends_with(".cc");
  if (!source || line.empty() || line.find_first_not_of("0123456789") != line.npos) return reason;
  reason.remove_prefix(space + 1);
  auto name = reason.find(' ');
  return name == reason.npos ? reason : reason.substr(name + 1);
}

// Removes the file, function and condition that ONNX Runtime writes before a message:
// `/src/broadcast.h:540 void Append(long, long) axis == 1 was false. Attempting to broadcast ...`
std::string_view strip_source_location_and_condition(std::string_view reason) {
  if (reason.empty() || reason[0] != '/') return strip_relative_source_location(reason);
  auto arguments = reason.find('(');
  if (arguments == reason.npos) return reason;
  reason.remove_prefix(arguments);
  reason.remove_prefix(find_end_of_leading_brackets(reason));
  if (reason.substr(0, 6) == " const") reason.remove_prefix(6);
  if (reason.substr(0, 2) == " [")
    reason.remove_prefix(1), reason.remove_prefix(find_end_of_leading_brackets(reason));
  constexpr std::string_view condition = " was false. ";
  if (auto at = reason.find(condition); at != reason.npos)
    reason.remove_prefix(at + condition.size());
  return reason.substr(std::min(reason.find_first_not_of(' '), reason.size()));
}

bool is_index_error(std::string_view reason) {
  static constexpr std::string_view phrases[] = {"indices element out of data bounds",
                                                 "invalid indice found",
                                                 "invalid index found",
                                                 "Out of range value in index tensor",
                                                 "Value in indices must be within bounds",
                                                 "Invalid sequence index"};
  return std::any_of(std::begin(phrases), std::end(phrases),
                     [&](auto phrase) { return reason.find(phrase) != reason.npos; });
}

// The message of a run-time assertion, from the node's name.
std::string_view find_assert_message(std::string_view message) {
  auto from = message.find(kAssertPrefix);
  if (from == message.npos) return "";
  message.remove_prefix(from + kAssertPrefix.size());
  auto to = message.find('\'');
  return to == message.npos ? "" : message.substr(0, to);
}

}  // namespace

std::string translated_failure_reason(std::string_view message) {
  if (auto own = find_assert_message(message); !own.empty()) return std::string(own);
  constexpr std::string_view status = "Status Message: ";  // the innermost node's comes last
  auto at = message.rfind(status);
  std::string reason(strip_source_location_and_condition(
      message.substr(at == message.npos ? 0 : at + status.size())));
  reason.erase(reason.find_last_not_of(" \n") + 1);
  if (!is_index_error(reason)) return translate_message(reason);
  bool negative = reason.find(std::to_string(kInvalidIndex)) != reason.npos;
  return negative ? "an index is negative" : "an index is out of range: " + reason;
}

}  // namespace oarlock
