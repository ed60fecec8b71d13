// Tensors to the engine's values and back.
#pragma once
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "run/library.h"

namespace oarlock {

using Names = std::span<const char* const>;
using OrtValues = std::pmr::vector<ort::ValueHandle>;

/// Where a call keeps its lists: a small call allocates nothing on the heap but what it gives back.
using Scratch = std::pmr::memory_resource;

/// One run, with outputs wherever the engine puts them.
OrtValues run_once(const Library& library, ort::Session* session, const ort::RunOptions* how, Names inputs,
                   std::span<const ort::ValueHandle> values, Names outputs,
                   Scratch* scratch = std::pmr::get_default_resource());

/// A value over the memory of `view`, which must stay.
ort::ValueHandle value_of(const Library& library, const ort::MemoryInfo* memory, const TensorView& view);

/// Element type and shape of a tensor.
std::pair<DType, std::vector<std::int64_t>> type_of(const Library& library, const ort::Value* value);

/// What pairs along the last axis are as complex numbers.
void as_complex(DType& dtype, std::vector<std::int64_t>& shape);

/// A tensor on the memory of `value`, which is one.   pairs: along the last axis, which are complex numbers.
Tensor tensor_of(const Library& library, ort::ValueHandle value, bool pairs);

/// What the session says of one of its outputs.   pairs: as of tensor_of.   Error(unsupported) where it is no tensor.
TensorSpec output_spec(const Library& library, ort::Session* session, std::size_t index, bool pairs);

}  // namespace oarlock
