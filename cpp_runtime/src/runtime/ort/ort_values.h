// Conversion between tensors and ONNX Runtime values.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/ort/ort_library.h"

namespace oarlock {

using Names = std::span<const char* const>;

/// Owned values of a run. Up to a few values are stored inside of the object, because a heap
/// allocation would slow down small runs.
class OrtValues {
 public:
  OrtValues(const ort::Api& api, std::size_t count)
      : api_(&api),
        count_(count),
        heap_(count > kInlineCount ? new ort::Value*[count]() : nullptr) {}
  OrtValues(const OrtValues&) = delete;
  OrtValues& operator=(const OrtValues&) = delete;
  ~OrtValues() {
    for (std::size_t i = 0; i < count_; ++i)
      if (ort::Value* left = data()[i]) api_->get<ort::ReleaseValue>()(left);
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] ort::Value** data() { return heap_ ? heap_.get() : inline_.data(); }
  [[nodiscard]] ort::Value* const* data() const { return heap_ ? heap_.get() : inline_.data(); }
  [[nodiscard]] ort::Value* operator[](std::size_t i) const { return data()[i]; }
  /// Sets an empty entry.
  void set(std::size_t i, ort::ValueHandle value) { data()[i] = value.release(); }
  /// Moves the ownership of an entry into the returned handle; the entry becomes empty.
  [[nodiscard]] ort::ValueHandle move_entry_to_handle(std::size_t i) {
    return {std::exchange(data()[i], nullptr), ort::ValueHandle::deleter_type{api_}};
  }

 private:
  static constexpr std::size_t kInlineCount = 8;
  const ort::Api* api_;
  std::size_t count_;
  std::array<ort::Value*, kInlineCount> inline_{};
  std::unique_ptr<ort::Value*[]> heap_;
};

/// Runs once. outputs: their names; output_values: one entry each; ONNX Runtime writes to the
/// memory of entries that are set, and allocates the others.
void run_session(const Library& library, ort::Session* session, const ort::RunOptions* run_options,
                 Names inputs, const OrtValues& values, Names outputs, OrtValues& output_values);

/// Moves the outputs of the last run of a binding into `output_values`, which has one entry per
/// bound output.
void take_bound_outputs(const Library& library, const ort::IoBinding* binding,
                        OrtValues& output_values);

/// The number of bytes of a tensor. The shape must be valid.
std::size_t tensor_byte_size(DType dtype, std::span<const std::int64_t> shape);

/// A value that refers to the memory of `view`, which must stay valid.
ort::ValueHandle make_ort_value_of_view(const Library& library, const ort::MemoryInfo* memory,
                                        const TensorView& view);

/// The dtype and shape of a tensor.
std::pair<DType, std::vector<std::int64_t>> read_tensor_type(const Library& library,
                                                             const ort::Value* value);

/// Changes `dtype` and `shape` in place from pairs of reals along the last axis to complex numbers:
/// the last dim is removed.
void convert_type_of_pairs_to_complex(DType& dtype, std::vector<std::int64_t>& shape);

/// A tensor that owns `value`. complex: pairs along the last axis are complex numbers; device:
/// where the value is.
Tensor make_tensor_owning_ort_value(const Library& library, ort::ValueHandle value, bool complex,
                                    Device device = {});

/// The spec of a session output. complex: as for make_tensor_owning_ort_value.  Throws
/// Error(unsupported) if it is not a tensor.
TensorSpec read_output_spec(const Library& library, ort::Session* session, std::size_t index,
                            bool complex);

}  // namespace oarlock
