#pragma once

// The market that a live strategy sees: what the venue's feed says, as the events of a recorded day. The strategy's own
// orders are not in it, as they are not in a back-test's; trades with them are. A book that has been recovered or
// cleared is shown anew, as a snapshot.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/live/order_market.hpp"
#include "dojima/app/trade/live_strategy.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::app {

/// Allocates while books grow. An event costs O(1), a book that is shown anew O(orders).
class LiveMarket final : public mitch::FeedHandler, public OrderMarket {
 public:
  /// `blotter` has the orders that take_own() names, `events` takes what the strategy is to see; both outlive it.
  LiveMarket(const LiveStrategyOptions& options, const Blotter& blotter, std::vector<recorded::RecordedEvent>& events,
             LiveStrategy::Print print);

  /// From here on there is somebody to show it to: all books are to be shown.
  void open();
  /// The books that have changed as a whole.
  void show_stale_books(const mitch::FeedClient& feed, Time now);
  /// The order of this id in the feed is that of the blotter's number.
  void take_own(std::uint64_t order, std::uint32_t number, Time now) override;
  /// Something is to be shown that was not there at the last call, or note_news() was called.
  [[nodiscard]] bool take_news() { return std::exchange(is_news_, false); }
  void note_news() override { is_news_ = true; }

  /// As recorded files name them; an instrument's place in it is its number in events.
  [[nodiscard]] const std::vector<recorded::RecordedInstrument>& instruments() const override { return recorded_; }
  /// Of a symbol that is one of them.
  [[nodiscard]] std::uint32_t place_of(std::string_view symbol) const override;

  void on_message(char group, std::uint32_t number, Bytes message, Time now) override;
  void on_notice(const mitch::FeedNotice& notice, Time now) override;

 private:
  /// Somebody's order on display.
  struct Shown {
    std::uint32_t place;
    market::Side side;
    std::int64_t price, quantity;
  };

  void mark_stale(std::uint32_t place) { is_stale_[place] = is_news_ = true; }
  void show_book(std::uint32_t place, const mitch::FeedClient& feed, Time now);
  recorded::RecordedEvent& event_of(recorded::EventKind kind, std::uint32_t place, Time now);
  void add(std::uint64_t order, const Shown& shown, Time now);
  void traded(std::uint64_t order, std::int64_t quantity, std::optional<std::int64_t> price, std::uint64_t match,
              std::optional<std::int64_t> left, bool is_printable, Time now);
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::uint32_t instrument) const {
    const auto found = places_.find(instrument);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::vector<LiveInstrument> instruments_;
  const std::array<bool, mitch::FeedClient::k_lines> has_line_;
  const Blotter& blotter_;
  std::vector<recorded::RecordedEvent>& events_;
  LiveStrategy::Print print_;
  std::vector<recorded::RecordedInstrument> recorded_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // of instruments, by their number in the feed
  std::vector<bool> is_stale_;                               // by place: its book is to be shown anew
  std::unordered_map<std::uint64_t, Shown> shown_;           // what the strategy has seen, by order id
  std::unordered_map<std::uint64_t, std::uint32_t> own_;     // own orders of the market, by its id: as in the blotter
  bool is_open_ = false, is_news_ = false;
};

}  // namespace dojima::app
