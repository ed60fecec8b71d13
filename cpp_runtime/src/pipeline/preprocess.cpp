#include "pipeline/preprocess.h"

#include <cmath>

namespace oarlock {
namespace {

constexpr int kMaxLineWidth = 3200;  // of PaddleX's text recognition
constexpr double kMaxSourcePixels = 4 * kMaxPixels;

// Rounds to the nearest integer, halves to the even one, as Python's round().
double round_half_even(double value) { return std::nearbyint(value); }

// The state of one image between transforms: 8-bit pixels until the first transform that computes
// floats, then floats.
class Preprocessor {
 public:
  explicit Preprocessor(ByteImage image) : bytes_(std::move(image)) {
    sizes_.source_height = bytes_.height;
    sizes_.source_width = bytes_.width;
    record_resized_size_and_scale(1, 1);
  }

  void operator()(const ResizeTo& t) {
    double height = t.size.height, width = t.size.width;
    if (t.keep_ratio) {
      double scale = std::min(std::max(height, width) / std::max(bytes_.height, bytes_.width),
                              std::min(height, width) / std::min(bytes_.height, bytes_.width));
      height = round_half_even(bytes_.height * scale);
      width = round_half_even(bytes_.width * scale);
    }
    resize_byte_image(height, width, t.interpolation);
  }

  void operator()(const ResizeShort& t) {
    double scale = static_cast<double>(t.length) / std::min(bytes_.height, bytes_.width);
    resize_byte_image(round_half_even(bytes_.height * scale), round_half_even(bytes_.width * scale),
                      t.interpolation);
  }

  void operator()(const CenterCrop& t) {
    if (bytes_.height < t.size.height || bytes_.width < t.size.width)
      fail("is smaller than the crop of " + format_size(t.size.height, t.size.width));
    bytes_ = crop(bytes_, (bytes_.height - t.size.height) / 2, (bytes_.width - t.size.width) / 2,
                  t.size.height, t.size.width);
  }

  void operator()(const DetResizeByLimit& t) {
    pad_small_image();
    double height = bytes_.height, width = bytes_.width, limit = t.limit;
    double longer = std::max(height, width), shorter = std::min(height, width), ratio = 1;
    if (t.type == DetResizeByLimit::Type::max && longer > limit) ratio = limit / longer;
    if (t.type == DetResizeByLimit::Type::min && shorter < limit) ratio = limit / shorter;
    if (t.type == DetResizeByLimit::Type::resize_long) ratio = limit / longer;
    height = std::trunc(height * ratio);
    width = std::trunc(width * ratio);
    if (std::max(height, width) > t.max_side) {
      ratio = t.max_side / std::max(height, width);
      height = std::trunc(height * ratio);
      width = std::trunc(width * ratio);
    }
    auto to_multiple = [](double side) { return std::max(round_half_even(side / 32) * 32, 32.0); };
    resize_byte_image(to_multiple(height), to_multiple(width), Interpolation::linear);
  }

  void operator()(const DetResizeToShape& t) {
    pad_small_image();
    double width = t.size.width;
    if (t.keep_ratio)
      width =
          std::ceil(static_cast<double>(bytes_.width) * t.size.height / bytes_.height / 32) * 32;
    resize_byte_image(t.size.height, width, Interpolation::linear);
  }

  void operator()(const RecResize& t) {
    double ratio = static_cast<double>(bytes_.width) / bytes_.height;
    double widest = std::max(static_cast<double>(t.size.width) / t.size.height, ratio);
    double width = std::trunc(t.size.height * widest);
    double used = std::min(std::ceil(t.size.height * ratio), width);
    if (width > kMaxLineWidth) width = used = kMaxLineWidth;
    check_resize_target_size(t.size.height, width);
    resize_byte_image(t.size.height, used, Interpolation::linear);
    convert_to_float_image();
    for (float& value : floats_.values) value = (value / 255 - 0.5f) / 0.5f;
    pad_float_image(t.size.height, static_cast<int>(width), {});
    is_chw_ = true;
  }

  void operator()(const LetterBox& t) {
    double ratio = std::min(static_cast<double>(t.size.height) / bytes_.height,
                            static_cast<double>(t.size.width) / bytes_.width);
    check_resize_target_size(t.size.height, t.size.width);
    double height = round_half_even(bytes_.height * ratio);
    double width = round_half_even(bytes_.width * ratio);
    resize_byte_image(height, width, Interpolation::area);
    ByteImage boxed = make_filled_image<std::uint8_t>(t.size.height, t.size.width, {128, 128, 128});
    paste(bytes_, boxed, static_cast<int>(round_half_even((t.size.height - height) / 2 - 0.1)),
          static_cast<int>(round_half_even((t.size.width - width) / 2 - 0.1)));
    bytes_ = std::move(boxed);
    sizes_.scale_height = sizes_.scale_width = ratio;
  }

  void operator()(const Normalize& t) {
    convert_to_float_image();
    for (std::size_t i = 0; i < floats_.values.size(); ++i)
      floats_.values[i] = floats_.values[i] * t.scale[i % 3] + t.shift[i % 3];
  }

  void operator()(const PadTo& t) {
    convert_to_float_image();
    if (floats_.height > t.size.height || floats_.width > t.size.width)
      fail("is resized to " + format_size(floats_.height, floats_.width) +
           ", larger than the padding to " + format_size(t.size.height, t.size.width));
    check_resize_target_size(t.size.height, t.size.width);
    pad_float_image(t.size.height, t.size.width, t.color);
  }

  void operator()(const PadToStride& t) {
    if (t.stride == 0) return;
    convert_to_float_image();
    auto to_multiple = [&](int side) { return (side + t.stride - 1) / t.stride * t.stride; };
    check_resize_target_size(to_multiple(floats_.height), to_multiple(floats_.width));
    pad_float_image(to_multiple(floats_.height), to_multiple(floats_.width), {});
  }

  void operator()(const ToChw&) { is_chw_ = true; }

  PreparedImage make_prepared_image() {
    convert_to_float_image();
    std::int64_t height = floats_.height, width = floats_.width;
    auto plane = static_cast<std::size_t>(height * width);
    PreparedImage result;
    result.sizes = sizes_;
    result.data = is_chw_ ? Tensor(DType::float32, {3, height, width})
                          : Tensor(DType::float32, {height, width, 3});
    auto* target = static_cast<float*>(result.data.data());
    if (!is_chw_)
      std::copy(floats_.values.begin(), floats_.values.end(), target);
    else
      for (std::size_t i = 0; i < floats_.values.size(); ++i)
        target[i % 3 * plane + i / 3] = floats_.values[i];
    return result;
  }

 private:
  static std::string format_size(double height, double width) {
    return std::to_string(static_cast<std::int64_t>(height)) + " x " +
           std::to_string(static_cast<std::int64_t>(width));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::input, "preprocess: the image of " +
                                      format_size(static_cast<double>(sizes_.source_height),
                                                  static_cast<double>(sizes_.source_width)) +
                                      " pixels (height x width) " + what);
  }

  void check_resize_target_size(double height, double width) const {
    if (!(height >= 1 && width >= 1 && height * width <= kMaxPixels))
      fail("would be resized to " + format_size(height, width) + "; it must have from 1 to " +
           std::to_string(static_cast<std::int64_t>(kMaxPixels)) + " pixels");
  }

  void resize_byte_image(double height, double width, Interpolation interpolation) {
    check_resize_target_size(height, width);
    bytes_ = resize(bytes_, static_cast<int>(height), static_cast<int>(width), interpolation);
    record_resized_size_and_scale(
        static_cast<double>(bytes_.height) / static_cast<double>(sizes_.source_height),
        static_cast<double>(bytes_.width) / static_cast<double>(sizes_.source_width));
  }

  void record_resized_size_and_scale(double scale_height, double scale_width) {
    sizes_.resized_height = bytes_.height;
    sizes_.resized_width = bytes_.width;
    sizes_.scale_height = scale_height;
    sizes_.scale_width = scale_width;
  }

  // DetResizeForTest pads an image to at least 32 x 32 pixels if its height + width is less than
  // 64.
  void pad_small_image() {
    if (bytes_.height + bytes_.width >= 64) return;
    ByteImage padded(std::max(32, bytes_.height), std::max(32, bytes_.width));
    paste(bytes_, padded, 0, 0);
    bytes_ = std::move(padded);
  }

  void convert_to_float_image() {
    if (is_float_) return;
    is_float_ = true;
    floats_ = FloatImage(bytes_.height, bytes_.width);
    std::copy(bytes_.values.begin(), bytes_.values.end(), floats_.values.begin());
    bytes_ = {};
  }

  void pad_float_image(int height, int width, std::array<float, 3> color) {
    if (height == floats_.height && width == floats_.width) return;
    FloatImage padded = make_filled_image<float>(height, width, color);
    paste(floats_, padded, 0, 0);
    floats_ = std::move(padded);
  }

  ByteImage bytes_;
  FloatImage floats_;
  ImageSizes sizes_;
  bool is_float_ = false, is_chw_ = false;
};

}  // namespace

std::int64_t require_valid_image_stride(const ImageView& view) {
  auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::input, "preprocess: the image " + what + " (height " +
                                      std::to_string(view.height) + ", width " +
                                      std::to_string(view.width) + ", stride " +
                                      std::to_string(view.stride) + ")");
  };
  if (!view.data || view.height < 1 || view.width < 1) fail("has no pixels");
  if (static_cast<double>(view.height) * static_cast<double>(view.width) > kMaxSourcePixels)
    fail("has more than " + std::to_string(static_cast<std::int64_t>(kMaxSourcePixels)) +
         " pixels");
  std::int64_t stride = view.stride ? view.stride : 3 * view.width;
  if (stride < 3 * view.width) fail("has rows that overlap");
  return stride;
}

ByteImage copy_image_in_pixel_order(const ImageView& view, PixelOrder order) {
  std::int64_t stride = require_valid_image_stride(view);
  ByteImage image(static_cast<int>(view.height), static_cast<int>(view.width));
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(view.data + y * stride, 3 * view.width, image.row(y));
    if (order != view.order)
      for (int x = 0; x < image.width; ++x) std::swap(image.pixel(y, x)[0], image.pixel(y, x)[2]);
  }
  return image;
}

PreparedImage preprocess_image(const PipelineSettings& settings, const ImageView& view) {
  Preprocessor preprocessor(copy_image_in_pixel_order(view, settings.order));
  for (const ImageTransform& transform : settings.transforms) std::visit(preprocessor, transform);
  return preprocessor.make_prepared_image();
}

}  // namespace oarlock
