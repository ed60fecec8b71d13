#include "paddle/validator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/poll_callback.h"
#include "base/utf8.h"
#include "oarlock/error.h"
#include "paddle/contract_reader.h"
#include "paddle/op_attr_checks.h"
#include "paddle/output_tree_check.h"

namespace oarlock {
namespace {

// Limits far above those of real models; docs/attacks.md lists them.
constexpr std::size_t kMaxBlocks = 4096;
constexpr std::size_t kMaxVars = 1 << 20;
constexpr std::size_t kMaxOps = 1 << 20;
constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxDimName = 64;
constexpr std::int64_t kMaxDimSize = std::numeric_limits<std::int32_t>::max();
constexpr int kMaxBlockDepth = 64;  // of nested blocks; the same limit as in ir/verifier.py

struct Validator {
  Program& program;
  std::vector<const OpDesc*> block_owners =
      std::vector<const OpDesc*>(program.blocks.size());  // the op that runs each block

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, program.name + ": " + why);
  }
  void require(bool ok, const std::string& why) const {
    if (!ok) fail(why);
  }

  void check_name(const std::string& text, const char* what) const {
    require(text.size() <= kMaxName,
            std::string(what) + " name of " + std::to_string(text.size()) + " bytes");
    require(is_utf8_without_control_characters(text),
            std::string(what) + " name is not clean UTF-8");
  }

  void check_shape(const Ints& dims, const std::string& of) const {
    require(std::cmp_less_equal(dims.size(), kMaxRank),
            of + " has rank " + std::to_string(dims.size()) + " (the most is 32)");
    std::int64_t count = 1;
    for (std::int64_t d :
         dims) {  // Paddle also writes negative products of unknown dims: -12 is as unknown as -1
      std::int64_t factor = std::max<std::int64_t>(d, 1);
      require(count <= std::numeric_limits<std::int64_t>::max() / 16 / factor,
              of + " has more elements than fit");
      count *= factor;
    }
  }

  void check_and_fill_variable_index(Block& block) const {
    for (std::size_t i = 0; i < block.vars.size(); ++i) {
      const VarDesc& v = block.vars[i];
      check_name(v.name, "variable");
      require(block.index.emplace(v.name, i).second,
              "variable '" + v.name + "' declared twice in block " + std::to_string(block.idx));
      check_shape(v.shape, "variable '" + v.name + "'");
      bool typed =
          v.kind == VarKind::dense || v.kind == VarKind::array || v.kind == VarKind::selected_rows;
      if (typed && v.dtype != DType::none)
        require(find_dtype_row(v.dtype) ||
                    static_cast<int>(v.dtype) == 19,  // SIZE_T, written by very old versions
                "variable '" + v.name + "' has unknown dtype " +
                    std::to_string(static_cast<int>(v.dtype)));
    }
  }

  void check_block_headers() const {
    require(!program.blocks.empty(), "the program has no block");
    require(program.blocks.size() <= kMaxBlocks, std::to_string(program.blocks.size()) + " blocks");
    std::size_t vars = 0, ops = 0;
    std::vector<int> depth;
    for (std::size_t i = 0; i < program.blocks.size(); ++i) {
      const Block& block = program.blocks[i];
      std::string which = "block " + std::to_string(i);
      require(block.idx == static_cast<std::int32_t>(i),
              which + " calls itself " + std::to_string(block.idx));
      // The index of a block's parent is less than its own, so that parents cannot form a cycle.
      require(i == 0 ? block.parent == -1 : block.parent >= 0 && block.parent < block.idx,
              which + " has parent " + std::to_string(block.parent));
      depth.push_back(i == 0 ? 1 : depth[static_cast<std::size_t>(block.parent)] + 1);
      require(depth.back() <= kMaxBlockDepth,
              which + " is nested more than " + std::to_string(kMaxBlockDepth) + " deep");
      vars += block.vars.size(), ops += block.ops.size();
    }
    require(vars <= kMaxVars, std::to_string(vars) + " variables");
    require(ops <= kMaxOps, std::to_string(ops) + " ops");
  }

  void check_operands(const OpDesc& op, const Slots& slots, std::int32_t block,
                      std::string_view holder) const {
    for (auto& [slot, names] : slots) {
      check_name(slot, "slot");
      if (slot == holder) continue;  // the holder variables of feed and fetch need no declaration
      for (const std::string& n : names)
        require(n.empty() || n == "@EMPTY@" || program.find_var(n, block),
                op.type + ": " + slot + " names '" + n + "', which block " + std::to_string(block) +
                    " and those around it do not declare");
    }
  }

  // Whether an op of block `block` may run block `index`: a child of `block`, or for a gradient op
  // a child of the forward block.
  bool may_run_block(const OpDesc& op, std::int64_t index, std::int32_t block) const {
    if (index <= 0 || index >= static_cast<std::int64_t>(program.blocks.size())) return false;
    std::int32_t parent = program.blocks[index].parent;
    return parent == block ||
           (op.type.ends_with("_grad") && parent > 0 && program.blocks[parent].parent == block);
  }

  // Records `op` as the only op that runs block `index`; fails if the block is not a child of
  // `block`, or if another op runs it already.
  void check_and_claim_sub_block(const OpDesc& op, const std::string& attr, std::int64_t index,
                                 std::int32_t block) {
    require(may_run_block(op, index, block),
            op.type + ": attribute '" + attr + "' names block " + std::to_string(index) +
                ", which is not a child of block " + std::to_string(block));
    auto& owner = block_owners[static_cast<std::size_t>(index)];
    require(!owner, op.type + ": attribute '" + attr + "' names block " + std::to_string(index) +
                        ", which " + (owner ? owner->type : "") + " already runs");
    owner = &op;
  }

  void check_op(const OpDesc& op, std::int32_t block) {
    check_name(op.type, "op type");
    check_operands(op, op.inputs, block, op.type == "feed" ? "X" : "");
    check_operands(op, op.outputs, block, op.type == "fetch" ? "Out" : "");
    for (auto& [attr, value] : op.attrs) {
      check_name(attr, "attribute");
      require(attr != "sub_block" || value.type == AttrType::BLOCK,
              op.type + ": attribute 'sub_block' is a " + std::string(attr_type_name(value.type)));
      if (value.type == AttrType::BLOCK)
        check_and_claim_sub_block(op, attr, std::get<std::int64_t>(value.value), block);
      if (value.type == AttrType::BLOCKS)
        for (std::int64_t index : std::get<Ints>(value.value))
          check_and_claim_sub_block(op, attr, index, block);
      std::string problem = find_attr_type_or_range_problem(op.type, attr, value);
      require(problem.empty(),
              op.type + ": " + problem + (op.location.empty() ? "" : "\n  at " + op.location));
    }
    bool is_feed_or_fetch = op.type == "feed" || op.type == "fetch";
    require(!is_feed_or_fetch || block == 0, op.type + ": is in block " + std::to_string(block) +
                                                 ", only the first may feed and fetch");
  }

  void check_feed_or_fetch_columns(std::string_view type, const Slots OpDesc::* side,
                                   std::string_view slot) const {
    std::set<std::int64_t> seen;
    std::int64_t count = 0;
    for (const OpDesc& op : program.blocks[0].ops) {
      if (op.type != type) continue;
      ++count;
      auto found = (op.*side).find(slot);
      require(found != (op.*side).end() && found->second.size() == 1,
              op.type + ": needs exactly one variable in " + std::string(slot));
      require(seen.insert(int_attr(op, "col", -1)).second,
              op.type + ": column " + std::to_string(int_attr(op, "col", -1)) + " given twice");
    }
    require(seen.empty() || (*seen.begin() == 0 && *seen.rbegin() == count - 1),
            std::string(type) + ": the columns are not 0 to " + std::to_string(count - 1));
  }

  void check_contract_inputs_or_outputs(const std::vector<ContractInputOrOutput>& args,
                                        const Strings& names, const char* what) const {
    require(args.size() == names.size(), std::string("the contract does not list the ") + what);
    for (std::size_t i = 0; i < args.size(); ++i) {
      const ContractInputOrOutput& arg = args[i];
      check_name(arg.name, "contract argument");
      require(arg.name == names[i], "contract: '" + arg.name + "' is listed in the " + what +
                                        ", but the program has '" + names[i] + "'");
      check_shape(arg.shape, "contract argument '" + arg.name + "'");
      require(find_dtype_row(arg.dtype) && arg.dtype <= DType::complex128,
              "contract argument '" + arg.name + "' has an unknown dtype");
    }
  }

  static bool is_valid_dim_name(const std::string& name) {
    auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && name.size() <= kMaxDimName && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  }

  static bool is_valid_range(const DimRange& r) {
    return r.min >= 0 && r.min <= kMaxDimSize && r.max >= 0 && r.max <= kMaxDimSize &&
           r.multiple >= 1 && r.multiple <= kMaxDimSize &&
           r.smallest_size() <= (r.max == 0 ? kMaxDimSize : r.largest_size());
  }

  // Checks that only dynamic dimensions of inputs have names, and that dimensions of one name have
  // the same range.
  void check_named_dims(const Contract& c) const {
    for (const ContractInputOrOutput& arg : c.outputs)
      require(arg.named_dims.empty(), "contract: output '" + arg.name +
                                          "' has names of dimensions, which only inputs have");
    std::map<std::string_view, DimRange> ranges;
    for (const ContractInputOrOutput& arg : c.inputs) {
      const Ints& declared = program.find_var(arg.name)->shape;
      std::set<std::int64_t> axes;
      for (const NamedDim& dim : arg.named_dims) {
        std::string of = "contract: dimension " + std::to_string(dim.axis) + " of input '" +
                         arg.name + "' has a name, but ";
        auto is_dynamic = [&](const Ints& shape) {
          return dim.axis >= 0 && dim.axis < static_cast<std::int64_t>(shape.size()) &&
                 shape[static_cast<std::size_t>(dim.axis)] < 0;
        };
        require(is_dynamic(arg.shape) && is_dynamic(declared), of + "is not dynamic");
        require(axes.insert(dim.axis).second, of + "has two");
        require(is_valid_dim_name(dim.name),
                of + "that is not an identifier of up to 64 characters");
        require(is_valid_range(dim.range), of + "its range contains no size, or is out of range");
        require(ranges.emplace(dim.name, dim.range).first->second == dim.range,
                of + "'" + dim.name + "' has another range elsewhere");
      }
    }
    bool has_dims = !ranges.empty();
    require(has_dims == (c.version == kContractVersionWithDims),
            "contract of version " + std::to_string(c.version) + (has_dims ? " with" : " without") +
                " names of dimensions");
  }

  void check_contract(const Contract& c) const {
    require(c.version == kContractVersion || c.version == kContractVersionWithDims,
            "contract of version " + std::to_string(c.version) + ", this runtime reads versions " +
                std::to_string(kContractVersion) + " and " +
                std::to_string(kContractVersionWithDims));
    check_contract_inputs_or_outputs(c.inputs, program.feed_names(), "inputs");
    check_contract_inputs_or_outputs(c.outputs, program.fetch_names(), "outputs");
    check_named_dims(c);
    std::string problem = find_output_tree_problem(c.output_tree, c.outputs.size());
    require(problem.empty(), "contract: the output tree " + problem);
    for (const Guard& g : c.guards) {
      require(g.kind == "dim" || g.kind == "rank" || g.kind == "value",
              "guard of unknown kind '" + g.kind + "'");
      require(program.find_var(g.var),
              "guard on '" + g.var + "', which the first block does not declare");
      require(g.axis >= 0 && g.axis < kMaxRank, "guard on axis " + std::to_string(g.axis));
    }
  }
};

}  // namespace

std::optional<std::int64_t> element_count(const Ints& shape) {
  std::int64_t count = 1;
  for (std::int64_t d : shape)
    if (d < 0 || __builtin_mul_overflow(count, d, &count)) return std::nullopt;
  return count;
}

void validate_and_fill_variable_indices(Program& program) {
  Validator validator{program};
  validator.check_block_headers();
  for (Block& block : program.blocks) validator.check_and_fill_variable_index(block);
  for (const Block& block : program.blocks)
    for (const OpDesc& op : block.ops)
      call_poll_callback_if_due(), validator.check_op(op, block.idx);
  validator.check_feed_or_fetch_columns("feed", &OpDesc::outputs, "Out");
  validator.check_feed_or_fetch_columns("fetch", &OpDesc::inputs, "X");
  if (program.contract) validator.check_contract(*program.contract);
}

}  // namespace oarlock
