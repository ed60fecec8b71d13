#include "kernels/sorting.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

namespace oarlock::kernels {
namespace {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// An unsigned integer whose order is that of the numbers; all NaN have the largest one.
template <class T>
KeyOf<T> key_of(T x) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(x) ^ sign;
  } else {
    Key bits = std::bit_cast<Key>(x + T(0));                  // -0 becomes 0
    Key negative = Key{0} - (bits >> (8 * sizeof(Key) - 1));  // all bits of a negative number
    Key key = bits ^ (negative | sign);
    return x != x ? std::numeric_limits<Key>::max() : key;
  }
}

/// The key of an element, and its index in the line: sorting these is stable.
template <class T>
struct Item {
  static constexpr int kKeyBytes = sizeof(KeyOf<T>);
  KeyOf<T> key;
  std::uint64_t index;
  bool operator<(const Item& other) const {
    return key < other.key || (key == other.key && index < other.index);
  }
};

/// An Item in one integer, for 4-byte keys of lines with less than 2^32 elements.
struct PackedItem {
  static constexpr int kKeyBytes = 4;
  std::uint64_t bits;
  bool operator<(const PackedItem& other) const { return bits < other.bits; }
};

template <class I>
std::uint64_t index_of(const I& item) {
  if constexpr (std::is_same_v<I, PackedItem>)
    return item.bits & 0xffffffffU;
  else
    return item.index;
}

template <class I>
auto key_of_item(const I& item) {
  if constexpr (std::is_same_v<I, PackedItem>)
    return item.bits >> 32U;
  else
    return item.key;
}

template <class I, class T>
I make_item(T x, Size index, bool descending) {
  KeyOf<T> key = descending ? static_cast<KeyOf<T>>(~key_of(x)) : key_of(x);
  if constexpr (std::is_same_v<I, PackedItem>)
    return {static_cast<std::uint64_t>(key) << 32U | static_cast<std::uint64_t>(index)};
  else
    return {key, static_cast<std::uint64_t>(index)};
}

// Lines of at least this many elements are sorted by radix.
constexpr Size kMinRadixLine = 256;
constexpr int kDigits = 256;

/// Sorts items, whose indices ascend, by key: a stable sort, one byte of the keys after the other.
/// Returns the sorted items, which are in `items` or in `buffer`.
template <class I>
I* radix_sort(I* items, I* buffer, Size count) {
  constexpr int bytes = I::kKeyBytes;
  Size positions[bytes][kDigits] = {};
  for (Size k = 0; k < count; ++k) {
    auto key = key_of_item(items[k]);
    for (int byte = 0; byte < bytes; ++byte) ++positions[byte][key >> (8 * byte) & 0xffU];
  }
  for (int byte = 0; byte < bytes; ++byte) {
    Size* position = positions[byte];
    auto digit = [&](const I& item) { return key_of_item(item) >> (8 * byte) & 0xffU; };
    if (position[digit(items[0])] == count) continue;  // all keys have the same digit
    Size total = 0;
    for (int d = 0; d < kDigits; ++d) total += std::exchange(position[d], total);
    for (Size k = 0; k < count; ++k) buffer[position[digit(items[k])]++] = items[k];
    std::swap(items, buffer);
  }
  return items;
}

/// Sorts items, whose indices ascend; `buffer` has the same size.  Returns the sorted items.
template <class I>
I* sort_items(I* items, I* buffer, Size count) {
  if (count >= kMinRadixLine) return radix_sort(items, buffer, count);
  std::sort(items, items + count);
  return items;
}

/// Calls `body(line, items, buffer)` for each line: its items [count] and a buffer of the same
/// size.
template <class T, class Body>
void for_each_line_of_items(Size lines, Size count, bool descending, const T* x, const Body& body) {
  auto run = [&]<class I>(I) {
    parallel_ranges(lines, std::max<Size>(1, 4096 / count), [&](Size from, Size to) {
      auto* items = static_cast<I*>(workspace(0, 2 * static_cast<std::size_t>(count) * sizeof(I)));
      for (Size line = from; line < to; ++line) {
        throw_if_job_failed_or_interrupted();
        for (Size k = 0; k < count; ++k)
          items[k] = make_item<I>(x[line * count + k], k, descending);
        body(line, items, items + count);
      }
    });
  };
  if constexpr (sizeof(T) == 4)
    if (count <= Size{1} << 32) return run(PackedItem{});
  run(Item<T>{});
}

// For lines of at least this many elements per selected element, std::partial_sort, which keeps a
// heap of the selected elements, is faster than sorting.
constexpr Size kMinLinePerFirst = 32;

}  // namespace

template <class T>
void sort_indices(Size lines, Size count, Size num_first, bool descending, const T* x,
                  std::int64_t* indices) {
  for_each_line_of_items(lines, count, descending, x, [&](Size line, auto* items, auto* buffer) {
    if (num_first * kMinLinePerFirst <= count)
      std::partial_sort(items, items + num_first, items + count);
    else
      items = sort_items(items, buffer, count);
    for (Size k = 0; k < num_first; ++k)
      indices[line * num_first + k] = static_cast<std::int64_t>(index_of(items[k]));
  });
}

template <class T>
void select_index(Size lines, Size count, Size position, const T* x, std::int64_t* indices) {
  for_each_line_of_items(lines, count, false, x, [&](Size line, auto* items, auto*) {
    std::nth_element(items, items + position, items + count);
    indices[line] = static_cast<std::int64_t>(index_of(items[position]));
  });
}

template <class T>
void mode_index(Size lines, Size count, const T* x, std::int64_t* indices) {
  for_each_line_of_items(lines, count, false, x, [&](Size line, auto* items, auto* buffer) {
    items = sort_items(items, buffer, count);
    Size longest = 0, last = 0;
    for (Size from = 0, to = 0; from < count; from = to) {
      while (to < count && key_of_item(items[to]) == key_of_item(items[from])) ++to;
      if (to - from > longest) longest = to - from, last = to - 1;
    }
    indices[line] = static_cast<std::int64_t>(index_of(items[last]));
  });
}

#define OARLOCK_SORTING_OF(T)                                                  \
  template void sort_indices(Size, Size, Size, bool, const T*, std::int64_t*); \
  template void select_index(Size, Size, Size, const T*, std::int64_t*);       \
  template void mode_index(Size, Size, const T*, std::int64_t*);
OARLOCK_SORTING_OF(float)
OARLOCK_SORTING_OF(double)
OARLOCK_SORTING_OF(std::int32_t)
OARLOCK_SORTING_OF(std::int64_t)
#undef OARLOCK_SORTING_OF

}  // namespace oarlock::kernels
