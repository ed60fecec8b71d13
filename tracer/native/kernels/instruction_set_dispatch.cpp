// Selects the kernel table for the instruction set of this machine.
#include <cstdlib>
#include <string_view>

#include "kernels/kernels.h"

namespace oarlock::kernels {

#define OARLOCK_SET_OF_KERNELS(name)         \
  const KernelTable<float>& floats_##name(); \
  const KernelTable<double>& doubles_##name();
OARLOCK_SET_OF_KERNELS(baseline)
#if defined(__x86_64__)
OARLOCK_SET_OF_KERNELS(avx2)
OARLOCK_SET_OF_KERNELS(avx512)
#endif
#undef OARLOCK_SET_OF_KERNELS

namespace {

struct KernelTables {
  const char* name = "baseline";
  const KernelTable<float>* float_table = &floats_baseline();
  const KernelTable<double>* double_table = &doubles_baseline();
};

/// Returns the kernel tables of the best instruction set that this machine supports, limited by
/// OARLOCK_INSTRUCTIONS.
KernelTables select_kernel_tables() {
  KernelTables result;
#if defined(__x86_64__)
  const char* limit = std::getenv("OARLOCK_INSTRUCTIONS");
  std::string_view requested = limit ? limit : "avx512";
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx2 && requested != "baseline") result = {"avx2", &floats_avx2(), &doubles_avx2()};
  if (avx512 && requested == "avx512") result = {"avx512", &floats_avx512(), &doubles_avx512()};
#endif
  return result;
}

const KernelTables& selected_kernel_tables() {
  static const KernelTables selected = select_kernel_tables();
  return selected;
}

}  // namespace

template <>
const KernelTable<float>& kernel_table<float>() {
  return *selected_kernel_tables().float_table;
}
template <>
const KernelTable<double>& kernel_table<double>() {
  return *selected_kernel_tables().double_table;
}

const char* selected_instruction_set_name() { return selected_kernel_tables().name; }

}  // namespace oarlock::kernels
