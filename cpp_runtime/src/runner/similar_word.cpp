#include "runner/similar_word.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace oarlock::runner {
namespace {

constexpr std::size_t kMaxEntries = 10'000;  // of a folder that are compared

// The Levenshtein distance: the smallest number of inserted, removed and replaced characters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
  std::size_t smallest = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string closest;
  for (const std::string& candidate : words) {
    std::size_t distance = edit_distance(word, candidate);
    if (distance < smallest) smallest = distance, closest = candidate;
  }
  return closest.empty() ? "" : ", did you mean " + closest + "?";
}

std::string did_you_mean_model(const std::string& prefix) {
  std::filesystem::path path(prefix), folder = path.parent_path();
  std::error_code error;
  std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, error), end;
  std::vector<std::string> prefixes;
  for (std::size_t count = 0; !error && entries != end && count < kMaxEntries; ++count) {
    const std::filesystem::path& file = entries->path();
    if (file.extension() == ".pdmodel" || file.extension() == ".json")
      prefixes.push_back((folder / file.stem()).string());
    entries.increment(error);
  }
  std::sort(prefixes.begin(), prefixes.end());
  return did_you_mean(prefix, prefixes);
}

}  // namespace oarlock::runner
