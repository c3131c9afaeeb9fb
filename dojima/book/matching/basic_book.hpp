#pragma once

// The book over a storage: what every command does, whoever keeps the queues (side_queue.hpp). book.hpp says what its
// public members promise. The bodies lie in the files named below and are compiled once per storage, in the .cpp that
// includes matching.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "dojima/book/auction.hpp"
#include "dojima/book/auction/auction_levels.hpp"
#include "dojima/book/book_types.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/book/queues/entry_list.hpp"
#include "dojima/book/queues/side_queue.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/book/rules.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

class Writer;

template <SideQueue Queue>
class BasicBook {
 public:
  BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
            BookRules rules = {});

  void apply(const market::NewOrder& command);
  void apply(const market::Replace& command);
  void apply(const market::Cancel& command);
  void apply(const market::MassCancel& command);
  void apply(const market::Expire& command);
  void apply(const market::PhaseChange& command);
  void expire(OrderId order, Reason reason);
  void settle();
  /// Every command takes the general path from now on, which gives the same bytes. For tests.
  void forbid_fast_path() noexcept {
    specials_ |= k_forbidden;
    bars_ |= k_forbidden;
  }

  [[nodiscard]] bool mirror(const market::BookReport& report);
  [[nodiscard]] const Crossings& crossings() const noexcept { return crossings_; }
  [[nodiscard]] Slot place(Side side, Price price, Quantity quantity);
  void change(Slot slot, Quantity leaves);
  void remove(Slot slot);

  [[gnu::always_inline]] void prefetch(OrderId order) const noexcept {
    orders_.prefetch(Slot{static_cast<std::uint32_t>(order.value)});
  }
  [[gnu::always_inline]] void prefetch_terms(OrderId order) const noexcept {
    orders_.prefetch_terms(Slot{static_cast<std::uint32_t>(order.value)});
  }
  [[gnu::always_inline]] void prefetch_neighbours(OrderId order) const noexcept {
    Queue::prefetch(orders_, orders_.place_of(order));
  }

  [[nodiscard]] const market::Instrument& instrument() const noexcept { return instrument_; }
  [[nodiscard]] const BookRules& rules() const noexcept { return rules_; }
  [[nodiscard]] std::optional<Price> best(Side side) const;
  [[nodiscard]] std::optional<PriceLevel> best_level(Side side) const;
  [[nodiscard]] Quantity total(Side side, Price price) const;
  [[nodiscard]] Quantity displayed(Side side, Price price) const;
  [[nodiscard]] std::size_t level_count(Side side) const noexcept { return lit(side).level_count(); }
  [[nodiscard]] market::Phase phase() const noexcept { return phase_; }
  [[nodiscard]] const Auction& indicative() const noexcept { return indicative_; }
  [[nodiscard]] std::optional<Price> worst_reached(Side aggressor, std::optional<Price> limit, Quantity quantity) const;
  [[nodiscard]] Reason refusal(const market::NewOrder& command) const;
  [[nodiscard]] Reason refusal(const market::Replace& command) const;
  [[nodiscard]] std::optional<Price> last_trade() const noexcept { return last_trade_; }

  template <class Visit>
  void each_resting(Side side, Visit&& visit) const {
    each_of_queue(lit(side), visit);
    each_of_queue(hidden(side), visit);
    for (const EntryList* list : {&dark(side), &unlimited(side)})
      for (Slot slot = list->first(); slot != k_no_slot; slot = list->next(slot)) visit(resting_order(slot));
  }

  [[nodiscard]] std::uint64_t digest() const;
  [[nodiscard]] std::uint64_t state_digest() const;
  [[nodiscard]] const char* inconsistency(bool may_be_crossed = false) const;
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  static constexpr std::uint64_t k_rules = 1;  // what special rules add to specials_
  static constexpr std::uint64_t k_forbidden = std::uint64_t{1} << 63;
  static constexpr std::int64_t k_beyond_all = std::numeric_limits<std::int64_t>::max();

  /// Ranks of a side's levels rise from its best price to its worst.
  [[nodiscard]] static std::int64_t rank_of(Side side, Level level) noexcept {
    return side == Side::buy ? ~index_of(level) : index_of(level);
  }

  /// How far an aggressor goes.
  struct Reach {
    Side side;
    std::optional<Price> limit;  // none: any price
    [[nodiscard]] bool meets(Price price) const noexcept {
      return !limit || (side == Side::buy ? price <= *limit : price >= *limit);
    }
  };

  /// What a plain order has traded on the fast path.
  struct Sweep {
    Quantity left{};
    Price first{}, last{};  // if it has traded
    bool has_traded = false;
    bool is_stopped = false;  // before an order that the fast path does not know
  };

  /// What keeps plain commands off the fast path, whatever they are.
  struct Bars {
    std::uint64_t word = 0;  // not 0: something does
    std::array<std::int64_t, 2> dark_ranks{k_beyond_all, k_beyond_all};
    friend bool operator==(const Bars&, const Bars&) = default;
  };

  /// The resting orders of a side from the best to the worst: by price, then lit, hidden, dark, then time.
  struct Walk {
    Side side = Side::none;
    Slot lit = k_no_slot;
    Slot hidden = k_no_slot;
    Slot dark = k_no_slot;
  };
  struct Candidate {
    Slot slot = k_no_slot;
    Price price;
  };

  // By index: a choice between two members is made into a branch, and which side comes next cannot be guessed.
  [[nodiscard]] Queue& lit(Side side) noexcept { return lit_[side == Side::buy ? 0 : 1]; }
  [[nodiscard]] const Queue& lit(Side side) const noexcept { return lit_[side == Side::buy ? 0 : 1]; }
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
  [[nodiscard]] bool is_shared_out() const noexcept {
    return rules_.policy == Policy::pro_rata || rules_.policy == Policy::top_pro_rata;
  }

  // Checks (book_checks.hpp).
  [[nodiscard]] static bool is_plain(const market::NewOrder& command) noexcept;
  [[nodiscard]] Reason check_new(const market::NewOrder& command, const market::OrderTerms& terms, Level& level) const;
  [[nodiscard]] Reason check_kind(const market::NewOrder& command) const;
  [[nodiscard]] bool is_peak(const market::OrderTerms& terms) const;
  [[nodiscard]] Reason check_combination(const market::NewOrder& command) const;
  [[nodiscard]] Reason check_phase(const market::OrderTerms& terms) const;
  [[nodiscard]] Reason check_prices(const market::OrderTerms& terms, Level& level) const;
  [[nodiscard]] Reason check_distance(Price distance) const;
  [[nodiscard]] Reason check_link(const market::NewOrder& command) const;
  [[nodiscard]] Reason check_level(const market::OrderTerms& terms, Level level, Slot from) const;
  [[nodiscard]] Reason check_price(Price price, Level& level) const;
  [[nodiscard]] Reason check_replace(const market::Replace& command, Slot slot) const;
  [[nodiscard]] bool has_level_for_rest(const Queue& queue, Side side, Level limit, Quantity quantity,
                                        std::size_t freed) const;
  [[nodiscard]] Quantity reachable(Side aggressor, Level limit, Quantity enough) const;
  [[nodiscard]] static bool is_within(Side aggressor, Level level, Level limit) noexcept;
  [[nodiscard]] Slot find_own(OrderId id) const;

  // The fast path (fast_path.hpp).
  [[nodiscard, gnu::always_inline]] inline std::uint64_t other_bits(Slot slot, OrderId id, std::uint16_t owner,
                                                                    Side side) const noexcept;
  template <bool IsUsual>
  void enter_fast(const market::NewOrder& command);
  template <bool IsUsual>
  void trade_fast(const market::NewOrder& command, Level level);
  template <bool IsUsual>
  [[nodiscard, gnu::always_inline]] inline OrderId write_plain(Slot slot, const market::NewOrder& command,
                                                               const std::array<std::uint32_t, 3>& links,
                                                               std::uint8_t state);
  template <bool IsUsual>
  [[nodiscard, gnu::always_inline]] inline Sweep sweep(Writer& out, Slot taker, Side makers, OrderId id, Level limit);
  [[nodiscard]] Sweep sweep_by_policy(Writer& out, Slot taker, Side makers, OrderId id, Level limit);
  [[nodiscard]] bool is_beside_rule(const market::NewOrder& command) const noexcept;
  [[nodiscard]] Bars bars_now() const;
  void set_bars();
  [[nodiscard]] bool needs_general_path(Side makers, Level limit, bool is_whole) const;
  void wake(const Sweep& swept);
  void go_on(Slot slot, const Sweep& swept);
  void cancel_fast(const market::Cancel& command, Slot slot);
  void replace_fast(const market::Replace& command, Slot slot);

  // The general path (general_path.hpp).
  void apply_general(const market::NewOrder& command);
  void apply_general(const market::Replace& command);
  void apply_general(const market::Cancel& command);
  void collect_plain(const market::NewOrder& command);
  void report_plain(market::BookReportKind kind, Side side, OrderId order, Price price, Quantity quantity,
                    Quantity leaves, OrderId other = {}, Reason reason = Reason::none, std::uint8_t flags = 0);
  [[nodiscard]] bool keeps_place(const market::OrderTerms& terms, Slot slot) const;
  [[nodiscard]] market::OrderTerms changed_terms(const market::Replace& command, Slot slot) const;
  void change_in_place(Slot slot, const market::OrderTerms& terms);
  void move(Slot slot, const market::OrderTerms& terms, std::uint8_t passive);
  template <class Fits>
  void end_all(market::BookReportKind kind, Reason reason, std::span<const Slot> ending, Fits fits);
  void reject(OrderId order, Side side, Reason reason, std::uint8_t flags);

  // Matching with everything (book_matching.hpp).
  void enter(Slot slot, std::uint8_t passive);
  void conclude(Slot slot);
  [[nodiscard]] bool match(Slot aggressor);
  void share_out(Slot aggressor, Level level);
  void trade(Slot aggressor, Slot resting, Price price, Quantity quantity);
  void replenish(Slot slot);
  [[nodiscard]] bool prevent(Slot aggressor, Slot resting);
  void reduce(Slot slot, Slot other, Quantity quantity);
  [[nodiscard]] bool is_own(Slot one, Slot other) const;
  [[nodiscard]] Slot first_own(Level level, Slot taker) const;
  [[nodiscard]] Quantity tradable(Slot aggressor) const;
  [[nodiscard]] Candidate first_eligible(Slot aggressor) const;
  [[nodiscard]] bool is_eligible(Slot aggressor, Slot resting, Quantity left) const;
  [[nodiscard]] bool is_passive(const market::OrderTerms& terms, std::uint8_t rule) const;
  [[nodiscard]] Reach reach_of(Slot slot) const;
  [[nodiscard]] Walk walk(Side side) const;
  [[nodiscard]] Candidate current(const Walk& walk) const;
  void advance(Walk& walk, Slot slot) const;
  [[nodiscard]] Slot largest(const Queue& queue, Level level) const;
  [[nodiscard]] Slot next_dark(Side side, Slot after) const;
  [[nodiscard]] std::optional<Price> dark_price(Slot slot) const;
  [[nodiscard]] std::optional<Price> middle() const;
  [[nodiscard]] Quantity drawn_peak(const market::OrderTerms& terms);

  // Places outside matching (book_places.hpp).
  void rest(Slot slot);
  void park(Slot slot);
  void take_out(Slot slot);
  void resize(Slot slot, Quantity change);
  void end(Slot slot);
  void finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags);
  void take_out_and_finish(Slot slot, market::BookReportKind kind, Reason reason);
  void cancel_linked(OrderId linked);
  OrderId unlink(Slot slot);
  OrderExtra& make_special(Slot slot);
  void make_plain(Slot slot);
  [[nodiscard]] Quantity displayed_of(Slot slot) const;
  [[nodiscard]] RestingOrder resting_order(Slot slot) const;
  market::BookReport& report(market::BookReportKind kind, Slot slot);
  [[nodiscard]] Slot next_triggered() const;
  [[nodiscard]] bool is_triggered(const market::OrderTerms& terms) const;
  void trigger(Slot slot, std::uint8_t flags);
  void follow(Price price);
  [[nodiscard]] Slot next_waking();

  // Phases (book_phases.hpp, book_auction.hpp).
  void leave_phase(const market::PhaseChange& command);
  void begin_phase(const market::PhaseChange& command);
  void enter_waiting();
  void wait(Slot slot);
  void collect(Slot slot);
  void append_unlimited(Slot slot);
  [[nodiscard]] std::optional<Price> offset_price(const market::OrderTerms& terms) const;
  [[nodiscard]] std::optional<Level> tick_beside(Price price, Side towards) const;
  void settle_phase();
  void report_book(market::BookReportKind kind, const Auction& auction);
  void uncross();
  [[nodiscard]] Quantity cross(Price price);
  [[nodiscard]] Quantity cross_plain(Price price);
  [[nodiscard]] bool is_plain_in_front(Slot slot) const;
  [[nodiscard]] Slot first_at(Side side, Level limit) const;
  void trade_both(Slot buyer, Slot seller, Price price, Quantity quantity);
  void take_off(Slot slot, Quantity quantity);
  [[nodiscard]] Quantity shown_in_cross(Slot slot) const;
  void end_traded(Slot slot);
  void end_collected(std::optional<Price> price);
  void count_levels(Level middle);
  [[nodiscard]] Level expected_level() const;
  void count_change(Slot slot, Quantity change);
  [[nodiscard]] Auction auction_now();
  [[nodiscard]] Level nearest(Price price, Level first, Level last) const;

  // Saving and loading (book_state.hpp).
  static void save_queue(StateWriter& out, const Queue& queue);
  static void save_list(StateWriter& out, const EntryList& list);
  [[nodiscard]] bool load_slot(StateReader& in, Side side, Place place, Slot& slot);
  [[nodiscard]] bool load_queue(StateReader& in, Queue& queue, Side side, Place place);
  [[nodiscard]] bool load_list(StateReader& in, EntryList& list, Side side, Place place);

  // Mirror and views (book_mirror.hpp, book_views.hpp).
  template <class Visit>
  void each_of_queue(const Queue& queue, Visit& visit) const {
    for (Level level = queue.best(); level != k_no_level; level = queue.worse(level))
      for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) visit(resting_order(slot));
  }
  [[nodiscard]] bool mirror_phase(const market::BookReport& report);
  [[nodiscard]] bool mirror_cross(Slot buyer, const market::BookReport& report);
  [[nodiscard]] bool mirror_any(const market::BookReport& report);
  void look_for_crossing(OrderId order);
  [[nodiscard]] bool mirror_added(const market::BookReport& report);
  [[nodiscard]] bool mirror_change(Slot slot, const market::BookReport& report);
  void mirror_displayed(Slot slot, Quantity displayed);
  void mirror_removed(Slot slot);
  [[nodiscard]] Slot place(Side side, Price price, Quantity quantity, OrderId foreign);
  [[nodiscard]] const char* inconsistency_of(const Queue& queue, Side side, Place place, std::size_t levels,
                                             std::size_t& specials) const;
  [[nodiscard]] const char* inconsistency_of(const EntryList& list, Side side, Place place,
                                             std::size_t& specials) const;
  [[nodiscard]] const char* inconsistency_of(Slot slot, Side side, Place place) const;
  [[nodiscard]] std::optional<Price> best_in_levels(Side side) const;

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
