// The time loop of recurrent networks: one direction of one layer, forwards and backwards.
//
// Rows of the batch do not know of each other, so each task takes some of them through all steps.
// What is kept is [T,K,B,H], as in the op rnn: LSTM i, f, g, o, c, h; GRU r, z, n, the hidden part
// of n, h; the simple ones h.
#pragma once
#include "kernels/math.h"
#include "kernels/matmul.h"

namespace oarlock::kernels {
namespace {

/// Some neighbouring elements of one row: a whole vector, or as many as there are.
template <class T>
struct Span {
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

/// What a cell sees of one row at one step.   z: the hidden product; x: the input's; b: bias; kept:
/// part k is at kept + k * part.
template <class T>
struct CellRow {
  const Recurrence<T>& r;
  const T *x, *b, *h, *c;
  T *z, *kept;
  Size part;

  T* at(Size k) const { return kept + k * part; }
  V<T> sum(const Span<T>& s, Size gate) const {
    Size shift = gate * r.hidden;
    return s.get(z + shift) + s.get(x + shift) + s.get(b + shift);
  }
};

template <class T>
void lstm(const CellRow<T>& o, const Span<T>& s) {
  V<T> in = sigmoid_of(o.sum(s, 0)), forget = sigmoid_of(o.sum(s, 1)), made = tanh_of(o.sum(s, 2)),
       out = sigmoid_of(o.sum(s, 3));
  V<T> c = forget * s.get(o.c) + in * made;
  s.set(o.at(0), in);
  s.set(o.at(1), forget);
  s.set(o.at(2), made);
  s.set(o.at(3), out);
  s.set(o.at(4), c);
  s.set(o.at(5), out * tanh_of(c));
}

template <class T>
void gru(const CellRow<T>& o, const Span<T>& s) {
  Size third = 2 * o.r.hidden;
  V<T> reset = sigmoid_of(o.sum(s, 0)), update = sigmoid_of(o.sum(s, 1));
  V<T> hidden = s.get(o.z + third) + s.get(o.b + third),
       made = tanh_of(s.get(o.x + third) + reset * hidden);
  s.set(o.at(0), reset);
  s.set(o.at(1), update);
  s.set(o.at(2), made);
  s.set(o.at(3), hidden);
  s.set(o.at(4), (s.get(o.h) - made) * update + made);
}

template <class T>
void simple(const CellRow<T>& o, const Span<T>& s) {
  V<T> sum = o.sum(s, 0), zero = {};
  s.set(o.at(0), o.r.cell == Cell::tanh ? tanh_of(sum) : sum < 0 ? zero : sum);
}

template <class T, class Body>
void each_span(Size count, const Body& body) {
  for (Size i = 0; i < count; i += kLanes<T>) body(Span<T>{i, least(kLanes<T>, count - i)});
}

template <class T>
void step_row(const CellRow<T>& o) {
  each_span<T>(o.r.hidden, [&](const Span<T>& s) {
    o.r.cell == Cell::lstm ? lstm(o, s) : o.r.cell == Cell::gru ? gru(o, s) : simple(o, s);
  });
}

/// Rows of a batch that are worth a task: at least a tile of them, and enough work.
template <class T>
Size rows_of_task(const Recurrence<T>& r) {
  Size each = most(1, r.steps * r.hidden * r.hidden * r.gates);
  return parts_of(most(kRows, kWork / each), kRows) * kRows;
}

/// Where the states before step number `i` are: the first ones, or what the step taken before it
/// kept.
template <class T>
const T* before(const Recurrence<T>& r, Size i, Size state, const T* first) {
  Size size = r.batch * r.hidden, t = r.reverse ? r.steps - i : i - 1;
  return i == 0 ? first : r.kept + (t * r.parts + r.parts - 1 - state) * size;
}

template <class T>
void copy(Size count, const T* from, T* to) {
  for (Size i = 0; i < count; ++i) to[i] = from[i];
}

/// inputs [T,B,G*H], weight [H,G*H], bias [G*H], first h and c [B,H]; writes kept.
template <class T>
void recur_rows(const Recurrence<T>& r, Size from, Size to) {
  Size wide = r.gates * r.hidden, size = r.batch * r.hidden;
  T* z = scratch_of<T>(1, (to - from) * wide);
  for (Size i = 0; i < r.steps; ++i) {
    Size t = r.reverse ? r.steps - 1 - i : i;
    const T *h = before(r, i, 0, r.h), *c = r.cell == Cell::lstm ? before(r, i, 1, r.c) : nullptr;
    MatrixPanels<T> panels{r.weight, wide, 1, to - from};
    product(to - from, wide, r.hidden, h + from * r.hidden, r.hidden, Size(1), z, wide, false,
            panels);
    for (Size b = from; b < to; ++b) {
      Size row = b * r.hidden;
      T* kept = r.kept + t * r.parts * size + row;
      step_row(CellRow<T>{r, r.inputs + (t * r.batch + b) * wide, r.bias, h + row,
                          c ? c + row : nullptr, z + (b - from) * wide, kept, size});
      if (!r.valid || r.valid[t * r.batch + b]) continue;
      copy(r.hidden, h + row, kept + (r.parts - 1) * size);
      if (c) copy(r.hidden, c + row, kept + (r.parts - 2) * size);
    }
  }
}

template <class T>
void recur(const Recurrence<T>& r) {
  parallel_parts(r.batch, rows_of_task(r), [&](Size from, Size to) { recur_rows(r, from, to); });
}

// -- and back
// ------------------------------------------------------------------------------------------------------

/// One row on the way back.   dh, dc: gradients of the states, changed to those before the step but
/// for what comes through the hidden product; dx, dy: gradients of the input's and of the hidden
/// product.
template <class T>
struct BackRow {
  const Recurrence<T>& r;
  const T *kept, *h, *c, *g;
  T *dh, *dc, *dx, *dy;
  Size part;

  const T* at(Size k) const { return kept + k * part; }
};

template <class T>
void lstm_back(const BackRow<T>& o, const Span<T>& s) {
  Size n = o.r.hidden;
  V<T> in = s.get(o.at(0)), forget = s.get(o.at(1)), made = s.get(o.at(2)), out = s.get(o.at(3)),
       t = tanh_of(s.get(o.at(4)));
  V<T> g = s.get(o.dh) + s.get(o.g), dc = s.get(o.dc) + g * out * (1 - t * t);
  s.set(o.dx, dc * made * in * (1 - in));
  s.set(o.dx + n, dc * s.get(o.c) * forget * (1 - forget));
  s.set(o.dx + 2 * n, dc * in * (1 - made * made));
  s.set(o.dx + 3 * n, g * t * out * (1 - out));
  s.set(o.dh, V<T>{});
  s.set(o.dc, dc * forget);
}

template <class T>
void gru_back(const BackRow<T>& o, const Span<T>& s) {
  Size n = o.r.hidden;
  V<T> reset = s.get(o.at(0)), update = s.get(o.at(1)), made = s.get(o.at(2)),
       g = s.get(o.dh) + s.get(o.g);
  V<T> d_made = g * (1 - update) * (1 - made * made),
       d_reset = d_made * s.get(o.at(3)) * reset * (1 - reset);
  V<T> d_update = g * (s.get(o.h) - made) * update * (1 - update);
  s.set(o.dx, d_reset);
  s.set(o.dx + n, d_update);
  s.set(o.dx + 2 * n, d_made);
  s.set(o.dy, d_reset);
  s.set(o.dy + n, d_update);
  s.set(o.dy + 2 * n, d_made * reset);
  s.set(o.dh, g * update);
}

template <class T>
void simple_back(const BackRow<T>& o, const Span<T>& s) {
  V<T> h = s.get(o.at(0)), g = s.get(o.dh) + s.get(o.g), zero = {};
  s.set(o.dx, o.r.cell == Cell::tanh ? g * (1 - h * h) : h > 0 ? g : zero);
  s.set(o.dh, zero);
}

template <class T>
void back_row(const BackRow<T>& o, bool valid) {
  Size wide = o.r.gates * o.r.hidden;
  if (!valid) {  // the states went by, so do their gradients
    for (Size i = 0; i < wide; ++i) o.dx[i] = o.dy[i] = 0;
    return;
  }
  each_span<T>(o.r.hidden, [&](const Span<T>& s) {
    o.r.cell == Cell::lstm  ? lstm_back(o, s)
    : o.r.cell == Cell::gru ? gru_back(o, s)
                            : simple_back(o, s);
  });
}

template <class T>
void recur_back_rows(const Recurrence<T>& r, const RecurrenceBack<T>& k, Size from, Size to) {
  Size wide = r.gates * r.hidden, size = r.batch * r.hidden;
  for (Size i = r.steps - 1; i >= 0; --i) {
    Size t = r.reverse ? r.steps - 1 - i : i;
    const T *h = before(r, i, 0, r.h), *c = r.cell == Cell::lstm ? before(r, i, 1, r.c) : nullptr;
    T* dy = (k.dy ? k.dy : k.dx) + t * r.batch * wide;
    for (Size b = from; b < to; ++b) {
      Size row = b * r.hidden;
      BackRow<T> o{r,
                   r.kept + t * r.parts * size + row,
                   h + row,
                   c ? c + row : nullptr,
                   k.g + t * size + row,
                   k.dh + row,
                   c ? k.dc + row : nullptr,
                   k.dx + (t * r.batch + b) * wide,
                   dy + b * wide,
                   size};
      back_row(o, !r.valid || r.valid[t * r.batch + b]);
    }
    MatrixPanels<T> panels{r.weight, r.hidden, 1, to - from};
    product(to - from, r.hidden, wide, dy + from * wide, wide, Size(1), k.dh + from * r.hidden,
            r.hidden, true, panels);
  }
}

/// weight [G*H,H] here; dh and dc [B,H] are the gradients of the last states, and become those of
/// the first.
template <class T>
void recur_back(const Recurrence<T>& r, const RecurrenceBack<T>& k) {
  parallel_parts(r.batch, rows_of_task(r),
                 [&](Size from, Size to) { recur_back_rows(r, k, from, to); });
}

}  // namespace
}  // namespace oarlock::kernels
