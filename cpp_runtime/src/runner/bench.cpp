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

constexpr int kTogether = 3;  // runs of each client before the other side has its turn

struct Row {
  const char* name;
  const char* unit;
  double value;
};

std::vector<Row> rows_of(const Subject& s) {
  double sum = std::accumulate(s.times.begin(), s.times.end(), 0.0),
         count = static_cast<double>(s.times.size());
  return {{"read", "ms", s.read},
          {"load", "ms", s.load},
          {"first_run", "ms", s.first},
          {"mean", "ms", sum / count},
          {"min", "ms", quantile(s.times, 0)},
          {"p50", "ms", quantile(s.times, 0.5)},
          {"p90", "ms", quantile(s.times, 0.9)},
          {"p99", "ms", quantile(s.times, 0.99)},
          {"throughput", "per_s", 1e3 * count / s.wall}};
}

std::vector<Row> memory_rows(const Subject& s) {
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

void print_one(const Subject& subject, bool json) {
  std::vector<Row> rows = rows_of(subject);
  for (const Row& row : memory_rows(subject)) rows.push_back(row);
  if (json) return void(std::printf("%s\n", json_of(rows).c_str()));
  for (const Row& row : rows) std::printf("%-12s %12.4f %s\n", row.name, row.value, row.unit);
}

// Both lie in one process, so memory says nothing here.
void print_two(const Subject& a, const Subject& b, bool json) {
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

// A run for the profile alone: writing it down costs time.
void profile_ops(const Command& c) {
  Options options = c.options;
  options.profile =
      (std::filesystem::temp_directory_path() / ("oarlock-" + std::to_string(::getpid()))).string();
  Subject subject(c, c.paths, options);
  for (int i = 1; i < c.warmup + c.repeat; ++i) subject.call();
  std::string file = subject.session.end_profile();
  MappedFile text(file);
  std::filesystem::remove(file);
  print_profile(
      profile_table(text.bytes(), file, static_cast<int>(c.options.warmup.size()) + c.warmup),
      c.json);
}

void check(const Command& c) {
  if (c.repeat < 1) throw Usage{"--repeat wants at least 1"};
  if (c.clients < 1 || c.clients > 1024) throw Usage{"--clients wants 1 to 1024"};
  if (c.profile_ops && (c.alternative || !c.against.empty()))
    throw Usage{"--profile-ops looks at one model"};
}

}  // namespace

int bench(const Command& c) {
  check(c);
  if (c.profile_ops && c.json) return profile_ops(c), 0;
  bool two = c.alternative || !c.against.empty();
  if (two)
    open_library(
        c.options.ort_library);  // which is no part of the time that the first takes to load
  Subjects subjects;
  subjects.emplace_back(c, c.paths, c.options);
  if (two) {
    Options other = c.options;
    set_options(other, c.alternative.value_or(std::vector<std::string>{}));
    subjects.emplace_back(c, c.against.empty() ? c.paths : c.against, other);
  }
  take_turns(subjects, c.clients, c.warmup, c.repeat, c.clients > 1 || two ? kTogether : c.repeat);
  two ? print_two(subjects[0], subjects[1], c.json) : print_one(subjects[0], c.json);
  for (Subject& subject : subjects) subject.session.end_profile();
  if (c.profile_ops) profile_ops(c);
  return 0;
}

}  // namespace oarlock::runner
