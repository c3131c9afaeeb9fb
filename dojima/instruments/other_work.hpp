#pragma once

// What processors did besides this process: other programs, the kernel's own work, and what a host took from its guest.
// A measured wait has that in it, and no forecast knows of it. By the kernel's count of ticks (/proc/stat), so it wants
// some tenths of a second to be of use.
//
//   const OtherWork others({0, 1});
//   ...                                  // what is measured
//   others.share()                       // 0.12: an eighth of both processors went elsewhere

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dojima::instruments {

/// Ticks that these processors were not idle, the host's included, by the text of /proc/stat. None: the text does not
/// have one of them.
[[nodiscard]] std::optional<std::int64_t> busy_ticks(const std::string& stat, const std::vector<int>& cpus);

class OtherWork {
 public:
  /// Begins to count.
  explicit OtherWork(std::vector<int> cpus);
  /// Of the processors' time since then, 0 to 1. None: the kernel does not say, or no time has passed.
  [[nodiscard]] std::optional<double> share() const;

 private:
  struct Count {
    std::optional<std::int64_t> busy;
    std::chrono::nanoseconds own{};  // processor time of this process
    std::chrono::steady_clock::time_point at;
  };
  [[nodiscard]] Count count() const;

  std::vector<int> cpus_;
  Count begun_;
};

}  // namespace dojima::instruments
