#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/number_text_conversion.h"
#include "base/utf8.h"
#include "oarlock/error.h"

namespace oarlock {
namespace {

constexpr int kMaxDepth = 512;
constexpr std::size_t kMaxNodes = std::size_t{1} << 23;
constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 30;
constexpr std::size_t kFewFields = 8;  // up to this number, names are compared pairwise

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

class JsonParser {
 public:
  JsonParser(JsonDocument& document, std::string_view text, const std::string& file)
      : document_(document), text_(text), file_(file) {}

  void parse() {
    if (text_.size() > kMaxJsonBytes) fail("more than 1 GiB");
    if (!is_utf8(text_)) fail("text that is not UTF-8");
    parse_value({}, 0);
    skip_blanks();
    if (pos_ != text_.size()) fail("more than one value");
  }

 private:
  using Node = JsonDocument::Node;
  using StringRef = JsonDocument::StringRef;

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, file_ + ": no JSON at byte " + std::to_string(pos_) + ": " + why);
  }

  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }

  void skip_blanks() {
    while (pos_ < text_.size() && is_blank(text_[pos_])) ++pos_;
  }

  char peek_token() {
    skip_blanks();
    return peek();
  }

  bool accept(char expected) {
    if (peek_token() != expected) return false;
    ++pos_;
    return true;
  }

  void expect(char expected) {
    if (!accept(expected)) fail(std::string("no '") + expected + "'");
  }

  std::size_t add_node(StringRef name, Json::Type type) {
    if (document_.nodes_.size() >= kMaxNodes)
      fail("more than " + std::to_string(kMaxNodes) + " values");
    Node node{};
    node.name = name;
    node.type = type;
    document_.nodes_.push_back(node);
    return document_.nodes_.size() - 1;
  }

  void set_node_size_and_end(std::size_t node, std::size_t size = 0) {
    document_.nodes_[node].size = static_cast<std::uint32_t>(size);
    document_.nodes_[node].end = static_cast<std::uint32_t>(document_.nodes_.size());
  }

  void parse_value(StringRef name, int depth) {
    if (depth > kMaxDepth) fail("nested more than " + std::to_string(kMaxDepth) + " deep");
    switch (peek_token()) {
      case '{':
        return parse_object(name, depth);
      case '[':
        return parse_array(name, depth);
      case '"': {
        auto node = add_node(name, Json::Type::string);
        document_.nodes_[node].string = parse_string();
        return set_node_size_and_end(node);
      }
      case 't':
        return parse_keyword(name, "true", Json::Type::boolean, 1);
      case 'f':
        return parse_keyword(name, "false", Json::Type::boolean, 0);
      case 'n':
        return parse_keyword(name, "null", Json::Type::null, 0);
      default:
        return parse_number(name);
    }
  }

  void parse_keyword(StringRef name, std::string_view word, Json::Type type, int value) {
    if (text_.substr(pos_, word.size()) != word) fail("no value");
    pos_ += word.size();
    auto node = add_node(name, type);
    document_.nodes_[node].integer = value;
    set_node_size_and_end(node);
  }

  void require_and_skip_digits() {
    if (!is_digit(peek())) fail("no value");
    while (is_digit(peek())) ++pos_;
  }

  void parse_number(StringRef name) {
    auto start = pos_;
    if (peek() == '-') ++pos_;
    if (peek() == '0')
      ++pos_;
    else
      require_and_skip_digits();
    bool is_real = peek() == '.';
    if (is_real) ++pos_, require_and_skip_digits();
    if (peek() == 'e' || peek() == 'E') {
      is_real = true;
      ++pos_;
      if (peek() == '+' || peek() == '-') ++pos_;
      require_and_skip_digits();
    }
    std::string_view digits = text_.substr(start, pos_ - start);
    auto node = add_node(name, Json::Type::integer);
    if (!is_real && try_parse_int64(digits, document_.nodes_[node].integer))
      return set_node_size_and_end(node);
    auto value = try_parse_double(digits);
    if (!value) {
      pos_ = start;
      fail("a number out of range");
    }
    document_.nodes_[node].type = Json::Type::real;
    document_.nodes_[node].real = *value;
    set_node_size_and_end(node);
  }

  // Parses the digits of an integer into `value`; returns false if the integer does not fit into an
  // int64.
  static bool try_parse_int64(std::string_view digits, std::int64_t& value) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
  }

  void parse_array(StringRef name, int depth) {
    auto node = add_node(name, Json::Type::array);
    std::size_t size = 0;
    expect('[');
    if (!accept(']')) {
      do {
        parse_value({}, depth + 1);
        ++size;
      } while (accept(','));
      expect(']');
    }
    set_node_size_and_end(node, size);
  }

  void parse_object(StringRef name, int depth) {
    auto node = add_node(name, Json::Type::object);
    std::size_t size = 0;
    expect('{');
    if (!accept('}')) {
      do {
        if (peek_token() != '"') fail("no name");
        StringRef field = parse_string();
        expect(':');
        parse_value(field, depth + 1);
        ++size;
      } while (accept(','));
      expect('}');
    }
    set_node_size_and_end(node, size);
    reject_duplicate_names(node);
  }

  void reject_duplicate_names(std::size_t object) const {
    Json fields(&document_, static_cast<std::uint32_t>(object));
    if (fields.size() <= kFewFields) {
      for (auto a = fields.begin(); a != fields.end(); ++a)
        for (auto b = fields.begin(); b != a; ++b)
          if ((*a).name() == (*b).name()) fail_duplicate((*a).name());
      return;
    }
    std::vector<std::string_view> names;
    for (Json field : fields) names.push_back(field.name());
    std::sort(names.begin(), names.end());
    if (auto found = std::adjacent_find(names.begin(), names.end()); found != names.end())
      fail_duplicate(*found);
  }

  [[noreturn]] void fail_duplicate(std::string_view name) const {
    fail("field '" + std::string(name.substr(0, 80)) + "' given twice");
  }

  StringRef parse_string() {
    auto start = ++pos_;
    while (pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\\')
      reject_control_and_skip_string_byte();
    if (peek() == '\\') return parse_escaped_string(start);
    if (pos_ == text_.size()) fail("a string without its end");
    return make_string_ref(start, pos_++ - start);
  }

  void reject_control_and_skip_string_byte() {
    if (static_cast<unsigned char>(text_[pos_]) < 0x20) fail("a control character in a string");
    ++pos_;
  }

  StringRef parse_escaped_string(std::size_t start) {
    std::string& result = document_.unescaped_.emplace_back(text_.substr(start, pos_ - start));
    while (pos_ < text_.size() && text_[pos_] != '"') {
      if (text_[pos_] == '\\') {
        ++pos_;
        parse_escape(result);
      } else {
        result += text_[pos_];
        reject_control_and_skip_string_byte();
      }
    }
    if (pos_ == text_.size()) fail("a string without its end");
    ++pos_;
    return make_string_ref(JsonDocument::kUnescaped + document_.unescaped_.size() - 1, 0);
  }

  static StringRef make_string_ref(std::size_t begin, std::size_t size) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size)};
  }

  void parse_escape(std::string& to) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    char c = peek();
    if (auto found = letters.find(c); pos_ < text_.size() && found != letters.npos) {
      to += meanings[found];
      ++pos_;
      return;
    }
    if (c != 'u') fail("an unknown escape");
    ++pos_;
    std::uint32_t code = parse_hex4();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(pos_, 2) == "\\u") {
      pos_ += 2;
      std::uint32_t low = parse_hex4();
      if (low < 0xdc00 || low >= 0xe000) fail("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000) fail("half a surrogate pair");
    append_utf8(to, code);
  }

  std::uint32_t parse_hex4() {
    std::uint32_t code = 0;
    std::string_view digits = text_.substr(pos_, 4);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4)
      fail("no four hexadecimal digits");
    pos_ += 4;
    return code;
  }

  JsonDocument& document_;
  std::string_view text_;
  const std::string& file_;
  std::size_t pos_ = 0;
};

JsonDocument::JsonDocument(std::string_view text, const std::string& file) : text_(text) {
  JsonParser(*this, text, file).parse();
}

std::string JsonDocument::path_of(Json value) const {
  std::string path;
  for (std::uint32_t at = 0; at != value.node_;) {
    bool is_array = nodes_[at].type == Json::Type::array;
    std::uint32_t child = at + 1;
    std::size_t position = 0;
    for (; nodes_[child].end <= value.node_; child = nodes_[child].end) ++position;
    if (is_array)
      path += "[" + std::to_string(position) + "]";
    else
      (path += path.empty() ? "" : ".") += view(nodes_[child].name);
    at = child;
  }
  return path;
}

Json::Type Json::type() const { return document_ ? document_->nodes_[node_].type : Type::none; }

bool Json::boolean_or_false() const {
  return type() == Type::boolean && document_->nodes_[node_].integer != 0;
}

std::int64_t Json::integer_or_zero() const {
  return type() == Type::integer ? document_->nodes_[node_].integer : 0;
}

double Json::number_or_zero() const {
  switch (type()) {
    case Type::boolean:
    case Type::integer:
      return static_cast<double>(document_->nodes_[node_].integer);
    case Type::real:
      return document_->nodes_[node_].real;
    default:
      return 0;
  }
}

std::string_view Json::string_or_empty() const {
  if (type() != Type::string) return {};
  return document_->view(document_->nodes_[node_].string);
}

std::size_t Json::size() const { return document_ ? document_->nodes_[node_].size : 0; }

Json Json::find_at(std::size_t position) const {
  for (Json value : *this)
    if (position-- == 0) return value;
  return {};
}

Json Json::find(std::string_view name) const {
  if (type() == Type::object)
    for (Json value : *this)
      if (value.name() == name) return value;
  return {};
}

std::string_view Json::name() const {
  return document_ ? document_->view(document_->nodes_[node_].name) : std::string_view();
}

Json::Iterator& Json::Iterator::operator++() {
  node_ = document_->nodes_[node_].end;
  return *this;
}

Json::Iterator Json::begin() const { return {document_, document_ ? node_ + 1 : 0}; }

Json::Iterator Json::end() const {
  return {document_, document_ ? document_->nodes_[node_].end : 0};
}

std::string quote_json(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (code >= 0x20)
      out += c;
    else
      out.append("\\u00").append({digits[code >> 4], digits[code & 15]});
  }
  return out + "\"";
}

}  // namespace oarlock
