#include "dojima/instruments/cpu_list.hpp"

#include <charconv>
#include <optional>
#include <sched.h>

namespace dojima::instruments {
namespace {

constexpr int k_most = 4096;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_right = error == std::errc() && end == text.data() + text.size() && number >= 0 && number < k_most;
  return is_right ? std::optional(number) : std::nullopt;
}

}  // namespace

std::expected<std::vector<int>, std::string> parse_cpu_list(std::string_view text) {
  const auto refused = [text] {
    return std::unexpected("\"" + std::string(text) + "\": expected processors such as 0,2 or 0-3");
  };
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t dash = part.find('-');
    const auto first = number_of(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (!first || !last || *last < *first) return refused();
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (cpus.size() > k_most) return refused();
    text.remove_prefix(part.size());
    if (text == ",") return refused();
    if (!text.empty()) text.remove_prefix(1);
  }
  return cpus;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

int chosen_cpu(std::optional<int> wanted) {
  const std::vector<int> allowed = allowed_cpus();
  return wanted.value_or(allowed.empty() ? 0 : allowed.back());
}

std::string cpus_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ", ") + std::to_string(cpu);
  return text;
}

}  // namespace dojima::instruments
