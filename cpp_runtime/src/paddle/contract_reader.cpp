#include "paddle/contract_reader.h"

#include "base/escape_control_characters.h"
#include "base/utf8.h"

namespace oarlock {
namespace {

std::string read_utf8(WireReader& w) {
  std::string_view bytes = w.bytes();
  if (!is_utf8(bytes)) w.fail("text that is not UTF-8");
  return std::string(bytes);
}

NamedDim read_named_dim(WireReader w) {
  NamedDim dim;
  dim.range.multiple = 0;  // a missing number is 0, as in protobuf
  while (w.next()) switch (w.field_number()) {
      case 1:
        dim.axis = w.int64();
        break;
      case 2:
        dim.name = read_utf8(w);
        break;
      case 3:
        dim.range.min = w.int64();
        break;
      case 4:
        dim.range.max = w.int64();
        break;
      case 5:
        dim.range.multiple = w.int64();
        break;
      default:
        w.skip();
    }
  return dim;
}

ContractInputOrOutput read_contract_input_or_output(WireReader w) {
  ContractInputOrOutput arg;
  while (w.next()) switch (w.field_number()) {
      case 1:
        arg.name = read_utf8(w);
        break;
      case 2:
        arg.dtype = static_cast<DType>(w.int32());
        break;
      case 3:
        w.for_each_int64([&](auto d) { arg.shape.push_back(d); });
        break;
      case 4:
        arg.path = read_utf8(w);
        break;
      case 5:
        arg.named_dims.push_back(read_named_dim(w.submessage("NamedDim")));
        break;
      default:
        w.skip();
    }
  if (arg.name.empty()) w.fail("an argument without a name");
  return arg;
}

Guard read_guard(WireReader w) {
  Guard guard;
  while (w.next()) switch (w.field_number()) {
      case 1:
        guard.kind = read_utf8(w);
        break;
      case 2:
        guard.var = read_utf8(w);
        break;
      case 3:
        guard.axis = w.int64();
        break;
      case 4:
        guard.expected = escape_control_characters(read_utf8(w));
        break;
      case 5:
        guard.reader = escape_control_characters(
            read_utf8(w), true);  // the message of an assert may have several lines
        break;
      case 6:
        guard.location = escape_control_characters(read_utf8(w));
        break;
      case 7:
        guard.text = escape_control_characters(read_utf8(w));
        break;
      default:
        w.skip();
    }
  return guard;
}

}  // namespace

void read_into_contract(WireReader w, std::string_view payload, Contract& c) {
  c.bytes += payload;
  while (w.next()) switch (w.field_number()) {
      case 1:
        c.version = w.int32();
        break;
      case 2:
        c.inputs.push_back(read_contract_input_or_output(w.submessage("Arg")));
        break;
      case 3:
        c.outputs.push_back(read_contract_input_or_output(w.submessage("Arg")));
        break;
      case 4:
        c.output_tree = read_utf8(w);
        break;
      case 5:
        c.guards.push_back(read_guard(w.submessage("Guard")));
        break;
      case 6:
        c.producer = escape_control_characters(read_utf8(w));
        break;
      case 7:
        c.verified = escape_control_characters(read_utf8(w));
        break;
      default:
        w.skip();
    }
}

}  // namespace oarlock
