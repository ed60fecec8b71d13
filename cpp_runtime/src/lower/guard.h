// Things that ONNX Runtime would do wrong at run time without a word.
#pragma once
#include "lower/node.h"

namespace oarlock {

/// `y` for an integer division by it: a zero in it becomes an error of the run instead of the end of the process.
Value nonzero(Node& n, const Value& y);

}  // namespace oarlock
