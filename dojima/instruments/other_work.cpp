#include "dojima/instruments/other_work.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <unistd.h>
#include <utility>

#include "dojima/evidence/host/system_files.hpp"

namespace dojima::instruments {
namespace {

/// Behind a processor's name are user, nice, system, idle, iowait, irq, softirq, steal; what guests took is in the
/// first two.
constexpr std::array<std::size_t, 6> k_busy_columns{1, 2, 3, 6, 7, 8};

}  // namespace

std::optional<std::int64_t> busy_ticks(const std::string& stat, const std::vector<int>& cpus) {
  std::int64_t ticks = 0;
  for (const int cpu : cpus) {
    const std::string name = "cpu" + std::to_string(cpu);
    bool is_found = false;
    for (const std::string& line : evidence::lines_of(stat)) {
      const std::vector<std::string> words = evidence::words_of(line);
      if (words.size() < 9 || words.front() != name) continue;
      is_found = true;
      for (const std::size_t column : k_busy_columns) ticks += evidence::whole_of(words[column]).value_or(0);
    }
    if (!is_found) return std::nullopt;
  }
  return ticks;
}

OtherWork::OtherWork(std::vector<int> cpus) : cpus_(std::move(cpus)), begun_(count()) {}

OtherWork::Count OtherWork::count() const {
  timespec own{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  const auto text = evidence::read_text("/proc/stat");
  return {.busy = text ? busy_ticks(*text, cpus_) : std::nullopt,
          .own = std::chrono::seconds{own.tv_sec} + std::chrono::nanoseconds{own.tv_nsec},
          .at = std::chrono::steady_clock::now()};
}

std::optional<double> OtherWork::share() const {
  const Count now = count();
  const double elapsed_s = std::chrono::duration<double>(now.at - begun_.at).count();
  if (!now.busy || !begun_.busy || cpus_.empty() || elapsed_s <= 0) return std::nullopt;
  const double busy_s = static_cast<double>(*now.busy - *begun_.busy) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double own_s = std::chrono::duration<double>(now.own - begun_.own).count();
  return std::clamp((busy_s - own_s) / (elapsed_s * static_cast<double>(cpus_.size())), 0.0, 1.0);
}

}  // namespace dojima::instruments
