// Deterministic fuzzing: a number of iterations, or OARLOCK_FUZZ_SECONDS per target.
#pragma once
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>

#include "check.h"

namespace fuzz {

/// Random choices determined by seed and iteration.
class Dice {
 public:
  Dice(std::uint32_t seed, std::uint32_t round) {
    std::seed_seq both{seed, round};
    source_.seed(both);
  }
  std::size_t below(std::size_t count) { return count ? source_() % count : 0; }
  bool once_in(std::size_t count) { return below(count) == 0; }
  char byte() { return static_cast<char>(source_()); }
  template <class T>
  const T& of(std::span<const T> things) {
    return things[below(things.size())];
  }

 private:
  std::mt19937 source_;
};

inline int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// The number of iterations of `once` that throw an Error; other exceptions are failures that name
/// the iteration.  OARLOCK_FUZZ_SEED selects other iterations, OARLOCK_FUZZ_ONLY a single one.
inline int rejected(int rounds, const std::function<void(Dice&)>& once) {
  using Clock = std::chrono::steady_clock;
  static const int seconds = setting("OARLOCK_FUZZ_SECONDS", 0),
                   only = setting("OARLOCK_FUZZ_ONLY", -1);
  static const auto seed = static_cast<std::uint32_t>(setting("OARLOCK_FUZZ_SEED", 20741));
  auto end = Clock::now() + std::chrono::seconds(seconds);
  int count = 0, round = only < 0 ? 0 : only;
  for (; only < 0 ? round < rounds || Clock::now() < end : round == only; ++round) try {
      Dice dice(seed, static_cast<std::uint32_t>(round));
      once(dice);
    } catch (const oarlock::Error&) {
      ++count;
    } catch (const std::exception& error) {
      check::failed(__FILE__, __LINE__,
                    "round " + std::to_string(round) + " threw: " + error.what());
    }
  if (seconds) std::printf("%d rounds, %d rejected\n", round, count);
  return count;
}

/// `good` with one to four bytes or short ranges changed, removed, duplicated or truncated.
inline std::string damaged(const std::string& good, Dice& dice) {
  std::string bytes = good;
  for (std::size_t times = 1 + dice.below(4); times-- > 0 && !bytes.empty();) {
    std::size_t at = dice.below(bytes.size());
    switch (dice.below(6)) {
      case 0:
        bytes[at] = dice.byte();
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << dice.below(8));
        break;
      case 2:
        bytes.erase(at, 1 + dice.below(8));
        break;
      case 3:
        bytes.insert(at, 1 + dice.below(8), dice.byte());
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes[at] = "\x00\x01\x7f\x80\xff"[dice.below(5)];
    }
  }
  return bytes;
}

}  // namespace fuzz
