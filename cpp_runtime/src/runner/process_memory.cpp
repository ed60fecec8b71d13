#include "runner/process_memory.h"

#include <fstream>
#include <string>

namespace oarlock::runner {

double proc_status_megabytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key) {
      double kb = 0;
      status >> kb;
      return kb / 1024;
    }
  return 0;
}

}  // namespace oarlock::runner
