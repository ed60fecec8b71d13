// What the engine says of a node, said of the op of the program that became it.
#pragma once
#include "oarlock/error.h"
#include "paddle/program.h"

namespace oarlock {

/// `error` of a run, with the op that failed, what it gives and the user's line.   Words that name
/// no node of ours stay.
Error blamed(const Program& program, const Error& error);

/// The index in block 0 of the op whose node failed, or that contains it; the number of ops where
/// that is not known.
std::size_t failed_op(const Program& program, const Error& error);

/// The index in block 0 of the op whose node failed, or that contains it; the number of ops where
/// that is not known.
std::size_t failed_op(const Program& program, const Error& error);

}  // namespace oarlock
