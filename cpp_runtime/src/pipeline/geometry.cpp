#include "pipeline/geometry.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numbers>
#include <numeric>

namespace oarlock {
namespace {

// Offsets to the eight neighbors of a pixel: the right one (east) first, then counterclockwise on
// the screen.
constexpr int kNeighborX[] = {1, 1, 0, -1, -1, -1, 0, 1};
constexpr int kNeighborY[] = {0, -1, -1, -1, 0, 1, 1, 1};

// Finds the borders of the regions of a mask by the algorithm of Suzuki and Abe (1985); the mask is
// copied into a map with a frame of zeros.
class BorderFollower {
 public:
  BorderFollower(const std::vector<std::uint8_t>& mask, int height, int width)
      : height_(height), width_(width), stride_(width + 2) {
    cells_.resize(static_cast<std::size_t>(height + 2) * static_cast<std::size_t>(stride_));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)])
          cell({x, y}) = kUnvisited;
  }

  // The last `max_count` borders in the order of scanning, the last one first.
  std::deque<std::vector<Point>> follow_last_borders(std::size_t max_count) {
    std::deque<std::vector<Point>> borders;
    for (std::int64_t y = 0; y < height_; ++y) {
      std::int8_t previous = kBackground;
      for (std::int64_t x = 0; x <= width_; ++x) {
        bool is_outer = previous == kBackground && cell({x, y}) == kUnvisited;
        bool is_hole = cell({x, y}) == kBackground && previous > kBackground;
        if (is_outer || is_hole) {
          borders.push_front(follow({x - (is_hole ? 1 : 0), y}, is_hole));
          if (borders.size() > max_count) borders.pop_back();
        }
        previous = cell({x, y});
      }
    }
    return borders;
  }

 private:
  // kClosed: visited, and the pixel to its right was seen to be background.
  static constexpr std::int8_t kBackground = 0, kUnvisited = 1, kVisited = 2, kClosed = -2;

  std::int8_t& cell(Point p) {
    return cells_[static_cast<std::size_t>((p.y + 1) * stride_ + p.x + 1)];
  }
  static Point neighbor(Point p, int direction) {
    return {p.x + kNeighborX[direction], p.y + kNeighborY[direction]};
  }

  std::vector<Point> follow(Point start, bool is_hole) {
    int outside = is_hole ? 0 : 4;  // the direction of the background pixel beside the start
    int direction = outside;
    do {
      direction = (direction + 7) % 8;
    } while (direction != outside && cell(neighbor(start, direction)) == kBackground);
    if (direction == outside) {
      cell(start) = kClosed;
      return {start};
    }
    Point last = neighbor(start, direction), current = start;
    int previous_direction = (direction + 4) % 8;
    std::vector<Point> border;
    while (true) {
      int from = direction;
      do {
        direction = (direction + 1) % 8;
      } while (cell(neighbor(current, direction)) == kBackground);
      if (direction != 0 && direction <= from)  // passed the background pixel in the east
        cell(current) = kClosed;
      else if (cell(current) == kUnvisited)
        cell(current) = kVisited;
      if (direction != previous_direction) border.push_back(current);
      previous_direction = direction;
      Point next = neighbor(current, direction);
      if (next == start && current == last) return border;
      current = next;
      direction = (direction + 4) % 8;
    }
  }

  int height_, width_;
  std::int64_t stride_;
  std::vector<std::int8_t> cells_;
};

std::int64_t cross_product(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool is_before_by_x_then_y(Point p, Point q) { return p.x != q.x ? p.x < q.x : p.y < q.y; }

// The indices of the points on the convex hull, by Andrew's monotone chain: counterclockwise with y
// upwards, beginning with the rightmost point, without points on edges.
std::vector<std::size_t> convex_hull_indices(const std::vector<Point>& points) {
  std::vector<std::size_t> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t i, std::size_t j) {
    return is_before_by_x_then_y(points[i], points[j]);
  });
  auto is_same = [&](std::size_t i, std::size_t j) { return points[i] == points[j]; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), is_same), sorted.end());
  if (sorted.size() < 3) return sorted;
  std::vector<std::size_t> hull;
  auto add_chain = [&](auto begin, auto end) {
    std::size_t base = hull.size();
    for (auto i = begin; i != end; ++i) {
      while (hull.size() >= base + 2 &&
             cross_product(points[hull[hull.size() - 2]], points[hull.back()], points[*i]) <= 0)
        hull.pop_back();
      hull.push_back(*i);
    }
    hull.pop_back();  // the first point of the other chain
  };
  add_chain(sorted.rbegin(), sorted.rend());
  add_chain(sorted.begin(), sorted.end());
  return hull;
}

// The convex hull in OpenCV's order, on which the choice between rectangles of equal area depends:
// if the indices of the points ascend along the hull, it begins with the lowest index; if they
// descend, with the highest.
std::vector<Point> convex_hull_in_opencv_order(const std::vector<Point>& points) {
  std::vector<std::size_t> hull = convex_hull_indices(points);
  std::vector<std::size_t> ascending = hull, descending = hull;
  std::rotate(ascending.begin(), std::min_element(ascending.begin(), ascending.end()),
              ascending.end());
  std::rotate(descending.begin(), std::max_element(descending.begin(), descending.end()),
              descending.end());
  if (std::is_sorted(ascending.begin(), ascending.end()))
    hull = ascending;
  else if (std::is_sorted(descending.rbegin(), descending.rend()))
    hull = descending;
  std::vector<Point> result;
  for (std::size_t i : hull) result.push_back(points[i]);
  return result;
}

// A rectangle around a convex hull. (a, b): the direction of its lower side; left, bottom: hull
// points on two of its sides.
struct RectangleCandidate {
  float a = 1, b = 0, width = 0, height = 0;
  PointF left, bottom;
};

PointF to_float(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }

// The vector `v` rotated by `quarters` times 90 degrees, in the direction from the x axis to the y
// axis.
PointF turn_by_quarters(PointF v, std::size_t quarters) {
  constexpr std::array<PointF, 4> axes = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  PointF axis = axes[quarters % 4];
  return axis.x != 0 ? PointF{v.x * axis.x, v.y * axis.x} : PointF{-v.y * axis.y, v.x * axis.y};
}

// Rotating calipers (Toussaint, 1983): four lines around the convex hull turn from edge to edge.
// The arithmetic is OpenCV's (float32), because rounding decides between rectangles of equal area.
class RotatingCalipers {
 public:
  // hull: counterclockwise with y upwards, at least three points.
  explicit RotatingCalipers(const std::vector<Point>& hull) {
    for (Point p : hull) points_.push_back(to_float(p));
    for (std::size_t i = 0; i < hull.size(); ++i) {
      Point p = hull[i], q = hull[(i + 1) % hull.size()];
      double dx = static_cast<double>(q.x - p.x), dy = static_cast<double>(q.y - p.y);
      edges_.push_back({static_cast<float>(dx), static_cast<float>(dy)});
      inverse_lengths_.push_back(static_cast<float>(1 / std::sqrt(dx * dx + dy * dy)));
      // The elements of touched_ belong to the sides bottom, right, top, left.
      if (points_[i].y < points_[touched_[0]].y) touched_[0] = i;
      if (points_[i].x > points_[touched_[1]].x) touched_[1] = i;
      if (points_[i].y > points_[touched_[2]].y) touched_[2] = i;
      if (points_[i].x < points_[touched_[3]].x) touched_[3] = i;
    }
  }

  RectangleCandidate smallest_rectangle() {
    RectangleCandidate best;
    float best_area = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      turn_to_next_edge();
      RectangleCandidate candidate = current();
      float area = candidate.width * candidate.height;
      if (area > best_area) continue;
      best_area = area;
      best = candidate;
    }
    return best;
  }

 private:
  // Turns the calipers by the smallest angle that aligns one of their sides with an edge of the
  // hull.
  void turn_to_next_edge() {
    std::size_t next = 0;
    PointF next_edge = edges_[touched_[0]];
    for (std::size_t side = 1; side < 4; ++side) {
      PointF edge = turn_by_quarters(edges_[touched_[side]], 4 - side);
      if (edge.x * next_edge.y - edge.y * next_edge.x <= 0) continue;
      next = side;
      next_edge = edge;
    }
    std::size_t& point = touched_[next];
    PointF edge{edges_[point].x * inverse_lengths_[point],
                edges_[point].y * inverse_lengths_[point]};
    base_ = turn_by_quarters(edge, 4 - next);
    point = (point + 1) % points_.size();
  }

  RectangleCandidate current() const {
    auto between = [&](std::size_t from, std::size_t to) {
      PointF p = points_[touched_[from]], q = points_[touched_[to]];
      return PointF{q.x - p.x, q.y - p.y};
    };
    PointF across = between(3, 1), up = between(0, 2);
    return {base_.x,
            base_.y,
            across.x * base_.x + across.y * base_.y,
            -up.x * base_.y + up.y * base_.x,
            points_[touched_[3]],
            points_[touched_[0]]};
  }

  std::vector<PointF> points_, edges_;
  std::vector<float> inverse_lengths_;
  std::array<std::size_t, 4> touched_{};  // by side: the hull point on it
  PointF base_{1, 0};                     // the direction of the lower side
};

// Sorts corners to the order upper left, upper right, lower right, lower left.
Quad sort_corners(Quad corners) {
  std::stable_sort(corners.begin(), corners.end(), [](PointF p, PointF q) { return p.x < q.x; });
  bool left_is_sorted = corners[1].y > corners[0].y, right_is_sorted = corners[3].y > corners[2].y;
  return {corners[left_is_sorted ? 0 : 1], corners[right_is_sorted ? 2 : 3],
          corners[right_is_sorted ? 3 : 2], corners[left_is_sorted ? 1 : 0]};
}

// Computes the corners and sides of a rectangle from its center, size and angle in float32, as
// OpenCV does. The corners are later truncated to integers, so that a rounding error can become an
// error of one pixel.
Rectangle to_rectangle(const RectangleCandidate& c) {
  float along = c.a * c.left.x + c.left.y * c.b;
  float across = -c.b * c.bottom.x + c.bottom.y * c.a;
  float inverse = 1.0f / (c.a * c.a + c.b * c.b);
  PointF corner{(along * c.a - across * c.b) * inverse, (c.a * across + c.b * along) * inverse};
  PointF lower{c.a * c.width, c.b * c.width}, side{-c.b * c.height, c.a * c.height};
  PointF center{corner.x + (lower.x + side.x) * 0.5f, corner.y + (lower.y + side.y) * 0.5f};
  auto length = [](PointF v) {
    return static_cast<float>(
        std::sqrt(static_cast<double>(v.x) * v.x + static_cast<double>(v.y) * v.y));
  };
  float width = length(lower), height = length(side);
  float degrees =
      static_cast<float>(std::atan2(static_cast<double>(lower.y), static_cast<double>(lower.x)));
  degrees = static_cast<float>(degrees * 180 / std::numbers::pi);
  double angle = degrees * std::numbers::pi / 180;
  float cosine = static_cast<float>(std::cos(angle)) * 0.5f;
  float sine = static_cast<float>(std::sin(angle)) * 0.5f;
  PointF p{center.x - sine * height - cosine * width, center.y + cosine * height - sine * width};
  PointF q{center.x + sine * height - cosine * width, center.y - cosine * height - sine * width};
  return {sort_corners({p,
                        q,
                        {2 * center.x - p.x, 2 * center.y - p.y},
                        {2 * center.x - q.x, 2 * center.y - q.y}}),
          std::min(width, height)};
}

std::int64_t round_half_away(double value) {
  return static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5);
}

// Appends points of the arc with radius `distance` around `corner`, from the direction `from` to
// the direction `to` (unit vectors).
void append_arc(std::vector<Point>& polygon, Point corner, double from_x, double from_y,
                double to_x, double to_y, double distance, double steps) {
  auto append = [&](double x, double y) {
    polygon.push_back({round_half_away(static_cast<double>(corner.x) + x * distance),
                       round_half_away(static_cast<double>(corner.y) + y * distance)});
  };
  double sine = std::clamp(from_x * to_y - to_x * from_y, -1.0, 1.0);
  double cosine = from_x * to_x + from_y * to_y;
  double step = 2 * std::numbers::pi / steps;
  auto count =
      std::max<std::int64_t>(round_half_away(std::fabs(std::atan2(sine, cosine)) / step), 1);
  double x = from_x, y = from_y;
  for (std::int64_t i = 0; i < count; ++i) {
    append(x, y);
    double old_x = x;
    x = x * std::cos(step) - std::sin(step) * y;
    y = old_x * std::sin(step) + y * std::cos(step);
  }
  append(to_x, to_y);
}

// The pixels of a polygon as OpenCV's fillPoly draws them: the edges as lines of 8-connected
// pixels, and in each row the pixels between pairs of edges.
class PolygonMask {
 public:
  PolygonMask(int height, int width)
      : height_(height),
        width_(width),
        pixels_(static_cast<std::size_t>(height) * static_cast<std::size_t>(width)),
        crossings_(static_cast<std::size_t>(height)) {}

  void add_edge(Point p, Point q) {
    constexpr std::int64_t one = 1 << 16;
    Point begin = p, end = q;
    bool is_outside = outcode(p) || outcode(q);
    if (clip_line(begin, end)) draw_line(begin, end);
    if (p.y == q.y) return;
    // The edge that is drawn and the edge that bounds the filled rows are the same clipped line.
    if (begin.y == end.y) {
      begin = p;
      end = q;
    }
    std::int64_t slope = (end.x - begin.x) * one / (end.y - begin.y);
    if (p.y > q.y) begin = end;  // rows count from the upper end
    std::int64_t x = begin.x * one + (is_outside ? 0 : one / 2) - begin.y * slope;
    for (std::int64_t y = std::max<std::int64_t>(std::min(p.y, q.y), 0);
         y < std::min<std::int64_t>(std::max(p.y, q.y), height_); ++y)
      crossings_[static_cast<std::size_t>(y)].push_back(x + y * slope);
  }

  double mean(const float* map, int map_width, int top, int left) {
    fill();
    double sum = 0;
    std::size_t count = 0;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        if (pixels_[index(x, y)]) {
          sum += map[static_cast<std::size_t>(y + top) * static_cast<std::size_t>(map_width) +
                     static_cast<std::size_t>(x + left)];
          ++count;
        }
    return count ? sum / static_cast<double>(count) : 0;
  }

 private:
  std::size_t index(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  // A bit for each side of the mask beyond which the point lies: 1 left, 2 right, 4 top, 8 bottom.
  int outcode(Point p) const {
    return (p.x < 0 ? 1 : 0) | (p.x >= width_ ? 2 : 0) | (p.y < 0 ? 4 : 0) |
           (p.y >= height_ ? 8 : 0);
  }

  // Clips a line to the mask by Cohen and Sutherland's algorithm: first at the top and bottom, then
  // at the left and right. The coordinates are truncated. Returns whether a part of the line is
  // inside the mask.
  bool clip_line(Point& p, Point& q) const {
    auto clip_end = [&](Point& end, int bits) {
      double dx = static_cast<double>(q.x - p.x), dy = static_cast<double>(q.y - p.y);
      if (bits & 12) {
        std::int64_t y = bits & 4 ? 0 : height_ - 1;
        end.x += static_cast<std::int64_t>(static_cast<double>(y - end.y) * dx / dy);
        end.y = y;
      } else if (bits & 3) {
        std::int64_t x = bits & 1 ? 0 : width_ - 1;
        end.y += static_cast<std::int64_t>(static_cast<double>(x - end.x) * dy / dx);
        end.x = x;
      }
    };
    for (int sides : {12, 3}) {
      if (outcode(p) & outcode(q)) return false;
      clip_end(p, outcode(p) & sides);
      clip_end(q, outcode(q) & sides);
    }
    return !outcode(p) && !outcode(q);
  }

  void draw_line(Point p, Point q) {
    if (p.x > q.x) std::swap(p, q);
    std::int64_t dx = q.x - p.x, dy = std::abs(q.y - p.y), y_step = q.y < p.y ? -1 : 1;
    bool is_steep = dy > dx;
    std::int64_t length = std::max(dx, dy), height = std::min(dx, dy);
    std::int64_t error = length - 2 * height;
    for (std::int64_t i = 0; i <= length; ++i) {
      pixels_[index(p.x, p.y)] = 1;
      bool moves_across = error < 0;
      error += 2 * ((moves_across ? length : 0) - height);
      if (!is_steep || moves_across) ++p.x;
      if (is_steep || moves_across) p.y += y_step;
    }
  }

  void fill() {
    for (int y = 0; y < height_; ++y) {
      std::vector<std::int64_t>& row = crossings_[static_cast<std::size_t>(y)];
      std::sort(row.begin(), row.end());
      for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
        std::int64_t begin = std::max<std::int64_t>(row[i] >> 16, 0);
        std::int64_t end = std::min<std::int64_t>(row[i + 1] >> 16, width_ - 1);
        for (std::int64_t x = begin; x <= end; ++x) pixels_[index(x, y)] = 1;
      }
    }
  }

  int height_, width_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::vector<std::int64_t>> crossings_;  // x of edges by row, with 16 bits of fraction
};

}  // namespace

std::vector<std::vector<Point>> find_borders(const std::vector<std::uint8_t>& mask, int height,
                                             int width, std::size_t max_count) {
  auto borders = BorderFollower(mask, height, width).follow_last_borders(max_count);
  return {std::make_move_iterator(borders.begin()), std::make_move_iterator(borders.end())};
}

Rectangle min_area_rectangle(const std::vector<Point>& points) {
  std::vector<Point> hull = convex_hull_in_opencv_order(points);
  if (hull.size() < 3) {
    PointF first = to_float(hull.front()), last = to_float(hull.back());
    return {sort_corners({first, first, last, last}), 0};
  }
  return to_rectangle(RotatingCalipers(hull).smallest_rectangle());
}

double area(const Quad& quad) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    PointF p = quad[(i + 3) % 4], q = quad[i];
    sum += static_cast<double>(p.x) * q.y - static_cast<double>(p.y) * q.x;
  }
  return std::fabs(sum / 2);
}

double perimeter(const Quad& quad) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    float dx = quad[i].x - quad[(i + 3) % 4].x, dy = quad[i].y - quad[(i + 3) % 4].y;
    sum += std::sqrt(dx * dx + dy * dy);
  }
  return sum;
}

std::vector<Point> offset_polygon(const Quad& quad, double distance) {
  std::vector<Point> corners;
  for (PointF p : quad) {
    Point corner{static_cast<std::int64_t>(p.x), static_cast<std::int64_t>(p.y)};
    if (corners.empty() || corners.back() != corner) corners.push_back(corner);
  }
  if (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
  if (corners.size() < 3 || !(distance > 0)) return {};
  std::size_t count = corners.size();
  std::vector<std::array<double, 2>> normals(count);
  for (std::size_t i = 0; i < count; ++i) {
    Point p = corners[i], q = corners[(i + 1) % count];
    double dx = static_cast<double>(q.x - p.x), dy = static_cast<double>(q.y - p.y);
    double scale = 1 / std::sqrt(dx * dx + dy * dy);
    normals[i] = {dy * scale, -dx * scale};
  }
  // An arc deviates from the circle by at most a quarter of a pixel.
  double tolerance = std::min(0.25, distance * 0.25);
  double steps =
      std::min(std::numbers::pi / std::acos(1 - tolerance / distance), distance * std::numbers::pi);
  std::vector<Point> polygon;
  for (std::size_t i = 0; i < count; ++i) {
    auto from = normals[(i + count - 1) % count], to = normals[i];
    double sine = from[0] * to[1] - to[0] * from[1];
    bool is_straight = std::fabs(sine * distance) < 1 && from[0] * to[0] + from[1] * to[1] > 0;
    // Truncation of coordinates can make a corner concave (sine < 0); a concave corner needs no
    // arc, because its points lie inside of the convex hull of the other points.
    if (is_straight || sine < 0) to = from;
    append_arc(polygon, corners[i], from[0], from[1], to[0], to[1], distance, steps);
  }
  // The polygon is rotated to end with its uppermost point, of several with the rightmost, like the
  // polygons of the library Clipper.
  auto last = std::min_element(polygon.begin(), polygon.end(),
                               [](Point p, Point q) { return p.y != q.y ? p.y < q.y : p.x > q.x; });
  std::rotate(polygon.begin(), last + 1, polygon.end());
  return polygon;
}

double mean_in_polygon(const float* map, int map_width, int top, int left, int height, int width,
                       const std::vector<Point>& polygon) {
  PolygonMask mask(height, width);
  for (std::size_t i = 0; i < polygon.size(); ++i)
    mask.add_edge(polygon[(i + polygon.size() - 1) % polygon.size()], polygon[i]);
  return mask.mean(map, map_width, top, left);
}

}  // namespace oarlock
