// Runs all tests, those whose name contains the first argument, or the one with the name in
// `=NAME`; --list prints the names.
#include <string_view>

#include "check.h"

int main(int argc, char** argv) {
  std::string_view filter = argc > 1 ? argv[1] : "";
  int ran = 0;
  for (const check::Test& test : check::tests()) {
    if (filter == "--list") {
      std::printf("%s\n", test.name.c_str());
      continue;
    }
    bool is_selected = filter.starts_with('=') ? test.name == filter.substr(1)
                                               : test.name.find(filter) != std::string::npos;
    if (!is_selected) continue;
    int before = check::failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      check::failed(test.name.c_str(), 0, std::string("threw: ") + error.what());
    }
    ++ran;
    if (check::failures() != before) std::printf("FAILED %s\n", test.name.c_str());
  }
  if (filter == "--list") return 0;
  std::printf("%d tests, %d failures\n", ran, check::failures());
  return check::failures() || ran == 0 ? 1 : 0;
}
