#include "pir/to_program.h"

#include <unordered_set>

#include "base/wire_reader.h"
#include "oarlock/error.h"
#include "paddle/contract_reader.h"
#include "paddle/op_upgrade.h"
#include "paddle/validator.h"
#include "pir/reader.h"
#include "pir/translator.h"

namespace oarlock::pir {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;  // as of a `.pdmodel`

using Names = std::unordered_set<std::string>;

/// Removes the dead ops of a program: from the last op of each block to the first.
class DeadOpRemoval {
 public:
  explicit DeadOpRemoval(oarlock::Program& program) : program_(program) {}

  /// live: the variables that are read after the program.
  void run(Names live) { remove_from_block(0, live); }

 private:
  static bool has_side_effect(const OpDesc& op) {
    return op.type == "feed" || op.type == "fetch" || op.type == "print" || op.type == "assert";
  }

  bool block_has_side_effect(std::int64_t index) const {
    for (const OpDesc& op : program_.blocks[static_cast<std::size_t>(index)].ops)
      if (has_side_effect(op) ||
          (has_sub_block(op) && block_has_side_effect(int_attr(op, "sub_block", 0))))
        return true;
    return false;
  }

  bool is_live(const OpDesc& op, const Names& live) const {
    if (has_side_effect(op)) return true;
    if (has_sub_block(op) && block_has_side_effect(int_attr(op, "sub_block", 0))) return true;
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names)
        if (live.contains(name)) return true;
    return false;
  }

  void remove_from_block(std::int64_t index, Names& live) {
    auto& ops = program_.blocks[static_cast<std::size_t>(index)].ops;
    std::vector<OpDesc> kept;
    for (std::size_t i = ops.size(); i-- > 0;) {
      if (!is_live(ops[i], live)) continue;
      if (has_sub_block(ops[i]))
        remove_from_sub_block(ops[i], live);
      else
        remove_written_names_from_live(ops[i], live);
      for_each_directly_read_name(ops[i], [&](const std::string& name) { live.insert(name); });
      kept.push_back(std::move(ops[i]));
    }
    ops.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  // Removes the dead ops of an op's block. The variables that the op writes are live at the end of
  // the block, because the next iteration of a loop reads them.
  void remove_from_sub_block(const OpDesc& op, Names& live) {
    for (auto& [slot, names] : op.outputs) live.insert(names.begin(), names.end());
    for (const std::string& name : variable_names_in_slot(op.inputs, "Condition"))
      live.insert(name);
    Names live_in_block = live;  // the block may not run
    remove_from_block(int_attr(op, "sub_block", 0), live_in_block);
    live.merge(live_in_block);
  }

  // Removes the variables that `op` writes from `live`; a tensor array stays live, because
  // write_to_array writes only one of its elements.
  void remove_written_names_from_live(const OpDesc& op, Names& live) const {
    if (op.type == "write_to_array") return;
    for (auto& [slot, names] : op.outputs)
      for (const std::string& name : names) live.erase(name);
  }

  oarlock::Program& program_;
};

void remove_unused_variables(oarlock::Program& program, Names used) {
  for (const oarlock::Block& block : program.blocks)
    for (const OpDesc& op : block.ops) {
      for_each_directly_read_name(op, [&](const std::string& name) { used.insert(name); });
      for (auto& [slot, names] : op.outputs) used.insert(names.begin(), names.end());
    }
  for (oarlock::Block& block : program.blocks)
    std::erase_if(block.vars, [&](const VarDesc& var) {
      return !var.persistable && var.kind != VarKind::array && !used.contains(var.name);
    });
}

Names guarded_variables(const oarlock::Program& program) {
  Names names;
  if (program.contract)
    for (const Guard& guard : program.contract->guards) names.insert(guard.var);
  return names;
}

}  // namespace

oarlock::Program convert_pir_json_to_program(std::string_view json, const std::string& file,
                                             std::int64_t* version) {
  if (json.size() > kMaxBytes)
    throw Error(ErrorCode::file, file + ": a program of more than 256 MiB (" +
                                     std::to_string(json.size()) + " bytes)");
  JsonDocument document(json, file);
  Program source = parse_pir_program(document, file);
  if (version) *version = source.version;
  oarlock::Program program = Translator(source, document).translate();
  if (!source.contract.empty()) {
    program.contract.emplace();
    WireSourceFile context{file, source.contract.data()};
    read_into_contract(WireReader(context, source.contract, "Contract"), source.contract,
                       *program.contract);
  }
  Names guarded = guarded_variables(program);
  DeadOpRemoval(program).run(guarded);
  remove_unused_variables(program, std::move(guarded));
  upgrade_op_types_and_attrs(program);
  validate_and_fill_variable_indices(program);
  return program;
}

}  // namespace oarlock::pir
