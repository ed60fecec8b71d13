// Run-time assertions in the ONNX graph, for inputs on which ONNX Runtime would compute wrong
// results or crash.
#pragma once
#include "convert/node_context.h"

namespace oarlock {

/// Returns `y`, a divisor of integers; a zero in it fails the run instead of ending the process.
Value assert_nonzero_divisor(NodeContext& n, Value y);

/// Returns `v`; the run fails if a dim other than `axis` is 0.
Value assert_nonempty_except_axis(NodeContext& n, Value v, std::int64_t axis = 0);

/// Returns `v`, integers; if any element of `violated` (bool[*]) is true, the run fails with
/// `message`.
Value fail_at_run_time_if_any(NodeContext& n, Value v, Value violated, std::string_view message);

/// The name of a run-time assertion's node contains this prefix and the message: ONNX Runtime's
/// error includes the name of the failed node, but its text does not describe the problem.
inline constexpr std::string_view kAssertPrefix = "/not: ";

}  // namespace oarlock
