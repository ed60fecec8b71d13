#include "paddle/contract.h"

#include "base/escape_text.h"
#include "base/utf8.h"
#include "paddle/validator.h"

namespace oarlock {
namespace {

std::string text(Wire& w) {
  std::string_view bytes = w.bytes();
  if (!is_utf8(bytes)) w.fail("text that is not UTF-8");
  return std::string(bytes);
}

Arg read_arg(Wire w) {
  Arg arg;
  while (w.next()) switch (w.field()) {
      case 1:
        arg.name = text(w);
        break;
      case 2:
        arg.dtype = static_cast<DType>(w.int32());
        break;
      case 3:
        w.each_int64([&](auto d) { arg.shape.push_back(d); });
        break;
      case 4:
        arg.path = text(w);
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
        guard.kind = text(w);
        break;
      case 2:
        guard.var = text(w);
        break;
      case 3:
        guard.axis = w.int64();
        break;
      case 4:
        guard.expected = shown(text(w));
        break;
      case 5:
        guard.reader = shown(text(w), true);  // of an assert, with its message
        break;
      case 6:
        guard.where = shown(text(w));
        break;
      case 7:
        guard.text = shown(text(w));
        break;
      default:
        w.skip();
    }
  return guard;
}

}  // namespace

void read_contract(Wire w, std::string_view piece, Contract& c) {
  c.bytes += piece;
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
        c.output_tree = text(w);
        break;
      case 5:
        c.guards.push_back(read_guard(w.sub("Guard")));
        break;
      case 6:
        c.producer = shown(text(w));
        break;
      case 7:
        c.verified = shown(text(w));
        break;
      default:
        w.skip();
    }
}

}  // namespace oarlock
