#pragma once

// From a recorded day to the rates of the queue-reactive model: how often orders came, were cancelled and executed at
// each distance from the reference price and each length of the queue there, over how long such queues were there
// (the maximum likelihood of a Markov process). Lengths are quantities over the mean quantity of an entered order,
// rounded up; events count by their quantity likewise, so what comes and what goes stay in balance. Both sides count
// together. `follow` is how often the middle goes on where it came from when it has come to lie on a price. Only what
// the recording shows counts: where it has only the best levels (LOBSTER), prices up to the last level that is shown.
//
// Two passes, because the mean quantity has to be known first. Floating point without the C library.
//
//   OrderQuantity quantity;  ...  quantity.take(events);
//   QueueReactiveCalibration calibration({}, quantity.mean(), instrument);  ...  calibration.take(events, instruments);
//   const auto model = calibration.model();
//
// O(levels) an event, 24 bytes a class and length, and the book.

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/queue_reactive_day.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

/// What kind of model is wanted.
struct QueueReactiveShape {
  std::vector<std::uint32_t> distances = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};  ///< see flow::QueueReactiveRates
  std::uint32_t lengths = 12;
};

/// The first pass: the instrument with the most entered orders, their mean quantity and the step of their prices.
class OrderQuantity {
 public:
  void take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments);
  /// The error says what is missing. `symbol` empty: the instrument with the most orders.
  [[nodiscard]] std::expected<std::uint32_t, std::string> instrument(const std::string& symbol) const;
  [[nodiscard]] std::int64_t mean(std::uint32_t instrument) const noexcept;
  [[nodiscard]] std::int64_t tick(std::uint32_t instrument) const noexcept;

 private:
  struct Seen {
    std::string symbol;
    std::int64_t known_tick = 0, step = 0, quantity = 0;
    std::uint64_t orders = 0;
  };
  std::vector<Seen> seen_;
};

class QueueReactiveCalibration {
 public:
  /// Throws std::invalid_argument for a shape that no model has. `tick` and `order_quantity` > 0.
  QueueReactiveCalibration(QueueReactiveShape shape, std::uint32_t instrument, std::int64_t tick,
                           std::int64_t order_quantity);

  void take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments);
  /// The error says what is missing.
  [[nodiscard]] std::expected<QueueReactiveModel, std::string> model() const;
  /// Events that lay within the distances of the model, and all that changed the book.
  [[nodiscard]] std::uint64_t events_within() const noexcept { return within_; }
  [[nodiscard]] std::uint64_t events_seen() const noexcept { return seen_; }

 private:
  struct Cell {
    double seconds = 0, limit = 0, cancel = 0, execution = 0, best_seconds = 0;
  };
  /// A price that was shown last, and its quantity; windows only.
  struct Shown {
    std::int64_t price = 0, quantity = 0;
  };

  void note(const RecordedEvent& event);
  void note_time(Time now);
  void look_at_book();
  void set_reference(std::int64_t bid, std::int64_t ask);
  void note_move(std::int64_t doubled_mid);
  [[nodiscard]] std::int64_t quantity_at(market::Side side, std::int64_t price) const;
  [[nodiscard]] std::uint32_t length_of(std::int64_t quantity) const noexcept;
  /// 0: out of the model.
  [[nodiscard]] std::int64_t distance_of(market::Side side, std::int64_t price) const noexcept;
  [[nodiscard]] Cell& cell(std::int64_t distance, std::uint32_t length) noexcept;

  flow::QueueReactiveRates made_;
  std::uint32_t instrument_;
  std::int64_t tick_, order_quantity_;
  std::vector<std::uint32_t> class_of_;  // by distance - 1
  std::vector<Cell> cells_;
  DepthBooks books_;
  std::vector<Shown> shown_[2], coming_[2];  // best first
  std::vector<std::uint32_t> lengths_[2];    // by distance - 1, in view
  std::size_t best_[2] = {};                 // the distance of the best, 0: none
  std::int64_t reference_ = 0;               // in ticks: bids there and below
  std::int64_t first_reference_ = 0;
  std::int64_t doubled_mid_ = 0;
  std::int64_t middle_ = 0;  // the price in the middle, in ticks
  bool is_between_ = false;  // the middle is on a price
  int came_ = 0;             // from where: 1 upwards, -1 downwards, 0 not known
  std::uint64_t went_on_ = 0, turned_ = 0;
  bool has_reference_ = false, has_windows_ = false;
  Time first_ = k_unknown_time, last_ = k_unknown_time;
  std::uint64_t within_ = 0, seen_ = 0;
  RecordedInstrument named_;
};

}  // namespace dojima::recorded
