#include "runtime/guards.h"

#include <cmath>

#include "check.h"
#include "fixtures.h"
#include "oarlock/session.h"
#include "runtime/violated_guard_finder.h"

using namespace oarlock;

namespace {

std::vector<Tensor> run_mlp(const Contract& contract, std::vector<std::int64_t> shape = {2, 4},
                            float value = 1) {
  std::string bytes = bytes_of("mlp.pdmodel") + contract_field(contract);
  Session session(Model::from_bytes(bytes, fixture("mlp.pdiparams"), "mlp.pdmodel"));
  Tensor x(DType::float32, shape);
  for (std::size_t i = 0; i < x.size(); ++i) static_cast<float*>(x.data())[i] = value;
  TensorView view = x;
  return session.run(std::span(&view, 1));
}

std::string rejected(const Guard& guard, std::vector<std::int64_t> shape = {2, 4}) {
  return check::error_of([&] { run_mlp(mlp_contract({guard}), shape); });
}

}  // namespace

TEST("guards: comparison with Python reprs") {
  CHECK(matches_expected(3, "3") && !matches_expected(4, "3") && matches_expected(-2, "-2"));
  CHECK(matches_expected(3.7, "3"));  // int(x) truncates
  CHECK(matches_expected(0.1f, "0.1") && !matches_expected(0.2, "0.1"));
  CHECK(matches_expected(1, "True") && matches_expected(0, "False") &&
        !matches_expected(0, "True") && matches_expected(7, "True"));
  CHECK(matches_expected(NAN, "nan") && matches_expected(INFINITY, "inf") &&
        !matches_expected(1, "inf"));
  CHECK(!matches_expected(1, "") && !matches_expected(1, "one"));
}

TEST("guards: dims and ranks of inputs are checked before the run") {
  Guard dim{"dim", "x", 0, "2", "shape[0]", "net.py:7 in forward", "if x.shape[0] == 2:"};
  CHECK_EQ(rejected(dim), "");
  CHECK_EQ(rejected(dim, {3, 4}),
           "mlp.pdmodel: x.shape[0] is 3, the trace assumed 2 (read by shape[0])\n  at net.py:7 in "
           "forward: if "
           "x.shape[0] == 2:");
  CHECK_HAS(rejected({"rank", "x", 0, "3", "ndim", "", ""}),
            "the rank of x is 2, the trace assumed 3");
}

TEST("guards: shapes and values of inner variables are fetched and checked") {
  CHECK_EQ(rejected({"dim", "relu_0.tmp_0", 1, "8", "shape[1]", "", ""}), "");
  CHECK_HAS(rejected({"dim", "relu_0.tmp_0", 0, "2", "shape[0]", "", ""}, {5, 4}),
            "relu_0.tmp_0.shape[0] is 5, the trace assumed 2");
  CHECK_HAS(rejected({"value", "relu_0.tmp_0", 0, "True", "bool()", "", ""}),
            "relu_0.tmp_0 is 16 values");
}

TEST("guards: the outputs are the model's own, by the contract's names") {
  auto results = run_mlp(mlp_contract({{"rank", "relu_0.tmp_0", 0, "2", "ndim", "", ""}}));
  CHECK_EQ(results.size(), std::size_t{2});
  CHECK(results[1].shape() == (std::vector<std::int64_t>{2, 8}));
}

namespace {

/// Guards on 40 values of a chain of 40 ops: 10 on each tenth op's output, which must be [8].
struct Chain {
  Program program;
  Guards guards;
  ViolatedGuardFinder locator;
  int sessions = 0;

  Chain() : program(make()), guards(program) {}

  static Program make() {
    Program made;
    made.name = "chain";
    made.blocks.resize(1);
    made.contract.emplace();
    for (int i = 0; i < 40; ++i) {
      OpDesc op;
      op.type = "relu";
      op.outputs["Out"] = {"v" + std::to_string(i)};
      made.blocks[0].ops.push_back(op);
      made.contract->guards.push_back({"dim", "v" + std::to_string(i), 0, "8", "shape[0]", "", ""});
    }
    return made;
  }

  /// The guard reported as violated when op `failed` is reported as failed, op `really_failed`
  /// fails, and outputs from op `wrong` on have the shape [5].
  std::string located(std::size_t failed, std::size_t really_failed, std::size_t wrong) {
    auto create = [&](const Strings&) {
      ++sessions;
      return ort::SessionHandle();
    };
    auto run = [&](ort::Session*, Names outputs) {
      std::vector<Tensor> values;
      for (const char* name : outputs) {
        std::size_t index = std::stoul(std::string(name).substr(std::string("guard.").size()));
        if (index >= really_failed) throw Error(ErrorCode::engine, "failed");
        Tensor shape(DType::int64, {1});
        *static_cast<std::int64_t*>(shape.data()) = index >= wrong ? 5 : 8;
        values.push_back(std::move(shape));
      }
      return values;
    };
    return check::error_of([&] { locator.locate(guards, failed, create, run); });
  }
};

}  // namespace

TEST("guards: after a failed run the violated guard is located once, at a bounded cost") {
  Chain chain;
  for (int turn = 0; turn < 3; ++turn)
    CHECK_HAS(chain.located(20, 20, 7), "v7.shape[0] is 5, the trace assumed 8");
  CHECK_EQ(chain.sessions, 1);
  CHECK_EQ(chain.located(20, 20, 40), "");  // no guard is violated
  CHECK_EQ(chain.sessions, 1);
  CHECK_HAS(chain.located(40, 12, 7),
            "v7.shape[0] is 5");  // fused: tried with 40, 20 and then 10 guards
  CHECK_EQ(chain.sessions, 3);
  CHECK_EQ(chain.located(0, 0, 0), "");  // no guard comes before the first op
  for (std::size_t failed = 1; failed < 40; ++failed) chain.located(failed, failed, 0);
  CHECK_EQ(chain.sessions, static_cast<int>(ViolatedGuardFinder::kMaxSessions));
}
