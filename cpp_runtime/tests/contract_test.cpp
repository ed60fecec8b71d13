// Contracts that the C++ reader accepts or rejects.  The same table is read by
// tests/loader/test_contracts.py.
#include "base/json.h"
#include "check.h"
#include "fixtures.h"
#include "paddle/program_parser.h"

using namespace oarlock;

namespace {

std::vector<ContractInputOrOutput> args_of(Json rows) {
  std::vector<ContractInputOrOutput> args;
  for (Json row : rows) {
    ContractInputOrOutput arg{std::string(row.find_at(0).string_or_empty()),
                              static_cast<DType>(row.find_at(1).integer_or_zero()),
                              {},
                              std::string(row.find_at(3).string_or_empty())};
    for (Json d : row.find_at(2)) arg.shape.push_back(d.integer_or_zero());
    for (Json dim : row.find_at(4))
      arg.named_dims.push_back({dim.find_at(0).integer_or_zero(),
                                std::string(dim.find_at(1).string_or_empty()),
                                {dim.find_at(2).integer_or_zero(), dim.find_at(3).integer_or_zero(),
                                 dim.find_at(4).integer_or_zero()}});
    args.push_back(arg);
  }
  return args;
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

// The model `mlp` with the contract of a row; fields that a row omits are valid.
std::string model_with(Json row) {
  Contract c = mlp_contract();
  if (Json version = row.find("version"))
    c.version = static_cast<std::int32_t>(version.integer_or_zero());
  if (Json inputs = row.find("inputs")) c.inputs = args_of(inputs);
  if (Json outputs = row.find("outputs")) c.outputs = args_of(outputs);
  if (Json tree = row.find("tree")) c.output_tree = tree.string_or_empty();
  for (Json g : row.find("guards"))
    c.guards.push_back({std::string(g.find_at(0).string_or_empty()),
                        std::string(g.find_at(1).string_or_empty()), g.find_at(2).integer_or_zero(),
                        std::string(g.find_at(3).string_or_empty()), "", "", ""});
  std::string bytes = bytes_of("mlp.pdmodel") + contract_field(c);
  WireWriter more;
  if (Json hex = row.find("bytes")) more.bytes(kContractField, from_hex(hex.string_or_empty()));
  return bytes + more.take_bytes();
}

}  // namespace

TEST("contract: the same contracts are accepted as in Python") {
  std::string text = bytes_of("contracts.json");
  JsonDocument table(text, "contracts.json");
  CHECK(table.root().size() > 100);
  for (Json row : table.root()) {
    std::string error = check::error_of(
        [&] { parse_upgrade_and_validate_program(model_with(row), "mlp.pdmodel"); });
    bool accepted = error.empty();
    if (accepted != (row.find("accept").boolean_or_false()))
      check::failed(std::string(row.find("id").string_or_empty()).c_str(), 0,
                    accepted ? "was accepted" : "got: " + error);
  }
}
