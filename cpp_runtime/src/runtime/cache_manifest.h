// What the manifest of a cache entry says.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"

namespace oarlock {

/// A file whose bytes had `digest` when it had `stamp`.
struct KnownFile {
  std::string name, digest;
  Stamp stamp;
};

struct Manifest {
  std::string graph, graph_digest;
  KnownFile weights;  // no name: the graph has none
  KnownFile params;   // the `.pdiparams`, wherever it lies
};

KnownFile known_file(const std::string& name, const MappedFile& file);

/// Whether `file` has the bytes that are known.   Where only its stamp is new, `known` takes it and
/// `moved` is set.
bool is_known(KnownFile& known, const MappedFile& file, bool& moved);

std::string to_text(const Manifest& manifest, const std::string& key);
/// nullopt for text that is not, byte for byte, what to_text() gives for `key`.
std::optional<Manifest> parse_manifest(std::string_view text, const std::string& key);

}  // namespace oarlock
