// Translation rules written as code, for operations that the table in op_table.h cannot describe;
// grouped by file.
#pragma once
#include <span>

#include "pir/translator.h"

namespace oarlock::pir {

struct SpecialRule {
  Dialect dialect;
  std::string_view name;
  Rule rule;
};

std::span<const SpecialRule> input_output_and_list_rules();
std::span<const SpecialRule> constant_rules();
std::span<const SpecialRule> control_flow_rules();
std::span<const SpecialRule> tensor_array_rules();
std::span<const SpecialRule> composite_rules();

}  // namespace oarlock::pir
