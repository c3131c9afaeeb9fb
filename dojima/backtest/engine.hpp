#pragma once

// The clockwork of a back-test: events reach the exchange by its own clock and the strategy by its own, requests and
// reports travel between both. A timed source of sched::Loop, so that it runs from event to event or at a chosen speed
// of the clock; run() is the first of these without the loop's steps, where the strategy need not be asked in between.
//
// Within an instant: events reach the exchange, then requests do; then events reach the strategy, then reports do; and
// when nothing more happens at that time the strategy is asked, or as soon as it has computed what it was asked before.
// So two runs of the same events, strategy and settings are the same, whoever moves time.
//
//   MemoryEvents events(recorded, instruments);
//   Engine engine(events, *exchange, strategy, latencies, {});
//   engine.run({});
//   engine.fills();
//
// One thread. Allocates while books, queues and lists grow.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dojima/backtest/account.hpp"
#include "dojima/backtest/book_flight.hpp"
#include "dojima/backtest/exchange.hpp"
#include "dojima/backtest/latency.hpp"
#include "dojima/backtest/statistics.hpp"
#include "dojima/backtest/strategy.hpp"
#include "dojima/base/fifo.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::backtest {

/// Where events come from, in the order of the file.
class EventStream {
 public:
  virtual ~EventStream() = default;
  /// In place until the next call; empty: the end.
  [[nodiscard]] virtual std::span<const RecordedEvent> next_batch() = 0;
  /// Those that the events so far have named.
  [[nodiscard]] virtual const std::vector<RecordedInstrument>& instruments() const = 0;
  /// Where there is none now, more may come: a live market. Then its first event is there before the engine is made.
  [[nodiscard]] virtual bool waits() const noexcept { return false; }
  /// Where an instrument is traded: its place in EngineSettings::venues.
  [[nodiscard]] virtual std::size_t venue_of(std::uint32_t instrument) const noexcept {
    static_cast<void>(instrument);
    return 0;
  }
};

/// Events in memory, which outlive it.
class MemoryEvents final : public EventStream {
 public:
  MemoryEvents(std::span<const RecordedEvent> events, const std::vector<RecordedInstrument>& instruments)
      : events_(events), instruments_(instruments) {}
  std::span<const RecordedEvent> next_batch() override { return std::exchange(events_, {}); }
  const std::vector<RecordedInstrument>& instruments() const override { return instruments_; }

 private:
  std::span<const RecordedEvent> events_;
  const std::vector<RecordedInstrument>& instruments_;
};

/// Whose latency each message has. A model may be in several places; null: none.
struct Latencies {
  std::vector<std::unique_ptr<Latency>> models;  ///< owns them
  std::array<Latency*, k_request_kinds> entry{};
  std::array<Latency*, k_report_kinds> response{};
  Latency* feed = nullptr;  ///< null: as recorded, receive time less event time
  /// What the strategy takes to compute: before it is done, nothing that it asks for leaves, and it is not asked again.
  Latency* computing = nullptr;
  Duration feed_shift{};  ///< added to what is recorded, where the recorder's clock was behind
};

/// What one of several venues takes.
struct VenueTerms {
  Latencies* latencies = nullptr;  ///< outlives the engine; its `computing` means nothing
  Fees fees{};
};

struct EngineSettings {
  Fees fees{};
  Duration mark_every = std::chrono::seconds{1};  ///< equity; > 0
  std::vector<std::int64_t> ticks{};              ///< of each instrument whose reader has none
  /// Where there are several: each one's messages have latencies of their own, and overtake those of others. Empty:
  /// one, with the engine's latencies and `fees`.
  std::vector<VenueTerms> venues{};
};

/// What a strategy has asked for in one instrument, and what was reported to it.
struct RequestTotals {
  std::uint64_t orders = 0;  ///< submitted
  std::uint64_t cancels = 0, replaces = 0;
  std::array<std::uint64_t, k_report_kinds> reports{};  ///< by kind, at the exchange
  std::int64_t submitted = 0;                           ///< quantity of orders
};

class Engine final : public sched::Source, public Desk {
 public:
  /// All outlive it. `strategy.on_begin()` is called by begin().
  Engine(EventStream& events, Exchange& exchange, Strategy& strategy, Latencies& latencies,
         const EngineSettings& settings);
  ~Engine();

  /// From event to event until the end, or until `is_interrupted` says so (asked every few thousand events; may be
  /// empty). What the strategy throws comes through; what was reached stays.
  void run(const std::function<bool()>& is_interrupted);

  // The same step by step, for a sched::Loop over scheduler() and this: begin(), turns until is_over(), end().
  void begin();
  [[nodiscard]] sched::Scheduler& scheduler() noexcept { return scheduler_; }
  [[nodiscard]] bool is_over() { return next_time() == time::k_never && !events_.waits(); }
  void end();

  // sched::Source
  Time next_time() override;
  std::size_t deliver(Time now) override;
  std::size_t finish(Time now) override;

  // Desk
  Time now() const override { return now_; }
  std::span<const RecordedInstrument> instruments() const override { return events_.instruments(); }
  std::int64_t tick(std::uint32_t instrument) const override;
  std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const override;
  std::size_t levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const override;
  DepthLevel last_trade(std::uint32_t instrument) const override;
  std::span<const OwnOrder> orders() const override { return orders_; }
  const OwnOrder* order(OrderNumber number) const override;
  std::int64_t position(std::uint32_t instrument) const override;
  OrderNumber submit(const OrderRequest& request) override;
  bool cancel(OrderNumber number) override;
  bool replace(OrderNumber number, std::int64_t price, std::int64_t quantity) override;
  bool arm(std::uint32_t timer, Time at) override;
  void disarm(std::uint32_t timer) override;

  // Results so far.
  using Totals = RequestTotals;
  /// Events that have reached the exchange; the last one's number in the file, from 1.
  [[nodiscard]] std::uint64_t event_number() const noexcept { return event_number_; }
  [[nodiscard]] Time start() const noexcept { return start_; }
  [[nodiscard]] const std::vector<Fill>& fills() const noexcept { return fills_; }
  [[nodiscard]] const std::vector<Account>& accounts() const noexcept { return accounts_; }
  [[nodiscard]] const std::vector<RoundTrips>& round_trips() const noexcept { return round_trips_; }
  [[nodiscard]] const std::vector<Totals>& totals() const noexcept { return totals_; }
  [[nodiscard]] const Marks& marks() const noexcept { return marks_; }
  [[nodiscard]] const measure::Histogram& queue_times() const noexcept { return queue_times_; }
  /// How often the strategy was asked, timers and reports aside.
  [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_made_; }
  [[nodiscard]] const Fees& fees_of(std::uint32_t instrument) const noexcept {
    return ways_.size() == 1 ? ways_.front().fees : ways_[events_.venue_of(instrument)].fees;
  }
  /// Equity of all instruments now, by the exchange's books.
  [[nodiscard]] double equity() const;

 private:
  class DeskTimer;
  /// An event on its way to the strategy.
  struct InFlight {
    const RecordedEvent* event = nullptr;
    RecordedEvent* kept = nullptr;  // the same where it is kept here; null: it lies in the batch at hand
    Time at;
  };
  struct Travelling {
    Request request;
    Time at;
  };
  struct Coming {
    Report report;
    std::size_t fill;  // its place in fills_, or k_no_fill
  };
  static constexpr std::size_t k_no_fill = ~std::size_t{0};
  /// To a venue and back: the times before which nothing more arrives.
  struct Way {
    Latencies* latencies;
    Fees fees;
    Time feed{}, request{}, report{};
    std::vector<Latency*> loaded{};  // those that follow the load
  };
  static constexpr std::size_t k_chunk = 512;

  [[nodiscard]] bool has_front();
  [[nodiscard]] Time time_of(const RecordedEvent& event) const;
  void load_front();
  /// The exchange goes on: its books are its own again, whatever the strategy was shown.
  void restore_record() const {
    if (book_flight_) book_flight_->restore();
  }
  /// As the strategy knows it; null: not yet.
  [[nodiscard]] const recorded::Depth* known_book(std::uint32_t instrument) const;
  void reach_exchange();
  void market_reaches_strategy(Time bound, std::size_t most);
  void reach_strategy();
  void hand_over_request();
  void pass_own_time(Time now);
  void hand_over_report();
  void collect();
  [[nodiscard]] static Time received_at(const RecordedEvent& event, Time at, Latency* feed, Duration shift);
  /// When an event that reaches the exchange at `at` arrives at the strategy. Once for each.
  [[nodiscard]] Time arrival_of(const RecordedEvent& event, Time at);
  /// On its way to the strategy, until `arrival`. It lies in the batch at hand, or is `kept`.
  void publish(const RecordedEvent& event, RecordedEvent* kept, Time arrival);
  /// The front of the flight has arrived.
  void land() {
    if (RecordedEvent* const kept = flight_.front().kept; kept != nullptr) free_.push_back(kept);
    flight_.pop();
  }
  /// A copy that stays until it has arrived.
  [[nodiscard]] RecordedEvent* keep(const RecordedEvent& event);
  void next_batch();
  [[nodiscard]] Time run_record_ahead(Time bound);
  void land_before(Time bound);
  void note_trade(Report& report);
  bool run_ahead(Time bound);
  void on_period(Time due);
  void on_free(Time due) { static_cast<void>(due); }  // the instant's end asks
  /// Timers for times that had come, at the next instant; not before `earliest`.
  void arm_late_timers(Time earliest);
  /// The strategy begins to compute, behind what it computes already.
  void compute();
  void ask();
  [[nodiscard]] bool has_questions() const;
  void ask_about_books();
  [[nodiscard]] bool send(RequestKind kind, const OwnOrder& order, const OrderRequest& terms);
  [[nodiscard]] OwnOrder* find(OrderNumber number);
  [[nodiscard]] Way& way_of(std::uint32_t instrument) {
    return ways_.size() == 1 ? ways_.front() : ways_[events_.venue_of(instrument)];
  }
  template <class Value>
  static Value& at_or_new(std::vector<Value>& list, std::uint32_t instrument, const Value& fresh = {});
  Account& account_of(std::uint32_t instrument);

  EventStream& events_;
  Exchange& exchange_;
  Strategy& strategy_;
  Latencies& latencies_;
  std::vector<Way> ways_;         // by venue
  bool is_loaded_ = false;        // a latency of one follows the load
  bool is_plain_record_ = false;  // at one venue, no latency follows the load, and nobody sees events one by one
  EngineSettings settings_;
  Wakes wakes_;
  bool makes_market_;
  bool has_own_time_;
  bool keeps_books_ = false;                 // the exchange changes books_ itself
  std::unique_ptr<BookFlight> book_flight_;  // in place of flight_, where nobody asks for the events themselves

  std::span<const RecordedEvent> batch_;
  std::size_t batch_at_ = 0;
  Time front_time_ = time::k_never;  // when the first event that waits reaches the exchange
  Time exchange_time_{};
  Time start_{};
  Time now_{};
  std::uint64_t event_number_ = 0;

  Fifo<InFlight> flight_;
  std::deque<RecordedEvent> kept_;    // on their way, and in no batch any more
  std::vector<RecordedEvent*> free_;  // of these, whose have arrived
  Fifo<Travelling> requests_;
  Fifo<Coming> reports_;

  sched::Scheduler scheduler_;
  sched::TimerOf<&Engine::on_period> period_;
  sched::TimerOf<&Engine::on_free> computed_;  // the strategy was passed over, and has computed then
  Time ready_ = Time::min();                   // when it has computed all that it was asked
  std::vector<std::unique_ptr<DeskTimer>> timers_;
  bool has_period_come_ = false, has_report_come_ = false, has_late_timer_ = false, is_running_ = false;

  FeedBooks books_;  // as the strategy knows them, where book_flight_ does not know better
  std::vector<OwnOrder> orders_;
  std::vector<std::pair<OrderNumber, OrderRequest>> terms_;  // of orders_, as they were asked for
  std::vector<std::int64_t> positions_;
  OrderNumber last_number_ = 0;
  struct Seen {
    std::optional<DepthLevel> bid, ask;
  };
  std::vector<Seen> seen_;

  std::vector<Fill> fills_;
  std::vector<Account> accounts_;
  std::vector<RoundTrips> round_trips_;
  std::vector<Totals> totals_;
  std::uint64_t wakes_made_ = 0;
  Marks marks_;
  measure::Histogram queue_times_;
};

}  // namespace dojima::backtest
