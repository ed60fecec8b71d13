// What a Model holds.
#pragma once
#include <string>

#include "lower/graph.h"
#include "oarlock/model.h"
#include "read/mapped_file.h"
#include "read/params.h"

namespace oarlock {

struct Model::Impl {
  std::string digest;  // of the `.pdmodel`
  std::string prefix;  // of the files, "" for a model that is in memory
  Program program;
  MappedFile weights;
  Params params;
};

/// The specs of a model's inputs, named and shaped as the program declares them.
std::vector<TensorSpec> input_specs(const Program& program);

}  // namespace oarlock
