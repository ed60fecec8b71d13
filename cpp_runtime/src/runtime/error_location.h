// Maps an ONNX Runtime error to the program's op and the user's source line.
#pragma once
#include "oarlock/error.h"
#include "paddle/program.h"

namespace oarlock {

/// Adds the failed op, its output and the user's line to an error of a run.  Errors that name no
/// node of the program stay unchanged.
Error error_with_op_location(const Program& program, const Error& error);

/// The index in block 0 of the op whose node failed, or that contains it; the number of ops if
/// unknown.
std::size_t failed_main_block_op_index_or_size(const Program& program, const Error& error);

}  // namespace oarlock
