#include "runner/profile.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/json.h"
#include "oarlock/error.h"

namespace oarlock::runner {
namespace {

constexpr std::size_t kMaxSlowestNodes = 15;
constexpr std::string_view kKernel = "_kernel_time";

// The start time of the first measured run, which follows `skipped` warm-up runs, and the number of
// measured runs.
std::pair<double, int> start_and_number_of_measured_runs(Json events, int skipped) {
  std::vector<double> starts;
  for (Json event : events)
    if (event.find("name").string_or_empty() == "model_run")
      starts.push_back(event.find("ts").number_or_zero());
  std::sort(starts.begin(), starts.end());
  auto at = std::min(static_cast<std::size_t>(skipped), starts.size());
  if (at == starts.size()) return {0, static_cast<int>(at)};
  return {starts[at], static_cast<int>(starts.size() - at)};
}

std::vector<MeanOpTime> average_slowest_first(const std::map<std::string, MeanOpTime>& sums,
                                              int runs) {
  std::vector<MeanOpTime> all;
  for (auto& [name, sum] : sums) all.push_back({sum.name, sum.op, sum.count / runs, sum.ms / runs});
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.ms > b.ms; });
  return all;
}

void print_rows(const char* title, const std::vector<MeanOpTime>& rows, std::size_t max_rows,
                double total) {
  std::printf("\n%-52s %8s %10s %6s\n", title, "per run", "ms", "%");
  for (std::size_t i = 0; i < std::min(rows.size(), max_rows); ++i) {
    const MeanOpTime& row = rows[i];
    std::string name = row.op.empty() ? row.name : row.name + "  (" + row.op + ")";
    std::printf("%-52s %8.1f %10.4f %6.1f\n", name.c_str(), row.count, row.ms,
                total > 0 ? 100 * row.ms / total : 0);
  }
}

void print_json(const char* key, const std::vector<MeanOpTime>& rows) {
  std::printf("\"%s\": [", key);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::printf("%s{\"name\": %s, \"op\": %s, \"count\": %g, \"ms\": %.6g}", i ? ", " : "",
                quote_json(rows[i].name).c_str(), quote_json(rows[i].op).c_str(), rows[i].count,
                rows[i].ms);
  std::printf("]");
}

}  // namespace

MeanTimesPerRun mean_times_per_run_of_profile(std::string_view text, const std::string& file,
                                              int skipped) {
  JsonDocument document(text, file);
  Json events = document.root();
  auto [start, runs] = start_and_number_of_measured_runs(events, skipped);
  if (runs == 0) throw Error(ErrorCode::file, file + ": a profile without a run");
  std::map<std::string, MeanOpTime> ops, nodes;
  MeanTimesPerRun table;
  table.runs = runs;
  for (Json event : events) {
    std::string_view name = event.find("name").string_or_empty();
    Json args = event.find("args");
    bool kernel = name.size() > kKernel.size() && name.ends_with(kKernel);
    if (!kernel || !args || event.find("ts").number_or_zero() < start) continue;
    std::string op(args.find("op_name").string_or_empty()),
        node(name.substr(0, name.size() - kKernel.size()));
    double ms = event.find("dur").number_or_zero() / 1e3;
    MeanOpTime &of_op = ops[op], &of_node = nodes[node];
    of_op = {op, "", of_op.count + 1, of_op.ms + ms};
    of_node = {node, op, of_node.count + 1, of_node.ms + ms};
    table.total += ms / runs;
  }
  table.ops = average_slowest_first(ops, runs);
  table.nodes = average_slowest_first(nodes, runs);
  return table;
}

void print_profile(const MeanTimesPerRun& table, bool json) {
  if (json) {
    std::printf("{\"runs\": %d, \"ops_ms\": %.6g, ", table.runs, table.total);
    print_json("ops", table.ops);
    std::printf(", ");
    print_json("nodes", table.nodes);
    std::printf("}\n");
    return;
  }
  print_rows("op", table.ops, table.ops.size(), table.total);
  print_rows("slowest nodes", table.nodes, kMaxSlowestNodes, table.total);
}

}  // namespace oarlock::runner
