// oarlock-runner: exit code 0 when done, 1 when refused (one error on stderr), 2 for a command line that makes no
// sense.
#include <cstdio>
#include <exception>
#include <map>

#include "cli/command.h"

int main(int argc, char** argv) {
  using namespace oarlock::cli;
  static const std::map<std::string, int (*)(const Command&)> commands = {
      {"run", run}, {"bench", bench}, {"tune", tune}, {"verify", verify}, {"inspect", inspect}, {"to-onnx", to_onnx}};
  try {
    if (argc == 2 && std::string(argv[1]) == "--help") {
      std::fputs(usage().c_str(), stdout);
      return 0;
    }
    Command command = parse(argc, argv);
    auto found = commands.find(command.name);
    if (found == commands.end()) throw Usage{"no command " + command.name};
    return found->second(command);
  } catch (const Usage& wrong) {
    std::fprintf(stderr, "oarlock-runner: %s\n%s", wrong.message.c_str(), usage().c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
