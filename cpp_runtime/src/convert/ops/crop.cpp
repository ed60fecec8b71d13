// Cropping.
#include <algorithm>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// The end index of the cropped block along each axis; a size of -1 extends to the end of the axis.
Value crop_ends(NodeContext& n, Value offsets, Value shape) {
  Expr from{n, offsets}, size{n, shape};
  auto from_known = n.find_constant_ints(offsets), known = n.find_constant_ints(shape);
  bool whole = known && std::count(known->begin(), known->end(), -1) == 0;
  if (whole) return from + size;
  if (!known || !from_known)
    return n.emit("Where", {size < 0, n.int64_scalar(kSliceToEnd), from + size});
  Ints ends;
  for (std::size_t i = 0; i < known->size(); ++i)
    ends.push_back((*known)[i] < 0 ? kSliceToEnd : (*from_known)[i] + (*known)[i]);
  return n.int64_vector(ends);
}

void check_crop_offsets_or_shape(const NodeContext& n, Value v, int rank, std::int64_t min,
                                 std::string_view what) {
  auto known = n.find_constant_ints(v);
  if (!known) return;
  n.require(static_cast<int>(known->size()) == rank,
            "'" + std::string(what) + "' does not have one number per dim");
  for (auto k : *known)
    n.require(k >= min && k < 1L << 40, "'" + std::string(what) + "' has " + std::to_string(k));
}

void set_cropped_output(NodeContext& n, Value offsets, Value shape) {
  auto x = n.input("X");
  int rank = n.require_known_rank(x);
  check_crop_offsets_or_shape(n, offsets, rank, 0, "offsets");
  check_crop_offsets_or_shape(n, shape, rank, -1, "shape");
  auto y =
      n.emit("Slice", {x, offsets, crop_ends(n, offsets, shape), n.int64_vector(all_axes(rank))});
  if (auto known = n.find_partially_known_ints(shape)) n.declare_type(y, n.dtype(x), *known);
  n.set_output("Out", y);
}

void crop_tensor(NodeContext& n) {
  auto offsets = read_int_list_as_vector(n, {"offsets", "Offsets", "OffsetsTensor"});
  set_cropped_output(n, offsets, read_int_list_as_vector(n, {"shape", "Shape", "ShapeTensor"}));
}

// The op crop (version 1) crops to the shape of its optional input Y, or to its shape attribute.
void crop(NodeContext& n) {
  auto offsets = read_int_list_as_vector(n, {"offsets", "Offsets", ""});
  set_cropped_output(n, offsets,
                     n.has_input("Y") ? n.emit_shape(n.input("Y"))
                                      : read_int_list_as_vector(n, {"shape", "", ""}));
}

}  // namespace

std::span<const Rule> crop_rules() {
  static const Rule rules[] = {
      {"crop_tensor", 10, crop_tensor},
      {"crop", 10, crop},
  };
  return rules;
}

}  // namespace oarlock
