// The module `oarlock.core._kernels`.
#define OARLOCK_IMPORTS_NUMPY
#include "python/kernel_arrays.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cstdlib>

namespace {

// Makes malloc keep freed blocks for reuse.  Each training step allocates arrays of the same sizes
// as the step before.  By default, the C library returns large blocks to the system, and the page
// faults of a new block take longer than many kernels.
void make_malloc_keep_freed_blocks() {
#if defined(__GLIBC__)
  for (const char* variable : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"})
    if (std::getenv(variable)) return;
  constexpr int kept = 1 << 28, below = 1 << 26, below_in_old_versions = 1 << 25;
  if (!mallopt(M_MMAP_THRESHOLD, below)) mallopt(M_MMAP_THRESHOLD, below_in_old_versions);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

}  // namespace

NB_MODULE(_kernels, m) {
  using namespace oarlock;
  nanobind::set_leak_warnings(false);  // programs that are alive at exit hold expressions
  if (_import_array() < 0) throw nanobind::python_error();
  m.doc() =
      "Compiled kernels.  Each function takes NumPy arrays like the op of the same name, and "
      "returns "
      "NotImplemented if it does not support them.";
  m.def("keep_memory", &make_malloc_keep_freed_blocks,
        "Let freed memory of up to 256 MB stay with the process, for the next arrays.");
  m.def("thread_count", &kernels::thread_count, "How many threads work on one kernel.");
  m.def("set_thread_count", &kernels::set_thread_count, nanobind::arg("count"));
  m.def("instruction_set", &kernels::selected_instruction_set_name, "avx512, avx2 or baseline.");
  python::bind_conv(m);
  python::bind_elementwise_and_reductions(m);
  python::bind_expression(m);
  python::bind_indexing(m);
  python::bind_attention(m);
  python::bind_matmul(m);
  python::bind_norm(m);
  python::bind_inplace_kernel_class(m);
  python::bind_pooling(m);
  python::bind_recurrent(m);
  python::bind_scan(m);
  python::bind_sorting(m);
  python::bind_softmax_cross_entropy(m);
  python::bind_optimizer_update(m);
}
