#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "base/decimal.h"
#include "base/mapped_file.h"
#include "runner/measure.h"
#include "runner/process_memory.h"
#include "runner/profile.h"
#include "runtime/ort/ort_library.h"

namespace oarlock::runner {
namespace {

constexpr int kRunsPerTurn = 3;  // runs per client before the other session's turn

struct Row {
  const char* name;
  const char* unit;
  double value;
};

std::vector<Row> rows_of(const TimedSession& s) {
  double sum = std::accumulate(s.times.begin(), s.times.end(), 0.0),
         count = static_cast<double>(s.times.size());
  return {{"read", "ms", s.read},
          {"load", "ms", s.load},
          {"first_run", "ms", s.first_run},
          {"mean", "ms", sum / count},
          {"min", "ms", quantile(s.times, 0)},
          {"p50", "ms", quantile(s.times, 0.5)},
          {"p90", "ms", quantile(s.times, 0.9)},
          {"p99", "ms", quantile(s.times, 0.99)},
          {"throughput", "per_s", 1e3 * count / s.wall}};
}

std::vector<Row> memory_rows(const TimedSession& s) {
  return {{"load_rss", "MB", s.load_rss},
          {"rss", "MB", status_mb("VmRSS:")},
          {"rss_anon", "MB", status_mb("RssAnon:")}};
}

std::string json_of(const std::vector<Row>& rows) {
  std::string text = "{";
  for (const Row& row : rows) {
    text += (text.size() > 1 ? ", \"" : "\"") + std::string(row.name) + "_" + row.unit +
            "\": " + format_double(row.value, 6);
  }
  return text + "}";
}

void print_one(const TimedSession& subject, bool json) {
  std::vector<Row> rows = rows_of(subject);
  for (const Row& row : memory_rows(subject)) rows.push_back(row);
  if (json) return void(std::printf("%s\n", json_of(rows).c_str()));
  for (const Row& row : rows) std::printf("%-12s %12.4f %s\n", row.name, row.value, row.unit);
}

// Without memory rows: both sessions are in one process.
void print_two(const TimedSession& a, const TimedSession& b, bool json) {
  std::vector<Row> left = rows_of(a), right = rows_of(b);
  double ratio = quantile(a.times, 0.5) / quantile(b.times, 0.5);
  if (json)
    return void(std::printf("{\"a\": %s, \"b\": %s, \"p50_ratio\": %.6g}\n", json_of(left).c_str(),
                            json_of(right).c_str(), ratio));
  std::printf("%-12s %12s %12s %8s\n", "", "A", "B", "A / B");
  for (std::size_t i = 0; i < left.size(); ++i)
    std::printf("%-12s %12.4f %12.4f %8.3f %s\n", left[i].name, left[i].value, right[i].value,
                left[i].value / right[i].value, left[i].unit);
}

// A separate session for the profile, because profiling costs time.
void profile_ops(const Command& c) {
  Options options = c.options;
  options.profile =
      (std::filesystem::temp_directory_path() / ("oarlock-" + std::to_string(::getpid()))).string();
  TimedSession subject(c, c.paths, options);
  for (int i = 1; i < c.warmup + c.repeat; ++i) subject.run_once();
  std::string file = subject.session.end_profile();
  MappedFile text(file);
  std::filesystem::remove(file);
  print_profile(
      profile_table(text.bytes(), file, static_cast<int>(c.options.warmup.size()) + c.warmup),
      c.json);
}

void check(const Command& c) {
  if (c.repeat < 1) throw UsageError{"--repeat requires at least 1"};
  if (c.clients < 1 || c.clients > 1024) throw UsageError{"--clients requires 1 to 1024"};
  if (c.profile_ops && (c.compare_options || !c.compare_model.empty()))
    throw UsageError{"--profile-ops supports one model only"};
}

}  // namespace

int bench(const Command& c) {
  check(c);
  if (c.profile_ops && c.json) return profile_ops(c), 0;
  bool two = c.compare_options || !c.compare_model.empty();
  if (two)
    open_library(
        c.options
            .ort_library);  // before timing starts, so that the first session does not pay for it
  TimedSessions subjects;
  subjects.emplace_back(c, c.paths, c.options);
  if (two) {
    Options other = c.options;
    set_options(other, c.compare_options.value_or(std::vector<std::string>{}));
    subjects.emplace_back(c, c.compare_model.empty() ? c.paths : c.compare_model, other);
  }
  run_interleaved(subjects, c.clients, c.warmup, c.repeat,
                  c.clients > 1 || two ? kRunsPerTurn : c.repeat);
  two ? print_two(subjects[0], subjects[1], c.json) : print_one(subjects[0], c.json);
  for (TimedSession& subject : subjects) subject.session.end_profile();
  if (c.profile_ops) profile_ops(c);
  return 0;
}

}  // namespace oarlock::runner
