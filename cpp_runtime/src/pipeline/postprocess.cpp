#include "pipeline/postprocess.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace oarlock {
namespace {

// Rounds the score of a class to five decimals, as PaddleX does.
double round_score(float score) { return std::nearbyint(score * 1e5) / 1e5; }

std::string label_of(std::size_t id, const PipelineSettings& settings) {
  if (settings.labels.empty()) return std::to_string(id);
  if (id >= settings.labels.size())
    throw Error(ErrorCode::input, "postprocess: the network returned class " + std::to_string(id) +
                                      ", but label_list has " +
                                      std::to_string(settings.labels.size()) + " labels");
  return settings.labels[id];
}

std::vector<ClassScore> to_class_scores(const std::vector<std::size_t>& ids,
                                        std::span<const float> scores,
                                        const PipelineSettings& settings) {
  std::vector<ClassScore> result;
  for (std::size_t id : ids)
    result.push_back(
        {static_cast<std::int64_t>(id), label_of(id, settings), round_score(scores[id])});
  return result;
}

using Row = std::span<const float>;

double box_iou(Row p, Row q) {
  double width =
      std::max(0.0, static_cast<double>(std::min(p[4], q[4]) - std::max(p[2], q[2])) + 1);
  double height =
      std::max(0.0, static_cast<double>(std::min(p[5], q[5]) - std::max(p[3], q[3])) + 1);
  auto area = [](Row r) {
    return (static_cast<double>(r[4] - r[2]) + 1) * (static_cast<double>(r[5] - r[3]) + 1);
  };
  return width * height / (area(p) + area(q) - width * height);
}

// The non-maximum suppression of PaddleX's layout models: drops a box whose IoU with a better box
// is at least 0.6 if both have the same class, else at least 0.98. The result is sorted by
// descending score.
std::vector<Row> suppress_overlaps(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](Row p, Row q) { return p[1] > q[1]; });
  std::vector<Row> kept;
  for (Row row : rows)
    if (std::none_of(kept.begin(), kept.end(), [&](Row other) {
          return box_iou(other, row) >= (other[0] == row[0] ? 0.6 : 0.98);
        }))
      kept.push_back(row);
  return kept;
}

// As in PaddleX, removes the boxes of the class `image` that cover nearly the whole page, unless no
// box would be left.
std::vector<Row> drop_whole_page_image_boxes(const std::vector<Row>& rows,
                                             const PipelineSettings& settings,
                                             const ImageSizes& sizes) {
  auto found = std::find(settings.labels.begin(), settings.labels.end(), "image");
  if (rows.size() < 2 || found == settings.labels.end()) return rows;
  float image_class = static_cast<float>(found - settings.labels.begin());
  float height = static_cast<float>(sizes.source_height);
  float width = static_cast<float>(sizes.source_width);
  double limit = (width > height ? 0.82 : 0.93) * height * width;
  std::vector<Row> kept;
  for (Row row : rows) {
    double area = (std::min(width, row[4]) - std::max(0.0f, row[2])) *
                  (std::min(height, row[5]) - std::max(0.0f, row[3]));
    if (row[0] != image_class || area <= limit) kept.push_back(row);
  }
  return kept.empty() ? rows : kept;
}

// Sorts boxes by the reading order that the network outputs: by column 6 and, for equal values, by
// column 7 descending.
void sort_by_reading_order(std::vector<Row>& rows, std::size_t columns) {
  std::stable_sort(rows.begin(), rows.end(), [&](Row p, Row q) {
    return p[6] != q[6] || columns == 7 ? p[6] < q[6] : p[7] > q[7];
  });
}

// OpenCV's dilation with a 2 x 2 kernel: a pixel is set if it or its left, upper or upper left
// neighbor is.
std::vector<std::uint8_t> dilate(const std::vector<std::uint8_t>& mask, int height, int width) {
  std::vector<std::uint8_t> result(mask.size());
  auto at = [&](int y, int x) {
    return y < 0 || x < 0 ? std::uint8_t{0}
                          : mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                 static_cast<std::size_t>(x)];
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      result[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(x)] =
          at(y, x) | at(y, x - 1) | at(y - 1, x) | at(y - 1, x - 1);
  return result;
}

// The mean probability of the pixels in a polygon, whose corners are truncated to pixels.
double score_in_polygon(const float* map, int height, int width,
                        const std::vector<PointF>& polygon) {
  auto bounds = [&](float PointF::* coordinate, int length) {
    auto [low, high] = std::minmax_element(polygon.begin(), polygon.end(), [&](PointF p, PointF q) {
      return p.*coordinate < q.*coordinate;
    });
    auto to_pixel = [&](float position) {  // clamps first: a larger float is no int
      return static_cast<int>(std::clamp(position, 0.0f, static_cast<float>(length - 1)));
    };
    return std::pair(to_pixel(std::floor((*low).*coordinate)),
                     to_pixel(std::ceil((*high).*coordinate)));
  };
  auto [left, right] = bounds(&PointF::x, width);
  auto [top, bottom] = bounds(&PointF::y, height);
  std::vector<Point> relative;
  for (PointF p : polygon)
    relative.push_back({static_cast<std::int64_t>(p.x - static_cast<float>(left)),
                        static_cast<std::int64_t>(p.y - static_cast<float>(top))});
  return mean_in_polygon(map, width, top, left, bottom - top + 1, right - left + 1, relative);
}

}  // namespace

std::size_t ScoreArray::num_elements_per_batch_item() const {
  return std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1},
                         [](std::size_t product, std::int64_t size) {
                           return product * static_cast<std::size_t>(size);
                         });
}

std::vector<ClassScore> top_k_classes(std::span<const float> scores,
                                      const PipelineSettings& settings) {
  std::vector<std::size_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  // Classes are sorted by descending score; of equal scores the last class is first, as in the
  // reversed result of NumPy's argsort.
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::size_t p, std::size_t q) { return scores[p] < scores[q]; });
  std::reverse(ids.begin(), ids.end());
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(settings.top_k)));
  return to_class_scores(ids, scores, settings);
}

std::vector<ClassScore> classes_above_threshold(std::span<const float> scores,
                                                const PipelineSettings& settings) {
  std::vector<std::size_t> ids;
  if (!settings.class_thresholds.empty() &&
      static_cast<std::size_t>(settings.class_thresholds.rbegin()->first) >= scores.size())
    throw Error(ErrorCode::input, "postprocess: threshold has class " +
                                      std::to_string(settings.class_thresholds.rbegin()->first) +
                                      ", but the network has " + std::to_string(scores.size()) +
                                      " classes");
  for (std::size_t id = 0; id < scores.size(); ++id) {
    auto own = settings.class_thresholds.find(static_cast<int>(id));
    double threshold = own == settings.class_thresholds.end() ? settings.threshold : own->second;
    if (scores[id] > static_cast<float>(threshold)) ids.push_back(id);
  }
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::size_t p, std::size_t q) { return scores[p] > scores[q]; });
  return to_class_scores(ids, scores, settings);
}

std::vector<DetectedObject> detected_objects(std::span<const float> values, std::size_t columns,
                                             const PipelineSettings& settings,
                                             const ImageSizes& sizes) {
  std::vector<Row> rows;
  auto threshold = static_cast<float>(settings.threshold);
  for (std::size_t i = 0; i < values.size(); i += columns)
    if (values[i] > -1 && values[i + 1] > threshold) rows.push_back(values.subspan(i, columns));
  bool is_rotated = columns == 10;
  if (settings.layout_nms && !is_rotated) rows = suppress_overlaps(std::move(rows));
  if (!is_rotated) rows = drop_whole_page_image_boxes(rows, settings, sizes);
  if (columns == 7 || columns == 8) sort_by_reading_order(rows, columns);
  std::vector<DetectedObject> result;
  for (Row row : rows) {
    DetectedObject object;
    object.class_id = static_cast<std::int64_t>(std::min(std::max(row[0], 0.0f), 1e9f));
    object.score = row[1];
    for (std::size_t i = 2; i < (is_rotated ? 10u : 6u); ++i)
      object.coordinates.push_back(std::clamp(
          row[i], 0.0f, static_cast<float>(i % 2 ? sizes.source_height : sizes.source_width)));
    bool is_empty = !is_rotated && (object.coordinates[2] <= object.coordinates[0] ||
                                    object.coordinates[3] <= object.coordinates[1]);
    if (is_empty) continue;
    object.label = label_of(static_cast<std::size_t>(object.class_id), settings);
    result.push_back(std::move(object));
  }
  return result;
}

std::vector<TextBox> text_boxes(std::span<const float> map, int height, int width,
                                const DbPostprocessSettings& db, const ImageSizes& sizes) {
  constexpr float kMinSide = 3;
  std::vector<std::uint8_t> mask(map.size());
  auto threshold = static_cast<float>(db.thresh);  // NumPy compares in float32
  for (std::size_t i = 0; i < map.size(); ++i) mask[i] = map[i] > threshold;
  if (db.use_dilation) mask = dilate(mask, height, width);
  double width_scale = static_cast<double>(sizes.source_width) / width;
  double height_scale = static_cast<double>(sizes.source_height) / height;
  auto to_source = [](float coordinate, double scale, std::int64_t length) {
    double scaled = std::nearbyint(static_cast<double>(coordinate) * scale);
    return static_cast<std::int32_t>(std::clamp(scaled, 0.0, static_cast<double>(length)));
  };
  std::vector<TextBox> result;
  for (const std::vector<Point>& border :
       find_borders(mask, height, width, static_cast<std::size_t>(db.max_candidates))) {
    Rectangle inner = min_area_rectangle(border);
    if (inner.short_side < kMinSide) continue;
    std::vector<PointF> polygon(inner.corners.begin(), inner.corners.end());
    if (db.is_slow_score) {
      polygon.clear();
      for (Point p : border) polygon.push_back({static_cast<float>(p.x), static_cast<float>(p.y)});
    }
    double score = score_in_polygon(map.data(), height, width, polygon);
    if (db.box_thresh > score) continue;
    double distance = area(inner.corners) * db.unclip_ratio / perimeter(inner.corners);
    std::vector<Point> expanded = offset_polygon(inner.corners, distance);
    if (expanded.empty()) continue;
    Rectangle outer = min_area_rectangle(expanded);
    if (outer.short_side < kMinSide + 2) continue;
    TextBox box;
    box.score = score;
    for (std::size_t i = 0; i < 4; ++i)
      box.corners[i] = {to_source(outer.corners[i].x, width_scale, sizes.source_width),
                        to_source(outer.corners[i].y, height_scale, sizes.source_height)};
    result.push_back(box);
  }
  return result;
}

void decode_ctc(std::span<const float> values, std::size_t classes,
                const PipelineSettings& settings, PipelineResult& result) {
  double sum = 0;
  std::size_t count = 0, previous = 0;
  for (std::size_t i = 0; i < values.size(); i += classes) {
    auto best = std::max_element(values.begin() + static_cast<std::ptrdiff_t>(i),
                                 values.begin() + static_cast<std::ptrdiff_t>(i + classes));
    auto id = static_cast<std::size_t>(best - values.begin()) - i;
    bool is_repeated = id == previous;
    previous = id;
    if (id == 0 || is_repeated) continue;
    result.text += id == settings.labels.size() + 1 ? " " : settings.labels[id - 1];
    sum += *best;
    ++count;
  }
  result.text_score = count ? sum / static_cast<double>(count) : 0;
}

}  // namespace oarlock
