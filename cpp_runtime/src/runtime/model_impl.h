// What a Model holds.
#pragma once
#include <memory>
#include <string>

#include "base/mapped_file.h"
#include "convert/graph_builder.h"
#include "oarlock/model.h"
#include "paddle/combined_params.h"
#include "paddle/params.h"

namespace oarlock {

struct Model::Impl {
  std::string digest;  // of the `.pdmodel`
  std::string prefix;  // of the files, "" for a model that is in memory
  Program program;
  std::unique_ptr<JoinedFiles> joined;  // the values of a folder of Paddle 1.x
  MappedFile weights;
  Params params;
};

/// The specs of a model's inputs, named and shaped as the program declares them.
std::vector<TensorSpec> input_specs(const Program& program);

}  // namespace oarlock
