#pragma once

// The exchange `match`: own orders and recorded ones in one book that matches (book/book.hpp). Recorded orders enter as
// they did; a recorded execution is an order that takes as much, at the price of the order that it met, so it meets the
// order that is first now. What own orders took is gone for everybody: from there on the market leaves its record, and
// the counts say how far: executions that met another order, orders missing when the record names them.

#include <memory>
#include <span>
#include <vector>

#include "dojima/backtest/exchange.hpp"
#include "dojima/book/book.hpp"
#include "dojima/recorded/books/order_map.hpp"

namespace dojima::backtest {

class MatchExchange final : public Exchange {
 public:
  explicit MatchExchange(const ExchangeSettings& settings);

  void on_event(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                Time now) override;
  void on_request(const Request& request, Time now) override;
  void prefetch(const recorded::RecordedEvent& event) const override { ours_.prefetch(event.order); }
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const override;
  [[nodiscard]] std::size_t resting() const override { return own_.size(); }
  [[nodiscard]] const ExchangeCounts& counts() const override { return counts_; }

 private:
  /// The last command's reports, where the book wrote them unless they are more than there is room for.
  class LastReports final : public book::ReportBuffer {
   public:
    LastReports() : ReportBuffer(64) {}
    void begin_command(market::Sequence command, Time now) {
      taken();
      overflow_.clear();
      begin(command, now);
    }
    void end_command() {
      if (!overflow_.empty()) [[unlikely]]
        finish();
    }
    [[nodiscard]] std::span<const market::BookReport> all() const noexcept {
      return overflow_.empty() ? pending() : std::span<const market::BookReport>(overflow_);
    }

   private:
    void drain(std::span<const market::BookReport> reports, Time) override {
      overflow_.insert(overflow_.end(), reports.begin(), reports.end());
    }
    std::vector<market::BookReport> overflow_;
  };
  struct One {
    One(market::Instrument of, book::OrderTable& orders, book::ReportBuffer& reports)
        : instrument(std::move(of)), book(instrument, orders, reports, {.levels = orders.capacity()}) {}
    market::Instrument instrument;
    book::Book book;
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

  void add_book(const recorded::RecordedInstrument& recorded);
  template <class Command>
  void submit(One& one, Command& command, std::uint16_t user);
  /// An order of the record enters our book.
  void enter_recorded(std::uint32_t instrument, Side side, std::int64_t price, std::int64_t quantity,
                      market::TimeInForce time_in_force);
  void enter(const recorded::RecordedEvent& event, std::uint64_t id, Side side);
  void take(const recorded::RecordedEvent& event);
  void change(const recorded::RecordedEvent& event);
  /// What a recorded order is here: null or no slot where it is not, or no longer.
  struct Found {
    recorded::OrderMap::Order* known;  ///< stays until the next one enters
    book::Slot slot;
  };
  [[nodiscard]] Found find(const recorded::RecordedEvent& event);
  void forget(std::uint64_t id, std::uint32_t instrument);

  void submit_own(const Request& request, One& one);
  void change_own(const Request& request, One& one);
  /// Reports to owners what the last command did to own orders; `request`: the command is its own.
  void report_own_orders(const Request* request);
  Report& add_report(OrderNumber number, std::uint32_t instrument, Side side, ReportKind kind);
  void refuse(const Request& request, ReportKind kind, market::Reason reason);
  [[nodiscard]] Own* own_of(market::OrderId id);
  void drop(const Own& own);

  ExchangeSettings settings_;
  LastReports last_reports_;
  market::NewOrder entering_;  ///< of the record: what is the same for each is set once
  book::OrderTable orders_;
  std::vector<std::unique_ptr<One>> books_;
  recorded::OrderMap ours_;  ///< by the feed's number; the price is the number that our table gave
  std::vector<Own> own_;
  ExchangeCounts counts_;
  Time now_{};
};

}  // namespace dojima::backtest
