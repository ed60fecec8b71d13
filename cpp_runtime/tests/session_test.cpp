// Tests with ONNX Runtime; OARLOCK_ORT_LIBRARY names the library.
#include "oarlock/session.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "check.h"
#include "fixtures.h"
#include "runner/npz.h"

using namespace oarlock;

namespace {

double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return INFINITY;
  double largest = 0;
  auto x = a.values<float>(), y = b.values<float>();
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::fabs(x[i] - y[i])));
  return largest;
}

std::vector<Tensor> run_fixture(const Session& session, const std::string& name) {
  NamedTensors in = read_npz(fixture(name + ".in.npz"));
  std::vector<NamedView> views(in.begin(), in.end());
  return session.run(views);
}

void agrees_with_paddle(const Session& session, const std::string& name) {
  auto results = run_fixture(session, name);
  NamedTensors wanted = read_npz(fixture(name + ".out.npz"));
  CHECK_EQ(results.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(largest_difference(results[i], wanted[i].second) < 1e-5);
}

Session mlp(const Options& options = {}) { return Session(Model::open(fixture("mlp")), options); }

}  // namespace

TEST("session: the numbers are Paddle's") { agrees_with_paddle(mlp(), "mlp"); }

TEST("session: names, dtypes and shapes") {
  Session session = mlp();
  CHECK_EQ(session.inputs()[0].name, "x");
  CHECK_EQ(session.inputs()[0].symbols[0], "x.0");
  CHECK_EQ(session.outputs().size(), std::size_t{2});
  CHECK(session.outputs()[1].shape == (std::vector<std::int64_t>{-1, 8}));
}

TEST("session: copied weights, and weights under another name") {
  Options copy;
  copy.copy_weights = true;
  agrees_with_paddle(mlp(copy), "mlp");
  auto folder = std::filesystem::temp_directory_path() / "oarlock session test";
  std::filesystem::create_directories(folder);
  auto moved = folder / "weights \xc3\xa9.bin";
  std::filesystem::copy_file(fixture("mlp.pdiparams"), moved,
                             std::filesystem::copy_options::overwrite_existing);
  auto link = folder / "link.pdiparams";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(fixture("mlp.pdiparams"), link);
  agrees_with_paddle(Session(Model::open(fixture("mlp.pdmodel"), moved)), "mlp");
  agrees_with_paddle(Session(Model::open(fixture("mlp.pdmodel"), link)), "mlp");
  std::filesystem::remove_all(folder);
}

TEST("session: errors of invalid inputs") {
  Session session = mlp();
  Tensor wide(DType::float64, {2, 4}), narrow(DType::float32, {2, 3}), flat(DType::float32, {4}),
      good(DType::float32, {2, 4});
  auto call = [&](std::vector<NamedView> in) { session.run(in); };
  CHECK_ERROR("run: input 'x' is float64[2,4], the model requires float32[?,4]",
              call({{"x", wide}}));
  CHECK_ERROR("run: input 'x' is float32[2,3], the model requires float32[?,4]",
              call({{"x", narrow}}));
  CHECK_ERROR("run: input 'x' is float32[4], the model requires float32[?,4]", call({{"x", flat}}));
  CHECK_ERROR("run: no input 'y' (the model has x=float32[?,4])", call({{"y", good}}));
  CHECK_ERROR("run: two inputs 'x'", call({{"x", good}, {"x", good}}));
  CHECK_ERROR("run: input 'x' is missing", call({}));
  CHECK_ERROR("0 inputs given, the model has 1", session.run(std::span<const TensorView>()));
  CHECK_ERROR("no output 'z'", std::vector<NamedView> in{{"x", good}};
              std::vector<std::string> z{"z"}; session.run(in, z));
}

TEST("session: an empty batch") {
  Tensor none(DType::float32, {0, 4});
  TensorView view = none;
  CHECK(mlp().run(std::span(&view, 1))[1].shape() == (std::vector<std::int64_t>{0, 8}));
}

TEST("session: inner variables on request") {
  Options options;
  options.outputs = {"linear_0.tmp_0"};
  Session session = mlp(options);
  CHECK_EQ(session.outputs()[2].name, "linear_0.tmp_0");
  CHECK(run_fixture(session, "mlp")[2].shape() == (std::vector<std::int64_t>{2, 8}));
  options.outputs = {"nobody"};
  CHECK_ERROR("no variable 'nobody' to fetch", mlp(options));
}

TEST("session: many threads at once") {
  Session session = mlp();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) agrees_with_paddle(session, "mlp");
    });
  for (std::thread& thread : threads) thread.join();
}

TEST("session: a result outlives its session") {
  std::vector<Tensor> results;
  {
    Session session = mlp();
    results = run_fixture(session, "mlp");
  }
  CHECK(largest_difference(results[0], read_npz(fixture("mlp.out.npz"))[0].second) < 1e-5);
}

TEST("session: a profile") {
  Options options;
  options.profile = (std::filesystem::temp_directory_path() / "oarlock_profile").string();
  Session session = mlp(options);
  run_fixture(session, "mlp");
  std::string path = session.end_profile();
  CHECK(std::filesystem::file_size(path) > 0);
  std::filesystem::remove(path);
  CHECK_EQ(session.end_profile(), "");
}

TEST("session: missing devices and libraries") {
  Options options;
  options.device = "gpu";
  CHECK_ERROR("options: device 'gpu' is not one of cpu, cuda, tensorrt", mlp(options));
  options = {};
  options.ort_library = "/no/such/library.so";
  CHECK_ERROR("ONNX Runtime was not found", mlp(options));
  CHECK_ERROR("/no/such/library.so", mlp(options));
  options = {};
  options.optimize = 7;
  CHECK_ERROR("options: optimize is 7", mlp(options));
  options = {};
  options.provider["device_type"] = "CPU";
  CHECK_ERROR("options: provider needs execution_provider, or the device cuda or tensorrt",
              mlp(options));
}

TEST("session: the error of a missing GPU") {
  auto providers = ort_library_info().providers;
  for (auto [device, provider] :
       {std::pair{"cuda", "CUDAExecutionProvider"}, {"tensorrt", "TensorrtExecutionProvider"}}) {
    Options options;
    options.device = device;
    bool built_in = std::find(providers.begin(), providers.end(), provider) != providers.end();
    std::string error = check::error_of([&] { mlp(options); });
    if (!built_in)
      CHECK_HAS(error, std::string(device) + ": ONNX Runtime " + ort_library_info().version +
                           " was built without " + provider);
  }
}

TEST("session: weights are mapped, not read") {
  std::string text;
  for (const ParameterSpec& p : Model::open(fixture("mlp")).parameters())
    text += p.name + "@" + std::to_string(p.offset) + " ";
  CHECK_EQ(text, "linear_0.b_0@24 linear_0.w_0@82 linear_1.b_0@234 linear_1.w_0@272 ");
}
