// What a Model holds.
#pragma once
#include <memory>
#include <string>

#include "lower/graph.h"
#include "oarlock/model.h"
#include "read/mapped_file.h"
#include "read/params.h"
#include "run/joined.h"

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
