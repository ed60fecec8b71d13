// Convolution, and its input gradient, which is a convolution of the output gradient with the
// reordered filter.
#pragma once
#include "kernels/matmul.h"
#include "kernels/packed_input.h"

namespace oarlock::kernels {
namespace {

/// The operands of y [rows,oh,ow] = weights [rows,channels*offsets] @ im2col(input).
template <class T>
struct Im2colMatmulOperands {
  ConvGeometry window;
  const PackedInputLayout* layout;
  const T* weights;
  Size rows;
  Im2colRowOrder order = Im2colRowOrder::by_channel;
  const Size* offsets = nullptr;  // position of each row of the im2col matrix in the packed input

  Size depth() const { return layout->channels * window.count; }
  Size num_output_pixels() const { return window.oh * window.ow; }
};

/// Panels of the im2col matrix, for `multiply_matrix_by_panels`.
template <class T>
struct Im2colPanelSource {
  const Im2colMatmulOperands<T>& operand;
  const T* data;
  Size start;

  PanelView<T> operator()(Size j, Size width, Size p, Size depth) const {
    const PackedInputLayout& planes = *operand.layout;
    const ConvGeometry& v = operand.window;
    // Output pixels of a row that form whole vectors are read in place.  The second of two vectors
    // may begin in the next row.
    if (v.ow % kLanes<T> == 0 && width % kLanes<T> == 0)
      return {data + pixel_offset(j), 0, operand.offsets + p,
              width > kLanes<T> ? pixel_offset(j + kLanes<T>) - pixel_offset(j) : 0};
    // each row of the matrix is a plane with the layout of the image
    bool flat = v.count == 1 && planes.width == v.ow;
    if (flat && start + j + kColumns<T> <= operand.num_output_pixels())
      return {data + p * planes.plane_size() + start + j, planes.plane_size()};
    Size pitch = width > kLanes<T> ? kColumns<T> : kLanes<T>;
    T* to = padded_workspace<T>(0, depth * pitch);
    dispatch_copy_im2col_rows(data, operand.offsets + p, depth,
                              Im2colRowCopyPlan<T>(v, planes, start + j, width), to, pitch);
    return {to, pitch};
  }

 private:
  /// The offset of pixel start + j in a plane.
  Size pixel_offset(Size j) const {
    return (start + j) / operand.window.ow * operand.layout->width +
           (start + j) % operand.window.ow;
  }
};

/// Depthwise, one filter: N vectors of neighboring pixels in an image row; each is a sum over the
/// kernel offsets.
template <class T, int N>
void conv_single_channel_pixel_vectors(const Im2colMatmulOperands<T>& s, const T* plane, T* y,
                                       Size count) {
  V<T> sums[N] = {};
  for (Size t = 0; t < s.window.count; ++t) {
    V<T> weight = splat(s.weights[t]);
    const T* from = plane + s.layout->kernel_offset[t];
    for (int i = 0; i < N; ++i) sums[i] += weight * load(from + i * kLanes<T>);
  }
  for (int i = 0; i < N; ++i, y += kLanes<T>, count -= kLanes<T>)
    if (count >= kLanes<T>)
      store(y, sums[i]);
    else
      for (Size k = 0; k < count; ++k) y[k] = sums[i][k];
}

/// Pixels [from, to) of a single output row, computed directly: a matrix product would use each
/// panel only once.
template <class T>
void conv_single_channel_pixel_range(const Im2colMatmulOperands<T>& s, const T* planes, Size from,
                                     Size to, T* y) {
  for (Size i = from; i < to;) {
    Size row = i / s.window.ow, column = i % s.window.ow,
         run_length = min(to - i, s.window.ow - column);
    for (Size k = 0; k < run_length; k += kColumns<T>) {
      const T* plane = planes + row * s.layout->width + column + k;
      Size count = min(run_length - k, kColumns<T>);
      count > kLanes<T> ? conv_single_channel_pixel_vectors<T, 2>(s, plane, y + i + k, count)
                        : conv_single_channel_pixel_vectors<T, 1>(s, plane, y + i + k, count);
    }
    i += run_length;
  }
}

/// Computes pixels [from, to) of the output y [rows,pixels] of one image and group.
template <class T>
void conv_pixel_range(const Im2colMatmulOperands<T>& s, const T* planes, Size from, Size to, T* y) {
  if (s.depth() == s.window.count && s.rows == 1)
    return conv_single_channel_pixel_range(s, planes, from, to, y);
  multiply_matrix_by_panels(s.rows, to - from, s.depth(), s.weights, s.depth(), Size(1), y + from,
                            s.num_output_pixels(), false, Im2colPanelSource<T>{s, planes, from});
}

/// Whether the packed input is equal to the image, and reads of whole vectors stay inside of the
/// image.
template <class T>
bool can_use_image_as_packed_input(const ConvGeometry& v, const PackedInputLayout& p) {
  return v.ow % kLanes<T> == 0 && v.count == 1 && v.step_h == 1 && v.step_w == 1 &&
         p.first_row == 0 && p.first_column == 0 && p.height == v.h && p.width == v.w;
}

/// The packed planes of an image, in the workspace; or the image itself.
template <class T>
const T* pack_planes_if_needed(const ConvGeometry& v, const PackedInputLayout& p, const T* x) {
  if (can_use_image_as_packed_input<T>(v, p)) return x;
  T* buffer = padded_workspace<T>(1, p.size());
  fill_planes(v, p, x, 0, p.channels, buffer);
  return buffer;
}

/// Applies the convolution to all images.
template <class T>
void conv_all_images(Im2colMatmulOperands<T> operand, Size n, Size groups, const T* x, T* y) {
  operand.offsets = plane_offsets_of_im2col_rows(operand.window, *operand.layout, operand.order, 5);
  Size each_x = operand.layout->channels * operand.window.h * operand.window.w,
       each_y = operand.rows * operand.num_output_pixels();
  auto of_group = [&](Size g) {
    Im2colMatmulOperands<T> s = operand;
    s.weights += g * operand.rows * operand.depth();
    return s;
  };
  if (n * groups >= 4)
    return parallel_ranges(n * groups, max(1, ceil_div(n * groups, 64)), [&](Size from, Size to) {
      for (Size i = from; i < to; ++i)
        conv_pixel_range(of_group(i % groups),
                         pack_planes_if_needed(operand.window, *operand.layout, x + i * each_x), 0,
                         operand.num_output_pixels(), y + i * each_y);
    });
  Size part = ceil_div(ceil_div(operand.num_output_pixels(), 8), kColumns<T>) * kColumns<T>;
  for (Size i = 0; i < n * groups; ++i) {
    const T* planes = pack_planes_if_needed(operand.window, *operand.layout, x + i * each_x);
    parallel_ranges(operand.num_output_pixels(), part, [&](Size from, Size to) {
      conv_pixel_range(of_group(i % groups), planes, from, to, y + i * each_y);
    });
  }
}

/// Fills `taps` and returns the window of the forward convolution, which refers to them.
inline ConvGeometry fill_taps_and_make_forward_window(const ConvShape& s,
                                                      FilterTapDisplacement* taps) {
  for (Size i = 0; i < s.kh; ++i)
    for (Size j = 0; j < s.kw; ++j)
      taps[i * s.kw + j] = {i * s.dilation_h - s.top, j * s.dilation_w - s.left};
  return {s.h, s.w, s.oh, s.ow, s.stride_h, s.stride_w, taps, s.kh * s.kw};
}

template <class T>
void conv(const ConvShape& s, const T* x, const T* filter, T* y) {
  FilterTapDisplacement taps[PackedInputLayout::kMaxOffsets];
  ConvGeometry window = fill_taps_and_make_forward_window(s, taps);
  PackedInputLayout planes(window, s.c / s.groups);
  conv_all_images(Im2colMatmulOperands<T>{window, &planes, filter, s.m / s.groups}, s.n, s.groups,
                  x, y);
}

/// The filter taps that contribute to the input-gradient pixels of phase (row, column).
/// taps: their displacements: gradient pixel p + tap contributes to image pixel
/// p * stride + (row, column). which: their indices in the filter.  Returns their number.
inline Size collect_phase_tap_displacements_and_indices(const ConvShape& s, Size row, Size column,
                                                        FilterTapDisplacement* taps, Size* which) {
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

/// Reorders the filter [groups,m,c,offsets] to weights [groups,c,offsets,m].
template <class T>
void transpose_filter(const ConvShape& s, const T* filter, T* weights) {
  Size m = s.m / s.groups, row = s.c / s.groups * s.kh * s.kw;
  for (Size g = 0; g < s.groups; ++g, filter += m * row, weights += m * row)
    parallel_ranges(row, max(64, 131072 / m), [&](Size from, Size to) {
      copy_transposed(filter + from, row, m, to - from, weights + from * m, m);
    });
}

/// Copies the selected kernel offsets of weights [groups,c,offsets,m].
template <class T>
void select_filter_taps(const ConvShape& s, const T* weights, const Size* which, Size count,
                        T* selected) {
  Size m = s.m / s.groups;
  for (Size row = 0; row < s.c; ++row, weights += s.kh * s.kw * m)
    for (Size t = 0; t < count; ++t, selected += m)
      for (Size i = 0; i < m; ++i) selected[i] = weights[which[t] * m + i];
}

/// Writes every stride-th pixel of x [planes,h,w], starting at (row, column): from dense images, or
/// zeros.
template <class T>
void write_strided_phase_or_zeros(const ConvShape& s, Size row, Size column, Size oh, Size ow,
                                  const T* buffer, T* x) {
  parallel_ranges(s.n * s.c, max(1, 16384 / max(1, oh * ow)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p)
      for (Size i = 0; i < oh; ++i) {
        T* row_start = x + (p * s.h + row + i * s.stride_h) * s.w + column;
        for (Size j = 0; j < ow; ++j)
          row_start[j * s.stride_w] = buffer ? buffer[(p * oh + i) * ow + j] : T(0);
      }
  });
}

/// Computes the input gradient at every stride-th pixel from (row, column) on.  transposed: the
/// filter as weights [groups,c,offsets,m].
template <class T>
void conv_input_grad_of_phase(const ConvShape& s, Size row, Size column, const T* transposed,
                              const T* g, T* x) {
  FilterTapDisplacement taps[PackedInputLayout::kMaxOffsets];
  Size which[PackedInputLayout::kMaxOffsets], oh = ceil_div(s.h - row, s.stride_h),
                                              ow = ceil_div(s.w - column, s.stride_w);
  Size count = collect_phase_tap_displacements_and_indices(s, row, column, taps, which);
  if (count == 0) return write_strided_phase_or_zeros<T>(s, row, column, oh, ow, nullptr, x);
  const T* weights = transposed;
  if (count < s.kh * s.kw) {
    T* selected = padded_workspace<T>(4, s.m * s.c / s.groups * count);
    select_filter_taps(s, transposed, which, count, selected);
    weights = selected;
  }
  ConvGeometry window = {s.oh, s.ow, oh, ow, 1, 1, taps, count};
  PackedInputLayout planes(window, s.m / s.groups);
  Im2colMatmulOperands<T> operand{window, &planes, weights, s.c / s.groups,
                                  Im2colRowOrder::by_offset};
  if (s.stride_h == 1 && s.stride_w == 1) return conv_all_images(operand, s.n, s.groups, g, x);
  T* buffer = padded_workspace<T>(3, s.n * s.c * oh * ow);
  conv_all_images(operand, s.n, s.groups, g, buffer);
  write_strided_phase_or_zeros(s, row, column, oh, ow, buffer, x);
}

/// planes [channels] += columns: adds each product of filter and gradient at its input position
/// (col2im).
template <class T>
void add_col2im(const ConvGeometry& v, const PackedInputLayout& p, const T* columns, T* planes) {
  for (Size c = 0; c < p.channels; ++c)
    for (Size t = 0; t < v.count; ++t, columns += v.oh * v.ow)
      for (Size i = 0; i < v.oh; ++i) {
        T* to = planes + c * p.plane_size() + p.kernel_offset[t] + i * p.width;
        const T* from = columns + i * v.ow;
        for (Size j = 0; j < v.ow; ++j) to[j] += from[j];
      }
}

/// Copies the pixels of x [channels,h,w] from planes with step 1.
template <class T>
void copy_image_from_planes(const ConvGeometry& v, const PackedInputLayout& p, const T* planes,
                            T* x) {
  for (Size c = 0; c < p.channels; ++c)
    for (Size i = 0; i < v.h; ++i)
      for (Size j = 0; j < v.w; ++j) {
        Size row = i - p.first_row, column = j - p.first_column;
        bool inside = row >= 0 && row < p.height && column >= 0 && column < p.width;
        x[(c * v.h + i) * v.w + j] =
            inside ? planes[(c * p.height + row) * p.width + column] : T(0);
      }
}

/// The input gradient for outputs much smaller than the input: multiplies filter and gradient, then
/// adds the columns (col2im).
template <class T>
void conv_input_grad_by_col2im(const ConvShape& s, const T* filter, const T* g, T* x) {
  FilterTapDisplacement taps[PackedInputLayout::kMaxOffsets];
  ConvGeometry window = fill_taps_and_make_forward_window(s, taps);
  Size c = s.c / s.groups, m = s.m / s.groups, pixels = s.oh * s.ow, rows = c * window.count;
  PackedInputLayout p(window, c);
  parallel_ranges(s.n * s.groups, max(1, ceil_div(s.n * s.groups, 64)), [&](Size from, Size to) {
    T *columns = padded_workspace<T>(1, rows * pixels), *planes = padded_workspace<T>(2, p.size());
    for (Size i = from; i < to; ++i) {
      MatrixPanelSource<T> panels{g + i * m * pixels, pixels, 1, rows};
      multiply_matrix_by_panels(rows, pixels, m, filter + i % s.groups * m * rows, Size(1), rows,
                                columns, pixels, false, panels);
      for (Size k = 0; k < p.size(); ++k) planes[k] = 0;
      add_col2im(window, p, columns, planes);
      copy_image_from_planes(window, p, planes, x + i * c * s.h * s.w);
    }
  });
}

template <class T>
void conv_input_grad(const ConvShape& s, const T* filter, const T* g, T* x) {
  bool small = 3 * s.oh * s.ow < 2 * s.h * s.w, dense = s.stride_h == 1 && s.stride_w == 1;
  if (small && dense && s.c > s.groups) return conv_input_grad_by_col2im(s, filter, g, x);
  T* transposed = padded_workspace<T>(2, s.m * (s.c / s.groups) * s.kh * s.kw);
  transpose_filter(s, filter, transposed);
  for (Size row = 0; row < min(s.stride_h, s.h); ++row)
    for (Size column = 0; column < min(s.stride_w, s.w); ++column)
      conv_input_grad_of_phase(s, row, column, transposed, g, x);
}

}  // namespace
}  // namespace oarlock::kernels
