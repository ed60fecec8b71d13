// Parameters that Paddle 1.x saved in one file each, combined into one `.pdiparams`.
#pragma once
#include <string>

#include "paddle/program.h"

namespace oarlock {

class TemporaryCombinedParams {
 public:
  /// Writes the parameters of `program`, each read from the file of its name in `folder`, to one
  /// temporary file.  Throws Error(file) if a file is missing or its name leads out of the folder.
  TemporaryCombinedParams(const std::string& folder, const Program& program);
  TemporaryCombinedParams(const TemporaryCombinedParams&) = delete;
  TemporaryCombinedParams& operator=(const TemporaryCombinedParams&) = delete;
  ~TemporaryCombinedParams();  // removes the file

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace oarlock
