#include "base/json.h"

#include "check.h"

using namespace oarlock;

namespace {

Json parsed(const std::string& text) { return parse_json(text, "x.json"); }

}  // namespace

TEST("json: values of all kinds") {
  Json json = parsed(
      R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "d\n\"\\\u0041\u00e9"}, "e": [], "f": {}} )");
  CHECK_EQ(json.find("a")->items.size(), std::size_t{5});
  CHECK_EQ(json.find("a")->items[1].number, -2500.0);
  CHECK_EQ(json.find("a")->items[2].number, 1.0);
  CHECK(json.find("a")->items[4].type == Json::Type::null);
  CHECK_EQ(json.find("b")->find("c")->text, "d\n\"\\A?");
  CHECK(json.find("e")->items.empty() && json.find("f")->names.empty());
  CHECK(!json.find("g") && !json.find("a")->find("b"));
}

TEST("json: invalid text is rejected with its byte") {
  for (const char* text : {"", "{", "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"open", "\"\\",
                           "\"\\u00", "nul", "1 2", "1e", "--1", "[1,]"})
    CHECK_ERROR("x.json: no JSON at byte", parsed(text));
  CHECK_ERROR("too deep", parsed(std::string(100000, '[')));
}

TEST("json: strings round-trip") {
  std::string text = "a \"b\" \\ c";
  CHECK_EQ(parsed(quote_json(text)).text, text);
}
