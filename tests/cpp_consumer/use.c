/* use_c PREFIX: the same as use_cpp, in C. */
#include <oarlock/oarlock_c.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(oarlock_error* error) {
  if (!error) return 0;
  fprintf(stderr, "%s: %s\n", oarlock_error_kind(error), oarlock_error_message(error));
  oarlock_error_free(error);
  return 1;
}

static size_t count_of(size_t rank, const int64_t* shape) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)shape[i];
  return count;
}

/* One float32 tensor of ones with the shape of `spec`; leaks on purpose, the
 * program ends soon. */
static oarlock_tensor ones(oarlock_spec spec) {
  int64_t* shape = malloc(sizeof *shape * (spec.rank + 1));
  for (size_t i = 0; i < spec.rank; ++i) shape[i] = spec.shape[i] < 0 ? 2 : spec.shape[i];
  size_t count = count_of(spec.rank, shape);
  float* data = malloc(sizeof *data * (count + 1));
  for (size_t i = 0; i < count; ++i) data[i] = 1.0f;
  oarlock_tensor tensor = {spec.name, spec.dtype, spec.rank, shape, data, OARLOCK_CPU, 0};
  return tensor;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  oarlock_options* options = NULL;
  oarlock_session* session = NULL;
  oarlock_results* results = NULL;
  if (failed(oarlock_options_new(&options)) || failed(oarlock_options_set(options, "threads", "1")))
    return 1;
  if (failed(oarlock_session_open(argv[1], NULL, options, &session))) return 1;
  size_t count = oarlock_session_input_count(session);
  oarlock_tensor* inputs = calloc(count + 1, sizeof *inputs);
  for (size_t i = 0; i < count; ++i) inputs[i] = ones(oarlock_session_input(session, i));
  if (failed(oarlock_run(session, inputs, count, &results))) return 1;
  for (size_t i = 0; i < oarlock_results_count(results); ++i) {
    oarlock_tensor t = oarlock_results_get(results, i);
    double sum = 0;
    for (size_t k = 0; k < count_of(t.rank, t.shape); ++k) sum += ((const float*)t.data)[k];
    printf("%.6f\n", sum);
  }
  oarlock_results_free(results);
  oarlock_session_free(session);
  oarlock_options_free(options);
  return 0;
}
