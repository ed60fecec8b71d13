// Timing of sessions.  Several sessions run in turns, so that load of the machine affects all of
// them.
#pragma once
#include <chrono>
#include <deque>

#include "runner/command_line.h"
#include "runtime/synthetic_inputs.h"

namespace oarlock::runner {

/// A timed session.  Times are in milliseconds.
struct TimedSession {
  /// Opens the model, creates a session and runs it once. command: `--input` and `--shape`.
  TimedSession(const Command& command, const std::vector<std::string>& paths,
               const Options& options);

  std::chrono::steady_clock::time_point start_time = std::chrono::steady_clock::now();
  std::future<void> engine_preload;
  // from start_time until the model was read, and until the session was created; the first run
  // alone
  double read_ms = 0, load_ms = 0, first_run_ms = 0;
  Model model;
  Session session;
  double load_rss_mb = 0;  // resident memory of the process when the session was created
  std::vector<Tensor> inputs;
  std::vector<double> run_ms;  // times of single runs
  double total_ms = 0;         // wall-clock time of all runs; those of several clients overlap

  double run_once_and_return_ms() const;
};
using TimedSessions = std::deque<TimedSession>;

/// Runs each session `repeat` times on each of `clients` threads, after `warmup` runs.
/// runs_per_turn: consecutive runs of one session.
void run_interleaved(TimedSessions& subjects, int clients, int warmup, int repeat,
                     int runs_per_turn);

/// The `q` quantile of the times.
double quantile(std::vector<double> run_ms, double q);

/// Inputs in the session's order: from `--input` by name or position, else synthetic.
std::vector<Tensor> load_or_synthesize_inputs(const Command& command, const Model& model,
                                              const Session& session,
                                              const SyntheticInputOptions& synthetic = {});

/// Inputs that the session can run: synthetic parameters are varied until a run succeeds.
/// milliseconds: time of that run
std::vector<Tensor> load_or_synthesize_inputs_and_time_first_run(const Command& command,
                                                                 const Model& model,
                                                                 const Session& session,
                                                                 double& milliseconds);

}  // namespace oarlock::runner
