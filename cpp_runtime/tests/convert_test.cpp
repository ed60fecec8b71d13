#include <cstring>

#include "convert/registry.h"
#include "one_op.h"
#include "paddle/op_upgrade.h"

using namespace oarlock;

TEST("lower: an attribute mapping with Paddle's default") {
  OneOp leaky{"leaky_relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, {}};
  CHECK_EQ(lowered(leaky), "y = LeakyRelu<alpha=0.02>(x)\n");
  leaky.attrs["alpha"] = FLOAT(0.1f);
  CHECK_EQ(lowered(leaky), "y = LeakyRelu<alpha=0.1>(x)\n");
  leaky.attrs["alpha"] = INTS({1});
  CHECK_ERROR(
      "leaky_relu: attribute 'alpha' is INTS where FLOAT belongs (op 1, X=float32[?,?])\n    at "
      "net.py:3 in forward",
      lowered(leaky));
  leaky.attrs["alpha"] = {AttrType::VAR, std::string("a")};
  CHECK_ERROR("attribute 'alpha' is a tensor", lowered(leaky));
}

TEST("lower: the newest rule not above the opset") {
  OneOp softmax{"softmax",
                {{"X", {"x"}}},
                {{"Out", {"y"}}},
                {{"axis", INT(1)}},
                {{"x", {DType::float32, {-1, 2, 3}}}}};
  CHECK_EQ(lowered(softmax, 13), "y = Softmax<axis=1>(x)\n");
  CHECK_ERROR("below opset 13 only the last axis", lowered(softmax, 11));
}

TEST("lower: Equal of integers other than int32 and int64 needs opset 11") {
  for (DType dtype : {DType::boolean, DType::int32, DType::int64})
    CHECK_EQ(since_opset_of_onnx_op_for_dtype("Equal", dtype), 7);
  for (DType dtype : {DType::int8, DType::int16, DType::uint8, DType::float32})
    CHECK_EQ(since_opset_of_onnx_op_for_dtype("Equal", dtype), 11);
}

TEST("lower: matmul transposes matrices, never vectors") {
  OneOp mm{"matmul_v2",
           {{"X", {"a"}}, {"Y", {"b"}}},
           {{"Out", {"c"}}},
           {{"trans_y", BOOL(true)}},
           {{"b", {DType::float32, {-1, 2, 3}}}}};
  CHECK_EQ(lowered(mm), "c/Transpose = Transpose<perm=[0,2,1]>(b)\nc = MatMul(a, c/Transpose)\n");
  mm.vars["b"].shape = {3};
  CHECK_EQ(lowered(mm), "c = MatMul(a, b)\n");
}

TEST("lower: attribute axis adds trailing ones") {
  OneOp add{"elementwise_add",
            {{"X", {"x"}}, {"Y", {"b"}}},
            {{"Out", {"y"}}},
            {{"axis", INT(1)}},
            {{"x", {DType::float32, {-1, 3, 8, 8}}}, {"b", {DType::float32, {3}}}}};
  CHECK_EQ(lowered(add), "y/Unsqueeze = Unsqueeze(b, int64[1,2])\ny = Add(x, y/Unsqueeze)\n");
  add.attrs["axis"] = INT(-2000000);  // damaged file: two million axes must not be created
  CHECK_ERROR("attribute 'axis' is -2000000", lowered(add));
}

TEST("lower: the number of run-time axes is limited") {
  OneOp longer{"unsqueeze2", {{"X", {"x"}}, {"AxesTensor", {"axes"}}}, {{"Out", {"y"}}}, {}, {}};
  longer.vars = {{"x", {DType::float32, {2, 3}}}, {"axes", {DType::int64, {1}}}};
  CHECK(lowered(longer).find("Unsqueeze(x, ") != std::string::npos);
  longer.vars["axes"].shape = {1LL << 40};  // a damaged file
  CHECK_ERROR("there are 1099511627776 'axes'", lowered(longer));
}

TEST("lower: one error lists all unsupported ops") {
  OneOp none{"conv9d", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, {}};
  CHECK_EQ(check::error_of([&] { lowered(none); }),
           "one.pdmodel: 1 op cannot be lowered\n  conv9d: no lowering (1x, first op 1, output "
           "'y')\n    at net.py:3 in "
           "forward: y = f(x)");
}

TEST("lower: fused attributes are rejected") {
  OneOp conv{"conv2d",
             {{"Filter", {"w"}}, {"Input", {"x"}}},
             {{"Output", {"y"}}},
             {{"fuse_relu", BOOL(true)}},
             {}};
  conv.vars = {{"x", {DType::float32, {1, 2, 5, 5}}}, {"w", {DType::float32, {3, 2, 3, 3}}}};
  CHECK_ERROR("attribute 'fuse_relu' is set", lowered(conv));
  conv.attrs = {{"fuse_relu", BOOL(false)}, {"fuse_activation", STRING("")}};
  CHECK_HAS(lowered(conv), "Conv");
}

TEST("lower: op types of Paddle 1.8") {
  Program program = OneOp{"fill_zeros_like", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, {}}.program();
  upgrade_op_types_and_attrs(program);
  CHECK_EQ(program.blocks[0].ops[1].type, "fill_any_like");
}

TEST("lower: set_value with one attribute per dtype, as before Paddle 2.5") {
  Program program = OneOp{
      "set_value",
      {{"Input", {"x"}}},
      {{"Out", {"y"}}},
      {{"bool_values", INTS({})},
       {"int64_values", {AttrType::LONGS, Ints{7, 8}}},
       {"fp32_values", {AttrType::FLOATS, Floats{}}}},
      {}}.program();
  upgrade_op_types_and_attrs(program);
  const OpDesc& op = program.blocks[0].ops[1];
  CHECK(!op.attrs.contains("int64_values") && op.attrs.at("values").type == AttrType::SCALARS);
  const Scalars& values = std::get<Scalars>(op.attrs.at("values").value);
  CHECK(values.size() == 2 && values[1] == (Scalar{Scalar::Type::int64, 8, 0, 0}));
}

TEST("lower: attribute names of Paddle 1.8") {
  Program program =
      OneOp{"flip", {{"X", {"x"}}}, {{"Out", {"y"}}}, {{"dims", INTS({1})}}, {}}.program();
  upgrade_op_types_and_attrs(program);
  CHECK(program.blocks[0].ops[1].attrs.contains("axis") &&
        !program.blocks[0].ops[1].attrs.contains("dims"));
}

TEST("lower: an op that hands its input through costs at most an Identity") {
  OneOp scale{"scale", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, {}};
  CHECK_EQ(lowered(scale), "y = Identity(x)\n");
}

TEST("lower: a variable that is written twice and fetched twice") {
  Program program = OneOp{"relu", {{"X", {"x"}}}, {{"Out", {"y"}}}, {}, {}}.program();
  std::vector<OpDesc>& ops = program.blocks[0].ops;  // feed, relu, fetch
  ops.insert(ops.begin() + 2, {"tanh", {{"X", {"y"}}}, {{"Out", {"y"}}}, {}, ""});
  ops.push_back({"fetch", {{"X", {"y"}}}, {}, {{"col", INT(1)}}, ""});
  onnx::Graph graph = lower_program(program, Params("", program, "one.pdiparams")).graph;
  CHECK_EQ(onnx::to_text(graph), "y.2 = Relu(x)\ny = Tanh(y.2)\ny.1 = Identity(y)\n");
  CHECK_EQ(graph.nodes[1].name, "y.3");  // the name before it became the output
  CHECK_EQ(graph.outputs[1].name, "y.1");
}

TEST("lower: opset requirements of complex inputs") {
  OneOp fft{"fft_c2c",
            {{"X", {"x"}}},
            {{"Out", {"y"}}},
            {{"axes", INTS({0})}, {"forward", BOOL(true)}},
            {}};
  fft.vars["x"] = fft.vars["y"] = {DType::complex64, {4}};
  CHECK_HAS(lowered(fft, 13), "DFT");  // only complex inputs need opset 17
  LoweringOptions options;
  options.opset = options.max_opset = 13;
  Program program = fft.program();
  Params none("", program, "one.pdiparams");
  CHECK_ERROR("fft_c2c: needs opset 17, not 13", lower_program(program, none, options));
  fft.type = "relu", fft.attrs = {};
  CHECK_ERROR("relu: no lowering for complex numbers", lowered(fft, 13));
  fft.type = "conv9d";
  CHECK_ERROR("conv9d: no lowering (1x", lowered(fft, 13));
}

TEST("lower: negative indices are rejected at run time") {
  OneOp gather{
      "gather", {{"X", {"x"}}, {"Index", {"i"}}}, {{"Out", {"y"}}}, {{"axis", INT(0)}}, {}};
  gather.vars["i"] = {DType::int64, {-1}};
  CHECK_EQ(lowered(gather),
           "y/Less = Less(i, int64:0)\ny/Where = Where(y/Less, int64:2147483647, i)\ny = "
           "Gather<axis=0>(x, y/Where)\n");
}

TEST("lower: a bilinear resize is half_pixel if its output cannot have a single row") {
  OneOp resize{"bilinear_interp_v2",
               {{"X", {"x"}}},
               {{"Out", {"y"}}},
               {{"align_corners", BOOL(false)}, {"align_mode", INT(0)}},
               {{"x", {DType::float32, {-1, 3, 8, 8}}}, {"y", {DType::float32, {-1, 3, -1, -1}}}}};
  const std::string half = "coordinate_transformation_mode=\"half_pixel\"",
                    pytorch = "coordinate_transformation_mode=\"pytorch_half_pixel\"";
  auto with_sizes = [&](std::int64_t height, std::int64_t width) {
    OneOp op = resize;
    op.attrs["out_h"] = INT(height), op.attrs["out_w"] = INT(width);
    return lowered(op);
  };
  CHECK_HAS(with_sizes(16, 2), half);
  CHECK_HAS(with_sizes(16, 1), pytorch);  // Paddle maps a single row to the first row
  auto with_scale_of_dynamic_image = [&](float scale) {
    OneOp op = resize;
    op.vars["x"].shape = {-1, 3, -1, -1};
    op.attrs["scale"] = {AttrType::FLOATS, Floats{scale, scale}};
    return lowered(op);
  };
  CHECK_HAS(with_scale_of_dynamic_image(2), half);
  CHECK_HAS(with_scale_of_dynamic_image(1.5f), pytorch);  // one row stays one row
  resize.inputs["OutSize"] = {"sizes"};
  resize.vars["sizes"] = {DType::int32, {2}};
  CHECK_HAS(lowered(resize), pytorch);
  resize.inputs.erase("OutSize");
  resize.attrs["align_mode"] = INT(1);
  CHECK_HAS(with_sizes(16, 16), "coordinate_transformation_mode=\"asymmetric\"");
}

TEST("lower: NMS selects at most keep_top_k boxes of a class") {
  auto max_boxes = [](std::int64_t keep_top_k) {
    OneOp nms{"multiclass_nms3",
              {{"BBoxes", {"b"}}, {"Scores", {"s"}}},
              {{"Out", {"y"}}, {"Index", {"i"}}, {"NmsRoisNum", {"n"}}},
              {{"keep_top_k", INT(keep_top_k)},
               {"nms_top_k", INT(-1)},
               {"background_label", INT(-1)},
               {"score_threshold", FLOAT(0.1f)}},
              {{"b", {DType::float32, {1, 9, 4}}},
               {"s", {DType::float32, {1, 2, 9}}},
               {"i", {DType::int32, {-1, 1}}},
               {"n", {DType::int32, {-1}}}}};
    Program program = nms.program();
    Params none("", program, "one.pdiparams");
    onnx::Graph graph = lower_program(program, none, {}).graph;
    for (const onnx::Node& node : graph.nodes)
      for (const onnx::Initializer& constant : graph.initializers)
        if (node.op == "NonMaxSuppression" && constant.name == node.inputs[2]) {
          std::int64_t value = 0;
          CHECK_EQ(constant.bytes.size(), sizeof value);
          std::memcpy(&value, constant.bytes.data(), sizeof value);
          return value;
        }
    return std::int64_t{-1};
  };
  CHECK_EQ(max_boxes(5), 5);
  CHECK_EQ(max_boxes(0), 0);
  CHECK_EQ(max_boxes(-1), std::int64_t{1} << 40);  // no limit
}
