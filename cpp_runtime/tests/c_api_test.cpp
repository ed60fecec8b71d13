#include <string>

#include "check.h"
#include "fixtures.h"
#include "oarlock/oarlock_c.h"

using oarlock::fixture;

namespace {

std::string text_of(oarlock_error* error) {
  std::string text = error ? std::string(oarlock_error_kind(error)) + ": " + oarlock_error_message(error) : "";
  oarlock_error_free(error);
  return text;
}

}  // namespace

TEST("c: open, run, free") {
  oarlock_options* options = nullptr;
  CHECK_EQ(text_of(oarlock_options_new(&options)), "");
  CHECK_EQ(text_of(oarlock_options_set(options, "threads", "1")), "");
  CHECK_EQ(text_of(oarlock_options_set(options, "threads", "some")), "input: options: 'threads' cannot be 'some'");
  CHECK_EQ(text_of(oarlock_options_set(options, "colour", "red")), "input: options: there is no 'colour'");
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
           "input: run: input 'x' is int32[1,4], the model wants float32[?,4]");
  oarlock_session_free(session);
}

TEST("c: nothing thrown goes past the border") {
  oarlock_session* session = nullptr;
  CHECK_HAS(text_of(oarlock_session_open("/no/such/model", nullptr, nullptr, &session)),
            "file: model.pdmodel: cannot be opened");
  CHECK_HAS(text_of(oarlock_session_open(nullptr, nullptr, nullptr, &session)), "is null");
  CHECK_HAS(text_of(oarlock_run(nullptr, nullptr, 0, nullptr)), "is null");
  oarlock_error_free(nullptr);
  oarlock_session_free(nullptr);
  oarlock_results_free(nullptr);
}
