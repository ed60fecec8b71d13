// Damaged files: whatever is done to the bytes, the answer is a result or an Error.  The sanitizers watch.
#include <cstdlib>
#include <random>

#include "check.h"
#include "cli/npz.h"
#include "fixtures.h"
#include "lower/graph.h"
#include "read/json.h"
#include "read/params.h"
#include "read/parse.h"
#include "run/cache_manifest.h"
#include "run/digest.h"

using namespace oarlock;

namespace {

// Per file.  OARLOCK_FUZZ_ROUNDS asks for more: 30000 have been run without a finding.
const int kRounds = std::getenv("OARLOCK_FUZZ_ROUNDS") ? std::atoi(std::getenv("OARLOCK_FUZZ_ROUNDS")) : 5000;

std::string damaged(const std::string& good, std::mt19937& random) {
  std::string bytes = good;
  auto pick = [&](std::size_t below) { return below ? random() % below : 0; };
  for (std::size_t times = 1 + pick(4); times-- > 0 && !bytes.empty();) {
    std::size_t at = pick(bytes.size());
    switch (pick(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << pick(8));
        break;
      case 2:
        bytes.erase(at, 1 + pick(8));
        break;
      case 3:
        bytes.insert(at, 1 + pick(8), static_cast<char>(random()));
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes[at] = "\x00\x01\x7f\x80\xff"[pick(5)];
    }
  }
  return bytes;
}

/// How many of the damaged files were refused.
template <class F>
int refused(const std::string& good, int rounds, F&& read) {
  std::mt19937 random(20741);
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    std::string bytes = damaged(good, random);
    try {
      read(bytes);
    } catch (const Error&) {
      ++count;
    }
  }
  return count;
}

void read_and_lower(const std::string& bytes, const std::string& weights) {
  Program program = read_program(bytes, "m.pdmodel");
  Params params(weights, program, "m.pdiparams");
  onnx::to_bytes(lower(program, params, {}));
}

}  // namespace

TEST("fuzz: programs, as far as ONNX") {
  for (const char* name : {"mlp", "conv", "control"}) {
    std::string weights = bytes_of(std::string(name) + ".pdiparams");
    std::string good = bytes_of(std::string(name) + ".pdmodel");
    if (name == std::string("mlp"))
      good += contract_field(mlp_contract({{"dim", "x", 0, "2", "shape[0]", "a.py:1", "x"}}));
    CHECK(refused(good, kRounds, [&](const std::string& bytes) { read_and_lower(bytes, weights); }) > 0);
  }
}

TEST("fuzz: weights") {
  std::string good = bytes_of("types.pdiparams");
  Program program = read_program(bytes_of("types.pdmodel"), "types.pdmodel");
  CHECK(refused(good, kRounds, [&](const std::string& bytes) { Params(bytes, program, "types.pdiparams"); }) >
        kRounds / 10);
}

TEST("fuzz: arrays") {
  std::string good = bytes_of("control.in.npz");
  CHECK(refused(good, kRounds, [&](const std::string& bytes) { parse_npz(bytes, "in.npz"); }) > kRounds / 10);
}

TEST("fuzz: compressed data") {
  std::string good("\x4b\x4c\x4a\x4e\x49\x4d\x4b\x4c\x4a\x06\x00", 11);
  std::string dynamic("\x05\xc1\x81\x00\x00\x00\x00\x00\x10\xff\xd5\x08\x00\x00\x00\x00", 16);
  for (const std::string& stream : {good, dynamic})
    CHECK(refused(stream, kRounds, [&](const std::string& bytes) { inflate(bytes, 9, "x"); }) > kRounds / 10);
}

TEST("fuzz: JSON") {
  std::string good =
      R"([{"name": "a_kernel_time", "dur": 12, "args": {"op_name": "Conv", "x": [1, -2.5e3, true, null, "\u0041\n"]}}])";
  CHECK(refused(good, kRounds, [&](const std::string& bytes) { parse_json(bytes, "x.json"); }) > kRounds / 10);
}

TEST("fuzz: the manifest of a kept graph") {
  std::string key = digest_of("key");
  KnownFile weights{key + "-a.weights", digest_of("w"), {1, 2, 3, 4}};
  std::string good = to_text({key + "-a", digest_of("g"), weights, weights}, key);
  std::mt19937 random(20741);
  for (int i = 0; i < kRounds; ++i) {
    std::string bytes = damaged(good, random);
    CHECK(bytes == good || !parse_manifest(bytes, key));
  }
}
