#include "run/options.h"

#include <functional>
#include <map>

namespace oarlock {
namespace {

using Setter = std::function<void(Options&, const std::string&)>;

[[noreturn]] void refuse(const std::string& name, const std::string& value) {
  throw Error(Fault::input, "options: '" + name + "' cannot be '" + value + "'");
}

Setter number(int Options::* member) {
  return [member](Options& o, const std::string& text) {
    std::size_t used = 0;
    try {
      o.*member = std::stoi(text, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != text.size()) throw text;
  };
}

Setter flag(bool Options::* member) {
  return [member](Options& o, const std::string& text) {
    if (text != "0" && text != "1") throw text;
    o.*member = text == "1";
  };
}

Setter text(std::string Options::* member) {
  return [member](Options& o, const std::string& value) { o.*member = value; };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"device", text(&Options::device)},
      {"device_id", number(&Options::device_id)},
      {"threads", number(&Options::threads)},
      {"inter_threads", number(&Options::inter_threads)},
      {"optimize", number(&Options::optimize)},
      {"deterministic", flag(&Options::deterministic)},
      {"copy_weights", flag(&Options::copy_weights)},
      {"tf32", flag(&Options::tf32)},
      {"fp16", flag(&Options::fp16)},
      {"cache_dir", text(&Options::cache_dir)},
      {"profile", text(&Options::profile)},
      {"ort_library", text(&Options::ort_library)},
      {"outputs", [](Options& o, const std::string& value) { o.outputs.push_back(value); }},
  };
  return all;
}

}  // namespace

void set_option(Options& options, const std::string& name, const std::string& value) {
  constexpr std::string_view provider = "provider.";
  if (name.rfind(provider, 0) == 0) {
    options.provider[name.substr(provider.size())] = value;
    return;
  }
  auto setter = setters().find(name);
  if (setter == setters().end()) throw Error(Fault::input, "options: there is no '" + name + "'");
  try {
    setter->second(options, value);
  } catch (const std::string&) {
    refuse(name, value);
  }
}

}  // namespace oarlock
