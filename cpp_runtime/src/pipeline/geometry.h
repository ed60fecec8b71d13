// Plane geometry of text boxes: borders of regions, enclosing rectangles, polygons.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace oarlock {

struct Point {
  std::int64_t x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct PointF {
  float x = 0, y = 0;
};

using Quad = std::array<PointF, 4>;

/// The borders of the 8-connected regions of nonzero values and of their holes, as OpenCV's
/// `findContours` returns them with RETR_LIST and CHAIN_APPROX_SIMPLE: the last found first,
/// without points inside of straight runs.  max_count: the number of borders to return.
std::vector<std::vector<Point>> find_borders(const std::vector<std::uint8_t>& mask, int height,
                                             int width, std::size_t max_count);

/// A rectangle of any orientation.  corners: upper left, upper right, lower right, lower left;
/// short_side: 0 if all points are on one line.
struct Rectangle {
  Quad corners{};
  float short_side = 0;
};

/// The enclosing rectangle with the smallest area, of at least one point.
Rectangle min_area_rectangle(const std::vector<Point>& points);

double area(const Quad& quad);
double perimeter(const Quad& quad);

/// The polygon at `distance` outside of a convex quad, whose corners are truncated to integers,
/// with rounded corners. The polygon is empty if the quad has less than three different corners.
std::vector<Point> offset_polygon(const Quad& quad, double distance);

/// The mean of the values of `map` inside of a polygon, its edges included; 0 if there are none.
/// The polygon is relative to (`left`, `top`) of the map and is clipped to `height` x `width`.
double mean_in_polygon(const float* map, int map_width, int top, int left, int height, int width,
                       const std::vector<Point>& polygon);

}  // namespace oarlock
