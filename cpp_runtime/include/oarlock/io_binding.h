// IoBinding: repeated runs of a session on input and output tensors that are bound once, in host
// memory or on a GPU.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

/// The inputs and outputs of repeated runs. Binding checks a tensor once; if all outputs are bound
/// to tensors and the model has no guards on values, a run allocates nothing beside what ONNX
/// Runtime's own bound run allocates. The contents of bound memory may change between runs; to
/// change sizes, bind other tensors. An IoBinding is not thread-safe: each thread uses its own. All
/// bindings can share one session, which must outlive them.
class OARLOCK_EXPORT IoBinding {
 public:
  /// Binds no input; outputs are allocated in host memory by each run.
  explicit IoBinding(const Session& session);
  ~IoBinding();
  IoBinding(IoBinding&&) noexcept;
  IoBinding& operator=(IoBinding&&) noexcept;

  /// Binds a tensor to an input, and shares its memory until another one is bound.  Throws
  /// Error(input) for an unknown name, wrong dtype or shape, or memory that the session cannot use.
  void bind_input(std::string_view name, Tensor tensor);
  /// Binds a tensor with the sizes of the result to an output; each run overwrites its values.
  /// Throws the errors of bind_input.
  void bind_output(std::string_view name, Tensor tensor);
  /// Lets each run allocate an output in memory of `device`. Throws Error(input) for an unknown
  /// name or memory that the session cannot use.
  void bind_output(std::string_view name, Device device);

  /// Runs on the bound inputs.  Throws as Session::run does, and Error(input) if an input is not
  /// bound, or if the size of a result is not that of the bound tensor.
  void run(const CancellationToken* cancellation = nullptr);
  /// The outputs of the last run, in the order of Session::outputs(). An output that is bound to a
  /// tensor is that tensor. Outputs that runs allocate are new tensors after each run.
  const std::vector<Tensor>& outputs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oarlock
