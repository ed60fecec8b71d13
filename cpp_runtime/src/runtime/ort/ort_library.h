// The engine's shared library: found, opened once per path, never closed (its threads may outlive
// us).
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "oarlock/session.h"
#include "runtime/ort/ort_c_api.h"

namespace oarlock {

struct Library {
  ort::Api api;
  LibraryInfo info;
  int minor = 0;  // of version 1.x
  ort::Env* env = nullptr;
  ort::Allocator* allocator = nullptr;

  bool has_provider(std::string_view name) const;
};

/// The library at `path`; "" asks OARLOCK_ORT_LIBRARY and then the system's loader.   Error(engine)
/// saying what was tried.
const Library& open_library(const std::string& path);

}  // namespace oarlock
