// SIMD vectors of the instruction set for which this file is compiled.  All functions here have
// internal linkage; otherwise the linker might choose a copy compiled for a newer instruction set,
// which an older machine cannot run.
#pragma once
#include <type_traits>
#include <utility>

#include "kernels/thread_pool.h"

namespace oarlock::kernels {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64, kRows = 8;
#elif defined(__AVX2__)
constexpr int kBytes = 32, kRows = 6;
#elif defined(__aarch64__)
constexpr int kBytes = 16, kRows = 8;
#else
constexpr int kBytes = 16, kRows = 4;
#endif
// Tile size of matrix products: kRows rows and two vectors of columns, which fit in the registers.

template <class T>
constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
template <class T>
constexpr int kColumns = 2 * kLanes<T>;

/// The SIMD vector of T: in registers (Type), and unaligned in memory for load and store
/// (InMemory).
template <class T>
struct VectorTypes {
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T InMemory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};
template <class T>
using V = typename VectorTypes<T>::Type;

template <class T>
inline V<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorTypes<T>::InMemory*>(p);
}
template <class T>
inline void store(T* p, V<T> v) {
  *reinterpret_cast<typename VectorTypes<T>::InMemory*>(p) = v;
}
template <class T>
inline V<T> splat(T x) {
  return x - V<T>{};
}

inline Size min(Size a, Size b) { return a < b ? a : b; }
inline Size max(Size a, Size b) { return a > b ? a : b; }
inline Size ceil_div(Size count, Size part) { return (count + part - 1) / part; }

/// Workspace for `count` elements, with padding for vector accesses beyond the end.
template <class T>
T* padded_workspace(int slot, Size count) {
  return static_cast<T*>(
      workspace(slot, static_cast<std::size_t>(count) * sizeof(T) + std::size_t{4} * kBytes));
}

/// Reduces a vector to one number: combines the elements in pairs, the results in pairs, and so on.
/// Distance: between the elements of a pair.
template <class T, int Distance, class Combine, int... I>
inline T horizontal_reduce(V<T> v, const Combine& combine, std::integer_sequence<int, I...> all) {
  if constexpr (Distance == 0)
    return v[0];
  else
    return horizontal_reduce<T, Distance / 2>(
        combine(v, __builtin_shufflevector(v, v, (I ^ Distance)...)), combine, all);
}
template <class T, class Combine>
inline T horizontal_reduce(V<T> v, const Combine& combine) {
  return horizontal_reduce<T, kLanes<T> / 2>(v, combine,
                                             std::make_integer_sequence<int, kLanes<T>>{});
}

template <class T>
inline T horizontal_sum(V<T> v) {
  return horizontal_reduce<T>(v, [](V<T> a, V<T> b) { return a + b; });
}

/// T, or the unsigned type of the same size for integers, whose overflow wraps around.
template <class T>
using WrappingType = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                                 std::type_identity<T>>::type;

// -- transpose
// ---------------------------------------------------------------------------------------------------

/// One step of a blockwise transposition: a and b are rows i and i + S of a square; exchanges the
/// odd blocks of S elements of a with the even blocks of b.
template <class T, int S, int... I>
inline void exchange_blocks(V<T>& a, V<T>& b, std::integer_sequence<int, I...>) {
  constexpr int n = kLanes<T>;
  V<T> upper = __builtin_shufflevector(a, b, (I & S ? n + I - S : I)...);
  b = __builtin_shufflevector(a, b, (I & S ? n + I : I + S)...);
  a = upper;
}

/// Transposes a square of 2 S rows by exchanging blocks of S, S / 2, ... 1 elements. R: the row
/// numbers.  Everything is unrolled, so that the rows stay in registers.
template <class T, int S, int... R>
inline void transpose_square(V<T>* rows, std::integer_sequence<int, R...> all) {
  (
      [&] {
        if constexpr (!(R & S)) exchange_blocks<T, S>(rows[R], rows[R + S], all);
      }(),
      ...);
  if constexpr (S > 1) transpose_square<T, S / 2>(rows, all);
}

/// Transposes a square of vectors with row strides `from_row` and `to_row`.
template <class T, int... R>
inline void copy_transposed_square(const T* from, Size from_row, T* to, Size to_row,
                                   std::integer_sequence<int, R...> all) {
  V<T> rows[] = {load(from + R * from_row)...};
  transpose_square<T, kLanes<T> / 2>(rows, all);
  (store(to + R * to_row, rows[R]), ...);
}

/// to[c][r] = from[r][c] for `rows` x `columns` elements; `from` and `to` do not overlap.  The last
/// squares of a row or column overlap their neighbors and write the same values again.
template <class T>
void copy_transposed(const T* from, Size from_row, Size rows, Size columns, T* to, Size to_row) {
  constexpr Size n = kLanes<T>;
  if (rows < n || columns < n) {
    for (Size r = 0; r < rows; ++r)
      for (Size c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
    return;
  }
  for (Size i = 0; i < rows; i += n)
    for (Size j = 0; j < columns; j += n) {
      Size r = min(i, rows - n), c = min(j, columns - n);
      copy_transposed_square(from + r * from_row + c, from_row, to + c * to_row + r, to_row,
                             std::make_integer_sequence<int, n>{});
    }
}

}  // namespace
}  // namespace oarlock::kernels
