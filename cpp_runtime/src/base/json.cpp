#include "base/json.h"

#include <algorithm>
#include <cstdlib>

#include "base/decimal.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

constexpr int kMaxDepth = 64;

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Json parse() {
    Json result = parse_value(0);
    skip_whitespace();
    if (pos_ != text_.size()) fail("more than one value");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, file_ + ": no JSON at byte " + std::to_string(pos_) + ": " + why);
  }

  void skip_whitespace() {
    pos_ = std::min(text_.find_first_not_of(" \t\r\n", pos_), text_.size());
  }

  char peek_token() {
    skip_whitespace();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }

  bool accept(char wanted) {
    if (peek_token() != wanted) return false;
    ++pos_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("no '") + wanted + "'");
  }

  bool accept_keyword(std::string_view wanted) {
    if (text_.substr(pos_, wanted.size()) != wanted) return false;
    pos_ += wanted.size();
    return true;
  }

  Json parse_value(int depth) {
    if (depth > kMaxDepth) fail("too deep");
    Json result;
    switch (peek_token()) {
      case '{':
        return parse_object(depth);
      case '[':
        return parse_array(depth);
      case '"':
        result.type = Json::Type::text;
        result.text = parse_string();
        return result;
      default:
        return parse_number_or_keyword();
    }
  }

  Json parse_number_or_keyword() {
    Json result;
    if (accept_keyword("null")) return result;
    result.type = Json::Type::boolean;
    if (accept_keyword("true")) return result.number = 1, result;
    if (accept_keyword("false")) return result;
    std::string_view digits = text_.substr(
        pos_, std::min(text_.find_first_not_of("+-.0123456789eE", pos_), text_.size()) - pos_);
    auto value = parse_double(digits);
    if (!value) fail("no value");
    result.type = Json::Type::number;
    result.number = *value;
    pos_ += digits.size();
    return result;
  }

  Json parse_array(int depth) {
    Json result;
    result.type = Json::Type::array;
    expect('[');
    if (accept(']')) return result;
    do result.items.push_back(parse_value(depth + 1));
    while (accept(','));
    expect(']');
    return result;
  }

  Json parse_object(int depth) {
    Json result;
    result.type = Json::Type::object;
    expect('{');
    if (accept('}')) return result;
    do {
      if (peek_token() != '"') fail("no name");
      result.names.push_back(parse_string());
      expect(':');
      result.items.push_back(parse_value(depth + 1));
    } while (accept(','));
    expect('}');
    return result;
  }

  std::string parse_string() {
    std::string result;
    for (++pos_; pos_ < text_.size() && text_[pos_] != '"'; ++pos_)
      result += text_[pos_] == '\\' ? parse_escape() : text_[pos_];
    if (pos_ == text_.size()) fail("a string without its end");
    ++pos_;
    return result;
  }

  // Non-ASCII names are not escaped in these files.  `\uXXXX` escapes above 127 become '?'.
  char parse_escape() {
    if (++pos_ == text_.size()) fail("a string without its end");
    constexpr std::string_view escapes = "bfnrt", replacements = "\b\f\n\r\t";
    char c = text_[pos_];
    if (auto found = escapes.find(c); found != std::string_view::npos) return replacements[found];
    if (c != 'u') return c;
    if (text_.size() - pos_ < 5) fail("a string without its end");
    long code = std::strtol(std::string(text_.substr(pos_ + 1, 4)).c_str(), nullptr, 16);
    pos_ += 4;
    return code < 128 ? static_cast<char>(code) : '?';
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t pos_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

Json parse_json(std::string_view text, const std::string& file) {
  return JsonParser(text, file).parse();
}

std::string quote_json(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
    else
      out += c == '\n' ? "\\n" : " ";
  }
  return out + "\"";
}

}  // namespace oarlock
