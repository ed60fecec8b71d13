// The validation rules, one row each. docs/attacks.md lists exactly these rows.
#include <fstream>
#include <set>

#include "check.h"
#include "fixtures.h"
#include "paddle/params.h"
#include "paddle/program_parser.h"
#include "paddle/validator.h"
#include "runner/npz.h"

using namespace oarlock;

namespace {

struct Row {
  const char* id;
  const char* said;
  std::function<void(Program&)> spoil;
};

OpDesc& op_of(Program& p, std::string_view type) {
  for (OpDesc& op : p.blocks[0].ops)
    if (op.type == type) return op;
  throw Error(ErrorCode::file, "no such op in the fixture");
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"no-block", "the program has no block", [](Program& p) { p.blocks.clear(); }},
      {"many-blocks", "5000 blocks", [](Program& p) { p.blocks.resize(5000); }},
      {"block-index", "block 0 calls itself 3", [](Program& p) { p.blocks[0].idx = 3; }},
      {"parent-cycle", "block 0 has parent 0", [](Program& p) { p.blocks[0].parent = 0; }},
      {"parent-forward", "block 1 has parent 7",
       [](Program& p) { p.blocks.emplace_back(), p.blocks[1].idx = 1, p.blocks[1].parent = 7; }},
      {"var-twice", "declared twice",
       [](Program& p) {
         p.blocks[0].vars.push_back({"x", {}, DType::float32, VarKind::dense, false});
       }},
      {"name-utf8", "not clean UTF-8", [](Program& p) { p.blocks[0].vars[0].name = "a\xff"; }},
      {"name-control", "not clean UTF-8", [](Program& p) { p.blocks[0].vars[0].name = "a\nb"; }},
      {"name-control", "not clean UTF-8",
       [](Program& p) { p.blocks[0].vars[0].name = "a\xc2\x9bJ"; }},
      {"name-long", "name of 5000 bytes",
       [](Program& p) { p.blocks[0].vars[0].name = std::string(5000, 'a'); }},
      {"dtype", "unknown dtype 77",
       [](Program& p) { p.blocks[0].vars[0].dtype = static_cast<DType>(77); }},
      {"rank", "has rank 40", [](Program& p) { p.blocks[0].vars[0].shape = Ints(40, 1); }},
      {"dims-overflow", "more elements than fit",
       [](Program& p) { p.blocks[0].vars[0].shape = Ints(4, 1 << 20); }},
      {"undeclared", "names 'nobody', which block 0",
       [](Program& p) { op_of(p, "relu").inputs["X"] = {"nobody"}; }},
      {"sub-block-range", "names block 9, which is not a child",
       [](Program& p) {
         op_of(p, "relu").attrs["sub_block"] = {AttrType::BLOCK, std::int64_t{9}};
       }},
      {"sub-block-self", "names block 0, which is not a child",
       [](Program& p) {
         op_of(p, "relu").attrs["sub_block"] = {AttrType::BLOCK, std::int64_t{0}};
       }},
      {"sub-block-int", "attribute 'sub_block' is a INT",
       [](Program& p) {
         op_of(p, "relu").attrs["sub_block"] = {AttrType::INT, std::int64_t{1000}};
       }},
      {"sub-block-shared", "names block 1, which relu already runs",
       [](Program& p) {
         p.blocks.emplace_back(), p.blocks[1].idx = 1, p.blocks[1].parent = 0;
         op_of(p, "relu").attrs["sub_block"] = {AttrType::BLOCK, std::int64_t{1}};
         op_of(p, "relu").attrs["other"] = {AttrType::BLOCKS, Ints{1}};
       }},
      {"block-depth", "block 64 is nested more than 64 deep",
       [](Program& p) {
         for (std::int32_t i = 1; i <= 64; ++i)
           p.blocks.emplace_back(), p.blocks[i].idx = i, p.blocks[i].parent = i - 1;
       }},
      {"column-twice", "fetch: column 0 given twice",
       [](Program& p) {
         for (OpDesc& op : p.blocks[0].ops)
           if (op.type == "fetch") op.attrs["col"].value = std::int64_t{0};
       }},
      {"column-hole", "the columns are not 0 to 0",
       [](Program& p) { op_of(p, "feed").attrs["col"].value = std::int64_t{4}; }},
      {"column-missing", "the columns are not 0 to 0",
       [](Program& p) { op_of(p, "feed").attrs.erase("col"); }},
      {"contract-version", "contract of version 9",
       [](Program& p) { p.contract = mlp_contract(), p.contract->version = 9; }},
      {"contract-inputs", "does not list the inputs",
       [](Program& p) {
         p.contract = mlp_contract(), p.contract->inputs.resize(2, p.contract->inputs[0]);
       }},
      {"contract-dims", "its range contains no size",
       [](Program& p) {
         p.contract = mlp_contract(), p.contract->version = kContractVersionWithDims;
         p.contract->inputs[0].named_dims = {{0, "batch", {33, 63, 32}}};
       }},
      {"guard-kind", "guard of unknown kind 'mood'",
       [](Program& p) { p.contract = mlp_contract({{"mood", "x", 0, "1", "", "", ""}}); }},
      {"guard-var", "guard on 'nobody'",
       [](Program& p) { p.contract = mlp_contract({{"dim", "nobody", 0, "1", "", "", ""}}); }},
  };
  return all;
}

// Attacks on the encoding instead of the content.
struct ByteRow {
  const char* id;
  const char* said;
  std::function<void()> act;
};

std::string record(std::string desc, std::string data) {
  std::string out(16, '\0');
  std::uint32_t size = static_cast<std::uint32_t>(desc.size());
  out.append(reinterpret_cast<const char*>(&size), 4);
  return out + desc + data;
}

void walk(const std::string& bytes) {
  Program p;
  p.name = "one.pdmodel";
  p.blocks.emplace_back();
  p.blocks[0].vars.push_back({"w", {2}, DType::float32, VarKind::dense, true});
  validate_and_fill_variable_indices(p);
  Params(bytes, p, "one.pdiparams");
}

const std::string kGood = record(std::string("\x08\x05\x10\x02", 4), "12345678");

const std::vector<ByteRow>& byte_rows() {
  static const std::vector<ByteRow> all = {
      {"empty", "the file is empty", [] { parse_upgrade_and_validate_program("", "p"); }},
      {"cut", "are left",
       [] { parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel").substr(0, 100), "p"); }},
      {"length-bomb", "are left",
       [] {
         parse_upgrade_and_validate_program(
             std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), "p");
       }},
      {"varint-endless", "number of more than ten bytes",
       [] { parse_upgrade_and_validate_program(std::string(20, '\xff'), "p"); }},
      {"wire-group", "wire type 3 is not one of protobuf's",
       [] { parse_upgrade_and_validate_program("\x2b", "p"); }},
      {"wire-type", "wire type 0 where 2 belongs",
       [] { parse_upgrade_and_validate_program(std::string("\x08\x01", 2), "p"); }},
      {"nameless", "a variable without a name",
       [] {
         parse_upgrade_and_validate_program(std::string("\x0a\x06\x08\x00\x10\x00\x1a\x00", 8),
                                            "p");
       }},
      {"params-cut", "float32[2] takes 8 bytes, 7 are left",
       [] { walk(kGood.substr(0, kGood.size() - 1)); }},
      {"params-rest", "1 bytes are left over", [] { walk(kGood + "x"); }},
      {"params-version", "LoD version is 1", [] { walk("\x01" + kGood.substr(1)); }},
      {"params-lod-bomb", "LoD levels",
       [] { walk(std::string(4, '\0') + std::string(8, '\xff') + kGood); }},
      {"params-desc-size", "description of -1 bytes",
       [] { walk(std::string(16, '\0') + "\xff\xff\xff\xff"); }},
      {"params-dtype", "unknown dtype 99",
       [] { walk(record(std::string("\x08\x63\x10\x02", 4), "12345678")); }},
      {"params-overflow", "not one of a stored tensor",
       [] {
         walk(record("\x08\x05" + std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), ""));
       }},
      {"params-negative", "not one of a stored tensor",
       [] {
         walk(record("\x08\x05" + std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
                     ""));
       }},
      {"inflate-bomb", "more data than its compressed data can hold",
       [] { inflate("abc", std::size_t{1} << 40, "x.npz"); }},
      {"inflate-distance", "a distance before the beginning",
       [] { inflate(std::string("\x03\x02\x00", 3), 3, "x.npz"); }},
  };
  return all;
}

}  // namespace

TEST("validate: every violated rule is reported") {
  for (const Row& row : rows()) {
    Program p = parse_program(bytes_of("mlp.pdmodel"), "mlp.pdmodel");
    row.spoil(p);
    std::string error = check::error_of([&] { validate_and_fill_variable_indices(p); });
    if (error.find(row.said) == std::string::npos) check::failed(row.id, 0, "got: " + error);
  }
}

TEST("validate: every invalid encoding is reported") {
  walk(kGood);
  for (const ByteRow& row : byte_rows()) {
    std::string error = check::error_of(row.act);
    if (error.find(row.said) == std::string::npos) check::failed(row.id, 0, "got: " + error);
  }
}

TEST("validate: docs/attacks.md lists exactly the tested rows") {
  std::set<std::string> tested, told;
  for (const Row& row : rows()) tested.insert(row.id);
  for (const ByteRow& row : byte_rows()) tested.insert(row.id);
  std::ifstream doc(std::string(OARLOCK_DOCS) + "/attacks.md");
  for (std::string line; std::getline(doc, line);)
    if (line.rfind("| `", 0) == 0) told.insert(line.substr(3, line.find('`', 3) - 3));
  for (const std::string& id : tested)
    if (!told.count(id)) check::failed("docs/attacks.md", 0, "lacks " + id);
  for (const std::string& id : told)
    if (!tested.count(id)) check::failed("docs/attacks.md", 0, "has no test for " + id);
}
