#pragma once

// What a book is: its queues and lists, what it remembers, and how it writes reports. All parts of BasicBook build on
// it, each on the one below (basic_book.hpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "dojima/book/auction.hpp"
#include "dojima/book/auction/auction_levels.hpp"
#include "dojima/book/book_types.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/book/queues/entry_list.hpp"
#include "dojima/book/queues/largest_orders.hpp"
#include "dojima/book/queues/side_queue.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/book/rules.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookData {
 public:
  BookData(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
           BookRules rules);
  BookData(const BookData&) = delete;
  BookData& operator=(const BookData&) = delete;

  [[nodiscard]] const market::Instrument& instrument() const noexcept { return instrument_; }
  [[nodiscard]] const BookRules& rules() const noexcept { return rules_; }
  [[nodiscard]] std::optional<Price> best(Side side) const;
  [[nodiscard]] std::size_t level_count(Side side) const noexcept { return lit(side).level_count(); }
  [[nodiscard]] market::Phase phase() const noexcept { return phase_; }
  [[nodiscard]] const Auction& indicative() const noexcept { return indicative_; }
  [[nodiscard]] std::optional<Price> last_trade() const noexcept { return last_trade_; }
  [[nodiscard]] const Crossings& crossings() const noexcept { return crossings_; }

  /// Every command takes the general path from now on, which gives the same bytes. For tests.
  void forbid_fast_path() noexcept {
    specials_ |= k_forbidden;
    bars_ |= k_forbidden;
  }

 protected:
  ~BookData() = default;

  /// An address that is found once: left alone, g++ 12 multiplies the index by a queue's size again for each field.
  template <class T>
  [[nodiscard, gnu::always_inline]] static T* in_register(T* address) noexcept {
    __asm__("" : "+r"(address));
    return address;
  }

  static constexpr std::uint64_t k_rules = 1;  // what special rules add to specials_
  static constexpr std::uint64_t k_forbidden = std::uint64_t{1} << 63;
  static constexpr std::int64_t k_beyond_all = std::numeric_limits<std::int64_t>::max();

  /// Ranks of a side's levels rise from its best price to its worst.
  [[nodiscard]] static std::int64_t rank_of(Side side, Level level) noexcept {
    return side == Side::buy ? ~index_of(level) : index_of(level);
  }
  [[nodiscard]] static bool is_within(Side aggressor, Level level, Level limit) noexcept;

  // By index: a choice between two members is made into a branch, and which side comes next cannot be guessed.
  [[nodiscard]] Queue& lit(Side side) noexcept { return *in_register(&lit_[side == Side::buy ? 0 : 1]); }
  [[nodiscard]] const Queue& lit(Side side) const noexcept { return *in_register(&lit_[side == Side::buy ? 0 : 1]); }
  /// The same of a side that is one, and the other side's, without a compare.
  [[nodiscard]] Queue& lit_known(Side side) noexcept { return *in_register(&lit_[static_cast<std::size_t>(side) - 1]); }
  [[nodiscard]] Queue& lit_opposite(Side side) noexcept {
    return *in_register(&lit_[(static_cast<std::size_t>(side) - 1) ^ 1]);
  }
  static_assert(static_cast<int>(Side::buy) == 1 && static_cast<int>(Side::sell) == 2);
  [[nodiscard]] Queue& hidden(Side side) noexcept { return side == Side::buy ? hidden_bids_ : hidden_asks_; }
  [[nodiscard]] const Queue& hidden(Side side) const noexcept {
    return side == Side::buy ? hidden_bids_ : hidden_asks_;
  }
  [[nodiscard]] Queue& stops(Side side) noexcept { return side == Side::buy ? stop_buys_ : stop_sells_; }
  [[nodiscard]] const Queue& stops(Side side) const noexcept { return side == Side::buy ? stop_buys_ : stop_sells_; }
  [[nodiscard]] EntryList& dark(Side side) noexcept { return side == Side::buy ? dark_bids_ : dark_asks_; }
  [[nodiscard]] const EntryList& dark(Side side) const noexcept { return side == Side::buy ? dark_bids_ : dark_asks_; }
  [[nodiscard]] EntryList& unlimited(Side side) noexcept {
    return side == Side::buy ? unlimited_bids_ : unlimited_asks_;
  }
  [[nodiscard]] const EntryList& unlimited(Side side) const noexcept {
    return side == Side::buy ? unlimited_bids_ : unlimited_asks_;
  }

  /// To be called where an order comes to rest in a lit level, or has more than before, and largest_ is not informed.
  void forget_largest(Side side, Level level) noexcept {
    if (largest_ != nullptr) [[unlikely]] {
      largest_->forget(side, level);
    }
  }
  void forget_largest() noexcept {
    if (largest_ != nullptr) [[unlikely]] {
      largest_->forget();
    }
  }

  [[nodiscard]] Slot find_own(OrderId id) const;
  [[nodiscard]] Quantity displayed_of(Slot slot) const;
  [[nodiscard]] RestingOrder resting_order(Slot slot) const;

  market::BookReport& report(market::BookReportKind kind, Slot slot);
  void report_plain(market::BookReportKind kind, Side side, OrderId order, Price price, Quantity quantity,
                    Quantity leaves, OrderId other = {}, Reason reason = Reason::none, std::uint8_t flags = 0);
  void report_book(market::BookReportKind kind, const Auction& auction);
  void reject(OrderId order, Side side, Reason reason, std::uint8_t flags);

  const market::Instrument& instrument_;
  OrderTable& orders_;
  ReportBuffer& reports_;
  BookLimits limits_;
  Quantity maximum_quantity_;
  // Not 0: plain orders enter with care. Special orders, 1 for special rules, 1 for another phase than continuous
  // trading, and k_forbidden.
  std::uint64_t specials_ = 0;
  std::uint64_t bars_ = 0;                                              // Bars::word
  std::array<std::int64_t, 2> dark_ranks_{k_beyond_all, k_beyond_all};  // of dark bids and asks, the nearest
  std::optional<Price> last_trade_;
  Queue lit_[2];  // bids, asks

  BookRules rules_;
  std::unique_ptr<LargestOrders> largest_;  // in the lit levels; none where they are traded in the order of time
  Queue hidden_bids_, hidden_asks_;
  Queue stop_buys_,
      stop_sells_;  // by stop price: those who buy from the lowest up, those who sell from the highest down
  EntryList dark_bids_, dark_asks_;
  EntryList trailing_;
  bool has_exact_middles_;
  std::uint64_t random_;
  std::uint64_t entries_ = 0;
  std::optional<Price> middle_;                    // while an order enters: as it was before it did
  std::optional<Price> traded_low_, traded_high_;  // since the stop orders were last looked at

  market::Phase phase_ = market::Phase::continuous;
  bool is_collected_ = false;         // orders may have come to meet without trading
  bool is_counting_ = false;          // levels_ knows what rests in the book
  bool has_auction_orders_ = false;   // orders for auctions alone may rest in the levels
  std::optional<Price> reference_;    // of the phase
  std::optional<Price> cross_price_;  // the closing price
  Auction indicative_;
  std::unique_ptr<AuctionLevels> levels_;
  std::uint32_t far_looks_ = 0;
  EntryList waiting_;
  EntryList unlimited_bids_, unlimited_asks_;
  Crossings crossings_;  // of mirror() only
};

}  // namespace dojima::book
