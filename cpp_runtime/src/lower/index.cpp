// Entries by their positions.
#include <algorithm>

#include "lower/operands.h"
#include "lower/rules.h"

namespace oarlock {
namespace {

// Whether a row of a weight holds zeros only.   False where it is not known.
bool zero_row(const Node& n, const Value& table, std::int64_t row) {
  auto content = n.constant(table);
  if (!content || content->shape.size() != 2 || row >= content->shape[0]) return false;
  auto size = static_cast<std::size_t>(content->shape[1]) * size_of(content->dtype);
  auto bytes = content->bytes.substr(static_cast<std::size_t>(row) * size, size);
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

// The row of `padding_idx` counts as zeros, whatever the table holds there.
Value looked_up(Node& n, const Value& table, const Value& ids) {
  auto rows = n.emit("Gather", {table, ids}, {{"axis", std::int64_t{0}}});
  auto padding = n.attr("padding_idx", -1);
  if (padding < 0 || zero_row(n, table, padding)) return rows;
  auto is_padding = n.unsqueeze(n.emit("Equal", {ids, n.scalar_like(static_cast<double>(padding), ids)}), {-1});
  return n.emit("Where", {is_padding, n.scalar(0, n.need_dtype(table)), rows});
}

void lookup(Node& n) { n.out("Out", looked_up(n, n.in("W"), n.in("Ids"))); }

// The first form wants ids of shape [..., 1], and drops that dim.
void lookup_column(Node& n) {
  auto ids = n.in("Ids");
  n.out("Out", looked_up(n, n.in("W"), n.squeeze(ids, {n.need_rank(ids) - 1})));
}

}  // namespace

std::span<const Rule> index_rules() {
  static const Rule rules[] = {
      {"lookup_table_v2", 9, lookup},
      {"lookup_table", 9, lookup_column},
  };
  return rules;
}

}  // namespace oarlock
