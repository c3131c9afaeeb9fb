#pragma once

// The exchange `match`: own orders and recorded ones in one book that matches (book/book.hpp). Recorded orders enter as
// they did; a recorded execution is an order that takes as much, at the price of the order that it met, so it meets the
// order that is first now. What own orders took is gone for everybody: from there on the market leaves its record, and
// the counts say how far: executions that met another order, orders missing when the record names them.
//
// The books as they are in the record are kept beside it, as a strategy goes on to see them, and a recorded order is
// looked up once for both: the record keeps with it what it is here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/backtest/exchange.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/books/matching_books.hpp"
#include "dojima/recorded/books/order_map.hpp"

namespace dojima::backtest {

class MatchExchange final : public Exchange {
 public:
  explicit MatchExchange(const ExchangeSettings& settings);

  void on_event(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                Time now) override;
  void on_request(const Request& request, Time now) override;
  [[nodiscard]] recorded::DepthBooks* record() noexcept override { return &record_; }
  void prefetch(const recorded::RecordedEvent& event) const override { record_.prefetch(event); }
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const override;
  [[nodiscard]] std::size_t resting() const override { return own_.size(); }
  [[nodiscard]] const ExchangeCounts& counts() const override { return counts_; }

 private:
  /// Of one instrument, beside its book.
  struct State {
    Time last_event{};
    bool is_open = true;
  };
  /// An own order that lives.
  struct Own {
    OrderNumber number = 0;
    market::OrderId id;
    std::int64_t executed = 0;
    std::int64_t leaves = 0;
    std::int64_t price = 0;
    Time since{};
    std::uint32_t instrument = 0;
    Side side = Side::none;
    bool is_resting = false;
  };

  /// What a recorded order is here.
  struct Known {
    market::OrderId id;  ///< in our table, live or not; 0: it never came here, or it is known to be gone
    std::int64_t price = recorded::k_unknown;  ///< of the record, as is the side; means nothing without an id
    Side side = Side::none;
  };
  template <recorded::EventKind Kind>
  [[nodiscard]] bool follow_usual(const recorded::RecordedEvent& event,
                                  std::span<const recorded::RecordedInstrument> instruments);
  void follow_any(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments);
  // Each gives the id that the order is known by behind it; 0: none.
  [[nodiscard]] market::OrderId enter(const recorded::RecordedEvent& event, Side side);
  [[nodiscard]] market::OrderId take(const recorded::RecordedEvent& event, const Known& known);
  [[nodiscard]] market::OrderId change(const recorded::RecordedEvent& event, const Known& known);
  void replace(const recorded::RecordedEvent& event, const Known& before, const Known& other);
  /// No slot, and counted: it is not here, or no longer.
  [[nodiscard]] book::Slot slot_of(const Known& known);

  [[nodiscard]] Known find(std::uint64_t order, std::uint32_t instrument);
  /// That is what the order is from here on, whether the record still has it or not.
  void keep(std::uint64_t order, std::uint32_t instrument, const Known& known);
  // Of orders that the record has ended, but not here: who names one once more means it to go.
  [[nodiscard]] static Known known_of(const recorded::OrderMap::Order& ended);
  /// Of an order that is not among them. Without an id nothing is done.
  void note_ended(std::uint64_t order, std::uint32_t instrument, const Known& known);
  [[nodiscard]] recorded::OrderMap::Order* find_ended(std::uint64_t order, std::uint32_t instrument);
  Known forget_ended(std::uint64_t order, std::uint32_t instrument);
  /// Before a side of the record is cleared.
  void keep_cleared(const recorded::RecordedEvent& event);

  void submit_own(const Request& request, const State& state);
  void change_own(const Request& request, const State& state);
  /// Reports to owners what the last command did to own orders; `request`: the command is its own.
  void report_own_orders(const Request* request);
  Report& add_report(OrderNumber number, std::uint32_t instrument, Side side, ReportKind kind);
  void refuse(const Request& request, ReportKind kind, market::Reason reason);
  [[nodiscard]] Own* own_of(market::OrderId id);
  void drop(const Own& own);

  ExchangeSettings settings_;
  recorded::DepthBooks record_;  ///< a recorded order's tag is the id that our table gave it
  // Orders that the record has ended, but not here; their price is that id. A list, as nearly nobody asks for them,
  // until somebody does. No number is in both.
  std::vector<recorded::OrderMap::Order> ended_lately_;
  recorded::OrderMap ended_;
  std::uint64_t highest_ended_ = 0;  ///< of all numbers that ever were among them: feeds mostly count up
  recorded::MatchingBooks books_;
  std::vector<State> states_;
  std::vector<Own> own_;
  ExchangeCounts counts_;
  Time now_{};
};

}  // namespace dojima::backtest
