#include "oarlock/pipeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/mapped_file.h"
#include "paddle/program.h"
#include "paddle/validator.h"
#include "pipeline/crop_quad.h"
#include "pipeline/postprocess.h"
#include "pipeline/preprocess.h"

namespace oarlock {
namespace {

constexpr std::size_t kMaxSettingsBytes = std::size_t{16} << 20;
constexpr std::int64_t kMaxOutputElements = std::int64_t{1} << 48;
constexpr std::int64_t kMaxSourceSide = std::int64_t{1} << 28;  // of images that are accepted
constexpr const char* kSettingsFiles[] = {"inference.yml.config.json", "infer_cfg.yml.config.json"};

[[noreturn]] void throw_wrong_outputs(std::span<const TensorView> outputs, PipelineTask task,
                                      const std::string& expected) {
  std::string got;
  for (const TensorView& output : outputs)
    got += (got.empty() ? "" : ", ") +
           format_type(output.dtype, {output.shape.begin(), output.shape.end()});
  throw Error(ErrorCode::input, std::string(task_name(task)) + ": the network returned " + got +
                                    "; expected " + expected);
}

// Checks the arguments of `postprocess`: throws Error(input) for outputs that cannot come from a
// network, and for sizes of images that cannot come from `preprocess`.
void check_postprocess_arguments(std::span<const TensorView> outputs,
                                 std::span<const ImageSizes> sizes) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<std::int64_t> shape(outputs[i].shape.begin(), outputs[i].shape.end());
    std::optional<std::int64_t> count = element_count(shape);
    if (!count || *count > kMaxOutputElements || (*count > 0 && !outputs[i].data))
      throw Error(ErrorCode::input,
                  "postprocess: output " + std::to_string(i) + " is " +
                      format_type(outputs[i].dtype, shape) +
                      (outputs[i].data ? ", which is no tensor" : " without data"));
  }
  auto is_valid = [](std::int64_t side) { return side >= 1 && side <= kMaxSourceSide; };
  for (const ImageSizes& size : sizes)
    if (!is_valid(size.source_height) || !is_valid(size.source_width))
      throw Error(ErrorCode::input, "postprocess: the source image has " +
                                        std::to_string(size.source_height) + " x " +
                                        std::to_string(size.source_width) +
                                        " pixels (height x width); pass the sizes of `preprocess`");
}

ScoreArray require_finite_score_array(const TensorView& output) {
  ScoreArray scores{static_cast<const float*>(output.data),
                    {output.shape.begin(), output.shape.end()}};
  std::size_t count =
      scores.num_elements_per_batch_item() * static_cast<std::size_t>(scores.shape[0]);
  if (std::any_of(scores.data, scores.data + count, [](float v) { return !std::isfinite(v); }))
    throw Error(ErrorCode::input, "postprocess: the network returned NaN or infinity");
  return scores;
}

// The scores in the single output of a network; throws unless the output is float32 with rank
// `rank` and a batch of `count` images.
ScoreArray require_single_score_output(std::span<const TensorView> outputs, std::size_t count,
                                       std::size_t rank, PipelineTask task,
                                       const std::string& expected) {
  bool is_valid = outputs.size() == 1 && outputs[0].dtype == DType::float32 &&
                  outputs[0].shape.size() == rank &&
                  outputs[0].shape[0] == static_cast<std::int64_t>(count) &&
                  outputs[0].shape[rank - 1] > 0;
  if (!is_valid) throw_wrong_outputs(outputs, task, expected);
  return require_finite_score_array(outputs[0]);
}

std::vector<std::int64_t> to_int64_counts(const TensorView& output) {
  std::vector<std::int64_t> counts;
  auto append = [&](const auto* values) {
    counts.assign(values, values + (output.shape.empty() ? 0 : output.shape[0]));
  };
  if (output.dtype == DType::int32) append(static_cast<const std::int32_t*>(output.data));
  if (output.dtype == DType::int64) append(static_cast<const std::int64_t*>(output.data));
  return counts;
}

void postprocess_object_detection(std::span<const TensorView> outputs,
                                  std::span<const ImageSizes> sizes,
                                  const PipelineSettings& settings,
                                  std::vector<PipelineResult>& results) {
  const std::string expected =
      "float32[boxes, columns] with 6, 7, 8 or 10 columns, and int32 or int64[images] with the "
      "number of boxes of each image";
  bool is_valid = outputs.size() == 2 && outputs[0].dtype == DType::float32 &&
                  outputs[0].shape.size() == 2 && outputs[1].shape.size() == 1 &&
                  outputs[1].shape[0] == static_cast<std::int64_t>(sizes.size());
  if (!is_valid) throw_wrong_outputs(outputs, settings.task, expected);
  auto columns = static_cast<std::size_t>(outputs[0].shape[1]);
  std::vector<std::int64_t> counts = to_int64_counts(outputs[1]);
  bool has_columns = (columns >= 6 && columns <= 8) || columns == 10;
  if (!has_columns || counts.size() != sizes.size())
    throw_wrong_outputs(outputs, settings.task, expected);
  ScoreArray rows = require_finite_score_array(outputs[0]);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (counts[i] < 0 || counts[i] > outputs[0].shape[0] - next)
      throw_wrong_outputs(outputs, settings.task,
                          expected + ", whose sum is at most the number of rows");
    std::span<const float> own{rows.data + static_cast<std::size_t>(next) * columns,
                               static_cast<std::size_t>(counts[i]) * columns};
    results[i].objects = detected_objects(own, columns, settings, sizes[i]);
    next += counts[i];
  }
}

void postprocess_text_detection(std::span<const TensorView> outputs,
                                std::span<const ImageSizes> sizes, const PipelineSettings& settings,
                                std::vector<PipelineResult>& results) {
  const std::string expected = "float32[images, 1, height, width]";
  ScoreArray maps = require_single_score_output(outputs, sizes.size(), 4, settings.task, expected);
  constexpr std::int64_t kMaxSide = 1 << 20;
  if (maps.shape[1] < 1 || maps.shape[2] < 1 || maps.shape[2] > kMaxSide ||
      maps.shape[3] > kMaxSide)
    throw_wrong_outputs(outputs, settings.task, expected);
  auto pixels = static_cast<std::size_t>(maps.shape[2] * maps.shape[3]);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    results[i].text_boxes = text_boxes(maps.item(i).first(pixels), static_cast<int>(maps.shape[2]),
                                       static_cast<int>(maps.shape[3]), settings.db, sizes[i]);
}

void postprocess_text_recognition(std::span<const TensorView> outputs,
                                  const PipelineSettings& settings,
                                  std::vector<PipelineResult>& results) {
  ScoreArray steps = require_single_score_output(outputs, results.size(), 3, settings.task,
                                                 "float32[images, steps, characters]");
  auto classes = static_cast<std::size_t>(steps.shape[2]);
  if (classes > settings.labels.size() + 2)
    throw Error(ErrorCode::input, "text_recognition: the network has " + std::to_string(classes) +
                                      " classes, but character_dict has " +
                                      std::to_string(settings.labels.size()) +
                                      " characters, with blank and space " +
                                      std::to_string(settings.labels.size() + 2));
  for (std::size_t i = 0; i < results.size(); ++i)
    decode_ctc(steps.item(i), classes, settings, results[i]);
}

// Builds the input tensors of a network: for detection networks by their names (images, sizes,
// scales), otherwise the images.
std::vector<Tensor> make_network_inputs(const std::vector<TensorSpec>& specs, const Tensor& images,
                                        std::span<const ImageSizes> sizes) {
  auto pairs = [&](auto height, auto width) {
    Tensor result(DType::float32, {static_cast<std::int64_t>(sizes.size()), 2});
    auto* target = static_cast<float*>(result.data());
    for (const ImageSizes& size : sizes) {
      *target++ = static_cast<float>(size.*height);
      *target++ = static_cast<float>(size.*width);
    }
    return result;
  };
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : specs) {
    if (spec.name == "im_shape")
      inputs.push_back(pairs(&ImageSizes::resized_height, &ImageSizes::resized_width));
    else if (spec.name == "scale_factor")
      inputs.push_back(pairs(&ImageSizes::scale_height, &ImageSizes::scale_width));
    else if (spec.name == "image" || specs.size() == 1)
      inputs.push_back(images);
    else
      throw Error(ErrorCode::unsupported, "pipeline: the network has several inputs, and '" +
                                              spec.name +
                                              "' is not image, im_shape or scale_factor");
  }
  return inputs;
}

// Stacks images [3, H, W] along a new first axis; the rows of narrower images are padded with zeros
// to the largest width.
Tensor stack(std::span<const PreparedImage> images) {
  std::vector<std::int64_t> shape = images[0].data.shape();
  for (const PreparedImage& image : images)
    shape.back() = std::max(shape.back(), image.data.shape().back());
  shape.insert(shape.begin(), static_cast<std::int64_t>(images.size()));
  Tensor result(DType::float32, shape);
  auto width = static_cast<std::size_t>(shape.back());
  auto* target = static_cast<float*>(result.data());
  for (const PreparedImage& image : images) {
    auto own_width = static_cast<std::size_t>(image.data.shape().back());
    std::span<const float> values = image.data.values<float>();
    for (std::size_t at = 0; at < values.size(); at += own_width, target += width)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), own_width, target);
  }
  return result;
}

Options with_tensorrt_profiles(Options options, const ImageProcessor& processor) {
  if (options.device == "tensorrt" && !options.provider.contains("trt_profile_min_shapes"))
    options.provider.insert(processor.tensorrt_profiles().begin(),
                            processor.tensorrt_profiles().end());
  return options;
}

}  // namespace

struct ImageProcessor::Impl {
  PipelineSettings settings;
};

std::string_view task_name(PipelineTask task) {
  constexpr std::string_view names[] = {"image_classification", "image_multilabel_classification",
                                        "object_detection", "text_detection", "text_recognition"};
  return names[static_cast<int>(task)];
}

ImageProcessor ImageProcessor::from_json(std::string_view json, const std::string& name) {
  ImageProcessor result;
  result.impl_ = std::make_shared<Impl>(Impl{read_pipeline_settings(json, name)});
  return result;
}

ImageProcessor ImageProcessor::open(const std::string& directory) {
  for (const char* file : kSettingsFiles) {
    std::string path = directory + "/" + file;
    if (!is_file(path)) continue;
    MappedFile mapped(path);
    if (mapped.bytes().size() > kMaxSettingsBytes)
      throw Error(ErrorCode::file, std::string(file) + ": is too large for settings");
    return from_json(mapped.bytes(), file);
  }
  throw Error(ErrorCode::file, base_name(directory) + ": there is no " + kSettingsFiles[0] +
                                   " or " + kSettingsFiles[1] +
                                   "; write it with: oarlock pipeline-config DIR");
}

PipelineTask ImageProcessor::task() const { return impl_->settings.task; }
const std::vector<std::string>& ImageProcessor::labels() const { return impl_->settings.labels; }
const StringMap& ImageProcessor::tensorrt_profiles() const {
  return impl_->settings.tensorrt_profiles;
}

PreparedImage ImageProcessor::preprocess(const ImageView& image) const {
  return preprocess_image(impl_->settings, image);
}

std::vector<PipelineResult> ImageProcessor::postprocess(std::span<const TensorView> outputs,
                                                        std::span<const ImageSizes> sizes) const {
  const PipelineSettings& settings = impl_->settings;
  check_postprocess_arguments(outputs, sizes);
  std::vector<PipelineResult> results(sizes.size());
  if (settings.task == PipelineTask::object_detection) {
    postprocess_object_detection(outputs, sizes, settings, results);
  } else if (settings.task == PipelineTask::text_detection) {
    postprocess_text_detection(outputs, sizes, settings, results);
  } else if (settings.task == PipelineTask::text_recognition) {
    postprocess_text_recognition(outputs, settings, results);
  } else {
    ScoreArray scores = require_single_score_output(outputs, sizes.size(), 2, settings.task,
                                                    "float32[images, classes]");
    bool is_multilabel = settings.task == PipelineTask::image_multilabel_classification;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      results[i].classes = is_multilabel ? classes_above_threshold(scores.item(i), settings)
                                         : top_k_classes(scores.item(i), settings);
  }
  return results;
}

Tensor crop_text(const ImageView& image, const TextQuad& corners) {
  std::array<Point, 4> quad;
  for (std::size_t i = 0; i < 4; ++i) quad[i] = {corners[i][0], corners[i][1]};
  ByteImage cropped = crop_quad(image, quad);
  Tensor result(DType::uint8, {cropped.height, cropped.width, 3});
  std::copy(cropped.values.begin(), cropped.values.end(),
            static_cast<std::uint8_t*>(result.data()));
  return result;
}

std::vector<std::size_t> reading_order(std::span<const TextQuad> boxes) {
  constexpr std::int64_t kRowDistance = 10;  // boxes whose tops are closer are in one row
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto x = [&](std::size_t i) { return boxes[order[i]][0][0]; };
  auto y = [&](std::size_t i) { return static_cast<std::int64_t>(boxes[order[i]][0][1]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t p, std::size_t q) {
    return std::pair(boxes[p][0][1], boxes[p][0][0]) < std::pair(boxes[q][0][1], boxes[q][0][0]);
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t j = i; j > 0 && std::abs(y(j) - y(j - 1)) < kRowDistance && x(j) < x(j - 1);
         --j)
      std::swap(order[j], order[j - 1]);
  return order;
}

Pipeline::Pipeline(const std::string& directory, const Options& options)
    : processor_(ImageProcessor::open(directory)),
      session_(Model::open(directory), with_tensorrt_profiles(options, processor_)) {}

std::vector<PipelineResult> Pipeline::run(std::span<const ImageView> images, std::size_t batch_size,
                                          std::vector<std::optional<Error>>* errors) const {
  bool pads = processor_.task() == PipelineTask::text_recognition;
  std::vector<PreparedImage> batch;
  std::vector<std::size_t> indices;  // of the images in the batch
  std::vector<PipelineResult> results(images.size());
  if (errors) errors->assign(images.size(), std::nullopt);
  // Runs the network on `count` images of the batch, beginning with image `first`.
  auto run_network = [&](std::size_t first, std::size_t count) {
    std::span<const PreparedImage> part{batch.data() + first, count};
    std::vector<ImageSizes> sizes;
    for (const PreparedImage& image : part) sizes.push_back(image.sizes);
    std::vector<Tensor> inputs = make_network_inputs(session_.inputs(), stack(part), sizes);
    std::vector<TensorView> views(inputs.begin(), inputs.end());
    std::vector<Tensor> outputs = session_.run(std::span<const TensorView>(views));
    std::vector<TensorView> output_views(outputs.begin(), outputs.end());
    std::vector<PipelineResult> found = processor_.postprocess(output_views, sizes);
    for (std::size_t i = 0; i < count; ++i) results[indices[first + i]] = std::move(found[i]);
  };
  auto store_error = [&](std::size_t index, auto act) {
    try {
      act();
      return true;
    } catch (const Error& error) {
      if (!errors) throw;
      (*errors)[index] = error;
      return false;
    }
  };
  auto run_batch = [&] {
    if (!batch.empty() && !store_error(indices[0], [&] { run_network(0, batch.size()); }))
      for (std::size_t i = 0; batch.size() > 1 && i < batch.size(); ++i) {
        (*errors)[indices[i]].reset();
        store_error(indices[i], [&] { run_network(i, 1); });
      }
    batch.clear();
    indices.clear();
  };
  for (std::size_t i = 0; i < images.size(); ++i) {
    PreparedImage prepared;
    if (!store_error(i, [&] { prepared = processor_.preprocess(images[i]); })) continue;
    bool fits = batch.size() < std::max<std::size_t>(batch_size, 1) &&
                (batch.empty() || pads || prepared.data.shape() == batch[0].data.shape());
    if (!fits) run_batch();
    batch.push_back(std::move(prepared));
    indices.push_back(i);
  }
  run_batch();
  return results;
}

TextSystem::TextSystem(Pipeline detection, Pipeline recognition)
    : detection_(std::move(detection)), recognition_(std::move(recognition)) {
  if (detection_.processor().task() != PipelineTask::text_detection ||
      recognition_.processor().task() != PipelineTask::text_recognition)
    throw Error(ErrorCode::input, "text system: needs text_detection and text_recognition, not " +
                                      std::string(task_name(detection_.processor().task())) +
                                      " and " +
                                      std::string(task_name(recognition_.processor().task())));
}

std::vector<TextLine> TextSystem::run(const ImageView& image, std::size_t batch_size) const {
  std::vector<TextBox> boxes = detection_.run({&image, 1})[0].text_boxes;
  std::vector<TextQuad> quads;
  for (const TextBox& box : boxes) quads.push_back(box.corners);
  std::vector<TextLine> lines;
  std::vector<Tensor> crops;
  for (std::size_t i : reading_order(quads)) {
    Tensor cropped = crop_text(image, quads[i]);
    if (cropped.size() == 0) continue;
    lines.push_back({boxes[i], "", 0});
    crops.push_back(std::move(cropped));
  }
  // Text lines are sorted by width / height, because a batch of lines is padded to the width of its
  // widest line.
  std::vector<std::size_t> order(crops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto ratio = [&](std::size_t i) {
    return static_cast<double>(crops[i].shape()[1]) / static_cast<double>(crops[i].shape()[0]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t p, std::size_t q) { return ratio(p) < ratio(q); });
  std::vector<ImageView> views;
  for (std::size_t i : order)
    views.push_back({static_cast<const std::uint8_t*>(crops[i].data()), crops[i].shape()[0],
                     crops[i].shape()[1], 0, image.order});
  std::vector<PipelineResult> texts = recognition_.run(views, batch_size);
  for (std::size_t i = 0; i < order.size(); ++i) {
    lines[order[i]].text = texts[i].text;
    lines[order[i]].text_score = texts[i].text_score;
  }
  return lines;
}

}  // namespace oarlock
