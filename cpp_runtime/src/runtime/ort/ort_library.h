// ONNX Runtime's shared library: found, opened once per path, and never closed, because its threads
// may outlive the caller.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "oarlock/session.h"
#include "runtime/ort/ort_c_api.h"

namespace oarlock {

struct Library {
  ort::Api api;
  OrtLibraryInfo info;
  int minor = 0;  // the minor version of 1.x
  ort::Env* env = nullptr;
  ort::Allocator* allocator = nullptr;

  bool has_provider(std::string_view name) const;
};

/// Opens the library at `path`; "": that of $OARLOCK_ORT_LIBRARY if it is set, else the one that
/// pip installed beside this program (../lib/python3*/site-packages), else the system's. Throws
/// Error(engine) that lists the tried paths.
const Library& load_ort_library_once(const std::string& path);

}  // namespace oarlock
