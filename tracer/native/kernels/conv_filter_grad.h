// The filter gradient of a convolution: for each kernel offset, the product of the im2col row and
// the output gradient.
#pragma once
#include "kernels/conv.h"
#include "kernels/conv_filter_grad_pixel_major.h"

namespace oarlock::kernels {
namespace {

/// A task: the filter gradient of channels [from, to) for all kernel offsets, summed over pixel
/// rows [first, last).
template <class T>
struct FilterGradTask {
  const ConvShape& s;
  const ConvGeometry& window;
  Size group, from, to, first, last;  // pixel rows are numbered through all images

  Size output_channels_per_group() const { return s.m / s.groups; }
  Size im2col_rows() const { return (to - from) * window.count; }
};

/// The workspace of one task: packed planes, im2col rows, and the gradient as columns.
template <class T>
struct FilterGradWorkspace {
  Size pixels, row, pitch;  // maximal number of pixels; row strides of im2col and of the gradient
  T *planes, *im2col, *g;
};

/// Copies pixel row `row` to the columns `at` ... of im2col and of the gradient.
template <class T>
void copy_im2col_and_gradient_row(const FilterGradTask<T>& f, const PackedInputLayout& p,
                                  const T* planes, const Size* offsets, const T* g, Size row,
                                  Size at, const FilterGradWorkspace<T>& work) {
  Size oh = row % f.s.oh;
  for (Size i = 0; i < f.s.ow; i += kColumns<T>)
    dispatch_copy_im2col_rows(
        planes, offsets, f.im2col_rows(),
        Im2colRowCopyPlan<T>(f.window, p, oh * f.s.ow + i, min(kColumns<T>, f.s.ow - i)),
        work.im2col + at + i, work.row);
  const T* from =
      g + ((row / f.s.oh * f.s.groups + f.group) * f.output_channels_per_group() * f.s.oh + oh) *
              f.s.ow;
  copy_transposed(from, f.s.oh * f.s.ow, f.output_channels_per_group(), f.s.ow,
                  work.g + at * work.pitch, work.pitch);
}

/// total [rows,pitch] += im2col @ gradient, over the pixels of the task.
template <class T>
void accumulate_filter_grad_of_task(const FilterGradTask<T>& f, const T* x, const T* g,
                                    const FilterGradWorkspace<T>& work, T* total) {
  PackedInputLayout p(f.window, f.to - f.from);
  const Size* offsets = plane_offsets_of_im2col_rows(f.window, p, Im2colRowOrder::by_channel, 1);
  Size step = work.pixels / f.s.ow, image = -1;
  const T* planes = nullptr;
  for (Size start = f.first; start < f.last; start += step) {
    Size rows = min(step, f.last - start);
    for (Size r = 0; r < rows; ++r) {
      if ((start + r) / f.s.oh != image) {
        image = (start + r) / f.s.oh;
        const T* images =
            x + (image * f.s.c + f.group * (f.s.c / f.s.groups) + f.from) * f.s.h * f.s.w;
        fill_planes(f.window, p, images, 0, p.channels, work.planes);
        planes = work.planes;
      }
      copy_im2col_and_gradient_row(f, p, planes, offsets, g, start + r, r * f.s.ow, work);
    }
    multiply_matrix_by_panels(f.im2col_rows(), work.pitch, rows * f.s.ow, work.im2col, work.row,
                              Size(1), total, work.pitch, true, [&](Size j, Size, Size k, Size) {
                                return PanelView<T>{work.g + k * work.pitch + j, work.pitch};
                              });
  }
}

/// How the work is divided into tasks: blocks of channels, and chunks of images.  The sums of the
/// chunks are added in order at the end.
struct FilterGradPartition {
  Size channels, blocks, images, chunks;

  FilterGradPartition(const ConvShape& s, Size taps) {
    Size c = s.c / s.groups;
    channels = min(c, max(1, 288 / taps));
    blocks = ceil_div(c, channels);
    channels = ceil_div(c, blocks);
    Size enough =
        // for smaller chunks, adding the sums takes more time than is gained
        max(1, s.n * s.oh * s.ow / 1024);
    chunks = min(min(s.n, enough), max(1, 8 / (blocks * s.groups)));
    images = ceil_div(s.n, chunks);
    chunks = ceil_div(s.n, images);
  }
};

constexpr Size kOffsetsPerPass = 8;  // kernel offsets whose sums fit in registers

/// sums[t] += the sum over pixels of the input at kernel offset t times the gradient; `g`
/// [oh,g_row] is zero beyond the columns.
template <class T>
void accumulate_dots_per_kernel_offset(const ConvGeometry& v, const PackedInputLayout& p,
                                       const T* plane, const T* g, Size g_row, Size first,
                                       V<T>* sums) {
  const T* from[kOffsetsPerPass];
  V<T> partial_sums[kOffsetsPerPass] = {};
  for (Size t = 0; t < kOffsetsPerPass; ++t)
    from[t] = plane + p.kernel_offset[min(first + t, v.count - 1)];
  for (Size i = 0; i < v.oh; ++i)
    for (Size j = 0; j < v.ow; j += kLanes<T>) {
      V<T> back = load(g + i * g_row + j);
      for (Size t = 0; t < kOffsetsPerPass; ++t)
        partial_sums[t] += back * load(from[t] + i * p.width + j);
    }
  for (Size t = 0; t < min(kOffsetsPerPass, v.count - first); ++t)
    sums[first + t] += partial_sums[t];
}

/// The filter gradient of depthwise convolutions.
template <class T>
void depthwise_filter_grad(const ConvShape& s, const ConvGeometry& window, const T* x, const T* g,
                           T* filter) {
  Size row = ceil_div(s.ow, kLanes<T>) * kLanes<T>;
  PackedInputLayout p(window, 1);
  parallel_ranges(s.m, 1, [&](Size from, Size to) {
    T *planes = padded_workspace<T>(0, p.size()), *wide = padded_workspace<T>(1, s.oh * row);
    auto* sums = reinterpret_cast<V<T>*>(padded_workspace<T>(2, window.count * kLanes<T>));
    for (Size i = 0; i < s.oh * row; ++i) wide[i] = 0;
    for (Size i = 0; i < p.size() + kLanes<T>; ++i)
      planes[i] = 0;  // elements after the last plane are read and multiplied by zero
    for (Size m = from; m < to; ++m) {
      for (Size t = 0; t < window.count; ++t) sums[t] = V<T>{};
      for (Size n = 0; n < s.n; ++n) {
        fill_planes(window, p, x + (n * s.c + m) * s.h * s.w, 0, 1, planes);
        for (Size i = 0; i < s.oh; ++i)
          for (Size j = 0; j < s.ow; ++j)
            wide[i * row + j] = g[((n * s.m + m) * s.oh + i) * s.ow + j];
        for (Size t = 0; t < window.count; t += kOffsetsPerPass)
          accumulate_dots_per_kernel_offset(window, p, planes, wide, row, t, sums);
      }
      for (Size t = 0; t < window.count; ++t)
        filter[m * window.count + t] = horizontal_sum<T>(sums[t]);
    }
  });
}

template <class T>
void conv_filter_grad(const ConvShape& s, const T* x, const T* g, T* filter) {
  FilterTapDisplacement taps[PackedInputLayout::kMaxOffsets];
  ConvGeometry window = fill_taps_and_make_forward_window(s, taps);
  if (s.c == s.groups && s.m == s.groups && s.groups > 1)
    return depthwise_filter_grad(s, window, x, g, filter);
  if (prefers_pixel_major_filter_grad<T>(s)) return pixel_major_filter_grad(s, x, g, filter);
  FilterGradPartition partition(s, window.count);
  Size c = s.c / s.groups, m = s.m / s.groups, pitch = ceil_div(m, kLanes<T>) * kLanes<T>;
  Size whole = s.groups * c * window.count * pitch;
  T* totals = padded_workspace<T>(2, partition.chunks * whole);
  parallel_for(partition.chunks * s.groups * partition.blocks, [&](Size task) {
    Size chunk = task % partition.chunks, group = task / partition.chunks % s.groups,
         block = task / partition.chunks / s.groups;
    FilterGradTask<T> part{s,
                           window,
                           group,
                           block * partition.channels,
                           min(c, (block + 1) * partition.channels),
                           chunk * partition.images * s.oh,
                           min(s.n, (chunk + 1) * partition.images) * s.oh};
    T* total = totals + chunk * whole + (group * c + part.from) * window.count * pitch;
    for (Size i = 0; i < part.im2col_rows() * pitch; ++i) total[i] = 0;
    PackedInputLayout p(window, part.to - part.from);
    Size pixels = max(1, 512 / s.ow) * s.ow,
         row = pixels + kLanes<T>;  // space for vector writes beyond the last row
    FilterGradWorkspace<T> work{pixels,
                                row,
                                pitch,
                                padded_workspace<T>(3, p.size()),
                                padded_workspace<T>(4, part.im2col_rows() * row),
                                nullptr};
    work.g = padded_workspace<T>(5, work.pixels * pitch);
    if (m < pitch)
      for (Size i = 0; i < work.pixels * pitch; ++i) work.g[i] = 0;
    accumulate_filter_grad_of_task(part, x, g, work, total);
  });
  Size rows = c * window.count;
  parallel_ranges(s.groups * rows, max(64, 65536 / pitch), [&](Size from, Size to) {
    for (Size r = from; r < to; ++r)
      for (Size i = 0; i < m; ++i) {
        T sum = totals[r * pitch + i];
        for (Size chunk = 1; chunk < partition.chunks; ++chunk)
          sum += totals[chunk * whole + r * pitch + i];
        filter[(r / rows * m + i) * rows + r % rows] = sum;
      }
  });
}

}  // namespace
}  // namespace oarlock::kernels
