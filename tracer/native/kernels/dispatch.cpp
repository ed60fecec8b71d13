// Selects the kernel table for the instruction set of this machine.
#include <cstdlib>
#include <string_view>

#include "kernels/kernels.h"

namespace oarlock::kernels {

#define OARLOCK_SET_OF_KERNELS(name)   \
  const Table<float>& floats_##name(); \
  const Table<double>& doubles_##name();
OARLOCK_SET_OF_KERNELS(baseline)
#if defined(__x86_64__)
OARLOCK_SET_OF_KERNELS(avx2)
OARLOCK_SET_OF_KERNELS(avx512)
#endif
#undef OARLOCK_SET_OF_KERNELS

namespace {

struct Choice {
  const char* name = "baseline";
  const Table<float>* floats = &floats_baseline();
  const Table<double>* doubles = &doubles_baseline();
};

/// The best supported instruction set, limited by OARLOCK_INSTRUCTIONS.
Choice choose() {
  Choice found;
#if defined(__x86_64__)
  const char* limit = std::getenv("OARLOCK_INSTRUCTIONS");
  std::string_view most = limit ? limit : "avx512";
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx2 && most != "baseline") found = {"avx2", &floats_avx2(), &doubles_avx2()};
  if (avx512 && most == "avx512") found = {"avx512", &floats_avx512(), &doubles_avx512()};
#endif
  return found;
}

const Choice& chosen() {
  static const Choice kept = choose();
  return kept;
}

}  // namespace

template <>
const Table<float>& table<float>() {
  return *chosen().floats;
}
template <>
const Table<double>& table<double>() {
  return *chosen().doubles;
}

const char* instruction_set() { return chosen().name; }

}  // namespace oarlock::kernels
