#pragma once

// How busy a recorded market was, and in what way: from its events to a configuration of GeneratedDay with the same
// rate, clustering, sizes, distances from the mid, shares of cancels, amendments and aggressive orders, and walk of the
// mid. What a model of this kind cannot have (queues that were there in the morning, news, the shape of the day) is
// averaged. Deterministic on every machine: floating point is used, the C library is not.
//
//   Calibration calibration;
//   while (!(events = reader.next_batch()).empty()) calibration.take(events, reader.instruments());
//   GeneratedDay day(calibration.config(seed).value());
//
// Memory: 8 bytes a request, up to 4,194,304 of them, and the books. O(1) an event.

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class Calibration {
 public:
  void take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments);

  /// What was seen, as the configuration of a generated day of the same length. The error says what is missing.
  [[nodiscard]] std::expected<GeneratedDayConfig, std::string> config(std::uint64_t seed) const;

 private:
  /// What a recorded event would have been as a request.
  enum class Deed : std::uint8_t { none, passive, cancel, amend, aggressive };
  static constexpr std::size_t k_deeds = 5;
  static constexpr std::size_t k_most_times = std::size_t{1} << 22;

  /// Values of which an even sample is kept: all, then every second, every fourth, ...
  class Sample {
   public:
    void add(std::int64_t value);
    /// The middles of `count` equal parts of the sorted values; empty where there are none.
    [[nodiscard]] std::vector<std::int64_t> quantiles(std::size_t count) const;

   private:
    std::vector<std::int64_t> values_;
    std::uint64_t stride_ = 1, seen_ = 0;
  };

  struct Instrument {
    std::uint64_t requests = 0;
    std::int64_t reference = 0;   // doubled mid of its first two-sided book
    std::int64_t mid = 0;         // doubled, as it is
    std::int64_t mid_before = 0;  // doubled, a stretch of requests ago
    std::int64_t farthest = 0;    // of the doubled mid from the reference
    double squares = 0;           // of the moves of the mid over a stretch, in doubled price units
    std::uint64_t stretches = 0;
    std::int64_t shared_step = 0;  // of its prices
  };

  [[nodiscard]] Deed deed_of(const RecordedEvent& event) const;
  void note(const RecordedEvent& event, Deed deed, std::int64_t tick);
  void follow_mid(Instrument& instrument, const Depth& depth);
  [[nodiscard]] double dispersion(std::int64_t window) const;
  [[nodiscard]] flow::ArrivalConfig arrivals() const;

  DepthBooks books_;
  std::vector<RecordedInstrument> instruments_;
  std::vector<Instrument> seen_;
  std::array<std::uint64_t, k_deeds> deeds_{};
  std::vector<std::int64_t> times_;  // of requests, ns
  Sample sizes_, distances_;
  Time first_ = k_unknown_time, last_ = k_unknown_time;
  RecordedEvent last_trade_;
};

}  // namespace dojima::recorded
