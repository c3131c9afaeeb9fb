#pragma once

// The partition under a generated market, seen by the strategy: requests go in as commands of its user, its user's
// reports come out as reports, and what the books say becomes the feed, without the strategy's own orders in it. Who
// owns which order, and how much everybody holds, is kept beside.

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dojima/backtest/exchange.hpp"
#include "dojima/backtest/market.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::backtest {

inline constexpr std::uint16_t k_strategy_user = 0;

class MarketVenue final : public venue::ReportSink {
 public:
  /// `exchange` gets reports and feed, `journal` the commands; null: none.
  MarketVenue(const MarketConfig& config, Exchange& exchange, journal::Journal* journal);
  ~MarketVenue();

  /// A command of anybody. `instrument` by place. The order that it entered, or that it moved in its queue, where that
  /// rests; else 0.
  template <class Command>
  market::OrderId submit(Command& command, std::uint32_t instrument, std::uint16_t user, Time now) {
    command.header.instrument = instrument + 1;
    command.header.user = user;
    return submit(command.header, now);
  }
  /// Commands that go to the partition while `work` does are the strategy's.
  template <class Work>
  void by_strategy(Work work) {
    const std::uint64_t before = partition_.last_command().value;
    user_ = k_strategy_user;
    fresh_.clear();
    work();
    market_counts_.commands += partition_.last_command().value - before;
    static_cast<void>(settle());
  }
  [[nodiscard]] venue::Partition& partition() noexcept { return partition_; }
  /// Of the strategy.
  void on_request(const Request& request, Time now);
  /// Phases that are due.
  void keep_time(Time now);
  /// As Exchange::keep_books().
  void keep_books(FeedBooks* books, std::span<const recorded::RecordedInstrument> instruments);
  [[nodiscard]] Time next_phase() const noexcept {
    if (!has_day_) return time::k_never;
    return partition_.is_between_days() ? next_midnight_ : partition_.day_due();
  }

  /// For the strategy.
  [[nodiscard]] bool has_reports() const noexcept { return !exchange_.reports.empty(); }
  [[nodiscard]] std::span<const market::Instrument> instruments() const noexcept { return partition_.instruments(); }
  [[nodiscard]] const book::Book& book(std::uint32_t instrument) const noexcept { return *books_[instrument]; }
  [[nodiscard]] bool is_standing(market::OrderId order) const noexcept {
    const auto slot = static_cast<std::uint32_t>(order.value);
    return slot < standing_.size() && standing_[slot].order == order && order.value != 0;
  }
  [[nodiscard]] std::int64_t position(std::uint16_t user, std::uint32_t instrument) const noexcept {
    return holdings_[place_of(user, instrument)].position;
  }
  [[nodiscard]] Money cash(std::uint16_t user, std::uint32_t instrument) const noexcept {
    return holdings_[place_of(user, instrument)].cash;
  }
  /// How many of a user's orders on `side` that have rested have ended, modulo 2^32.
  /// None: on both.
  [[nodiscard]] std::uint32_t ended(std::uint16_t user, std::uint32_t instrument, Side side) const noexcept {
    const auto& ended = holdings_[place_of(user, instrument)].ended;
    return side == Side::buy ? ended[0] : side == Side::sell ? ended[1] : ended[0] + ended[1];
  }
  /// The last that did; before the first one has, none.
  [[nodiscard]] market::OrderId last_ended(std::uint16_t user, std::uint32_t instrument, Side side) const noexcept {
    return holdings_[place_of(user, instrument)].last_ended[side == Side::sell ? 1 : 0];
  }
  /// A hint: what is kept of a user that acts soon. Inlined by force (OrderLists::prefetch says why).
  [[gnu::always_inline]] void prefetch(std::uint16_t user, std::uint32_t instrument) const noexcept {
    __builtin_prefetch(&holdings_[place_of(user, instrument)], 1);
  }
  /// Slots of live orders, which the lower half of an order's number names.
  [[nodiscard]] std::size_t slots() const noexcept { return standing_.size(); }
  [[nodiscard]] std::size_t users() const noexcept { return holdings_.size() / books_.size(); }
  [[nodiscard]] std::size_t own_resting() const noexcept { return own_.size(); }
  [[nodiscard]] const ExchangeCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] MarketCounts& market_counts() noexcept { return market_counts_; }
  [[nodiscard]] std::uint64_t digest() const { return partition_.digest(); }

 private:
  /// A live order of any owner.
  struct Standing {
    market::OrderId order;
    std::int64_t price = 0;
    std::int64_t leaves = 0;
    std::uint32_t instrument = 0;
    std::uint16_t user = 0;
    Side side = Side::none;
    std::uint8_t marks = 0;  ///< k_in_feed and so on: all at once, as that needs nothing of what was there
  };
  static constexpr std::uint8_t k_in_feed = 1, k_resting = 2, k_has_rested = 4;
  static_assert(sizeof(Standing) == 32);
  /// One of the strategy's.
  struct Own {
    OrderNumber number = 0;
    std::int64_t price = 0;
    std::int64_t leaves = 0;
    Time since{};
  };
  /// What a user has of an instrument.
  struct Holding {
    std::int64_t position = 0;
    std::array<std::uint32_t, 2> ended{};  ///< orders, by side
    Money cash = 0;                        ///< price units times lots
    std::array<market::OrderId, 2> last_ended{};
  };

  market::OrderId submit(market::CommandHeader& header, Time now);
  market::OrderId settle();
  void on_reports(std::span<const market::BookReport> reports, Time now) override;
  void on_report(const market::BookReport& report, Time now);
  void on_added(const market::BookReport& report, Time now);
  void on_replaced(const market::BookReport& report, Time now);
  void on_trade(const market::BookReport& report, Time now);
  void leave(market::OrderId order, Time now);
  recorded::RecordedEvent& publish(recorded::EventKind kind, std::uint32_t instrument, Time now);
  void publish_order(recorded::EventKind kind, market::OrderId order, const Standing& standing, std::int64_t quantity,
                     Time now);
  void publish_event(recorded::EventKind kind, market::OrderId order, const Standing& standing, std::int64_t quantity,
                     Time now);
  void end(Standing& order) noexcept {
    Holding& holding = holdings_[place_of(order.user, order.instrument)];
    const std::size_t side = order.side == Side::sell ? 1 : 0;
    holding.ended[side] += (order.marks & k_has_rested) != 0 ? 1U : 0U;
    holding.last_ended[side] = (order.marks & k_has_rested) != 0 ? order.order : holding.last_ended[side];
    order.order = {};
  }
  void read_own_reports(Time now);
  void on_own_report(const market::OwnerReport& report, Time now);
  [[nodiscard]] std::size_t place_of(std::uint16_t user, std::uint32_t instrument) const noexcept {
    return std::size_t{user} * books_.size() + instrument;
  }
  [[nodiscard]] Standing* find(market::OrderId order) noexcept {
    return is_standing(order) ? &standing_[static_cast<std::uint32_t>(order.value)] : nullptr;
  }
  /// A fresh one in the order's slot, whose other fields the caller sets.
  Standing& stand(market::OrderId order);

  Exchange& exchange_;
  FeedBooks* feed_books_ = nullptr;  // changed in place of events; null: events
  journal::MemoryJournal nowhere_;
  venue::Partition partition_;
  venue::Cursor cursor_{};
  std::uint64_t seed_;
  bool has_day_ = false;
  Time next_midnight_{};
  std::vector<const book::Book*> books_;
  std::vector<Standing> standing_;                              // by the slot that an order's id names
  std::vector<market::OrderId> fresh_;                          // accepted or moved by the command at hand
  std::unordered_map<std::uint64_t, Own> own_;                  // the strategy's that live; never walked through
  std::vector<std::pair<OrderNumber, std::uint64_t>> own_ids_;  // the same by number
  const Request* request_ = nullptr;                            // at hand
  std::uint16_t user_ = 0;                                      // of the command at hand
  bool is_about_own_ = false;                                   // it may have been, what the books reported of it
  std::vector<Holding> holdings_;                               // by user and instrument
  ExchangeCounts counts_;
  MarketCounts market_counts_;
};

}  // namespace dojima::backtest
