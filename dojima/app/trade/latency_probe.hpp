#pragma once

// Measures how long messages take to a venue, through it and back: a client of its MIT203 channel enters an order,
// changes it, cancels it, and where it may, trades with itself; and listens to the venue's market data. Each answer
// says when the venue worked, so every round trip is three times: sent, at the exchange, received.
//
//   const LatencyProbeResult result = probe_latency(options, [&] { return stop.is_raised(); }, {});
//   write_file("latency.csv", latency_file_text(result.trips));
//
// Times are of the system's clock here and of the venue's there: on one machine they are the same clock. One thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

/// What a round trip was about. `feed`: a message of the market data, which nobody asked for.
enum class ProbeKind : std::uint8_t { submit, cancel, replace, trade, feed };
inline constexpr std::size_t k_probe_kinds = 5;
[[nodiscard]] std::string_view name_of(ProbeKind kind) noexcept;

/// Never falling; of `feed`, `sent` is the time at the exchange.
struct ProbeTrip {
  ProbeKind kind = ProbeKind::submit;
  time::Time sent, at_exchange, received;
};

struct LatencyProbeOptions {
  link::Address venue;
  std::string user, password;
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::string feed_line{};  ///< HOST:PORT of the venue's line A; empty: the feed is not measured
  std::string feed_interface = "127.0.0.1";
  std::uint32_t instrument = 1;
  market::Price price{};        ///< of a bid that nobody meets
  market::Quantity quantity{};  ///< > 0; a replacement asks for one more
  bool trades = false;          ///< each round ends with a sell order of its own that takes its bid
  bool halves = false;          ///< the venue has another clock: it works in the middle of a round trip
  std::size_t rounds = 1000;
  time::Duration gap = std::chrono::milliseconds{1};  ///< between two requests
  time::Duration patience = std::chrono::seconds{5};  ///< for the logon and for each answer
  net::IdlePolicy idle = net::IdlePolicy::block;
};

struct LatencyProbeResult {
  std::vector<ProbeTrip> trips;    ///< those of a kind in the order of their time at the exchange
  std::size_t rounds = 0;          ///< that were finished
  std::uint64_t reached_back = 0;  ///< times at the exchange that were up to k_turn before `sent`, and count as it
  bool was_interrupted = false;
  std::string trouble;  ///< one line for the user: why it ended too early; empty: it did not
};

/// The time at the exchange is that of the instant in which its loop worked, which may have begun before a request
/// came.
inline constexpr time::Duration k_probe_turn = std::chrono::microseconds{200};

/// Runs it until its rounds are over, `stops()`, or something is wrong; then nothing of it rests at the venue, unless
/// the session broke. `progress` gets finished rounds; both may be empty. `start_venue` is called when the feed's line
/// has been subscribed to, with its address, and says where the venue is, for whoever starts one then; empty:
/// options.venue. Throws std::invalid_argument, std::bad_alloc, std::system_error.
[[nodiscard]] LatencyProbeResult probe_latency(
    const LatencyProbeOptions& options, const std::function<bool()>& stops,
    const std::function<void(std::size_t)>& progress,
    const std::function<link::Address(const link::Address& feed)>& start_venue = {});

/// "kind,sent,exchange,received" and a line a trip, in nanoseconds since 1970: what `dojima backtest --latency` reads.
[[nodiscard]] std::string latency_file_text(const std::vector<ProbeTrip>& trips);

}  // namespace dojima::app
