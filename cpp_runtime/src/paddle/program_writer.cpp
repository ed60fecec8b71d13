#include "paddle/program_writer.h"

#include "base/wire_writer.h"
#include "paddle/contract_reader.h"

namespace oarlock {
namespace {

void write_scalar(WireWriter& w, std::uint32_t field, const Scalar& scalar) {
  w.message(field, [&] {
    w.int64(1, static_cast<std::int64_t>(scalar.type));
    switch (scalar.type) {
      case Scalar::Type::boolean:
        return w.int64(2, scalar.i);
      case Scalar::Type::int64:
        return w.int64(3, scalar.i);
      case Scalar::Type::float64:
        return w.float64(4, scalar.r);
      default:
        w.message(5, [&] {
          w.float64(1, scalar.r);
          w.float64(2, scalar.imag);
        });
    }
  });
}

void write_attr_value(WireWriter& w, const Attr& attr) {
  auto integer = [&](std::uint32_t field) { w.int64(field, std::get<std::int64_t>(attr.value)); };
  auto ints = [&](std::uint32_t field) {
    for (std::int64_t value : std::get<Ints>(attr.value)) w.int64(field, value);
  };
  auto strings = [&](std::uint32_t field) {
    for (const std::string& text : std::get<Strings>(attr.value)) w.bytes(field, text);
  };
  switch (attr.type) {
    case AttrType::INT:
      return integer(3);
    case AttrType::FLOAT:
      return w.float32(4, static_cast<float>(std::get<double>(attr.value)));
    case AttrType::STRING:
      return w.bytes(5, std::get<std::string>(attr.value));
    case AttrType::INTS:
      return ints(6);
    case AttrType::FLOATS:
      for (double value : std::get<Floats>(attr.value)) w.float32(7, static_cast<float>(value));
      return;
    case AttrType::STRINGS:
      return strings(8);
    case AttrType::BOOLEAN:
      return w.int64(10, std::get<bool>(attr.value));
    case AttrType::BOOLEANS:
      return ints(11);
    case AttrType::BLOCK:
      return integer(12);
    case AttrType::LONG:
      return integer(13);
    case AttrType::BLOCKS:
      return ints(14);
    case AttrType::LONGS:
      return ints(15);
    case AttrType::FLOAT64S:
      for (double value : std::get<Floats>(attr.value)) w.float64(16, value);
      return;
    case AttrType::VAR:
      return w.bytes(17, std::get<std::string>(attr.value));
    case AttrType::VARS:
      return strings(18);
    case AttrType::FLOAT64:
      return w.float64(19, std::get<double>(attr.value));
    case AttrType::SCALAR:
      return write_scalar(w, 20, std::get<Scalar>(attr.value));
    case AttrType::SCALARS:
      for (const Scalar& scalar : std::get<Scalars>(attr.value)) write_scalar(w, 21, scalar);
      return;
  }
}

void write_attr(WireWriter& w, const std::string& name, const Attr& attr) {
  w.message(4, [&] {
    w.bytes(1, name);
    w.int64(2, static_cast<std::int64_t>(attr.type));
    write_attr_value(w, attr);
  });
}

void write_slots(WireWriter& w, std::uint32_t field, const Slots& slots) {
  for (auto& [slot, names] : slots)
    w.message(field, [&] {
      w.bytes(1, slot);
      for (const std::string& name : names) w.bytes(2, name);
    });
}

void write_op(WireWriter& w, const OpDesc& op) {
  w.message(4, [&] {
    write_slots(w, 1, op.inputs);
    write_slots(w, 2, op.outputs);
    w.bytes(3, op.type);
    for (auto& [name, attr] : op.attrs) write_attr(w, name, attr);
    if (!op.location.empty())
      write_attr(w, "op_callstack", {AttrType::STRINGS, Strings{op.location}});
  });
}

void write_tensor_desc(WireWriter& w, std::uint32_t field, const VarDesc& var) {
  w.message(field, [&] {
    w.int64(1, static_cast<std::int64_t>(var.dtype));
    for (std::int64_t dim : var.shape) w.int64(2, dim);
  });
}

void write_var_type(WireWriter& w, const VarDesc& var) {
  w.message(2, [&] {
    w.int64(1, static_cast<std::int64_t>(var.kind));
    if (var.kind == VarKind::selected_rows) return write_tensor_desc(w, 2, var);
    if (var.kind != VarKind::dense && var.kind != VarKind::array) return;
    w.message(var.kind == VarKind::dense ? 3 : 4, [&] {
      write_tensor_desc(w, 1, var);
      if (var.lod_level) w.int64(2, var.lod_level);
    });
  });
}

void write_var(WireWriter& w, const VarDesc& var) {
  w.message(3, [&] {
    w.bytes(1, var.name);
    write_var_type(w, var);
    w.int64(3, var.persistable);
    w.int64(5, var.is_parameter);
    w.int64(6, var.stop_gradient);
  });
}

}  // namespace

std::string to_pdmodel(const Program& program) {
  WireWriter w;
  for (const Block& block : program.blocks)
    w.message(1, [&] {
      w.int64(1, block.idx);
      w.int64(2, block.parent);
      for (const VarDesc& var : block.vars) write_var(w, var);
      for (const OpDesc& op : block.ops) write_op(w, op);
    });
  w.message(4, [&] { w.int64(1, program.version); });
  if (program.contract) w.bytes(kContractField, program.contract->bytes);
  return w.take_bytes();
}

}  // namespace oarlock
