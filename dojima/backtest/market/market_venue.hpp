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
#include "dojima/backtest/market/order_lists.hpp"
#include "dojima/base/text.hpp"
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
  // Orders that participants have, in lists of theirs that outlive the venue's use.

  /// An order that stands is in the list from here on, until it ends or is forgotten, and has this name.
  void remember(market::OrderId order, const Text<20>& name, OrderLists& lists, std::uint32_t list) {
    Standing& standing = standing_[static_cast<std::uint32_t>(order.value)];
    standing.name = name;
    standing.lists = &lists;
    standing.list = list;
    lists.push_back(list, order);
  }
  /// The list has the order at `index` no more, whatever becomes of that.
  void forget(OrderLists::List list, std::size_t index) noexcept {
    standing_[static_cast<std::uint32_t>(list[index].value)].lists = nullptr;
    list.erase(index);
  }
  /// Of an order that is remembered.
  [[nodiscard]] const Text<20>& name_of(market::OrderId order) const noexcept {
    return standing_[static_cast<std::uint32_t>(order.value)].name;
  }
  [[nodiscard]] Side side_of(market::OrderId order) const noexcept {
    return standing_[static_cast<std::uint32_t>(order.value)].side;
  }

  /// A hint: what is kept of a user that acts soon. Inlined by force (OrderLists::prefetch says why).
  [[gnu::always_inline]] void prefetch(std::uint16_t user, std::uint32_t instrument) const noexcept {
    __builtin_prefetch(&holdings_[place_of(user, instrument)], 1);
  }
  [[nodiscard]] std::size_t users() const noexcept { return holdings_.size() / books_.size(); }
  [[nodiscard]] std::size_t own_resting() const noexcept { return own_.size(); }
  [[nodiscard]] const ExchangeCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] MarketCounts& market_counts() noexcept { return market_counts_; }
  [[nodiscard]] std::uint64_t digest() const { return partition_.digest(); }

 private:
  /// A live order of any owner.
  struct alignas(64) Standing {
    market::OrderId order;
    std::int64_t price = 0;
    std::int64_t leaves = 0;
    std::uint32_t instrument = 0;
    std::uint16_t user = 0;
    Side side = Side::none;
    std::uint8_t marks = 0;       ///< k_in_feed and so on: all at once, as that needs nothing of what was there
    Text<20> name;                ///< of an order that is remembered, by its participant
    std::uint32_t list = 0;       ///< of `lists`, that has it
    OrderLists* lists = nullptr;  ///< null: it is not remembered
  };
  static constexpr std::uint8_t k_in_feed = 1, k_resting = 2;
  static_assert(sizeof(Standing) == 64);
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
    Money cash = 0;  ///< price units times lots
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
    if (order.lists != nullptr) order.lists->of(order.list).remove(order.order);
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
