// The gradient of a convolution in its filter: for each place of the filter, what the window saw
// there times the gradient.
#pragma once
#include "kernels/conv.h"

namespace oarlock::kernels {
namespace {

/// Some rows [channels from ... to, all taps] of the filter's gradient, from the rows of the
/// gradient `first` ... `last`.
template <class T>
struct FilterPart {
  const ConvShape& s;
  const View& view;
  Size group, from, to, first, last;  // rows of pixels, counted through all pictures

  Size m() const { return s.m / s.groups; }
  Size rows() const { return (to - from) * view.count; }
};

/// Scratch memory of one part: planes, what the window sees as rows, and the gradient as columns.
template <class T>
struct FilterWork {
  Size pixels, row, pitch;  // most pixels at a time; elements from row to row of what is seen, and
                            // of the gradient
  T *planes, *seen, *g;
};

/// The row of pixels `row` becomes pixels `at` ... of what is seen and of the gradient.
template <class T>
void gather_row(const FilterPart<T>& f, const Planes& p, const T* planes, const T* g, Size row,
                Size at, const FilterWork<T>& work) {
  Size oh = row % f.s.oh;
  for (Size i = 0; i < f.s.ow; i += kColumns<T>)
    copy_seen(f.view, p, planes, 0, f.rows(),
              Moves<T>(f.view, p, oh * f.s.ow + i, least(kColumns<T>, f.s.ow - i)),
              work.seen + at + i, work.row);
  const T* from = g + ((row / f.s.oh * f.s.groups + f.group) * f.m() * f.s.oh + oh) * f.s.ow;
  transpose(from, f.s.oh * f.s.ow, f.m(), f.s.ow, work.g + at * work.pitch, work.pitch);
}

/// total [rows,pitch] += the sum over the part's pixels of what is seen times the gradient.
template <class T>
void add_part(const FilterPart<T>& f, const T* x, const T* g, const FilterWork<T>& work, T* total) {
  Planes p(f.view, f.to - f.from);
  Size step = work.pixels / f.s.ow, picture = -1;
  const T* planes = nullptr;
  for (Size start = f.first; start < f.last; start += step) {
    Size rows = least(step, f.last - start);
    for (Size r = 0; r < rows; ++r) {
      if ((start + r) / f.s.oh != picture) {
        picture = (start + r) / f.s.oh;
        const T* pictures =
            x + (picture * f.s.c + f.group * (f.s.c / f.s.groups) + f.from) * f.s.h * f.s.w;
        fill_planes(f.view, p, pictures, 0, p.channels, work.planes);
        planes = work.planes;
      }
      gather_row(f, p, planes, g, start + r, r * f.s.ow, work);
    }
    product(f.rows(), work.pitch, rows * f.s.ow, work.seen, work.row, Size(1), total, work.pitch,
            true, [&](Size j, Size, Size k, Size) {
              return Block<T>{work.g + k * work.pitch + j, work.pitch};
            });
  }
}

/// How the work is cut: parts of the channels, and parts of the pictures whose sums are added up in
/// order at the end.
struct FilterCut {
  Size channels, blocks, pictures, chunks;

  FilterCut(const ConvShape& s, Size taps) {
    Size c = s.c / s.groups;
    channels = least(c, most(1, 288 / taps));
    blocks = parts_of(c, channels);
    channels = parts_of(c, blocks);
    Size enough = most(1, s.n * s.oh * s.ow /
                              1024);  // a part of fewer pixels costs more for its sums than it does
    chunks = least(least(s.n, enough), most(1, 8 / (blocks * s.groups)));
    pictures = parts_of(s.n, chunks);
    chunks = parts_of(s.n, pictures);
  }
};

constexpr Size kTogether = 8;  // taps whose sums stay in registers

/// sums[t] += the sum over the pixels of what tap t sees times the gradient, `g` [oh,g_row] being
/// zero behind the columns.
template <class T>
void add_dots(const View& v, const Planes& p, const T* plane, const T* g, Size g_row, Size first,
              V<T>* sums) {
  const T* from[kTogether];
  V<T> found[kTogether] = {};
  for (Size t = 0; t < kTogether; ++t) from[t] = plane + p.offset[least(first + t, v.count - 1)];
  for (Size i = 0; i < v.oh; ++i)
    for (Size j = 0; j < v.ow; j += kLanes<T>) {
      V<T> back = load(g + i * g_row + j);
      for (Size t = 0; t < kTogether; ++t) found[t] += back * load(from[t] + i * p.width + j);
    }
  for (Size t = 0; t < least(kTogether, v.count - first); ++t) sums[first + t] += found[t];
}

/// conv_filter where each channel has one filter of its own.
template <class T>
void filter_of_each(const ConvShape& s, const View& view, const T* x, const T* g, T* filter) {
  Size row = parts_of(s.ow, kLanes<T>) * kLanes<T>;
  Planes p(view, 1);
  parallel_parts(s.m, 1, [&](Size from, Size to) {
    T *planes = scratch_of<T>(0, p.size()), *wide = scratch_of<T>(1, s.oh * row);
    auto* sums = reinterpret_cast<V<T>*>(scratch_of<T>(2, view.count * kLanes<T>));
    for (Size i = 0; i < s.oh * row; ++i) wide[i] = 0;
    for (Size i = 0; i < p.size() + kLanes<T>; ++i)
      planes[i] = 0;  // what is behind the last plane is read, times zero
    for (Size m = from; m < to; ++m) {
      for (Size t = 0; t < view.count; ++t) sums[t] = V<T>{};
      for (Size n = 0; n < s.n; ++n) {
        fill_planes(view, p, x + (n * s.c + m) * s.h * s.w, 0, 1, planes);
        for (Size i = 0; i < s.oh; ++i)
          for (Size j = 0; j < s.ow; ++j)
            wide[i * row + j] = g[((n * s.m + m) * s.oh + i) * s.ow + j];
        for (Size t = 0; t < view.count; t += kTogether)
          add_dots(view, p, planes, wide, row, t, sums);
      }
      for (Size t = 0; t < view.count; ++t) filter[m * view.count + t] = sum_of<T>(sums[t]);
    }
  });
}

template <class T>
void conv_filter(const ConvShape& s, const T* x, const T* g, T* filter) {
  Tap taps[Planes::kMostTaps];
  View view = view_of(s, taps);
  if (s.c == s.groups && s.m == s.groups && s.groups > 1)
    return filter_of_each(s, view, x, g, filter);
  FilterCut cut(s, view.count);
  Size c = s.c / s.groups, m = s.m / s.groups, pitch = parts_of(m, kLanes<T>) * kLanes<T>;
  Size whole = s.groups * c * view.count * pitch;
  T* totals = scratch_of<T>(2, cut.chunks * whole);
  parallel(cut.chunks * s.groups * cut.blocks, [&](Size task) {
    Size chunk = task % cut.chunks, group = task / cut.chunks % s.groups,
         block = task / cut.chunks / s.groups;
    FilterPart<T> part{s,
                       view,
                       group,
                       block * cut.channels,
                       least(c, (block + 1) * cut.channels),
                       chunk * cut.pictures * s.oh,
                       least(s.n, (chunk + 1) * cut.pictures) * s.oh};
    T* total = totals + chunk * whole + (group * c + part.from) * view.count * pitch;
    for (Size i = 0; i < part.rows() * pitch; ++i) total[i] = 0;
    Planes p(view, part.to - part.from);
    Size pixels = most(1, 512 / s.ow) * s.ow,
         row = pixels + kLanes<T>;  // room for what vectors write behind the last run
    FilterWork<T> work{
        pixels, row, pitch, scratch_of<T>(3, p.size()), scratch_of<T>(4, part.rows() * row),
        nullptr};
    work.g = scratch_of<T>(5, work.pixels * pitch);
    if (m < pitch)
      for (Size i = 0; i < work.pixels * pitch; ++i) work.g[i] = 0;
    add_part(part, x, g, work, total);
  });
  Size rows = c * view.count;
  parallel_parts(s.groups * rows, most(64, 65536 / pitch), [&](Size from, Size to) {
    for (Size r = from; r < to; ++r)
      for (Size i = 0; i < m; ++i) {
        T sum = totals[r * pitch + i];
        for (Size chunk = 1; chunk < cut.chunks; ++chunk)
          sum += totals[chunk * whole + r * pitch + i];
        filter[(r / rows * m + i) * rows + r % rows] = sum;
      }
  });
}

}  // namespace
}  // namespace oarlock::kernels
