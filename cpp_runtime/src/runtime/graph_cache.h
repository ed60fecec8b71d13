// Graphs that the engine has optimised, kept on disk: a later session of the same model opens what
// the first one made.
//
// An entry is a manifest, named by a digest of everything that the graph depends on, and two files
// that it names: the graph and its weights.  Nothing is believed: the manifest ends with a digest
// of itself, the graph is compared with its digest at every start, and the two large files are
// taken as unchanged only while size, inode and times are those that were seen together with their
// digest.  What does not fit is no entry.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "runtime/machine.h"
#include "runtime/model_impl.h"
#include "runtime/ort/ort_library.h"

namespace oarlock {

/// The files of an entry in the making; removed again unless it was kept.
class CacheDraft {
 public:
  /// lock: held until the draft is gone
  CacheDraft(std::string folder, std::string name, std::shared_ptr<void> lock)
      : folder_(std::move(folder)), name_(std::move(name)), lock_(std::move(lock)) {}
  CacheDraft(CacheDraft&& other) noexcept
      : folder_(std::move(other.folder_)),
        name_(std::exchange(other.name_, "")),
        lock_(std::move(other.lock_)) {}
  ~CacheDraft();

  /// Have the engine write the graph when it makes a session.
  void ask(const Library& library, ort::SessionOptions* settings) const;
  std::string graph() const { return name_; }
  std::string weights() const { return name_ + ".weights"; }
  void release() { name_.clear(); }

 private:
  std::string folder_, name_;
  std::shared_ptr<void> lock_;
};

class Cache {
 public:
  /// The cache that `options` ask for; none for devices whose graphs cannot be kept.
  static std::optional<Cache> of(const Model::Impl& model, const Library& library,
                                 const Options& options,
                                 const std::string& processor = processor_word());

  /// The path of the graph; nullopt where there is none that is whole.
  std::optional<std::string> find() const;
  /// nullopt where the folder cannot be written, or another process is making the same entry.
  /// refused: the graph of an entry that the engine did not take
  std::optional<CacheDraft> draft(const std::optional<std::string>& refused) const;
  /// Make an entry of what the engine wrote.   Error(file) where that is not there.
  void keep(CacheDraft draft) const;

 private:
  Cache(const Model::Impl& model, std::string folder, std::string key)
      : model_(model), folder_(std::move(folder)), key_(std::move(key)) {}
  std::optional<std::string> entry() const;
  void sweep(const CacheDraft& draft) const;

  const Model::Impl& model_;
  std::string folder_, key_;
};

/// The folder that `cache_dir` means; "" for nowhere.
std::string cache_folder(const std::string& cache_dir);

}  // namespace oarlock
