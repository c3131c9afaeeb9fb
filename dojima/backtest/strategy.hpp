#pragma once

// What trades in a back-test. A strategy has no clock and does no I/O: it is called with a desk, looks at the books and
// its own orders there, and asks for orders, cancels and timers. Whoever moves time calls it: the back-test from event
// to event, or at a chosen speed of the clock. It is asked when an instant is over: everything of one instant arrives
// before, so that it never sees half of a change.
//
//   class Joiner final : public Strategy {
//     Wakes wakes() const override { return {.period = std::chrono::milliseconds{100}}; }
//     void on_wake(Desk& desk) override {
//       if (desk.orders().empty())
//         if (const auto bid = desk.best(0, Side::buy))
//           desk.submit({.side = Side::buy, .is_post_only = true, .price = bid->price, .quantity = 1});
//     }
//   };
//
// One thread. A strategy that throws ends its run: what was reached is kept, and the run says where it was.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dojima/backtest/orders.hpp"
#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::backtest {

using recorded::DepthLevel;
using recorded::RecordedEvent;
using recorded::RecordedInstrument;

/// What a strategy sees and does. Everything is as it is known where the strategy runs: what happened at the exchange
/// comes with the latency of the feed and of the responses.
class Desk {
 public:
  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual std::span<const RecordedInstrument> instruments() const = 0;
  /// The smallest step of its prices, > 0.
  [[nodiscard]] virtual std::int64_t tick(std::uint32_t instrument) const = 0;

  /// The recorded book; own orders are not in it.
  [[nodiscard]] virtual std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const = 0;
  /// The first levels, best first, at most as many as there is room for; how many there are.
  [[nodiscard]] virtual std::size_t levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const = 0;
  /// Quantity 0: none yet.
  [[nodiscard]] virtual DepthLevel last_trade(std::uint32_t instrument) const = 0;

  /// Own orders that have not ended, in the order in which they were submitted. Valid until the next call that changes
  /// them.
  [[nodiscard]] virtual std::span<const OwnOrder> orders() const = 0;
  /// Null: there is none, or it has ended. O(own orders).
  [[nodiscard]] virtual const OwnOrder* order(OrderNumber number) const = 0;
  /// Bought less sold, by the reports so far.
  [[nodiscard]] virtual std::int64_t position(std::uint32_t instrument) const = 0;

  /// The number of the new order, on its way from now on. 0: refused at once, for there is no such instrument, no side,
  /// or the quantity is not above 0.
  virtual OrderNumber submit(const OrderRequest& request) = 0;
  /// False: there is no such order, or a change of it is on its way.
  virtual bool cancel(OrderNumber number) = 0;
  /// A new price and a new total quantity, what was executed included. False: as of cancel(), or the quantity makes no
  /// sense. It keeps its place in the queue when only the quantity falls.
  virtual bool replace(OrderNumber number, std::int64_t price, std::int64_t quantity) = 0;

  /// Timers 0 to k_timers - 1, one deadline each; on_timer() is called at it. False: there is no such timer. One that
  /// is armed does not keep a run from ending. A time that is not after now() has come: on_timer() is called at the
  /// next instant at which anything happens (of a live market, at the loop's next turn), never again within this one.
  virtual bool arm(std::uint32_t timer, Time at) = 0;
  virtual void disarm(std::uint32_t timer) = 0;
  static constexpr std::uint32_t k_timers = 8;

 protected:
  ~Desk() = default;
};

/// When a strategy is called, beside its timers and the begin and the end.
struct Wakes {
  bool on_events = false;   ///< on_event() for every event of the feed
  bool on_trades = false;   ///< on_trade() for every trade of the feed
  bool on_books = false;    ///< on_book() at the end of an instant, for each instrument that had an event
  bool on_touch = false;    ///< on_book() only when the best price or its quantity has changed
  bool on_reports = false;  ///< on_wake() at the end of an instant with reports on own orders
  Duration period{};        ///< on_wake() each, from the first event on; 0: never
};

/// A trade of the feed.
struct MarketTrade {
  std::uint32_t instrument = 0;
  Side aggressor = Side::none;  ///< none: not known
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  Time at{};  ///< by the exchange's clock
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Asked once, before on_begin().
  [[nodiscard]] virtual Wakes wakes() const = 0;

  /// Before the first event. Instruments that the file names later come later.
  virtual void on_begin(Desk& desk) { static_cast<void>(desk); }
  virtual void on_event(Desk& desk, const RecordedEvent& event) {
    static_cast<void>(desk);
    static_cast<void>(event);
  }
  virtual void on_trade(Desk& desk, const MarketTrade& trade) {
    static_cast<void>(desk);
    static_cast<void>(trade);
  }
  virtual void on_book(Desk& desk, std::uint32_t instrument) {
    static_cast<void>(desk);
    static_cast<void>(instrument);
  }
  /// As each report arrives, whatever wakes() says; desk has it already.
  virtual void on_report(Desk& desk, const Report& report) {
    static_cast<void>(desk);
    static_cast<void>(report);
  }
  virtual void on_timer(Desk& desk, std::uint32_t timer, Time due) {
    static_cast<void>(desk);
    static_cast<void>(timer);
    static_cast<void>(due);
  }
  /// By period, or after reports.
  virtual void on_wake(Desk& desk) { static_cast<void>(desk); }
  /// Behind the last event and report. What is submitted here goes nowhere.
  virtual void on_end(Desk& desk) { static_cast<void>(desk); }
  /// Asked behind on_end(): what whoever ran it has to know, as one line; empty: nothing.
  [[nodiscard]] virtual std::string remark() const { return {}; }
};

}  // namespace dojima::backtest
