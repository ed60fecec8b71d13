// Conversion between NumPy arrays and tensors through the buffer protocol, without NumPy's headers.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "oarlock/tensor.h"

namespace oarlock::python {

namespace nb = nanobind;

/// Buffers of the input arrays of a call, held during its lifetime.
class InputBuffers {
 public:
  /// Creates `count` empty buffers; set() fills them.
  explicit InputBuffers(std::size_t count) : buffers_(count), views_(count) {}
  ~InputBuffers();
  InputBuffers(const InputBuffers&) = delete;
  InputBuffers& operator=(const InputBuffers&) = delete;

  /// Sets input `index`.  Throws Error(input) if `array` is not an array.
  void set(std::size_t index, nb::handle array, const std::string& name);
  std::span<const TensorView> views() const { return views_; }

 private:
  using HostTensor = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

  bool try_set_without_copy(std::size_t index, PyObject* array);
  bool try_set_from_dlpack(std::size_t index, nb::handle array);

  std::vector<Py_buffer> buffers_;
  std::vector<TensorView> views_;
  std::vector<HostTensor> tensors_;  // inputs that are shared by DLPack
};

/// Imports NumPy.  Called once, when the module is loaded, and not in the initializer of a
/// function-local static: the import may release the GIL to a thread that waits for that
/// initializer, which would be a deadlock.
void import_numpy_module();

/// Converts to a NumPy array: copies small tensors; large ones share ONNX Runtime's memory.
nb::object to_numpy(const Tensor& tensor);

}  // namespace oarlock::python
