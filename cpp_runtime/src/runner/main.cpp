// oarlock-runner: exit code 0 when done, 1 when refused (one error on stderr), 2 for a command line
// that makes no sense, 130 when it was interrupted.
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
#include "runner/command_line.h"

namespace {

void end_at_once(int signal) {
  oarlock::remove_unfinished();
  ::_exit(128 + signal);
}

// A file that grows too large is an error of its writer, not the end of the process.
void handle_signals() {
  std::signal(SIGINT, end_at_once);
  std::signal(SIGTERM, end_at_once);
  std::signal(SIGXFSZ, SIG_IGN);
}

// What was printed may still be on its way.
int printed(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  std::fprintf(stderr, "stdout: cannot be written: %s\n", std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  handle_signals();
  ::setenv("ORT_DISABLE_TELEMETRY", "1",
           0);  // else a start takes 3 ms more and writes into the user's cache
  using namespace oarlock::runner;
  static const std::map<std::string, int (*)(const Command&)> commands = {
      {"run", run},       {"bench", bench},     {"tune", tune},
      {"verify", verify}, {"inspect", inspect}, {"to-onnx", to_onnx}};
  try {
    if (std::any_of(argv + 1, argv + argc,
                    [](std::string_view word) { return word == "--help" || word == "-h"; })) {
      std::fputs(usage().c_str(), stdout);
      return printed(0);
    }
    Command command = parse(argc, argv);
    auto found = commands.find(command.name);
    if (found == commands.end()) throw Usage{"no command " + command.name};
    return printed(found->second(command));
  } catch (const Usage& wrong) {
    std::fprintf(stderr, "oarlock-runner: %s\n%s", wrong.message.c_str(), usage().c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
