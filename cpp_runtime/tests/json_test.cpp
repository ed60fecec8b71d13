#include "base/json.h"

#include <cmath>

#include "check.h"

using namespace oarlock;

namespace {

std::string string_of(const std::string& text) {
  return std::string(JsonDocument(text, "x.json").root().string_or_empty());
}

}  // namespace

TEST("json: values of all kinds") {
  std::string text =
      R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "d\n\"\\\u0041\u00e9\ud83d\ude00"}, "e": [], "f": {}} )";
  JsonDocument document(text, "x.json");
  Json json = document.root(), a = json.find("a");
  CHECK_EQ(a.size(), std::size_t{5});
  CHECK(a.find_at(0).type() == Json::Type::integer && a.find_at(0).integer_or_zero() == 1);
  CHECK(a.find_at(1).type() == Json::Type::real && a.find_at(1).number_or_zero() == -2500.0);
  CHECK(a.find_at(2).boolean_or_false() && !a.find_at(3).boolean_or_false() &&
        a.find_at(3).type() == Json::Type::boolean);
  CHECK(a.find_at(4).type() == Json::Type::null && !a.find_at(5));
  CHECK_EQ(std::string(json.find("b").find("c").string_or_empty()),
           "d\n\"\\A\xc3\xa9\xf0\x9f\x98\x80");
  CHECK_EQ(json.find("e").size() + json.find("f").size(), std::size_t{0});
  CHECK_EQ(document.path_of(a.find_at(4)), "a[4]");
  CHECK_EQ(document.path_of(json.find("b").find("c")), "b.c");
  CHECK_EQ(document.path_of(json), "");
  CHECK(!json.find("g") && !a.find("b") && !Json().find("c"));
  std::string names;
  for (Json field : json) names += field.name();
  CHECK_EQ(names, "abef");
}

TEST("json: integers are exact, and others have the nearest double") {
  std::string text =
      "[9223372036854775807, -9223372036854775808, 9223372036854775808, 0.1, -0, 1E2]";
  JsonDocument document(text, "x.json");
  Json json = document.root();
  CHECK_EQ(json.find_at(0).integer_or_zero(), INT64_MAX);
  CHECK_EQ(json.find_at(1).integer_or_zero(), INT64_MIN);
  CHECK(json.find_at(2).type() == Json::Type::real &&
        json.find_at(2).number_or_zero() == std::ldexp(1, 63));
  CHECK_EQ(json.find_at(3).number_or_zero(), 0.1);
  CHECK(json.find_at(4).type() == Json::Type::integer && json.find_at(5).number_or_zero() == 100);
}

TEST("json: invalid text is rejected with its byte") {
  for (const char* text :
       {"",
        "{",
        "[1,",
        "[1 2]",
        "{\"a\" 1}",
        "{a: 1}",
        "\"open",
        "\"\\",
        "\"\\u00",
        "nul",
        "1 2",
        "1e",
        "--1",
        "[1,]",
        "+1",
        "01",
        "1.",
        ".5",
        "1e999",
        "NaN",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"a\nb\"",
        "\"\xff\"",
        "{\"a\": 1, \"a\": 2}",
        "[1]]",
        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"1\":1}"})
    CHECK_ERROR("x.json: no JSON at byte", JsonDocument(text, "x.json"));
  CHECK_ERROR("nested more than 512 deep", JsonDocument(std::string(100000, '['), "x.json"));
}

TEST("json: strings round-trip") {
  std::string text = "a \"b\" \\ c \n \x01 \xc3\xa9";
  CHECK_EQ(string_of(quote_json(text)), text);
}
