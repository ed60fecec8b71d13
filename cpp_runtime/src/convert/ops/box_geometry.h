// Boxes x1, y1, x2, y2, and which picture of a batch each row belongs to: what the ops of detectors
// share.
#pragma once
#include <limits>

#include "convert/expression.h"

namespace oarlock {

/// Column `i` of the last dim, which stays as one.
Expr column(Node& n, const Value& v, std::int64_t i);
/// Rows where `kept` is true.
Value rows_where(Node& n, const Value& v, const Value& kept);

/// The area that boxes share over the area that they cover together.   extra: 1 where an edge is a
/// pixel wide. touching: boxes less than that apart share something, too.   [..,N,4], [..,M,4] ->
/// [..,N,M]
Expr overlaps(Node& n, const Value& boxes, const Value& others, double extra,
              bool touching = false);

inline constexpr double kLowest =
    std::numeric_limits<float>::lowest();  // a score below all thresholds
inline constexpr std::int64_t kAll = std::int64_t{1} << 40;

/// iou: how much a better box may share; least: what a score must be above; extra: as in
/// `overlaps`.
struct Thinning {
  double iou, least, extra;
  std::int64_t most = kAll;  // boxes of each class
};

/// Boxes that no better one covers, picture by picture, class by class, best first: picture, class
/// and box. [N,M,4], [N,C,M] -> int64[K,3]
Value thinned(Node& n, const Value& boxes, const Value& scores, const Thinning& how);

/// How many rows each picture has -> which picture each row is of.   int[N], rows: int64[1] ->
/// int64[rows]
Expr owners(Node& n, const Value& counts, const Value& rows);
/// The way back.   int64[rows], pictures: int64[1] -> int32[pictures]
Value counts_of(Node& n, const Value& owners, const Value& pictures);

/// Positions of the best rows of each picture, best first within all, `most` of each picture.
/// scores: float[K]
Value best_of_each(Node& n, const Value& scores, const Value& owners, const Value& pictures,
                   std::int64_t most);
/// All positions, in the order of their keys, which ties leave as it is.
Value sorted_by(Node& n, const Value& keys, bool descending);

}  // namespace oarlock
