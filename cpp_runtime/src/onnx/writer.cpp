// Serializes models; field numbers are those of onnx.proto (IR 3 and later).
#include "base/wire_writer.h"
#include "onnx/model.h"

namespace oarlock::onnx {
namespace {

struct Writer {
  WireWriter out;
  const std::string& location;

  void write_tensor(std::uint32_t field, const std::string& name, DType dtype, const Ints& shape,
                    auto&& data) {
    out.message(field, [&] {
      for (std::int64_t d : shape) out.int64(1, d);
      out.int64(2, onnx_of(dtype));
      if (!name.empty()) out.bytes(8, name);
      data();
    });
  }

  void write_string_entry(std::uint32_t field, std::string_view key, std::string_view value) {
    out.message(field, [&] { out.bytes(1, key), out.bytes(2, value); });
  }

  void write_initializer(const Initializer& init) {
    write_tensor(5, init.name, init.dtype, init.shape, [&] {
      if (!init.is_external) return out.bytes(9, init.bytes);
      write_string_entry(13, "location", location);
      write_string_entry(
          13, "offset",
          std::to_string(init.offset));  // explicit, because a missing offset means 0
      write_string_entry(13, "length", std::to_string(init.length));
      out.int64(14, 1);  // EXTERNAL
    });
  }

  void write_value_info(std::uint32_t field, const ValueInfo& v) {
    out.message(field, [&] {
      out.bytes(1, v.name);
      if (v.dtype == DType::none) return;
      out.message(2, [&] {
        if (!v.is_sequence) return out.message(1, [&] { write_tensor_type(v); });
        out.message(
            4, [&] { out.message(1, [&] { out.message(1, [&] { write_tensor_type(v); }); }); });
      });
    });
  }

  void write_tensor_type(const ValueInfo& v) {
    out.int64(1, onnx_of(v.dtype));
    if (!v.has_shape) return;
    out.message(2, [&] {
      for (std::size_t i = 0; i < v.shape.size(); ++i)
        out.message(1, [&] {
          if (v.shape[i] >= 0)
            out.int64(1, v.shape[i]);
          else if (i < v.symbols.size() && !v.symbols[i].empty())
            out.bytes(2, v.symbols[i]);
        });
    });
  }

  // AttributeProto: 1 name, 2 f, 3 i, 4 s, 5 t, 6 g, 7 floats, 8 ints, 9 strings, 20 type
  // Writes the value of an attribute and returns its AttributeProto.AttributeType.
  int write_attr_value_and_return_type(std::int64_t v) { return out.int64(3, v), 2; }
  int write_attr_value_and_return_type(float v) { return out.float32(2, v), 1; }
  int write_attr_value_and_return_type(const std::string& v) { return out.bytes(4, v), 3; }
  int write_attr_value_and_return_type(const Tensor& v) {
    return write_tensor(5, "", v.dtype, v.shape, [&] { out.bytes(9, v.bytes); }), 4;
  }
  int write_attr_value_and_return_type(const std::shared_ptr<Graph>& v) {
    return out.message(6, [&] { write_graph(*v); }), 5;
  }
  int write_attr_value_and_return_type(const std::vector<float>& v) {
    for (float x : v) out.float32(7, x);
    return 6;
  }
  int write_attr_value_and_return_type(const Ints& v) {
    for (std::int64_t x : v) out.int64(8, x);
    return 7;
  }
  int write_attr_value_and_return_type(const Strings& v) {
    for (const std::string& x : v) out.bytes(9, x);
    return 8;
  }

  void write_node(const Node& n) {
    out.message(1, [&] {
      for (const std::string& name : n.inputs) out.bytes(1, name);
      for (const std::string& name : n.outputs) out.bytes(2, name);
      if (!n.name.empty()) out.bytes(3, n.name);
      out.bytes(4, n.op);
      for (auto& [name, attr] : n.attrs)
        out.message(5, [&] {
          out.bytes(1, name);
          out.int64(20,
                    std::visit([&](auto& v) { return write_attr_value_and_return_type(v); }, attr));
        });
      if (!n.domain.empty()) out.bytes(7, n.domain);
    });
  }

  void write_graph(const Graph& g) {
    for (const Node& n : g.nodes) write_node(n);
    out.bytes(2, g.name);
    for (const Initializer& i : g.initializers) write_initializer(i);
    for (const ValueInfo& v : g.inputs) write_value_info(11, v);
    for (const ValueInfo& v : g.outputs) write_value_info(12, v);
  }

  void write_opset_import(const std::string& domain, int version) {
    out.message(8, [&] { out.bytes(1, domain), out.int64(2, version); });
  }

  void write_model(const Model& m) {
    out.int64(1, m.ir_version);
    out.bytes(2, "oarlock");
    out.message(7, [&] { write_graph(m.graph); });
    write_opset_import("", m.opset);
    for (const std::string& domain : m.domains) write_opset_import(domain, 1);
    for (auto& [key, text] : m.metadata) write_string_entry(14, key, text);
  }
};

}  // namespace

std::string to_bytes(const Model& model) {
  Writer writer{{}, model.location};
  writer.write_model(model);
  return writer.out.take_bytes();
}

}  // namespace oarlock::onnx
