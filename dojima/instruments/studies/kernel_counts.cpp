#include "dojima/instruments/studies/kernel_counts.hpp"

#include <algorithm>
#include <sys/resource.h>
#include <vector>

#include "dojima/evidence/host/system_files.hpp"

namespace dojima::instruments {
namespace {

std::optional<std::int64_t> between(const std::optional<std::int64_t>& after,
                                    const std::optional<std::int64_t>& before) {
  return after && before ? std::optional(*after - *before) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> interrupts_of(const std::string& text, int cpu) {
  const std::vector<std::string> lines = evidence::lines_of(text);
  if (lines.empty()) return std::nullopt;
  const std::vector<std::string> head = evidence::words_of(lines.front());
  const auto found = std::ranges::find(head, "CPU" + std::to_string(cpu));
  if (found == head.end()) return std::nullopt;
  // Each line begins with its name; lines with one count for all processors are left out.
  const auto column = static_cast<std::size_t>(found - head.begin()) + 1;
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> words = evidence::words_of(lines[i]);
    if (words.size() <= head.size()) continue;
    sum += evidence::whole_of(words[column]).value_or(0);
  }
  return sum;
}

std::optional<std::int64_t> steal_of(const std::string& text, int cpu) {
  const std::string name = "cpu" + std::to_string(cpu);
  for (const std::string& line : evidence::lines_of(text)) {
    const std::vector<std::string> words = evidence::words_of(line);
    if (words.size() > 8 && words.front() == name) return evidence::whole_of(words[8]);
  }
  return std::nullopt;
}

KernelCounts read_kernel_counts(int cpu) {
  KernelCounts counts;
  if (const auto text = evidence::read_text("/proc/interrupts")) counts.interrupts = interrupts_of(*text, cpu);
  if (const auto text = evidence::read_text("/proc/stat")) counts.steal_ticks = steal_of(*text, cpu);
  if (const auto text = evidence::read_text("/proc/thread-self/schedstat")) {
    const std::vector<std::string> words = evidence::words_of(*text);
    if (words.size() > 1) counts.waited_ns = evidence::whole_of(words[1]);
  }
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  counts.faults = usage.ru_minflt + usage.ru_majflt;
  counts.voluntary_switches = usage.ru_nvcsw;
  counts.involuntary_switches = usage.ru_nivcsw;
  return counts;
}

KernelCounts operator-(const KernelCounts& after, const KernelCounts& before) {
  return {.interrupts = between(after.interrupts, before.interrupts),
          .steal_ticks = between(after.steal_ticks, before.steal_ticks),
          .waited_ns = between(after.waited_ns, before.waited_ns),
          .faults = after.faults - before.faults,
          .voluntary_switches = after.voluntary_switches - before.voluntary_switches,
          .involuntary_switches = after.involuntary_switches - before.involuntary_switches};
}

}  // namespace dojima::instruments
