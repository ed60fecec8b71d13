#include "convert/registry.h"

#include <algorithm>
#include <map>

namespace oarlock {
namespace {

using Index = std::map<std::string_view, std::vector<const Rule*>>;

// Every table, by hand.
Index build_index() {
  Index index;
  for (auto table :
       {activation_rules(),    box_moves_rules(),     arrange_rules(),   closeness_rules(),
        compare_rules(),       complex_rules(),       control_rules(),   conv_rules(),
        create_rules(),        crop_rules(),          decode_rules(),    deform_rules(),
        detection_rules(),     diagonal_rules(),      distance_rules(),  elementwise_rules(),
        features_rules(),      fused_rules(),         grid_rules(),      index_rules(),
        interp_rules(),        join_rules(),          linalg_rules(),    loss_rules(),
        loss_v1_rules(),       math_rules(),          matmul_rules(),    nms_rules(),
        norm_rules(),          pad_rules(),           pairs_rules(),     pick_rules(),
        pool_rules(),          priors_rules(),        proposals_rules(), psroi_rules(),
        quantize_rules(),      random_rules(),        recurrent_rules(), reduce_rules(),
        rnn_packed_rules(),    rnn_rules(),           rnn_steps_rules(), roi_rules(),
        scan_rules(),          search_rules(),        segment_rules(),   select_rules(),
        sequence_math_rules(), sequence_rows_rules(), set_value_rules(), shape_rules(),
        slice_rules(),         special_rules(),       unfold_rules()})
    for (const Rule& rule : table) index[rule.paddle].push_back(&rule);
  return index;
}

const Index& index() {
  static const Index built = build_index();
  return built;
}

}  // namespace

const Rule* find_rule(std::string_view paddle, int opset) {
  auto forms = index().find(paddle);
  if (forms == index().end()) return nullptr;
  const Rule* best = nullptr;
  for (const Rule* rule : forms->second)
    if (rule->since <= opset && (!best || rule->since > best->since)) best = rule;
  return best;
}

const Rule* find_rule_for_complex(std::string_view paddle) {
  for (const Rule& rule : rules_for_complex())
    if (rule.paddle == paddle) return &rule;
  return nullptr;
}

const Facts& facts_of(std::string_view paddle) {
  static const Facts usual;
  auto forms = index().find(paddle);
  return forms == index().end() ? usual : forms->second[0]->facts;
}

int first_opset(std::string_view paddle) {
  auto forms = index().find(paddle);
  if (forms == index().end()) return 0;
  int first = forms->second[0]->since;
  for (const Rule* rule : forms->second) first = std::min(first, rule->since);
  return first;
}

std::vector<std::string_view> rule_names() {
  std::vector<std::string_view> names;
  for (auto& [name, forms] : index()) names.push_back(name);
  for (const Rule& rule : rules_for_complex())
    if (!index().count(rule.paddle)) names.push_back(rule.paddle);
  std::sort(names.begin(), names.end());
  return names;
}

Lower as(std::string_view onnx, std::initializer_list<std::string_view> slots,
         std::initializer_list<Renamed> attrs) {
  return [onnx, slots = std::vector(slots), attrs = std::vector(attrs)](Node& n) {
    Values in;
    for (auto slot : slots) in.push_back(n.in(slot));
    Node::Attrs given;
    for (const Renamed& r : attrs)
      given.emplace_back(
          r.to, std::visit([&](auto& d) -> onnx::Attr { return n.attr(r.from, d); }, r.otherwise));
    n.out("Out", n.emit(onnx, in, given));
  };
}

}  // namespace oarlock
