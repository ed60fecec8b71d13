// oarlock-runner.  Exit codes: 0 success, 1 error (message on stderr) or failed check, 2 invalid
// command line, 130 interrupted, 143 terminated.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_files.h"
#include "base/escape_control_characters.h"
#include "oarlock/version.h"
#include "runner/command_line.h"

namespace {

void exit_on_signal(int signal) {
  oarlock::remove_partial_file_in_signal_handler();
  ::_exit(128 + signal);
}

// Installs exit_on_signal() for SIGINT and SIGTERM, and ignores SIGXFSZ, so that writing beyond the
// file size limit is a reported error.
void install_signal_handlers() {
  std::signal(SIGINT, exit_on_signal);
  std::signal(SIGTERM, exit_on_signal);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Flushes stdout and reports write errors.
int flush_stdout_and_get_exit_code(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  std::fprintf(stderr, "oarlock-runner: stdout: cannot be written: %s\n", std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  ::setenv("ORT_DISABLE_TELEMETRY", "1",
           0);  // otherwise a start takes 3 ms longer and writes to the user's cache
  using namespace oarlock::runner;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto has_word = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const CommandInfo* command = words.empty() ? nullptr : find_command(words[0]);
  std::string program = "oarlock-runner" + (command ? " " + command->name : "");
  try {
    if (has_word("--help") || has_word("-h")) {
      std::fputs(usage(command).c_str(), stdout);
      return flush_stdout_and_get_exit_code(0);
    }
    if (words == std::vector<std::string>{"--version"}) {
      std::puts("oarlock-runner " OARLOCK_VERSION);
      return flush_stdout_and_get_exit_code(0);
    }
    Command parsed = parse_command_line(argc, argv);
    return flush_stdout_and_get_exit_code(find_command(parsed.name)->function(parsed));
  } catch (const UsageError& wrong) {
    std::string message = oarlock::escape_control_characters(wrong.message, false);
    std::fprintf(stderr, "%s: %s (see %s --help)\n", program.c_str(), message.c_str(),
                 program.c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("oarlock-runner: out of memory\n", stderr);
    return 1;
  } catch (const std::exception& error) {  // messages contain names from files
    std::fprintf(stderr, "oarlock-runner: %s\n",
                 oarlock::escape_control_characters(error.what(), true).c_str());
    return 1;
  }
}
