// Damaged files: every input yields a result or an Error.  Run under sanitizers.
#include "fuzz.h"

#include "base/blake2b_digest.h"
#include "base/json.h"
#include "convert/graph_builder.h"
#include "fixtures.h"
#include "paddle/params.h"
#include "paddle/program_parser.h"
#include "runner/npz.h"
#include "runtime/cache_entry_manifest.h"
#include "runtime/guards.h"
#include "runtime/model_impl.h"
#include "runtime/named_dimensions.h"

using namespace oarlock;

namespace {

constexpr int kRounds = 5000;

/// The number of damaged files that were rejected.
template <class F>
int rejected(const std::string& good, F&& read) {
  return fuzz::rejected(kRounds, [&](fuzz::Dice& dice) { read(fuzz::damaged(good, dice)); });
}

void read_and_lower(const std::string& bytes, const std::string& weights) {
  Program program = parse_upgrade_and_validate_program(bytes, "m.pdmodel");
  Params params(weights, program, "m.pdiparams");
  onnx::to_bytes(lower_program(program, params, {}));
}

// Includes guard checks: their expected values come from the file.
void judge_by(const std::string& bytes) {
  Program program = parse_upgrade_and_validate_program(bytes, "m.pdmodel");
  Guards guards(program);
  Tensor x(DType::float32, {2, 4}), inner(DType::float32, {3}), shape(DType::int64, {2});
  TensorView view = x;
  guards.check_input_shapes(std::span(&view, 1));
  std::vector<TensorSpec> specs = input_specs(program);
  std::vector<TensorView> views;
  for (TensorSpec& spec : specs) {
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
      if (has_dim_name(spec, axis)) spec.shape[axis] = next_allowed_size(*spec.ranges[axis], 2);
    views.emplace_back(spec.dtype, spec.shape, nullptr);
  }
  NamedDimensions(specs).check(views);
  tensorrt_shape_profile_options(input_specs(program));
  for (std::size_t i = 0; i < guards.fetch_names().size(); ++i)
    guards.check_fetched_value(i, program.contract->guards[i].kind == "value" ? inner : shape);
}

Contract guarded() {
  Contract c =
      mlp_contract({{"dim", "x", 0, "2", "shape[0]", "a.py:1", "x"},
                    {"value", "relu_0.tmp_0", 0, "[0.0, nan, -1.5e3]", "numpy()", "", ""},
                    {"value", "relu_0.tmp_0", 0, "fnv1a64:0123456789abcdef", "numpy()", "", ""},
                    {"rank", "relu_0.tmp_0", 0, "2", "ndim", "", ""}});
  c.version = kContractVersionWithDims;
  c.inputs[0].named_dims = {{0, "batch", {1, 64, 1}}};
  return c;
}

}  // namespace

TEST("fuzz program: as far as ONNX") {
  for (const char* name : {"mlp", "conv", "control"}) {
    std::string weights = bytes_of(std::string(name) + ".pdiparams");
    std::string good = bytes_of(std::string(name) + ".pdmodel");
    if (name == std::string("mlp")) good += contract_field(guarded());
    CHECK(rejected(good, [&](const std::string& bytes) { read_and_lower(bytes, weights); }) > 0);
  }
}

TEST("fuzz params: weights") {
  std::string good = bytes_of("types.pdiparams");
  Program program = parse_upgrade_and_validate_program(bytes_of("types.pdmodel"), "types.pdmodel");
  CHECK(rejected(good, [&](const std::string& bytes) {
          Params(bytes, program, "types.pdiparams");
        }) > kRounds / 10);
}

TEST("fuzz contract: names, guards and what they expect") {
  std::string model = bytes_of("mlp.pdmodel"), good = contract_field(guarded());
  CHECK(rejected(good, [&](const std::string& bytes) { judge_by(model + bytes); }) > kRounds / 10);
}

TEST("fuzz npz: arrays") {
  std::string good = bytes_of("control.in.npz");
  CHECK(rejected(good, [&](const std::string& bytes) { parse_npz(bytes, "in.npz"); }) >
        kRounds / 10);
}

TEST("fuzz npz: compressed data") {
  std::string good("\x4b\x4c\x4a\x4e\x49\x4d\x4b\x4c\x4a\x06\x00", 11);
  std::string dynamic("\x05\xc1\x81\x00\x00\x00\x00\x00\x10\xff\xd5\x08\x00\x00\x00\x00", 16);
  for (const std::string& stream : {good, dynamic})
    CHECK(rejected(stream, [&](const std::string& bytes) { inflate(bytes, 9, "x"); }) >
          kRounds / 10);
}

TEST("fuzz json: text") {
  std::string good =
      R"([{"name": "a_kernel_time", "dur": 12, "args": {"op_name": "Conv", "x": [1, -2.5e3, true, null, "\u0041\n"]}}])";
  CHECK(rejected(good, [&](const std::string& bytes) { JsonDocument(bytes, "x.json"); }) >
        kRounds / 10);
}

TEST("fuzz json: the manifest of a cache entry") {
  std::string key = blake2b_hex_digest("key");
  FileRecord weights{key + "-a.weights", blake2b_hex_digest("w"), {1, 2, 3, 4}};
  std::string good = format_manifest({key + "-a", blake2b_hex_digest("g"), weights, weights}, key);
  rejected(good,
           [&](const std::string& bytes) { CHECK(bytes == good || !parse_manifest(bytes, key)); });
}
