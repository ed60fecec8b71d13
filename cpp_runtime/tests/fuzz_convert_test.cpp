// Converts every op with random slots, attributes, dtypes and sizes: the result is a graph or an
// Error.
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "convert/graph_builder.h"
#include "convert/registry.h"
#include "fuzz.h"
#include "one_op.h"

using namespace oarlock;
using fuzz::Dice;

namespace {

constexpr int kRounds = 20000;
constexpr std::int64_t kInts[] = {
    0, 1,  -1,  2,       3,        5,         6,         7,         -2,        64,
    4, -7, 100, 1000000, 20000000, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40};
constexpr double kFloats[] = {0,     1,     -1,  0.5, 1e-30,    1e30,
                              -1e30, 1e300, 1e9, NAN, INFINITY, -INFINITY};
constexpr const char* kTexts[] = {"",     "NHWC",      "NCHW",     "NDHWC",  "SAME",     "VALID",
                                  "mean", "sum",       "none",     "tanh",   "relu",     "LSTM",
                                  "edge", "ij,jk->ik", "bilinear", "a->aaa", "...->...", ",,,"};
constexpr std::int64_t kDims[] = {-1, -1, 0, 1, 2, 3, 4, 8, 1000000, 1LL << 40};
constexpr DType kDTypes[] = {DType::float32,   DType::float32, DType::float32, DType::int64,
                             DType::int32,     DType::float64, DType::float16, DType::boolean,
                             DType::complex64, DType::uint8,   DType::int8,    DType::int16,
                             DType::bfloat16,  DType::uint64};

Json registry() {
  static const std::string text = [] {
    std::ifstream file(std::string(OARLOCK_FIXTURES) + "/../ops/registry.json");
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }();
  static const JsonDocument document(text, "registry.json");
  return document.root();
}

Ints some_ints(Dice& dice) {
  Ints all(dice.once_in(50) ? 1000 : dice.below(7));
  for (std::int64_t& i : all) i = dice.of<std::int64_t>(kInts);
  return all;
}

Scalar some_scalar(Dice& dice) {
  Scalar s{static_cast<Scalar::Type>(1 + dice.below(4)), dice.of<std::int64_t>(kInts),
           dice.of<double>(kFloats), 0};
  return s;
}

Attr hostile(AttrType type, Dice& dice) {
  switch (type) {
    case AttrType::FLOAT:
    case AttrType::FLOAT64:
      return {type, dice.of<double>(kFloats)};
    case AttrType::STRING:
      return {type, std::string(dice.of<const char*>(kTexts))};
    case AttrType::BOOLEAN:
      return {type, dice.once_in(2)};
    case AttrType::FLOATS:
    case AttrType::FLOAT64S:
      return {type, Floats(dice.below(7), dice.of<double>(kFloats))};
    case AttrType::STRINGS:
      return {type, Strings(dice.below(4), dice.of<const char*>(kTexts))};
    case AttrType::INTS:
    case AttrType::LONGS:
    case AttrType::BOOLEANS:
      return {type, some_ints(dice)};
    case AttrType::SCALAR:
      return {type, some_scalar(dice)};
    case AttrType::SCALARS:
      return {type, Scalars(dice.below(5), some_scalar(dice))};
    default:
      return {AttrType::INT, dice.of<std::int64_t>(kInts)};
  }
}

AttrType type_named(std::string_view name) {
  for (std::int32_t t = 0; t < kAttrTypes; ++t)
    if (attr_type_name(static_cast<AttrType>(t)) == name) return static_cast<AttrType>(t);
  return AttrType::INT;
}

// Attributes are often left out, so that rules get past their checks.
void set_attrs(OneOp& op, Json attrs, Dice& dice) {
  for (Json attr : attrs) {
    AttrType type = type_named(attr.find_at(0).string_or_empty());
    bool has_default = attr.size() > 1;
    if (has_default ? dice.once_in(4) : !dice.once_in(10))
      op.attrs[std::string(attr.name())] = hostile(type, dice);
  }
}

Ints some_shape(Dice& dice) {
  Ints shape(dice.once_in(30) ? 9 : dice.below(6));
  for (std::int64_t& d : shape) d = dice.of<std::int64_t>(kDims);
  return shape;
}

// `Input`, `PreState*`, `SequenceLength?`
void set_slots(OneOp& op, Slots& slots, Json names, const char* prefix, Dice& dice) {
  Var usual{dice.of<DType>(kDTypes), some_shape(dice)};
  for (Json item : names) {
    std::string text(item.string_or_empty()), slot = text.substr(0, text.find_first_of("*?~"));
    bool optional = text.find('?') != text.npos, many = text.find('*') != text.npos;
    if (optional ? dice.once_in(2) : dice.once_in(40)) continue;
    for (std::size_t k = many ? dice.below(5) : dice.once_in(40) ? 2 : 1; k > 0; --k) {
      std::string name = prefix + slot + std::to_string(k);
      op.vars[name] = {dice.once_in(2) ? usual.dtype : dice.of<DType>(kDTypes),
                       dice.once_in(2) ? usual.shape : some_shape(dice), dice.once_in(3)};
      slots[slot].push_back(name);
    }
  }
}

// Some inputs are constants, so that rules see their values.
void set_constants(Program& program, Dice& dice) {
  for (OpDesc& op : program.blocks[0].ops) {
    if (op.type != "feed" || !dice.once_in(5)) continue;
    Ints values = some_ints(dice);
    VarDesc* var = nullptr;
    for (VarDesc& v : program.blocks[0].vars)
      if (v.name == op.outputs["Out"][0]) var = &v;
    var->dtype = dice.once_in(2) ? DType::int64 : DType::int32;
    var->shape = {static_cast<std::int64_t>(values.size())};
    bool wide = var->dtype == DType::int64;
    if (!wide)
      for (std::int64_t& v : values) v = static_cast<std::int32_t>(v);
    op = {"assign_value", {}, op.outputs, {}, ""};
    op.attrs["shape"] = INTS(var->shape);
    op.attrs["dtype"] = INT(static_cast<std::int64_t>(var->dtype));
    op.attrs[wide ? "int64_values" : "int32_values"] = {wide ? AttrType::LONGS : AttrType::INTS,
                                                        values};
  }
  std::int64_t col = 0;
  for (OpDesc& op : program.blocks[0].ops)
    if (op.type == "feed") op.attrs["col"] = INT(col++);
}

void lower_hostile(const std::vector<std::string_view>& types, Dice& dice) {
  OneOp op;
  op.type = types[dice.below(types.size())];
  Json entry = registry().find(op.type);
  set_slots(op, op.inputs, entry.find("ins"), "i", dice);
  set_slots(op, op.outputs, entry.find("outs"), "o", dice);
  set_attrs(op, entry.find("attrs"), dice);
  Program program = op.program();
  set_constants(program, dice);
  Params none("", program, "one.pdiparams");
  LoweringOptions options;
  options.opset = dice.once_in(4) ? 7 + static_cast<int>(dice.below(15)) : 17;
  try {
    onnx::to_bytes(lower_program(program, none, options));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(op.type + ": " + error.what());
  }
}

}  // namespace

TEST("fuzz lowering: every op") {
  std::vector<std::string_view> types;
  for (std::string_view type : op_types_with_rule())
    if (registry().find(type)) types.push_back(type);
  int lowered = 0;
  int rejected =
      fuzz::rejected(kRounds, [&](Dice& dice) { lower_hostile(types, dice), ++lowered; });
  CHECK(rejected > 0 && lowered > 0);
}
