// oarlock-runner.  Exit codes: 0 success, 1 error (message on stderr), 2 invalid command line, 130
// interrupted.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <string_view>

#include "base/atomic_files.h"
#include "base/escape_control_characters.h"
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
  std::fprintf(stderr, "stdout: cannot be written: %s\n", std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  ::setenv("ORT_DISABLE_TELEMETRY", "1",
           0);  // otherwise a start takes 3 ms longer and writes to the user's cache
  using namespace oarlock::runner;
  static const std::map<std::string, int (*)(const Command&)> commands = {
      {"run", run},         {"bench", bench},     {"tune", tune},        {"verify", verify},
      {"inspect", inspect}, {"to-onnx", to_onnx}, {"pipeline", pipeline}};
  try {
    if (std::any_of(argv + 1, argv + argc,
                    [](std::string_view word) { return word == "--help" || word == "-h"; })) {
      std::fputs(usage().c_str(), stdout);
      return flush_stdout_and_get_exit_code(0);
    }
    Command command = parse_command_line(argc, argv);
    auto found = commands.find(command.name);
    if (found == commands.end()) throw UsageError{"no command " + command.name};
    return flush_stdout_and_get_exit_code(found->second(command));
  } catch (const UsageError& wrong) {
    std::fprintf(stderr, "oarlock-runner: %s\nsee oarlock-runner --help\n", wrong.message.c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
    return 1;
  } catch (const std::exception& error) {  // messages contain names from files
    std::fprintf(stderr, "%s\n", oarlock::escape_control_characters(error.what(), true).c_str());
    return 1;
  }
}
