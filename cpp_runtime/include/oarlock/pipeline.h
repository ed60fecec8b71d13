// Model directories of PaddleX, PaddleOCR 3 and PaddleDetection as pipelines: image in, result out.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oarlock/session.h"

namespace oarlock {

enum class PixelOrder { rgb, bgr };

/// A decoded image in memory that the caller owns: `height` rows of `width` pixels of 3 bytes.
/// stride: bytes from one row to the next; 0: 3 * width.
struct ImageView {
  const std::uint8_t* data = nullptr;
  std::int64_t height = 0, width = 0, stride = 0;
  PixelOrder order = PixelOrder::rgb;
};

enum class PipelineTask {
  image_classification,
  image_multilabel_classification,
  object_detection,
  text_detection,
  text_recognition,
};

/// PaddleX's name of a task, such as `text_detection`.
OARLOCK_EXPORT std::string_view task_name(PipelineTask task);

/// Sizes of an image before and after preprocessing.  resized: before padding; scale: resized size
/// divided by source size.
struct ImageSizes {
  std::int64_t source_height = 0, source_width = 0, resized_height = 0, resized_width = 0;
  double scale_height = 1, scale_width = 1;
};

/// A preprocessed image and its sizes. data: the network input, float32[3, H, W], or [H, W, 3] if
/// the file has no transform to CHW.
struct PreparedImage {
  Tensor data;
  ImageSizes sizes;
};

struct ClassScore {
  std::int64_t id = 0;
  std::string label;
  double score = 0;
};

/// An object found in an image. coordinates: x1, y1, x2, y2 of the box, or the x and y of the four
/// corners of a rotated box; in pixels of the source image.
struct DetectedObject {
  std::int64_t class_id = 0;
  std::string label;
  double score = 0;
  std::vector<float> coordinates;
};

/// The corners (x, y) of a text line: upper left, upper right, lower right, lower left, in pixels
/// of the source image.
using TextQuad = std::array<std::array<std::int32_t, 2>, 4>;

struct TextBox {
  TextQuad corners{};
  double score = 0;
};

/// The result for one image; only the members of the pipeline's task are filled.
struct PipelineResult {
  std::vector<ClassScore> classes;      // classification: best first
  std::vector<DetectedObject> objects;  // object_detection
  std::vector<TextBox> text_boxes;      // text_detection
  std::string text;                     // text_recognition
  double text_score = 0;
};

/// Converts images to network inputs and network outputs to results, as the `inference.yml` or
/// `infer_cfg.yml` of a model directory describes. An ImageProcessor is immutable, so any number of
/// threads may call it; copies share their settings.
class OARLOCK_EXPORT ImageProcessor {
 public:
  /// Reads the settings from JSON. json: the content of the .yml as JSON (`oarlock pipeline-config
  /// DIR` writes it); name: for messages.  Throws Error(file) for invalid settings, and
  /// Error(unsupported) for unsupported transforms, of which it lists all, for unsupported settings
  /// and for an unsupported order of transforms.
  static ImageProcessor from_json(std::string_view json, const std::string& name);
  /// Reads `directory`/inference.yml.config.json or infer_cfg.yml.config.json. Throws the errors of
  /// `from_json`, and Error(file) if neither file exists.
  static ImageProcessor open(const std::string& directory);

  PipelineTask task() const;
  /// The labels of classes or the characters of the dictionary.
  const std::vector<std::string>& labels() const;
  /// ONNX Runtime's options trt_profile_{min,opt,max}_shapes from `Hpi.backend_configs`; empty if
  /// the file has no shapes.
  const StringMap& tensorrt_profiles() const;

  /// Resizes, crops, pads and normalizes an image as the settings say. Throws Error(input) for an
  /// image without pixels or of more than 2^28 pixels, one that is
  /// smaller than CropImage's size or larger than Pad's, and one that would be resized beyond 2^26
  /// (67,108,864) pixels.
  PreparedImage preprocess(const ImageView& image) const;
  /// The results for the images of a batch.  outputs: of the network, in its order.  Throws
  /// Error(input) for outputs of another type or shape than the task has, for NaN and infinity,
  /// and for sizes that `preprocess` does not return.
  std::vector<PipelineResult> postprocess(std::span<const TensorView> outputs,
                                          std::span<const ImageSizes> sizes) const;

  struct Impl;

 private:
  ImageProcessor() = default;
  std::shared_ptr<const Impl> impl_;
};

/// The part of an image in a text box, straightened; 3 bytes per pixel in the order of `image`.
/// Vertical text lines are rotated by 90 degrees counterclockwise. The result has the shape
/// [height, width, 3]; [0, 0, 3] for a text box of less than a pixel. Throws Error(input) for a
/// text box of more than 2^26 (67,108,864) pixels.
OARLOCK_EXPORT Tensor crop_text(const ImageView& image, const TextQuad& corners);

/// The indices of text boxes in reading order: rows from top to bottom, in a row from left to
/// right. Two neighboring boxes are in the same row if their upper left corners differ by less
/// than 10 pixels in y.
OARLOCK_EXPORT std::vector<std::size_t> reading_order(std::span<const TextQuad> boxes);

/// The pipeline of a model directory: preprocessing, network, postprocessing. Any number of threads
/// may call a Pipeline; copies share the session.
class OARLOCK_EXPORT Pipeline {
 public:
  /// Opens the model and its settings.  options: if the device is tensorrt, the shapes of
  /// `Hpi.backend_configs` are added unless `options.provider` has such shapes. Throws the errors
  /// of `ImageProcessor::open`, `Model::open` and the constructor of `Session`.
  explicit Pipeline(const std::string& directory, const Options& options = {});

  const ImageProcessor& processor() const { return processor_; }
  /// The results in the order of the images.  batch_size: images per run of the network, where
  /// their prepared shapes are equal; text recognition pads the widths of a batch; 0 counts as 1.
  /// Throws the errors of `preprocess`, `Session::run` and `postprocess`, and Error(unsupported) if
  /// the network has several inputs, one of which is not image, im_shape or scale_factor.
  ///
  /// errors: if not null, the errors of images are stored instead of thrown, and the other images
  /// are processed: one item for each image, nullopt for success.  The result of a failed image is
  /// empty.
  std::vector<PipelineResult> run(std::span<const ImageView> images, std::size_t batch_size = 1,
                                  std::vector<std::optional<Error>>* errors = nullptr) const;

 private:
  ImageProcessor processor_;
  Session session_;
};

/// A line of text: box and text.
struct TextLine {
  TextBox box;
  std::string text;
  double text_score = 0;
};

/// Text detection followed by text recognition. Any number of threads may call a TextSystem.
class OARLOCK_EXPORT TextSystem {
 public:
  /// Throws Error(input) if `detection` is not a pipeline for text detection or `recognition` not
  /// one for text recognition.
  TextSystem(Pipeline detection, Pipeline recognition);

  /// The lines of an image in `reading_order`.  batch_size: lines per run of the recognition; 0
  /// counts as 1. Throws the errors of `Pipeline::run` and `crop_text`.
  std::vector<TextLine> run(const ImageView& image, std::size_t batch_size = 6) const;

 private:
  Pipeline detection_, recognition_;
};

}  // namespace oarlock
