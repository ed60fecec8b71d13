#include "runtime/cache_entry_manifest.h"

#include <locale>
#include <sstream>

#include "base/blake2b_digest.h"

namespace oarlock {
namespace {

constexpr const char* kNoName = "-";

void write_file_record(std::ostream& out, const char* label, const FileRecord& file) {
  out << label << ' ' << (file.name.empty() ? kNoName : file.name) << ' ' << file.digest << ' '
      << file.stamp.size << ' ' << file.stamp.inode << ' ' << file.stamp.modified_ns << ' '
      << file.stamp.changed_ns << '\n';
}

void read_file_record(std::istream& in, FileRecord& file) {
  std::string label;
  in >> label >> file.name >> file.digest >> file.stamp.size >> file.stamp.inode >>
      file.stamp.modified_ns >> file.stamp.changed_ns;
  if (file.name == kNoName) file.name.clear();
}

// A manifest may name only files of its own entry, in the same folder.
bool is_file_name_of_entry(const std::string& name, const std::string& key) {
  return name.rfind(key + "-", 0) == 0 && name.find('/') == std::string::npos;
}

}  // namespace

FileRecord make_file_record(const std::string& name, const MappedFile& file) {
  return {name, blake2b_hex_digest(file.bytes()), file.stamp()};
}

bool matches_record_updating_stamp(FileRecord& record, const MappedFile& file, bool& updated) {
  if (file.stamp() == record.stamp) return true;
  if (file.stamp().size != record.stamp.size || blake2b_hex_digest(file.bytes()) != record.digest)
    return false;
  record.stamp = file.stamp();
  return updated = true;
}

std::string format_manifest(const CacheEntryManifest& manifest, const std::string& key) {
  std::ostringstream out;
  out.imbue(std::locale::classic());  // the application's locale may group digits
  out << "oarlock-cache " << key << "\ngraph " << manifest.graph << ' ' << manifest.graph_digest
      << '\n';
  FileRecord none{"", kNoName, {}};
  write_file_record(out, "weights", manifest.weights.name.empty() ? none : manifest.weights);
  write_file_record(out, "params", manifest.params);
  return out.str() + "sum " + blake2b_hex_digest(out.str()) + "\n";
}

std::optional<CacheEntryManifest> parse_manifest(std::string_view text, const std::string& key) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  CacheEntryManifest manifest;
  std::string word;
  in >> word >> word >> word >> manifest.graph >> manifest.graph_digest;
  read_file_record(in, manifest.weights);
  read_file_record(in, manifest.params);
  bool whole = in && is_file_name_of_entry(manifest.graph, key) &&
               (manifest.weights.name.empty() || is_file_name_of_entry(manifest.weights.name, key));
  if (!whole || format_manifest(manifest, key) != text) return std::nullopt;
  return manifest;
}

}  // namespace oarlock
