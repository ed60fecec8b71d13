// The engine's profile, added up.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace oarlock::runner {

/// Milliseconds of one run.
struct OpTime {
  std::string name;  // of an op type, or of a node
  std::string op;
  double count = 0, ms = 0;
};

struct ProfileTable {
  std::vector<OpTime> ops, nodes;  // the slowest first
  double total = 0;
  int runs = 0;
};

/// The profile in `text`, without its first `skipped` runs.   Error(file) for what is no profile.
ProfileTable profile_table(std::string_view text, const std::string& file, int skipped);

void print_profile(const ProfileTable& table, bool json);

}  // namespace oarlock::runner
