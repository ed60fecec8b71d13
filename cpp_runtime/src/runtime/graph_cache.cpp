#include "runtime/graph_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/atomic_files.h"
#include "base/blake2b_digest.h"
#include "converter_digest.h"
#include "oarlock/version.h"
#include "onnx/model.h"
#include "runtime/cache_entry_manifest.h"
#include "runtime/machine.h"

namespace oarlock {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSampleBytes = 64;
constexpr const char* kMinExternalBytes = "1024";
constexpr std::size_t kMaxManifestBytes = 4096;
constexpr std::size_t kMaxGraphBytes = std::size_t{1} << 31;  // the limit of protobuf
constexpr std::chrono::hours kLeftoverAge{1};                 // a draft older than this is removed

// A digest of samples of the weights, which distinguishes models of equal structure without reading
// all weights. The digest of all weights is compared when an entry is opened.
std::string weights_sample_digest(const Params& params) {
  std::string sample;
  for (const ParamRecord& p : params.all())
    sample += params.data(p).substr(p.length / 2, kSampleBytes);
  return blake2b_hex_digest(sample);
}

std::string cache_key(const Model::Impl& model, const Library& library, const Options& o,
                      const std::string& processor) {
  Blake2bDigest key;
  for (const std::string& part :
       {std::string(OARLOCK_VERSION), std::string(OARLOCK_CONVERTER_DIGEST), model.digest,
        weights_sample_digest(model.params), std::to_string(model.weights_bytes().size()),
        library.info.version, std::string(library.api.get<ort::GetBuildInfoString>()()), processor,
        o.device, std::to_string(o.optimize), std::to_string(o.deterministic),
        std::to_string(o.copy_weights), std::to_string(o.offsets)})
    key.add_with_length(part);
  for (const std::string& output : o.outputs) key.add_with_length(output);
  return key.finalize_to_hex();
}

// Locks the file `path`; returns null if another process holds the lock. The lock file is never
// removed, because two processes could then hold locks at the same time.
std::shared_ptr<void> try_lock(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0644);
  if (fd < 0) return nullptr;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return {new int(fd), [](int* lock) { ::close(*lock), delete lock; }};
  ::close(fd);
  return nullptr;
}

bool try_write_atomically(const std::string& path, const std::string& text) {
  try {
    write_atomically(path, text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string cache_folder_or_empty_if_disabled(const std::string& cache_dir) {
  const char* set = std::getenv("OARLOCK_CACHE_DIR");
  std::string folder = cache_dir.empty() && set ? set : cache_dir;
  return folder == "none" ? "" : folder;
}

CacheDraft::~CacheDraft() {
  if (name_.empty()) return;
  for (const std::string& file : {graph_file_name(), weights_file_name()})
    ::unlink((folder_ + "/" + file).c_str());
}

void CacheDraft::configure_session_to_save_graph(const Library& library,
                                                 ort::SessionOptions* settings) const {
  const ort::Api& api = library.api;
  std::string file = weights_file_name();
  api.call<ort::SetOptimizedModelFilePath>(settings, (folder_ + "/" + graph_file_name()).c_str());
  api.call<ort::AddSessionConfigEntry>(
      settings, "session.optimized_model_external_initializers_file_name", file.c_str());
  api.call<ort::AddSessionConfigEntry>(
      settings, "session.optimized_model_external_initializers_min_size_in_bytes",
      kMinExternalBytes);
}

std::optional<GraphCache> GraphCache::create(const Model::Impl& model, const Library& library,
                                             const Options& options, const std::string& processor) {
  if (model.weights_in_memory) return std::nullopt;  // perhaps secret: they stay in memory
  if (options.device != "cpu" || !options.execution_provider.empty() || options.cache_dir.empty() ||
      options.optimize == 0)
    return std::nullopt;
  std::error_code error;
  std::string folder = fs::absolute(options.cache_dir, error).string();
  return GraphCache(model, folder, cache_key(model, library, options, processor));
}

std::optional<std::string> GraphCache::find_valid_graph_path() const {
  try {
    return read_validated_graph_path();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> GraphCache::read_validated_graph_path() const {
  std::string path = folder_ + "/" + key_;
  MappedFile manifest_file(path);
  if (manifest_file.bytes().size() > kMaxManifestBytes) return std::nullopt;
  auto manifest = parse_manifest(manifest_file.bytes(), key_);
  if (!manifest) return std::nullopt;
  std::string graph = folder_ + "/" + manifest->graph;
  MappedFile graph_file(graph);
  if (graph_file.bytes().size() > kMaxGraphBytes ||
      blake2b_hex_digest(graph_file.bytes()) != manifest->graph_digest)
    return std::nullopt;
  bool updated = false;  // same content, new metadata: recorded, so that the next start does not
                         // compute the digest
  if (!manifest->weights.name.empty() &&
      !matches_record_updating_stamp(manifest->weights,
                                     MappedFile(folder_ + "/" + manifest->weights.name), updated))
    return std::nullopt;
  if (!matches_record_updating_stamp(manifest->params, model_.weights, updated))
    return std::nullopt;
  if (updated)
    try_write_atomically(
        path,
        format_manifest(*manifest,
                        key_));  // best effort: otherwise the next start computes the digests again
  return graph;
}

std::optional<CacheDraft> GraphCache::try_begin_entry(
    const std::optional<std::string>& rejected_graph) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  auto lock = try_lock(folder_ + "/" + key_ + ".lock");
  if (!lock) return std::nullopt;  // another process writes it
  if (auto existing = find_valid_graph_path(); existing && existing != rejected_graph)
    return std::nullopt;  // or has just written it
  std::string path = folder_ + "/" + key_ + "-XXXXXX";
  int fd = ::mkstemp(path.data());
  if (fd < 0) return std::nullopt;
  ::fchmod(fd, 0644);
  ::close(fd);
  return CacheDraft(folder_, base_name(path), std::move(lock));
}

void GraphCache::try_commit_entry(CacheDraft draft) const {
  CacheEntryManifest manifest;
  manifest.graph = draft.graph_file_name();
  std::string path = folder_ + "/" + draft.graph_file_name();
  std::string graph =
      onnx::make_matmul_weights_inputs_if_minor_share(std::string(MappedFile(path).bytes()));
  if (!try_write_atomically(path, graph)) return;
  manifest.graph_digest = blake2b_hex_digest(graph);
  std::string weights = folder_ + "/" + draft.weights_file_name();
  if (is_file(weights)) {
    if (!try_sync_to_disk(weights))
      return;  // metadata does not cover bytes lost in a power failure
    manifest.weights = make_file_record(draft.weights_file_name(), MappedFile(weights));
  }
  manifest.params = make_file_record("", model_.weights);
  if (!try_write_atomically(folder_ + "/" + key_, format_manifest(manifest, key_))) return;
  remove_outdated_files_of_key(draft);
  draft.mark_committed();
}

// Removes the files of earlier entries with this key, and those that processes left behind when
// they were killed; files that another process may be writing are kept.
void GraphCache::remove_outdated_files_of_key(const CacheDraft& draft) const {
  std::error_code error;
  auto old = fs::file_time_type::clock::now() - kLeftoverAge;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    std::string name = file.path().filename().string();
    bool ours = name == draft.graph_file_name() || name == draft.weights_file_name();
    if (!ours && name.rfind(key_ + "-", 0) == 0 && file.last_write_time(error) < old)
      fs::remove(file.path(), error);
  }
}

}  // namespace oarlock
