/* Oarlock for C.  Every function that can fail returns an oarlock_error*, null on success; free it
 * with oarlock_error_free.  If a function fails, it sets `*result` to null.  Handles are opaque;
 * each type of handle has its own function that frees it, which accepts null.  Several threads may
 * run one session at once. */
#ifndef OARLOCK_C_H
#define OARLOCK_C_H
#include <stddef.h>
#include <stdint.h>

#include "oarlock/version.h"

#if defined(__GNUC__)
#define OARLOCK_API __attribute__((visibility("default")))
#else
#define OARLOCK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oarlock_error oarlock_error;
typedef struct oarlock_options oarlock_options;
typedef struct oarlock_session oarlock_session;
typedef struct oarlock_results oarlock_results;
typedef struct oarlock_io_binding oarlock_io_binding;

/* The cause of an error: an invalid file, a violated guard of the trace, invalid inputs or options,
 * an op without a conversion, ONNX Runtime, a canceled run, or a full queue. */
enum {
  OARLOCK_OK = 0,
  OARLOCK_ERROR_FILE = 1,
  OARLOCK_ERROR_GUARD = 2,
  OARLOCK_ERROR_INPUT = 3,
  OARLOCK_ERROR_UNSUPPORTED = 4,
  OARLOCK_ERROR_ENGINE = 5,
  OARLOCK_ERROR_CANCELED = 6,
  OARLOCK_ERROR_BUSY = 7
};

/* Element types, numbered as in a .pdmodel. */
enum {
  OARLOCK_BOOL = 0,
  OARLOCK_INT16 = 1,
  OARLOCK_INT32 = 2,
  OARLOCK_INT64 = 3,
  OARLOCK_FLOAT16 = 4,
  OARLOCK_FLOAT32 = 5,
  OARLOCK_FLOAT64 = 6,
  OARLOCK_UINT8 = 20,
  OARLOCK_INT8 = 21,
  OARLOCK_BFLOAT16 = 22,
  OARLOCK_COMPLEX64 = 23,
  OARLOCK_COMPLEX128 = 24,
  OARLOCK_FLOAT8_E4M3FN = 32,
  OARLOCK_FLOAT8_E5M2 = 33,
  OARLOCK_UINT16 = 36,
  OARLOCK_UINT32 = 37,
  OARLOCK_UINT64 = 38
};

/* Where memory lies: on the host, on a GPU, or on the host in page-locked memory, which a GPU reads
 * and writes directly. */
enum { OARLOCK_CPU = 0, OARLOCK_CUDA = 1, OARLOCK_CUDA_PINNED = 2 };

/* A tensor in C order.  The caller owns the memory of inputs; the memory of a result is valid
 * until oarlock_results_free.  Initialize all members, for example with = {0}. */
typedef struct oarlock_tensor {
  const char* name; /* of an input: null to pass inputs by position */
  int32_t dtype;
  size_t rank;
  const int64_t* shape;
  const void* data;
  int32_t device;    /* OARLOCK_CPU, ... */
  int32_t device_id; /* index of the GPU, also for OARLOCK_CUDA_PINNED */
} oarlock_tensor;

/* An input or output of a session; valid until oarlock_session_free.  A dim of -1 is dynamic.
 * path: position in the layer's nested inputs or outputs, `out.0.logits`; "" if unknown. */
typedef struct oarlock_spec {
  const char* name;
  const char* path;
  int32_t dtype;
  size_t rank;
  const int64_t* shape;
} oarlock_spec;

OARLOCK_API const char* oarlock_error_message(const oarlock_error* error);
/* One of OARLOCK_ERROR_FILE, ...; OARLOCK_OK for null. */
OARLOCK_API int32_t oarlock_error_code(const oarlock_error* error);
/* The name of that code: "file", "guard", "input", "unsupported", "engine", "canceled" or "busy";
 * the empty string for null. */
OARLOCK_API const char* oarlock_error_kind(const oarlock_error* error);
OARLOCK_API void oarlock_error_free(oarlock_error* error);

/* Options are set as text by name; session_options.inc lists them.  A bool is 0 or 1; `outputs`
 * appends a name, `warmup` the shapes of one run, `x=1,3,224,224,y=1,5`; `shape_buckets` is
 * `NAME=SIZE,SIZE`, once per dimension; `provider.KEY` sets an option of the execution provider. */
OARLOCK_API oarlock_error* oarlock_options_new(oarlock_options** result);
OARLOCK_API oarlock_error* oarlock_options_set(oarlock_options* options, const char* name,
                                               const char* value);
OARLOCK_API void oarlock_options_free(oarlock_options* options);

/* model: a prefix, the .pdmodel or .json, or a directory that contains it; params: the .pdiparams,
 * null for the one next to the model; options: null for the defaults. */
OARLOCK_API oarlock_error* oarlock_session_open(const char* model, const char* params,
                                                const oarlock_options* options,
                                                oarlock_session** result);
/* As oarlock_session_open, for a program (.pdmodel or .json) and parameters in memory, which may be
 * freed after the call. */
OARLOCK_API oarlock_error* oarlock_session_open_memory(const void* program, size_t program_size,
                                                       const void* params, size_t params_size,
                                                       const oarlock_options* options,
                                                       oarlock_session** result);
OARLOCK_API size_t oarlock_session_input_count(const oarlock_session* session);
OARLOCK_API size_t oarlock_session_output_count(const oarlock_session* session);
/* For an index out of range or a null session, the name is null. */
OARLOCK_API oarlock_spec oarlock_session_input(const oarlock_session* session, size_t index);
OARLOCK_API oarlock_spec oarlock_session_output(const oarlock_session* session, size_t index);
OARLOCK_API void oarlock_session_free(oarlock_session* session);

OARLOCK_API oarlock_error* oarlock_run(const oarlock_session* session, const oarlock_tensor* inputs,
                                       size_t count, oarlock_results** result);
/* Writes all outputs, in order, to the memory of `outputs`: their shapes are those of the results,
 * their names null or those of the results, and they have no memory in common with inputs or each
 * other. */
OARLOCK_API oarlock_error* oarlock_run_into(const oarlock_session* session,
                                            const oarlock_tensor* inputs, size_t count,
                                            const oarlock_tensor* outputs, size_t output_count);
/* Results outlive their session.  For an index out of range, the name is null. */
OARLOCK_API size_t oarlock_results_count(const oarlock_results* results);
OARLOCK_API oarlock_tensor oarlock_results_get(const oarlock_results* results, size_t index);
OARLOCK_API void oarlock_results_free(oarlock_results* results);

/* Inputs and outputs of repeated runs, bound once by name.  The caller owns their memory, whose
 * contents may change between runs.  Outputs that are not bound, or bound to a tensor without data,
 * are allocated by each run in memory of the tensor's device.  A binding keeps its session alive.
 * Not thread-safe. */
OARLOCK_API oarlock_error* oarlock_io_binding_new(const oarlock_session* session,
                                                  oarlock_io_binding** result);
OARLOCK_API oarlock_error* oarlock_io_binding_bind_input(oarlock_io_binding* binding,
                                                         const oarlock_tensor* tensor);
OARLOCK_API oarlock_error* oarlock_io_binding_bind_output(oarlock_io_binding* binding,
                                                          const oarlock_tensor* tensor);
OARLOCK_API oarlock_error* oarlock_io_binding_run(oarlock_io_binding* binding);
/* An output of the last run; valid until the next run.  For an index out of range, and before the
 * first run for an output that runs allocate, the name is null. */
OARLOCK_API oarlock_tensor oarlock_io_binding_output(const oarlock_io_binding* binding,
                                                     size_t index);
OARLOCK_API void oarlock_io_binding_free(oarlock_io_binding* binding);

enum {
  OARLOCK_LOG_VERBOSE = 0,
  OARLOCK_LOG_INFO = 1,
  OARLOCK_LOG_WARNING = 2,
  OARLOCK_LOG_ERROR = 3,
  OARLOCK_LOG_OFF = 4
};
/* Receives a message of at least the given level; called by any thread, also by several at once. */
typedef void (*oarlock_log_callback)(void* context, int32_t level, const char* source,
                                     const char* message);
/* Sends messages of all sessions to `callback`, null for standard error.  By default the
 * environment variable OARLOCK_LOG is the level (verbose, info, warning, error, off)
 * and the format: with `json`, as in info,json, messages are lines of JSON. */
OARLOCK_API oarlock_error* oarlock_set_log_callback(int32_t level, oarlock_log_callback callback,
                                                    void* context);

/* The version of the library that is running; OARLOCK_VERSION is that of this header. */
OARLOCK_API const char* oarlock_version(void);

#ifdef __cplusplus
}
#endif
#endif
