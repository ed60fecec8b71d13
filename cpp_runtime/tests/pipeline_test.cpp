// Pipelines of model directories: tests/pipeline compares them with PaddleX; these tests run the
// same code on random input under the sanitizers.
#include "oarlock/pipeline.h"

#include <cmath>
#include <random>

#include "check.h"
#include "one_op.h"
#include "paddle/program_writer.h"
#include "pipeline/geometry.h"
#include "pipeline/resize.h"
#include "temp_folder.h"

using namespace oarlock;

namespace {

std::mt19937 rng(7);

int random_int(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); }
float random_float(float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(rng);
}

ByteImage random_image(int height, int width) {
  ByteImage image(height, width);
  for (std::uint8_t& value : image.values) value = static_cast<std::uint8_t>(random_int(0, 255));
  return image;
}

ImageView view_of(const ByteImage& image) {
  return {image.values.data(), image.height, image.width};
}

ImageProcessor text_detection(const std::string& post) {
  return ImageProcessor::from_json(
      R"({"PreProcess": {"transform_ops": [{"DetResizeForTest": {"limit_side_len": 64}},
          {"NormalizeImage": {}}, {"ToCHWImage": null}]},
          "PostProcess": {"name": "DBPostProcess")" +
          post + "}}",
      "inference.yml");
}

// The result for one image.
PipelineResult postprocess(const ImageProcessor& processor, const std::vector<Tensor>& outputs,
                           const ImageSizes& sizes) {
  std::vector<TensorView> views(outputs.begin(), outputs.end());
  return processor.postprocess(views, {&sizes, 1})[0];
}

}  // namespace

TEST("pipeline: a constant image stays constant when it is resized") {
  for (Interpolation interpolation :
       {Interpolation::nearest, Interpolation::linear, Interpolation::cubic, Interpolation::area})
    for (int i = 0; i < 40; ++i) {
      ByteImage image =
          make_filled_image<std::uint8_t>(random_int(1, 40), random_int(1, 40), {7, 130, 255});
      ByteImage resized = resize(image, random_int(1, 60), random_int(1, 60), interpolation);
      CHECK(resized.values ==
            make_filled_image<std::uint8_t>(resized.height, resized.width, {7, 130, 255}).values);
    }
}

TEST("pipeline: rows with a stride and BGR pixels") {
  ImageProcessor processor = ImageProcessor::from_json(
      R"({"PreProcess": {"transform_ops": [{"DecodeImage": {"img_mode": "RGB"}}]},
          "PostProcess": {"Topk": {"topk": 1}}})",
      "inference.yml");
  const std::uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12};
  PreparedImage prepared = processor.preprocess({bytes, 2, 2, 8, PixelOrder::bgr});
  const float wanted[] = {3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10};
  CHECK(std::equal(std::begin(wanted), std::end(wanted), prepared.data.values<float>().begin()));
  CHECK_ERROR("has no pixels", processor.preprocess({nullptr, 2, 2}));
  CHECK_ERROR("rows that overlap", processor.preprocess({bytes, 2, 2, 5}));
  CHECK_ERROR("has more than 268435456 pixels", processor.preprocess({bytes, 1 << 20, 1 << 20}));
}

TEST("pipeline: images that fail lose no results of others") {
  Folder folder("failing images");
  // The network accepts one image only, so that a batch fails and each image runs alone.
  OneOp mean{"reduce_mean",
             {{"X", {"x"}}},
             {{"Out", {"y"}}},
             {{"dim", INTS({2, 3})}},
             {{"x", {DType::float32, {1, 3, -1, -1}}}, {"y", {DType::float32, {1, 3}}}}};
  put_file(folder / "inference.pdmodel", to_pdmodel(mean.program()));
  put_file(folder / "inference.yml.config.json",
           R"({"PreProcess": {"transform_ops": [{"ToCHWImage": null}]},
               "PostProcess": {"Topk": {"topk": 1}}})");
  Pipeline pipeline(folder.path.string());
  ByteImage red = make_filled_image<std::uint8_t>(4, 4, {9, 0, 0}),
            blue = make_filled_image<std::uint8_t>(4, 4, {0, 0, 9});
  ImageView missing{nullptr, 4, 4};
  std::vector<ImageView> images{view_of(red), view_of(blue), missing, view_of(blue), view_of(red)};
  std::vector<std::optional<Error>> errors(9);
  for (std::size_t batch_size : {0, 1, 2, 9}) {
    std::vector<PipelineResult> results = pipeline.run(images, batch_size, &errors);
    CHECK_EQ(results.size(), images.size());
    CHECK_EQ(errors.size(), images.size());
    for (std::size_t i : {0, 1, 3, 4}) {
      CHECK(!errors[i]);
      CHECK_EQ(results[i].classes[0].id, i == 0 || i == 4 ? 0 : 2);
    }
    CHECK_HAS(errors[2]->what(), "has no pixels");
    CHECK(results[2].classes.empty());
  }
  CHECK_ERROR("has no pixels", pipeline.run(images));
  CHECK_ERROR("requires float32[1,3,?,?]", pipeline.run(std::span(images).first(2), 2));
}

TEST("pipeline: outputs and sizes that no network returns") {
  ImageProcessor processor = text_detection("");
  const float map[4] = {1, 1, 1, 1};
  const std::vector<std::int64_t> shape{1, 1, 2, 2}, negative{1, 1, -2, 2};
  const ImageSizes sizes{64, 64, 64, 64, 1, 1};
  auto run = [&](std::span<const std::int64_t> dims, const float* data, const ImageSizes& size) {
    TensorView view(DType::float32, dims, data);
    return processor.postprocess({&view, 1}, {&size, 1});
  };
  CHECK(run(shape, map, sizes)[0].text_boxes.empty());
  CHECK_ERROR("output 0 is float32[1,1,2,2] without data", run(shape, nullptr, sizes));
  CHECK_ERROR("which is no tensor", run(negative, map, sizes));
  CHECK_ERROR("the source image has -5 x 64 pixels", run(shape, map, {-5, 64, 64, 64, 1, 1}));
  CHECK_ERROR("pass the sizes of `preprocess`", run(shape, map, {64, INT64_MAX, 64, 64, 1, 1}));
}

TEST("pipeline: the smallest rectangle contains all points") {
  for (int i = 0; i < 500; ++i) {
    std::vector<Point> points;
    for (int k = random_int(1, 30); k > 0; --k)
      points.push_back({random_int(-50, 50), random_int(-50, 50)});
    Rectangle rectangle = min_area_rectangle(points);
    if (rectangle.short_side == 0) continue;
    double total = area(rectangle.corners);
    for (Point p : points) {
      double sum = 0;  // of the triangles between the point and the sides
      for (std::size_t k = 0; k < 4; ++k) {
        PointF a = rectangle.corners[k], b = rectangle.corners[(k + 1) % 4];
        double x = static_cast<double>(p.x), y = static_cast<double>(p.y);
        sum += std::fabs((a.x - x) * (b.y - y) - (a.y - y) * (b.x - x)) / 2;
      }
      CHECK(sum < total * 1.001 + 0.1);
    }
  }
}

TEST("pipeline: random probability maps and polygons") {
  ImageProcessor processors[] = {text_detection(""),
                                 text_detection(R"(, "box_thresh": 0, "use_dilation": true)"),
                                 text_detection(R"(, "box_thresh": 0, "score_mode": "slow")")};
  std::size_t boxes = 0;
  for (int i = 0; i < 60; ++i) {
    int height = random_int(1, 70), width = random_int(1, 70);
    ImageSizes sizes = processors[0].preprocess(view_of(random_image(height, width))).sizes;
    Tensor map(DType::float32, {1, 1, random_int(1, 80), random_int(1, 80)});
    auto* values = static_cast<float*>(map.data());
    float base = random_float(-0.5f, 0.5f);
    for (std::size_t k = 0; k < map.size(); ++k)
      values[k] = base + random_float(0, 1) + (k / 40 % 3 == 0 ? 0.5f : 0.0f);
    for (const ImageProcessor& processor : processors) {
      PipelineResult result = postprocess(processor, {map}, sizes);
      boxes += result.text_boxes.size();
      for (const TextBox& box : result.text_boxes)
        for (auto [x, y] : box.corners) CHECK(x >= 0 && x <= width && y >= 0 && y <= height);
    }
  }
  CHECK(boxes > 50);
}

TEST("pipeline: crops of any quad") {
  ByteImage image = random_image(30, 40);
  for (int i = 0; i < 200; ++i) {
    TextQuad quad;
    for (auto& corner : quad) corner = {random_int(-60, 100), random_int(-60, 100)};
    if (i % 5 == 0) quad[2] = quad[1] = quad[0];
    Tensor cropped = crop_text(view_of(image), quad);
    CHECK(cropped.shape()[2] == 3);
  }
  CHECK_ERROR("a corner has a coordinate beyond +-",
              crop_text(view_of(image), TextQuad{{{0, 0}, {INT32_MIN, 0}, {1, 1}, {0, 1}}}));
  CHECK_ERROR("the box has more than",
              crop_text(view_of(image), TextQuad{{{0, 0}, {9999, 0}, {9999, 9999}, {0, 9999}}}));
}

TEST("pipeline: random rows of objects") {
  ImageProcessor processor = ImageProcessor::from_json(
      R"({"Preprocess": [], "label_list": ["a", "image"], "layout_nms": true})", "infer_cfg.yml");
  ImageSizes sizes = processor.preprocess(view_of(random_image(20, 30))).sizes;
  for (int columns : {6, 7, 8, 10})
    for (int i = 0; i < 50; ++i) {
      int count = random_int(0, 20);
      Tensor rows(DType::float32, {count, columns}), counts(DType::int64, {1});
      *static_cast<std::int64_t*>(counts.data()) = count;
      auto* values = static_cast<float*>(rows.data());
      for (std::size_t k = 0; k < rows.size(); ++k)
        values[k] = k % static_cast<std::size_t>(columns) == 0
                        ? static_cast<float>(random_int(-1, 1))
                        : random_float(-3, 40);
      PipelineResult result = postprocess(processor, {rows, counts}, sizes);
      CHECK(result.objects.size() <= static_cast<std::size_t>(count));
    }
}

TEST("pipeline: settings errors name the file and all unsupported transforms") {
  CHECK_ERROR("inference.yml: unsupported transforms: A, B",
              ImageProcessor::from_json(
                  R"({"PreProcess": {"transform_ops": [{"A": {}}, {"B": {}}]}})", "inference.yml"));
  CHECK_ERROR("inference.yml: no JSON at byte", ImageProcessor::from_json("{", "inference.yml"));
  CHECK_ERROR("there is no inference.yml.config.json", ImageProcessor::open("/nonexistent"));
}
