#pragma once

// What the exchanges `levels` and `orders` have in common: the recorded book beside which own orders rest, what they
// took of it, and how requests are carried out. The derived classes keep the place of an order in its queue.
//
// The recorded market goes on as recorded, so an own order that takes leaves what it took in the book. It is remembered
// by level until the feed updates the level, or for orders until it is gone, and nothing takes it again.

#include <cstdint>
#include <span>
#include <vector>

#include "dojima/backtest/exchange.hpp"
#include "dojima/recorded/books/depth_book.hpp"

namespace dojima::backtest {

/// An own order that rests.
struct RestingOwn {
  OrderNumber number = 0;
  std::int64_t price = 0;
  std::int64_t leaves = 0;
  std::int64_t executed = 0;
  std::uint64_t arrival = 0;  ///< orders: when it came, counted beside recorded ones
  std::int64_t ahead = 0;     ///< orders: quantity of recorded orders before it
  QueuePlace place{};         ///< levels
  Time since{};
  std::uint32_t instrument = 0;
  Side side = Side::none;
};

/// Of one instrument.
struct OwnBook {
  /// Best price first, then by age.
  std::vector<RestingOwn> bids, asks;
  struct Taken {
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    Side side = Side::none;
  };
  std::vector<Taken> taken;  ///< from recorded levels; a few
  Time last_event{};
  std::uint32_t instrument = 0;
  bool is_open = true;
  /// Of each side: the exchange has opened, and levels that came to meet own orders before are still to be looked at.
  bool has_opened_for_bids = false, has_opened_for_asks = false;

  [[nodiscard]] std::vector<RestingOwn>& on(Side side) noexcept { return side == Side::buy ? bids : asks; }
  [[nodiscard]] bool& has_opened_for(Side side) noexcept {
    return side == Side::buy ? has_opened_for_bids : has_opened_for_asks;
  }
  /// Nothing that the record does is about own orders.
  [[nodiscard]] bool is_quiet() const noexcept { return bids.empty() && asks.empty() && taken.empty(); }
  [[nodiscard]] OwnPrices prices() const noexcept;
};

class RecordExchange : public Exchange {
 public:
  explicit RecordExchange(const ExchangeSettings& settings) : settings_(settings) {}

  void on_event(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                Time now) final;
  void on_request(const Request& request, Time now) final;
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const final {
    return instrument < books_.size() ? books_.of(instrument).on(side).best() : std::nullopt;
  }
  [[nodiscard]] recorded::DepthBooks* record() noexcept final { return &books_; }
  void prefetch(const recorded::RecordedEvent& event) const final { books_.prefetch(event); }
  [[nodiscard]] std::size_t resting() const final { return resting_; }
  [[nodiscard]] const ExchangeCounts& counts() const final;

 protected:
  /// An event about the book of an instrument where own orders rest, or own orders have taken: apply it by apply(), and
  /// fill what it fills.
  virtual void follow(const recorded::RecordedEvent& event, OwnBook& own) = 0;
  /// It is about to rest: sets its place.
  virtual void place(RestingOwn& order) = 0;
  /// Its quantity fell, by its owner's wish; the place stays.
  virtual void shrink(RestingOwn& order) { static_cast<void>(order); }

  void apply(const recorded::RecordedEvent& event) { books_.apply(event, instruments_); }
  /// DepthBooks::apply_usual(), with one branch by the kind: where somebody looks at what was done, that costs less
  /// than one way for all kinds.
  [[nodiscard]] bool apply_usual(const recorded::RecordedEvent& event, recorded::OrderStep& step) {
    using recorded::EventKind;
    switch (event.kind) {
      case EventKind::add:
        return books_.apply_usual<EventKind::add>(event, instruments_, step);
      case EventKind::remove:
        return books_.apply_usual<EventKind::remove>(event, instruments_, step);
      case EventKind::execute:
        return books_.apply_usual<EventKind::execute>(event, instruments_, step);
      case EventKind::reduce:
        return books_.apply_usual<EventKind::reduce>(event, instruments_, step);
      default:
        return false;
    }
  }
  /// Fills up to `quantity` of an order at its own price; one that is done stays in its list with 0 until settle().
  void fill(RestingOwn& order, std::int64_t quantity);
  /// Takes filled orders of a side out.
  void settle(OwnBook& own, Side side);
  /// Own orders of `side` that the other side of the recorded book has come to meet: they trade with it.
  void meet(OwnBook& own, std::uint32_t instrument, Side side);
  /// What rests there and has not been taken.
  [[nodiscard]] std::int64_t available(const OwnBook& own, Side side, const recorded::DepthLevel& level) const;
  void note_taken(OwnBook& own, Side side, std::int64_t price, std::int64_t quantity);
  /// No more is taken of a level than rests there.
  void limit_taken(OwnBook& own, Side side, std::int64_t price, std::int64_t there);
  /// Behind each change of the lists of `own`, and of whether it has opened.
  void note_prices(const OwnBook& own) noexcept { prices_[own.instrument] = own.prices(); }
  [[nodiscard]] const OwnPrices& prices_of(const OwnBook& own) const noexcept { return prices_[own.instrument]; }
  /// Forgets what was taken and `is_over` says.
  template <class IsOver>
  void forget_taken(OwnBook& own, IsOver&& is_over) {
    if (std::erase_if(own.taken, is_over) != 0) note_prices(own);
  }
  /// The feed updated the level.
  void renew(OwnBook& own, Side side, std::int64_t price);
  [[nodiscard]] static bool is_better(Side side, std::int64_t price, std::int64_t than) noexcept {
    return side == Side::buy ? price > than : price < than;
  }
  [[nodiscard]] const ExchangeSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] Time now() const noexcept { return now_; }
  /// How many units of the instrument make 1 of its quantity.
  [[nodiscard]] double unit_of(std::uint32_t instrument) const;

  recorded::DepthBooks books_;

 private:
  [[nodiscard]] OwnBook& own_of(std::uint32_t instrument) {
    if (instrument >= own_.size()) [[unlikely]]
      add_own(instrument);
    return own_[instrument];
  }
  void add_own(std::uint32_t instrument);
  void on_status(const recorded::RecordedEvent& event, OwnBook& own);
  void submit(const Request& request, OwnBook& own);
  void cancel(const Request& request, OwnBook& own);
  void replace(const Request& request, OwnBook& own);
  /// Takes what it can; answers what is left.
  std::int64_t take(const Request& request, OwnBook& own, std::int64_t quantity);
  void rest(const Request& request, OwnBook& own, std::int64_t leaves, std::int64_t executed, ReportKind as);
  [[nodiscard]] bool is_marketable(const OrderRequest& terms) const;
  [[nodiscard]] std::int64_t reachable(const OwnBook& own, const OrderRequest& terms, std::int64_t enough) const;
  [[nodiscard]] market::Reason refusal(const OrderRequest& terms, const OwnBook& own) const;
  Report& add_report(const Request& request, ReportKind kind);
  void end(const Request& request, ReportKind kind, market::Reason reason, std::int64_t quantity);

  ExchangeSettings settings_;
  std::span<const recorded::RecordedInstrument> instruments_;
  std::vector<OwnBook> own_;
  std::vector<OwnPrices> prices_;  // of these, as note_prices() found them
  mutable ExchangeCounts counts_;
  Time now_{};
  std::size_t resting_ = 0;
};

}  // namespace dojima::backtest
