// A line on standard error that shows the current step of a long command.
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace oarlock::runner {

/// Shows steps only if standard error is a terminal and `quiet` is false; removes the line at the
/// end.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : is_shown_(!quiet && ::isatty(STDERR_FILENO)) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (is_shown_) std::fputs("\r\x1b[K", stderr);
  }

  void show(const std::string& step, std::size_t done, std::size_t total) {
    if (is_shown_) std::fprintf(stderr, "\r\x1b[K%s (%zu of %zu)", step.c_str(), done + 1, total);
  }

 private:
  bool is_shown_;
};

}  // namespace oarlock::runner
