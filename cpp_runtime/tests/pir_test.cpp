// Programs of Paddle 3: the table of operations, the conversion, and damaged files.
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "convert/graph_builder.h"
#include "fixtures.h"
#include "fuzz.h"
#include "paddle/params.h"
#include "paddle/program_parser.h"
#include "paddle/program_writer.h"
#include "pir/op_table.h"
#include "pir/reader.h"
#include "pir/to_program.h"
#include "pir/writer.h"
#include "runtime/model_impl.h"
#include "temp_folder.h"

using namespace oarlock;

namespace {

constexpr const char* kModels[] = {"pir_conv",         "pir_control", "pir_recurrent",
                                   "pir_types",        "pir_v1_conv", "pir_v1_control",
                                   "pir_v1_recurrent", "pir_v1_types"};
constexpr int kRounds = 1500;

void convert_to_onnx(const std::string& json, const std::string& weights) {
  Program program = pir::convert_pir_json_to_program(json, "m.json");
  Params params(weights, program, "m.pdiparams");
  onnx::to_bytes(lower_program(program, params, {}));
}

/// Where the numbers and strings of a JSON text begin and end.
std::vector<std::pair<std::size_t, std::size_t>> tokens_of(const std::string& json) {
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = at + 1;
    if (json[at] == '"') {
      end = json.find('"', at + 1) + 1;
    } else if (json[at] == '-' || std::isdigit(static_cast<unsigned char>(json[at]))) {
      end = json.find_first_of(",]} ", at);
    } else {
      at = end;
      continue;
    }
    tokens.emplace_back(at, end);
    at = end;
  }
  return tokens;
}

/// The begin and end of every array and object.
std::vector<std::pair<std::size_t, std::size_t>> containers_of(const std::string& json) {
  std::vector<std::pair<std::size_t, std::size_t>> containers;
  std::vector<std::size_t> open;
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"' && json[at - 1] != '\\') in_string = !in_string;
    if (in_string) continue;
    if (json[at] == '[' || json[at] == '{') open.push_back(at);
    if (json[at] == ']' || json[at] == '}') {
      containers.emplace_back(open.back(), at + 1);
      open.pop_back();
    }
  }
  return containers;
}

/// Valid JSON in which some parts (tokens or containers) are replaced by others of the text or by
/// hostile ones.
std::string with_other_tokens(const std::string& json,
                              const std::vector<std::pair<std::size_t, std::size_t>>& tokens,
                              fuzz::Dice& dice) {
  static constexpr const char* hostile[] = {"-1",
                                            "0",
                                            "1",
                                            "2147483648",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "1e308",
                                            "0.5",
                                            "[]",
                                            "{}",
                                            "null",
                                            "true",
                                            "\"\"",
                                            "\"1.while\"",
                                            "\"1.if\"",
                                            "\"0.combine\"",
                                            "\"1.array_write_\"",
                                            "\"1.increment_\"",
                                            "\"NULL\"",
                                            "\"0.t_vec\""};
  std::string out = json;
  for (std::size_t times = 1 + dice.below(3); times-- > 0;) {
    auto [begin, end] = tokens[dice.below(tokens.size())];
    auto [other_begin, other_end] = tokens[dice.below(tokens.size())];
    std::string replacement = dice.once_in(3) ? dice.of<const char*>(hostile)
                                              : json.substr(other_begin, other_end - other_begin);
    if (begin < out.size() && out.size() == json.size())
      out.replace(begin, end - begin, replacement);
  }
  return out;
}

}  // namespace

TEST("pir: rows of the table are complete and sorted") {
  std::string_view previous;
  for (const pir::OpSpec& spec : pir::op_specs()) {
    CHECK(previous < spec.name);
    previous = spec.name;
    CHECK(!spec.legacy_type.empty() && !spec.results.empty());
    CHECK(spec.since >= 1 && spec.since <= 4);
    for (const pir::OperandSpec& operand : spec.operands)
      CHECK(!operand.name.empty() && (operand.slot.empty() || operand.attr.empty()));
    static const std::set<std::string_view> types = {
        "bool",  "i32",   "i64",   "f32",   "f64",   "str",      "dtype", "ints",
        "i32[]", "i64[]", "f32[]", "f64[]", "str[]", "scalar[]", "c128",  "place"};
    for (const pir::AttrSpec& attr : spec.attrs) {
      CHECK(types.contains(attr.type));
      CHECK(!(attr.is_legacy_only || attr.legacy_name == "!") || !attr.default_value.empty());
    }
  }
  CHECK(pir::find_op_spec("relu_") && pir::find_op_spec("relu_")->name == "relu");
  CHECK(!pir::find_op_spec("") && !pir::find_op_spec("_") && !pir::find_op_spec("no_such_op"));
}

TEST("pir: a converted program is the same after writing and reading a .pdmodel") {
  for (const char* name : kModels) {
    Program program =
        pir::convert_pir_json_to_program(bytes_of(std::string(name) + ".json"), "m.json");
    std::string bytes = to_pdmodel(program);
    CHECK_EQ(to_pdmodel(parse_upgrade_and_validate_program(bytes, "m.pdmodel")), bytes);
    convert_to_onnx(bytes_of(std::string(name) + ".json"),
                    bytes_of(std::string(name) + ".pdiparams"));
  }
}

TEST("pir: a program has the same ops after writing and reading a .json") {
  for (const char* name : kModels) {
    Program program =
        pir::convert_pir_json_to_program(bytes_of(std::string(name) + ".json"), "m.json");
    std::string json = pir::convert_program_to_pir_json(program);
    CHECK_EQ(pir::convert_program_to_pir_json(program), json);
    Program again = pir::convert_pir_json_to_program(json, "again.json");
    CHECK(again.feed_names() == program.feed_names());
    CHECK_EQ(again.fetch_names().size(), program.fetch_names().size());
    convert_to_onnx(json, bytes_of(std::string(name) + ".pdiparams"));
  }
}

TEST("pir: numbers that are not finite") {
  double inf = std::numeric_limits<double>::infinity();
  for (auto [value, text] :
       {std::pair(std::nan(""), "\"VD\":\"NAN\""), std::pair(inf, "\"VD\":\"INF\""),
        std::pair(-inf, "\"VD\":\"-INF\"")}) {
    Program program = pir::convert_pir_json_to_program(bytes_of("pir_conv.json"), "m.json");
    program.blocks[0].ops.push_back({"fill_constant",
                                     {},
                                     {{"Out", {program.fetch_names()[0]}}},
                                     {{"shape", {AttrType::LONGS, Ints{1}}},
                                      {"dtype", {AttrType::INT, std::int64_t{5}}},
                                      {"value", {AttrType::FLOAT, value}}},
                                     ""});
    CHECK(pir::convert_program_to_pir_json(program).find(text) != std::string::npos);
  }
}

TEST("pir: attributes without an equivalent are rejected") {
  Program program = pir::convert_pir_json_to_program(bytes_of("pir_conv.json"), "m.json");
  std::string out = program.fetch_names()[0];
  program.blocks[0].ops.push_back(
      {"swish", {{"X", {out}}}, {{"Out", {out}}}, {{"beta", {AttrType::FLOAT, 2.0}}}, ""});
  CHECK_ERROR("swish: no operation of Paddle 3 has these attributes",
              pir::convert_program_to_pir_json(program));
  program.blocks[0].ops.back() = {
      "relu", {{"X", {out}}}, {{"Out", {out}}}, {{"threshold", {AttrType::FLOAT, 2.0}}}, ""};
  CHECK_ERROR("attribute 'threshold' has no equivalent in pd_op.relu",
              pir::convert_program_to_pir_json(program));
  program.blocks[0].ops.back() = {
      "relu", {{"X", {out}}, {"Extra", {out}}}, {{"Out", {out}}}, {}, ""};
  CHECK_ERROR("slot Extra has no equivalent in pd_op.relu",
              pir::convert_program_to_pir_json(program));
  program.blocks[0].ops.back() = {"relu", {{"X", {"never"}}}, {{"Out", {out}}}, {}, ""};
  CHECK_ERROR("variable 'never' is read before it is assigned",
              pir::convert_program_to_pir_json(program));
}

TEST("pir: a published directory is a model") {
  Folder folder("published");
  for (const char* stem : {"model", "inference"}) {  // inference has priority
    std::string source = stem == std::string("model") ? "pir_control" : "pir_conv";
    for (const char* end : {".json", ".pdiparams"})
      std::filesystem::copy_file(fixture(source + end), folder.path / (std::string(stem) + end));
    CHECK_EQ(Model::open(folder.path.string()).inputs().size(),
             Model::open(fixture(source + ".json")).inputs().size());
    CHECK_EQ(Model::open(folder.path.string()).impl().prefix, folder / stem);
  }
  CHECK_ERROR("is a directory without inference.json",
              Model::open(Folder("published, empty").path.string()));
}

TEST("pir: JSON is recognized") {
  CHECK(pir::starts_with_json_object(" \n{}") && !pir::starts_with_json_object("") &&
        !pir::starts_with_json_object("\x0a\x04{}"));
}

TEST("fuzz pir: bytes") {
  std::string good = bytes_of("pir_control.json"), weights = bytes_of("pir_control.pdiparams");
  CHECK(fuzz::rejected(kRounds, [&](fuzz::Dice& dice) {
          convert_to_onnx(fuzz::damaged(good, dice), weights);
        }) > kRounds / 10);
}

TEST("fuzz pir: values and containers in the wrong places") {
  for (const char* name : kModels) {
    std::string good = bytes_of(std::string(name) + ".json"),
                weights = bytes_of(std::string(name) + ".pdiparams");
    auto tokens = tokens_of(good);
    CHECK(fuzz::rejected(kRounds / 4, [&](fuzz::Dice& dice) {
            convert_to_onnx(with_other_tokens(good, tokens, dice), weights);
          }) > kRounds / 40);
    auto containers = containers_of(good);
    CHECK(fuzz::rejected(kRounds / 4, [&](fuzz::Dice& dice) {
            convert_to_onnx(with_other_tokens(good, containers, dice), weights);
          }) > kRounds / 40);
  }
}

TEST("pir: an output without an operand is rejected") {
  std::string program = bytes_of("pir_conv.json");
  auto fetch = program.rfind("\"1.fetch\"");
  auto operands = program.find("\"I\":[", fetch);
  CHECK(fetch != program.npos && operands != program.npos);
  program.replace(operands + 4, program.find(']', operands) + 1 - (operands + 4), "[]");
  CHECK_ERROR("pd_op.fetch: operand 0 is missing",
              convert_to_onnx(program, bytes_of("pir_conv.pdiparams")));
}
