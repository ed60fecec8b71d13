// Reader of JSON (RFC 8259) for untrusted text: Paddle 3's programs, ONNX Runtime's profiles,
// tuning files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace oarlock {

class JsonDocument;

/// A value of a document, or no value. A Json is a view: the document and its text must outlive it.
class Json {
 public:
  enum class Type : std::uint8_t { none, null, boolean, integer, real, string, array, object };

  Json() = default;

  Type type() const;
  explicit operator bool() const { return document_ != nullptr; }
  bool is_number() const { return type() == Type::integer || type() == Type::real; }

  /// The value of a boolean; false for other types.
  bool boolean_or_false() const;
  /// The value of an integer within the range of int64; 0 for other types.
  std::int64_t integer_or_zero() const;
  /// The value of a number; a boolean as 0 or 1; 0 for other types.
  double number_or_zero() const;
  /// The content of a string; "" for other types.
  std::string_view string_or_empty() const;

  /// The number of elements of an array or fields of an object.
  std::size_t size() const;
  /// The element at `position` of an array, or the value of that field of an object, found in
  /// linear time; no value if there is none.
  Json find_at(std::size_t position) const;
  /// The value of the field `name`; no value if this is not an object with that field.
  Json find(std::string_view name) const;
  /// The name of this value in its object; "" for elements of an array.
  std::string_view name() const;

  /// Iterates over the elements of an array or the values of the fields of an object.
  class Iterator {
   public:
    Iterator(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}
    Json operator*() const { return Json(document_, node_); }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return node_ == other.node_; }

   private:
    const JsonDocument* document_;
    std::uint32_t node_;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class JsonDocument;
  friend class JsonParser;
  Json(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}

  const JsonDocument* document_ = nullptr;
  std::uint32_t node_ = 0;
};

/// A parsed text. A document is not copyable, because its values refer to it.
class JsonDocument {
 public:
  /// Parses one JSON value.  Throws Error(file) that names `file` and the byte of the error for
  /// invalid text, a field given twice, nesting deeper than 512, or more than 8 million values.
  JsonDocument(std::string_view text, const std::string& file);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  Json root() const { return Json(this, 0); }

  /// Where a value of this document is: `program.regions[0].ops[17].A[2]`; "" for the root.
  std::string path_of(Json value) const;

 private:
  friend class Json;
  friend class JsonParser;

  /// A string: `size` bytes of the text from `begin`, or kUnescaped + its index in `unescaped_`.
  /// A StringRef is smaller than a string_view, because writing the nodes of large documents to
  /// memory takes time.
  struct StringRef {
    std::uint32_t begin, size;
  };
  static constexpr std::uint32_t kUnescaped = std::uint32_t{1} << 31;

  /// A value of the document; the nodes of the values inside of it follow, up to index `end`.
  struct Node {
    StringRef name = {0, 0};
    union {
      std::int64_t integer;
      double real;
      StringRef string;
    };
    std::uint32_t size = 0;
    std::uint32_t end = 0;
    Json::Type type = Json::Type::null;
  };

  std::string_view view(StringRef string) const {
    if (string.begin & kUnescaped) return unescaped_[string.begin - kUnescaped];
    return text_.substr(string.begin, string.size);
  }

  std::string_view text_;
  std::vector<Node> nodes_;
  std::deque<std::string> unescaped_;  // strings that contain escapes
};

/// `text` as a JSON string with quotes.  Control characters become \u00XX escapes.
std::string quote_json(std::string_view text);

}  // namespace oarlock
