// Non-maximum suppression of boxes.
#pragma once
#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

// As in NumPy, NaN propagates.
template <class T>
inline V<T> vector_min_or_nan(V<T> a, V<T> b) {
  return (b < a) | (b != b) ? b : a;
}
template <class T>
inline V<T> vector_max_or_nan(V<T> a, V<T> b) {
  return (b > a) | (b != b) ? b : a;
}

template <class T>
Size select_boxes(Size count, const T* boxes, T threshold, T side_offset, std::int64_t* selected) {
  // the coordinates and areas of the boxes, one array each, padded to whole vectors
  Size padded = count + kLanes<T>;
  T* lefts = padded_workspace<T>(0, 5 * padded);
  T *tops = lefts + padded, *rights = tops + padded, *bottoms = rights + padded,
    *areas = bottoms + padded;
  using Lane = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Lane* suppressed = padded_workspace<Lane>(1, padded);  // nonzero: overlaps a selected box
  for (Size i = 0; i < padded; ++i) {
    const T* box = boxes + 4 * min(i, count - 1);
    lefts[i] = box[0], tops[i] = box[1], rights[i] = box[2], bottoms[i] = box[3];
    T width = box[2] - box[0], height = box[3] - box[1];
    areas[i] = width < 0 || height < 0 ? 0 : (width + side_offset) * (height + side_offset);
    suppressed[i] = 0;
  }
  Size num_selected = 0;
  for (Size i = 0; i < count; ++i) {
    if (suppressed[i]) continue;
    selected[num_selected++] = i;
    if (num_selected % 64 == 0) throw_if_job_failed_or_interrupted();
    V<T> left = splat(lefts[i]), top = splat(tops[i]), right = splat(rights[i]),
         bottom = splat(bottoms[i]), area = splat(areas[i]), zero = {};
    for (Size j = i + 1; j < count; j += kLanes<T>) {
      V<T> width = vector_min_or_nan<T>(right, load(rights + j)) -
                   vector_max_or_nan<T>(left, load(lefts + j));
      V<T> height = vector_min_or_nan<T>(bottom, load(bottoms + j)) -
                    vector_max_or_nan<T>(top, load(tops + j));
      V<T> intersection =
          (width < 0) | (height < 0) ? zero : (width + side_offset) * (height + side_offset);
      V<T> union_area = area + load(areas + j) - intersection;
      V<T> iou = intersection / vector_max_or_nan<T>(splat(static_cast<T>(1e-10)), union_area);
      store<Lane>(suppressed + j, load<Lane>(suppressed + j) | ~(iou <= threshold));
    }
  }
  return num_selected;
}

}  // namespace
}  // namespace oarlock::kernels
