#pragma once

// How long messages take between a strategy and its exchange, and market data to the strategy. Four models, named by
// short texts: constant ("250us"), interpolated between measured round trips ("triples:FILE"), drawn from measured
// values ("samples:FILE"), and one that grows with what the exchange has to do ("load:250us+5us"). "lab:FILE#KIND" are
// the round trips of one kind that `dojima lab latency` measured. Times never overtake: a message waits for the one
// before it. Deterministic: draws come from a seed. One thread.
//
//   auto model = make_latency("triples:roundtrips.csv", Direction::entry, seed);
//   const Time arrival = now + (*model)->at(now);

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/time/time.hpp"

namespace dojima::backtest {

using time::Duration;
using time::Time;

/// Which way of a round trip.
enum class Direction : std::uint8_t { entry, response };

/// A measured round trip: sent, at the exchange, answer back. Never falling.
struct RoundTrip {
  Time sent;
  Time at_exchange;
  Time received;
};

class Latency {
 public:
  virtual ~Latency() = default;
  /// Of a message that leaves at `sent`; never below 0. Times that are asked for never fall.
  [[nodiscard]] virtual Duration at(Time sent) = 0;
  /// Whether it wants to be notified of what happens at the exchange, before it is asked for later times.
  [[nodiscard]] virtual bool follows_load() const noexcept { return false; }
  /// The exchange has to work at `at`, which never falls.
  virtual void on_work(Time at) noexcept { static_cast<void>(at); }
};

[[nodiscard]] std::unique_ptr<Latency> constant_latency(Duration latency);
/// Straight between the neighbouring round trips: of entries by the time sent, of responses by the time at the
/// exchange; as the first before it, as the last behind it. `trips` not empty, times at the exchange rising. O(1)
/// amortised.
[[nodiscard]] std::unique_ptr<Latency> interpolated_latency(std::vector<RoundTrip> trips, Direction direction);
/// The same for trips of another time than that of the messages: the first message counts as of the first trip, and
/// behind the last trip they begin anew.
[[nodiscard]] std::unique_ptr<Latency> repeated_latency(std::vector<RoundTrip> trips, Direction direction);
/// One of `samples` each time, all equally likely. Not empty.
[[nodiscard]] std::unique_ptr<Latency> empirical_latency(std::vector<Duration> samples, std::uint64_t seed);

/// `base`, and the time in a queue: every event of the exchange and every message of this model is work of `service`
/// for one server, first in, first out (Lindley's recursion with constant service). So where events come in bursts,
/// messages wait behind them. O(1).
[[nodiscard]] std::unique_ptr<Latency> load_latency(Duration base, Duration service);

/// "250us", "constant:250us", "triples:FILE" (a line is sent,exchange,received in nanoseconds since 1970),
/// "samples:FILE" (a line is nanoseconds), "load:BASE+SERVICE" or "lab:FILE#KIND" (a line is
/// kind,sent,exchange,received; KIND is submit, cancel, replace, trade or feed, or answers: the first three). The error
/// is one line for the user.
[[nodiscard]] std::expected<std::unique_ptr<Latency>, std::string> make_latency(std::string_view text,
                                                                                Direction direction,
                                                                                std::uint64_t seed);

/// The kinds of "lab:FILE#KIND" that a file has. The error is one line for the user: it cannot be read, or has a line
/// that makes no sense.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> kinds_in_lab_file(const std::string& file);

/// "0", "1500ns", "250us", "1.5ms", "2s". The error is one line for the user.
[[nodiscard]] std::expected<Duration, std::string> parse_duration(std::string_view text);
[[nodiscard]] std::string duration_text(Duration duration);
/// A time of day with its date, to the nanosecond, in UTC: "20260720-12:00:00.123456789".
[[nodiscard]] std::string instant_text(Time at);

}  // namespace dojima::backtest
