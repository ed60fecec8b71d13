// Operands in the several guises that Paddle gives them: lists of integers, axes, layouts, results
// of rank zero.
#pragma once
#include <optional>
#include <string_view>

#include "convert/node_context.h"
#include "paddle/validator.h"

namespace oarlock {

/// A list of integers that is an attribute, one tensor, or a list of tensors of one element each.
/// int64[n]
struct IntList {
  std::string_view attr, tensor, tensors;
};
Value int_list(Node& n, const IntList& names, const Ints& otherwise = {});
/// Its content, where it is known when the program is lowered.   Fails otherwise.
Ints need_ints(Node& n, const IntList& names, const Ints& otherwise = {});

/// Attribute `shape`, with one dim that is a dim of `Input`: the batch.   int64[n]
Value batch_shape(Node& n);

/// An axis that is an attribute or a tensor of known content, counted from the front.
std::int64_t axis_operand(Node& n, std::string_view attr, std::string_view tensor,
                          std::int64_t otherwise, int rank);

/// An integer tensor of any shape as int64[n]; any tensor of one element as a scalar.
Value as_vector(Node& n, const Value& v);
Value as_scalar(Node& n, const Value& v);

/// `slice` of a list of tensors: some of them, or with `decrease_axis` the one at `start`.
void slice_of_list(Node& n, const Value& list, const Value& start, const Value& end);
/// Positions as Paddle takes them.   ONNX counts negative ones from the end; here they are none,
/// and the engine says so. ids: of any integer type.   slot: where they come from
Value positions(Node& n, const Value& ids);
Value positions_in(Node& n, std::string_view slot);
/// `updates` brought together with what `v` has at coordinates, by a `reduction` of ScatterND: add,
/// max, min.
Value gathered_at(Node& n, const Value& v, const Value& at, const Value& updates,
                  std::string_view reduction);
/// What stands for a negative position: beyond the end of every axis.
inline constexpr std::int64_t kNoPosition = 2147483647;
/// int64[1]: the size of `v` along `axis`, folded where it is known.
Value size_along(Node& n, const Value& v, std::int64_t axis);
/// The same as a scalar.
Value length_along(Node& n, const Value& v, std::int64_t axis);
/// The sizes of `v` but for one axis.   int64[rank-1]
Value shape_without(Node& n, const Value& v, std::int64_t axis);
/// int64[*]: the sizes along `axis` and all behind it.
Value sizes_from(Node& n, const Value& v, std::int64_t axis);
/// `v` in a shape of several parts, int64[*] each.
Value reshaped(Node& n, const Value& v, const Values& parts);
/// `v` in the shape of `like`, which has as many elements.
Value reshape_like(Node& n, const Value& v, const Value& like);

/// Before 2.5 a result without dims was declared, and was, of shape [1]: what is declared decides.
void out_scalar(Node& n, std::string_view slot, const Value& v);

/// A size that something is written out for: at least 1, at most a million.   Fails otherwise.
std::size_t written_size(const Node& n, std::int64_t size, std::string_view what);
/// A list of one value or more.   Fails otherwise.
Values need_values(Node& n, std::string_view slot);

/// Axes counted from the front, sorted.
Ints from_front(const Node& n, Ints axes, int rank);
/// 0 .. rank-1
Ints all_axes(int rank);
/// The same without one of them, which must be there.
Ints axes_but(const Node& n, int rank, std::int64_t axis);

/// Whether a layout attribute (NHWC, NLC, NDHWC) puts channels last.
bool channels_last(const Node& n, std::string_view attr);
/// Moves channels to axis 1, and back; nothing to do unless `last`.
Value to_channels_first(Node& n, const Value& v, bool last);
Value to_channels_last(Node& n, const Value& v, bool last);
/// A value per channel as it broadcasts against `x`: [C,1,1...], or [C] where channels are last.
Value per_channel(Node& n, const Value& v, int rank, bool last = false);

/// The axes of a reduction, none for all, by the attributes of the newer ops.
struct Over {
  Ints axes;
  bool keep;
};
Over read_axes(Node& n, std::string_view axes, std::string_view keep, int rank);

/// Means, sums and the like over `axes`.   Takes care of where the opset keeps the axes.
Value reduce(Node& n, std::string_view onnx, const Value& v, const Ints& axes, bool keep);

/// Y's dims line up with X's from attribute `axis` on; ONNX aligns at the end.
struct Pair {
  Value x, y;
};
Pair aligned(Node& n, std::string_view x = "X", std::string_view y = "Y");

/// `v` as floats where it holds integers: what the op's output is declared as, else float32.
Value floating(Node& n, const Value& v, std::string_view slot = "Out");

}  // namespace oarlock
