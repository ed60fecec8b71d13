#include "paddle/program_parser.h"

#include "base/escape_control_characters.h"
#include "base/poll_callback.h"
#include "base/wire_reader.h"
#include "paddle/contract_reader.h"
#include "paddle/op_upgrade.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

constexpr std::size_t kMaxProgramBytes =
    std::size_t{256} << 20;  // programs hold no weights, so even large ones are below this

Scalar read_scalar(WireReader w) {
  Scalar s;
  while (w.next()) switch (w.field_number()) {
      case 1:
        s.type = static_cast<Scalar::Type>(w.int32());
        break;
      case 2:
        s.i = w.boolean();
        break;
      case 3:
        s.i = w.int64();
        break;
      case 4:
        s.r = w.float64();
        break;
      case 5:
        for (WireReader c = w.submessage("Complex"); c.next();) {
          if (c.field_number() == 1)
            s.r = c.float64();
          else if (c.field_number() == 2)
            s.imag = c.float64();
          else
            c.skip();
        }
        break;
      default:
        w.skip();
    }
  if (s.type < Scalar::Type::boolean || s.type > Scalar::Type::complex128)
    w.fail("a Scalar without a known type");
  return s;
}

// All value fields of an attribute message. The attribute's type selects the field that is used;
// all other fields are ignored, as in Paddle.
struct RawAttr {
  std::string name;
  std::int32_t type = -1;
  std::int64_t i = 0, l = 0, block = 0;
  double f = 0, float64 = 0;
  bool b = false;
  std::string s, var;
  Ints ints, bools, blocks, longs;
  Floats floats, float64s;
  Strings strings, vars;
  Scalar scalar;
  Scalars scalars;
};

void read_attr_field(WireReader& w, RawAttr& a) {
  switch (w.field_number()) {
    case 1:
      a.name = w.string();
      break;
    case 2:
      a.type = w.int32();
      break;
    case 3:
      a.i = w.int32();
      break;
    case 4:
      a.f = w.float32();
      break;
    case 5:
      a.s = w.string();
      break;
    case 6:
      w.for_each_int64([&](auto v) { a.ints.push_back(static_cast<std::int32_t>(v)); });
      break;
    case 7:
      w.for_each_float32([&](auto v) { a.floats.push_back(v); });
      break;
    case 8:
      a.strings.push_back(w.string());
      break;
    case 10:
      a.b = w.boolean();
      break;
    case 11:
      w.for_each_int64([&](auto v) { a.bools.push_back(v != 0); });
      break;
    case 12:
      a.block = w.int32();
      break;
    case 13:
      a.l = w.int64();
      break;
    case 14:
      w.for_each_int64([&](auto v) { a.blocks.push_back(static_cast<std::int32_t>(v)); });
      break;
    case 15:
      w.for_each_int64([&](auto v) { a.longs.push_back(v); });
      break;
    case 16:
      w.for_each_float64([&](auto v) { a.float64s.push_back(v); });
      break;
    case 17:
      a.var = w.string();
      break;
    case 18:
      a.vars.push_back(w.string());
      break;
    case 19:
      a.float64 = w.float64();
      break;
    case 20:
      a.scalar = read_scalar(w.submessage("Scalar"));
      break;
    case 21:
      a.scalars.push_back(read_scalar(w.submessage("Scalar")));
      break;
    default:
      w.skip();
  }
}

Attr to_attr(RawAttr&& a) {
  auto type = static_cast<AttrType>(a.type);
  switch (type) {
    case AttrType::INT:
      return {type, a.i};
    case AttrType::FLOAT:
      return {type, a.f};
    case AttrType::STRING:
      return {type, std::move(a.s)};
    case AttrType::INTS:
      return {type, std::move(a.ints)};
    case AttrType::FLOATS:
      return {type, std::move(a.floats)};
    case AttrType::STRINGS:
      return {type, std::move(a.strings)};
    case AttrType::BOOLEAN:
      return {type, a.b};
    case AttrType::BOOLEANS:
      return {type, std::move(a.bools)};
    case AttrType::BLOCK:
      return {type, a.block};
    case AttrType::LONG:
      return {type, a.l};
    case AttrType::BLOCKS:
      return {type, std::move(a.blocks)};
    case AttrType::LONGS:
      return {type, std::move(a.longs)};
    case AttrType::FLOAT64S:
      return {type, std::move(a.float64s)};
    case AttrType::VAR:
      return {type, std::move(a.var)};
    case AttrType::VARS:
      return {type, std::move(a.vars)};
    case AttrType::FLOAT64:
      return {type, a.float64};
    case AttrType::SCALAR:
      return {type, a.scalar};
    case AttrType::SCALARS:
      return {type, std::move(a.scalars)};
  }
  return {};
}

void read_attr_into(WireReader w, OpDesc& op) {
  RawAttr a;
  while (w.next()) read_attr_field(w, a);
  if (a.name.empty()) w.fail("an attribute without a name");
  if (a.type < 0 || a.type >= kAttrTypes)
    w.fail("attribute '" + a.name + "' of unknown type " + std::to_string(a.type));
  if (a.name == "op_callstack") {  // only the user's line of the call stack is stored
    op.location = escape_control_characters(find_user_line(a.strings));
    return;
  }
  std::string name = a.name;
  Attr found = to_attr(std::move(a));
  // Paddle writes some attributes, such as `use_mkldnn`, twice on one op.
  auto [at, added] = op.attrs.emplace(name, found);
  if (!added && at->second != found)
    w.fail("attribute '" + name + "' given twice, with two values");
}

void read_slot_into(WireReader w, Slots& slots) {
  std::string slot;
  Strings names;
  while (w.next()) {
    if (w.field_number() == 1)
      slot = w.string();
    else if (w.field_number() == 2)
      names.push_back(w.string());
    else
      w.skip();
  }
  if (slot.empty()) w.fail("a slot without a name");
  if (!slots.emplace(slot, std::move(names)).second) w.fail("slot '" + slot + "' given twice");
}

OpDesc read_op(WireReader w) {
  OpDesc op;
  while (w.next()) switch (w.field_number()) {
      case 1:
        read_slot_into(w.submessage("OpDesc.Var"), op.inputs);
        break;
      case 2:
        read_slot_into(w.submessage("OpDesc.Var"), op.outputs);
        break;
      case 3:
        op.type = w.string();
        break;
      case 4:
        read_attr_into(w.submessage("OpDesc.Attr"), op);
        break;
      default:
        w.skip();
    }
  if (op.type.empty()) w.fail("an op without a type");
  return op;
}

void read_tensor_desc_into(WireReader w, VarDesc& v) {
  while (w.next()) {
    if (w.field_number() == 1)
      v.dtype = static_cast<DType>(w.int32());
    else if (w.field_number() == 2)
      w.for_each_int64([&](auto d) { v.shape.push_back(d); });
    else
      w.skip();
  }
}

// LoDTensorDesc and LoDTensorArrayDesc: field 1 is the tensor, field 2 the lod_level
void read_lod_desc_into(WireReader w, VarDesc& v) {
  while (w.next()) {
    if (w.field_number() == 1)
      read_tensor_desc_into(w.submessage("TensorDesc"), v);
    else if (w.field_number() == 2)
      v.lod_level = w.int32();
    else
      w.skip();
  }
}

void read_var_type_into(WireReader w, VarDesc& v) {
  std::int32_t kind = -1;
  while (w.next()) switch (w.field_number()) {
      case 1:
        kind = w.int32();
        break;
      case 2:
      case 8:
      case 9:
      case 10:
        read_tensor_desc_into(w.submessage("TensorDesc"), v);
        break;
      case 3:
      case 4:
        read_lod_desc_into(w.submessage("LoDTensorDesc"), v);
        break;
      default:
        w.skip();
    }
  if (kind < 0) w.fail("a VarType without a type");
  v.kind = static_cast<VarKind>(kind);
}

VarDesc read_var(WireReader w) {
  VarDesc v;
  bool typed = false;
  while (w.next()) switch (w.field_number()) {
      case 1:
        v.name = w.string();
        break;
      case 2:
        read_var_type_into(w.submessage("VarType"), v), typed = true;
        break;
      case 3:
        v.persistable = w.boolean();
        break;
      case 5:
        v.is_parameter = w.boolean();
        break;
      case 6:
        v.stop_gradient = w.boolean();
        break;
      default:
        w.skip();
    }
  if (v.name.empty()) w.fail("a variable without a name");
  if (!typed) w.fail("variable '" + v.name + "' has no type");
  return v;
}

Block read_block(WireReader w) {
  Block block;
  bool has_idx = false, has_parent = false;
  while (w.next()) switch (w.field_number()) {
      case 1:
        block.idx = w.int32(), has_idx = true;
        break;
      case 2:
        block.parent = w.int32(), has_parent = true;
        break;
      case 3:
        block.vars.push_back(read_var(w.submessage("VarDesc")));
        break;
      case 4:
        call_poll_callback_if_due();
        block.ops.push_back(read_op(w.submessage("OpDesc")));
        break;
      default:
        w.skip();
    }
  if (!has_idx || !has_parent) w.fail("a block without idx or parent_idx");
  return block;
}

std::int64_t read_version(WireReader w) {
  std::int64_t version = 0;
  while (w.next()) {
    if (w.field_number() == 1)
      version = w.int64();
    else
      w.skip();
  }
  return version;
}

bool is_library_frame(std::string_view frame) {
  for (std::string_view mark :
       {"site-packages", "dist-packages", "<frozen", "<decorator", "<__array_function__"})
    if (frame.find(mark) != std::string_view::npos) return true;
  return false;
}

// Converts `  File "a/net.py", line 12, in forward` to `net.py:12 in forward`; "" for other lines.
std::string format_frame(std::string_view frame) {
  auto open = frame.find("File \""), close = frame.find("\", line ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 6)
    return "";
  std::string_view path = frame.substr(open + 6, close - open - 6);
  std::string text(path.substr(path.find_last_of('/') + 1));
  std::string_view rest = frame.substr(close + 8);
  auto comma = rest.find(", in ");
  if (comma == std::string_view::npos) return text + ":" + std::string(rest);
  return text + ":" + std::string(rest.substr(0, comma)) + " in " +
         std::string(rest.substr(comma + 5));
}

std::string strip_whitespace(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

}  // namespace

std::string find_user_line(const Strings& callstack) {
  if (callstack.size() == 1)
    return strip_whitespace(callstack[0]);  // written by Oarlock: already in display form
  for (std::size_t i = callstack.size(); i-- > 0;) {
    std::string frame = is_library_frame(callstack[i]) ? "" : format_frame(callstack[i]);
    if (frame.empty()) continue;
    bool has_text = i + 1 < callstack.size() && format_frame(callstack[i + 1]).empty();
    return has_text ? frame + ": " + strip_whitespace(callstack[i + 1]) : frame;
  }
  return "";
}

Program parse_program(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) throw Error(ErrorCode::file, name + ": the file is empty");
  if (bytes.size() > kMaxProgramBytes)
    throw Error(ErrorCode::file, name + ": a program of more than 256 MiB (" +
                                     std::to_string(bytes.size()) + " bytes)");
  Program program;
  program.name = name;
  WireSourceFile source{name, bytes.data()};
  for (WireReader w(source, bytes, "ProgramDesc"); w.next();) switch (w.field_number()) {
      case 1:
        program.blocks.push_back(read_block(w.submessage("BlockDesc")));
        break;
      case 4:
        program.version = read_version(w.submessage("Version"));
        break;
      case kContractField: {
        std::string_view payload = w.bytes();
        if (!program.contract) program.contract.emplace();
        read_into_contract(WireReader(source, payload, "Contract"), payload, *program.contract);
        break;
      }
      default:
        w.skip();
    }
  return program;
}

// Sets the parent of a sub-block to the block of the op that runs it, because a pass of Paddle sets
// the parent of nested sub-blocks to block 0.
static void fix_block_parents(std::vector<Block>& blocks) {
  auto count = static_cast<std::int64_t>(blocks.size());
  for (std::int64_t at = 1; at < count; ++at)
    for (const OpDesc& op : blocks[static_cast<std::size_t>(at)].ops) {
      auto inner = int_attr(op, "sub_block", -1);
      if (inner <= at || inner >= count) continue;
      auto& parent = blocks[static_cast<std::size_t>(inner)].parent;
      if (parent == 0) parent = static_cast<std::int32_t>(at);
    }
}

Program parse_upgrade_and_validate_program(std::string_view bytes, const std::string& name) {
  Program program = parse_program(bytes, name);
  fix_block_parents(program.blocks);
  upgrade_op_types_and_attrs(program);
  validate_and_fill_variable_indices(program);
  return program;
}

}  // namespace oarlock
