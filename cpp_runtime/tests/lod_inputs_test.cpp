// Packed sequences: offsets as inputs, and the way they go from op to op.
#include "runtime/lod_inputs.h"

#include <cstring>

#include "one_op.h"
#include "runtime/synthetic_inputs.h"

using namespace oarlock;

namespace {

// A program of several ops; the first variables are inputs, the last op's `Out` is the output.
struct Chain {
  std::vector<VarDesc> vars;
  std::size_t inputs;
  std::vector<OpDesc> ops;

  std::string text() const {
    Program p;
    p.name = "chain.pdmodel";
    p.blocks.emplace_back();
    p.blocks[0].vars = vars;
    for (std::size_t i = 0; i < inputs; ++i)
      p.blocks[0].ops.push_back({"feed",
                                 {},
                                 {{"Out", {vars[i].name}}},
                                 {{"col", INT(static_cast<std::int64_t>(i))}},
                                 ""});
    for (const OpDesc& op : ops) p.blocks[0].ops.push_back(op);
    p.blocks[0].ops.push_back({"fetch", {{"X", {vars.back().name}}}, {}, {{"col", INT(0)}}, ""});
    validate(p);
    Params none("", p, "chain.pdiparams");
    return onnx::to_text(lower(p, none).graph);
  }
};

VarDesc rows(const std::string& name, Ints shape, std::int64_t lod_level = 1) {
  return {name, std::move(shape), DType::float32, Kind::dense, false, lod_level};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const OpDesc kPool{
    "sequence_pool", {{"X", {"y"}}}, {{"Out", {"z"}}}, {{"pooltype", STRING("FIRST")}}, ""};

Chain pooled_after(const OpDesc& op, std::int64_t lod_level = 1) {
  return {
      {rows("x", {-1, 3}), rows("y", {-1, 3}, lod_level), rows("z", {-1, 3}, 0)}, 1, {op, kPool}};
}

// y = x * w + b, and a GRU over it, all of width 6.
Chain gru_after_fc() {
  return {
      {rows("x", {-1, 3}), rows("w", {3, 6}, 0), rows("b", {6}, 0), rows("g", {2, 6}, 0),
       rows("p", {-1, 6}), rows("y", {-1, 6}), rows("z", {-1, 2})},
      4,
      {{"mul", {{"X", {"x"}}, {"Y", {"w"}}}, {{"Out", {"p"}}}, {}, ""},
       {"elementwise_add", {{"X", {"p"}}, {"Y", {"b"}}}, {{"Out", {"y"}}}, {{"axis", INT(1)}}, ""},
       {"gru", {{"Input", {"y"}}, {"Weight", {"g"}}}, {{"Hidden", {"z"}}}, {}, ""}}};
}

}  // namespace

TEST("offsets: what reads sequences reads the offsets of the input") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""});
  CHECK(has(chain.text(), "(x.lod, "));
}

TEST("offsets: what is not declared to hold sequences has none") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""}, 0);
  CHECK_ERROR("sequence_pool: needs packed sequences (LoD) in 'X'", chain.text());
}

TEST("offsets: boxes that were chosen are not cut as what they were chosen from") {
  Chain chain = pooled_after(
      {"multiclass_nms3", {{"BBoxes", {"x"}}, {"Scores", {"s"}}}, {{"Out", {"y"}}}, {}, ""});
  chain.vars[0].shape = {-1, 5, 4};
  chain.vars.insert(chain.vars.begin() + 1, rows("s", {-1, 2, 5}));
  chain.inputs = 2;
  CHECK_ERROR("sequence_pool: needs packed sequences (LoD) in 'X'", chain.text());
}

TEST("offsets: sequences of sequences are refused by name") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""});
  chain.vars[0].lod_level = 2;
  CHECK_ERROR("input 'x' has 2 levels of sequences (LoD), only one has a lowering", chain.text());
}

TEST("offsets: an input that is called like the offsets of another keeps its name") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""});
  chain.vars.insert(chain.vars.begin() + 1, rows("x.lod", {-1}, 0));
  chain.inputs = 2;
  CHECK(has(chain.text(), "(x.lod_, "));
}

TEST(
    "offsets: an lstm is one op of ONNX, or walked step by step where its cells are read, and "
    "never both") {
  OpDesc lstm{"lstm",
              {{"Input", {"x"}}, {"Weight", {"w"}}, {"Bias", {"b"}}},
              {{"Hidden", {"h"}}, {"Cell", {"c"}}},
              {{"use_peepholes", BOOL(false)}},
              ""};
  for (bool read : {false, true}) {
    Chain chain{{rows("x", {-1, 8}), rows("w", {2, 8}, 0), rows("b", {1, 8}, 0), rows("h", {-1, 2}),
                 rows("c", {-1, 2}), rows("z", {-1, 2}, 0)},
                3,
                {lstm, kPool}};
    chain.ops[1].inputs["X"] = {"h"};
    if (read)
      chain.ops.insert(chain.ops.begin() + 1,
                       {"sum", {{"X", {"h", "c"}}}, {{"Out", {"h"}}}, {}, ""});
    CHECK(has(chain.text(), "LSTM<") != read && has(chain.text(), "Scan<") == read);
  }
}

TEST("offsets: fc in front of a recurrent network becomes its own product") {
  CHECK(!has(gru_after_fc().text(), "MatMul"));
}

TEST("offsets: fc whose weight was written since is computed where it stands") {
  Chain chain = gru_after_fc();
  chain.ops.insert(chain.ops.begin() + 2,
                   {"scale", {{"X", {"w"}}}, {{"Out", {"w"}}}, {{"scale", FLOAT(2)}}, ""});
  CHECK(has(chain.text(), "MatMul"));
}

TEST("offsets: fc that adds along another axis stays as it is") {
  Chain chain = gru_after_fc();
  chain.ops[1].attrs["axis"] = INT(0);
  chain.vars[0].shape = {6, 3};
  CHECK(has(chain.text(), "MatMul"));
}

TEST("offsets: made-up offsets cut made-up rows") {
  std::vector<TensorSpec> specs{{"x", DType::float32, {-1, 2}, {"x.0", ""}, ""},
                                {"x.lod", DType::int64, {-1}, {"x.lod.0"}, "", "x"}};
  auto made = made_up_inputs(specs, {}, {{"x", {7, 2}}, {"x.lod", {4}}});
  auto offsets = made[1].values<std::int64_t>();
  CHECK(Ints(offsets.begin(), offsets.end()) == (Ints{0, 2, 4, 7}));
  std::vector<TensorView> views(made.begin(), made.end());
  check_offsets(specs, views);
  auto alone = made_up_inputs(specs, {}, {});
  CHECK(Ints(alone[1].values<std::int64_t>().begin(), alone[1].values<std::int64_t>().end()) ==
        (Ints{0, 1}));
}

TEST("offsets: made-up numbers differ in every dtype that has fractions") {
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    auto made = made_up_inputs({{"x", dtype, {2}, {""}, ""}}, {}, {});
    auto* bytes = static_cast<const char*>(made[0].data());
    CHECK(std::memcmp(bytes, bytes + size_of(dtype), size_of(dtype)) != 0);
  }
}

TEST("offsets: only outputs behind those of the program are offsets") {
  std::vector<TensorSpec> specs{{"y", DType::float32, {-1}, {""}, ""},
                                {"y.lod", DType::int64, {-1}, {""}, ""}};
  specs.push_back({"y.lod.1", DType::int64, {-1}, {""}, ""});
  mark_offsets(specs, 2);
  CHECK(specs[1].offsets_of.empty() && specs[2].offsets_of == "y");
  specs[2].offsets_of = "", specs[2].name = "y.lod.of.x";
  mark_offsets(specs, 2);
  CHECK(specs[2].offsets_of.empty());
}

TEST("offsets: offsets that do not cut the rows") {
  std::vector<TensorSpec> specs{{"x", DType::float32, {-1}, {"x.0"}, ""},
                                {"x.lod", DType::int64, {-1}, {"x.lod.0"}, "", "x"}};
  Tensor data(DType::float32, {3});
  auto judge = [&](const Ints& offsets) {
    Ints shape{static_cast<std::int64_t>(offsets.size())};
    std::vector<TensorView> views{data, TensorView(std::span<const std::int64_t>(offsets), shape)};
    check_offsets(specs, views);
  };
  judge({0, 3}), judge({0, 0, 1, 3, 3});
  for (const Ints& wrong : {Ints{}, Ints{0}, Ints{0, 2}, Ints{1, 3}, Ints{0, 4}, Ints{0, 2, 1, 3}})
    CHECK_ERROR("input 'x.lod' must begin with 0, not fall, and end with the 3 rows of 'x'",
                judge(wrong));
}
