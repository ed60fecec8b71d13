// The implementation of Model.
#pragma once
#include <memory>
#include <string>

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
  Params params;
};

/// The specs of a model's inputs, with declared names and shapes.
std::vector<TensorSpec> input_specs(const Program& program);

}  // namespace oarlock
