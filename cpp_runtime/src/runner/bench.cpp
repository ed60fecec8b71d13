#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "base/mapped_file.h"
#include "base/number_text_conversion.h"
#include "runner/process_memory.h"
#include "runner/profile.h"
#include "runner/session_timing.h"
#include "runtime/ort/ort_library.h"

namespace oarlock::runner {
namespace {

constexpr int kBenchRunsPerTurn = 3;  // runs per client before the other session's turn

struct BenchRow {
  const char* name;
  const char* unit;
  double value;
};

std::vector<BenchRow> timing_rows(const TimedSession& s) {
  double sum = std::accumulate(s.run_ms.begin(), s.run_ms.end(), 0.0),
         count = static_cast<double>(s.run_ms.size());
  return {{"read", "ms", s.read_ms},
          {"load", "ms", s.load_ms},
          {"first_run", "ms", s.first_run_ms},
          {"mean", "ms", sum / count},
          {"min", "ms", quantile(s.run_ms, 0)},
          {"p50", "ms", quantile(s.run_ms, 0.5)},
          {"p90", "ms", quantile(s.run_ms, 0.9)},
          {"p99", "ms", quantile(s.run_ms, 0.99)},
          {"throughput", "per_s", 1e3 * count / s.total_ms}};
}

std::vector<BenchRow> memory_rows(const TimedSession& s) {
  return {{"load_rss", "MB", s.load_rss_mb},
          {"rss", "MB", proc_status_megabytes("VmRSS:")},
          {"rss_anon", "MB", proc_status_megabytes("RssAnon:")}};
}

std::string format_json_rows(const std::vector<BenchRow>& rows) {
  std::string text = "{";
  for (const BenchRow& row : rows) {
    text += (text.size() > 1 ? ", \"" : "\"") + std::string(row.name) + "_" + row.unit +
            "\": " + format_significant_digits(row.value, 6);
  }
  return text + "}";
}

void print_measurement(const TimedSession& subject, bool json) {
  std::vector<BenchRow> rows = timing_rows(subject);
  for (const BenchRow& row : memory_rows(subject)) rows.push_back(row);
  if (json) return void(std::printf("%s\n", format_json_rows(rows).c_str()));
  for (const BenchRow& row : rows) std::printf("%-12s %12.4f %s\n", row.name, row.value, row.unit);
}

// Prints the times of two sessions, but not their memory, because both are in one process.
void print_comparison(const TimedSession& a, const TimedSession& b, bool json) {
  std::vector<BenchRow> left = timing_rows(a), right = timing_rows(b);
  double ratio = quantile(a.run_ms, 0.5) / quantile(b.run_ms, 0.5);
  if (json)
    return void(std::printf("{\"a\": %s, \"b\": %s, \"p50_ratio\": %.6g}\n",
                            format_json_rows(left).c_str(), format_json_rows(right).c_str(),
                            ratio));
  std::printf("%-12s %12s %12s %8s\n", "", "A", "B", "A / B");
  for (std::size_t i = 0; i < left.size(); ++i)
    std::printf("%-12s %12.4f %12.4f %8.3f %s\n", left[i].name, left[i].value, right[i].value,
                left[i].value / right[i].value, left[i].unit);
}

// Profiles a session and prints the time per op. The profiled session is another one than the timed
// session, because profiling costs time.
void run_and_print_op_profile(const Command& c) {
  Options options = c.options;
  options.profile =
      (std::filesystem::temp_directory_path() / ("oarlock-" + std::to_string(::getpid()))).string();
  TimedSession subject(c, c.paths, options);
  for (int i = 1; i < c.warmup + c.repeat; ++i) subject.run_once_and_return_ms();
  std::string file = subject.session.end_profile();
  MappedFile text(file);
  std::filesystem::remove(file);
  print_profile(mean_times_per_run_of_profile(text.bytes(), file,
                                              static_cast<int>(c.options.warmup.size()) + c.warmup),
                c.json);
}

void check_bench_options(const Command& c) {
  if (c.repeat < 1) throw UsageError{"--repeat requires at least 1"};
  if (c.clients < 1 || c.clients > 1024) throw UsageError{"--clients requires 1 to 1024"};
  if (c.run_and_print_op_profile && (c.compare_options || !c.compare_model.empty()))
    throw UsageError{"--profile-ops supports one model only"};
}

}  // namespace

int bench(const Command& c) {
  check_bench_options(c);
  if (c.run_and_print_op_profile && c.json) return run_and_print_op_profile(c), 0;
  bool compares = c.compare_options || !c.compare_model.empty();
  if (compares)
    load_ort_library_once(
        c.options
            .ort_library);  // before timing starts, so that the first session does not pay for it
  TimedSessions subjects;
  subjects.emplace_back(c, c.paths, c.options);
  if (compares) {
    Options other = c.options;
    set_options(other, c.compare_options.value_or(std::vector<std::string>{}));
    subjects.emplace_back(c, c.compare_model.empty() ? c.paths : c.compare_model, other);
  }
  run_interleaved(subjects, c.clients, c.warmup, c.repeat,
                  c.clients > 1 || compares ? kBenchRunsPerTurn : c.repeat);
  compares ? print_comparison(subjects[0], subjects[1], c.json)
           : print_measurement(subjects[0], c.json);
  for (TimedSession& subject : subjects) subject.session.end_profile();
  if (c.run_and_print_op_profile) run_and_print_op_profile(c);
  return 0;
}

}  // namespace oarlock::runner
