// A minimal test framework: a failed check prints its location and continues.
#pragma once
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "oarlock/error.h"

namespace check {

struct Test {
  std::string name;
  std::function<void()> run;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(std::string name, std::function<void()> run) {
    tests().push_back({std::move(name), std::move(run)});
  }
};

template <class T>
std::string shown(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

inline void failed(const char* file, int line, const std::string& what) {
  ++failures();
  std::printf("%s:%d: %s\n", file, line, what.c_str());
}

template <class A, class B>
void equal(const char* file, int line, const A& got, const B& wanted) {
  if (!(got == wanted)) failed(file, line, "got\n" + shown(got) + "\nwanted\n" + shown(wanted));
}

inline void contains(const char* file, int line, const std::string& got, std::string_view part) {
  if (got.find(part) == std::string::npos)
    failed(file, line, "got\n" + got + "\nwithout\n" + std::string(part));
}

/// The message of the Error that `act` throws, "" if it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const oarlock::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace check

#define TEST_JOIN2(a, b) a##b
#define TEST_JOIN(a, b) TEST_JOIN2(a, b)
#define TEST(name)                                                                          \
  static void TEST_JOIN(test_, __LINE__)();                                                 \
  static const check::Register TEST_JOIN(reg_, __LINE__)(name, TEST_JOIN(test_, __LINE__)); \
  static void TEST_JOIN(test_, __LINE__)()
#define CHECK(ok) ((ok) ? (void)0 : check::failed(__FILE__, __LINE__, #ok))
#define CHECK_EQ(got, wanted) check::equal(__FILE__, __LINE__, got, wanted)
#define CHECK_HAS(got, part) check::contains(__FILE__, __LINE__, got, part)
#define CHECK_ERROR(part, ...) CHECK_HAS(check::error_of([&] { __VA_ARGS__; }), part)
