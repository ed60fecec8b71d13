// Values that Paddle 1.x kept in a file each, put together as one `.pdiparams`.
#pragma once
#include <string>

#include "paddle/program.h"

namespace oarlock {

class JoinedFiles {
 public:
  /// Write the values of `program` that stand in `folder`, each in a file of its name, to one file
  /// in the folder for temporary files.   Error(file) when one is missing, or its name would lead
  /// elsewhere.
  JoinedFiles(const std::string& folder, const Program& program);
  JoinedFiles(const JoinedFiles&) = delete;
  JoinedFiles& operator=(const JoinedFiles&) = delete;
  ~JoinedFiles();  // the file goes

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace oarlock
