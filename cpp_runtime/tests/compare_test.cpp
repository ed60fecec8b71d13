#include "runner/compare.h"

#include <cmath>
#include <cstring>

#include "check.h"
#include "runner/profile.h"

using namespace oarlock;
using namespace oarlock::runner;

namespace {

template <class T>
Tensor of(std::vector<T> values) {
  Tensor tensor(dtype_for<T>(), {static_cast<std::int64_t>(values.size())});
  std::memcpy(tensor.data(), values.data(), tensor.byte_size());
  return tensor;
}

}  // namespace

TEST("compare: tolerance relative to the largest value") {
  CHECK(compare_tensors(of<float>({1, 100}), of<float>({1.005f, 100}), {1e-4, 0}).same);
  Comparison found = compare_tensors(of<float>({1, 100}), of<float>({1.5f, 100}), {1e-4, 0});
  CHECK(!found.same && found.max_difference == 0.5);
  CHECK_EQ(found.details, "1 of 2 differ, first [0] is 1, wanted 1.5");
  CHECK(compare_tensors(of<float>({NAN, INFINITY}), of<float>({NAN, INFINITY}), {}).same);
  CHECK(!compare_tensors(of<float>({NAN}), of<float>({0}), {1, 1}).same);
  CHECK(!compare_tensors(of<float>({INFINITY}), of<float>({-INFINITY}), {1, 1}).same);
  CHECK(!compare_tensors(of<std::int64_t>({5}), of<std::int64_t>({6}), {1, 9}).same);
}

TEST("compare: different dtypes and shapes are reported") {
  CHECK_EQ(compare_tensors(of<float>({1}), of<double>({1}), {}).details,
           "is float32[1], wanted float64[1]");
  CHECK_EQ(compare_tensors(of<float>({1}), of<float>({1, 2}), {}).details,
           "is float32[1], wanted float32[2]");
  CHECK(!compare_tensors(of<float>({1}), of<float>({1, 2}), {}).max_difference);
}

TEST("profile: time by op, without the first runs") {
  auto event = [](const char* name, const char* op, int ts, int dur) {
    return std::string("{\"name\": \"") + name + "\", \"ts\": " + std::to_string(ts) +
           ", \"dur\": " + std::to_string(dur) + ", \"args\": {\"op_name\": \"" + op + "\"}}";
  };
  std::string text =
      "[" + event("model_run", "", 0, 900) + "," + event("a_kernel_time", "Conv", 10, 800) + "," +
      event("model_run", "", 1000, 50) + "," + event("a_kernel_time", "Conv", 1010, 30) + "," +
      event("b_kernel_time", "Relu", 1020, 4) + "," + event("model_run", "", 2000, 50) + "," +
      event("b_kernel_time", "Relu", 2020, 8) + "," + event("a_kernel_time", "Conv", 2010, 10) +
      "]";
  MeanTimesPerRun table = mean_times_per_run_of_profile(text, "p.json", 1);
  CHECK_EQ(table.runs, 2);
  CHECK_EQ(table.ops[0].name, "Conv");
  CHECK(std::fabs(table.ops[0].ms - 0.02) < 1e-9 && table.ops[0].count == 1);
  CHECK_EQ(table.nodes[1].name, "b");
  CHECK(std::fabs(table.total - 0.026) < 1e-9);
  CHECK_ERROR("p.json: a profile without a run", mean_times_per_run_of_profile("[]", "p.json", 0));
  CHECK_ERROR("no JSON", mean_times_per_run_of_profile("[{", "p.json", 0));
}
