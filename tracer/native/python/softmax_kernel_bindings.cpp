// Bindings of softmax along the last axis and of cross entropy.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

struct RowCountAndLength {
  Size count, length;
  explicit RowCountAndLength(const KernelOperand& x)
      : count(x.size() / x.dim(x.rank() - 1)), length(x.dim(x.rank() - 1)) {}
};

bool is_contiguous_real_nonscalar(const KernelOperand& x) {
  return x.is_real() && x.rank() > 0 && x.is_contiguous();
}

/// The array for a result like `a`: `out` if given, else a new one. `out` may be `a`, because
/// kernels read a row before they write it.
KernelOperand given_or_new_output(const KernelOperand& a, nb::handle out) {
  if (out.is_none()) return empty(a.rank(), a.shape(), a.type());
  KernelOperand result(out);
  bool fits = result.is_array() && result.type() == a.type() && result.same_shape(a) &&
              result.is_contiguous_and_writable();
  if (!fits) throw nb::value_error("out should have the shape and dtype of the result");
  return result;
}

template <bool Log>
nb::object softmax(nb::handle x, nb::handle out) {
  KernelOperand a(x);
  if (!is_contiguous_real_nonscalar(a)) return not_implemented();
  KernelOperand y = given_or_new_output(a, out);
  dispatch_real_type(a.type(), [&]<class T>(T) {
    RowCountAndLength rows(a);
    ScopedGilReleaseForWork free(a.size() * 4);
    const kernels::KernelTable<T>& table = kernels::kernel_table<T>();
    (Log ? table.log_softmax : table.softmax)(rows.count, rows.length, a.address<T>(),
                                              y.address<T>());
  });
  return to_object(std::move(y));
}

nb::object log_softmax(nb::handle x) {
  return softmax<true>(x, nb::none());
}  // not with `out`, because this kernel reads a row again after it wrote it

nb::object softmax_grad(nb::handle y, nb::handle g, nb::handle out) {
  KernelOperand a(y), b(g);
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || !is_contiguous_real_nonscalar(a) ||
      !a.same_shape(b))
    return not_implemented();
  KernelOperand dx = given_or_new_output(a, out);
  dispatch_real_type(a.type(), [&]<class T>(T) {
    RowCountAndLength rows(a);
    const T* back = b.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().softmax_grad(rows.count, rows.length, a.address<T>(), back,
                                            dx.address<T>());
  });
  return to_object(std::move(dx));
}

/// The class labels [rows], each below `classes` or `ignored`; nullptr if invalid.
const std::int64_t* valid_class_labels_or_null(KernelOperand& labels, Size rows, Size classes,
                                               std::int64_t ignored) {
  if (!labels.is_array() || labels.type() != NPY_INT64 || labels.size() != rows) return nullptr;
  const auto* values = labels.data<std::int64_t>();
  for (Size i = 0; i < rows; ++i)
    if ((values[i] < 0 || values[i] >= classes) && values[i] != ignored) return nullptr;
  return values;
}

nb::object cross_entropy(nb::handle x, nb::handle labels, std::int64_t ignored) {
  KernelOperand a(x), b(labels);
  if (!is_contiguous_real_nonscalar(a)) return not_implemented();
  RowCountAndLength rows(a);
  const std::int64_t* classes = valid_class_labels_or_null(b, rows.count, rows.length, ignored);
  if (!classes) return not_implemented();
  KernelOperand probabilities = empty(a.rank(), a.shape(), a.type()),
                loss = empty(b.rank(), b.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    ScopedGilReleaseForWork free(a.size() * 4);
    kernels::kernel_table<T>().cross_entropy(rows.count, rows.length, a.address<T>(), classes,
                                             ignored, probabilities.address<T>(),
                                             loss.address<T>());
  });
  return nb::make_tuple(to_object(std::move(probabilities)), to_object(std::move(loss)));
}

nb::object cross_entropy_grad(nb::handle probabilities, nb::handle labels, nb::handle g,
                              std::int64_t ignored) {
  KernelOperand a(probabilities), b(labels), c(g);
  if (!are_nonempty_real_of_same_dtype({&a, &c}) || !is_contiguous_real_nonscalar(a))
    return not_implemented();
  RowCountAndLength rows(a);
  const std::int64_t* classes = valid_class_labels_or_null(b, rows.count, rows.length, ignored);
  if (!classes || c.size() != rows.count) return not_implemented();
  KernelOperand dx = empty(a.rank(), a.shape(), a.type());
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* back = c.data<T>();
    ScopedGilReleaseForWork free(a.size());
    kernels::kernel_table<T>().cross_entropy_grad(rows.count, rows.length, a.address<T>(), classes,
                                                  ignored, back, dx.address<T>());
  });
  return to_object(std::move(dx));
}

}  // namespace

void bind_softmax_cross_entropy(nb::module_& m) {
  m.def("softmax", &softmax<false>, nb::arg("x"), nb::arg("out") = nb::none());
  m.def("log_softmax", &log_softmax, nb::arg("x"));
  m.def("softmax_grad", &softmax_grad, nb::arg("y"), nb::arg("g"), nb::arg("out") = nb::none());
  m.def("cross_entropy", &cross_entropy, nb::arg("x"), nb::arg("labels"), nb::arg("ignored"),
        "x [*,C], labels int64 [*,1] -> probabilities [*,C], loss like labels");
  m.def("cross_entropy_grad", &cross_entropy_grad, nb::arg("probabilities"), nb::arg("labels"),
        nb::arg("g"), nb::arg("ignored"));
}

}  // namespace oarlock::python
