// Tests of the options for inputs of many sizes: memory and shape_buckets.
#include "runtime/shape_buckets.h"

#include <array>
#include <cstring>
#include <thread>

#include "check.h"
#include "fixtures.h"
#include "runtime/ort/arena_allocator.h"
#include "runtime/session_options_by_name.h"

using namespace oarlock;

namespace {

using Shape = std::vector<std::int64_t>;

Tensor rows(std::int64_t count) {
  Tensor x(DType::float32, {count, 4});
  auto* values = static_cast<float*>(x.data());
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = static_cast<float>(i) / 8;
  return x;
}

std::vector<Tensor> run(const Session& session, const Tensor& x,
                        std::span<const std::size_t> outputs = {}) {
  std::array<TensorView, 1> views{x};
  return session.run(views, outputs);
}

Session mlp(const Options& options = {}) { return Session(Model::open(fixture("mlp")), options); }

Options buckets(const Shapes& sizes) {
  Options options;
  options.shape_buckets = sizes;
  return options;
}

std::vector<TensorSpec> image_and_mask() {
  return {{"x", DType::float32, {-1, -1, 2}, {"batch", "length", ""}, "", "", {}},
          {"mask", DType::int64, {-1, -1}, {"batch", "length"}, "", "", {}}};
}

}  // namespace

TEST("memory: all presets return the same results") {
  Session steady = mlp();
  for (const char* preset : {"steady", "changing", "smallest"}) {
    Options options;
    options.memory = preset;
    Session session = mlp(options);
    for (std::int64_t count : {1, 7, 3000, 2}) {
      auto wanted = run(steady, rows(count)), results = run(session, rows(count));
      CHECK(have_equal_bytes(results[0], wanted[0]));
      CHECK(have_equal_bytes(results[1], wanted[1]));
    }
  }
  Options wrong;
  wrong.memory = "tiny";
  CHECK_ERROR("options: memory 'tiny' is not one of steady, changing, smallest", mlp(wrong));
}

TEST("memory: smallest returns the memory of results to the system when they are freed") {
  Options options;
  options.memory = "smallest";
  Session session = mlp(options);
  PageArena& arena = shared_page_arena(load_ort_library_once(""));
  std::size_t before = arena.used_bytes();
  {
    auto results = run(session, rows(100'000));
    CHECK(arena.used_bytes() >= before + results[0].byte_size() + results[1].byte_size());
  }
  CHECK_EQ(arena.used_bytes(), before);
}

TEST("memory: smallest returns the same results to several threads") {
  Options options;
  options.memory = "smallest";
  options.threads = 1;
  Session session = mlp(options);
  auto work = [&](std::int64_t first) {
    for (std::int64_t i = 0; i < 30; ++i) {
      std::int64_t count = 1 + (first * 7919 + i * 104729) % 20'000;
      auto results = run(session, rows(count));
      auto row = run(session, rows(1));
      CHECK(std::memcmp(results[0].data(), row[0].data(), row[0].byte_size()) == 0);
      CHECK(std::memcmp(results[1].data(), row[1].data(), row[1].byte_size()) == 0);
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t first = 1; first <= 4; ++first) threads.emplace_back(work, first);
  for (std::thread& thread : threads) thread.join();
}

TEST("buckets: inputs are padded and outputs cropped") {
  Session plain = mlp(), session = mlp(buckets({{"x.0", {8, 4}}}));
  for (std::int64_t count : {1, 3, 4, 5, 8}) {
    auto wanted = run(plain, rows(count)), results = run(session, rows(count));
    CHECK_EQ(results.size(), std::size_t{2});
    CHECK(have_equal_bytes(results[0], wanted[0]));
    CHECK(have_equal_bytes(results[1], wanted[1]));
  }
  std::array<std::size_t, 1> second{1};
  CHECK(have_equal_bytes(run(session, rows(3), second)[0], run(plain, rows(3))[1]));
  CHECK_ERROR("run: dimension 0 of input 'x' is 9, larger than the shape_buckets of 'x.0' (4, 8)",
              run(session, rows(9)));
  Tensor x = rows(3);
  std::array<TensorView, 1> views{x};
  std::array<Tensor, 2> outputs{Tensor(DType::float32, {3, 3}), Tensor(DType::float32, {3, 8})};
  CHECK_ERROR("is 3, none of the shape_buckets of 'x.0' (4, 8); only Session::run pads inputs",
              session.run_into(views, outputs));
  CHECK_ERROR("run: input 'x' is float32[2,5]", run(session, Tensor(DType::float32, {2, 5})));
}

TEST("buckets: all dimensions of one name have one size") {
  ShapeBuckets both({{"batch", {2}}, {"length", {4, 8}}}, image_and_mask());
  Tensor x(DType::float32, {1, 3, 2}), mask(DType::int64, {1, 3});
  for (int i = 0; i < 6; ++i) static_cast<float*>(x.data())[i] = static_cast<float>(i + 1);
  for (int i = 0; i < 3; ++i) static_cast<std::int64_t*>(mask.data())[i] = 1;
  std::array<TensorView, 2> views{x, mask};
  auto padded = both.pad(views);
  CHECK(padded.owners[0].shape() == Shape({2, 4, 2}));
  CHECK(padded.owners[1].shape() == Shape({2, 4}));
  const std::vector<float> wanted{1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  auto values = padded.owners[0].values<float>();
  CHECK(std::vector<float>(values.begin(), values.end()) == wanted);
  TensorSpec output{"y", DType::float32, {-1, 2, -1}, {"batch", "", "length"}, "", "", {}};
  CHECK(both.crop(Tensor(DType::float32, {2, 2, 4}), output, padded).shape() == Shape({1, 2, 3}));
  TensorSpec other{"z", DType::float32, {-1, -1}, {"batch", ""}, "", "", {}};
  CHECK(both.crop(Tensor(DType::float32, {2, 4}), other, padded).shape() == Shape({1, 4}));

  Tensor longer(DType::int64, {1, 4});
  views[1] = longer;
  CHECK_ERROR("dimension 1 ('length') of input 'mask' is 4, that of another input 3",
              both.pad(views));
  Tensor none(DType::float32, {0, 3, 2}), no_mask(DType::int64, {0, 3});
  std::array<TensorView, 2> empty{none, no_mask};
  CHECK(both.pad(empty).owners[0].shape() == Shape({2, 4, 2}));
}

TEST("buckets: invalid options") {
  CHECK_ERROR("no input has the dynamic dimension 'width' (there are: x.0)",
              mlp(buckets({{"width", {4}}})));
  CHECK_ERROR("no input has the dynamic dimension 'x.1'", mlp(buckets({{"x.1", {4}}})));
  CHECK_ERROR("shape_buckets of 'x.0' are not positive sizes", mlp(buckets({{"x.0", {}}})));
  CHECK_ERROR("shape_buckets of 'x.0' are not positive sizes", mlp(buckets({{"x.0", {0, 4}}})));
  Options options;
  set_option(options, "shape_buckets", "height=320,640");
  set_option(options, "shape_buckets", "width=64");
  CHECK_EQ(options.shape_buckets.size(), std::size_t{2});
  CHECK(options.shape_buckets["height"] == Shape({320, 640}));
  CHECK_ERROR("shapes: requires", set_option(options, "shape_buckets", "height"));
}
