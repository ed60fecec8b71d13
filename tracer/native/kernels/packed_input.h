// Pictures laid out so that a window reads them in whole vectors.
//
// A window that moves by (step_h, step_w) sees, at each of its places, a picture of every step-th
// row and column. Those pictures, padded, are the planes: one for each phase (row % step_h, column
// % step_w) that some place of the window starts in.
#pragma once
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

/// A place of the window, relative to the pixel that it stands on.
struct Tap {
  Size row, column;
};

/// How a window of `count` taps sees pictures h x w from each place of a grid oh x ow.
struct View {
  Size h, w, oh, ow, step_h, step_w;
  const Tap* taps;
  Size count;
};

inline Size floor_div(Size a, Size b) { return (a >= 0 ? a : a - b + 1) / b; }

/// The layout of the planes of `channels` pictures: [phase][channel][height * width].
struct Planes {
  static constexpr Size kMostTaps = 1024;

  Size first_row = 0, first_column = 0, height, width, channels, phases = 0;
  Size phase_row[kMostTaps], phase_column[kMostTaps],
      offset[kMostTaps];  // offset: of each tap, channel 0, place (0, 0)

  Planes(const View& v, Size channels_seen) : channels(channels_seen) {
    Size last_row = 0, last_column = 0;
    for (Size t = 0; t < v.count; ++t) {
      Size row = floor_div(v.taps[t].row, v.step_h), column = floor_div(v.taps[t].column, v.step_w);
      first_row = t ? least(first_row, row) : row;
      first_column = t ? least(first_column, column) : column;
      last_row = t ? most(last_row, row) : row;
      last_column = t ? most(last_column, column) : column;
    }
    height = v.oh + last_row - first_row;
    width = v.ow + last_column - first_column;
    for (Size t = 0; t < v.count; ++t) place(v, t);
  }

  Size plane() const { return height * width; }
  Size size() const { return phases * channels * plane(); }

 private:
  void place(const View& v, Size t) {
    Size row = floor_div(v.taps[t].row, v.step_h), column = floor_div(v.taps[t].column, v.step_w);
    Size down = v.taps[t].row - row * v.step_h, right = v.taps[t].column - column * v.step_w,
         phase = 0;
    while (phase < phases && (phase_row[phase] != down || phase_column[phase] != right)) ++phase;
    if (phase == phases) {
      phase_row[phases] = down;
      phase_column[phases++] = right;
    }
    offset[t] = phase * channels * plane() + (row - first_row) * width + column - first_column;
  }
};

/// The offset in the planes of every channel at every tap, in scratch memory.
inline const Size* offsets_of(const View& v, const Planes& p) {
  Size* made = scratch_of<Size>(5, p.channels * v.count);
  for (Size i = 0; i < p.channels * v.count; ++i)
    made[i] = i / v.count * p.plane() + p.offset[i % v.count];
  return made;
}

/// One row of a plane from one row of a picture (nullptr: outside).
template <class T>
void plane_row(const View& v, const Planes& p, Size phase, const T* from, T* to) {
  Size shift = p.first_column * v.step_w + p.phase_column[phase];
  Size start = shift >= 0 ? 0 : parts_of(-shift, v.step_w);
  Size end = from && v.w > shift ? least(p.width, parts_of(v.w - shift, v.step_w)) : 0;
  start = least(start, most(end, 0));
  for (Size i = 0; i < start; ++i) to[i] = 0;
  if (v.step_w == 1)
    for (Size i = start; i < end; ++i) to[i] = from[shift + i];
  else if (v.step_w == 2)  // a step that the compiler knows is done in vectors
    for (Size i = start; i < end; ++i) to[i] = from[shift + i * 2];
  else
    for (Size i = start; i < end; ++i) to[i] = from[shift + i * v.step_w];
  for (Size i = most(end, 0); i < p.width; ++i) to[i] = 0;
}

/// The planes of the channels `from` ... `to` of x [channels,h,w].
template <class T>
void fill_planes(const View& v, const Planes& p, const T* x, Size from, Size to, T* planes) {
  for (Size phase = 0; phase < p.phases; ++phase)
    for (Size c = from; c < to; ++c) {
      T* plane = planes + (phase * p.channels + c) * p.plane();
      for (Size i = 0; i < p.height; ++i) {
        Size row = (p.first_row + i) * v.step_h + p.phase_row[phase];
        bool inside = row >= 0 && row < v.h;
        plane_row(v, p, phase, inside ? x + (c * v.h + row) * v.w : nullptr, plane + i * p.width);
      }
    }
}

/// Where to copy what the window sees at some pixels: vectors from a plane to a row of what is
/// made.   A vector may reach behind the pixels that are meant; the next one overwrites that, or it
/// is behind the end.
template <class T>
struct Moves {
  static constexpr Size kMost = kColumns<T> > 8 ? kColumns<T> : 8;
  Size count = 0, from[kMost], to[kMost];

  /// At most kColumns pixels of the grid from `start` on.
  Moves(const View& v, const Planes& p, Size start, Size pixels) {
    for (Size i = 0; i < pixels;) {
      Size row = (start + i) / v.ow, column = (start + i) % v.ow,
           many = least(pixels - i, v.ow - column);
      for (Size k = 0; k < many; k += kLanes<T>) {
        from[count] = row * p.width + column + k;
        to[count++] = i + k;
      }
      i += many;
    }
  }
};

/// The rows [first, first + depth) of what the window sees: row c * taps + t is channel c at tap t.
/// N: how many moves, 0: any.
template <class T, int N>
void copy_rows(const View& v, const Planes& p, const T* planes, Size first, Size depth,
               const Moves<T>& moves, T* to, Size to_row) {
  const T* channel = planes + first / v.count * p.plane();
  Size tap = first % v.count, count = N ? N : moves.count;
  for (Size i = 0; i < depth; ++i, to += to_row) {
    const T* plane = channel + p.offset[tap];
    for (Size k = 0; k < (N ? N : count); ++k) store(to + moves.to[k], load(plane + moves.from[k]));
    if (++tap == v.count) {
      tap = 0;
      channel += p.plane();
    }
  }
}

template <class T>
void copy_seen(const View& v, const Planes& p, const T* planes, Size first, Size depth,
               const Moves<T>& moves, T* to, Size to_row) {
  static constexpr decltype(&copy_rows<T, 0>) ways[] = {
      copy_rows<T, 0>, copy_rows<T, 1>, copy_rows<T, 2>, copy_rows<T, 3>,
      copy_rows<T, 4>, copy_rows<T, 5>, copy_rows<T, 6>};
  ways[moves.count <= 6 ? moves.count : 0](v, p, planes, first, depth, moves, to, to_row);
}

}  // namespace
}  // namespace oarlock::kernels
