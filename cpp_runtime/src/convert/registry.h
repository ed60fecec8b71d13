// Rules are rows.  Tables, one per family of ops, are listed by hand in rules.cpp: no static
// constructors, so nothing is lost when the archive is linked.  Of the forms of an op, the newest
// that is not above the target opset wins.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "convert/node_context.h"

namespace oarlock {

using Lower = std::function<void(Node&)>;

/// What else is true of an op, whatever form of it is lowered.
struct Facts {
  /// Paddle declares sizes that are wrong where it does not know the operands': it counts with -1
  /// as with a number, or takes the most that there can be for what there is.   What the op gives
  /// is inferred here.
  bool careless = false;
  /// Which results get the offsets of the first operand that has any: those that are declared as
  /// packed sequences; all, where the op only hands on what may not be declared; or none, where
  /// rows are not those of any operand.
  enum Offsets { as_declared, handed_on, none } offsets = as_declared;
  std::string_view from_zero = {};  // a slot of results that are never negative
};

struct Rule {
  std::string_view paddle;
  int since;  // the first ONNX opset this form is valid for
  Lower lower;
  Facts facts = {};
};

/// An attribute under another name.   otherwise: Paddle's default, which also fixes the type it
/// must have.
struct Renamed {
  std::string_view to, from;
  std::variant<std::int64_t, float, bool, std::string, Ints> otherwise;
};

/// The common case: the same op under another name, slots and attributes renamed, one output `Out`.
Lower as(std::string_view onnx, std::initializer_list<std::string_view> slots,
         std::initializer_list<Renamed> attrs = {});

/// The rule for `paddle` at `opset`, or null.
const Rule* find_rule(std::string_view paddle, int opset);

/// The rule for `paddle` where an operand is complex, or null.
const Rule* find_rule_for_complex(std::string_view paddle);

/// Those of the first form of `paddle` in the tables.
const Facts& facts_of(std::string_view paddle);

/// The first opset at which `paddle` has a rule; 0 where it has none at all.
int first_opset(std::string_view paddle);

/// Every op type that has a rule, sorted.
std::vector<std::string_view> rule_names();

std::span<const Rule> activation_rules();
std::span<const Rule> arrange_rules();
std::span<const Rule> box_moves_rules();
std::span<const Rule> closeness_rules();
std::span<const Rule> compare_rules();
std::span<const Rule> complex_rules();
std::span<const Rule> control_rules();
std::span<const Rule> conv_rules();
std::span<const Rule> create_rules();
std::span<const Rule> crop_rules();
std::span<const Rule> decode_rules();
std::span<const Rule> deform_rules();
std::span<const Rule> detection_rules();
std::span<const Rule> diagonal_rules();
std::span<const Rule> distance_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> features_rules();
std::span<const Rule> fused_rules();
std::span<const Rule> grid_rules();
std::span<const Rule> index_rules();
std::span<const Rule> interp_rules();
std::span<const Rule> join_rules();
std::span<const Rule> linalg_rules();
std::span<const Rule> loss_rules();
std::span<const Rule> loss_v1_rules();
std::span<const Rule> math_rules();
std::span<const Rule> matmul_rules();
std::span<const Rule> nms_rules();
std::span<const Rule> norm_rules();
std::span<const Rule> pad_rules();
std::span<const Rule> pairs_rules();
std::span<const Rule> pick_rules();
std::span<const Rule> pool_rules();
std::span<const Rule> priors_rules();
std::span<const Rule> proposals_rules();
std::span<const Rule> psroi_rules();
std::span<const Rule> quantize_rules();
std::span<const Rule> random_rules();
std::span<const Rule> recurrent_rules();
std::span<const Rule> reduce_rules();
std::span<const Rule> rnn_packed_rules();
std::span<const Rule> rnn_rules();
std::span<const Rule> rnn_steps_rules();
std::span<const Rule> roi_rules();
std::span<const Rule> scan_rules();
std::span<const Rule> search_rules();
std::span<const Rule> segment_rules();
std::span<const Rule> select_rules();
std::span<const Rule> sequence_math_rules();
std::span<const Rule> sequence_rows_rules();
std::span<const Rule> set_value_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> slice_rules();
std::span<const Rule> special_rules();
std::span<const Rule> unfold_rules();

/// What ops with complex operands become; the other tables know real ones only.
std::span<const Rule> rules_for_complex();

}  // namespace oarlock
