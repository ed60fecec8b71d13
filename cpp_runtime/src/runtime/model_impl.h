// The implementation of Model.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "convert/graph_builder.h"
#include "oarlock/model.h"
#include "paddle/params.h"
#include "paddle/temporary_combined_params.h"

namespace oarlock {

struct Model::Impl {
  std::string digest;  // digest of the `.pdmodel`
  std::string prefix;  // path prefix of the files, "" for a model in memory
  Program program;
  std::unique_ptr<TemporaryCombinedParams> combined_params;  // parameters of a Paddle 1.x folder
  MappedFile weights;
  std::unique_ptr<char[]> weights_in_memory;  // instead of `weights`; null for files
  std::size_t num_bytes_in_memory = 0;
  Params params;

  /// The bytes of the `.pdiparams`.
  std::string_view weights_bytes() const {
    return weights_in_memory ? std::string_view(weights_in_memory.get(), num_bytes_in_memory)
                             : weights.bytes();
  }
};

/// The specs of a model's inputs, with declared names and shapes.
std::vector<TensorSpec> input_specs(const Program& program);

}  // namespace oarlock
