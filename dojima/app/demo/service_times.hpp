#pragma once

// How long the gateway and the venue of a run in virtual time take for each message: a law of times, or the services of
// a recorded trace (measure/service_trace.hpp). Plain values, and the words that people write them in:
//
//   exponential:20us                  all of them: requests at the gateway and at the venue, reports at the gateway
//   venue=erlang:4:20us               only there: gateway, reports or venue
//   drive.svc                         a trace as `dojima lab drive` writes: kind 0 is the gateway's, kind 1 the venue's
//   venue=waits.svc:2                 the requests of kind 2 of any trace
//
// Recorded services are played in their order, around, from a place that the seed decides: what hangs together stays
// together.

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/measure/service_trace.hpp"

namespace dojima::app::demo {

/// Where a message is served. The gateway has one thread: reports wait behind requests there, and requests behind
/// reports.
enum class Serving : std::uint8_t {
  gateway,  ///< a client's request, at the gateway
  reports,  ///< the venue's report, at the gateway
  venue,    ///< a request, at the venue
};
inline constexpr std::size_t k_servings = 3;
[[nodiscard]] std::string_view name_of(Serving serving) noexcept;

/// Kinds of the service traces that runs write and take.
inline constexpr std::uint16_t k_gateway_kind = 0;
inline constexpr std::uint16_t k_venue_kind = 1;
inline constexpr std::uint16_t k_road_kind = 2;  ///< from the due time to the answer
/// `server` of a record of the gateway: what it served.
inline constexpr std::uint16_t k_request_server = 0;
inline constexpr std::uint16_t k_report_server = 1;

/// How long messages of one sort take.
struct ServiceTimes {
  std::string law{};                      ///< of `dojima queue`, e.g. "erlang:4"; empty: none
  double mean_ns = 0;                     ///< of the law, or of the recorded ones
  std::vector<std::uint64_t> recorded{};  ///< ns, in order of arrival; not with a law
  [[nodiscard]] bool is_none() const noexcept { return law.empty() && recorded.empty(); }
};

struct ServicePlan {
  std::array<ServiceTimes, k_servings> of{};  ///< by Serving
  std::string text{};                         ///< as it was written, for results
  [[nodiscard]] const ServiceTimes& at(Serving serving) const { return of.at(static_cast<std::size_t>(serving)); }
  [[nodiscard]] bool is_none() const noexcept;
};

/// Reads the words above; later ones replace what earlier ones said about the same place. The error is one line for
/// people. Reads files. An empty list: no plan.
[[nodiscard]] std::expected<ServicePlan, std::string> parse_service_plan(std::span<const std::string> words);

/// "load 1.25: the queue grows by 2 a second" with the place in front, where `rate` requests a second are more than it
/// can serve even if every request has only one report.
[[nodiscard]] std::optional<std::string> overload_of(const ServicePlan& plan, double rate);

/// One time after the other, in whole nanoseconds, the same on every machine for the same seed.
class ServiceDraws {
 public:
  /// `stream` distinguishes the places of one run. Throws std::invalid_argument for an invalid law.
  ServiceDraws(const ServiceTimes& times, std::uint64_t seed, std::uint64_t stream);
  ~ServiceDraws();
  ServiceDraws(ServiceDraws&&) noexcept;
  /// What is rounded off is carried to the next. O(1); allocates nothing.
  [[nodiscard]] std::uint64_t next();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace dojima::app::demo
