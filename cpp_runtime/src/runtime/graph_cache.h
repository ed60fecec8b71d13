// On-disk cache of optimized graphs: a later session of the same model loads the graph that an
// earlier one saved.  An entry is a manifest, named by a digest of everything that the graph
// depends on, and two files that it names: the graph and its weights.  Entries are not trusted: the
// manifest ends with its own digest, and the graph's digest is checked at every start.  The digests
// of the two large files, the entry's weights and the model's `.pdiparams`, are computed again only
// if inode or times differ from those recorded with the digest; another size makes the entry
// invalid.  Invalid entries are ignored.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "runtime/machine.h"
#include "runtime/model_impl.h"
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// The files of an entry that is being written; removed unless committed.
class CacheDraft {
 public:
  /// lock: held during the lifetime of the draft
  CacheDraft(std::string folder, std::string name, std::shared_ptr<void> lock)
      : folder_(std::move(folder)), name_(std::move(name)), lock_(std::move(lock)) {}
  CacheDraft(CacheDraft&& other) noexcept
      : folder_(std::move(other.folder_)),
        name_(std::exchange(other.name_, "")),
        lock_(std::move(other.lock_)) {}
  ~CacheDraft();

  /// Configures ONNX Runtime to write the optimized graph when it creates a session.
  void configure_session_to_save_graph(const Library& library, ort::SessionOptions* settings) const;
  std::string graph_file_name() const { return name_; }
  std::string weights_file_name() const { return name_ + ".weights"; }
  void mark_committed() { name_.clear(); }

 private:
  std::string folder_, name_;
  std::shared_ptr<void> lock_;
};

class GraphCache {
 public:
  /// The cache that `options` request; nullopt if there is no cache folder, if optimize is 0, for
  /// models whose weights are in memory, and for devices and execution providers whose graphs
  /// cannot be saved.
  static std::optional<GraphCache> create(const Model::Impl& model, const Library& library,
                                          const Options& options,
                                          const std::string& processor = processor_model_id());

  /// The path of the graph; nullopt if there is no valid entry.
  std::optional<std::string> find_valid_graph_path() const;
  /// Starts an entry.  Returns nullopt if the folder cannot be written, or if another process
  /// writes the same entry. rejected_graph: the path of the graph of a
  /// valid entry that ONNX Runtime could not load; nullopt if there was none
  std::optional<CacheDraft> try_begin_entry(const std::optional<std::string>& rejected_graph) const;
  /// Commits the files that ONNX Runtime wrote, by writing the manifest that names them; drops the
  /// draft if a file cannot be written.  Throws Error(file) if the graph cannot be read.
  void try_commit_entry(CacheDraft draft) const;

 private:
  GraphCache(const Model::Impl& model, std::string folder, std::string key)
      : model_(model), folder_(std::move(folder)), key_(std::move(key)) {}
  /// As find_valid_graph_path(), but throws Error if a file cannot be read. Rewrites the manifest
  /// if only the metadata of the files changed.
  std::optional<std::string> read_validated_graph_path() const;
  void remove_outdated_files_of_key(const CacheDraft& draft) const;

  const Model::Impl& model_;
  std::string folder_, key_;
};

/// The folder that the option `cache_dir` selects; "" for none.
std::string cache_folder_or_empty_if_disabled(const std::string& cache_dir);

}  // namespace oarlock
