// Geometry shared by detection ops: boxes x1, y1, x2, y2, and the image that each row belongs to.
#pragma once
#include <limits>

#include "convert/expression.h"

namespace oarlock {

/// Column `i` of the last dim, kept as a dim of size 1.
Expr slice_column(NodeContext& n, Value v, std::int64_t i);
/// The lower (`at` 0) or upper (`at` 2) corner of boxes. [..,4] -> [..,2]
Expr slice_box_corner(NodeContext& n, Value boxes, std::int64_t at);
/// The rows where `mask` is true.
Value select_rows_by_mask(NodeContext& n, Value v, Value mask);

/// The low and high edges of boxes along one axis.
struct BoxEdgesAlongAxis {
  Expr low, high;
};

/// Intersection over union. pixel_offset: 1 if boxes include their last pixel. touching: boxes less
/// than that apart intersect, too. [..,N,4], [..,M,4] -> [..,N,M]
Expr iou(NodeContext& n, Value boxes, Value others, double pixel_offset, bool touching = false);

inline constexpr double kLowest = std::numeric_limits<float>::lowest();  // below every threshold
inline constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

/// The thresholds and limits of nms_indices(). max_iou: overlap limit with a better box; min_score:
/// boxes must score above; pixel_offset: as in `iou`.
struct NmsOptions {
  double max_iou, min_score, pixel_offset;
  std::int64_t max_boxes = kNoLimit;  // limit per class
};

/// Non-maximum suppression per image and class, best first: image, class and box index. [N,M,4],
/// [N,C,M] -> int64[K,3]
Value nms_indices(NodeContext& n, Value boxes, Value scores, const NmsOptions& options);

/// Rows per image -> image of each row. int[N], rows: int64[1] -> int64[rows]
Expr image_ids_from_row_counts(NodeContext& n, Value counts, Value rows);
/// Image of each row -> rows per image. int64[rows], num_images: int64[1] -> int32[num_images]
Value row_counts_from_image_ids(NodeContext& n, Value image_ids, Value num_images);

/// Indices of the `max_rows` best rows of each image, best first over all images. scores: float[K]
Value top_row_indices_per_image(NodeContext& n, Value scores, Value image_ids, Value num_images,
                                std::int64_t max_rows);
/// Indices that sort `keys`, stably.
Value emit_argsort(NodeContext& n, Value keys, bool descending);

}  // namespace oarlock
