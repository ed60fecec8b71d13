// Concatenates the sequences that loops append to in chunks.
//
// A loop that appends a tensor to a sequence in each iteration takes quadratic time in ONNX Runtime
// (1.32), because SequenceInsert copies the references to all elements. If the sequence is only
// concatenated after the loop, an outer loop runs up to kChunk iterations of the loop at a time
// with a short sequence, and appends the concatenated elements to the sequence:
//
//   sequence, states = Loop(condition, empty, states) { ... SequenceInsert(sequence, x) ... }
//   result = ConcatFromSequence(sequence)
//
// becomes
//
//   sequence, states = Loop(condition, empty, states) {
//     chunk, states, condition = Loop(kChunk, condition, empty, states, condition) { ... }
//     SequenceInsert(sequence, ConcatFromSequence(chunk))
//   }
//   result = ConcatFromSequence(sequence)
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "onnx/model.h"
#include "onnx/passes/unique_names.h"

namespace oarlock::onnx {
namespace {

// Iterations of an inner loop. A short sequence is cheap to copy, and the start of an inner loop
// takes as long as about one iteration.
constexpr std::int64_t kChunk = 128;

constexpr std::size_t kNumLoopInputsBeforeStates = 2;   // trip count and condition
constexpr std::size_t kNumBodyInputsBeforeStates = 2;   // iteration and condition
constexpr std::size_t kNumBodyOutputsBeforeStates = 1;  // condition

using NodesByName = std::map<std::string, Node*, std::less<>>;

// A state of a loop that is a sequence which can be built from chunks. state: its position among
// the states; empty: the SequenceEmpty that makes the initial value; concat: the node that reads
// the final value.
struct AppendedSequence {
  std::size_t state;
  const Node* empty;
  Node* concat;
};

// The parts of the body of an outer loop.
struct OuterBody {
  std::shared_ptr<Graph> graph;
  Node inner_loop;
  std::vector<Node> nodes_after_loop;
};

Graph* find_body(const Node& loop) {
  for (const auto& [key, attr] : loop.attrs)
    if (key == "body") return std::get<std::shared_ptr<Graph>>(attr).get();
  return nullptr;
}

const Node* find_producer(const Graph& graph, const std::string& name) {
  for (const Node& node : graph.nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end())
      return &node;
  return nullptr;
}

bool is_output(const Graph& graph, const std::string& name) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const ValueInfo& output) { return output.name == name; });
}

// Whether a value is an initializer or the result of a node of a graph, which the enclosing graphs
// cannot read.
bool is_defined_in(const Graph& graph, const std::string& name) {
  return find_producer(graph, name) ||
         std::any_of(graph.initializers.begin(), graph.initializers.end(),
                     [&](const Initializer& constant) { return constant.name == name; });
}

class LoopChunker {
 public:
  explicit LoopChunker(const Graph& main) : unique_names_(main) { count_reads(main); }

  void rewrite_loops(Graph& graph) {
    NodesByName producers, readers;
    for (Node& node : graph.nodes) {
      for (auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) rewrite_loops(**inner);
      for (const std::string& name : node.outputs) producers.emplace(name, &node);
      for (const std::string& name : node.inputs) readers.emplace(name, &node);
    }
    for (Node& node : graph.nodes) {
      if (node.op != "Loop") continue;
      auto sequences = find_appended_sequences(node, producers, readers);
      if (!sequences.empty()) split_into_chunks(node, sequences);
    }
  }

 private:
  // Counts how often each name is read, in a graph and its inner graphs. A name that sibling graphs
  // use for different values has the sum of their counts.
  void count_reads(const Graph& graph) {
    for (const ValueInfo& output : graph.outputs) ++num_reads_[output.name];
    for (const Node& node : graph.nodes) {
      for (const std::string& name : node.inputs) ++num_reads_[name];
      for (const auto& [key, attr] : node.attrs)
        if (auto* inner = std::get_if<std::shared_ptr<Graph>>(&attr)) count_reads(**inner);
    }
  }

  bool is_read_once(const std::string& name) const {
    auto found = num_reads_.find(name);
    return found != num_reads_.end() && found->second == 1;
  }

  // Whether the only use of a state in the body is an append.
  bool only_appends_to_state(const Graph& body, std::size_t state) const {
    const std::string& before = body.inputs[kNumBodyInputsBeforeStates + state].name;
    const std::string& after = body.outputs[kNumBodyOutputsBeforeStates + state].name;
    return is_read_once(before) && is_read_once(after) &&
           std::any_of(body.nodes.begin(), body.nodes.end(), [&](const Node& node) {
             return node.op == "SequenceInsert" && node.inputs.size() == 2 &&
                    node.inputs[0] == before && node.outputs[0] == after;
           });
  }

  std::vector<AppendedSequence> find_appended_sequences(const Node& loop,
                                                        const NodesByName& producers,
                                                        const NodesByName& readers) const {
    std::vector<AppendedSequence> sequences;
    const Graph& body = *find_body(loop);
    bool reads_iteration = num_reads_.contains(body.inputs[0].name);
    bool has_condition_only = loop.inputs[0].empty() && !loop.inputs[1].empty();
    bool has_scan_outputs = loop.outputs.size() + kNumLoopInputsBeforeStates > loop.inputs.size();
    if (reads_iteration || !has_condition_only || has_scan_outputs) return {};
    for (std::size_t state = 0; state < loop.outputs.size(); ++state) {
      auto empty = producers.find(loop.inputs[kNumLoopInputsBeforeStates + state]);
      auto concat = readers.find(loop.outputs[state]);
      if (empty != producers.end() && empty->second->op == "SequenceEmpty" &&
          concat != readers.end() && concat->second->op == "ConcatFromSequence" &&
          is_read_once(loop.outputs[state]) && only_appends_to_state(body, state))
        sequences.push_back({state, empty->second, concat->second});
    }
    return sequences;
  }

  void split_into_chunks(Node& loop, const std::vector<AppendedSequence>& sequences) {
    const Graph& body = *find_body(loop);
    OuterBody outer{std::make_shared<Graph>(), {}, {}};
    Graph& graph = *outer.graph;
    graph.name = unique_names_.make(body.name + "/chunks");
    graph.inputs = with_new_names(body.inputs);
    graph.outputs = with_new_names(body.outputs);
    add_inner_loop(loop, outer);
    for (const AppendedSequence& sequence : sequences) append_chunk(sequence, loop, outer);
    graph.nodes.push_back(std::move(outer.inner_loop));
    graph.nodes.insert(graph.nodes.end(), std::make_move_iterator(outer.nodes_after_loop.begin()),
                       std::make_move_iterator(outer.nodes_after_loop.end()));
    for (auto& [key, attr] : loop.attrs)
      if (key == "body") attr = outer.graph;
  }

  ValueInfo with_new_name(ValueInfo info) {
    info.name = unique_names_.make(info.name);
    return info;
  }

  std::vector<ValueInfo> with_new_names(std::vector<ValueInfo> infos) {
    for (ValueInfo& info : infos) info = with_new_name(std::move(info));
    return infos;
  }

  // Creates the inner loop, which runs at most kChunk iterations. The condition is an additional
  // state, because the outer loop reads it.
  void add_inner_loop(const Node& loop, OuterBody& outer) {
    const Graph& graph = *outer.graph;
    auto body = std::make_shared<Graph>(*find_body(loop));
    Node condition = split_off_condition(*body);
    body->inputs.push_back(with_new_name({"condition", DType::boolean, {}, {}, false}));
    body->outputs.push_back({condition.inputs[0], DType::boolean, {}, {}, false});
    Node& inner = outer.inner_loop = {
        "Loop", "", loop.name, {add_chunk_size(*outer.graph)}, {}, {{"body", body}}};
    for (std::size_t i = 1; i < graph.inputs.size(); ++i)
      inner.inputs.push_back(graph.inputs[i].name);
    inner.inputs.push_back(graph.inputs[1].name);
    for (std::size_t i = 1; i < graph.outputs.size(); ++i)
      inner.outputs.push_back(graph.outputs[i].name);
    inner.outputs.push_back(unique_names_.make(condition.inputs[0]));
    condition.inputs[0] = inner.outputs.back();
    condition.outputs[0] = condition.name = graph.outputs[0].name;
    outer.nodes_after_loop.push_back(std::move(condition));
  }

  // Returns a node that computes the condition of the body from a value that becomes an output of
  // the body: a copy of the body's Reshape if the condition is one, else an Identity. Reshape is
  // preferred, because an Identity in each iteration makes loops with short bodies slower.
  Node split_off_condition(Graph& body) {
    const std::string name = body.outputs[0].name;
    const Node* reshape = find_producer(body, name);
    if (reshape && reshape->op == "Reshape" && find_producer(body, reshape->inputs[0]) &&
        !is_output(body, reshape->inputs[0]) && !is_defined_in(body, reshape->inputs[1]))
      return *reshape;
    std::string copy = unique_names_.make(name);
    body.nodes.push_back({"Identity", "", copy, {name}, {copy}, {}});
    return {"Identity", "", "", {copy}, {""}, {}};
  }

  std::string add_chunk_size(Graph& graph) {
    std::string name = unique_names_.make("int64:" + std::to_string(kChunk));
    std::string bytes(sizeof kChunk, '\0');
    std::memcpy(bytes.data(), &kChunk, sizeof kChunk);
    graph.initializers.push_back({name, DType::int64, {}, bytes, false, 0, 0});
    return name;
  }

  // Makes the inner loop start with an empty sequence, and the outer body append the concatenated
  // elements to its own sequence.
  void append_chunk(const AppendedSequence& sequence, const Node& loop, OuterBody& outer) {
    const std::string& name = loop.outputs[sequence.state];
    std::string empty = unique_names_.make(name + "/empty"),
                chunk = unique_names_.make(name + "/chunk"),
                concatenated = unique_names_.make(name + "/joined");
    const std::string &before =
                          outer.graph->inputs[kNumBodyInputsBeforeStates + sequence.state].name,
                      &after =
                          outer.graph->outputs[kNumBodyOutputsBeforeStates + sequence.state].name;
    outer.inner_loop.inputs[kNumLoopInputsBeforeStates + sequence.state] = empty;
    outer.inner_loop.outputs[sequence.state] = chunk;
    outer.graph->nodes.push_back({"SequenceEmpty", "", empty, {}, {empty}, sequence.empty->attrs});
    outer.nodes_after_loop.push_back(
        {"ConcatFromSequence", "", concatenated, {chunk}, {concatenated}, sequence.concat->attrs});
    outer.nodes_after_loop.push_back(
        {"SequenceInsert", "", after, {before, concatenated}, {after}, {}});
    for (auto& [key, attr] : sequence.concat->attrs)
      if (key == "new_axis") attr = std::int64_t{0};
  }

  UniqueNames unique_names_;
  std::map<std::string, std::size_t, std::less<>> num_reads_;
};

}  // namespace

void concat_loop_sequences_in_chunks(Graph& graph) { LoopChunker(graph).rewrite_loops(graph); }

}  // namespace oarlock::onnx
