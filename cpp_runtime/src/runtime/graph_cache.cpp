#include "runtime/graph_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/atomic_files.h"
#include "base/digest.h"
#include "converter_digest.h"
#include "onnx/model.h"
#include "runtime/cache_manifest.h"
#include "runtime/machine.h"

namespace oarlock {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSample = 64;
constexpr const char* kSmallestExternal = "1024";
constexpr std::size_t kMostManifest = 4096;
constexpr std::size_t kMostGraph = std::size_t{1} << 31;  // what protobuf reads
constexpr std::chrono::hours kLeftover{1};  // a start that takes longer than this loses its draft

// Tells nets of one structure apart without reading all of their weights; whether they are the same
// bytes is found out when an entry is opened.
std::string sample_of(const Params& params) {
  std::string sample;
  for (const Param& p : params.all()) sample += params.data(p).substr(p.length / 2, kSample);
  return digest_of(sample);
}

std::string key_of(const Model::Impl& model, const Library& library, const Options& o,
                   const std::string& processor) {
  Digest key;
  for (const std::string& part :
       {std::string(OARLOCK_VERSION), std::string(OARLOCK_CONVERTER_DIGEST), model.digest,
        sample_of(model.params), std::to_string(model.weights.bytes().size()), library.info.version,
        std::string(library.api.get<ort::GetBuildInfoString>()()), processor, o.device,
        std::to_string(o.optimize), std::to_string(o.deterministic), std::to_string(o.copy_weights),
        std::to_string(o.offsets)})
    key.part(part);
  for (const std::string& output : o.outputs) key.part(output);
  return key.hex();
}

// Null where another process has it.  The file is empty and stays: who removed it would let two in.
std::shared_ptr<void> locked(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0644);
  if (fd < 0) return nullptr;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return {new int(fd), [](int* held) { ::close(*held), delete held; }};
  ::close(fd);
  return nullptr;
}

bool is_written(const std::string& path, const std::string& text) {
  try {
    write_atomically(path, text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string cache_folder(const std::string& cache_dir) {
  const char* set = std::getenv("OARLOCK_CACHE_DIR");
  std::string folder = cache_dir.empty() && set ? set : cache_dir;
  return folder == "none" ? "" : folder;
}

CacheDraft::~CacheDraft() {
  if (name_.empty()) return;
  for (const std::string& file : {graph(), weights()}) ::unlink((folder_ + "/" + file).c_str());
}

void CacheDraft::ask(const Library& library, ort::SessionOptions* settings) const {
  const ort::Api& api = library.api;
  std::string file = weights();
  api.call<ort::SetOptimizedModelFilePath>(settings, (folder_ + "/" + graph()).c_str());
  api.call<ort::AddSessionConfigEntry>(
      settings, "session.optimized_model_external_initializers_file_name", file.c_str());
  api.call<ort::AddSessionConfigEntry>(
      settings, "session.optimized_model_external_initializers_min_size_in_bytes",
      kSmallestExternal);
}

std::optional<Cache> Cache::of(const Model::Impl& model, const Library& library,
                               const Options& options, const std::string& processor) {
  if (options.device != "cpu" || options.cache_dir.empty() || options.optimize == 0)
    return std::nullopt;
  std::error_code error;
  std::string folder = fs::absolute(options.cache_dir, error).string();
  return Cache(model, folder, key_of(model, library, options, processor));
}

std::optional<std::string> Cache::find() const {
  try {
    return entry();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> Cache::entry() const {
  std::string path = folder_ + "/" + key_;
  MappedFile said(path);
  if (said.bytes().size() > kMostManifest) return std::nullopt;
  auto manifest = parse_manifest(said.bytes(), key_);
  if (!manifest) return std::nullopt;
  std::string graph = folder_ + "/" + manifest->graph;
  MappedFile kept(graph);
  if (kept.bytes().size() > kMostGraph || digest_of(kept.bytes()) != manifest->graph_digest)
    return std::nullopt;
  bool moved = false;  // the same bytes at other times or places: seen again, so that the next
                       // start need not read them
  if (!manifest->weights.name.empty() &&
      !is_known(manifest->weights, MappedFile(folder_ + "/" + manifest->weights.name), moved))
    return std::nullopt;
  if (!is_known(manifest->params, model_.weights, moved)) return std::nullopt;
  if (moved)
    is_written(path,
               to_text(*manifest, key_));  // else the digests are computed at the next start too
  return graph;
}

std::optional<CacheDraft> Cache::draft(const std::optional<std::string>& refused) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  auto lock = locked(folder_ + "/" + key_ + ".lock");
  if (!lock) return std::nullopt;  // somebody else makes it
  if (auto there = find(); there && there != refused) return std::nullopt;  // or just made it
  std::string path = folder_ + "/" + key_ + "-XXXXXX";
  int fd = ::mkstemp(path.data());
  if (fd < 0) return std::nullopt;
  ::fchmod(fd, 0644);
  ::close(fd);
  return CacheDraft(folder_, base_name(path), std::move(lock));
}

void Cache::keep(CacheDraft draft) const {
  Manifest manifest;
  manifest.graph = draft.graph();
  std::string path = folder_ + "/" + draft.graph();
  std::string graph = onnx::without_packing(std::string(MappedFile(path).bytes()));
  if (!is_written(path, graph)) return;
  manifest.graph_digest = digest_of(graph);
  std::string weights = folder_ + "/" + draft.weights();
  if (is_file(weights)) {
    if (!is_on_disk(weights))
      return;  // a stamp says nothing of bytes that were lost with the power
    manifest.weights = known_file(draft.weights(), MappedFile(weights));
  }
  manifest.params = known_file("", model_.weights);
  if (!is_written(folder_ + "/" + key_, to_text(manifest, key_))) return;
  sweep(draft);
  draft.release();
}

// What earlier entries of this key left, or processes that ended early.  Another process may just
// be writing its own.
void Cache::sweep(const CacheDraft& draft) const {
  std::error_code error;
  auto old = fs::file_time_type::clock::now() - kLeftover;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    std::string name = file.path().filename().string();
    bool ours = name == draft.graph() || name == draft.weights();
    if (!ours && name.rfind(key_ + "-", 0) == 0 && file.last_write_time(error) < old)
      fs::remove(file.path(), error);
  }
}

}  // namespace oarlock
