// Images packed for convolutions, so that they can be read in whole vectors.  At each kernel
// offset, a window that moves by (step_h, step_w) reads every step-th row and column of the padded
// image.  Such a sub-image is called a plane.  There is one plane per phase (row % step_h, column %
// step_w) that occurs.
#pragma once
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

/// The row and column of a filter tap, relative to the pixel at which the window is.
struct FilterTapDisplacement {
  Size row, column;
};

/// A window of `count` offsets on images h x w with an output grid oh x ow.
struct ConvGeometry {
  Size h, w, oh, ow, step_h, step_w;
  const FilterTapDisplacement* offsets;
  Size count;
};

inline Size floor_div(Size a, Size b) { return (a >= 0 ? a : a - b + 1) / b; }

/// The planes of `channels` images, with the layout [phase][channel][height * width].
struct PackedInputLayout {
  static constexpr Size kMaxOffsets = 1024;

  Size first_row = 0, first_column = 0, height, width, channels, phases = 0;
  Size phase_row[kMaxOffsets], phase_column[kMaxOffsets],
      // kernel_offset: position in the planes of each kernel offset, for channel 0 and pixel (0, 0)
      kernel_offset[kMaxOffsets];

  PackedInputLayout(const ConvGeometry& v, Size channels_seen) : channels(channels_seen) {
    Size last_row = 0, last_column = 0;
    for (Size t = 0; t < v.count; ++t) {
      Size row = floor_div(v.offsets[t].row, v.step_h),
           column = floor_div(v.offsets[t].column, v.step_w);
      first_row = t ? min(first_row, row) : row;
      first_column = t ? min(first_column, column) : column;
      last_row = t ? max(last_row, row) : row;
      last_column = t ? max(last_column, column) : column;
    }
    height = v.oh + last_row - first_row;
    width = v.ow + last_column - first_column;
    for (Size t = 0; t < v.count; ++t) record_kernel_offset_position(v, t);
  }

  Size plane_size() const { return height * width; }
  Size size() const { return phases * channels * plane_size(); }

 private:
  void record_kernel_offset_position(const ConvGeometry& v, Size t) {
    Size row = floor_div(v.offsets[t].row, v.step_h),
         column = floor_div(v.offsets[t].column, v.step_w);
    Size down = v.offsets[t].row - row * v.step_h, right = v.offsets[t].column - column * v.step_w,
         phase = 0;
    while (phase < phases && (phase_row[phase] != down || phase_column[phase] != right)) ++phase;
    if (phase == phases) {
      phase_row[phases] = down;
      phase_column[phases++] = right;
    }
    kernel_offset[t] =
        phase * channels * plane_size() + (row - first_row) * width + column - first_column;
  }
};

/// The order of the rows of an im2col matrix: all kernel offsets of a channel after one another, as
/// in a filter [m,c,kh,kw]; or all channels of a kernel offset.
enum class Im2colRowOrder { by_channel, by_offset };

/// Writes the position of every im2col row in the planes to the workspace `slot`.
inline const Size* plane_offsets_of_im2col_rows(const ConvGeometry& v, const PackedInputLayout& p,
                                                Im2colRowOrder order, int slot) {
  Size* offsets = padded_workspace<Size>(slot, p.channels * v.count);
  for (Size c = 0; c < p.channels; ++c)
    for (Size t = 0; t < v.count; ++t)
      offsets[order == Im2colRowOrder::by_channel ? c * v.count + t : t * p.channels + c] =
          c * p.plane_size() + p.kernel_offset[t];
  return offsets;
}

/// Writes one row of a plane from one row of an image (nullptr: a row of padding).
template <class T>
void fill_plane_row(const ConvGeometry& v, const PackedInputLayout& p, Size phase, const T* from,
                    T* to) {
  Size shift = p.first_column * v.step_w + p.phase_column[phase];
  Size start = shift >= 0 ? 0 : ceil_div(-shift, v.step_w);
  Size end = from && v.w > shift ? min(p.width, ceil_div(v.w - shift, v.step_w)) : 0;
  start = min(start, max(end, 0));
  for (Size i = 0; i < start; ++i) to[i] = 0;
  if (v.step_w == 1)
    for (Size i = start; i < end; ++i) to[i] = from[shift + i];
  else if (v.step_w == 2)  // a constant step is vectorized
    for (Size i = start; i < end; ++i) to[i] = from[shift + i * 2];
  else
    for (Size i = start; i < end; ++i) to[i] = from[shift + i * v.step_w];
  for (Size i = max(end, 0); i < p.width; ++i) to[i] = 0;
}

/// Fills the planes of channels [from, to) of x [channels,h,w].
template <class T>
void fill_planes(const ConvGeometry& v, const PackedInputLayout& p, const T* x, Size from, Size to,
                 T* planes) {
  for (Size phase = 0; phase < p.phases; ++phase)
    for (Size c = from; c < to; ++c) {
      T* plane = planes + (phase * p.channels + c) * p.plane_size();
      for (Size i = 0; i < p.height; ++i) {
        Size row = (p.first_row + i) * v.step_h + p.phase_row[phase];
        bool inside = row >= 0 && row < v.h;
        fill_plane_row(v, p, phase, inside ? x + (c * v.h + row) * v.w : nullptr,
                       plane + i * p.width);
      }
    }
}

/// The copies that build one im2col row: vectors from a plane to the row.  A vector may be longer
/// than its pixels: the next vector overwrites the remaining elements, or they are after the end of
/// the row.
template <class T>
struct Im2colRowCopyPlan {
  static constexpr Size kMaxCopies = kColumns<T> > 8 ? kColumns<T> : 8;
  Size count = 0, from[kMaxCopies], to[kMaxCopies];

  /// For at most kColumns output pixels from `start` on.
  Im2colRowCopyPlan(const ConvGeometry& v, const PackedInputLayout& p, Size start, Size pixels) {
    for (Size i = 0; i < pixels;) {
      Size row = (start + i) / v.ow, column = (start + i) % v.ow,
           count_in_row = min(pixels - i, v.ow - column);
      for (Size k = 0; k < count_in_row; k += kLanes<T>) {
        from[count] = row * p.width + column + k;
        to[count++] = i + k;
      }
      i += count_in_row;
    }
  }
};

/// Copies `depth` im2col rows, whose positions in the planes are `offsets`.  N: number of copies,
/// 0: any.
template <class T, int N>
void copy_im2col_rows(const T* planes, const Size* offsets, Size depth,
                      const Im2colRowCopyPlan<T>& plan, T* to, Size to_row) {
  for (Size i = 0; i < depth; ++i, to += to_row) {
    const T* plane = planes + offsets[i];
    for (Size k = 0; k < (N ? N : plan.count); ++k)
      store(to + plan.to[k], load(plane + plan.from[k]));
  }
}

template <class T>
void dispatch_copy_im2col_rows(const T* planes, const Size* offsets, Size depth,
                               const Im2colRowCopyPlan<T>& plan, T* to, Size to_row) {
  static constexpr decltype(&copy_im2col_rows<T, 0>) variants[] = {
      copy_im2col_rows<T, 0>, copy_im2col_rows<T, 1>, copy_im2col_rows<T, 2>,
      copy_im2col_rows<T, 3>, copy_im2col_rows<T, 4>, copy_im2col_rows<T, 5>,
      copy_im2col_rows<T, 6>};
  variants[plan.count <= 6 ? plan.count : 0](planes, offsets, depth, plan, to, to_row);
}

}  // namespace
}  // namespace oarlock::kernels
