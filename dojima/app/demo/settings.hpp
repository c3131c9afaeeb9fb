#pragma once

// What a demo run is: how long, how fast, how many clients, which seed, which threads; and the venue and gateway that
// follow from it. Plain values.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/dashboard_config.hpp"
#include "dojima/app/demo/service_times.hpp"
#include "dojima/app/demo/stalls.hpp"
#include "dojima/flow/arrivals.hpp"
#include "dojima/simulate/clients.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app::demo {

/// Which parts share a thread.
enum class Topology : std::uint8_t {
  shared,  ///< one thread: clients, gateway and venue
  two,     ///< clients | gateway and venue
  three,   ///< clients | gateway | venue
};

[[nodiscard]] std::string_view name_of(Topology topology) noexcept;
[[nodiscard]] std::optional<Topology> topology_of(std::string_view name) noexcept;
/// Who runs in the thread of that place, e.g. "gateway, venue".
[[nodiscard]] std::string_view thread_name(Topology topology, std::size_t thread) noexcept;
[[nodiscard]] std::size_t threads(Topology topology) noexcept;

/// What its partitions' threads are called together.
inline constexpr std::string_view k_partition_threads = "partitions";

struct Settings {
  double seconds = 10;          ///< of order flow, > 0
  std::uint32_t clients = 4;    ///< 1 to 64
  std::uint64_t rate = 10'000;  ///< requests per second, all clients together
  std::uint64_t seed = 1;
  Topology topology = Topology::two;
  net::IdlePolicy idle = net::IdlePolicy::yield;
  LoopSettings loop{};              ///< what its threads ask of the machine; not in virtual time
  std::uint32_t venue_threads = 1;  ///< simulate::ExchangeConfig::threads; 1 in virtual time
  bool is_virtual = false;          ///< in virtual time over a simulated network, one thread
  /// Of virtual time, times that of the clock: 0.1 to 10,000. 0: it jumps from event to event.
  double speed = 0;
  /// A whole trading day in the time of the flow: auctions, bands, halts. Virtual time only.
  bool is_day = false;
  /// Processor time that the venue wastes on every request, to see whether a comparison finds it. 0 to 1 ms.
  time::Duration handicap{0};
  /// Folder of a journal that is begun there; empty: none. Not in virtual time.
  std::string journal{};
  journal::Durability durability = journal::Durability::process;
  double kill_after = 0;  ///< seconds of flow until the process kills itself; 0: it does not
  /// Processes that are killed in the middle, and started again: then venue and gateway are processes of their own.
  bool kills_gateway = false, kills_venue = false;
  std::uint32_t kills = 4;            ///< all together, 1 to 1000
  std::string program{};              ///< that is venue and gateway then
  std::uint32_t resting_target = 25;  ///< orders per client, instrument and side around which the book settles
  flow::ArrivalConfig arrivals{};     ///< how requests fall due
  ServicePlan services{};             ///< what gateway and venue take for each message; virtual time only
  StallPlan stalls{};                 ///< when their threads are away; with services only
  /// Virtual time that waits for the clock on one thread: no request before it is due, stages timed by the counter.
  bool is_timed = false;
  DashboardConfig dashboard{};  ///< screens of the venue; not where processes are killed
  /// Called with the address that a person opens, before the flow begins; may be empty.
  std::function<void(const std::string& url)> show_dashboard{};
  /// Called when the run is over and the screens are still there; may be empty.
  std::function<void()> hold_dashboard{};
  /// A feed client reads the market data and rebuilds the books. Virtual time only.
  bool has_feed = false;
  /// Limits of users, which the flow meets (venue_config()).
  bool has_limits = false;
  /// Of this machine, where the venue's operator is answered; 0: any free one, -1: nobody is.
  std::int32_t admin_port = -1;
  /// Called with the line that says where and with which token, before the flow begins; may be empty.
  std::function<void(const std::string& line)> show_admin{};
  /// Answers after which all memory has been used once that is used again and again: what is resident then is what it
  /// stays at. Over sockets.
  std::uint64_t memory_warm_up = 300'000;
  bool keeps_services = false;  ///< every one of them, for service traces
};

[[nodiscard]] inline bool has_kills(const Settings& settings) noexcept {
  return settings.kills_gateway || settings.kills_venue;
}

/// Who runs in each of its threads; those of the partitions, if there are any, are one at the end.
[[nodiscard]] std::vector<std::string> thread_names(const Settings& settings);

/// Why the settings make no sense; null when they do.
[[nodiscard]] const char* complaint(const Settings& settings);

[[nodiscard]] VenueConfig venue_config(const Settings& settings);
[[nodiscard]] GatewayConfig gateway_config(const Settings& settings);
[[nodiscard]] simulate::ClientsConfig clients_config(const Settings& settings);

/// Where virtual time begins.
inline constexpr time::Time k_virtual_start{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5} +
                                            std::chrono::hours{9}};

/// The largest number of requests of one run.
inline constexpr std::size_t k_requests_max = 50'000'000;

}  // namespace dojima::app::demo
