// Binding of attention with several heads.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// Whether an operand has four axes, and the elements of its rows are adjacent.
bool has_adjacent_row_elements(const KernelOperand& x) {
  return x.rank() == 4 && (x.dim(3) == 1 || x.stride(3) == 1);
}

template <class T>
kernels::AttentionOperand<T> attention_operand(const KernelOperand& x) {
  auto stride = [&](int axis) { return x.dim(axis) == 1 ? 0 : x.stride(axis); };
  return {x.address<T>(), stride(0), stride(1), stride(2)};
}

bool is_size_or_broadcast(Size size, Size wanted) { return size == wanted || size == 1; }

nb::object attention(nb::handle query, nb::handle key, nb::handle value, nb::handle mask,
                     double scale, bool is_causal) {
  KernelOperand q(query), k(key), v(value), m(mask);
  if (!are_nonempty_real_of_same_dtype({&q, &k, &v}) || !has_adjacent_row_elements(q) ||
      !has_adjacent_row_elements(k) || !has_adjacent_row_elements(v))
    return not_implemented();
  Size batch = q.dim(0), heads = q.dim(1), queries = q.dim(2), depth = q.dim(3), keys = k.dim(2);
  for (const KernelOperand* x : {&k, &v})
    if (x->dim(0) != batch || x->dim(1) != heads || x->dim(2) != keys) return not_implemented();
  if (k.dim(3) != depth || (is_causal && keys != queries)) return not_implemented();
  if (!mask.is_none() &&
      (!are_nonempty_real_of_same_dtype({&q, &m}) || !has_adjacent_row_elements(m) ||
       !is_size_or_broadcast(m.dim(0), batch) || !is_size_or_broadcast(m.dim(1), heads) ||
       !is_size_or_broadcast(m.dim(2), queries) || m.dim(3) != keys))
    return not_implemented();
  KernelOperand out = empty({batch, queries, heads, v.dim(3)}, q.type());
  dispatch_real_type(q.type(), [&]<class T>(T) {
    kernels::AttentionArgs<T> args{batch,
                                   heads,
                                   queries,
                                   keys,
                                   depth,
                                   v.dim(3),
                                   attention_operand<T>(q),
                                   attention_operand<T>(k),
                                   attention_operand<T>(v),
                                   {},
                                   static_cast<T>(scale),
                                   is_causal,
                                   out.address<T>()};
    if (!mask.is_none()) args.mask = attention_operand<T>(m);
    ScopedGilReleaseForWork free(q.size() * keys / 8);
    KernelPollScope poll_scope;
    kernels::kernel_table<T>().attention(args);
  });
  return to_object(std::move(out));
}

}  // namespace

void bind_attention(nb::module_& m) {
  m.def("attention", &attention, nb::arg("query"), nb::arg("key"), nb::arg("value"),
        nb::arg("mask").none() = nb::none(), nb::kw_only(), nb::arg("scale"),
        nb::arg("is_causal") = false,
        "softmax(query key' * scale + mask) value; query [B,H,L,D], key [B,H,S,D], value "
        "[B,H,S,E], mask broadcast to [B,H,L,S] -> [B,L,H,E]");
}

}  // namespace oarlock::python
