#include "runtime/row_splits.h"

#include <algorithm>

#include "oarlock/error.h"

namespace oarlock {
namespace {

// `<name>.lod`, or `<name>.lod.1` if the program has a variable of that name.
bool is_row_splits_name_of(std::string_view name, const std::string& rows) {
  std::string prefix = rows + ".lod";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return name.empty() || (name[0] == '.' && name.find_first_not_of("0123456789", 1) == name.npos);
}

}  // namespace

std::size_t row_splits_owner_index_or_size(const std::vector<TensorSpec>& specs,
                                           std::size_t index) {
  if (specs[index].offsets_of.empty()) return specs.size();
  auto it = std::find_if(specs.begin(), specs.end(),
                         [&](auto& s) { return s.name == specs[index].offsets_of; });
  return static_cast<std::size_t>(it - specs.begin());
}

void link_row_splits_outputs_to_owners(std::vector<TensorSpec>& outputs, std::size_t declared) {
  for (std::size_t i = declared; i < outputs.size(); ++i)
    for (std::size_t of = 0; of < declared; ++of)
      if (is_row_splits_name_of(outputs[i].name, outputs[of].name))
        outputs[i].offsets_of = outputs[of].name;
}

void check_row_splits_input_values(const std::vector<TensorSpec>& specs,
                                   std::span<const TensorView> inputs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::size_t of = row_splits_owner_index_or_size(specs, i);
    if (of == specs.size()) continue;
    if (!inputs[i].device.is_host())
      throw Error(ErrorCode::input,
                  "run: input '" + specs[i].name + "' with row splits must be in host memory");
    std::int64_t rows = inputs[of].shape.empty() ? 0 : inputs[of].shape[0];
    std::span offsets(static_cast<const std::int64_t*>(inputs[i].data),
                      static_cast<std::size_t>(inputs[i].shape[0]));
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows ||
        !std::ranges::is_sorted(offsets))
      throw Error(ErrorCode::input, "run: input '" + specs[i].name +
                                        "' must begin with 0, not fall, and end with the " +
                                        std::to_string(rows) + " rows of '" + specs[of].name + "'");
  }
}

}  // namespace oarlock
