// Pictures laid out so that a window reads them in whole vectors.
//
// A window that moves by (step_h, step_w) sees, at each of its places, a picture of every step-th row and column.   Those pictures,
// padded, are the planes: one for each phase (row % step_h, column % step_w) that some place of the window starts in.
#pragma once
#include "kernels/lanes.h"

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
  Size phase_row[kMostTaps], phase_column[kMostTaps], offset[kMostTaps];  // offset: of each tap, channel 0, place (0, 0)

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
    Size down = v.taps[t].row - row * v.step_h, right = v.taps[t].column - column * v.step_w, phase = 0;
    while (phase < phases && (phase_row[phase] != down || phase_column[phase] != right)) ++phase;
    if (phase == phases) {
      phase_row[phases] = down;
      phase_column[phases++] = right;
    }
    offset[t] = phase * channels * plane() + (row - first_row) * width + column - first_column;
  }
};

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

/// Pixels of the grid in a row: `count` of them, at `from` in a plane, at `to` in what is made.
struct Run {
  Size from, to, count;
};

/// The pixels [start, start + count) of a grid as runs; gives how many.
inline Size runs_of(const View& v, const Planes& p, Size start, Size count, Run* runs) {
  Size made = 0;
  for (Size i = 0; i < count;) {
    Size row = (start + i) / v.ow, column = (start + i) % v.ow, many = least(count - i, v.ow - column);
    runs[made++] = {row * p.width + column, i, many};
    i += many;
  }
  return made;
}

/// Copy runs in whole vectors.   What is written behind a run is overwritten by the next one, or is behind the end.
template <class T>
inline void copy_runs(const T* plane, const Run* runs, Size count, T* to) {
  for (Size r = 0; r < count; ++r)
    for (Size i = 0; i < runs[r].count; i += kLanes<T>)
      store(to + runs[r].to + i, load(plane + runs[r].from + i));
}

}  // namespace
}  // namespace oarlock::kernels
