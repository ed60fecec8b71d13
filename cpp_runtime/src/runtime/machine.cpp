#include "runtime/machine.h"

#include <cstdio>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

namespace oarlock {
namespace {

std::string to_hex(unsigned long value) {
  char text[24];
  std::snprintf(text, sizeof text, "%lx", value);
  return text;
}

}  // namespace

std::string processor_model_id() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(1, &a, &b, &c, &d);  // b depends on the current core, so it is left out
  std::string word = "x86-" + to_hex(a) + "-" + to_hex(c) + "-" + to_hex(d);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    word += "-" + to_hex(b) + "-" + to_hex(c) + "-" + to_hex(d);
  return word;
#elif defined(__linux__)
  return "hwcap-" + to_hex(::getauxval(AT_HWCAP)) + "-" + to_hex(::getauxval(AT_HWCAP2));
#else
  return "unknown";
#endif
}

std::string processor_model_and_count_id() {
  return processor_model_id() + "-x" + std::to_string(std::thread::hardware_concurrency());
}

bool byte_products_saturate() {
#if defined(__x86_64__)
  return !__builtin_cpu_supports("avx512vnni") && !__builtin_cpu_supports("avxvnni");
#else
  return false;
#endif
}

int convolution_block_size() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx") ? 8 : 0;
#else
  return 0;
#endif
}

}  // namespace oarlock
