#include "runtime/cache_manifest.h"

#include <locale>
#include <sstream>

#include "base/digest.h"

namespace oarlock {
namespace {

constexpr const char* kNobody = "-";

void put(std::ostream& out, const char* what, const KnownFile& file) {
  out << what << ' ' << (file.name.empty() ? kNobody : file.name) << ' ' << file.digest << ' '
      << file.stamp.size << ' ' << file.stamp.inode << ' ' << file.stamp.modified << ' '
      << file.stamp.changed << '\n';
}

void take(std::istream& in, KnownFile& file) {
  std::string what;
  in >> what >> file.name >> file.digest >> file.stamp.size >> file.stamp.inode >>
      file.stamp.modified >> file.stamp.changed;
  if (file.name == kNobody) file.name.clear();
}

// A manifest names only files of its own entry, beside itself.
bool is_own(const std::string& name, const std::string& key) {
  return name.rfind(key + "-", 0) == 0 && name.find('/') == std::string::npos;
}

}  // namespace

KnownFile known_file(const std::string& name, const MappedFile& file) {
  return {name, digest_of(file.bytes()), file.stamp()};
}

bool is_known(KnownFile& known, const MappedFile& file, bool& moved) {
  if (file.stamp() == known.stamp) return true;
  if (file.stamp().size != known.stamp.size || digest_of(file.bytes()) != known.digest)
    return false;
  known.stamp = file.stamp();
  return moved = true;
}

std::string to_text(const Manifest& manifest, const std::string& key) {
  std::ostringstream out;
  out.imbue(std::locale::classic());  // an application may have chosen one that groups digits
  out << "oarlock-cache " << key << "\ngraph " << manifest.graph << ' ' << manifest.graph_digest
      << '\n';
  KnownFile none{"", kNobody, {}};
  put(out, "weights", manifest.weights.name.empty() ? none : manifest.weights);
  put(out, "params", manifest.params);
  return out.str() + "sum " + digest_of(out.str()) + "\n";
}

std::optional<Manifest> parse_manifest(std::string_view text, const std::string& key) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  Manifest found;
  std::string word;
  in >> word >> word >> word >> found.graph >> found.graph_digest;
  take(in, found.weights);
  take(in, found.params);
  bool whole = in && is_own(found.graph, key) &&
               (found.weights.name.empty() || is_own(found.weights.name, key));
  if (!whole || to_text(found, key) != text) return std::nullopt;
  return found;
}

}  // namespace oarlock
