// Named dimensions: checks of a call, names in ONNX, synthetic sizes, TensorRT's profile.
#include "runtime/named_dimensions.h"

#include "check.h"
#include "convert/graph_builder.h"
#include "fixtures.h"
#include "paddle/params.h"
#include "paddle/program_parser.h"
#include "runtime/synthetic_inputs.h"

using namespace oarlock;

namespace {

constexpr std::int64_t kLimit = 2147483647;

std::vector<TensorSpec> image_and_scale() {
  return {{"x",
           DType::float32,
           {-1, 3, -1},
           {"batch", "", "h"},
           "",
           "",
           {DimRange{1, 8, 1}, std::nullopt, DimRange{32, 1280, 32}}},
          {"scale",
           DType::float32,
           {-1, -1},
           {"batch", "scale.1"},
           "",
           "",
           {DimRange{1, 8, 1}, std::nullopt}}};
}

std::string problem_of(std::vector<std::int64_t> x, std::vector<std::int64_t> scale) {
  TensorView views[] = {{DType::float32, x, nullptr}, {DType::float32, scale, nullptr}};
  return check::error_of([&] { NamedDimensions(image_and_scale()).check(views); });
}

Contract with_batch(DimRange range) {
  Contract c = mlp_contract();
  c.version = kContractVersionWithDims;
  c.inputs[0].named_dims = {{0, "batch", range}};
  return c;
}

}  // namespace

TEST("dims: the sizes of a call") {
  CHECK_EQ(problem_of({1, 3, 32}, {1, 5}), "");
  CHECK_EQ(problem_of({8, 3, 1280}, {8, 0}), "");
  CHECK_EQ(problem_of({1, 3, 30}, {1, 5}),
           "run: input 'x': dimension 2 ('h') is 30; it must be a multiple of 32 from 32 to 1280 "
           "(x=float32[1,3,30])");
  CHECK_HAS(problem_of({1, 3, 1312}, {1, 5}), "is 1312; it must be a multiple of 32");
  CHECK_HAS(problem_of({0, 3, 32}, {0, 5}), "dimension 0 ('batch') is 0; it must be from 1 to 8");
  CHECK_EQ(problem_of({2, 3, 32}, {3, 5}),
           "run: input 'scale': dimension 0 ('batch') is 3, but dimension 0 of input 'x' is 2; "
           "they must be equal (x=float32[2,3,32], scale=float32[3,5])");
}

TEST("dims: one name twice in an input, without a range") {
  std::vector<TensorSpec> specs{
      {"m", DType::float32, {-1, -1}, {"n", "n"}, "", "", {DimRange{}, DimRange{}}}};
  NamedDimensions dims(specs);
  std::vector<std::int64_t> square{0, 0}, other{2, 3};
  TensorView view{DType::float32, square, nullptr}, wrong{DType::float32, other, nullptr};
  dims.check(std::span(&view, 1));
  CHECK_ERROR(
      "input 'm': dimension 1 ('n') is 3, but dimension 0 of input 'm' is 2; they must be equal "
      "(m=float32[2,3])",
      dims.check(std::span(&wrong, 1)));
}

TEST("dims: the next allowed size") {
  CHECK_EQ(next_allowed_size({1, 8, 1}, 3), 3);
  CHECK_EQ(next_allowed_size({1, 8, 1}, 9), 8);
  CHECK_EQ(next_allowed_size({30, 100, 32}, 1), 32);
  CHECK_EQ(next_allowed_size({30, 100, 32}, 64), 64);
  CHECK_EQ(next_allowed_size({30, 100, 32}, 65), 96);
  CHECK_EQ(next_allowed_size({30, 100, 32}, 97), 96);
  CHECK_EQ(next_allowed_size({0, 0, 1}, 0), 0);
  CHECK_EQ(next_allowed_size({kLimit, 0, kLimit}, 1), kLimit);
}

TEST("dims: synthetic inputs have allowed and equal sizes") {
  std::vector<TensorSpec> specs = image_and_scale();
  NamedDimensions dims(specs);
  for (const SyntheticInputOptions& options : synthetic_input_options_to_try())
    for (std::int64_t batch : {0, 5}) {
      Shapes shapes;
      if (batch) shapes["scale"] = {batch, 2};
      std::vector<Tensor> made = synthetic_inputs(specs, {}, shapes, options);
      std::vector<TensorView> views(made.begin(), made.end());
      dims.check(views);
      CHECK_EQ(made[0].shape()[0], batch ? batch : 1);
    }
}

TEST("dims: TensorRT's profile") {
  std::vector<TensorSpec> specs = image_and_scale();
  CHECK(tensorrt_shape_profile_options(specs).empty());  // scale.1 has no maximum
  specs[1].ranges[1] = DimRange{2, 2, 1};
  specs.push_back({"fixed", DType::float32, {2}, {""}, ""});
  StringMap profile = tensorrt_shape_profile_options(specs);
  CHECK_EQ(profile["trt_profile_min_shapes"], "x:1x3x32,scale:1x2");
  CHECK_EQ(profile["trt_profile_opt_shapes"], "x:4x3x672,scale:4x2");
  CHECK_EQ(profile["trt_profile_max_shapes"], "x:8x3x1280,scale:8x2");
  specs[0].name = "a,b";
  CHECK(tensorrt_shape_profile_options(specs).empty());
  CHECK(tensorrt_shape_profile_options({}).empty());
}

TEST("dims: names and ranges in ONNX") {
  Program p = parse_upgrade_and_validate_program(
      bytes_of("mlp.pdmodel") + contract_field(with_batch({1, 0, 4})), "mlp.pdmodel");
  std::string weights = bytes_of("mlp.pdiparams");
  Params params(weights, p, "mlp.pdiparams");
  onnx::Model model = lower_program(p, params, {});
  CHECK(model.graph.inputs[0].symbols == (Strings{"batch", ""}));
  CHECK_EQ(model.metadata.back().first, "oarlock.dims");
  CHECK_EQ(model.metadata.back().second,
           "{\"batch\": {\"min\": 1, \"max\": null, \"multiple\": 4}}");
}

TEST("dims: a session checks them") {
  std::string bytes = bytes_of("mlp.pdmodel") + contract_field(with_batch({2, 6, 2}));
  Model model = Model::from_bytes(bytes, fixture("mlp.pdiparams"));
  CHECK(model.inputs()[0].symbols == (Strings{"batch", ""}));
  CHECK(model.inputs()[0].ranges[0] == (DimRange{2, 6, 2}));
  Session session(model);
  for (std::int64_t rows : {2, 6}) {
    Tensor x(DType::float32, {rows, 4});
    TensorView view = x;
    CHECK_EQ(session.run(std::span(&view, 1))[0].shape()[0], rows);
  }
  Tensor odd(DType::float32, {3, 4});
  TensorView view = odd;
  CHECK_ERROR("input 'x': dimension 0 ('batch') is 3; it must be a multiple of 2 from 2 to 6",
              session.run(std::span(&view, 1)));
}
