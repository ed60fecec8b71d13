// Computes the mean times per run of op types and nodes from ONNX Runtime's profile, and prints
// them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace oarlock::runner {

/// Average time per run.
struct MeanOpTime {
  std::string name;  // name of an op type or of a node
  std::string op;    // of a node: its op type
  double count = 0, ms = 0;
};

struct MeanTimesPerRun {
  std::vector<MeanOpTime> ops, nodes;  // slowest first
  double total = 0;                    // ms of all ops per run
  int runs = 0;
};

/// Aggregates a profile without its first `skipped` runs; if it has no more runs than that, all
/// runs count.  Throws Error(file) for text that is not JSON or has no run.
MeanTimesPerRun mean_times_per_run_of_profile(std::string_view text, const std::string& file,
                                              int skipped);

void print_profile(const MeanTimesPerRun& table, bool json);

}  // namespace oarlock::runner
