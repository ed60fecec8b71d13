// Special functions: gamma family, Bessel, inverse erf, nextafter; as float64 formulas of ops with
// ONNX Runtime kernels.
#include <array>
#include <cmath>
#include <vector>

#include "convert/expression.h"
#include "convert/operands.h"
#include "convert/registry.h"

namespace oarlock {
namespace {

// A rule that casts the input to float64, computes `f` and casts the result back. The slots are `X`
// and `Out`, or `x` and `out` for newer ops.
LowerFn compute_in_float64_rule(Expr (*f)(const Expr&), bool lower_case_slots = false) {
  return [f, lower_case_slots](NodeContext& n) {
    Expr x(n, cast_to_floating(n, n.input(lower_case_slots ? "x" : "X"),
                               lower_case_slots ? "out" : "Out"));
    n.set_output(lower_case_slots ? "out" : "Out", f(x.to(DType::float64)).to(n.dtype(x)));
  };
}

// coefficients[0] + coefficients[1] * t + ...
template <class List>
Expr polynomial(const List& coefficients, const Expr& t) {
  Expr sum = t * coefficients.back() + coefficients[coefficients.size() - 2];
  for (std::size_t i = coefficients.size() - 2; i-- > 0;) sum = sum * t + coefficients[i];
  return sum;
}

// ---- the gamma family ----

constexpr int kShift = 8;  // arguments are shifted up by this before a series in 1 / x applies
// Bernoulli numbers B2, B4, ... B16.
constexpr std::array<double, 8> kBernoulli = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                              5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};

// pi times the offset of x from the nearest integer, so that sines at multiples of pi are exact.
// Sine and cosine of the result may differ from sin(pi x) and cos(pi x) by a common sign.
Expr pi_times_offset_from_nearest_integer(const Expr& x) { return (x - x.emit("Round")) * M_PI; }

// ln gamma(z) for z >= 1/2: Stirling's series from 8 on, the recurrence below (Abramowitz and
// Stegun 6.1.41, 6.1.16).
Expr lgamma_above_half(const Expr& z) {
  std::vector<double> series;
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k)
    series.push_back(kBernoulli[k - 1] / static_cast<double>(2 * k * (2 * k - 1)));
  auto low = z < kShift;
  auto up = where(low, z + kShift, z), inverse = 1 / up;
  auto result = (up - 0.5) * log(up) - up + 0.5 * std::log(2 * M_PI) +
                inverse * polynomial(series, inverse * inverse);
  auto small = where(low, z, 1), product = small;
  for (int k = 1; k < kShift; ++k) product = product * (small + k);
  return where(z == INFINITY, z, result - where(low, log(product), 0));
}

// ln |gamma(x)|; below 1/2 by reflection (Abramowitz and Stegun 6.1.17).
Expr lgamma(const Expr& x) {
  auto negative = x < 0.5;
  auto above = lgamma_above_half(where(negative, 1 - x, x));
  auto mirrored = log(M_PI / abs(sin(pi_times_offset_from_nearest_integer(x)))) - above;
  return where(negative, where(x == floor(x), INFINITY, mirrored), above);
}

// The derivative of ln gamma(z) for z >= 1/2 (Abramowitz and Stegun 6.3.18, 6.3.6).
Expr digamma_above_half(const Expr& z) {
  std::vector<double> series;
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k)
    series.push_back(kBernoulli[k - 1] / static_cast<double>(2 * k));
  auto low = z < kShift;
  auto up = where(low, z + kShift, z), inverse = 1 / up, square = inverse * inverse;
  auto result = log(up) - 0.5 * inverse - square * polynomial(series, square);
  auto steps = 1 / z;
  for (int k = 1; k < kShift; ++k) steps = steps + 1 / (z + k);
  return result - where(low, steps, 0);
}

// The digamma function, NaN at its poles.
Expr digamma(const Expr& x) {
  auto negative = x < 0.5;
  auto above = digamma_above_half(where(negative, 1 - x, x));
  auto mirrored = above - M_PI * cos(pi_times_offset_from_nearest_integer(x)) /
                              sin(pi_times_offset_from_nearest_integer(x));
  return where(negative, where(x == floor(x), NAN, mirrored), above);
}

// The Hurwitz zeta function for s > 1 and x > 0: the sum of (x + k) ** -s over k = 0, 1, ..., by
// the Euler-Maclaurin formula (Abramowitz and Stegun 23.1.30).
Expr hurwitz_zeta(double s, const Expr& x) {
  constexpr int first = 10;
  auto result = pow(x, -s);
  for (int k = 1; k < first; ++k) result = result + pow(x + k, -s);
  auto up = x + first, power = pow(up, -s), square = 1 / (up * up);
  std::vector<double> series;
  double factor = s / 2;
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k) {
    series.push_back(kBernoulli[k - 1] * factor);
    auto j = static_cast<double>(2 * k);
    factor *= (s + j - 1) * (s + j) / ((j + 1) * (j + 2));
  }
  return result + power * (up / (s - 1) + 0.5 + polynomial(series, square) / up);
}

// The derivative of digamma of order `order`; for negative x, derivatives above the first are NaN,
// as in Paddle (Abramowitz and Stegun 6.4.10, 6.4.7).
Expr polygamma_formula(const Expr& x, int order) {
  double factorial = order % 2 ? 1 : -1;
  for (int k = 2; k <= order; ++k) factorial *= k;
  auto result = hurwitz_zeta(order + 1, abs(x)) * factorial;
  if (order > 1) return where(x < 0, NAN, result);
  auto slope = M_PI / sin(pi_times_offset_from_nearest_integer(x));
  return where(x < 0, slope * slope - hurwitz_zeta(2, where(x < 0, 1 - x, 1)), result);
}

void polygamma(NodeContext& n) {
  constexpr std::int64_t max_order = 30;  // larger factorials overflow
  auto order = n.attr("n", 0);
  n.require(order >= 0 && order <= max_order, "attribute 'n' is " + std::to_string(order));
  auto x = input_expr(n, "x"), wide = x.to(DType::float64);
  auto result = order == 0 ? digamma(wide) : polygamma_formula(wide, static_cast<int>(order));
  n.set_output("out", result.to(n.require_known_dtype(x)));
}

// ---- Bessel's functions ----

// The mean of exp(size * (cos t - 1)) * cos(order * t) over a circle; accurate up to size 30
// (Abramowitz and Stegun 9.6.19).
Expr scaled_modified_bessel_integral(int order, const Expr& size) {
  constexpr int points = 48;
  NodeContext& n = size.context();
  Floats angles, weights;
  for (int i = 0; i <= points; ++i) {
    double t = M_PI * i / points;
    angles.push_back(std::cos(t) - 1);
    weights.push_back(std::cos(order * t) * (i == 0 || i == points ? 0.5 : 1.0) / points);
  }
  Expr column(n, n.unsqueeze(size, {-1}));
  auto waves = exp(column * Expr(n, n.vector(angles, DType::float64)));
  return waves.emit("MatMul", {n.vector(weights, DType::float64)});
}

// The exponentially scaled modified Bessel function of the first kind for large arguments, by the
// asymptotic series in 1 / size (Abramowitz and Stegun 9.7.1).
Expr scaled_modified_bessel_asymptotic(int order, const Expr& size) {
  std::vector<double> series = {1};
  for (int k = 1; k < 20; ++k)
    series.push_back(series.back() * ((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8.0 * k));
  return polynomial(series, 1 / size) / sqrt(size * (2 * M_PI));
}

// exp(-|x|) times the modified Bessel function I of order 0 or 1.
template <int order>
Expr scaled_modified_bessel(const Expr& x) {
  constexpr double edge = 30;
  auto size = abs(x);
  auto result = where(size < edge, scaled_modified_bessel_integral(order, min(size, edge)),
                      scaled_modified_bessel_asymptotic(order, max(size, edge)));
  return order == 1 ? sign(x) * result : result;
}

template <int order>
Expr modified_bessel(const Expr& x) {
  return scaled_modified_bessel<order>(x) * exp(abs(x));
}

// ---- the inverse of erf ----

struct RationalFunction {
  std::vector<double> numerator, denominator;
};

Expr evaluate_rational(const RationalFunction& r, const Expr& t) {
  return polynomial(r.numerator, t) / polynomial(r.denominator, t);
}

// The coefficients of a rational function for the inverse of erf near 0, derived from those of the
// quantile of the normal distribution. M. J. Wichura, "Algorithm AS 241: The Percentage Points of
// the Normal Distribution", PPND16.
const RationalFunction& central_quantile_coefficients() {
  static const RationalFunction ratio = {
      {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
       1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
       3.3430575583588128105e4, 2.5090809287301226727e3},
      {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
       2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
       5.2264952788528545610e3}};
  return ratio;
}
const RationalFunction& intermediate_quantile_coefficients() {
  static const RationalFunction ratio = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
       3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
       2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
       1.05075007164441684324e-9}};
  return ratio;
}
const RationalFunction& tail_quantile_coefficients() {
  static const RationalFunction ratio = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
       2.04426310338993978564e-15}};
  return ratio;
}

// The inverse of erf; infinite at -1 and 1, NaN beyond.
Expr erfinv(const Expr& y) {
  auto size = abs(y), half = y * 0.5;
  auto middle = half * evaluate_rational(central_quantile_coefficients(), 0.180625 - half * half);
  auto depth = sqrt(-log((1 - size) * 0.5));
  auto beyond =
      sign(y) * where(depth <= 5,
                      evaluate_rational(intermediate_quantile_coefficients(), depth - 1.6),
                      evaluate_rational(tail_quantile_coefficients(), depth - 5));
  auto result = where(size <= 0.85, middle, where(size == 1, y / (1 - size), beyond));
  return result * std::sqrt(0.5);
}

// ---- nextafter ----

// The float32 next to x: x moved by 0.5 to 1.5 units in the last place, then rounded.
Expr nextafter_float32(const Expr& x, const Expr& y) {
  constexpr double half_digit = 0.505 / (1 << 23), smallest = 0x1p-149, limit = 0x1p128;
  auto from = min(max(x.to(DType::float64), -limit), limit), to = y.to(DType::float64);
  auto step = max(abs(from) * half_digit, 0.75 * smallest);
  return where(to > from, from + step, from - step).to(DType::float32);
}

// The float64 next to x in the direction of y. Slightly more than half a unit in the last place
// (ulp) is added to x, so that the sum is rounded to the next number. Small numbers are scaled up
// first, because half an ulp of them underflows.
Expr nextafter_float64(const Expr& x, const Expr& y) {
  constexpr double half_digit = 0x1.0000000000001p-53, smallest = 0x1p-1074, even_steps = 0x1p-1021;
  constexpr double largest = 0x1.fffffffffffffp1023;
  auto up = y > x;
  auto moved = [&](const Expr& v, const Expr& step) { return where(up, v + step, v - step); };
  auto by_half = [&](const Expr& v) { return moved(v, abs(v) * half_digit); };
  auto small = by_half(x * 0x1p200) / 0x1p200, large = by_half(min(max(x, -largest), largest));
  auto finite = where(abs(x) < even_steps, moved(x, x.scalar_like(smallest)),
                      where(abs(x) < 0x1p-800, small, large));
  return where(abs(x) > largest, where(up, -largest, largest, DType::float64), finite);
}

// The op nextafter: the float next to x in the direction of y.
void nextafter(NodeContext& n) {
  auto x = input_expr(n, "x"), y = input_expr(n, "y");
  auto dtype = n.require_known_dtype(x);
  n.require(dtype == DType::float32 || dtype == DType::float64,
            "has no lowering but for float32 and float64");
  auto moved = dtype == DType::float32 ? nextafter_float32(x, y) : nextafter_float64(x, y);
  n.set_output("out", where(isnan(x) || isnan(y), x * y, where(x == y, y, moved)));
}

}  // namespace

std::span<const Rule> special_functions_rules() {
  static const Rule rules[] = {
      {"lgamma", 11, compute_in_float64_rule(lgamma)},
      {"digamma", 11, compute_in_float64_rule(digamma)},
      {"polygamma", 11, polygamma},
      {"erfinv", 11, compute_in_float64_rule(erfinv)},
      {"i0", 12, compute_in_float64_rule(modified_bessel<0>, true)},
      {"i0e", 12, compute_in_float64_rule(scaled_modified_bessel<0>, true)},
      {"i1", 12, compute_in_float64_rule(modified_bessel<1>, true)},
      {"i1e", 12, compute_in_float64_rule(scaled_modified_bessel<1>, true)},
      {"nextafter", 12, nextafter},
  };
  return rules;
}

}  // namespace oarlock
