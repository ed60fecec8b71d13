#include "read/contract.h"

#include "read/shown.h"

namespace oarlock {
namespace {

Arg read_arg(Wire w) {
  Arg arg;
  while (w.next()) switch (w.field()) {
      case 1:
        arg.name = w.string();
        break;
      case 2:
        arg.dtype = static_cast<DType>(w.int32());
        break;
      case 3:
        w.each_int64([&](auto d) { arg.shape.push_back(d); });
        break;
      case 4:
        arg.path = w.string();
        break;
      default:
        w.skip();
    }
  if (arg.name.empty()) w.fail("an argument without a name");
  return arg;
}

Guard read_guard(Wire w) {
  Guard guard;
  while (w.next()) switch (w.field()) {
      case 1:
        guard.kind = w.string();
        break;
      case 2:
        guard.var = w.string();
        break;
      case 3:
        guard.axis = w.int64();
        break;
      case 4:
        guard.expected = shown(w.string());
        break;
      case 5:
        guard.reader = shown(w.string(), true);  // of an assert, with its message
        break;
      case 6:
        guard.where = shown(w.string());
        break;
      case 7:
        guard.text = shown(w.string());
        break;
      default:
        w.skip();
    }
  return guard;
}

}  // namespace

Contract read_contract(Wire w, std::string_view piece) {
  Contract c;
  c.bytes = std::string(piece);
  while (w.next()) switch (w.field()) {
      case 1:
        c.version = w.int32();
        break;
      case 2:
        c.inputs.push_back(read_arg(w.sub("Arg")));
        break;
      case 3:
        c.outputs.push_back(read_arg(w.sub("Arg")));
        break;
      case 4:
        c.output_tree = w.string();
        break;
      case 5:
        c.guards.push_back(read_guard(w.sub("Guard")));
        break;
      case 6:
        c.producer = shown(w.string());
        break;
      case 7:
        c.verified = shown(w.string());
        break;
      default:
        w.skip();
    }
  return c;
}

}  // namespace oarlock
