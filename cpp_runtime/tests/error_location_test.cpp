// Mapping of ONNX Runtime errors to ops of the program.
#include "runtime/error_location.h"

#include "check.h"
#include "fixtures.h"
#include "one_op.h"

using namespace oarlock;

namespace {

const OneOp kMatmul{
    "matmul_v2", {{"X", {"x"}}, {"Y", {"y"}}}, {{"Out", {"linear_0.tmp_0"}}}, {}, {}};

std::string said(const std::string& node, const std::string& status) {
  std::string text = "engine: Non-zero status code returned while running MatMul node. Name:'" +
                     node + "' Status Message: " + status;
  return error_with_op_location(kMatmul.program(), Error(ErrorCode::engine, text)).what();
}

}  // namespace

TEST("error location: op, output, reason and user's line") {
  CHECK_EQ(said("linear_0.tmp_0", "3 is not 4\n"),
           "engine: matmul_v2, output 'linear_0.tmp_0': 3 is not 4\n    at net.py:3 in forward: y "
           "= f(x)");
}

TEST("error location: nodes of layers, fused nodes and several nodes of one op") {
  for (const char* node : {"body/0/linear_0.tmp_0", "fused linear_0.tmp_0",
                           "linear_0.tmp_0/MatMulAddFusion", "linear_0.tmp_0/Gather.1"})
    CHECK_HAS(said(node, "no"), "engine: matmul_v2, output 'linear_0.tmp_0': no");
}

TEST("error location: unknown nodes keep ONNX Runtime's message") {
  for (const char* node : {"linear_0.tmp_01", "my_linear_0.tmp_0", "guard.0", ""})
    CHECK_HAS(said(node, "no"), "engine: Non-zero status");
}

TEST("error location: ONNX Runtime's source location is removed") {
  CHECK_HAS(said("linear_0.tmp_0",
                 "/src/core/element_wise_ops.h:540 void onnxruntime::Iterator::Append(ptrdiff_t, "
                 "ptrdiff_t) axis == 1 || "
                 "axis == largest was false. Attempting to broadcast 3 by 4"),
            "'linear_0.tmp_0': Attempting to broadcast 3 by 4");
  CHECK_HAS(said("linear_0.tmp_0", "concatbase.h:133 PrepareForComputeImpl sizes are odd"),
            "'linear_0.tmp_0': sizes are odd");
  CHECK_HAS(said("linear_0.tmp_0", "kernel.cc:1 Compute"), "'linear_0.tmp_0': Compute");
  CHECK_HAS(said("linear_0.tmp_0", "size: 3 of 4"), "'linear_0.tmp_0': size: 3 of 4");
  CHECK_HAS(
      said("linear_0.tmp_0", "/src/a.cc:1 void f(const T*) const [with T = vec<int[2]>] too large"),
      "'linear_0.tmp_0': too large");
  CHECK_HAS(said("linear_0.tmp_0", "/src/a.cc:1 f("), "'linear_0.tmp_0': ");
}

TEST("error location: negative and out-of-range indices") {
  CHECK_HAS(said("linear_0.tmp_0",
                 "indices element out of data bounds, idx=2147483647 must be within [-5,4]"),
            "'linear_0.tmp_0': an index is negative\n");
  CHECK_HAS(said("linear_0.tmp_0", "invalid index found, index = 7"),
            "'linear_0.tmp_0': an index is out of range: invalid index found, index = 7\n");
}

TEST("error location: run-time assertions") {
  CHECK_HAS(said("body/0/linear_0.tmp_0/Reshape.1/not: a sequence is longer than padded_length",
                 "cannot be reshaped"),
            "'linear_0.tmp_0': a sequence is longer than padded_length\n");
  OneOp relu{"relu", {{"X", {"x"}}}, {{"Out", {"sequence"}}}, {}, {}};
  std::string text = "engine: Name:'y/Reshape/not: a sequence is long' Status Message: no";
  CHECK_EQ(error_with_op_location(relu.program(), Error(ErrorCode::engine, text)).what(), text);
}

TEST("error location: out of memory, and other error codes") {
  std::string text =
      "engine: out of memory: Name:'linear_0.tmp_0' Status Message: Failed to allocate memory";
  CHECK_HAS(error_with_op_location(kMatmul.program(), Error(ErrorCode::engine, text)).what(),
            "engine: out of memory: matmul_v2, output 'linear_0.tmp_0': Failed");
  CHECK_HAS(error_with_op_location(kMatmul.program(), Error(ErrorCode::input, text)).what(), text);
}

TEST("error location: known messages are translated") {
  CHECK_HAS(said("linear_0.tmp_0",
                 "Attempting to broadcast an axis by a dimension other than 1. 3 by 5\n"),
            "'linear_0.tmp_0': sizes 3 and 5 do not broadcast (Attempting to broadcast an axis by "
            "a dimension other than "
            "1. 3 by 5)\n");
  CHECK_HAS(said("linear_0.tmp_0", "Axis. Input shape:{2,3}, requested shape:{-1,143}"),
            ": Axis. Input shape:{2,3}");
  CHECK_HAS(said("linear_0.tmp_0",
                 "The input tensor cannot be reshaped to the requested shape. Input shape:{2,3}, "
                 "requested shape:{-1,143}"),
            "'linear_0.tmp_0': [2,3] cannot be reshaped to [-1,143] (The input");
  CHECK_HAS(said("linear_0.tmp_0",
                 "The input tensor cannot be reshaped to the requested shape. Input shape:{2,3"),
            "'linear_0.tmp_0': The input tensor");
}

namespace {

// scale and while write `acc`; so do, in the loop's block, elementwise_add and (as `t`) relu.
Program loop() {
  Program p;
  p.name = "loop.pdmodel";
  p.blocks.resize(2);
  std::map<std::string, Attr, std::less<>> block{{"sub_block", {AttrType::BLOCK, std::int64_t{1}}}};
  p.blocks[0].ops = {{"scale", {}, {{"Out", {"acc"}}}, {}, ""},
                     {"while", {}, {{"Out", {"acc"}}}, block, ""}};
  p.blocks[1].ops = {{"relu", {}, {{"Out", {"t"}}}, {}, ""},
                     {"elementwise_add", {}, {{"Out", {"acc"}}}, {}, ""}};
  return p;
}

std::string said_of(const Program& program, const std::string& message) {
  return error_with_op_location(program, Error(ErrorCode::engine, "engine: " + message)).what();
}

std::string node(const std::string& kind, const std::string& name) {
  return "Non-zero status code returned while running " + kind + " node. Name:'" + name +
         "' Status Message: ";
}

}  // namespace

TEST("error location: an op inside a loop") {
  Program program = loop();
  CHECK_EQ(said_of(program, node("Loop", "acc/Loop") + node("Relu", "t") + "no"),
           "engine: relu, output 't': no");
  CHECK_EQ(said_of(program, node("Loop", "acc/Loop") + node("Add", "acc.2") + "no"),
           "engine: elementwise_add, output 'acc': no");
  CHECK_EQ(said_of(program, node("Loop", "acc/Loop") + node("Add", "Transpose_token_1") + "no"),
           "engine: while, output 'acc': no");
  CHECK_EQ(said_of(program, node("Mul", "acc.1") + "no"), "engine: scale, output 'acc': no");
}

TEST("error location: a convolution with fused ops") {
  Program program;
  program.name = "conv.pdmodel";
  program.blocks.resize(1);
  program.blocks[0].ops = {
      {"conv2d", {{"Input", {"x"}}}, {{"Output", {"c"}}}, {}, ""},
      {"elementwise_add", {{"X", {"c"}}, {"Y", {"b"}}}, {{"Out", {"s"}}}, {}, ""},
      {"relu", {{"X", {"s"}}}, {{"Out", {"y"}}}, {}, ""},
      {"unfold", {{"X", {"y"}}}, {{"Y", {"u"}}}, {}, ""}};
  CHECK_EQ(said_of(program, node("Conv", "y_nchwc") + "no"), "engine: conv2d, output 'c': no");
  CHECK_EQ(said_of(program, node("FusedConv", "fused y") + "no"), "engine: conv2d, output 'c': no");
  CHECK_EQ(said_of(program, node("Relu", "y") + "no"), "engine: relu, output 'y': no");
  CHECK_EQ(said_of(program, node("Conv", "u") + "no"), "engine: unfold, output 'u': no");
}
