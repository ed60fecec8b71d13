#include "paddle/output_tree_check.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/number_text_conversion.h"
#include "base/utf8.h"

namespace oarlock {
namespace {

constexpr int kMaxTreeDepth = 64;
constexpr std::size_t kMaxDigits = 4300;  // the limit of Python's json for integers

struct OutputTreeError {
  std::string message;
};

// Parser of output trees. The parser accepts the same JSON as Python's module `json`.
class OutputTreeValidator {
 public:
  OutputTreeValidator(std::string_view text, std::size_t outputs)
      : text_(text), outputs_(outputs) {}

  void parse() {
    parse_node(0);
    skip_blanks();
    if (pos_ != text_.size()) fail("is not JSON");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw OutputTreeError{what + " (at byte " + std::to_string(pos_) + ")"};
  }

  void skip_blanks() { pos_ = std::min(text_.find_first_not_of(" \t\r\n", pos_), text_.size()); }
  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  char peek_token() { return skip_blanks(), peek(); }
  bool accept(char expected) { return peek_token() == expected && ++pos_; }
  bool accept_keyword(std::string_view word) {
    bool found = text_.substr(pos_, word.size()) == word;
    return pos_ += found ? word.size() : 0, found;
  }
  void expect(char expected) {
    if (!accept(expected)) fail("is not JSON");
  }

  void parse_node(int depth) {
    if (depth > kMaxTreeDepth) fail("is nested more than 64 deep");
    char c = peek_token();
    if (c == '[') return parse_node_list(depth);
    if (c == '{') return parse_object(depth);
    if (accept_keyword("null")) return;
    parse_output_index();
  }

  void parse_node_list(int depth) {
    expect('[');
    if (accept(']')) return;
    do parse_node(depth + 1);
    while (accept(','));
    expect(']');
  }

  void parse_object(int depth) {
    expect('{');
    std::string kind = parse_string();
    expect(':');
    char c = peek_token();
    if (kind == "value")
      parse_scalar();
    else if (kind == "dict" && c == '{')
      parse_dict(depth);
    else if (kind == "tuple" && c == '[')
      parse_node_list(depth);
    else
      fail("holds what is not a node");
    expect('}');
  }

  void parse_dict(int depth) {
    expect('{');
    if (accept('}')) return;
    std::set<std::string> names;
    do {
      if (!names.insert(parse_string()).second) fail("names a field twice");
      expect(':');
      parse_node(depth + 1);
    } while (accept(','));
    expect('}');
  }

  void parse_output_index() {
    auto begin = pos_;
    if (!parse_number_and_test_integer()) fail("holds what is not an output");
    std::string_view digits = text_.substr(begin, pos_ - begin);
    std::size_t value = 0;
    for (char d : digits.substr(digits[0] == '-'))
      value = std::min(value * 10 + static_cast<std::size_t>(d - '0'), outputs_);
    if ((digits[0] == '-' && value > 0) || value >= outputs_)
      fail("holds an index that is not one of " + std::to_string(outputs_) + " outputs");
  }

  void parse_scalar() {
    if (peek() == '"') return void(parse_string());
    for (auto word : {"null", "true", "false", "NaN", "Infinity", "-Infinity"})
      if (accept_keyword(word)) return;
    parse_number_and_test_integer();
  }

  // Parses a number; returns true for an integer, false for a number with a fraction or an
  // exponent.
  bool parse_number_and_test_integer() {
    if (peek() == '-') ++pos_;
    auto begin = pos_;
    if (!is_digit(peek())) fail("is not JSON");
    if (text_[pos_++] != '0') skip_digits();
    auto digits = pos_ - begin;
    bool fraction = peek() == '.' && pos_ + 1 < text_.size() && is_digit(text_[pos_ + 1]);
    if (fraction) ++pos_, skip_digits();
    bool exponent = accept_exponent();
    if (!fraction && !exponent && digits > kMaxDigits) fail("holds a number of too many digits");
    return !fraction && !exponent;
  }
  bool accept_exponent() {
    if (peek() != 'e' && peek() != 'E') return false;
    auto at = pos_ + 1;
    if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    if (at >= text_.size() || !is_digit(text_[at])) return false;
    pos_ = at;
    return skip_digits(), true;
  }
  void skip_digits() {
    while (is_digit(peek())) ++pos_;
  }

  std::string parse_string() {
    expect('"');
    std::string result;
    for (;;) {
      if (pos_ >= text_.size() || static_cast<unsigned char>(text_[pos_]) < 0x20)
        fail("is not JSON");
      char c = text_[pos_++];
      if (c == '"') return result;
      if (c == '\\')
        parse_escape(result);
      else
        result += c;
    }
  }

  void parse_escape(std::string& to) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    char c = peek();
    ++pos_;
    if (auto found = letters.find(c); found != std::string_view::npos)
      return void(to += meanings[found]);
    if (c != 'u') fail("is not JSON");
    std::uint32_t code = parse_hex4();
    bool is_high_surrogate = code >= 0xd800 && code < 0xdc00 && text_.substr(pos_, 2) == "\\u";
    if (is_high_surrogate) {  // a low surrogate, or a character of its own
      auto after_high = pos_;
      pos_ += 2;
      std::uint32_t low = parse_hex4();
      if (low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      else
        pos_ = after_high;
    }
    append_utf8(to, code);
  }

  std::uint32_t parse_hex4() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      char c = static_cast<char>(peek() | (peek() >= 'A' && peek() <= 'F' ? 0x20 : 0));
      bool letter = c >= 'a' && c <= 'f';
      if (!is_digit(c) && !letter) fail("is not JSON");
      code = code * 16 + static_cast<std::uint32_t>(letter ? c - 'a' + 10 : c - '0');
      ++pos_;
    }
    return code;
  }

  std::string_view text_;
  std::size_t outputs_;
  std::size_t pos_ = 0;
};

}  // namespace

std::string find_output_tree_problem(std::string_view text, std::size_t outputs) try {
  if (!text.empty()) OutputTreeValidator(text, outputs).parse();
  return "";
} catch (const OutputTreeError& problem) {
  return problem.message;
}

}  // namespace oarlock
