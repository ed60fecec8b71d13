#include <string>

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
  oarlock_tensor x{"x", OARLOCK_FLOAT32, 2, shape, data};
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
    oarlock_tensor x{nullptr, OARLOCK_FLOAT32, rank, shape, memory};
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
  oarlock_tensor x{"x", OARLOCK_FLOAT32, 2, shape, data};
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
