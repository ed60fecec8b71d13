// Sorting, selection and the mode (most frequent value) of lines, the rows of a matrix.  Compiled
// once for all instruction sets, because the templates of the standard library have external
// linkage.
#pragma once
#include <cstdint>

#include "kernels/thread_pool.h"

namespace oarlock::kernels {

/// Sorts each of the lines x [lines, count] stably, NaN as the largest number, and sets indices
/// [lines, num_first] to the original indices of the first `num_first` sorted elements.
template <class T>
void sort_indices(Size lines, Size count, Size num_first, bool descending, const T* x,
                  std::int64_t* indices);
/// Sets indices [lines] to the original index of the element at `position` of each sorted line.
template <class T>
void select_index(Size lines, Size count, Size position, const T* x, std::int64_t* indices);
/// Sets indices [lines] to the last index of the most frequent value of each line; of equally
/// frequent values, the smallest.
template <class T>
void mode_index(Size lines, Size count, const T* x, std::int64_t* indices);

}  // namespace oarlock::kernels
