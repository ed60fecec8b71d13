// The settings of a model directory's .yml, read from JSON and validated completely.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "oarlock/pipeline.h"
#include "pipeline/resize.h"

namespace oarlock {

struct Size {
  int height = 0, width = 0;
};

/// Resize to `size`; keep_ratio: to the largest size of the image's proportions within the longer
/// and the shorter side of `size`.
struct ResizeTo {
  Size size;
  bool keep_ratio = false;
  Interpolation interpolation = Interpolation::linear;
};
/// Resize the shorter side to `length`.
struct ResizeShort {
  int length = 0;
  Interpolation interpolation = Interpolation::linear;
};
struct CenterCrop {
  Size size;
};
/// DetResizeForTest: sides are multiples of 32; `limit` is the least shorter side (min), the
/// largest longer side (max) or the longer side (resize_long).  The setting `resize_long: N` is the
/// default of limit_side_len, as in PaddleX; it does not change limit_type.
struct DetResizeByLimit {
  enum class Type { min, max, resize_long } type = Type::min;
  int limit = 736, max_side = 4000;
};
/// DetResizeForTest with image_shape; keep_ratio: the width is the next multiple of 32.
struct DetResizeToShape {
  Size size;
  bool keep_ratio = false;
};
/// RecResizeImg: resize to a height, pad the width to at least that of `size`, and normalize to
/// -1..1.
struct RecResize {
  Size size;
};
/// LetterBoxResize: resize within `size` and pad on both sides with gray.
struct LetterBox {
  Size size;
};
/// value * scale + shift by channel.
struct Normalize {
  std::array<float, 3> scale{}, shift{};
};
/// Pad below and to the right.
struct PadTo {
  Size size;
  std::array<float, 3> color{};
};
struct PadToStride {
  int stride = 0;
};
struct ToChw {};

using ImageTransform =
    std::variant<ResizeTo, ResizeShort, CenterCrop, DetResizeByLimit, DetResizeToShape, RecResize,
                 LetterBox, Normalize, PadTo, PadToStride, ToChw>;

/// DBPostProcess, with the names of its settings.
struct DbPostprocessSettings {
  double thresh = 0.3, box_thresh = 0.6, unclip_ratio = 2.0;
  int max_candidates = 1000;
  bool use_dilation = false, is_slow_score = false;  // is_slow_score: score_mode is slow
};

struct PipelineSettings {
  std::string model_name;  // "" if the file has none
  PipelineTask task = PipelineTask::image_classification;
  PixelOrder order = PixelOrder::rgb;
  std::vector<ImageTransform> transforms;
  std::vector<std::string> labels;  // classes, or the characters of the dictionary
  DbPostprocessSettings db;
  int top_k = 5;
  // The threshold of each class in multi-label classification; `threshold` is used for classes
  // without one, and for object detection.
  std::map<int, double> class_thresholds;
  double threshold = 0.5;
  bool layout_nms = false;
  StringMap tensorrt_profiles;
};

/// Throws Error(file) for invalid settings, and Error(unsupported) for unsupported transforms, of
/// which it lists all, for unsupported settings and for an unsupported order of transforms.
PipelineSettings read_pipeline_settings(std::string_view json, const std::string& name);

}  // namespace oarlock
