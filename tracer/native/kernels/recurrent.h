// The time loop of recurrent networks: one direction of one layer, forward and backward.  The rows
// of a batch are independent, so each parallel task runs all time steps for some of the rows.
// The forward pass saves a tensor [T,K,B,H] for the backward pass, as the op rnn does.  Its K parts
// are i, f, g, o, c, h for LSTM; r, z, n, the hidden part of n, h for GRU; h for simple RNN.
#pragma once
#include "kernels/math.h"
#include "kernels/matmul.h"

namespace oarlock::kernels {
namespace {

/// Adjacent elements of one row: a whole vector or a part of one.
template <class T>
struct VectorSpan {
  Size from, count;

  V<T> get(const T* row) const {
    if (count == kLanes<T>) return load(row + from);
    V<T> v = {};
    for (Size i = 0; i < count; ++i) v[i] = row[from + i];
    return v;
  }
  void set(T* row, V<T> v) const {
    if (count == kLanes<T>) return store(row + from, v);
    for (Size i = 0; i < count; ++i) row[from + i] = v[i];
  }
};

/// The operands of a cell for one row and step. z: hidden product; x: input product; b: bias;
/// h, c: the states before the step; saved: saved tensor k is at saved + k * saved_stride.
template <class T>
struct CellRowOperands {
  const RnnDirectionArgs<T>& r;
  const T *x, *b, *h, *c;
  T *z, *saved;
  Size saved_stride;

  T* saved_tensor(Size k) const { return saved + k * saved_stride; }
  V<T> sum(const VectorSpan<T>& s, Size gate) const {
    Size shift = gate * r.hidden;
    return s.get(z + shift) + s.get(x + shift) + s.get(b + shift);
  }
};

template <class T>
void lstm_cell(const CellRowOperands<T>& o, const VectorSpan<T>& s) {
  V<T> in = sigmoid_of(o.sum(s, 0)), forget = sigmoid_of(o.sum(s, 1)),
       candidate = tanh_of(o.sum(s, 2)), out = sigmoid_of(o.sum(s, 3));
  V<T> c = forget * s.get(o.c) + in * candidate;
  s.set(o.saved_tensor(0), in);
  s.set(o.saved_tensor(1), forget);
  s.set(o.saved_tensor(2), candidate);
  s.set(o.saved_tensor(3), out);
  s.set(o.saved_tensor(4), c);
  s.set(o.saved_tensor(5), out * tanh_of(c));
}

template <class T>
void gru_cell(const CellRowOperands<T>& o, const VectorSpan<T>& s) {
  Size third = 2 * o.r.hidden;
  V<T> reset = sigmoid_of(o.sum(s, 0)), update = sigmoid_of(o.sum(s, 1));
  V<T> hidden = s.get(o.z + third) + s.get(o.b + third),
       candidate = tanh_of(s.get(o.x + third) + reset * hidden);
  s.set(o.saved_tensor(0), reset);
  s.set(o.saved_tensor(1), update);
  s.set(o.saved_tensor(2), candidate);
  s.set(o.saved_tensor(3), hidden);
  s.set(o.saved_tensor(4), (s.get(o.h) - candidate) * update + candidate);
}

template <class T>
void simple_rnn_cell(const CellRowOperands<T>& o, const VectorSpan<T>& s) {
  V<T> sum = o.sum(s, 0), zero = {};
  s.set(o.saved_tensor(0), o.r.cell == Cell::tanh ? tanh_of(sum) : sum < 0 ? zero : sum);
}

template <class T, class Body>
void for_each_vector_span(Size count, const Body& body) {
  for (Size i = 0; i < count; i += kLanes<T>) body(VectorSpan<T>{i, min(kLanes<T>, count - i)});
}

template <class T>
void run_cell_on_row(const CellRowOperands<T>& o) {
  for_each_vector_span<T>(o.r.hidden, [&](const VectorSpan<T>& s) {
    o.r.cell == Cell::lstm  ? lstm_cell(o, s)
    : o.r.cell == Cell::gru ? gru_cell(o, s)
                            : simple_rnn_cell(o, s);
  });
}

/// Number of batch rows per task: at least a tile of the matrix product, and enough work.
template <class T>
Size num_rows_per_task(const RnnDirectionArgs<T>& r) {
  Size each = max(1, r.steps * r.hidden * r.hidden * r.gates);
  return ceil_div(max(kRows, kWorkPerTask / each), kRows) * kRows;
}

/// The states before step `i`: the initial states, or those that the previous step saved.
template <class T>
const T* state_before_step(const RnnDirectionArgs<T>& r, Size i, Size state, const T* first) {
  Size size = r.batch * r.hidden, t = r.reverse ? r.steps - i : i - 1;
  return i == 0 ? first : r.saved + (t * r.parts + r.parts - 1 - state) * size;
}

template <class T>
void copy_elements(Size count, const T* from, T* to) {
  for (Size i = 0; i < count; ++i) to[i] = from[i];
}

/// Runs all steps of one direction for the batch rows [from, to), and writes their saved tensors.
/// inputs [T,B,G*H], weight [H,G*H], bias [G*H], initial h and c [B,H].
template <class T>
void run_steps_on_rows(const RnnDirectionArgs<T>& r, Size from, Size to) {
  Size wide = r.gates * r.hidden, size = r.batch * r.hidden;
  T* z = padded_workspace<T>(1, (to - from) * wide);
  for (Size i = 0; i < r.steps; ++i) {
    Size t = r.reverse ? r.steps - 1 - i : i;
    const T *h = state_before_step(r, i, 0, r.h),
            *c = r.cell == Cell::lstm ? state_before_step(r, i, 1, r.c) : nullptr;
    MatrixPanelSource<T> panels{r.weight, wide, 1, to - from};
    multiply_matrix_by_panels(to - from, wide, r.hidden, h + from * r.hidden, r.hidden, Size(1), z,
                              wide, false, panels);
    for (Size b = from; b < to; ++b) {
      Size row = b * r.hidden;
      T* saved = r.saved + t * r.parts * size + row;
      run_cell_on_row(CellRowOperands<T>{r, r.inputs + (t * r.batch + b) * wide, r.bias, h + row,
                                         c ? c + row : nullptr, z + (b - from) * wide, saved,
                                         size});
      if (!r.valid || r.valid[t * r.batch + b]) continue;
      copy_elements(r.hidden, h + row, saved + (r.parts - 1) * size);
      if (c) copy_elements(r.hidden, c + row, saved + (r.parts - 2) * size);
    }
  }
}

template <class T>
void run_rnn_direction(const RnnDirectionArgs<T>& r) {
  parallel_ranges(r.batch, num_rows_per_task(r),
                  [&](Size from, Size to) { run_steps_on_rows(r, from, to); });
}

// -- backward
// ------------------------------------------------------------------------------------------------------

/// The operands of the gradient of a cell for one row and step. saved, h, c: as in CellRowOperands.
/// g: the gradient of the output of the step. dh, dc: on entry the gradients of the states after
/// the step, on exit those before the step, without the part through the hidden product. dx, dy:
/// the gradients of the input and hidden products.
template <class T>
struct CellGradRowOperands {
  const RnnDirectionArgs<T>& r;
  const T *saved, *h, *c, *g;
  T *dh, *dc, *dx, *dy;
  Size saved_stride;

  const T* saved_tensor(Size k) const { return saved + k * saved_stride; }
};

template <class T>
void lstm_cell_grad(const CellGradRowOperands<T>& o, const VectorSpan<T>& s) {
  Size n = o.r.hidden;
  V<T> in = s.get(o.saved_tensor(0)), forget = s.get(o.saved_tensor(1)),
       candidate = s.get(o.saved_tensor(2)), out = s.get(o.saved_tensor(3)),
       t = tanh_of(s.get(o.saved_tensor(4)));
  V<T> g = s.get(o.dh) + s.get(o.g), dc = s.get(o.dc) + g * out * (1 - t * t);
  s.set(o.dx, dc * candidate * in * (1 - in));
  s.set(o.dx + n, dc * s.get(o.c) * forget * (1 - forget));
  s.set(o.dx + 2 * n, dc * in * (1 - candidate * candidate));
  s.set(o.dx + 3 * n, g * t * out * (1 - out));
  s.set(o.dh, V<T>{});
  s.set(o.dc, dc * forget);
}

template <class T>
void gru_cell_grad(const CellGradRowOperands<T>& o, const VectorSpan<T>& s) {
  Size n = o.r.hidden;
  V<T> reset = s.get(o.saved_tensor(0)), update = s.get(o.saved_tensor(1)),
       candidate = s.get(o.saved_tensor(2)), g = s.get(o.dh) + s.get(o.g);
  V<T> d_candidate = g * (1 - update) * (1 - candidate * candidate),
       d_reset = d_candidate * s.get(o.saved_tensor(3)) * reset * (1 - reset);
  V<T> d_update = g * (s.get(o.h) - candidate) * update * (1 - update);
  s.set(o.dx, d_reset);
  s.set(o.dx + n, d_update);
  s.set(o.dx + 2 * n, d_candidate);
  s.set(o.dy, d_reset);
  s.set(o.dy + n, d_update);
  s.set(o.dy + 2 * n, d_candidate * reset);
  s.set(o.dh, g * update);
}

template <class T>
void simple_rnn_cell_grad(const CellGradRowOperands<T>& o, const VectorSpan<T>& s) {
  V<T> h = s.get(o.saved_tensor(0)), g = s.get(o.dh) + s.get(o.g), zero = {};
  s.set(o.dx, o.r.cell == Cell::tanh ? g * (1 - h * h) : h > 0 ? g : zero);
  s.set(o.dh, zero);
}

template <class T>
void run_cell_grad_on_row(const CellGradRowOperands<T>& o, bool valid) {
  Size wide = o.r.gates * o.r.hidden;
  if (!valid) {  // the step copied the states, so their gradients are copied
    for (Size i = 0; i < wide; ++i) o.dx[i] = o.dy[i] = 0;
    return;
  }
  for_each_vector_span<T>(o.r.hidden, [&](const VectorSpan<T>& s) {
    o.r.cell == Cell::lstm  ? lstm_cell_grad(o, s)
    : o.r.cell == Cell::gru ? gru_cell_grad(o, s)
                            : simple_rnn_cell_grad(o, s);
  });
}

template <class T>
void run_steps_grad_on_rows(const RnnDirectionArgs<T>& r, const RnnDirectionGradArgs<T>& k,
                            Size from, Size to) {
  Size wide = r.gates * r.hidden, size = r.batch * r.hidden;
  for (Size i = r.steps - 1; i >= 0; --i) {
    Size t = r.reverse ? r.steps - 1 - i : i;
    const T *h = state_before_step(r, i, 0, r.h),
            *c = r.cell == Cell::lstm ? state_before_step(r, i, 1, r.c) : nullptr;
    T* dy = (k.dy ? k.dy : k.dx) + t * r.batch * wide;
    for (Size b = from; b < to; ++b) {
      Size row = b * r.hidden;
      CellGradRowOperands<T> o{r,
                               r.saved + t * r.parts * size + row,
                               h + row,
                               c ? c + row : nullptr,
                               k.g + t * size + row,
                               k.dh + row,
                               c ? k.dc + row : nullptr,
                               k.dx + (t * r.batch + b) * wide,
                               dy + b * wide,
                               size};
      run_cell_grad_on_row(o, !r.valid || r.valid[t * r.batch + b]);
    }
    MatrixPanelSource<T> panels{r.weight, r.hidden, 1, to - from};
    multiply_matrix_by_panels(to - from, r.hidden, wide, dy + from * wide, wide, Size(1),
                              k.dh + from * r.hidden, r.hidden, true, panels);
  }
}

/// Runs the backward pass of one direction of one layer. weight [G*H,H]; dh, dc [B,H]: on entry the
/// gradients of the final states, on exit those of the initial states.
template <class T>
void run_rnn_direction_grad(const RnnDirectionArgs<T>& r, const RnnDirectionGradArgs<T>& k) {
  parallel_ranges(r.batch, num_rows_per_task(r),
                  [&](Size from, Size to) { run_steps_grad_on_rows(r, k, from, to); });
}

}  // namespace
}  // namespace oarlock::kernels
