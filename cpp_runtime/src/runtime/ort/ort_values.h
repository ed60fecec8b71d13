// Tensors to the engine's values and back.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/ort/ort_library.h"

namespace oarlock {

using Names = std::span<const char* const>;

/// Values of a run, which it owns, as the engine reads and fills them.   A few lie inside: a small
/// run would feel what the heap takes.
class OrtValues {
 public:
  OrtValues(const ort::Api& api, std::size_t count)
      : api_(&api), count_(count), many_(count > kFew ? new ort::Value*[count]() : nullptr) {}
  OrtValues(const OrtValues&) = delete;
  OrtValues& operator=(const OrtValues&) = delete;
  ~OrtValues() {
    for (std::size_t i = 0; i < count_; ++i)
      if (ort::Value* left = data()[i]) api_->get<ort::ReleaseValue>()(left);
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] ort::Value** data() { return many_ ? many_.get() : few_.data(); }
  [[nodiscard]] ort::Value* const* data() const { return many_ ? many_.get() : few_.data(); }
  [[nodiscard]] ort::Value* operator[](std::size_t i) const { return data()[i]; }
  /// Put a value into an empty place.
  void put(std::size_t i, ort::ValueHandle value) { data()[i] = value.release(); }
  /// Take one out.
  [[nodiscard]] ort::ValueHandle take(std::size_t i) {
    return {std::exchange(data()[i], nullptr), ort::ValueHandle::deleter_type{api_}};
  }

 private:
  static constexpr std::size_t kFew = 8;
  const ort::Api* api_;
  std::size_t count_;
  std::array<ort::Value*, kFew> few_{};
  std::unique_ptr<ort::Value*[]> many_;
};

/// One run, with outputs wherever the engine puts them.   outputs: their names; found: as many
/// places.
void run_once(const Library& library, ort::Session* session, const ort::RunOptions* how,
              Names inputs, const OrtValues& values, Names outputs, OrtValues& found);

/// A value over the memory of `view`, which must stay.
ort::ValueHandle value_of(const Library& library, const ort::MemoryInfo* memory,
                          const TensorView& view);

/// Element type and shape of a tensor.
std::pair<DType, std::vector<std::int64_t>> type_of(const Library& library,
                                                    const ort::Value* value);

/// What pairs along the last axis are as complex numbers.
void as_complex(DType& dtype, std::vector<std::int64_t>& shape);

/// A tensor on the memory of `value`, which is one.   pairs: along the last axis, which are complex
/// numbers.
Tensor tensor_of(const Library& library, ort::ValueHandle value, bool pairs);

/// What the session says of one of its outputs.   pairs: as of tensor_of.   Error(unsupported)
/// where it is no tensor.
TensorSpec output_spec(const Library& library, ort::Session* session, std::size_t index,
                       bool pairs);

}  // namespace oarlock
