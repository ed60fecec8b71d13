// Turns weights of matrix products into inputs so that ONNX Runtime does not pack them.  Packing
// the last layer of an image network takes longer than the rest of session creation and does not
// make runs faster.
#include <map>

#include "base/wire_reader.h"
#include "base/wire_writer.h"
#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

constexpr std::size_t kMinWeightRatio = 8;  // products must hold at most 1/8 of all weights
constexpr std::int64_t kFloat = 1;

struct Weight {
  Ints dims;
  std::int64_t dtype = 0;
  bool is_only_product_operand = true;
  bool is_product_operand = false;

  std::size_t num_elements() const {
    std::size_t count = 1;
    for (std::int64_t d : dims) count *= static_cast<std::size_t>(d);
    return count;
  }
  bool can_skip_packing() const {
    return is_product_operand && is_only_product_operand && dtype == kFloat && dims.size() == 2;
  }
};

struct WeightUses {
  std::map<std::string, Weight, std::less<>> weights;
  bool has_subgraphs = false;  // subgraphs of nodes may read weights too

  void add_weight_from_initializer(WireReader w) {
    std::string name;
    Weight weight;
    while (w.next()) {
      if (w.field_number() == 1)
        w.for_each_int64([&](std::int64_t d) { weight.dims.push_back(d); });
      else if (w.field_number() == 2)
        weight.dtype = w.int64();
      else if (w.field_number() == 8)
        name = w.string();
      else
        w.skip();
    }
    weights[name] = weight;
  }

  void note_weight_uses_in_node(WireReader w) {
    std::string type;
    std::vector<std::string_view> inputs;
    while (w.next()) {
      if (w.field_number() == 1)
        inputs.push_back(w.bytes());
      else if (w.field_number() == 4)
        type = w.string();
      else if (w.field_number() == 5)
        note_subgraph_in_attribute(w.submessage("attribute"));
      else
        w.skip();
    }
    bool multiplies =
        type == "Gemm" || type == "MatMul" || type == "FusedGemm" || type == "FusedMatMul";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto found = weights.find(inputs[i]);
      if (found == weights.end()) continue;
      if (multiplies && i == 1)
        found->second.is_product_operand = true;
      else
        found->second.is_only_product_operand = false;
    }
  }

  void note_subgraph_in_attribute(WireReader w) {
    for (; w.next(); w.skip()) has_subgraphs |= w.field_number() == 6 || w.field_number() == 11;
  }
};

WeightUses collect_weight_uses(const WireSourceFile& source, std::string_view model) {
  WeightUses uses;
  for (int pass : {5, 1})  // initializers first: nodes and initializers come in any order
    for (WireReader outer(source, model, "model"); outer.next();) {
      if (outer.field_number() != 7) {
        outer.skip();
        continue;
      }
      for (WireReader graph = outer.submessage("graph"); graph.next();) {
        if (graph.field_number() != static_cast<std::uint32_t>(pass))
          graph.skip();
        else
          pass == 5 ? uses.add_weight_from_initializer(graph.submessage("initializer"))
                    : uses.note_weight_uses_in_node(graph.submessage("node"));
      }
    }
  return uses;
}

void write_graph_input(WireWriter& w, const std::string& name, const Weight& weight) {
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

std::string make_matmul_weights_inputs_if_minor_share(std::string model) {
  WeightUses uses = collect_weight_uses({"the graph to keep", model.data()}, model);
  std::size_t all_elements = 0, product_elements = 0;
  bool any_eligible = false;
  for (const auto& [name, weight] : uses.weights) {
    all_elements += weight.num_elements();
    if (weight.is_product_operand) product_elements += weight.num_elements();
    any_eligible |= weight.can_skip_packing();
  }
  if (!any_eligible || uses.has_subgraphs || product_elements * kMinWeightRatio > all_elements)
    return model;
  WireWriter w;
  w.message(7, [&] {
    for (const auto& [name, weight] : uses.weights)
      if (weight.can_skip_packing()) write_graph_input(w, name, weight);
  });
  return model + w.take_bytes();
}

}  // namespace oarlock::onnx
