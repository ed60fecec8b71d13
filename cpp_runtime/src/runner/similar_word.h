// Suggestions for misspelled words.
#pragma once
#include <string>
#include <vector>

namespace oarlock::runner {

/// ", did you mean X?" for the word of `words` that is most similar to `word`; "" if none is
/// similar.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& words);

/// The same for the path prefixes of the models that are in the folder of `prefix`.
std::string did_you_mean_model(const std::string& prefix);

}  // namespace oarlock::runner
