// Bindings of pooling kernels.
#include <nanobind/stl/array.h>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// h, w, oh, ow, kh, kw, stride_h, stride_w, top, left; kh and kw are 0 for adaptive windows of
/// several sizes.
using PoolSizes = std::array<Size, 10>;

/// Sets `s` to the sizes `z` and the number of planes; returns false if the images are not real
/// [N,C,h,w].
bool try_set_pool_shape(kernels::PoolShape& s, const KernelOperand& images, Size h, Size w,
                        const PoolSizes& z) {
  if (!images.is_real() || images.rank() != 4 || images.dim(2) != h || images.dim(3) != w)
    return false;
  s = {images.dim(0) * images.dim(1), z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7], z[8], z[9]};
  return true;
}

nb::object max_pool(nb::handle x, const PoolSizes& z) {
  KernelOperand a(x);
  kernels::PoolShape s;
  if (!try_set_pool_shape(s, a, z[0], z[1], z)) return not_implemented();
  KernelOperand y = empty({a.dim(0), a.dim(1), s.oh, s.ow}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().max_pool(s, from, y.address<T>());
  });
  return to_object(std::move(y));
}

nb::object max_pool_with_index(nb::handle x, const PoolSizes& z) {
  KernelOperand a(x);
  kernels::PoolShape s;
  if (!try_set_pool_shape(s, a, z[0], z[1], z) || s.h * s.w > NPY_MAX_INT32)
    return not_implemented();
  KernelOperand y = empty({a.dim(0), a.dim(1), s.oh, s.ow}, a.type()),
                indices = empty({a.dim(0), a.dim(1), s.oh, s.ow}, NPY_INT32);
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* from = a.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().max_pool_with_index(s, from, y.address<T>(),
                                                   indices.address<std::int32_t>());
  });
  return nb::make_tuple(to_object(std::move(y)), to_object(std::move(indices)));
}

nb::object max_pool_grad(nb::handle x, nb::handle y, nb::handle g, const PoolSizes& z) {
  KernelOperand a(x), b(y), c(g);
  kernels::PoolShape s;
  if (!are_nonempty_real_of_same_dtype({&a, &b, &c}) || !b.same_shape(c) ||
      !try_set_pool_shape(s, b, z[2], z[3], z) || !try_set_pool_shape(s, a, z[0], z[1], z) ||
      a.dim(0) != b.dim(0) || a.dim(1) != b.dim(1))
    return not_implemented();
  KernelOperand dx = empty(4, a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *best = b.data<T>(), *back = c.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().max_pool_grad(s, from, best, back, dx.address<T>());
  });
  return to_object(std::move(dx));
}

nb::object avg_pool(nb::handle x, nb::handle counts_h, nb::handle counts_w, const PoolSizes& z) {
  KernelOperand a(x), h(counts_h), w(counts_w);
  kernels::PoolShape s;
  if (!are_nonempty_real_of_same_dtype({&a, &h, &w}) || !try_set_pool_shape(s, a, z[0], z[1], z) ||
      h.size() != s.oh || w.size() != s.ow)
    return not_implemented();
  KernelOperand y = empty({a.dim(0), a.dim(1), s.oh, s.ow}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *high = h.data<T>(), *wide = w.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().avg_pool(s, from, high, wide, y.address<T>());
  });
  return to_object(std::move(y));
}

nb::object avg_pool_grad(nb::handle g, nb::handle counts_h, nb::handle counts_w,
                         const PoolSizes& z) {
  KernelOperand a(g), h(counts_h), w(counts_w);
  kernels::PoolShape s;
  if (!are_nonempty_real_of_same_dtype({&a, &h, &w}) || !try_set_pool_shape(s, a, z[2], z[3], z) ||
      h.size() != s.oh || w.size() != s.ow)
    return not_implemented();
  KernelOperand dx = empty({a.dim(0), a.dim(1), s.h, s.w}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *high = h.data<T>(), *wide = w.data<T>();
    ScopedGilReleaseForWork free(dx.size());
    kernels::kernel_table<T>().avg_pool_grad(s, from, high, wide, dx.address<T>());
  });
  return to_object(std::move(dx));
}

}  // namespace

void bind_pooling(nb::module_& m) {
  m.def("max_pool", &max_pool, nb::arg("x"), nb::arg("sizes"), "x [N,C,H,W] -> [N,C,OH,OW]");
  m.def("max_pool_with_index", &max_pool_with_index, nb::arg("x"), nb::arg("sizes"),
        "x [N,C,H,W] -> [N,C,OH,OW], and the index int32 of each maximum in its plane");
  m.def("max_pool_grad", &max_pool_grad, nb::arg("x"), nb::arg("y"), nb::arg("g"),
        nb::arg("sizes"));
  m.def("avg_pool", &avg_pool, nb::arg("x"), nb::arg("counts_h"), nb::arg("counts_w"),
        nb::arg("sizes"),
        "counts_h [OH], counts_w [OW]: how many elements each mean is over along an axis");
  m.def("avg_pool_grad", &avg_pool_grad, nb::arg("g"), nb::arg("counts_h"), nb::arg("counts_w"),
        nb::arg("sizes"));
}

}  // namespace oarlock::python
