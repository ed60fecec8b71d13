// Binding of the matrix product.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

constexpr int kMaxBatchAxes = 8;

/// The batch axes, broadcast: the shape of the result, and the position of each operand's matrices.
struct BroadcastBatchAxes {
  npy_intp shape[kMaxBatchAxes + 2];
  int axes;
  Size count = 1;

  bool try_broadcast_batch_axes(const KernelOperand& a, const KernelOperand& b) {
    axes = std::max(a.rank(), b.rank()) - 2;
    if (a.rank() < 2 || b.rank() < 2 || axes > kMaxBatchAxes) return false;
    for (int i = 0; i < axes; ++i) {
      Size da = dim(a, i), db = dim(b, i);
      if (da != db && da != 1 && db != 1) return false;
      shape[i] = da == 1 ? db : da;
      count *= shape[i];
    }
    return true;
  }

  template <class T>
  std::vector<const T*> matrix_addresses(const KernelOperand& of) const {
    std::vector<const T*> addresses(static_cast<std::size_t>(count));
    npy_intp at[kMaxBatchAxes] = {};
    for (const T*& address : addresses) {
      Size offset = 0;
      for (int i = 0; i < axes; ++i)
        if (dim(of, i) > 1) offset += at[i] * of.stride(i + of.rank() - 2 - axes);
      address = of.address<T>() + offset;
      for (int i = axes - 1; i >= 0 && ++at[i] == shape[i]; --i) at[i] = 0;
    }
    return addresses;
  }

 private:
  Size dim(const KernelOperand& of, int i) const {
    int axis = i + of.rank() - 2 - axes;
    return axis < 0 ? 1 : of.dim(axis);
  }
};

template <class T>
void multiply(const KernelOperand& a, const KernelOperand& b, bool transpose_a, bool transpose_b,
              const BroadcastBatchAxes& batch, const T* bias, KernelOperand& c) {
  int a_row = a.rank() - (transpose_a ? 1 : 2), a_column = a.rank() - (transpose_a ? 2 : 1);
  int b_row = b.rank() - (transpose_b ? 1 : 2), b_column = b.rank() - (transpose_b ? 2 : 1);
  auto from_a = batch.matrix_addresses<T>(a), from_b = batch.matrix_addresses<T>(b);
  kernels::MatmulBatch<T> s{batch.count,        a.dim(a_row),   b.dim(b_column),
                            a.dim(a_column),    from_a.data(),  a.stride(a_row),
                            a.stride(a_column), from_b.data(),  b.stride(b_row),
                            b.stride(b_column), c.address<T>(), bias};
  ScopedGilReleaseForWork free(s.count * s.m * s.n * s.k / 16);
  KernelPollScope poll_scope;
  kernels::kernel_table<T>().batched_matmul(s);
}

nb::object matmul(nb::handle x, nb::handle y, bool transpose_x, bool transpose_y, nb::handle bias) {
  KernelOperand a(x), b(y), bias_operand(bias);
  BroadcastBatchAxes batch;
  if (!are_nonempty_real_of_same_dtype({&a, &b}) || !batch.try_broadcast_batch_axes(a, b))
    return not_implemented();
  Size m = a.dim(a.rank() - (transpose_x ? 1 : 2)), k = a.dim(a.rank() - (transpose_x ? 2 : 1));
  Size n = b.dim(b.rank() - (transpose_y ? 2 : 1));
  if (k != b.dim(b.rank() - (transpose_y ? 1 : 2))) return not_implemented();
  if (!bias.is_none() && (!are_nonempty_real_of_same_dtype({&a, &bias_operand}) ||
                          bias_operand.rank() != 1 || bias_operand.dim(0) != n))
    return not_implemented();
  batch.shape[batch.axes] = m;
  batch.shape[batch.axes + 1] = n;
  KernelOperand c = empty(batch.axes + 2, batch.shape, a.type());
  // A batch of matrices times a single matrix is computed as one product of all rows of the batch.
  bool rows = b.rank() == 2 && a.rank() > 2 && !transpose_x && a.is_contiguous();
  if (rows) {
    batch.axes = 0;
    batch.count = 1;
  }
  dispatch_real_type(a.type(), [&]<class T>(T) {
    const T* bias_data = bias.is_none() ? nullptr : bias_operand.data<T>();
    if (rows) {
      const T *from_a = a.address<T>(), *from_b = b.address<T>();
      int row = transpose_y ? 1 : 0;
      kernels::MatmulBatch<T> s{1,
                                a.size() / k,
                                n,
                                k,
                                &from_a,
                                k,
                                1,
                                &from_b,
                                b.stride(row),
                                b.stride(1 - row),
                                c.address<T>(),
                                bias_data};
      ScopedGilReleaseForWork free(s.m * n * k / 16);
      KernelPollScope poll_scope;
      kernels::kernel_table<T>().batched_matmul(s);
    } else {
      multiply<T>(a, b, transpose_x, transpose_y, batch, bias_data, c);
    }
  });
  return to_object(std::move(c));
}

}  // namespace

void bind_matmul(nb::module_& m) {
  m.def("matmul", &matmul, nb::arg("x"), nb::arg("y"), nb::arg("transpose_x"),
        nb::arg("transpose_y"), nb::arg("bias").none() = nb::none(),
        "x @ y over the last two axes, either transposed first, plus the bias [N] if given.  x "
        "[*B,M,K], y [*B,K,N] -> [*B,M,N]");
}

}  // namespace oarlock::python
