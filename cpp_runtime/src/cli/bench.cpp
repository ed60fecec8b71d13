#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "cli/command.h"
#include "cli/npz.h"

namespace oarlock::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Resident memory, and the part of it that belongs to files: mapped weights are not heap.
double status_mb(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key) {
      double kb = 0;
      status >> kb;
      return kb / 1024;
    }
  return 0;
}

// Unknown dims are 1, unless the trace assumed a number.
std::vector<std::int64_t> default_shape(const TensorSpec& spec, const std::vector<GuardSpec>& guards) {
  auto shape = spec.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) continue;
    shape[d] = 1;
    for (const GuardSpec& g : guards)
      if (g.kind == "dim" && g.var == spec.name && g.axis == static_cast<std::int64_t>(d))
        shape[d] = std::atoll(g.expected.c_str());
  }
  return shape;
}

// The same numbers every time; integers are 0 and 1, which index any table of two rows.
Tensor made_up(const TensorSpec& spec, std::vector<std::int64_t> shape) {
  Tensor tensor(spec.dtype, std::move(shape));
  std::uint32_t state = 12345;
  auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  auto* bytes = static_cast<unsigned char*>(tensor.data());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    float single = static_cast<float>(next()) / 16777216.0f;
    double wide = static_cast<double>(single);
    std::size_t size = size_of(spec.dtype);
    if (spec.dtype == DType::float32)
      std::memcpy(bytes + i * size, &single, size);
    else if (spec.dtype == DType::float64)
      std::memcpy(bytes + i * size, &wide, size);
    else if (!is_floating(spec.dtype))
      bytes[i * size] = static_cast<unsigned char>(next() & 1);
  }
  return tensor;
}

std::vector<Tensor> inputs_for(const Command& c, const Model& model, const std::vector<TensorSpec>& specs) {
  for (auto& [name, shape] : c.shapes) {
    bool known = std::any_of(specs.begin(), specs.end(), [&name = name](auto& s) { return s.name == name; });
    if (!known) throw Error(Fault::input, "bench: no input '" + name + "'");
  }
  NamedTensors given = c.input.empty() ? NamedTensors{} : read_npz(c.input);
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    auto found = std::find_if(given.begin(), given.end(),
                              [&](auto& g) { return g.first == specs[i].name || g.first == "in" + std::to_string(i); });
    auto shape = c.shapes.find(specs[i].name);
    inputs.push_back(
        found != given.end()
            ? found->second
            : made_up(specs[i], shape != c.shapes.end() ? shape->second : default_shape(specs[i], model.guards())));
  }
  return inputs;
}

struct Row {
  const char* name;
  const char* unit;
  double value;
};

void print(const std::vector<Row>& rows, bool json) {
  if (json) std::printf("{");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (json)
      std::printf("%s\"%s_%s\": %.6g", i ? ", " : "", rows[i].name, rows[i].unit, rows[i].value);
    else
      std::printf("%-12s %12.4f %s\n", rows[i].name, rows[i].value, rows[i].unit);
  }
  if (json) std::printf("}\n");
}

}  // namespace

int bench(const Command& c) {
  if (c.repeat < 1) throw Usage{"--repeat wants at least 1"};
  auto start = Clock::now();
  Model model = open_model(c);
  double read = ms_since(start);
  Session session(model, c.options);
  double load = ms_since(start), load_rss = status_mb("VmRSS:");
  std::vector<Tensor> inputs = inputs_for(c, model, session.inputs());
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  start = Clock::now();
  session.run(views);
  double first = ms_since(start);
  for (int i = 1; i < c.warmup; ++i) session.run(views);
  std::vector<double> times;
  for (int i = 0; i < c.repeat; ++i) {
    start = Clock::now();
    session.run(views);
    times.push_back(ms_since(start));
  }
  double sum = 0;
  for (double t : times) sum += t;
  std::sort(times.begin(), times.end());
  auto quantile = [&](double q) {
    return times[std::min(times.size() - 1, static_cast<std::size_t>(q * static_cast<double>(times.size())))];
  };
  print({{"read", "ms", read},
         {"load", "ms", load},
         {"first_run", "ms", first},
         {"mean", "ms", sum / static_cast<double>(times.size())},
         {"min", "ms", times[0]},
         {"p50", "ms", quantile(0.5)},
         {"p90", "ms", quantile(0.9)},
         {"p99", "ms", quantile(0.99)},
         {"load_rss", "MB", load_rss},
         {"rss", "MB", status_mb("VmRSS:")},
         {"rss_anon", "MB", status_mb("RssAnon:")}},
        c.json);
  session.end_profile();
  return 0;
}

}  // namespace oarlock::cli
