// The manifest of a cache entry.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"

namespace oarlock {

/// A file whose content had `digest` when its metadata was `stamp`.
struct FileRecord {
  std::string name, digest;
  FileStamp stamp;
};

/// The files of one cache entry.
struct CacheEntryManifest {
  std::string graph, graph_digest;
  FileRecord weights;  // without a name if the graph has no weights
  FileRecord params;   // the `.pdiparams`, at any path
};

FileRecord make_file_record(const std::string& name, const MappedFile& file);

/// Whether `file` has the recorded content.  If only its metadata changed, updates `record` and
/// sets `updated`.
bool matches_record_updating_stamp(FileRecord& record, const MappedFile& file, bool& updated);

std::string format_manifest(const CacheEntryManifest& manifest, const std::string& key);
/// Returns nullopt unless `text` equals, byte by byte, the output of format_manifest() for `key`.
std::optional<CacheEntryManifest> parse_manifest(std::string_view text, const std::string& key);

}  // namespace oarlock
