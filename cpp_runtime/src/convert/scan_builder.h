// Loops over the places of an axis, or a number of times: one step is written as formulas, ONNX
// Runtime repeats it.
#pragma once
#include <functional>

#include "convert/expression.h"

namespace oarlock {

using Exprs = std::vector<Expr>;

/// What a step makes: the states that the next one begins with, and what is kept of this one.
struct Step {
  Exprs states, kept;
};

/// What is there in the end: the last states, and everything kept, along the axis.
struct Walked {
  Exprs states, kept;
};

/// Slices of `sequences` along an axis, one after the other; what is kept is put together along the
/// same axis.
struct Along {
  std::int64_t axis = 0;
  bool reverse = false;
};
using WalkBody = std::function<Step(const Exprs& states, const Exprs& slices)>;
Walked walk(Node& n, const Along& along, const Exprs& states, const Exprs& sequences,
            const WalkBody& body);

/// `count` (int64[]) steps; each is told its number.   What is kept is put together along a new
/// first axis.
using RepeatBody = std::function<Step(const Expr& number, const Exprs& states)>;
Walked repeat(Node& n, const Value& count, const Exprs& states, const RepeatBody& body);

}  // namespace oarlock
