// Bindings of convolution kernels.  Sizes passed to these functions are those of the forward
// convolution, also for gradients.
#include <nanobind/stl/array.h>

#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using ConvSizes = std::array<Size, 16>;
constexpr Size kMaxKernelOffsets = 1024;

kernels::ConvShape conv_shape_from_sizes(const ConvSizes& s) {
  return {s[0], s[1], s[2],  s[3],  s[4],  s[5],  s[6],  s[7],
          s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]};
}

bool is_real_4d_of_shape(const KernelOperand& a, Size d0, Size d1, Size d2, Size d3) {
  return a.is_real() && a.rank() == 4 && a.dim(0) == d0 && a.dim(1) == d1 && a.dim(2) == d2 &&
         a.dim(3) == d3;
}
bool has_input_shape(const KernelOperand& a, const kernels::ConvShape& s) {
  return is_real_4d_of_shape(a, s.n, s.c, s.h, s.w);
}
bool has_filter_shape(const KernelOperand& a, const kernels::ConvShape& s) {
  return is_real_4d_of_shape(a, s.m, s.c / s.groups, s.kh, s.kw);
}
bool has_output_shape(const KernelOperand& a, const kernels::ConvShape& s) {
  return is_real_4d_of_shape(a, s.n, s.m, s.oh, s.ow);
}
Size num_output_elements(const kernels::ConvShape& s) { return s.n * s.m * s.oh * s.ow; }

nb::object conv2d(nb::handle x, nb::handle filter, const ConvSizes& sizes) {
  auto s = conv_shape_from_sizes(sizes);
  KernelOperand a(x), b(filter);
  if (s.kh * s.kw > kMaxKernelOffsets || !has_input_shape(a, s) || !has_filter_shape(b, s) ||
      !are_nonempty_real_of_same_dtype({&a, &b}))
    return not_implemented();
  KernelOperand y = empty({s.n, s.m, s.oh, s.ow}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *by = b.data<T>();
    ScopedGilReleaseForWork free(num_output_elements(s));
    KernelPollScope poll_scope;
    kernels::kernel_table<T>().conv(s, from, by, y.address<T>());
  });
  return to_object(std::move(y));
}

nb::object conv2d_input_grad(nb::handle filter, nb::handle g, const ConvSizes& sizes) {
  auto s = conv_shape_from_sizes(sizes);
  KernelOperand a(filter), b(g);
  if (s.kh * s.kw > kMaxKernelOffsets || !has_filter_shape(a, s) || !has_output_shape(b, s) ||
      !are_nonempty_real_of_same_dtype({&a, &b}))
    return not_implemented();
  KernelOperand x = empty({s.n, s.c, s.h, s.w}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *by = a.data<T>(), *from = b.data<T>();
    ScopedGilReleaseForWork free(num_output_elements(s));
    KernelPollScope poll_scope;
    kernels::kernel_table<T>().conv_input_grad(s, by, from, x.address<T>());
  });
  return to_object(std::move(x));
}

nb::object conv2d_filter_grad(nb::handle x, nb::handle g, const ConvSizes& sizes) {
  auto s = conv_shape_from_sizes(sizes);
  KernelOperand a(x), b(g);
  if (s.kh * s.kw > kMaxKernelOffsets || !has_input_shape(a, s) || !has_output_shape(b, s) ||
      !are_nonempty_real_of_same_dtype({&a, &b}))
    return not_implemented();
  KernelOperand filter = empty({s.m, s.c / s.groups, s.kh, s.kw}, a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T *from = a.data<T>(), *by = b.data<T>();
    ScopedGilReleaseForWork free(num_output_elements(s));
    KernelPollScope poll_scope;
    kernels::kernel_table<T>().conv_filter_grad(s, from, by, filter.address<T>());
  });
  return to_object(std::move(filter));
}

}  // namespace

void bind_conv(nb::module_& m) {
  m.def("conv2d", &conv2d, nb::arg("x"), nb::arg("filter"), nb::arg("sizes"),
        "x [N,C,H,W], filter [M,C/groups,KH,KW] -> [N,M,OH,OW].   sizes: the fields of ConvShape");
  m.def("conv2d_input_grad", &conv2d_input_grad, nb::arg("filter"), nb::arg("g"), nb::arg("sizes"));
  m.def("conv2d_filter_grad", &conv2d_filter_grad, nb::arg("x"), nb::arg("g"), nb::arg("sizes"));
}

}  // namespace oarlock::python
