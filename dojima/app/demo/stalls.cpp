#include "dojima/app/demo/stalls.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "dojima/queueing/sampler.hpp"

namespace dojima::app::demo {
namespace {

using Gap = link::Interruptions::Gap;

constexpr std::string_view k_header = "cpu,at_ns,duration_ns";
constexpr std::int64_t k_longest_gap_ns = 3'600'000'000'000;  // of a recording, an hour
/// Behind those of the services.
constexpr std::uint64_t k_first_stream = 8;

/// Three whole numbers; nothing: the line is something else.
std::optional<std::array<std::int64_t, 3>> numbers_of(std::string_view line) {
  std::array<std::int64_t, 3> numbers{};
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    const auto [stop, error] = std::from_chars(at, end, numbers[place]);
    if (error != std::errc{} || numbers[place] < 0 || numbers[place] > k_longest_gap_ns) return std::nullopt;
    const bool is_last = place + 1 == numbers.size();
    if (is_last ? stop != end : stop == end || *stop != ',') return std::nullopt;
    at = stop + 1;
  }
  return numbers;
}

/// The gaps of the processors by their numbers, as the file comes to them.
class StallReader {
 public:
  /// What is wrong with the line; empty: nothing.
  [[nodiscard]] std::string add(std::string_view line) {
    const auto numbers = numbers_of(line);
    if (!numbers) return "is not CPU,AT_NS,DURATION_NS within an hour";
    const auto [cpu, at, length] = *numbers;
    if (length == 0) return "is a gap of no length";
    const auto found = std::ranges::find(cpus_, cpu);
    if (found == cpus_.end()) plan_.processors.emplace_back();
    const auto place = static_cast<std::size_t>(found - cpus_.begin());
    if (found == cpus_.end()) cpus_.push_back(cpu);
    std::vector<Gap>& gaps = plan_.processors[place];
    const Gap gap{.at = time::Duration{at}, .length = time::Duration{length}};
    if (!gaps.empty() && gap.at < gaps.back().at + gaps.back().length)
      return "begins before the gap of that processor in front of it has ended";
    plan_.span = std::max(plan_.span, gap.at + gap.length);
    gaps.push_back(gap);
    return {};
  }
  [[nodiscard]] StallPlan plan() && { return std::move(plan_); }

 private:
  StallPlan plan_;
  std::vector<std::int64_t> cpus_;
};

/// Whether nothing is left between the gaps.
bool is_all_gap(const std::vector<Gap>& gaps, time::Duration span) {
  time::Duration away{0};
  for (const Gap& gap : gaps) away += gap.length;
  return away >= span;
}

}  // namespace

std::expected<StallPlan, std::string> parse_stalls(std::string_view csv) {
  StallReader reader;
  std::size_t number = 0;
  while (!csv.empty()) {
    const std::size_t end = std::min(csv.find('\n'), csv.size());
    const std::string_view line = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    ++number;
    std::string wrong;
    if (number == 1) {
      if (line != k_header) wrong = fmt::format("is not \"{}\", as dojima lab jitter --gaps writes it", k_header);
    } else if (!line.empty()) {
      wrong = reader.add(line);
    }
    if (!wrong.empty()) return std::unexpected(fmt::format("line {} {}", number, wrong));
  }
  StallPlan plan = std::move(reader).plan();
  if (plan.is_none()) return std::unexpected(std::string("has no gap in it"));
  if (std::ranges::any_of(plan.processors, [&](const auto& gaps) { return is_all_gap(gaps, plan.span); }))
    return std::unexpected(std::string("leaves a processor no time between its gaps"));
  return plan;
}

std::expected<StallPlan, std::string> read_stalls(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(path + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto plan = parse_stalls(text);
  if (!plan) return std::unexpected(path + ": " + plan.error());
  plan->text = path;
  return plan;
}

link::Interruptions interruptions_of(const StallPlan& plan, std::size_t host) {
  if (plan.is_none()) return {};
  return {plan.processors[host % plan.processors.size()], plan.span};
}

time::Duration offset_of(const StallPlan& plan, std::size_t host, std::uint64_t seed) {
  const auto microseconds = static_cast<std::size_t>(plan.span.count() / 1'000);
  if (microseconds == 0) return time::Duration{0};
  queueing::Random random = queueing::stream_of(seed, k_first_stream + host);
  return time::Duration{static_cast<std::int64_t>(random.below(microseconds)) * 1'000};
}

}  // namespace dojima::app::demo
