#include <functional>

#include "base/base64.h"
#include "check.h"
#include "convert/graph_builder.h"
#include "fixtures.h"
#include "paddle/params.h"
#include "paddle/program_parser.h"

using namespace oarlock;

namespace {

std::string converted(const LoweringOptions& options, const std::string& contract = "") {
  Program p = parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel") + contract, "mlp.pdmodel");
  std::string weights = bytes_of("mlp.pdiparams");
  Params params(weights, p, "mlp.pdiparams");
  return onnx::to_bytes(lower_program(p, params, options));
}

/// A convolution with `filters` weights, and a product whose weights `other` reads as well.
std::string image_net(std::int64_t filters, const std::string& other = "") {
  onnx::Model model;
  onnx::Graph& graph = model.graph;
  graph.initializers.push_back({"filter", DType::float32, {filters, 1, 1, 1}, "", true, 0, 0});
  graph.initializers.push_back({"w", DType::float32, {4, 2}, std::string(32, '\0')});
  graph.nodes.push_back({"Conv", "", "", {"x", "filter"}, {"y"}, {}});
  graph.nodes.push_back({"MatMul", "", "", {"y", "w"}, {"z"}, {}});
  if (!other.empty()) graph.nodes.push_back({other, "", "", {"z", "w"}, {"out"}, {}});
  return onnx::to_bytes(model);
}

}  // namespace

TEST("onnx: weights of few products are inputs with a default, which are not packed") {
  std::string net = image_net(64);
  std::string made = onnx::make_matmul_weights_inputs_if_minor_share(net);
  CHECK_EQ(made.substr(0, net.size()), net);
  CHECK_EQ(made.substr(net.size()), std::string("\x3a\x15\x5a\x13\x0a\x01w\x12\x0e\x0a\x0c\x08\x01"
                                                "\x12\x08\x0a\x02\x08\x04\x0a\x02\x08\x02"));
  CHECK_EQ(onnx::make_matmul_weights_inputs_if_minor_share(image_net(64, "MatMul")).size(),
           made.size() + image_net(64, "MatMul").size() - net.size());
  CHECK_EQ(onnx::make_matmul_weights_inputs_if_minor_share(image_net(55)),
           image_net(55));  // products hold more than an eighth of the weights
  CHECK_EQ(onnx::make_matmul_weights_inputs_if_minor_share(image_net(64, "Add")),
           image_net(64, "Add"));
}

TEST("onnx: the same program gives the same bytes") {
  LoweringOptions options;
  options.location = "mlp.pdiparams";
  CHECK_EQ(converted(options), converted(options));
}

TEST("onnx: large weights stay outside with their offset, small ones and constants come in") {
  LoweringOptions options;
  options.location = "mlp.pdiparams";
  std::string outside = converted(options);
  CHECK_HAS(outside, "mlp.pdiparams");
  CHECK_HAS(outside, "offset");
  options.inline_weights = true;
  CHECK(converted(options).find("mlp.pdiparams") == std::string::npos);
}

TEST("onnx: the contract is stored as metadata and names the outputs") {
  std::string field = contract_field(mlp_contract());
  Program p = parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel") + field, "p");
  std::string bytes = converted({}, field);
  CHECK_HAS(bytes, encode_base64(p.contract->bytes));
  CHECK_HAS(bytes, "save_infer_model/scale_0.tmp_0");
}

TEST("onnx: base64") {
  CHECK_EQ(encode_base64(""), "");
  CHECK_EQ(encode_base64("f"), "Zg==");
  CHECK_EQ(encode_base64("fo"), "Zm8=");
  CHECK_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST("onnx: small constants are copied into subgraphs") {
  onnx::Graph g;
  auto branch = [](std::string output) {
    auto made = std::make_shared<onnx::Graph>();
    made->nodes = {{"Reshape", "", "", {"x", "sizes"}, {output + "_"}, {}},
                   {"Add", "", "", {output + "_", "w"}, {output}, {}}};
    made->outputs = {{output, DType::float32, {}, {}, false}};
    return made;
  };
  g.nodes = {
      {"If", "", "", {"c"}, {"y"}, {{"then_branch", branch("a")}, {"else_branch", branch("b")}}}};
  g.outputs = {{"y", DType::float32, {}, {}, false}};
  g.initializers = {{"sizes", DType::int64, {1}, std::string(8, '\1'), false, 0, 0},
                    {"w", DType::float32, {}, "1234", false, 0, 0}};
  onnx::localize_small_int_constants(g);
  onnx::prune(g);
  CHECK_EQ(g.initializers.size(), 1u);
  CHECK_HAS(onnx::to_text(g), "a_ = Reshape(x, sizes/1)");
  CHECK_HAS(onnx::to_text(g), "b_ = Reshape(x, sizes/2)");
  CHECK_HAS(onnx::to_text(g), "a = Add(a_, w)");
  auto bytes = onnx::to_bytes({8, 17, g, {}, {}, ""});
  CHECK_HAS(bytes, "sizes/1");
  CHECK_HAS(bytes, "sizes/2");
}

TEST("onnx: weights of float ops are dequantized by a product, those of integer ops are not") {
  onnx::Graph g;
  auto dequantize = [](const char* x, const char* step, const char* y) {
    return onnx::Node{"DequantizeLinear", "", "", {x, step, "zero"}, {y}, {{"axis", 0}}};
  };
  g.nodes = {dequantize("w8", "steps", "w"),
             dequantize("x8", "step", "x"),
             {"Gather", "", "", {"w", "i"}, {"row"}, {}},
             {"Conv", "", "", {"x", "w"}, {"integers"}, {}},
             {"Conv", "", "", {"row", "w"}, {"floats"}, {}}};
  auto body = std::make_shared<onnx::Graph>();
  body->nodes = {{"Neg", "", "", {"w"}, {"negative"}, {}}};
  body->outputs = {{"negative", DType::float32, {}, {}, false}};
  g.nodes.push_back({"If", "", "", {"c"}, {"inner"}, {{"then_branch", body}}});
  for (const char* name : {"integers", "floats", "inner"})
    g.outputs.push_back({name, DType::float32, {}, {}, false});
  g.initializers = {{"w8", DType::int8, {2, 1, 2}, "1234", false, 0, 0},
                    {"steps", DType::float32, {2}, "12345678", false, 0, 0},
                    {"step", DType::float32, {}, "1234", false, 0, 0},
                    {"zero", DType::int8, {2}, std::string(2, '\0'), false, 0, 0}};
  auto shifted = g;
  onnx::dequantize_weights_of_float_ops_by_multiplication(g);
  auto text = onnx::to_text(g);
  CHECK_HAS(text, "w/levels = Cast<to=1>(w8)\n");
  CHECK_HAS(text, "w/float = Mul(w/levels, steps/broadcast)\n");
  CHECK_HAS(text, "row = Gather(w/float, i)");
  CHECK_HAS(text, "integers = Conv(x, w)");
  CHECK_HAS(text, "floats = Conv(row, w/float)");
  CHECK_HAS(text, "negative = Neg(w/float)");
  CHECK(g.initializers.back().shape == (Ints{2, 1, 1}));
  shifted.initializers.back().bytes[1] = 1;  // a zero point other than 0 stays in the op
  onnx::dequantize_weights_of_float_ops_by_multiplication(shifted);
  CHECK_HAS(onnx::to_text(shifted), "row = Gather(w, i)");
}

TEST("onnx: a graph output is quantized before the Transpose that reads it") {
  onnx::Graph g;
  g.nodes = {{"Sigmoid", "", "", {"x"}, {"y"}, {}},
             {"Transpose", "", "", {"y"}, {"t"}, {}},
             {"Reshape", "", "", {"t", "shape"}, {"r"}, {}},
             {"Relu", "", "", {"r"}, {"p"}, {}},
             {"QuantizeLinear", "", "", {"p", "step", "zero"}, {"levels"}, {}},
             {"DequantizeLinear", "", "", {"levels", "step", "zero"}, {"y/quantized"}, {}},
             {"Tanh", "", "", {"y/quantized"}, {"z"}, {}}};
  g.outputs = {{"y", DType::float32, {}, {}, false}, {"z", DType::float32, {}, {}, false}};
  g.initializers = {{"step", DType::float32, {}, "1234", false, 0, 0},
                    {"zero", DType::uint8, {}, "1", false, 0, 0}};
  auto with_another_reader = g, with_computed_step = g;
  onnx::quantize_outputs_before_transpose(g);
  CHECK_HAS(onnx::to_text(g),
            "y = Sigmoid(x)\ny/quantized/1 = QuantizeLinear(y, step, zero)\n"
            "y/dequantized = DequantizeLinear(y/quantized/1, step, zero)\n"
            "t = Transpose(y/dequantized)\nr = Reshape(t, shape)\n");
  with_another_reader.outputs.push_back({"t", DType::float32, {}, {}, false});
  with_computed_step.initializers[0].name = "other";
  for (onnx::Graph* unchanged : {&with_another_reader, &with_computed_step}) {
    onnx::quantize_outputs_before_transpose(*unchanged);
    CHECK_EQ(unchanged->nodes.size(), 7u);
  }
}

// A loop that appends `x2` to a sequence, of which only the concatenation is used.
onnx::Graph appending_loop() {
  auto body = std::make_shared<onnx::Graph>();
  body->name = "body";
  body->inputs = {{"i", DType::int64, {}, {}, true},
                  {"go", DType::boolean, {}, {}, true},
                  {"s", DType::float32, {}, {}, false, true},
                  {"x1", DType::float32, {}, {}, false}};
  body->nodes = {{"Neg", "", "", {"x1"}, {"x2"}, {}},
                 {"SequenceInsert", "", "", {"s", "x2"}, {"s2"}, {}},
                 {"Less", "", "", {"x2", "limit"}, {"less"}, {}},
                 {"Reshape", "", "", {"less", "scalar"}, {"go2"}, {}}};
  body->outputs = {{"go2", DType::boolean, {}, {}, false},
                   {"s2", DType::float32, {}, {}, false, true},
                   {"x2", DType::float32, {}, {}, false}};
  onnx::Graph g;
  g.nodes = {{"SequenceEmpty", "", "", {}, {"empty"}, {{"dtype", 1}}},
             {"Loop", "", "loop", {"", "start", "empty", "x"}, {"all", "last"}, {{"body", body}}},
             {"ConcatFromSequence", "", "", {"all"}, {"y"}, {{"axis", 1}, {"new_axis", 1}}}};
  g.outputs = {{"y", DType::float32, {}, {}, false}, {"last", DType::float32, {}, {}, false}};
  return g;
}

TEST("onnx: a loop concatenates chunks of a sequence of which only the concatenation is used") {
  onnx::Graph g = appending_loop();
  onnx::concat_loop_sequences_in_chunks(g);
  CHECK_EQ(onnx::to_text(g), R"(empty = SequenceEmpty<dtype=1>()
all, last = Loop<body={
  (i/1, go/1, s/1, x1/1)
  all/empty = SequenceEmpty<dtype=1>()
  all/chunk, x2/1, less/1 = Loop<body={
    (i, go, s, x1, condition)
    x2 = Neg(x1)
    s2 = SequenceInsert(s, x2)
    less = Less(x2, limit)
    go2 = Reshape(less, scalar)
    -> go2, s2, x2, less
  }>(int64:128, go/1, all/empty, x1/1, go/1)
  go2/1 = Reshape(less/1, scalar)
  all/joined = ConcatFromSequence<axis=1, new_axis=1>(all/chunk)
  s2/1 = SequenceInsert(s/1, all/joined)
  -> go2/1, s2/1, x2/1
}>(_, start, empty, x)
y = ConcatFromSequence<axis=1, new_axis=0>(all)
)");
}

TEST("onnx: other loops keep their sequences") {
  auto body_of = [](onnx::Graph& g) -> onnx::Graph& {
    return *std::get<std::shared_ptr<onnx::Graph>>(g.nodes[1].attrs[0].second);
  };
  const std::pair<const char*, std::function<void(onnx::Graph&)>> changes[] = {
      {"another reader",
       [](onnx::Graph& g) { g.nodes.push_back({"SequenceLength", "", "", {"all"}, {"n"}, {}}); }},
      {"a graph output",
       [](onnx::Graph& g) { g.outputs.push_back({"all", DType::float32, {}, {}, false, true}); }},
      {"a reader in the body",
       [&](onnx::Graph& g) {
         body_of(g).nodes.push_back({"SequenceLength", "", "", {"s"}, {"n"}, {}});
       }},
      {"a position", [&](onnx::Graph& g) { body_of(g).nodes[1].inputs.push_back("first"); }},
      {"initial elements", [](onnx::Graph& g) { g.nodes[0].op = "SequenceConstruct"; }},
      {"a trip count", [](onnx::Graph& g) { g.nodes[1].inputs[0] = "count"; }},
      {"the iteration",
       [&](onnx::Graph& g) { body_of(g).nodes.push_back({"Neg", "", "", {"i"}, {"n"}, {}}); }},
      {"a scan output", [](onnx::Graph& g) { g.nodes[1].outputs.push_back("scanned"); }},
  };
  for (const auto& [what, change] : changes) {
    onnx::Graph g = appending_loop();
    change(g);
    auto before = onnx::to_text(g);
    onnx::concat_loop_sequences_in_chunks(g);
    CHECK_EQ(onnx::to_text(g), before);
  }
}

TEST("onnx: unused nodes are pruned, also after a subgraph") {
  onnx::Graph g;
  g.nodes = {{"Relu", "", "", {"x"}, {"a"}, {}}, {"Relu", "", "", {"x"}, {"dead"}, {}}};
  auto body = std::make_shared<onnx::Graph>();
  body->nodes = {{"Neg", "", "", {"a"}, {"b"}, {}}, {"Neg", "", "", {"dead"}, {"c"}, {}}};
  body->outputs = {{"b", DType::float32, {}, {}, false}};
  g.nodes.push_back({"If", "", "", {"x"}, {"y"}, {{"then_branch", body}}});
  g.outputs = {{"y", DType::float32, {}, {}, false}};
  g.initializers = {{"w", DType::float32, {}, "1234", false, 0, 0}};
  onnx::prune(g);
  CHECK_EQ(onnx::to_text(g),
           "a = Relu(x)\ny = If<then_branch={\n  ()\n  b = Neg(a)\n  -> b\n}>(x)\n");
  CHECK(g.initializers.empty());
}
