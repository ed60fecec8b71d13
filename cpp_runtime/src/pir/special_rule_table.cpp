#include "pir/special_rule_table.h"

#include <algorithm>

namespace oarlock::pir {

Rule find_special_rule(Dialect dialect, std::string_view name) {
  static const auto rules = [] {
    std::map<std::pair<Dialect, std::string_view>, Rule> all;
    for (auto group : {input_output_and_list_rules(), constant_rules(), control_flow_rules(),
                       tensor_array_rules(), composite_rules()})
      for (const SpecialRule& row : group) all.emplace(std::pair(row.dialect, row.name), row.rule);
    return all;
  }();
  auto found = rules.find({dialect, name});
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace oarlock::pir
