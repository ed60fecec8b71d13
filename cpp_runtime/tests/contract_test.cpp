// Contracts that the C++ reader accepts or rejects.  The same table is read by
// tests/loader/test_contracts.py.
#include "base/json.h"
#include "check.h"
#include "fixtures.h"
#include "paddle/program_parser.h"

using namespace oarlock;

namespace {

std::vector<ContractArg> args_of(const Json& rows) {
  std::vector<ContractArg> args;
  for (const Json& row : rows.items) {
    ContractArg arg{
        row.items[0].text, static_cast<DType>(row.items[1].number), {}, row.items[3].text};
    for (const Json& d : row.items[2].items)
      arg.shape.push_back(static_cast<std::int64_t>(d.number));
    args.push_back(arg);
  }
  return args;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

// The model `mlp` with the contract of a row; fields that a row omits are valid.
std::string model_with(const Json& row) {
  Contract c = mlp_contract();
  if (auto* version = row.find("version")) c.version = static_cast<std::int32_t>(version->number);
  if (auto* inputs = row.find("inputs")) c.inputs = args_of(*inputs);
  if (auto* outputs = row.find("outputs")) c.outputs = args_of(*outputs);
  if (auto* tree = row.find("tree")) c.output_tree = tree->text;
  if (auto* guards = row.find("guards"))
    for (const Json& g : guards->items)
      c.guards.push_back({g.items[0].text, g.items[1].text,
                          static_cast<std::int64_t>(g.items[2].number), g.items[3].text, "", "",
                          ""});
  std::string bytes = bytes_of("mlp.pdmodel") + contract_field(c);
  WireWriter more;
  if (auto* hex = row.find("bytes")) more.bytes(kContractField, from_hex(hex->text));
  return bytes + more.release_bytes();
}

}  // namespace

TEST("contract: the same contracts are accepted as in Python") {
  Json table = parse_json(bytes_of("contracts.json"), "contracts.json");
  CHECK(table.items.size() > 100);
  for (const Json& row : table.items) {
    std::string error = check::error_of(
        [&] { parse_upgrade_and_validate_program(model_with(row), "mlp.pdmodel"); });
    bool accepted = error.empty();
    if (accepted != (row.find("accept")->number != 0))
      check::failed(row.find("id")->text.c_str(), 0, accepted ? "was accepted" : "got: " + error);
  }
}
