// A program of one op: its converted text, or its error.
#pragma once
#include <map>
#include <string>

#include "check.h"
#include "convert/graph_builder.h"
#include "paddle/validator.h"

namespace oarlock {

struct Var {
  DType dtype;
  Ints shape;
  std::int64_t lod_level = 0;
};

/// Inputs of the op become feeds, outputs fetches; weights are given as bytes with a ParamRecord
/// each.
struct OneOp {
  std::string type;
  Slots inputs, outputs;
  std::map<std::string, Attr, std::less<>> attrs;
  std::map<std::string, Var> vars;  // default: float32 of rank 2 with unknown dims

  Program program() const {
    Program p;
    p.name = "one.pdmodel";
    p.blocks.emplace_back();
    std::int64_t in = 0, out = 0;
    auto declare = [&](const std::string& name) {
      for (const VarDesc& v : p.blocks[0].vars)
        if (v.name == name) return false;
      auto found = vars.find(name);
      Var var = found == vars.end() ? Var{DType::float32, {-1, -1}} : found->second;
      p.blocks[0].vars.push_back(
          {name, var.shape, var.dtype, VarKind::dense, false, var.lod_level});
      return true;
    };
    for (auto& [slot, names] : inputs)
      for (auto& name : names)
        if (declare(name))
          p.blocks[0].ops.push_back(
              {"feed", {}, {{"Out", {name}}}, {{"col", {AttrType::INT, in++}}}, ""});
    p.blocks[0].ops.push_back({type, inputs, outputs, attrs, "net.py:3 in forward: y = f(x)"});
    for (auto& [slot, names] : outputs)
      for (auto& name : names) {
        declare(name);
        p.blocks[0].ops.push_back(
            {"fetch", {{"X", {name}}}, {}, {{"col", {AttrType::INT, out++}}}, ""});
      }
    validate_and_fill_variable_indices(p);
    return p;
  }
};

inline std::string lowered(const OneOp& op, int opset = 17) {
  LoweringOptions options;
  options.opset = opset;
  Program program = op.program();
  Params none("", program, "one.pdiparams");
  return onnx::to_text(lower_program(program, none, options).graph);
}

inline Attr INT(std::int64_t v) { return {AttrType::INT, v}; }
inline Attr FLOAT(float v) { return {AttrType::FLOAT, double{v}}; }
inline Attr BOOL(bool v) { return {AttrType::BOOLEAN, v}; }
inline Attr STRING(std::string v) { return {AttrType::STRING, std::move(v)}; }
inline Attr INTS(Ints v) { return {AttrType::INTS, std::move(v)}; }

}  // namespace oarlock
