// The module `oarlock.core._kernels`.
#define OARLOCK_IMPORTS_NUMPY
#include "python/kernel_arrays.h"

NB_MODULE(_kernels, m) {
  using namespace oarlock;
  if (_import_array() < 0) throw nanobind::python_error();
  m.doc() =
      "Compiled kernels.  Each takes NumPy arrays as the op of its name does, and answers NotImplemented where it does "
      "not apply.";
  m.def("thread_count", &kernels::thread_count, "How many threads work on one kernel.");
  m.def("set_thread_count", &kernels::set_thread_count, nanobind::arg("count"));
  m.def("instruction_set", &kernels::instruction_set, "avx512, avx2 or baseline.");
  python::bind_conv(m);
  python::bind_elementwise(m);
  python::bind_matmul(m);
  python::bind_norm(m);
  python::bind_pooling(m);
  python::bind_softmax(m);
  python::bind_update(m);
}
