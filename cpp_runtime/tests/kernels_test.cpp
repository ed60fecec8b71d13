// Compares the compiled kernels with reference loops, and tests the thread pool.
#include "kernels/kernels.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.h"
#include "kernels/indexing.h"
#include "kernels/sorting.h"

using namespace oarlock::kernels;

namespace {

using Floats = std::vector<float>;

Floats numbers(Size count, unsigned seed = 1) {
  Floats made;
  for (Size i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(static_cast<float>(seed >> 8) / (1 << 23) - 1);
  }
  return made;
}

float worst(const Floats& got, const Floats& wanted) {
  float most = got.size() == wanted.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < got.size() && i < wanted.size(); ++i)
    most = std::fmax(most, std::fabs(got[i] - wanted[i]));
  return most;
}

void test_product(Size m, Size n, Size k, bool turn_a, bool turn_b) {
  Floats a = numbers(m * k), b = numbers(k * n, 2), c(static_cast<std::size_t>(m * n)), wanted = c;
  Size a_row = turn_a ? 1 : k, a_column = turn_a ? m : 1, b_row = turn_b ? 1 : n,
       b_column = turn_b ? k : 1;
  for (Size i = 0; i < m; ++i)
    for (Size j = 0; j < n; ++j)
      for (Size p = 0; p < k; ++p)
        wanted[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * a_row + p * a_column)] *
            b[static_cast<std::size_t>(p * b_row + j * b_column)];
  const float *from_a = a.data(), *from_b = b.data();
  kernel_table<float>().batched_matmul(
      {1, m, n, k, &from_a, a_row, a_column, &from_b, b_row, b_column, c.data()});
  CHECK(worst(c, wanted) < 1e-3f);
}

void test_product_with_bias(Size m, Size n, Size k) {
  Floats a = numbers(m * k), b = numbers(k * n, 2), bias = numbers(n, 3),
         c(static_cast<std::size_t>(m * n)), with_bias = c;
  const float *from_a = a.data(), *from_b = b.data();
  MatmulBatch<float> s{1, m, n, k, &from_a, k, 1, &from_b, n, 1, c.data()};
  kernel_table<float>().batched_matmul(s);
  s.c = with_bias.data();
  s.bias = bias.data();
  kernel_table<float>().batched_matmul(s);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] += bias[i % bias.size()];
  CHECK(c == with_bias);
}

// A batch of one; mask: whether a mask is added.
void test_attention(Size heads, Size queries, Size keys, Size depth, Size value_depth, bool mask,
                    bool is_causal) {
  Floats q = numbers(heads * queries * depth), k = numbers(heads * keys * depth, 2),
         v = numbers(heads * keys * value_depth, 3), added = numbers(queries * keys, 4),
         out(static_cast<std::size_t>(queries * heads * value_depth)), wanted = out;
  for (Size h = 0; h < heads; ++h)
    for (Size i = 0; i < queries; ++i) {
      std::vector<double> weights;
      double total = 0;
      for (Size j = 0; j < (is_causal ? i + 1 : keys); ++j) {
        double score = mask ? added[static_cast<std::size_t>(i * keys + j)] : 0;
        for (Size d = 0; d < depth; ++d)
          score += 0.5 * q[static_cast<std::size_t>((h * queries + i) * depth + d)] *
                   k[static_cast<std::size_t>((h * keys + j) * depth + d)];
        weights.push_back(std::exp(score));
        total += weights.back();
      }
      for (Size d = 0; d < value_depth; ++d) {
        double sum = 0;
        for (std::size_t j = 0; j < weights.size(); ++j)
          sum +=
              weights[j] *
              v[(static_cast<std::size_t>(h * keys) + j) * static_cast<std::size_t>(value_depth) +
                static_cast<std::size_t>(d)];
        wanted[static_cast<std::size_t>((i * heads + h) * value_depth + d)] =
            static_cast<float>(sum / total);
      }
    }
  kernel_table<float>().attention({1,
                                   heads,
                                   queries,
                                   keys,
                                   depth,
                                   value_depth,
                                   {q.data(), 0, queries * depth, depth},
                                   {k.data(), 0, keys * depth, depth},
                                   {v.data(), 0, keys * value_depth, value_depth},
                                   {mask ? added.data() : nullptr, 0, 0, keys},
                                   0.5f,
                                   is_causal,
                                   out.data()});
  CHECK(worst(out, wanted) < 1e-4f);
}

// A pixel of an image, or zero outside.
float pixel(const ConvShape& s, const Floats& x, Size n, Size c, Size row, Size column) {
  bool inside = row >= 0 && row < s.h && column >= 0 && column < s.w;
  return inside ? x[static_cast<std::size_t>(((n * s.c + c) * s.h + row) * s.w + column)] : 0;
}

// y, and the contributions of y * g to the gradients of x and the filter, by definition.
void convolve(const ConvShape& s, const Floats& x, const Floats& filter, const Floats& g, Floats& y,
              Floats& dx, Floats& df) {
  Size c = s.c / s.groups, m = s.m / s.groups;
  for (Size i = 0; i < s.n * s.m * s.oh * s.ow; ++i) {
    Size ow = i % s.ow, oh = i / s.ow % s.oh, to = i / s.ow / s.oh % s.m, n = i / s.ow / s.oh / s.m;
    for (Size k = 0; k < c * s.kh * s.kw; ++k) {
      Size from = to / m * c + k / s.kw / s.kh,
           row = oh * s.stride_h + k / s.kw % s.kh * s.dilation_h - s.top;
      Size column = ow * s.stride_w + k % s.kw * s.dilation_w - s.left;
      auto at = static_cast<std::size_t>(to * c * s.kh * s.kw + k),
           place = static_cast<std::size_t>(i);
      y[place] += filter[at] * pixel(s, x, n, from, row, column);
      df[at] += g[place] * pixel(s, x, n, from, row, column);
      if (row >= 0 && row < s.h && column >= 0 && column < s.w)
        dx[static_cast<std::size_t>(((n * s.c + from) * s.h + row) * s.w + column)] +=
            g[place] * filter[at];
    }
  }
}

void test_conv(const ConvShape& s) {
  Floats x = numbers(s.n * s.c * s.h * s.w),
         filter = numbers(s.m * s.c / s.groups * s.kh * s.kw, 3);
  Floats g = numbers(s.n * s.m * s.oh * s.ow, 4);
  Floats y(g.size()), dx(x.size()), df(filter.size()), got_y = y, got_dx = dx, got_df = df;
  convolve(s, x, filter, g, y, dx, df);
  kernel_table<float>().conv(s, x.data(), filter.data(), got_y.data());
  kernel_table<float>().conv_input_grad(s, filter.data(), g.data(), got_dx.data());
  kernel_table<float>().conv_filter_grad(s, x.data(), g.data(), got_df.data());
  CHECK(worst(got_y, y) < 1e-3f);
  CHECK(worst(got_dx, dx) < 1e-3f);
  CHECK(worst(got_df, df) < 1e-2f);
}

}  // namespace

TEST("kernels: matrix products of all sizes and layouts") {
  for (Size m : {1, 7, 33})
    for (Size n : {1, 16, 45})
      for (Size k : {1, 9, 400})
        for (int turns = 0; turns < 4; ++turns) test_product(m, n, k, turns & 1, turns & 2);
}

TEST("kernels: a product with a bias is the product plus the bias") {
  test_product_with_bias(1, 1, 1);
  test_product_with_bias(7, 35, 20);
  test_product_with_bias(300, 129, 400);  // several tasks
  test_product_with_bias(20, 700, 300);
}

TEST("kernels: attention") {
  test_attention(1, 1, 1, 1, 1, false, false);
  test_attention(3, 5, 7, 4, 2, false, false);
  test_attention(2, 70, 600, 16, 33, true, false);  // several tasks per head
  test_attention(2, 37, 37, 8, 8, false, true);
  test_attention(1, 300, 300, 20, 16, true, true);
}

TEST("kernels: convolutions and their gradients") {
  //         n  c  h   w   m  g kh kw oh  ow sh sw dh dw top left
  test_conv({2, 3, 7, 9, 5, 1, 3, 2, 5, 8, 1, 1, 1, 1, 0, 0});
  test_conv({5, 4, 8, 8, 6, 2, 3, 3, 4, 4, 2, 2, 1, 1, 1, 1});
  test_conv({1, 8, 33, 35, 12, 1, 3, 3, 33, 35, 1, 1, 1, 1, 1, 1});
  test_conv({2, 6, 10, 11, 6, 6, 3, 3, 10, 11, 1, 1, 1, 1, 1, 1});
  test_conv({2, 4, 9, 12, 8, 4, 3, 3, 5, 8, 1, 1, 2, 2, 0, 0});
  test_conv({3, 5, 16, 16, 7, 1, 1, 1, 16, 16, 1, 1, 1, 1, 0, 0});
  test_conv({3, 5, 7, 7, 7, 1, 1, 1, 4, 4, 2, 2, 1, 1, 0, 0});
  test_conv({6, 2, 12, 12, 3, 1, 5, 5, 8, 8, 1, 1, 1, 1, 0, 0});
  test_conv({2, 3, 11, 40, 4, 1, 2, 3, 4, 13, 3, 3, 1, 1, 0, 1});
  // With many channels, the filter gradient packs the channels of a pixel side by side.
  test_conv({3, 40, 9, 11, 20, 1, 3, 3, 9, 11, 1, 1, 1, 1, 1, 1});
  test_conv({2, 33, 14, 14, 17, 1, 1, 1, 7, 7, 2, 2, 1, 1, 0, 0});
  test_conv({5, 600, 3, 3, 20, 1, 1, 1, 3, 3, 1, 1, 1, 1, 0, 0});
  test_conv({2, 16, 12, 13, 16, 1, 3, 3, 8, 9, 1, 1, 2, 2, 0, 0});
  test_conv({2, 32, 8, 8, 32, 2, 3, 3, 8, 8, 1, 1, 1, 1, 1, 1});
  test_conv({2, 20, 11, 11, 18, 1, 2, 2, 4, 4, 3, 3, 1, 1, 0, 0});
  test_conv({1, 16, 3, 300, 16, 1, 3, 3, 3, 300, 1, 1, 1, 1, 1, 1});
  test_conv({8, 20, 20, 20, 24, 1, 3, 3, 20, 20, 1, 1, 1, 1, 1, 1});
}

TEST("kernels: exponentials within 2e-6, and limits") {
  Floats x;
  for (float v = -104; v < 88.7f; v += 0.0137f) x.push_back(v);
  Floats y(x.size());
  auto run = [&](Unary which) {
    kernel_table<float>().unary[static_cast<int>(which)](static_cast<Size>(x.size()), x.data(),
                                                         y.data());
  };
  auto error = [&](auto exact) {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double wanted = exact(static_cast<double>(x[i]));
      if (std::fabs(wanted) > 1e-37)
        most = std::fmax(most, std::fabs(static_cast<double>(y[i]) - wanted) / std::fabs(wanted));
    }
    return most;
  };
  run(Unary::exp);
  CHECK(error([](double v) { return std::exp(v); }) < 2e-6);
  run(Unary::tanh);
  CHECK(error([](double v) { return std::tanh(v); }) < 2e-6);
  run(Unary::sigmoid);
  CHECK(error([](double v) { return 1 / (1 + std::exp(-v)); }) < 2e-6);
  x = {INFINITY, -INFINITY, NAN, 0};
  y.resize(4);
  run(Unary::exp);
  CHECK(std::isinf(y[0]) && y[1] == 0 && std::isnan(y[2]) && y[3] == 1);
  run(Unary::tanh);
  CHECK(y[0] == 1 && y[1] == -1 && std::isnan(y[2]) && y[3] == 0);
  run(Unary::relu);
  CHECK(std::isinf(y[0]) && y[1] == 0 && std::isnan(y[2]) && y[3] == 0);
}

TEST("kernels: expression instructions equal the kernels of their names") {
  for (Size count : {1, 7, 64, 1000}) {
    Floats x = numbers(count), y = numbers(count, 2), found(x.size()), wanted(x.size());
    auto same = [&](ExprOp piece) {
      kernel_table<float>().expr_ops.run[static_cast<int>(piece)](count, x.data(), y.data(),
                                                                  found.data());
      CHECK(found == wanted);
    };
    for (int i = 0; i < kNumUnary; ++i) {
      kernel_table<float>().unary[i](count, x.data(), wanted.data());
      same(static_cast<ExprOp>(static_cast<int>(ExprOp::relu) + i));
    }
    for (int i = 0; i < static_cast<int>(Unary::exp); ++i) {  // the others are products
      kernel_table<float>().unary_grad[i](count, x.data(), y.data(), wanted.data());
      same(static_cast<ExprOp>(static_cast<int>(ExprOp::relu_grad) + i));
    }
    for (int i = 0; i < kNumBinary; ++i) {
      kernel_table<float>().binary[i](1, count, 1, false, x.data(), y.data(), wanted.data());
      same(static_cast<ExprOp>(i));
    }
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i] = std::fmax(x[i], y[i]);
    same(ExprOp::max);
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i] = x[i] / y[i];
    same(ExprOp::div);
  }
}

TEST("kernels: results do not depend on the number of threads") {
  ConvShape s{9, 20, 20, 20, 12, 1, 3, 3, 20, 20, 1, 1, 1, 1, 1, 1};
  Floats x = numbers(s.n * s.c * s.h * s.w), g = numbers(s.n * s.m * s.oh * s.ow, 2), first;
  Floats wide = numbers(400000, 3);
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    CHECK_EQ(thread_count(), threads);
    Floats found(static_cast<std::size_t>(s.m * s.c * 9)), sums(40);
    kernel_table<float>().conv_filter_grad(s, x.data(), g.data(), found.data());
    kernel_table<float>().sum(10000, 40, 1, wide.data(), sums.data());
    found.insert(found.end(), sums.begin(), sums.end());
    if (first.empty()) first = found;
    CHECK(found == first);
  }
}

TEST("kernels: cumulative sums of lines and rows") {
  for (bool reverse : {false, true})
    for (ScanShape s :
         {ScanShape{3, 5, 1, reverse, false}, ScanShape{1, 20000, 1, reverse, false},
          ScanShape{2, 7, 3, reverse, false}, ScanShape{2, 40, 700, reverse, false},
          ScanShape{2, 40, 700, reverse, true}, ScanShape{9, 2100, 1, reverse, true}}) {
      std::vector<std::int64_t> x(static_cast<std::size_t>(s.outer * s.count * s.inner)), y = x;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 17) - 8;
      number_kernel_table<std::int64_t>().cumulate[0](s, x.data(), y.data());
      bool same = true;
      for (Size line = 0; line < s.outer * s.inner; ++line) {
        std::int64_t total = 0;
        for (Size k = 0; k < s.count; ++k) {
          Size row = reverse ? s.count - 1 - k : k;
          auto at =
              static_cast<std::size_t>((line / s.inner * s.count + row) * s.inner + line % s.inner);
          if (!s.exclusive) total += x[at];
          same &= y[at] == total;
          if (s.exclusive) total += x[at];
        }
      }
      CHECK(same);
    }
}

TEST("kernels: floor division and remainder of integers, the lowest one included") {
  constexpr std::int64_t low = INT64_MIN;
  std::vector<std::int64_t> x = {7, -7, 7, -7, low, low, low, INT64_MAX, 0},
                            y = {2, 2, -2, -2, -1, 1, 3, -2, 5}, quotient(9), rest(9);
  const auto& table = number_kernel_table<std::int64_t>();
  table.floor_divide(9, false, x.data(), y.data(), quotient.data());
  table.remainder(9, false, x.data(), y.data(), rest.data());
  CHECK(quotient ==
        (std::vector<std::int64_t>{3, -4, -4, 3, low, low, low / 3 - 1, -(INT64_MAX / 2) - 1, 0}));
  CHECK(rest == (std::vector<std::int64_t>{1, 1, -1, -1, 0, 0, 1, -1, 0}));
}

TEST("kernels: sorting, selection and suppression of boxes") {
  for (Size count : {5, 300, 3000}) {
    Floats x = numbers(2 * count);
    x[1] = NAN;
    std::vector<std::int64_t> order(x.size()), chosen(2);
    sort_indices(2, count, count, false, x.data(), order.data());
    select_index(2, count, count / 2, x.data(), chosen.data());
    bool is_sorted = true;
    for (Size line = 0; line < 2; ++line) {
      const std::int64_t* at = order.data() + line * count;
      for (Size k = 1; k < count - 1; ++k)
        is_sorted &= x[static_cast<std::size_t>(line * count + at[k - 1])] <=
                     x[static_cast<std::size_t>(line * count + at[k])];
      CHECK_EQ(chosen[static_cast<std::size_t>(line)], at[count / 2]);
    }
    CHECK(is_sorted);
    CHECK_EQ(order[static_cast<std::size_t>(count - 1)], 1);  // NaN
  }
  Floats boxes = {0, 0, 10, 10, 1, 1, 10, 10, 20, 20, 30, 30, 21, 20, 30, 30, 5, 5, 4, 4};
  std::vector<std::int64_t> selected(5);
  CHECK_EQ(kernel_table<float>().select_boxes(5, boxes.data(), 0.5f, 0.0f, selected.data()), 3);
  CHECK(selected[0] == 0 && selected[1] == 2 && selected[2] == 4);
}

TEST("kernels: scattering along an axis, few long rows and many short ones") {
  for (IndexedShape s : {IndexedShape{1, 5, 9, 1000, false}, IndexedShape{1, 5, 9, 1, false},
                         IndexedShape{40, 5, 9, 30, true}, IndexedShape{6, 5, 9, 1, true}}) {
    Size count = s.outer * s.count * s.inner;
    std::vector<std::int64_t> index(static_cast<std::size_t>(s.is_elementwise ? count : s.count));
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i * i % 5);
    CHECK(are_indices_in_range(static_cast<Size>(index.size()), index.data(), s.size));
    Floats values = numbers(count), sums(static_cast<std::size_t>(s.outer * s.size * s.inner)),
           wanted = sums, last = sums, wanted_last = sums, taken(values.size());
    for (Size v = 0; v < count; ++v) {
      Size i = v % s.inner, k = v / s.inner % s.count, o = v / s.inner / s.count;
      std::int64_t at = index[static_cast<std::size_t>(s.is_elementwise ? v : k)];
      auto to = static_cast<std::size_t>((o * s.size + at) * s.inner + i);
      wanted[to] += values[static_cast<std::size_t>(v)];
      wanted_last[to] = values[static_cast<std::size_t>(v)];
    }
    add_along_middle_axis(s, sums.data(), index.data(), values.data());
    assign_along_middle_axis(s, sizeof(float), last.data(), index.data(), values.data());
    take_along_middle_axis(s, sizeof(float), last.data(), index.data(), taken.data());
    CHECK(sums == wanted);
    CHECK(last == wanted_last);
    bool all_last = true;
    for (float v : taken) all_last &= std::find(last.begin(), last.end(), v) != last.end();
    CHECK(all_last);
  }
}

TEST("kernels: every task runs once, from several threads at a time, and inside of tasks") {
  set_thread_count(3);
  auto count = [] {
    std::vector<std::atomic<int>> ran(1000);
    parallel_for(
        1000, [&](Size i) { parallel_for(2, [&](Size) { ++ran[static_cast<std::size_t>(i)]; }); });
    for (const auto& times : ran) CHECK_EQ(times.load(), 2);
  };
  std::thread other(count);
  for (int i = 0; i < 20; ++i) count();
  other.join();
}

TEST("kernels: a forked process has its own threads") {
  set_thread_count(3);
  auto sum = [] {
    std::atomic<Size> total{0};
    parallel_for(100, [&](Size i) { total += i; });
    return total.load();
  };
  CHECK_EQ(sum(), Size(4950));
  pid_t child = fork();
  if (child == 0) _exit(sum() == 4950 && thread_count() == 3 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  CHECK_EQ(sum(), Size(4950));
}
