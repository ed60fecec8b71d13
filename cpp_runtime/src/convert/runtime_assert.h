// Things that ONNX Runtime would do wrong at run time without a word.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// Whether ONNX Runtime's CPU has a kernel of the ONNX op for numbers of this dtype, as far as the
/// list of holes goes.
bool has_kernel(std::string_view onnx, DType dtype);

/// The opset that first has the ONNX op, for numbers of this dtype; 7 for all that were there then,
/// or are asked for elsewhere.
int first_opset_of(std::string_view onnx, DType dtype);

/// `y` for an integer division by it: a zero in it becomes an error of the run instead of the end
/// of the process.
Value nonzero(Node& n, const Value& y);

/// `v`, of whose dims only that of `axis` may be 0: where another is, the run ends in an error.
Value nonempty(Node& n, const Value& v, std::int64_t axis = 0);

/// `v`, whole numbers; where any of `wrong` (bool[*]) is true, the run ends in an error, which says
/// `why`.
Value only_where_none(Node& n, const Value& v, const Value& wrong, std::string_view why);

/// What stands before `why` in the name of the node that fails: the engine's words tell nothing
/// then.
inline constexpr std::string_view kReason = "/not: ";

}  // namespace oarlock
