#include "capi/options.h"

#include <algorithm>
#include <functional>
#include <map>

namespace oarlock {
namespace {

constexpr std::size_t kMaxDigits = 18;

using Setter = std::function<void(Options&, const std::string&)>;

[[noreturn]] void fail(const std::string& name, const std::string& value) {
  throw Error(ErrorCode::input, "options: '" + name + "' cannot be '" + value + "'");
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
      {"spinning", number(&Options::spinning)},
      {"arena", number(&Options::arena)},
      {"mem_pattern", number(&Options::mem_pattern)},
      {"tuned", flag(&Options::tuned)},
      {"deterministic", flag(&Options::deterministic)},
      {"copy_weights", flag(&Options::copy_weights)},
      {"offsets", flag(&Options::offsets)},
      {"tf32", flag(&Options::tf32)},
      {"cuda_graph", flag(&Options::cuda_graph)},
      {"cpu_fallback", flag(&Options::cpu_fallback)},
      {"locate_guards", flag(&Options::locate_guards)},
      {"nvidia_dirs", text(&Options::nvidia_dirs)},
      {"fp16", flag(&Options::fp16)},
      {"cache_dir", text(&Options::cache_dir)},
      {"profile", text(&Options::profile)},
      {"ort_library", text(&Options::ort_library)},
      {"outputs", [](Options& o, const std::string& value) { o.outputs.push_back(value); }},
      {"warmup",
       [](Options& o, const std::string& value) { o.warmup.push_back(parse_shapes(value)); }},
  };
  return all;
}

[[noreturn]] void fail_shape(const std::string& text) {
  throw Error(ErrorCode::input, "shapes: NAME=1,3,224,224 is wanted, not '" + text + "'");
}

// The end of the shape that starts at `at`: the comma before the next name, or the end of the text.
std::size_t end_of_shape(const std::string& text, std::size_t at) {
  for (auto comma = text.find(',', at); comma != text.npos; comma = text.find(',', comma + 1))
    if (text.substr(comma + 1, text.find(',', comma + 1) - comma - 1).find('=') != text.npos)
      return comma;
  return text.size();
}

std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& whole) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    bool between = end + 1 < text.size() && (text[end] == ',' || text[end] == 'x');
    if (end == at || end - at > kMaxDigits || !(end == text.size() || between)) fail_shape(whole);
    sizes.push_back(std::stoll(text.substr(at, end - at)));
    at = end + 1;
  }
  return sizes;
}

}  // namespace

Shapes parse_shapes(const std::string& text) {
  Shapes shapes;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = end_of_shape(text, at);
    std::string one = text.substr(at, end - at);
    auto equals = one.rfind('=');
    if (equals == std::string::npos || equals == 0) fail_shape(one);
    shapes[one.substr(0, equals)] = parse_sizes(one.substr(equals + 1), one);
    at = end + 1;
  }
  return shapes;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  constexpr std::string_view provider = "provider.";
  if (name.rfind(provider, 0) == 0) {
    options.provider[name.substr(provider.size())] = value;
    return;
  }
  auto setter = setters().find(name);
  if (setter == setters().end())
    throw Error(ErrorCode::input, "options: there is no '" + name + "'");
  try {
    setter->second(options, value);
  } catch (const std::string&) {
    fail(name, value);
  }
}

}  // namespace oarlock
