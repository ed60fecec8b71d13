// Selects the kernel tables for the instruction set of this machine.
#include <cstdlib>
#include <string_view>

#include "kernels/kernels.h"

namespace oarlock::kernels {

const KernelTables& tables_baseline();
#if defined(__x86_64__)
const KernelTables& tables_avx2();
const KernelTables& tables_avx512();
#endif

namespace {

/// Returns the kernel tables of the best instruction set that this machine supports, limited by
/// OARLOCK_INSTRUCTIONS.
const KernelTables& select_kernel_tables() {
#if defined(__x86_64__)
  const char* limit = std::getenv("OARLOCK_INSTRUCTIONS");
  std::string_view requested = limit ? limit : "avx512";
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx512 && requested == "avx512") return tables_avx512();
  if (avx2 && requested != "baseline") return tables_avx2();
#endif
  return tables_baseline();
}

const KernelTables& selected_kernel_tables() {
  static const KernelTables& selected = select_kernel_tables();
  return selected;
}

}  // namespace

template <>
const KernelTable<float>& kernel_table<float>() {
  return selected_kernel_tables().floats;
}
template <>
const KernelTable<double>& kernel_table<double>() {
  return selected_kernel_tables().doubles;
}
template <>
const NumberKernelTable<float>& number_kernel_table<float>() {
  return selected_kernel_tables().float_numbers;
}
template <>
const NumberKernelTable<double>& number_kernel_table<double>() {
  return selected_kernel_tables().double_numbers;
}
template <>
const NumberKernelTable<std::int32_t>& number_kernel_table<std::int32_t>() {
  return selected_kernel_tables().int32_numbers;
}
template <>
const NumberKernelTable<std::int64_t>& number_kernel_table<std::int64_t>() {
  return selected_kernel_tables().int64_numbers;
}

const char* selected_instruction_set_name() { return selected_kernel_tables().name; }

}  // namespace oarlock::kernels
