// Timing sessions, several in turns so that what the machine does meanwhile meets all of them.
#pragma once
#include <chrono>
#include <deque>

#include "runner/command_line.h"
#include "runtime/synthetic_inputs.h"

namespace oarlock::runner {

/// A session being timed.   Times in milliseconds.
struct Subject {
  /// Open, make a session, and run it once.   given: `--input` and `--shape`.
  Subject(const Command& given, const std::vector<std::string>& paths, const Options& options);

  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::future<void> engine;
  double read = 0, load = 0, first = 0;
  Model model;
  Session session;
  double load_rss = 0;  // MB
  std::vector<Tensor> inputs;
  std::vector<double> times;  // of single runs
  double wall = 0;            // of all of them together

  double call() const;
};
using Subjects = std::deque<Subject>;

/// `repeat` runs of each for each of `clients` threads, after `warmup`.   block: how many runs one
/// has before the next.
void take_turns(Subjects& subjects, int clients, int warmup, int repeat, int block);

/// The value below which a share `q` of the times lies.
double quantile(std::vector<double> times, double q);

/// Inputs in the order of the session's: from `--input` by name or position, else made up.
std::vector<Tensor> inputs_for(const Command& given, const Model& model, const Session& session,
                               const MadeUp& how = {});

/// Those that the session runs on: what is made up is made up otherwise until it fits.   took:
/// milliseconds of that run
std::vector<Tensor> fitting_inputs(const Command& given, const Model& model, const Session& session,
                                   double& took);

}  // namespace oarlock::runner
