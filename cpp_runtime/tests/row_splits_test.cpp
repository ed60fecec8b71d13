// Packed sequences: row splits as inputs and their propagation.
#include "runtime/row_splits.h"

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
    validate_and_fill_variable_indices(p);
    Params none("", p, "chain.pdiparams");
    return onnx::to_text(lower_program(p, none).graph);
  }
};

VarDesc rows(const std::string& name, Ints shape, std::int64_t lod_level = 1) {
  return {name, std::move(shape), DType::float32, VarKind::dense, false, lod_level};
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

TEST("lod: sequence ops read the row splits of the input") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""});
  CHECK(has(chain.text(), "(x.lod, "));
}

TEST("lod: variables without lod_level have no row splits") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""}, 0);
  CHECK_ERROR("sequence_pool: needs packed sequences (LoD) in 'X'", chain.text());
}

TEST("lod: selected boxes do not inherit row splits") {
  Chain chain = pooled_after(
      {"multiclass_nms3", {{"BBoxes", {"x"}}, {"Scores", {"s"}}}, {{"Out", {"y"}}}, {}, ""});
  chain.vars[0].shape = {-1, 5, 4};
  chain.vars.insert(chain.vars.begin() + 1, rows("s", {-1, 2, 5}));
  chain.inputs = 2;
  CHECK_ERROR("sequence_pool: needs packed sequences (LoD) in 'X'", chain.text());
}

TEST("lod: nested sequences are rejected") {
  Chain chain = pooled_after({"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, ""});
  chain.vars[0].lod_level = 2;
  CHECK_ERROR("input 'x' has 2 levels of sequences (LoD), only one has a lowering", chain.text());
}

TEST("lod: an input named like another input's row splits") {
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

TEST("lod: a preceding fc is fused into the recurrent op") {
  CHECK(!has(gru_after_fc().text(), "MatMul"));
}

TEST("lod: fc with an overwritten weight is not fused") {
  Chain chain = gru_after_fc();
  chain.ops.insert(chain.ops.begin() + 2,
                   {"scale", {{"X", {"w"}}}, {{"Out", {"w"}}}, {{"scale", FLOAT(2)}}, ""});
  CHECK(has(chain.text(), "MatMul"));
}

TEST("lod: fc that adds along another axis is not fused") {
  Chain chain = gru_after_fc();
  chain.ops[1].attrs["axis"] = INT(0);
  chain.vars[0].shape = {6, 3};
  CHECK(has(chain.text(), "MatMul"));
}

TEST("lod: synthetic row splits fit synthetic rows") {
  std::vector<TensorSpec> specs{{"x", DType::float32, {-1, 2}, {"x.0", ""}, ""},
                                {"x.lod", DType::int64, {-1}, {"x.lod.0"}, "", "x"}};
  auto made = synthetic_inputs(specs, {}, {{"x", {7, 2}}, {"x.lod", {4}}});
  auto offsets = made[1].values<std::int64_t>();
  CHECK(Ints(offsets.begin(), offsets.end()) == (Ints{0, 2, 4, 7}));
  std::vector<TensorView> views(made.begin(), made.end());
  check_row_splits_input_values(specs, views);
  auto alone = synthetic_inputs(specs, {}, {});
  CHECK(Ints(alone[1].values<std::int64_t>().begin(), alone[1].values<std::int64_t>().end()) ==
        (Ints{0, 1}));
}

TEST("synthetic inputs: floating values differ") {
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    auto made = synthetic_inputs({{"x", dtype, {2}, {""}, ""}}, {}, {});
    auto* bytes = static_cast<const char*>(made[0].data());
    CHECK(std::memcmp(bytes, bytes + size_of(dtype), size_of(dtype)) != 0);
  }
}

TEST("lod: only outputs after the program's own are row splits") {
  std::vector<TensorSpec> specs{{"y", DType::float32, {-1}, {""}, ""},
                                {"y.lod", DType::int64, {-1}, {""}, ""}};
  specs.push_back({"y.lod.1", DType::int64, {-1}, {""}, ""});
  link_row_splits_outputs_to_owners(specs, 2);
  CHECK(specs[1].offsets_of.empty() && specs[2].offsets_of == "y");
  specs[2].offsets_of = "", specs[2].name = "y.lod.of.x";
  link_row_splits_outputs_to_owners(specs, 2);
  CHECK(specs[2].offsets_of.empty());
}

TEST("lod: invalid row splits") {
  std::vector<TensorSpec> specs{{"x", DType::float32, {-1}, {"x.0"}, ""},
                                {"x.lod", DType::int64, {-1}, {"x.lod.0"}, "", "x"}};
  Tensor data(DType::float32, {3});
  auto judge = [&](const Ints& offsets) {
    Ints shape{static_cast<std::int64_t>(offsets.size())};
    std::vector<TensorView> views{data, TensorView(std::span<const std::int64_t>(offsets), shape)};
    check_row_splits_input_values(specs, views);
  };
  judge({0, 3}), judge({0, 0, 1, 3, 3});
  for (const Ints& wrong : {Ints{}, Ints{0}, Ints{0, 2}, Ints{1, 3}, Ints{0, 4}, Ints{0, 2, 1, 3}})
    CHECK_ERROR("input 'x.lod' must begin with 0, not fall, and end with the 3 rows of 'x'",
                judge(wrong));
}
