// Loads a model once, runs it in several threads, and prints the results of each thread.
// service MODEL    - MODEL is a path prefix, e.g. oarlock-demo/lenet; OARLOCK_ORT_LIBRARY is the path of
// libonnxruntime.so
#include <oarlock/oarlock.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

// The results of a request, or the error message.
struct Answer {
  std::vector<oarlock::Tensor> results;
  std::string error;
};

// Returns an input of zeros; dynamic dims are 1.
oarlock::Tensor example(const oarlock::TensorSpec& spec) {
  std::vector<std::int64_t> shape = spec.shape;
  for (auto& dim : shape)
    if (dim < 0) dim = 1;
  return oarlock::Tensor(spec.dtype, shape);
}

Answer run_request(const oarlock::Session& session) {
  try {
    std::vector<oarlock::Tensor> owned;
    for (const auto& spec : session.inputs()) owned.push_back(example(spec));
    std::vector<oarlock::NamedView> inputs;
    for (std::size_t i = 0; i < owned.size(); ++i) inputs.emplace_back(session.inputs()[i].name, owned[i]);
    return {session.run(inputs), ""};
  } catch (const oarlock::Error& error) {  // ErrorCode::input and ErrorCode::guard are caused by the input
    return {{}, std::string(name_of(error.code())) + ": " + error.what()};
  }
}

void print(const oarlock::TensorSpec& spec, const oarlock::Tensor& result) {
  std::printf("  %s: %s[", spec.name.c_str(), std::string(oarlock::name_of(result.dtype())).c_str());
  for (std::size_t i = 0; i < result.shape().size(); ++i)
    std::printf("%s%lld", i ? "," : "", static_cast<long long>(result.shape()[i]));
  std::printf("]");
  if (result.dtype() == oarlock::DType::float32)
    for (std::size_t i = 0; i < result.size() && i < 10; ++i) std::printf(" %.4f", result.values<float>()[i]);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: service MODEL\n"), 2;
  oarlock::Options options;
  options.threads = 1;  // threads of one op; the requests run concurrently
  const oarlock::Session session(oarlock::Model::open(argv[1]), options);
  std::printf("ONNX Runtime %s\n", session.library().version.c_str());

  std::vector<Answer> answers(4);
  {
    std::vector<std::jthread> workers;
    for (Answer& answer : answers) workers.emplace_back([&] { answer = run_request(session); });
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::printf("request %zu: %s\n", i, answers[i].error.empty() ? "answered" : answers[i].error.c_str());
    for (std::size_t k = 0; k < answers[i].results.size(); ++k) print(session.outputs()[k], answers[i].results[k]);
  }
  return 0;
} catch (const oarlock::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
