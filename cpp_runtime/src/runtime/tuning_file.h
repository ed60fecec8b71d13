// What `oarlock-runner tune` found best for a model on a machine, in `model.oarlock-tune.json`
// beside it.
#pragma once
#include <string>

#include "runtime/model_impl.h"
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// Where the tuning of a model lies; "" for one that is in memory.
std::string tuning_path(const Model::Impl& model);

/// `options`, with what they leave to the engine as it was found best; as they are where that was
/// on another machine, with another engine or device, or where the file is damaged.
Options with_tuning(const Options& options, const Model::Impl& model, const Library& library);

/// The text of the file that gives `options` back.   comment: what it was measured on.
std::string tuning_text(const Options& options, const Library& library, const std::string& comment);

}  // namespace oarlock
