// NumPy arrays in and out, through the buffer protocol: no NumPy headers, no copies that matter.
#pragma once
#include <nanobind/nanobind.h>

#include <vector>

#include "oarlock/tensor.h"

namespace oarlock::python {

namespace nb = nanobind;

/// Arrays that a call reads.   Holds their buffers until it is gone.
class Inputs {
 public:
  explicit Inputs(std::size_t count) : buffers_(count), views_(count) {}
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// Take `array` as input number `index`.   Error(input) for what is no array.
  void set(std::size_t index, nb::handle array, const std::string& name);
  std::span<const TensorView> views() const { return views_; }

 private:
  bool take(std::size_t index, PyObject* array);

  std::vector<Py_buffer> buffers_;
  std::vector<TensorView> views_;
};

/// Import NumPy.  Called once, when the module is loaded: an import may let another thread run, so
/// that inside the initializer of a function-local static it could wait for a thread that waits for
/// that initializer.
void load_numpy();

/// A NumPy array with the content of `tensor`: small ones are copied, large ones keep the engine's
/// memory.
nb::object to_numpy(const Tensor& tensor);

}  // namespace oarlock::python
