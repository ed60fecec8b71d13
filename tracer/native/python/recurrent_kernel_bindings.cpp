// Bindings of the time loop of recurrent networks.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

using kernels::Cell;

/// The operands of the forward and backward pass. `is_valid`: whether they are valid.
struct RecurrentOperands {
  KernelOperand states[2], weight, saved, valid;
  bool lstm, has_mask;
  Size steps = 0, batch = 0, hidden = 0, gates = 0, parts = 0;

  RecurrentOperands(const KernelOperand& inputs, nb::list first, nb::handle w, nb::handle mask,
                    nb::handle all, bool is_transposed)
      : states{KernelOperand(first[0]), KernelOperand(first[first.size() - 1])},
        weight(w),
        saved(all),
        valid(mask),
        lstm(first.size() == 2),
        has_mask(!mask.is_none()) {
    if (!are_nonempty_real_of_same_dtype({&inputs, &states[0], &states[1], &weight, &saved}))
      return;
    if (inputs.rank() != 3 || saved.rank() != 4 || weight.rank() != 2 || states[0].rank() != 2)
      return;
    Size h = saved.dim(3), gate_width = inputs.dim(2);
    bool fits = weight.dim(is_transposed ? 0 : 1) == h &&
                weight.dim(is_transposed ? 1 : 0) == gate_width && gate_width % h == 0 &&
                saved.dim(0) == inputs.dim(0) && saved.dim(2) == inputs.dim(1) &&
                saved.is_contiguous() && states[0].size() == h * inputs.dim(1) &&
                states[1].size() == states[0].size();
    if (has_mask)
      fits &= valid.is_array() && valid.type() == NPY_UINT8 &&
              valid.size() == inputs.dim(0) * inputs.dim(1);
    if (!fits) return;
    steps = inputs.dim(0), batch = inputs.dim(1), hidden = h, gates = gate_width / h,
    parts = saved.dim(1);
  }

  bool is_valid() const { return hidden > 0; }

  template <class T>
  kernels::RnnDirectionArgs<T> to_rnn_direction_args(int cell, bool reverse, const T* inputs,
                                                     const T* bias) {
    return {static_cast<Cell>(cell),
            steps,
            batch,
            hidden,
            gates,
            parts,
            reverse,
            inputs,
            weight.data<T>(),
            bias,
            states[0].data<T>(),
            lstm ? states[1].data<T>() : nullptr,
            has_mask ? valid.data<std::uint8_t>() : nullptr,
            saved.address<T>()};
  }
};

bool operands_fit_cell(int cell, const RecurrentOperands& o) {
  static constexpr Size gates[] = {4, 3, 1, 1}, parts[] = {6, 5, 1, 1};
  return o.is_valid() && o.gates == gates[cell] && o.parts == parts[cell] && o.lstm == (cell == 0);
}

nb::object try_run_recurrence(int cell, nb::handle inputs, nb::list states, nb::handle weight,
                              nb::handle bias, nb::handle valid, nb::handle saved, bool reverse) {
  KernelOperand x(inputs), b(bias);
  RecurrentOperands o(x, states, weight, valid, saved, true);
  if (!operands_fit_cell(cell, o) || !are_nonempty_real_of_same_dtype({&x, &b}) ||
      b.size() != o.gates * o.hidden || !o.saved.is_contiguous_and_writable())
    return not_implemented();
  dispatch_real_type(x.type(), [&]<class T>(T) {
    auto r = o.to_rnn_direction_args<T>(cell, reverse, x.data<T>(), b.data<T>());
    ScopedGilReleaseForWork free(x.size());
    kernels::kernel_table<T>().run_rnn_direction(r);
  });
  return nb::bool_(true);
}

nb::object try_run_recurrence_grad(int cell, nb::handle g, nb::list last, nb::list states,
                                   nb::handle weight, nb::handle valid, nb::handle saved,
                                   nb::handle dx, nb::handle dy, bool reverse) {
  KernelOperand out(g), to(dx), hidden(dy);
  RecurrentOperands o(to, states, weight, valid, saved, false);
  if (!operands_fit_cell(cell, o) || !are_nonempty_real_of_same_dtype({&to, &out}) ||
      out.size() != o.steps * o.batch * o.hidden || !to.is_contiguous_and_writable())
    return not_implemented();
  if (o.gates == 3 && (!are_nonempty_real_of_same_dtype({&to, &hidden}) || !hidden.same_shape(to) ||
                       !hidden.is_contiguous_and_writable()))
    return not_implemented();
  KernelOperand dh(last[0]), dc(last[last.size() - 1]);
  if (!are_nonempty_real_of_same_dtype({&to, &dh, &dc}) || !dh.is_contiguous_and_writable() ||
      !dc.is_contiguous_and_writable() || dh.size() != o.batch * o.hidden || dc.size() != dh.size())
    return not_implemented();
  dispatch_real_type(to.type(), [&]<class T>(T) {
    auto r = o.to_rnn_direction_args<T>(cell, reverse, nullptr, nullptr);
    kernels::RnnDirectionGradArgs<T> k{out.data<T>(), dh.address<T>(), dc.address<T>(),
                                       to.address<T>(),
                                       o.gates == 3 ? hidden.address<T>() : nullptr};
    ScopedGilReleaseForWork free(to.size());
    kernels::kernel_table<T>().run_rnn_direction_grad(r, k);
  });
  return nb::bool_(true);
}

}  // namespace

void bind_recurrent(nb::module_& m) {
  m.def("recur", &try_run_recurrence, nb::arg("cell"), nb::arg("inputs"), nb::arg("states"),
        nb::arg("weight"), nb::arg("bias"), nb::arg("valid").none(), nb::arg("kept"),
        nb::arg("reverse"),
        "All steps of one direction.   inputs [T,B,G*H], states [B,H], weight [H,G*H]; kept "
        "[T,K,B,H] is written");
  m.def("recur_grad", &try_run_recurrence_grad, nb::arg("cell"), nb::arg("g"), nb::arg("last"),
        nb::arg("states"), nb::arg("weight"), nb::arg("valid").none(), nb::arg("kept"),
        nb::arg("dx"), nb::arg("dy"), nb::arg("reverse"),
        "The backward pass.   g [T,B,H], weight [G*H,H]; dx and dy [T,B,G*H] are written, `last` "
        "becomes the first states' "
        "gradients");
}

}  // namespace oarlock::python
