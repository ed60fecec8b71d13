// Runs all tests, or those whose name contains the first argument.
#include "check.h"

int main(int argc, char** argv) {
  int ran = 0;
  for (const check::Test& test : check::tests()) {
    if (argc > 1 && test.name.find(argv[1]) == std::string::npos) continue;
    int before = check::failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      check::failed(test.name.c_str(), 0, std::string("threw: ") + error.what());
    }
    ++ran;
    if (check::failures() != before) std::printf("FAILED %s\n", test.name.c_str());
  }
  std::printf("%d tests, %d failures\n", ran, check::failures());
  return check::failures() || ran == 0 ? 1 : 0;
}
