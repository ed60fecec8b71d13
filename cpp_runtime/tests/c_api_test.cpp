#include <algorithm>
#include <string>
#include <vector>

#include "check.h"
#include "fixtures.h"
#include "oarlock/oarlock_c.h"

using oarlock::fixture;

namespace {

std::string text_of(oarlock_error* error) {
  std::string text =
      error ? std::string(oarlock_error_kind(error)) + ": " + oarlock_error_message(error) : "";
  oarlock_error_free(error);
  return text;
}

}  // namespace

TEST("c: open, run, free") {
  oarlock_options* options = nullptr;
  CHECK_EQ(text_of(oarlock_options_new(&options)), "");
  CHECK_EQ(text_of(oarlock_options_set(options, "threads", "1")), "");
  CHECK_EQ(text_of(oarlock_options_set(options, "threads", "some")),
           "input: options: 'threads' cannot be 'some'");
  CHECK_EQ(text_of(oarlock_options_set(options, "colour", "red")),
           "input: options: there is no 'colour'");
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, options, &session)), "");
  oarlock_options_free(options);
  CHECK_EQ(oarlock_session_input_count(session), std::size_t{1});
  CHECK_EQ(std::string(oarlock_session_input(session, 0).name), "x");
  float data[4] = {1, 2, 3, 4};
  std::int64_t shape[] = {1, 4};
  oarlock_tensor x{"x", OARLOCK_FLOAT32, 2, shape, data, OARLOCK_CPU, 0};
  oarlock_results* results = nullptr;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)), "");
  CHECK_EQ(oarlock_results_count(results), oarlock_session_output_count(session));
  oarlock_tensor y = oarlock_results_get(results, 0);
  CHECK_EQ(y.rank, std::size_t{2});
  CHECK_EQ(y.shape[1], 3);
  oarlock_results_free(results);
  x.dtype = OARLOCK_INT32;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)),
           "input: run: input 'x' is int32[1,4], the model requires float32[?,4]");
  CHECK(!results);  // not the freed results of the previous run
  x.dtype = 99;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)),
           "input: run: input 'x' has the unknown dtype 99, the model requires float32[?,4]");
  x.dtype = OARLOCK_FLOAT32;
  shape[0] = -1;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)),
           "input: run: input 'x': dimension 0 is -1; it must be at least 0");
  oarlock_session_free(session);
}

TEST("c: exceptions do not leave the API") {
  oarlock_session* session = nullptr;
  CHECK_HAS(text_of(oarlock_session_open("/no/such/model", nullptr, nullptr, &session)),
            "file: model.pdmodel: cannot be opened");
  CHECK_HAS(text_of(oarlock_session_open(nullptr, nullptr, nullptr, &session)), "is null");
  CHECK_HAS(text_of(oarlock_run(nullptr, nullptr, 0, nullptr)), "is null");
  oarlock_error_free(nullptr);
  oarlock_session_free(nullptr);
  oarlock_results_free(nullptr);
}

TEST("c: invalid handles and indices return null") {
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  CHECK(!oarlock_session_input(session, 1).name && !oarlock_session_output(session, SIZE_MAX).name);
  CHECK_EQ(oarlock_session_input(session, 1).rank, std::size_t{0});
  oarlock_session_free(session);
  CHECK(oarlock_session_input_count(nullptr) == 0 && oarlock_session_output_count(nullptr) == 0);
  CHECK(!oarlock_session_input(nullptr, 0).name && !oarlock_session_output(nullptr, 0).name);
  CHECK(oarlock_results_count(nullptr) == 0 && !oarlock_results_get(nullptr, 0).name);
}

TEST("c: inputs without data, and sizes that overflow") {
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  float data[4] = {1, 2, 3, 4};
  oarlock_results* results = nullptr;
  auto answer = [&](std::size_t rank, const std::int64_t* shape, const void* memory) {
    oarlock_tensor x{nullptr, OARLOCK_FLOAT32, rank, shape, memory, OARLOCK_CPU, 0};
    return text_of(oarlock_run(session, &x, 1, &results));
  };
  std::int64_t rows[] = {100000, 4}, none[] = {0, 4}, wrapped[] = {std::int64_t{1} << 60, 4};
  CHECK_EQ(answer(2, rows, nullptr), "input: run: input 'x' is float32[100000,4] without data");
  CHECK_HAS(answer(2, wrapped, data), "more than fits into memory");
  CHECK_HAS(answer(std::size_t{1} << 40, rows, data), "axes");
  CHECK_HAS(answer(2, nullptr, data), "is null");
  CHECK_EQ(answer(2, none, nullptr), "");
  oarlock_results_free(results);
  oarlock_session_free(session);
}

TEST("c: results outlive their session") {
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  float data[4] = {1, 2, 3, 4};
  std::int64_t shape[] = {1, 4};
  oarlock_tensor x{"x", OARLOCK_FLOAT32, 2, shape, data, OARLOCK_CPU, 0};
  oarlock_results* results = nullptr;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)), "");
  std::string name = oarlock_session_output(session, 0).name;
  oarlock_session_free(session);
  oarlock_tensor y = oarlock_results_get(results, 0);
  CHECK_EQ(std::string(y.name), name);
  CHECK(static_cast<const float*>(y.data)[0] >= 0);
  CHECK(!oarlock_results_get(results, oarlock_results_count(results)).name);
  oarlock_results_free(results);
}

TEST("c: bound runs, outputs in given memory, and error codes") {
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  float data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, first[6] = {}, second[16] = {};
  std::int64_t x_shape[] = {2, 4}, first_shape[] = {2, 3}, second_shape[] = {2, 8};
  oarlock_tensor x{"x", OARLOCK_FLOAT32, 2, x_shape, data, OARLOCK_CPU, 0};
  oarlock_results* results = nullptr;
  CHECK_EQ(text_of(oarlock_run(session, &x, 1, &results)), "");
  const auto* wanted = static_cast<const float*>(oarlock_results_get(results, 0).data);

  oarlock_tensor outputs[] = {
      {nullptr, OARLOCK_FLOAT32, 2, first_shape, first, OARLOCK_CPU, 0},
      {nullptr, OARLOCK_FLOAT32, 2, second_shape, second, OARLOCK_CPU, 0},
  };
  CHECK_EQ(text_of(oarlock_run_into(session, &x, 1, outputs, 2)), "");
  CHECK(std::equal(first, first + 6, wanted));
  outputs[0].name = oarlock_session_output(session, 0).name;
  CHECK_EQ(text_of(oarlock_run_into(session, &x, 1, outputs, 2)), "");
  outputs[0].name = oarlock_session_output(session, 1).name;
  CHECK_HAS(text_of(oarlock_run_into(session, &x, 1, outputs, 2)),
            "oarlock_run_into: output 0 is '");

  oarlock_io_binding* binding = nullptr;
  CHECK_EQ(text_of(oarlock_io_binding_new(session, &binding)), "");
  CHECK(!oarlock_io_binding_output(binding, 0).name);  // before the first run
  CHECK_EQ(text_of(oarlock_io_binding_bind_input(binding, &x)), "");
  float bound[6] = {};
  outputs[0].name = oarlock_session_output(session, 0).name;
  outputs[0].data = bound;
  outputs[1].name = oarlock_session_output(session, 1).name;
  outputs[1].data = nullptr;  // allocated by the run
  for (const oarlock_tensor& output : outputs)
    CHECK_EQ(text_of(oarlock_io_binding_bind_output(binding, &output)), "");
  oarlock_session_free(session);  // the binding keeps what it needs
  CHECK_EQ(text_of(oarlock_io_binding_run(binding)), "");
  CHECK(std::equal(bound, bound + 6, wanted));
  oarlock_tensor allocated = oarlock_io_binding_output(binding, 1);
  CHECK(std::equal(second, second + 16, static_cast<const float*>(allocated.data)));
  CHECK(!oarlock_io_binding_output(binding, 2).name && !oarlock_io_binding_output(nullptr, 0).name);

  x.device = 7;
  oarlock_error* error = oarlock_io_binding_bind_input(binding, &x);
  CHECK_EQ(oarlock_error_code(error), std::int32_t{OARLOCK_ERROR_INPUT});
  CHECK_EQ(text_of(error), "input: run: there is no device 7");
  CHECK_EQ(oarlock_error_code(nullptr), std::int32_t{OARLOCK_OK});
  error = oarlock_session_open("/no/such/model", nullptr, nullptr, &session);
  CHECK_EQ(oarlock_error_code(error), std::int32_t{OARLOCK_ERROR_FILE});
  oarlock_error_free(error);
  CHECK_HAS(text_of(oarlock_io_binding_bind_input(nullptr, &x)), "is null");
  CHECK_HAS(text_of(oarlock_io_binding_run(nullptr)), "is null");
  oarlock_io_binding_free(nullptr);
  oarlock_io_binding_free(binding);
  oarlock_results_free(results);
}

TEST("c: a model in memory") {
  std::string program = oarlock::bytes_of("mlp.pdmodel"),
              params = oarlock::bytes_of("mlp.pdiparams");
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open_memory(program.data(), program.size(), params.data(),
                                               params.size(), nullptr, &session)),
           "");
  CHECK_EQ(oarlock_session_input_count(session), std::size_t{1});
  oarlock_session_free(session);
  CHECK_HAS(text_of(oarlock_session_open_memory(program.data(), 100, params.data(), params.size(),
                                                nullptr, &session)),
            "file: ");
  CHECK_HAS(text_of(oarlock_session_open_memory(program.data(), program.size(), nullptr, 1, nullptr,
                                                &session)),
            "is null");
}

TEST("c: the version of header and library") {
  CHECK_EQ(std::string(oarlock_version()), OARLOCK_VERSION);
  CHECK_EQ(OARLOCK_VERSION_NUMBER,
           OARLOCK_VERSION_MAJOR * 10000 + OARLOCK_VERSION_MINOR * 100 + OARLOCK_VERSION_PATCH);
}

TEST("c: messages go to the callback, from the given level on") {
  std::vector<std::string> messages;
  auto collect = [](void* context, std::int32_t level, const char* source, const char* message) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::to_string(level) + " " +
                                                               source + ": " + message);
  };
  CHECK_EQ(text_of(oarlock_set_log_callback(9, nullptr, nullptr)),
           "input: oarlock_set_log_callback: there is no level 9");
  CHECK_EQ(text_of(oarlock_set_log_callback(OARLOCK_LOG_INFO, collect, &messages)), "");
  oarlock_session* session = nullptr;
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  oarlock_session_free(session);
  CHECK_EQ(messages.at(0), "1 oarlock: mlp.pdmodel: converts the program to ONNX");
  CHECK(messages.size() > 1);
  for (const std::string& message : std::span(messages).subspan(1))
    CHECK_HAS(message, "ONNX Runtime, ");
  CHECK_EQ(text_of(oarlock_set_log_callback(OARLOCK_LOG_OFF, collect, &messages)), "");
  messages.clear();
  CHECK_EQ(text_of(oarlock_session_open(fixture("mlp").c_str(), nullptr, nullptr, &session)), "");
  oarlock_session_free(session);
  CHECK(messages.empty());
}
