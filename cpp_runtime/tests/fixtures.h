// Small models, and contracts for them.
#pragma once
#include <cstring>
#include <string>

#include "base/mapped_file.h"
#include "base/wire_writer.h"
#include "oarlock/tensor.h"
#include "paddle/contract_reader.h"
#include "paddle/program.h"

namespace oarlock {

inline std::string fixture(const std::string& name) {
  return std::string(OARLOCK_FIXTURES) + "/" + name;
}
inline std::string bytes_of(const std::string& name) {
  return std::string(MappedFile(fixture(name)).bytes());
}

inline bool have_equal_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

inline void write_arg(WireWriter& w, std::uint32_t field, const ContractInputOrOutput& arg) {
  w.message(field, [&] {
    w.bytes(1, arg.name);
    w.int64(2, static_cast<std::int64_t>(arg.dtype));
    for (std::int64_t d : arg.shape) w.int64(3, d);
    w.bytes(4, arg.path);
    for (const NamedDim& dim : arg.named_dims)
      w.message(5, [&] {
        w.int64(1, dim.axis), w.bytes(2, dim.name);
        w.int64(3, dim.range.min), w.int64(4, dim.range.max), w.int64(5, dim.range.multiple);
      });
  });
}

/// The field that the exporter appends to a program.
inline std::string contract_field(const Contract& c) {
  WireWriter w;
  w.message(kContractField, [&] {
    w.int64(1, c.version);
    for (const ContractInputOrOutput& arg : c.inputs) write_arg(w, 2, arg);
    for (const ContractInputOrOutput& arg : c.outputs) write_arg(w, 3, arg);
    w.bytes(4, c.output_tree);
    for (const Guard& g : c.guards)
      w.message(5, [&] {
        w.bytes(1, g.kind), w.bytes(2, g.var), w.int64(3, g.axis), w.bytes(4, g.expected);
        w.bytes(5, g.reader), w.bytes(6, g.location), w.bytes(7, g.text);
      });
    w.bytes(6, c.producer);
    w.bytes(7, c.verified);
  });
  return w.take_bytes();
}

/// A contract for the fixture `mlp`.
inline Contract mlp_contract(std::vector<Guard> guards = {}) {
  Contract c;
  c.version = 1;
  c.inputs = {{"x", DType::float32, {-1, 4}, "x"}};
  c.outputs = {{"save_infer_model/scale_0.tmp_0", DType::float32, {-1, 3}, "out.0"},
               {"save_infer_model/scale_1.tmp_0", DType::float32, {-1, 8}, "out.1"}};
  c.output_tree = "[0, 1]";
  c.guards = std::move(guards);
  c.producer = "oarlock test";
  return c;
}

}  // namespace oarlock
