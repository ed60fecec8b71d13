// Merges groups of a grouped convolution, so that each group has as many input channels as a block
// of ONNX Runtime's blocked layout (NCHWc). ONNX Runtime computes convolutions with smaller groups
// in another layout, at less than half of the speed, and converts their inputs and results.
//
// The filters of merged groups are zero for the input channels of other groups, so results are the
// same for finite inputs.
#include <map>
#include <optional>

#include "onnx/model.h"
#include "onnx/passes/unique_names.h"

namespace oarlock::onnx {
namespace {

// With more groups in one, the products with zero take longer than the blocked layout saves.
constexpr std::int64_t kMaxMergedGroups = 4;

std::string bytes_of_ints(const Ints& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

class GroupMerger {
 public:
  GroupMerger(Graph& graph, std::int64_t block_size)
      : graph_(graph), block_size_(block_size), unique_names_(graph) {
    for (const Initializer& initializer : graph.initializers)
      shapes_of_float_weights_.emplace(
          initializer.name, initializer.dtype == DType::float32 ? initializer.shape : Ints{});
  }

  void merge_groups() {
    std::vector<Node> nodes;
    for (Node& node : graph_.nodes) {
      if (std::int64_t* group = find_group(node))
        if (auto factor = find_merge_factor(node, *group)) {
          node.inputs[1] = merged_filters(nodes, node.inputs[1], *group, *factor);
          *group /= *factor;
        }
      nodes.push_back(std::move(node));
    }
    graph_.nodes = std::move(nodes);
  }

 private:
  static std::int64_t* find_group(Node& node) {
    if (node.op != "Conv" || !node.domain.empty()) return nullptr;
    for (auto& [key, attr] : node.attrs)
      if (key == "group") return std::get_if<std::int64_t>(&attr);
    return nullptr;
  }

  // The number of groups to merge into one; nullopt if merging is not possible or of no use.
  std::optional<std::int64_t> find_merge_factor(const Node& node, std::int64_t groups) const {
    auto found = shapes_of_float_weights_.find(node.inputs[1]);
    if (found == shapes_of_float_weights_.end() || found->second.size() != 4) return std::nullopt;
    std::int64_t filters = found->second[0], channels = found->second[1];
    if (groups < 2 || channels < 2 || channels >= block_size_ || block_size_ % channels != 0 ||
        filters % groups != 0)
      return std::nullopt;
    std::int64_t factor = block_size_ / channels;
    bool fills_blocks = filters / groups * factor % block_size_ == 0;
    if (factor > kMaxMergedGroups || groups % factor != 0 || !fills_blocks) return std::nullopt;
    return factor;
  }

  // Appends nodes that compute the filters of the merged groups from constants, which ONNX Runtime
  // does once, when it creates the session; returns the name of the result.
  std::string merged_filters(std::vector<Node>& nodes, const std::string& filters,
                             std::int64_t groups, std::int64_t factor) {
    auto [entry, is_new] = merged_.try_emplace({filters, groups});
    if (!is_new) return entry->second;
    const Ints& shape = shapes_of_float_weights_.at(filters);
    std::string mask(static_cast<std::size_t>(shape[0] * factor), '\0');
    for (std::int64_t filter = 0; filter < shape[0]; ++filter) {
      std::int64_t group = filter / (shape[0] / groups);
      mask[static_cast<std::size_t>(filter * factor + group % factor)] = 1;
    }
    auto add = [&](const char* suffix, DType dtype, Ints dims, std::string bytes) {
      graph_.initializers.push_back(
          {unique_names_.make(filters + suffix), dtype, std::move(dims), std::move(bytes)});
      return graph_.initializers.back().name;
    };
    auto reshape = [&](const std::string& value, const char* suffix, const Ints& dims) {
      std::string sizes = add(suffix, DType::int64, {static_cast<std::int64_t>(dims.size())},
                              bytes_of_ints(dims)),
                  result = unique_names_.make(filters + suffix);
      nodes.push_back({"Reshape", "", "", {value, sizes}, {result}, {}});
      return result;
    };
    std::string is_own = add("/is_own", DType::boolean, {shape[0], factor, 1, 1, 1}, mask),
                zero = add("/zero", DType::float32, {}, std::string(4, '\0')),
                own = reshape(filters, "/own", {shape[0], 1, shape[1], shape[2], shape[3]}),
                padded = unique_names_.make(filters + "/padded");
    nodes.push_back({"Where", "", "", {is_own, own, zero}, {padded}, {}});
    entry->second = reshape(padded, "/merged", {shape[0], shape[1] * factor, shape[2], shape[3]});
    return entry->second;
  }

  Graph& graph_;
  std::int64_t block_size_;
  UniqueNames unique_names_;
  std::map<std::string, Ints, std::less<>> shapes_of_float_weights_;
  std::map<std::pair<std::string, std::int64_t>, std::string> merged_;
};

}  // namespace

void merge_convolution_groups(Graph& graph, std::int64_t block_size) {
  GroupMerger(graph, block_size).merge_groups();
}

}  // namespace oarlock::onnx
