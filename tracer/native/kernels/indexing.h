// Gathering and scattering along one axis.  Compiled once for all instruction sets, because the
// memory limits the speed.
#pragma once
#include <cstdint>

#include "kernels/thread_pool.h"

namespace oarlock::kernels {

/// data [outer, size, inner], values [outer, count, inner]; index [count], or like values if
/// `is_elementwise`.
struct IndexedShape {
  Size outer, size, count, inner;
  bool is_elementwise;
};

/// Whether all indices are in [0, size).
bool are_indices_in_range(Size count, const std::int64_t* index, Size size);

/// One of several index vectors, with the size of the axis that it indexes.
struct IndexVector {
  const std::int64_t* index;
  Size stride, size;
};

/// Sets linear [count] to the row-major positions of `count` index tuples, whose elements are those
/// of `num_vectors` vectors.  allows_negative: indices in [-size, 0) count from the end.  Returns
/// whether all indices are in range.
bool linearize_indices(Size count, Size num_vectors, const IndexVector* vectors,
                       bool allows_negative, std::int64_t* linear);

/// Sets positions [lines, count]: for each of the values [lines, count] in [0, 1), the first
/// position at which the ascending sums [lines, size] of its line exceed the value times their last
/// element.
void search_cumulative_sums(Size lines, Size size, Size count, const double* sums,
                            const double* values, std::int64_t* positions);

/// values[o, k, i] = data[o, index[k], i]; items of `bytes` 1, 2, 4, 8 or 16.
void take_along_middle_axis(const IndexedShape& s, Size bytes, const void* data,
                            const std::int64_t* index, void* values);
/// data[o, index[k], i] = values[o, k, i]; of several values for one position, the last one
/// remains.
void assign_along_middle_axis(const IndexedShape& s, Size bytes, void* data,
                              const std::int64_t* index, const void* values);
/// data[o, index[k], i] += values[o, k, i], in the order of k.
template <class T>
void add_along_middle_axis(const IndexedShape& s, T* data, const std::int64_t* index,
                           const T* values);
/// y = x where the byte of the mask is not 0, else 0; items of `bytes` 1, 2, 4, 8 or 16.
void zero_where_false(Size count, Size bytes, const void* x, const unsigned char* mask, void* y);
/// Sets mask, which has the shape of the index: whether no later index [o, k, i] of the same o and
/// i is equal.
void last_write_mask_along_middle_axis(const IndexedShape& s, const std::int64_t* index,
                                       bool* mask);
/// Counts [bins]: how many numbers x are in each of the equal intervals between ascending edges
/// [bins + 1]; the last interval includes its end.
template <class T>
void count_in_bins(Size count, const T* x, Size bins, const T* edges, std::int64_t* counts);
/// Images [planes, size] that are zero except for values [planes, count] added at their indices;
/// negative indices are skipped.  Returns whether all indices are below `size`.
template <class T>
bool scatter_to_images(Size planes, Size size, Size count, const std::int32_t* index,
                       const T* values, T* images);

}  // namespace oarlock::kernels
