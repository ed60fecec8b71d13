// use_cpp PREFIX: run the model on ones, every unknown dim being 2; print the
// sum of each output.
#include <oarlock/oarlock.h>

#include <cstdio>
#include <numeric>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  oarlock::Session session(oarlock::Model::open(argv[1]));
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<std::vector<float>> data;
  std::vector<oarlock::TensorView> inputs;
  for (const oarlock::TensorSpec& spec : session.inputs()) {
    auto& shape = shapes.emplace_back(spec.shape);
    for (auto& d : shape) d = d < 0 ? 2 : d;
    auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    data.emplace_back(static_cast<std::size_t>(count), 1.0f);
  }
  for (std::size_t i = 0; i < data.size(); ++i)
    inputs.emplace_back(std::span<const float>(data[i]), shapes[i]);
  for (const oarlock::Tensor& result : session.run(inputs)) {
    auto values = result.values<float>();
    std::printf("%.6f\n", std::accumulate(values.begin(), values.end(), 0.0));
  }
  return 0;
} catch (const oarlock::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
