// Convolution, and its gradient in the pictures, which is a convolution too: of the gradient with
// the filter turned around.
#pragma once
#include "kernels/matmul.h"
#include "kernels/packed_input.h"

namespace oarlock::kernels {
namespace {

/// y [rows,oh,ow] = weights [rows,channels*taps] times what the window sees.   y_row, y_pixel:
/// strides of rows and pixels of y.
template <class T>
struct Seen {
  View view;
  const Planes* planes;
  const T* weights;
  Size rows;
  const Size* offsets = nullptr;  // of each channel and tap in the planes

  Size depth() const { return planes->channels * view.count; }
  Size pixels() const { return view.oh * view.ow; }
};

/// Rows p ... of what the window sees at the pixels j ...: row c * taps + t is channel c at tap t.
template <class T>
struct SeenPanels {
  const Seen<T>& seen;
  const T* data;
  Size start;

  Block<T> operator()(Size j, Size width, Size p, Size depth) const {
    const Planes& planes = *seen.planes;
    const View& v = seen.view;
    // Whole vectors of neighbouring pixels can be used where they are; the second may be in the
    // next row of the grid.
    if (v.ow % kLanes<T> == 0 && width % kLanes<T> == 0)
      return {data + place(j), 0, seen.offsets + p,
              width > kLanes<T> ? place(j + kLanes<T>) - place(j) : 0};
    bool flat = v.count == 1 && planes.width == v.ow;  // one plane per channel, as it lies
    if (flat && start + j + kColumns<T> <= seen.pixels())
      return {data + p * planes.plane() + start + j, planes.plane()};
    Size pitch = width > kLanes<T> ? kColumns<T> : kLanes<T>;
    T* to = scratch_of<T>(0, depth * pitch);
    copy_seen(v, planes, data, p, depth, Moves<T>(v, planes, start + j, width), to, pitch);
    return {to, pitch};
  }

 private:
  /// Where pixel start + j of the grid is in a plane.
  Size place(Size j) const {
    return (start + j) / seen.view.ow * seen.planes->width + (start + j) % seen.view.ow;
  }
};

/// One row of results, of one channel: N vectors of pixels, each the sum over the taps.
template <class T, int N>
void narrow_pixels(const Seen<T>& s, const T* plane, T* y, Size count) {
  V<T> sums[N] = {};
  for (Size t = 0; t < s.view.count; ++t) {
    V<T> weight = splat(s.weights[t]);
    const T* from = plane + s.planes->offset[t];
    for (int i = 0; i < N; ++i) sums[i] += weight * load(from + i * kLanes<T>);
  }
  for (int i = 0; i < N; ++i, y += kLanes<T>, count -= kLanes<T>)
    if (count >= kLanes<T>)
      store(y, sums[i]);
    else
      for (Size k = 0; k < count; ++k) y[k] = sums[i][k];
}

/// The same for the pixels from ... to: a product would have one row, and nothing to use a panel
/// for twice.
template <class T>
void narrow(const Seen<T>& s, const T* planes, Size from, Size to, T* y) {
  for (Size i = from; i < to;) {
    Size row = i / s.view.ow, column = i % s.view.ow, many = least(to - i, s.view.ow - column);
    for (Size k = 0; k < many; k += kColumns<T>) {
      const T* plane = planes + row * s.planes->width + column + k;
      Size count = least(many - k, kColumns<T>);
      count > kLanes<T> ? narrow_pixels<T, 2>(s, plane, y + i + k, count)
                        : narrow_pixels<T, 1>(s, plane, y + i + k, count);
    }
    i += many;
  }
}

/// The pixels from ... to of y [rows,pixels].
template <class T>
void apply(const Seen<T>& s, const T* planes, Size from, Size to, T* y) {
  if (s.depth() == s.view.count && s.rows == 1) return narrow(s, planes, from, to, y);
  product(s.rows, to - from, s.depth(), s.weights, s.depth(), Size(1), y + from, s.pixels(), false,
          SeenPanels<T>{s, planes, from});
}

/// Whether the planes would be the pictures themselves, and whole vectors do not reach behind their
/// end.
template <class T>
bool as_it_lies(const View& v, const Planes& p) {
  return v.ow % kLanes<T> == 0 && v.count == 1 && v.step_h == 1 && v.step_w == 1 &&
         p.first_row == 0 && p.first_column == 0 && p.height == v.h && p.width == v.w;
}

/// The planes of a picture in scratch memory, or the picture.
template <class T>
const T* planes_of(const View& v, const Planes& p, const T* x) {
  if (as_it_lies<T>(v, p)) return x;
  T* made = scratch_of<T>(1, p.size());
  fill_planes(v, p, x, 0, p.channels, made);
  return made;
}

/// `seen` applied to all pictures x [n,groups,channels,h,w]; weights [groups,rows,depth]; y
/// [n,groups,rows,pixels].
template <class T>
void apply_to_all(Seen<T> seen, Size n, Size groups, const T* x, T* y) {
  seen.offsets = offsets_of(seen.view, *seen.planes);
  Size each_x = seen.planes->channels * seen.view.h * seen.view.w,
       each_y = seen.rows * seen.pixels();
  auto of_group = [&](Size g) {
    Seen<T> s = seen;
    s.weights += g * seen.rows * seen.depth();
    return s;
  };
  if (n * groups >= 4)
    return parallel_parts(n * groups, most(1, parts_of(n * groups, 64)), [&](Size from, Size to) {
      for (Size i = from; i < to; ++i)
        apply(of_group(i % groups), planes_of(seen.view, *seen.planes, x + i * each_x), 0,
              seen.pixels(), y + i * each_y);
    });
  Size part = parts_of(parts_of(seen.pixels(), 8), kColumns<T>) * kColumns<T>;
  for (Size i = 0; i < n * groups; ++i) {
    const T* planes = planes_of(seen.view, *seen.planes, x + i * each_x);
    parallel_parts(seen.pixels(), part, [&](Size from, Size to) {
      apply(of_group(i % groups), planes, from, to, y + i * each_y);
    });
  }
}

inline View view_of(const ConvShape& s, Tap* taps) {
  for (Size i = 0; i < s.kh; ++i)
    for (Size j = 0; j < s.kw; ++j)
      taps[i * s.kw + j] = {i * s.dilation_h - s.top, j * s.dilation_w - s.left};
  return {s.h, s.w, s.oh, s.ow, s.stride_h, s.stride_w, taps, s.kh * s.kw};
}

template <class T>
void conv(const ConvShape& s, const T* x, const T* filter, T* y) {
  Tap taps[Planes::kMostTaps];
  View view = view_of(s, taps);
  Planes planes(view, s.c / s.groups);
  apply_to_all(Seen<T>{view, &planes, filter, s.m / s.groups}, s.n, s.groups, x, y);
}

/// The taps of the gradient at the pixels of one phase (row, column) of the pictures: gradient
/// pixel (i + row) looks at picture pixel i * stride + phase through this tap of the filter. which:
/// their numbers in the filter.
inline Size taps_of_phase(const ConvShape& s, Size row, Size column, Tap* taps, Size* which) {
  Size count = 0;
  for (Size i = 0; i < s.kh; ++i)
    for (Size j = 0; j < s.kw; ++j) {
      Size down = row + s.top - i * s.dilation_h, right = column + s.left - j * s.dilation_w;
      if (down % s.stride_h || right % s.stride_w) continue;
      which[count] = i * s.kw + j;
      taps[count++] = {down / s.stride_h, right / s.stride_w};
    }
  return count;
}

/// The filter [groups,m,c,taps] as weights [groups,c,m*some taps].
template <class T>
void turn_filter(const ConvShape& s, const T* filter, const Size* which, Size count, T* weights) {
  Size c = s.c / s.groups, m = s.m / s.groups, window = s.kh * s.kw;
  for (Size g = 0; g < s.groups; ++g)
    for (Size i = 0; i < m; ++i)
      for (Size k = 0; k < c; ++k)
        for (Size t = 0; t < count; ++t)
          weights[((g * c + k) * m + i) * count + t] =
              filter[((g * m + i) * c + k) * window + which[t]];
}

/// Every stride-th pixel of x [planes,h,w] from (row, column) on; from the dense pictures `made`,
/// or zero.
template <class T>
void scatter(const ConvShape& s, Size row, Size column, Size oh, Size ow, const T* made, T* x) {
  parallel_parts(s.n * s.c, most(1, 16384 / most(1, oh * ow)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p)
      for (Size i = 0; i < oh; ++i) {
        T* place = x + (p * s.h + row + i * s.stride_h) * s.w + column;
        for (Size j = 0; j < ow; ++j)
          place[j * s.stride_w] = made ? made[(p * oh + i) * ow + j] : T(0);
      }
  });
}

template <class T>
void input_of_phase(const ConvShape& s, Size row, Size column, const T* filter, const T* g, T* x) {
  Tap taps[Planes::kMostTaps];
  Size which[Planes::kMostTaps], oh = parts_of(s.h - row, s.stride_h),
                                 ow = parts_of(s.w - column, s.stride_w);
  Size count = taps_of_phase(s, row, column, taps, which);
  if (count == 0) return scatter<T>(s, row, column, oh, ow, nullptr, x);
  T* weights = scratch_of<T>(2, s.m * s.c / s.groups * count);
  turn_filter(s, filter, which, count, weights);
  View view = {s.oh, s.ow, oh, ow, 1, 1, taps, count};
  Planes planes(view, s.m / s.groups);
  Seen<T> seen{view, &planes, weights, s.c / s.groups};
  if (s.stride_h == 1 && s.stride_w == 1) return apply_to_all(seen, s.n, s.groups, g, x);
  T* made = scratch_of<T>(3, s.n * s.c * oh * ow);
  apply_to_all(seen, s.n, s.groups, g, made);
  scatter(s, row, column, oh, ow, made, x);
}

/// planes [channels] += the products of the filter and the gradient at each pixel, set where the
/// window had stood.
template <class T>
void add_columns(const View& v, const Planes& p, const T* columns, T* planes) {
  for (Size c = 0; c < p.channels; ++c)
    for (Size t = 0; t < v.count; ++t, columns += v.oh * v.ow)
      for (Size i = 0; i < v.oh; ++i) {
        T* to = planes + c * p.plane() + p.offset[t] + i * p.width;
        const T* from = columns + i * v.ow;
        for (Size j = 0; j < v.ow; ++j) to[j] += from[j];
      }
}

/// The pixels of x [channels,h,w] from planes of step 1.
template <class T>
void crop(const View& v, const Planes& p, const T* planes, T* x) {
  for (Size c = 0; c < p.channels; ++c)
    for (Size i = 0; i < v.h; ++i)
      for (Size j = 0; j < v.w; ++j) {
        Size row = i - p.first_row, column = j - p.first_column;
        bool inside = row >= 0 && row < p.height && column >= 0 && column < p.width;
        x[(c * v.h + i) * v.w + j] =
            inside ? planes[(c * p.height + row) * p.width + column] : T(0);
      }
}

/// conv_input where the result is much smaller than the pictures: filter times gradient first, then
/// to its places.
template <class T>
void input_by_columns(const ConvShape& s, const T* filter, const T* g, T* x) {
  Tap taps[Planes::kMostTaps];
  View view = view_of(s, taps);
  Size c = s.c / s.groups, m = s.m / s.groups, pixels = s.oh * s.ow, rows = c * view.count;
  Planes p(view, c);
  parallel_parts(s.n * s.groups, most(1, parts_of(s.n * s.groups, 64)), [&](Size from, Size to) {
    T *columns = scratch_of<T>(1, rows * pixels), *planes = scratch_of<T>(2, p.size());
    for (Size i = from; i < to; ++i) {
      MatrixPanels<T> panels{g + i * m * pixels, pixels, 1, rows};
      product(rows, pixels, m, filter + i % s.groups * m * rows, Size(1), rows, columns, pixels,
              false, panels);
      for (Size k = 0; k < p.size(); ++k) planes[k] = 0;
      add_columns(view, p, columns, planes);
      crop(view, p, planes, x + i * c * s.h * s.w);
    }
  });
}

template <class T>
void conv_input(const ConvShape& s, const T* filter, const T* g, T* x) {
  bool small = 3 * s.oh * s.ow < 2 * s.h * s.w, dense = s.stride_h == 1 && s.stride_w == 1;
  if (small && dense && s.c > s.groups) return input_by_columns(s, filter, g, x);
  for (Size row = 0; row < least(s.stride_h, s.h); ++row)
    for (Size column = 0; column < least(s.stride_w, s.w); ++column)
      input_of_phase(s, row, column, filter, g, x);
}

}  // namespace
}  // namespace oarlock::kernels
