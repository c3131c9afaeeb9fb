#pragma once

// A day of the queue-reactive market (flow/queue_reactive.hpp) as recorded data: every order by name, first in, first
// out, executed by the orders that take from it. And its parameters as a file for people and programs: one value a
// line behind a line that says the format and its version; whole numbers, so that writing and reading lose nothing.
//
//   QueueReactiveDay day({.model = *read_queue_reactive(text), .seed = 7});
//   while (day.next(event) == Next::event) ...
//
// The first events are the book at the start (k_snapshot). The same model and seed give the same events on every
// machine. Memory grows with the orders in view.

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "dojima/flow/queue_reactive.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

struct QueueReactiveModel {
  flow::QueueReactiveRates rates;
  GeneratedInstrument instrument;     ///< its reference price: where the day begins
  std::int64_t order_quantity = 100;  ///< of every order, > 0
  Time start = time::from_nanoseconds(1'700'000'000'000'000'000);
  time::Duration length = std::chrono::hours{1};
};

/// The file's text, about 60 bytes a class of distances and length.
[[nodiscard]] std::string write_queue_reactive(const QueueReactiveModel& model);
/// The error is one line: "line 7: ...".
[[nodiscard]] std::expected<QueueReactiveModel, std::string> read_queue_reactive(std::string_view text);
/// Whether a text begins as such a file does, of whatever version.
[[nodiscard]] bool is_queue_reactive(std::string_view text) noexcept;

struct QueueReactiveDayConfig {
  QueueReactiveModel model;
  std::uint64_t seed = 1;
  std::uint64_t events = 0;  ///< end behind so many changes of the market; 0: only its length ends the day
};

class QueueReactiveDay final : public RecordedReader {
 public:
  /// Throws std::invalid_argument for a model that makes no sense.
  explicit QueueReactiveDay(QueueReactiveDayConfig config);

  [[nodiscard]] std::string_view format() const noexcept override { return "generated"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return 0; }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

  /// Changes of the market so far.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  [[nodiscard]] Time now() const noexcept { return now_; }

 private:
  using Queue = std::deque<std::uint64_t>;  // the orders' numbers, the first in front

  void decode(EventBatch& batch) override;
  void add_book(EventBatch& batch);
  RecordedEvent& add_event(EventKind kind, market::Side side, std::int64_t level, EventBatch& batch);
  void write(const flow::QueueReactiveChange& change, EventBatch& batch);

  QueueReactiveDayConfig config_;
  flow::QueueReactiveMarket market_;
  std::map<std::int64_t, Queue> queues_[2];  // by level
  std::uint64_t numbers_ = 0, trades_ = 0, changes_ = 0, written_ = 0;
  Time now_;
  bool has_begun_ = false, is_over_ = false;
};

}  // namespace dojima::recorded
