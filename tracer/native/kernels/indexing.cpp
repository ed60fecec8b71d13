#include "kernels/indexing.h"

#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "kernels/simd.h"

namespace oarlock::kernels {
namespace {

constexpr Size kElementsPerTask = 32768, kMinColumnsPerTask = 256;
// Few columns at a time, so that all rows of these columns fit in the cache.
constexpr Size kElementwiseColumnsPerTask = 64;

/// Calls `body(o, from_k, to_k, from_i, to_i)` for parts of values [outer, count, inner] that no
/// two tasks share.  splits_count: whether tasks may divide `count`; otherwise, all positions of a
/// column belong to one task, in order.
template <class Body>
void for_each_part(const IndexedShape& s, bool splits_count, const Body& body) {
  if (s.outer * s.count * s.inner == 0) return;
  if (splits_count) {
    Size rows_per_task = max(1, kElementsPerTask / s.inner);
    parallel_ranges(s.outer * s.count, rows_per_task, [&](Size from, Size to) {
      while (from < to) {
        Size o = from / s.count, k = from % s.count, rows = min(to - from, s.count - k);
        body(o, k, k + rows, Size(0), s.inner);
        from += rows;
      }
    });
    return;
  }
  // Few long rows are divided into columns.
  Size columns = s.is_elementwise ? kElementwiseColumnsPerTask
                 : s.outer >= 4   ? s.inner
                                  : max(kMinColumnsPerTask, ceil_div(s.inner, 4));
  Size parts = ceil_div(s.inner, columns);
  Size elements = s.count * min(columns, s.inner);
  parallel_ranges(s.outer * parts, max(1, kElementsPerTask / elements), [&](Size from, Size to) {
    for (Size part = from; part < to; ++part) {
      Size i = part % parts * columns;
      body(part / parts, Size(0), s.count, i, min(i + columns, s.inner));
    }
  });
}

/// Calls `body(data offset, values offset, length)` for every run of adjacent elements with one
/// index.
template <class Body>
void for_each_run_of_one_index(const IndexedShape& s, const std::int64_t* index, bool splits_count,
                               const Body& body) {
  for_each_part(s, splits_count, [&](Size o, Size from_k, Size to_k, Size from_i, Size to_i) {
    Size data = o * s.size * s.inner, values = o * s.count * s.inner;
    if (s.inner == 1) {  // no inner loop
      const std::int64_t* at = index + (s.is_elementwise ? values : 0);
      for (Size k = from_k; k < to_k; ++k)
        body(data + at[k], values + k, std::integral_constant<Size, 1>{});
    } else if (s.is_elementwise) {
      for (Size k = from_k; k < to_k; ++k) {
        Size row = values + k * s.inner;
        for (Size i = from_i; i < to_i; ++i)
          body(data + index[row + i] * s.inner + i, row + i, std::integral_constant<Size, 1>{});
      }
    } else {
      for (Size k = from_k; k < to_k; ++k)
        body(data + index[k] * s.inner + from_i, values + k * s.inner + from_i, to_i - from_i);
    }
  });
}

/// Calls `body(T{})` for a type of the given size.
template <class Body>
void dispatch_item_size(Size bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    case 8:
      return body(std::uint64_t{});
    default:
      return body(std::array<std::uint64_t, 2>{});
  }
}

/// Copies `Bytes` bytes of a constant number, which takes one or two instructions.
template <std::size_t Bytes>
inline void copy_block(char* to, const char* from) {
  std::memcpy(to, from, Bytes);
}

/// Copies items.  Short rows are copied in blocks, of which the last two may overlap: a call of
/// memcpy would take longer.
template <class T, class Length>
inline void copy_items(T* to_items, const T* from_items, Length length) {
  std::size_t bytes = static_cast<std::size_t>(length) * sizeof(T);
  auto* to = reinterpret_cast<char*>(to_items);
  const auto* from = reinterpret_cast<const char*>(from_items);
  constexpr std::size_t kBlock = 32;
  if (std::is_same_v<Length, std::integral_constant<Size, 1>> || bytes > 8 * kBlock) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= kBlock) {
    for (std::size_t i = 0; i + kBlock < bytes; i += kBlock) copy_block<kBlock>(to + i, from + i);
    copy_block<kBlock>(to + bytes - kBlock, from + bytes - kBlock);
  } else if (bytes >= 16) {
    copy_block<16>(to, from);
    copy_block<16>(to + bytes - 16, from + bytes - 16);
  } else {
    for (std::size_t i = 0; i < bytes; i += sizeof(T)) copy_block<sizeof(T)>(to + i, from + i);
  }
}

}  // namespace

bool are_indices_in_range(Size count, const std::int64_t* index, Size size) {
  std::atomic<bool> all{true};
  parallel_ranges(count, 2 * kElementsPerTask, [&](Size from, Size to) {
    std::int64_t low = 0, high = 0;
    for (Size i = from; i < to; ++i) {
      low = index[i] < low ? index[i] : low;
      high = index[i] > high ? index[i] : high;
    }
    if (low < 0 || high >= size) all = false;
  });
  return count == 0 || all;
}

bool linearize_indices(Size count, Size num_vectors, const IndexVector* vectors,
                       bool allows_negative, std::int64_t* linear) {
  std::atomic<bool> all{true};
  parallel_ranges(count, kElementsPerTask, [&](Size from, Size to) {
    bool inside = true;
    for (Size k = from; k < to; ++k) linear[k] = 0;
    for (const IndexVector* v = vectors; v < vectors + num_vectors; ++v) {
      std::int64_t offset = allows_negative ? v->size : 0;
      for (Size k = from; k < to; ++k) {
        std::int64_t index = v->index[k * v->stride];
        inside &= (index >= -offset) & (index < v->size);
        linear[k] = linear[k] * v->size + (index < 0 ? index + offset : index);
      }
      if (!inside) break;  // before a product of indices out of range overflows
    }
    if (!inside) all = false;
  });
  return all;
}

void search_cumulative_sums(Size lines, Size size, Size count, const double* sums,
                            const double* values, std::int64_t* positions) {
  parallel_ranges(lines * count, 4096, [&](Size from, Size to) {
    for (Size k = from; k < to; ++k) {
      const double* line = sums + k / count * size;
      // The product may round up to the total, which no sum exceeds.
      double total = line[size - 1], value = values[k] * total;
      if (value >= total) value = __builtin_nextafter(total, 0);
      const double* first = line;
      for (Size left = size; left > 1;) {
        Size half = left / 2;
        first += first[half - 1] <= value ? half : 0;  // no branch
        left -= half;
      }
      positions[k] = first - line;
    }
  });
}

void take_along_middle_axis(const IndexedShape& s, Size bytes, const void* data,
                            const std::int64_t* index, void* values) {
  dispatch_item_size(bytes, [&]<class T>(T) {
    for_each_run_of_one_index(s, index, true, [&](Size from, Size to, auto length) {
      copy_items(static_cast<T*>(values) + to, static_cast<const T*>(data) + from, length);
    });
  });
}

void assign_along_middle_axis(const IndexedShape& s, Size bytes, void* data,
                              const std::int64_t* index, const void* values) {
  dispatch_item_size(bytes, [&]<class T>(T) {
    for_each_run_of_one_index(s, index, false, [&](Size to, Size from, auto length) {
      copy_items(static_cast<T*>(data) + to, static_cast<const T*>(values) + from, length);
    });
  });
}

template <class T>
void add_along_middle_axis(const IndexedShape& s, T* data, const std::int64_t* index,
                           const T* values) {
  using W = WrappingType<T>;
  for_each_run_of_one_index(s, index, false, [&](Size to, Size from, auto length) {
    T* __restrict sums = data + to;
    const T* __restrict added = values + from;
    for (Size i = 0; i < length; ++i)
      sums[i] = static_cast<T>(static_cast<W>(sums[i]) + static_cast<W>(added[i]));
  });
}
template void add_along_middle_axis(const IndexedShape&, float*, const std::int64_t*, const float*);
template void add_along_middle_axis(const IndexedShape&, double*, const std::int64_t*,
                                    const double*);
template void add_along_middle_axis(const IndexedShape&, std::int32_t*, const std::int64_t*,
                                    const std::int32_t*);
template void add_along_middle_axis(const IndexedShape&, std::int64_t*, const std::int64_t*,
                                    const std::int64_t*);

template <class T>
bool scatter_to_images(Size planes, Size size, Size count, const std::int32_t* index,
                       const T* values, T* images) {
  std::atomic<bool> all{true};
  parallel_ranges(planes, max(1, kElementsPerTask / max(1, size)), [&](Size from, Size to) {
    for (Size p = from; p < to; ++p) {
      T* image = images + p * size;
      for (Size i = 0; i < size; ++i) image[i] = 0;
      for (Size k = p * count; k < (p + 1) * count; ++k) {
        if (index[k] >= size) all = false;
        if (index[k] >= 0 && index[k] < size) image[index[k]] += values[k];
      }
    }
  });
  return all;
}
template bool scatter_to_images(Size, Size, Size, const std::int32_t*, const float*, float*);
template bool scatter_to_images(Size, Size, Size, const std::int32_t*, const double*, double*);

void zero_where_false(Size count, Size bytes, const void* x, const unsigned char* mask, void* y) {
  // complex numbers as pairs: the mask is read at half of the index
  Size repeats = bytes == 16 ? 2 : 1;
  dispatch_item_size(bytes / repeats, [&]<class T>(T) {
    parallel_ranges(count * repeats, 2 * kElementsPerTask, [&](Size from, Size to) {
      if constexpr (std::is_integral_v<T>) {
        const T* __restrict numbers = static_cast<const T*>(x);
        T* __restrict results = static_cast<T*>(y);
        if (repeats == 1)
          for (Size i = from; i < to; ++i)
            results[i] = static_cast<T>(numbers[i] & static_cast<T>(-static_cast<T>(mask[i] != 0)));
        else
          for (Size i = from; i < to; ++i) results[i] = mask[i / 2] ? numbers[i] : T(0);
      }
    });
  });
}

void last_write_mask_along_middle_axis(const IndexedShape& s, const std::int64_t* index,
                                       bool* mask) {
  for_each_part(s, false, [&](Size o, Size, Size, Size from, Size to) {
    Size columns = to - from;
    auto bytes = static_cast<std::size_t>(s.size * columns);
    auto* seen = static_cast<unsigned char*>(workspace(0, bytes));
    std::memset(seen, 0, bytes);
    for (Size k = s.count - 1; k >= 0; --k) {
      Size row = (o * s.count + k) * s.inner + from;
      for (Size i = 0; i < columns; ++i) {
        unsigned char& is_seen = seen[index[row + i] * columns + i];
        mask[row + i] = is_seen == 0;
        is_seen = 1;
      }
    }
  });
}

template <class T>
void count_in_bins(Size count, const T* x, Size bins, const T* edges, std::int64_t* counts) {
  T first = edges[0], last = edges[bins];
  double scale =
      static_cast<double>(bins) / (static_cast<double>(last) - static_cast<double>(first));
  for (Size b = 0; b < bins; ++b) counts[b] = 0;
  for (Size k = 0; k < count; ++k) {
    if (!(x[k] >= first && x[k] <= last)) continue;
    double position = (static_cast<double>(x[k]) - static_cast<double>(first)) * scale;
    Size bin = position < static_cast<double>(bins) ? static_cast<Size>(position) : bins - 1;
    while (bin > 0 && x[k] < edges[bin]) --bin;  // rounding of the position and of the edges
    while (bin < bins - 1 && x[k] >= edges[bin + 1]) ++bin;
    ++counts[bin];
  }
}
template void count_in_bins(Size, const float*, Size, const float*, std::int64_t*);
template void count_in_bins(Size, const double*, Size, const double*, std::int64_t*);

}  // namespace oarlock::kernels
