#include "pipeline/settings.h"

#include <algorithm>
#include <cmath>

#include "base/escape_control_characters.h"
#include "base/number_text_conversion.h"
#include "pipeline/settings_reader.h"

namespace oarlock {
namespace {

constexpr int kMaxSide = 1 << 16;
constexpr std::size_t kMaxLabels = 1 << 20;
constexpr double kMaxNumber = 1e6, kMinStd = 1e-6;

[[noreturn]] void throw_unsupported(const SettingsReader& fields, const char* name,
                                    const std::string& value, const std::string& supported) {
  throw Error(ErrorCode::unsupported, fields.path(name) + ": '" + escape_control_characters(value) +
                                          "' is not supported; supported: " + supported);
}

int read_side_length(const SettingsReader& fields, const char* name, Json value) {
  double side = read_number(value, fields.path(name), 1, kMaxSide);
  if (side != std::floor(side)) fields.fail(name, "is not an integer");
  return static_cast<int>(side);
}

// Reads a size: a pair [height, width], or one number for both; `width_first`: the pair is [width,
// height].
Size read_size(SettingsReader& fields, const char* name, bool width_first = false) {
  Json value = fields.find(name);
  bool is_pair = value.type() == Json::Type::array && value.size() == 2;
  if (!is_pair && !value.is_number()) fields.fail(name, "is not a pair of sizes");
  int first = read_side_length(fields, name, is_pair ? value.find_at(0) : value);
  int second = read_side_length(fields, name, is_pair ? value.find_at(1) : value);
  return width_first ? Size{second, first} : Size{first, second};
}

// Reads the height and width of a field [3, height, width].
Size read_size_from_chw_shape(SettingsReader& fields, const char* name) {
  Json value = fields.find(name);
  if (value.type() != Json::Type::array || value.size() != 3 ||
      value.find_at(0).integer_or_zero() != 3)
    fields.fail(name, "is not [3, height, width]");
  return {read_side_length(fields, name, value.find_at(1)),
          read_side_length(fields, name, value.find_at(2))};
}

Interpolation read_interpolation(SettingsReader& fields, const char* name,
                                 const char* default_name) {
  Json value = fields.find(name);
  constexpr const char* by_number[] = {"NEAREST", "LINEAR", "BICUBIC", "AREA", "LANCZOS4"};
  std::string text = value.type() == Json::Type::integer ? by_number[fields.integer(name, 0, 0, 4)]
                                                         : fields.text(name, default_name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (text == "NEAREST") return Interpolation::nearest;
  if (text == "LINEAR" || text == "BILINEAR") return Interpolation::linear;
  if (text == "BICUBIC" || text == "CUBIC") return Interpolation::cubic;
  if (text == "AREA") return Interpolation::area;
  throw_unsupported(fields, name, text, "NEAREST, LINEAR, BICUBIC, AREA");
}

Normalize normalize(SettingsReader& fields, double scale) {
  auto mean = fields.numbers("mean", {0.485, 0.456, 0.406}, 3, kMaxNumber);
  auto std = fields.numbers("std", {0.229, 0.224, 0.225}, 3, kMaxNumber);
  Normalize result;
  for (std::size_t c = 0; c < 3; ++c) {
    if (std::fabs(std[c]) < kMinStd) fields.fail("std", "contains a value near 0");
    result.scale[c] = static_cast<float>(scale / std[c]);
    result.shift[c] = static_cast<float>(-mean[c] / std[c]);
  }
  return result;
}

using OptionalTransform = std::optional<ImageTransform>;

// Reads the settings of the transform NormalizeImage of PaddleX's classification and text models.
OptionalTransform read_normalize(SettingsReader& fields, PipelineSettings&) {
  double scale = fields.number("scale", 1.0 / 255, -kMaxNumber, kMaxNumber);
  std::string order = fields.text("order", "hwc");
  if (order != "hwc" && !order.empty()) throw_unsupported(fields, "order", order, "hwc");
  if (int channels = fields.integer("channel_num", 3, 1, 4); channels != 3)
    throw_unsupported(fields, "channel_num", std::to_string(channels), "3");
  return normalize(fields, scale);
}

// Reads the settings of the transform NormalizeImage of PaddleDetection.
OptionalTransform read_detection_normalize(SettingsReader& fields, PipelineSettings&) {
  double scale = fields.boolean("is_scale", true) ? 1.0 / 255 : 1.0;
  std::string type = fields.text("norm_type", "mean_std");
  if (type != "mean_std" && type != "none")
    throw_unsupported(fields, "norm_type", type, "mean_std, none");
  return normalize(fields, scale);
}

// Reads the settings of the transform DetResizeForTest, whose defaults depend on the model.
OptionalTransform read_det_resize(SettingsReader& fields, PipelineSettings& settings) {
  DetResizeByLimit result;
  result.max_side = fields.integer("max_side_limit", result.max_side, 32, kMaxSide);
  if (fields.has("image_shape"))
    return DetResizeToShape{read_size(fields, "image_shape"), fields.boolean("keep_ratio", false)};
  const std::string& model = settings.model_name;
  bool is_ocr_model = model.starts_with("PP-OCRv") && model.ends_with("_det") &&
                      model.find("_seal_") == std::string::npos;
  int default_limit = fields.integer("resize_long", is_ocr_model ? 960 : 736, 1, kMaxSide);
  result.limit = fields.integer("limit_side_len", default_limit, 1, kMaxSide);
  std::string type = fields.text("limit_type", is_ocr_model ? "max" : "min");
  if (type == "max")
    result.type = DetResizeByLimit::Type::max;
  else if (type == "resize_long")
    result.type = DetResizeByLimit::Type::resize_long;
  else if (type != "min")
    fields.fail("limit_type",
                "is '" + escape_control_characters(type) + "'; it must be min, max or resize_long");
  return result;
}

OptionalTransform read_decode_image(SettingsReader& fields, PipelineSettings& settings) {
  std::string mode = fields.text("img_mode", "RGB");
  if (mode != "RGB" && mode != "BGR") throw_unsupported(fields, "img_mode", mode, "RGB, BGR");
  if (fields.boolean("channel_first", false))
    throw_unsupported(fields, "channel_first", "true", "false");
  settings.order = mode == "RGB" ? PixelOrder::rgb : PixelOrder::bgr;
  return std::nullopt;
}

OptionalTransform read_resize_image(SettingsReader& fields, PipelineSettings&) {
  if (std::string backend = fields.text("backend", "cv2"); backend != "cv2")
    throw_unsupported(fields, "backend", backend, "cv2");
  Interpolation interpolation = read_interpolation(fields, "interpolation", "LINEAR");
  if (fields.has("resize_short"))
    return ResizeShort{fields.integer("resize_short", 0, 1, kMaxSide), interpolation};
  return ResizeTo{read_size(fields, "size", true), false, interpolation};
}

OptionalTransform read_crop(SettingsReader& fields, PipelineSettings&) {
  return fields.has("size") ? CenterCrop{read_size(fields, "size", true)} : CenterCrop{{224, 224}};
}

OptionalTransform read_rec_resize(SettingsReader& fields, PipelineSettings&) {
  fields.mark_as_known("eval_mode");  // of training
  fields.mark_as_known("character_dict_path");
  return RecResize{read_size_from_chw_shape(fields, "image_shape")};
}

OptionalTransform read_to_chw(SettingsReader&, PipelineSettings&) { return ToChw{}; }

OptionalTransform read_detection_resize(SettingsReader& fields, PipelineSettings&) {
  return ResizeTo{read_size(fields, "target_size"), fields.boolean("keep_ratio", false),
                  read_interpolation(fields, "interp", "BICUBIC")};
}

OptionalTransform read_letter_box(SettingsReader& fields, PipelineSettings&) {
  return LetterBox{read_size(fields, "target_size")};
}

OptionalTransform read_pad(SettingsReader& fields, PipelineSettings&) {
  auto color = fields.numbers("fill_value", {127.5, 127.5, 127.5}, 3, kMaxNumber);
  PadTo result{read_size(fields, "size"), {}};
  std::transform(color.begin(), color.end(), result.color.begin(),
                 [](double value) { return static_cast<float>(value); });
  return result;
}

OptionalTransform read_pad_stride(SettingsReader& fields, PipelineSettings&) {
  return PadToStride{fields.integer("stride", 32, 0, kMaxSide)};
}

using Reader = OptionalTransform (*)(SettingsReader&, PipelineSettings&);

// The name of a transform in a .yml, and the function that reads its settings; the function is null
// for a transform that is used in training only, which is ignored.
struct TransformReader {
  std::string_view name;
  Reader read;
};

// `PreProcess.transform_ops` of classification and text models.
constexpr TransformReader kTransformOps[] = {
    {"DecodeImage", read_decode_image}, {"ResizeImage", read_resize_image},
    {"CropImage", read_crop},           {"NormalizeImage", read_normalize},
    {"ToCHWImage", read_to_chw},        {"DetResizeForTest", read_det_resize},
    {"RecResizeImg", read_rec_resize},  {"DetLabelEncode", nullptr},
    {"MultiLabelEncode", nullptr},      {"KeepKeys", nullptr},
};

// `Preprocess` of detection models.
constexpr TransformReader kDetectionTransforms[] = {
    {"Resize", read_detection_resize},
    {"NormalizeImage", read_detection_normalize},
    {"Permute", read_to_chw},
    {"LetterBoxResize", read_letter_box},
    {"Pad", read_pad},
    {"PadStride", read_pad_stride},
};

struct NamedTransform {
  std::string name, where;
  Json settings;
};

// The names and settings of the transforms, from the list `PreProcess.transform_ops` (items {Name:
// {...}}) or, for detection, `Preprocess` (items {type: Name, ...}).
std::vector<NamedTransform> list_transforms(Json root, bool is_detection, const std::string& file) {
  std::string where = file + (is_detection ? ": Preprocess" : ": PreProcess.transform_ops");
  Json list =
      is_detection ? root.find("Preprocess") : root.find("PreProcess").find("transform_ops");
  if (list.type() != Json::Type::array || list.size() > 64)
    throw Error(ErrorCode::file, where + " is not a list of up to 64 transforms");
  std::vector<NamedTransform> result;
  for (Json item : list) {
    std::string at = where + "[" + std::to_string(result.size()) + "]";
    Json type = item.find("type");
    bool is_valid = is_detection ? type.type() == Json::Type::string
                                 : item.type() == Json::Type::object && item.size() == 1;
    if (!is_valid) throw Error(ErrorCode::file, at + " is not a transform with its settings");
    std::string_view name = is_detection ? type.string_or_empty() : item.find_at(0).name();
    result.push_back({escape_control_characters(name), at + " " + escape_control_characters(name),
                      is_detection ? item : item.find_at(0)});
  }
  return result;
}

// Fails if a transform of bytes, such as a resize, follows one that yields floats, if a transform
// other than PadToStride follows ToChw, or if images are normalized twice.
void check_transform_order(const std::vector<ImageTransform>& transforms, const std::string& file) {
  bool is_float = false, is_chw = false, is_normalized = false;
  for (const ImageTransform& transform : transforms) {
    bool is_normalize = std::holds_alternative<Normalize>(transform);
    bool is_pad = std::holds_alternative<PadTo>(transform);
    bool is_stride = std::holds_alternative<PadToStride>(transform);
    bool is_last = std::holds_alternative<ToChw>(transform);
    bool needs_bytes = !is_normalize && !is_pad && !is_stride && !is_last;
    if ((needs_bytes && is_float) || (is_chw && !is_stride) || (is_normalize && is_normalized))
      throw Error(ErrorCode::unsupported,
                  file +
                      ": the order of transforms is not supported; supported: resize or crop, then "
                      "NormalizeImage, Pad, ToCHWImage or Permute, PadStride");
    is_normalized |= is_normalize;
    is_float |= !needs_bytes || std::holds_alternative<RecResize>(transform);
    is_chw |= is_last || std::holds_alternative<RecResize>(transform);
  }
}

void read_transforms(Json root, bool is_detection, const std::string& file,
                     PipelineSettings& settings) {
  std::span<const TransformReader> readers = kTransformOps;
  if (is_detection) readers = kDetectionTransforms;
  auto find_reader = [&](const std::string& name) {
    return std::find_if(readers.begin(), readers.end(),
                        [&](const TransformReader& reader) { return reader.name == name; });
  };
  std::vector<NamedTransform> named = list_transforms(root, is_detection, file);
  std::string unsupported;
  for (const NamedTransform& transform : named)
    if (find_reader(transform.name) == readers.end())
      unsupported += (unsupported.empty() ? "" : ", ") + transform.name;
  if (!unsupported.empty())
    throw Error(ErrorCode::unsupported, file + ": unsupported transforms: " + unsupported);
  for (const NamedTransform& transform : named) {
    Reader reader = find_reader(transform.name)->read;
    if (!reader) continue;
    SettingsReader fields(transform.settings, transform.where);
    if (is_detection) fields.mark_as_known("type");
    if (OptionalTransform read = reader(fields, settings)) settings.transforms.push_back(*read);
    fields.reject_unknown();
  }
  check_transform_order(settings.transforms, file);
}

void read_db_postprocess(SettingsReader& fields, PipelineSettings& settings) {
  settings.task = PipelineTask::text_detection;
  DbPostprocessSettings& db = settings.db;
  db.thresh = fields.number("thresh", db.thresh, 0, 1);
  db.box_thresh = fields.number("box_thresh", db.box_thresh, 0, 1);
  db.unclip_ratio = fields.number("unclip_ratio", db.unclip_ratio, 0, 100);
  db.max_candidates = fields.integer("max_candidates", db.max_candidates, 1, 100000);
  db.use_dilation = fields.boolean("use_dilation", false);
  std::string mode = fields.text("score_mode", "fast");
  if (mode != "fast" && mode != "slow")
    fields.fail("score_mode",
                "is '" + escape_control_characters(mode) + "'; it must be fast or slow");
  db.is_slow_score = mode == "slow";
  if (std::string type = fields.text("box_type", "quad"); type != "quad")
    throw_unsupported(fields, "box_type", type, "quad");
}

void read_ctc_label_decode(SettingsReader& fields, PipelineSettings& settings) {
  settings.task = PipelineTask::text_recognition;
  settings.labels = fields.strings("character_dict", kMaxLabels);
  if (!fields.has("character_dict"))
    for (char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz"))
      settings.labels.emplace_back(1, c);
  bool has_line = std::any_of(settings.transforms.begin(), settings.transforms.end(),
                              [](auto& t) { return std::holds_alternative<RecResize>(t); });
  if (!has_line) fields.fail("needs the transform RecResizeImg");
}

void read_top_k_postprocess(SettingsReader& fields, PipelineSettings& settings) {
  settings.task = PipelineTask::image_classification;
  settings.top_k = fields.integer("topk", settings.top_k, 1, kMaxSide);
  settings.labels = fields.strings("label_list", kMaxLabels);
}

// Reads labels and thresholds of a multilabel classification; `threshold` is a number, a list by
// class, or {default: number, class: number, ...}.
void read_multilabel_postprocess(SettingsReader& fields, PipelineSettings& settings) {
  settings.task = PipelineTask::image_multilabel_classification;
  settings.labels = fields.strings("label_list", kMaxLabels);
  Json threshold = fields.find("threshold");
  std::string where = fields.path("threshold");
  if (threshold.type() == Json::Type::array) {
    for (Json value : threshold)
      settings.class_thresholds[static_cast<int>(settings.class_thresholds.size())] =
          read_number(value, where, 0, 1);
  } else if (threshold.type() == Json::Type::object) {
    settings.threshold = read_number(threshold.find("default"), where + ".default", 0, 1);
    for (Json value : threshold) {
      if (value.name() == "default") continue;
      std::optional<int> id = try_parse_int(value.name());
      if (!id || *id < 0) fields.fail("threshold", "has a key that is not the number of a class");
      settings.class_thresholds[*id] = read_number(value, where, 0, 1);
    }
  } else {
    settings.threshold = fields.number("threshold", settings.threshold, 0, 1);
  }
}

void read_postprocess(Json root, const std::string& file, PipelineSettings& settings) {
  Json post = root.find("PostProcess");
  std::string_view name = post.find("name").string_or_empty();
  using PostReader = void (*)(SettingsReader&, PipelineSettings&);
  static const std::map<std::string_view, PostReader> by_name = {
      {"DBPostProcess", read_db_postprocess}, {"CTCLabelDecode", read_ctc_label_decode}};
  static const std::map<std::string_view, PostReader> by_key = {
      {"Topk", read_top_k_postprocess}, {"MultiLabelThreshOutput", read_multilabel_postprocess}};
  bool is_named = post.find("name").type() == Json::Type::string;
  std::string_view key = is_named ? name : post.size() == 1 ? post.find_at(0).name() : "";
  const auto& readers = is_named ? by_name : by_key;
  auto reader = readers.find(key);
  if (reader == readers.end())
    throw Error(ErrorCode::unsupported,
                file + ": PostProcess '" + escape_control_characters(key) +
                    "' is not supported; supported: Topk, MultiLabelThreshOutput, DBPostProcess, "
                    "CTCLabelDecode, and detection models");
  SettingsReader fields(is_named ? post : post.find_at(0),
                        file + ": PostProcess " + std::string(key));
  if (is_named) fields.mark_as_known("name");
  reader->second(fields, settings);
  fields.reject_unknown();
}

void read_detection_postprocess(Json root, const std::string& file, PipelineSettings& settings) {
  SettingsReader fields(root, file + ":");
  settings.task = PipelineTask::object_detection;
  settings.labels = fields.strings("label_list", kMaxLabels);
  if (settings.labels.empty()) fields.fail("has no label_list");
  settings.threshold = fields.number("draw_threshold", 0.5, 0, 1);
  settings.layout_nms = fields.boolean("layout_nms", false);
  for (const char* name : {"layout_unclip_ratio", "layout_merge_bboxes_mode", "mask", "tracker"})
    if (Json value = fields.find(name);
        value && (value.type() != Json::Type::boolean || value.boolean_or_false()))
      throw Error(ErrorCode::unsupported, file + ": " + name + " is not supported");
}

// {input: [min shape, opt shape, max shape]} as ONNX Runtime's provider options.
StringMap read_dynamic_shape_profiles(Json shapes, const std::string& where) {
  StringMap result;
  SettingsReader inputs(shapes, where);
  for (Json input : shapes) {
    std::string name(input.name());
    if (name.empty() || name.find_first_of(":,") != std::string::npos)
      inputs.fail("has an input name that is empty or contains ':' or ','");
    if (input.type() != Json::Type::array || input.size() != 3)
      inputs.fail(name, "is not a list of three shapes: min, opt, max");
    std::vector<double> smaller;
    for (std::size_t i = 0; i < 3; ++i) {
      Json shape = input.find_at(i);
      if (shape.type() != Json::Type::array || shape.size() == 0 || shape.size() > 16 ||
          shape.size() != input.find_at(0).size())
        inputs.fail(name, "has shapes of different ranks, or that are not lists of up to 16 sizes");
      std::string text = name + ":";
      std::vector<double> sizes;
      for (Json size : shape) {
        sizes.push_back(read_number(size, inputs.path(name), 1, 1 << 30));
        text += (sizes.size() > 1 ? "x" : "") + std::to_string(static_cast<int>(sizes.back()));
        if (size.type() != Json::Type::integer)
          inputs.fail(name, "has a size that is not an integer");
        if (!smaller.empty() && sizes.back() < smaller[sizes.size() - 1])
          inputs.fail(name, "has sizes that are not min <= opt <= max");
      }
      smaller = sizes;
      std::string& option = result[std::array{"trt_profile_min_shapes", "trt_profile_opt_shapes",
                                              "trt_profile_max_shapes"}[i]];
      option += (option.empty() ? "" : ",") + text;
    }
  }
  return result;
}

StringMap read_tensorrt_profiles(Json root, const std::string& file) {
  Json backends = root.find("Hpi").find("backend_configs");
  StringMap own =
      read_dynamic_shape_profiles(backends.find("tensorrt").find("dynamic_shapes"),
                                  file + ": Hpi.backend_configs.tensorrt.dynamic_shapes");
  StringMap paddle =
      read_dynamic_shape_profiles(backends.find("paddle_infer").find("trt_dynamic_shapes"),
                                  file + ": Hpi.backend_configs.paddle_infer.trt_dynamic_shapes");
  return own.empty() ? paddle : own;
}

}  // namespace

PipelineSettings read_pipeline_settings(std::string_view json, const std::string& name) {
  JsonDocument document(json, name);
  Json root = document.root();
  if (root.type() != Json::Type::object) throw Error(ErrorCode::file, name + ": is not a mapping");
  PipelineSettings settings;
  settings.model_name = root.find("Global").find("model_name").string_or_empty();
  bool is_detection = static_cast<bool>(root.find("Preprocess"));
  if (!is_detection && !root.find("PreProcess"))
    throw Error(ErrorCode::file, name + ": has neither PreProcess nor Preprocess");
  read_transforms(root, is_detection, name, settings);
  if (is_detection)
    read_detection_postprocess(root, name, settings);
  else
    read_postprocess(root, name, settings);
  settings.tensorrt_profiles = read_tensorrt_profiles(root, name);
  return settings;
}

}  // namespace oarlock
