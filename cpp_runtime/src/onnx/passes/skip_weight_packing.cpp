// Weights that are not worth packing: the engine copies the weights of each product into another
// order when it starts, which for the last layer of a network for pictures takes longer than all
// else and makes its runs no faster.
#include <map>

#include "base/wire_reader.h"
#include "onnx/model.h"
#include "onnx/wire_writer.h"

namespace oarlock::onnx {
namespace {

constexpr std::size_t kShare =
    8;  // only where products have at most one part of so many of all weights
constexpr std::int64_t kFloat = 1;

struct Weight {
  Ints dims;
  std::int64_t dtype = 0;
  bool only_multiplied = true;
  bool multiplied = false;

  std::size_t elements() const {
    std::size_t count = 1;
    for (std::int64_t d : dims) count *= static_cast<std::size_t>(d);
    return count;
  }
  bool may_stay() const {
    return multiplied && only_multiplied && dtype == kFloat && dims.size() == 2;
  }
};

struct Scan {
  std::map<std::string, Weight, std::less<>> weights;
  bool has_graphs = false;  // inside of nodes, which may read weights too

  void initializer(Wire w) {
    std::string name;
    Weight weight;
    while (w.next()) {
      if (w.field() == 1)
        w.each_int64([&](std::int64_t d) { weight.dims.push_back(d); });
      else if (w.field() == 2)
        weight.dtype = w.int64();
      else if (w.field() == 8)
        name = w.string();
      else
        w.skip();
    }
    weights[name] = weight;
  }

  void node(Wire w) {
    std::string type;
    std::vector<std::string_view> inputs;
    while (w.next()) {
      if (w.field() == 1)
        inputs.push_back(w.bytes());
      else if (w.field() == 4)
        type = w.string();
      else if (w.field() == 5)
        attribute(w.sub("attribute"));
      else
        w.skip();
    }
    bool multiplies =
        type == "Gemm" || type == "MatMul" || type == "FusedGemm" || type == "FusedMatMul";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto found = weights.find(inputs[i]);
      if (found == weights.end()) continue;
      if (multiplies && i == 1)
        found->second.multiplied = true;
      else
        found->second.only_multiplied = false;
    }
  }

  void attribute(Wire w) {
    for (; w.next(); w.skip()) has_graphs |= w.field() == 6 || w.field() == 11;
  }
};

Scan scan(const Source& source, std::string_view model) {
  Scan found;
  for (int what : {5, 1})  // initializers, then nodes: they come in any order
    for (Wire outer(source, model, "model"); outer.next();) {
      if (outer.field() != 7) {
        outer.skip();
        continue;
      }
      for (Wire graph = outer.sub("graph"); graph.next();) {
        if (graph.field() != static_cast<std::uint32_t>(what))
          graph.skip();
        else
          what == 5 ? found.initializer(graph.sub("initializer")) : found.node(graph.sub("node"));
      }
    }
  return found;
}

void input(WireWriter& w, const std::string& name, const Weight& weight) {
  w.message(11, [&] {
    w.bytes(1, name);
    w.message(2, [&] {
      w.message(1, [&] {
        w.int64(1, weight.dtype);
        w.message(2, [&] {
          for (std::int64_t d : weight.dims) w.message(1, [&] { w.int64(1, d); });
        });
      });
    });
  });
}

}  // namespace

std::string without_packing(std::string model) {
  Scan found = scan({"the graph to keep", model.data()}, model);
  std::size_t all = 0, products = 0;
  bool some = false;
  for (const auto& [name, weight] : found.weights) {
    all += weight.elements();
    if (weight.multiplied) products += weight.elements();
    some |= weight.may_stay();
  }
  if (!some || found.has_graphs || products * kShare > all) return model;
  WireWriter w;
  w.message(7, [&] {
    for (const auto& [name, weight] : found.weights)
      if (weight.may_stay()) input(w, name, weight);
  });
  return model + w.take();
}

}  // namespace oarlock::onnx
