#include "base/json.h"

#include <algorithm>
#include <cstdlib>

#include "base/decimal.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

constexpr int kDeepest = 64;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Json whole() {
    Json made = value(0);
    blank();
    if (at_ != text_.size()) fail("more than one value");
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Fault::file, file_ + ": no JSON at byte " + std::to_string(at_) + ": " + why);
  }

  void blank() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  char next() {
    blank();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool taken(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!taken(wanted)) fail(std::string("no '") + wanted + "'");
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  Json value(int depth) {
    if (depth > kDeepest) fail("too deep");
    Json made;
    switch (next()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        made.type = Json::Type::text;
        made.text = string();
        return made;
      default:
        return plain();
    }
  }

  Json plain() {
    Json made;
    if (word("null")) return made;
    made.type = Json::Type::boolean;
    if (word("true")) return made.number = 1, made;
    if (word("false")) return made;
    std::string_view digits = text_.substr(
        at_, std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size()) - at_);
    auto value = parse_double(digits);
    if (!value) fail("no value");
    made.type = Json::Type::number;
    made.number = *value;
    at_ += digits.size();
    return made;
  }

  Json array(int depth) {
    Json made;
    made.type = Json::Type::array;
    expect('[');
    if (taken(']')) return made;
    do made.items.push_back(value(depth + 1));
    while (taken(','));
    expect(']');
    return made;
  }

  Json object(int depth) {
    Json made;
    made.type = Json::Type::object;
    expect('{');
    if (taken('}')) return made;
    do {
      if (next() != '"') fail("no name");
      made.names.push_back(string());
      expect(':');
      made.items.push_back(value(depth + 1));
    } while (taken(','));
    expect('}');
    return made;
  }

  std::string string() {
    std::string made;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      made += text_[at_] == '\\' ? escaped() : text_[at_];
    if (at_ == text_.size()) fail("a string without its end");
    ++at_;
    return made;
  }

  // Names beyond ASCII are written as they are; of the characters written as numbers, those below
  // 128 are kept.
  char escaped() {
    if (++at_ == text_.size()) fail("a string without its end");
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    char c = text_[at_];
    if (auto found = letters.find(c); found != std::string_view::npos) return meant[found];
    if (c != 'u') return c;
    if (text_.size() - at_ < 5) fail("a string without its end");
    long code = std::strtol(std::string(text_.substr(at_ + 1, 4)).c_str(), nullptr, 16);
    at_ += 4;
    return code < 128 ? static_cast<char>(code) : '?';
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

Json parse_json(std::string_view text, const std::string& file) {
  return Parser(text, file).whole();
}

std::string quoted(const std::string& text) {
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
