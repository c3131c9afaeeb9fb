#include "dojima/app/demo/service_times.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "dojima/queueing/presentation.hpp"
#include "dojima/queueing/sampler.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::app::demo {
namespace {

using measure::ServiceRecord;

constexpr std::array k_all_servings = {Serving::gateway, Serving::reports, Serving::venue};
constexpr double k_longest_ns = 10e9;
constexpr unsigned k_tick_bits = 10;  // 1024 ticks are a nanosecond

/// "20us" in nanoseconds; nothing: it is no length of time.
std::optional<double> length_in(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 0;
  return factor == 0 ? std::nullopt : std::optional(value * factor);
}

/// "erlang:4:20us"; nothing: it is no law, so it may be a file.
std::optional<std::expected<ServiceTimes, std::string>> law_in(const std::string& text) {
  constexpr std::string_view k_laws[] = {"exponential", "constant", "erlang", "hyperexponential"};
  const bool is_law = std::ranges::any_of(
      k_laws, [&](std::string_view law) { return text == law || text.starts_with(std::string(law) + ":"); });
  if (!is_law) return std::nullopt;
  const std::size_t colon = text.rfind(':');
  const auto mean = colon == std::string::npos ? std::nullopt : length_in(std::string_view(text).substr(colon + 1));
  if (!mean)
    return std::unexpected(fmt::format("\"{}\" lacks its mean with a unit: exponential:20us, erlang:4:20us", text));
  if (!(*mean >= 1 && *mean <= k_longest_ns))
    return std::unexpected(fmt::format("\"{}\": a mean service lies between 1ns and 10s", text));
  ServiceTimes times{.law = text.substr(0, colon), .mean_ns = *mean};
  if (const auto law = queueing::parse_law(times.law, *mean); !law) return std::unexpected(law.error().text);
  return times;
}

std::expected<std::vector<ServiceRecord>, std::string> read_records(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::unexpected(fmt::format(
        "\"{}\" is neither a law (exponential:20us, constant:5us, erlang:4:20us, hyperexponential:4:20us) nor a file",
        path));
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto records = measure::decode_service_trace(std::as_bytes(std::span(bytes)));
  if (records) return std::move(*records);
  char text[160];
  return std::unexpected(fmt::format("{}: {}", path, describe(records.error(), text)));
}

/// The services of a kind, in order of arrival; `server`: only those.
ServiceTimes recorded_times(std::span<const ServiceRecord> records, std::uint16_t kind,
                            std::optional<std::uint16_t> server) {
  ServiceTimes times;
  const auto trace = queueing::trace_of(records, kind);
  if (!trace) return times;
  double sum = 0;
  for (const auto& part : trace->parts) {
    for (const ServiceRecord& record : part) {
      if (server && record.server != *server) continue;
      times.recorded.push_back(record.end_ns - record.start_ns);
      sum += static_cast<double>(times.recorded.back());
    }
  }
  if (!times.recorded.empty()) times.mean_ns = sum / static_cast<double>(times.recorded.size());
  return times;
}

/// What a file says about every place, by its kinds.
std::expected<ServicePlan, std::string> plan_of_file(const std::string& path) {
  const auto records = read_records(path);
  if (!records) return std::unexpected(records.error());
  ServicePlan plan;
  plan.of = {recorded_times(*records, k_gateway_kind, k_request_server),
             recorded_times(*records, k_gateway_kind, k_report_server),
             recorded_times(*records, k_venue_kind, std::nullopt)};
  if (plan.is_none())
    return std::unexpected(
        fmt::format("{} has no services of kind {} (the gateway's) or {} (the venue's); name one: venue={}:KIND", path,
                    k_gateway_kind, k_venue_kind, path));
  return plan;
}

/// "FILE" or "FILE:KIND" for one place.
std::expected<ServiceTimes, std::string> times_of_file(const std::string& text) {
  std::string path = text;
  std::optional<std::uint16_t> kind;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && !std::ifstream(text)) {
    std::uint16_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, number);
    if (error == std::errc{} && stop == end) {
      kind = number;
      path = text.substr(0, colon);
    }
  }
  const auto records = read_records(path);
  if (!records) return std::unexpected(records.error());
  const std::vector<std::uint16_t> kinds = queueing::kinds_of(*records);
  if (kinds.empty()) return std::unexpected(path + ": no request in it");
  ServiceTimes times = recorded_times(*records, kind.value_or(kinds.front()), std::nullopt);
  if (times.is_none()) return std::unexpected(fmt::format("{}: no request of kind {}", path, *kind));
  return times;
}

std::expected<void, std::string> add_word(const std::string& word, ServicePlan& plan) {
  for (const Serving serving : k_all_servings) {
    const std::string prefix = std::string(name_of(serving)) + "=";
    if (!word.starts_with(prefix)) continue;
    const std::string rest = word.substr(prefix.size());
    auto law = law_in(rest);
    auto times = law ? std::move(*law) : times_of_file(rest);
    if (!times) return std::unexpected(std::move(times.error()));
    plan.of[static_cast<std::size_t>(serving)] = std::move(*times);
    return {};
  }
  if (const auto law = law_in(word)) {
    if (!*law) return std::unexpected(law->error());
    plan.of.fill(**law);
    return {};
  }
  auto read = plan_of_file(word);
  if (!read) return std::unexpected(std::move(read.error()));
  for (std::size_t at = 0; at < k_servings; ++at)
    if (!read->of[at].is_none()) plan.of[at] = std::move(read->of[at]);
  return {};
}

}  // namespace

std::string_view name_of(Serving serving) noexcept {
  switch (serving) {
    case Serving::gateway:
      return "gateway";
    case Serving::reports:
      return "reports";
    case Serving::venue:
      return "venue";
  }
  return "unnamed place";
}

bool ServicePlan::is_none() const noexcept {
  return std::ranges::all_of(of, &ServiceTimes::is_none);
}

std::expected<ServicePlan, std::string> parse_service_plan(std::span<const std::string> words) {
  ServicePlan plan;
  for (const std::string& word : words) {
    if (const auto added = add_word(word, plan); !added) return std::unexpected(added.error());
    plan.text += (plan.text.empty() ? "" : " ") + word;
  }
  for (const ServiceTimes& times : plan.of) {
    if (!times.recorded.empty() && times.mean_ns > k_longest_ns)
      return std::unexpected(std::string("recorded services take more than 10 s on average"));
  }
  return plan;
}

std::optional<std::string> overload_of(const ServicePlan& plan, double rate) {
  const auto excess = [&](const char* where, double service_ns) -> std::optional<std::string> {
    if (service_ns <= 0 || rate * service_ns < 1e9) return std::nullopt;
    return fmt::format("{}: {}", where, queueing::unstable(rate, 1e9 / service_ns).text);
  };
  if (auto venue = excess("venue", plan.at(Serving::venue).mean_ns)) return venue;
  return excess("gateway", plan.at(Serving::gateway).mean_ns + plan.at(Serving::reports).mean_ns);
}

struct ServiceDraws::Inside {
  std::vector<std::uint64_t> recorded{};
  std::size_t at = 0;
  std::optional<queueing::Sampler> sampler{};
  std::uint64_t ticks_left = 0;  // of what was drawn, less than a nanosecond
  queueing::Random random;
};

ServiceDraws::ServiceDraws(const ServiceTimes& times, std::uint64_t seed, std::uint64_t stream)
    : inside_(
          std::make_unique<Inside>(Inside{.recorded = times.recorded, .random = queueing::stream_of(seed, stream)})) {
  if (!times.recorded.empty()) {
    inside_->at = inside_->random.below(times.recorded.size());
    return;
  }
  if (times.is_none()) return;
  const auto law = queueing::parse_law(times.law, times.mean_ns);
  if (!law) throw std::invalid_argument(law.error().text);
  inside_->sampler.emplace(*law, 1U << k_tick_bits);
}

ServiceDraws::~ServiceDraws() = default;
ServiceDraws::ServiceDraws(ServiceDraws&&) noexcept = default;

std::uint64_t ServiceDraws::next() {
  if (inside_->sampler) {
    const std::uint64_t ticks = inside_->ticks_left + inside_->sampler->draw(inside_->random);
    inside_->ticks_left = ticks & ((1U << k_tick_bits) - 1);
    return ticks >> k_tick_bits;
  }
  if (inside_->recorded.empty()) return 0;
  if (inside_->at == inside_->recorded.size()) inside_->at = 0;
  return inside_->recorded[inside_->at++];
}

}  // namespace dojima::app::demo
