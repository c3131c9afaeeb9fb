#pragma once

// The limits of users, accounts and everybody, and their kill switches, between a partition's journal and its books.
// Orders, replaces and quotes are held against them before they reach a book; what the books report is counted. All of
// it follows from commands, so a replay gives the same refusals. docs/risk.md has the checks in their order.
//
// While no limit was ever set, is_on() is all that it costs. O(1) an order and a report, no allocation; setting a limit
// is O(capacity) and may allocate. One thread.
//
//   if (limits.is_on() && limits.admit(request) != Reason::none) ...     // it does not reach the book
//   ... the book reports ...  limits.count(report, now);

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/limit_keys.hpp"
#include "dojima/venue/partition/instrument_books.hpp"
#include "dojima/venue/risk/risk_cells.hpp"
#include "dojima/venue/risk/risk_profile.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

/// One order that a request wants: a new one, or one that is there as it shall become.
struct RiskLeg {
  market::Side side = market::Side::none;
  market::Quantity quantity;           ///< total
  market::Quantity leaves;             ///< that it will have left
  market::Price price;                 ///< its limit, else its stop price; 0: it has neither
  book::Slot order = book::k_no_slot;  ///< of the order that is there
};

/// What a request wants, as limits see it.
struct RiskRequest {
  market::Sequence command;
  Time now;
  std::uint16_t user = 0;
  std::uint32_t place = 0;              ///< of the instrument
  std::uint32_t account = k_everybody;  ///< its subject; everybody: none that has limits
  std::array<RiskLeg, 2> legs;
  std::uint8_t count = 0;     ///< of the legs; 0: for no order that is its user's
  bool is_new_order = false;  ///< duplicates are looked for
  bool has_order = false;     ///< a leg is about an order that is there
};

class RiskLimits {
 public:
  /// All must outlive it, and may be constructed later.
  RiskLimits(std::size_t users, const InstrumentBooks& books, const book::OrderTable& orders);
  ~RiskLimits();
  RiskLimits(const RiskLimits&) = delete;
  RiskLimits& operator=(const RiskLimits&) = delete;

  /// Some limit was set once.
  [[nodiscard]] bool is_on() const noexcept { return tables_ != nullptr; }

  /// How much of the room that limits have is used (RiskCells::k_capacity each); nothing while there are none.
  struct Use {
    std::size_t cells = 0;   ///< user or account, and instrument, that something is counted for
    std::size_t recent = 0;  ///< orders that duplicates are looked for of
  };
  [[nodiscard]] Use use() const noexcept;

  // All of the following but apply(), complaint(), save() and load(): only while is_on(), of a known user.

  [[nodiscard]] RiskRequest request_of(const market::NewOrder& order) const;
  [[nodiscard]] RiskRequest request_of(const market::Replace& replace) const;
  /// `bid`, `ask`: the quote's orders that are there.
  [[nodiscard]] RiskRequest request_of(const market::Quote& quote, market::OrderId bid, market::OrderId ask) const;

  /// Why the request does not reach its book; none: it does. Changes nothing.
  [[nodiscard]] market::Reason refusal(const RiskRequest& request) const;
  template <class Command>
  [[nodiscard]] market::Reason refusal(const Command& command) const {
    return refusal(request_of(command));
  }
  /// The same of the request in hand, which is counted: the orders that it brings are what reports are about from here.
  [[nodiscard]] market::Reason admit(const RiskRequest& request);
  /// `place`: of its instrument.
  [[nodiscard]] market::Reason admit(const market::NewOrder& order, std::uint32_t place);
  [[nodiscard]] market::Reason admit(const market::Replace& replace);

  /// A book reported, and the owner's report is written.
  void count(std::span<const market::BookReport> reports, Time now);
  /// Behind the last report of a command.
  void settle() {
    if (is_due_) [[unlikely]]
      settle_due();
  }
  /// Whether market-maker protection may have something to cancel.
  [[nodiscard]] bool is_protection_due() const noexcept { return is_due_; }

  /// Why the command would change nothing; for a person. Errors: `unknown`, `out_of_range`, `not_supported`,
  /// `wrong_state` where less is limited than is used, which `got` has, or would be once the limit of one instrument is
  /// taken away and that of all holds; `no_room`.
  [[nodiscard]] Result<void> complaint(const market::RiskCommand& command) const;
  /// Sets the limit. False: it makes no sense, and nothing changed. A position limit of one instrument goes even where
  /// complaint() would have it stay, as it did in journals of earlier builds: a caller that takes commands asks
  /// complaint() before. Ending orders is the caller's work.
  [[nodiscard]] bool apply(const market::RiskCommand& command);
  /// What market-maker protection has to cancel.
  [[nodiscard]] std::optional<market::RiskCommand> next_protection() const;

  [[nodiscard]] bool is_killed(market::LimitOf of, std::uint16_t user, const Text<10>& account) const;
  /// Every limit that is set, in the order in which their cells were made.
  [[nodiscard]] std::vector<LimitRow> rows(Time now) const;
  /// Those that the operator has taken away, which the configuration does not bring back.
  [[nodiscard]] std::vector<LimitRow> removed() const;

  void add_to(book::Digest& digest) const;
  /// Nothing while nothing was ever limited.
  void save(StateWriter& out) const;
  /// Once the order table and the books were loaded.
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Tables;
  using Kind = market::LimitKind;

  /// What a request adds to a count.
  struct Growth {
    std::int64_t orders = 0;
    RiskValue value = 0;
    std::int64_t buying = 0, selling = 0;
  };

  void fill_in(RiskRequest& request, const market::NewOrder& order, std::uint32_t place, std::uint32_t account) const;
  void fill_in(RiskRequest& request, const market::Replace& replace) const;
  [[nodiscard]] market::Reason admit_in_hand();
  [[nodiscard]] market::Reason admit_looking(const market::NewOrder& order, std::uint32_t place, std::uint32_t account);
  [[nodiscard]] bool is_far_from_limits(const RiskLeg& leg, std::uint32_t place, const RiskProfile& profile) const;
  void take(RiskProfile& profile);
  void lease(RiskProfile& profile);
  [[nodiscard]] std::optional<RiskProfile::Room> free_for_lease(const RiskProfile& profile,
                                                                const RiskProfile::Room& wanted) const;
  [[nodiscard]] bool is_covered(const RiskRequest& request, std::int64_t last, const RiskProfile& profile) const;
  [[nodiscard]] const OrderExposure* held(const RiskLeg& leg, std::uint32_t cell) const noexcept;
  [[nodiscard]] Growth growth(const RiskRequest& request, std::uint32_t cell, std::int64_t last) const;
  [[nodiscard]] Check first_broken(const RiskRequest& request, RiskProfile& profile) const;
  [[nodiscard]] Check broken_by_value(const RiskRequest& request, std::uint8_t count, std::int64_t last,
                                      const RiskProfile& profile) const;
  [[nodiscard]] static bool has_room_for(const RiskLeg& leg, std::int64_t last, const RiskProfile& profile) noexcept;
  [[nodiscard]] Check broken_by_counts(const RiskRequest& request, std::int64_t last, const RiskProfile& profile) const;
  [[nodiscard]] bool is_duplicate(const RiskRequest& request, const RiskProfile& profile) const;
  [[nodiscard]] Check broken_by_duplicate(const RiskRequest& request, const RiskProfile& profile) const;
  [[nodiscard]] bool is_beyond_collar(market::Price price, market::Price last, std::uint32_t place,
                                      const RiskProfile& profile) const;
  [[nodiscard]] RiskProfile::Near near_of(const RiskProfile& profile, market::Price last, std::uint32_t place) const;
  [[nodiscard]] bool is_beyond(const RiskProfile::Collar& collar, market::Price price, market::Price reference,
                               std::uint32_t place) const;
  [[nodiscard]] market::Price last_of(std::uint32_t place) const;
  [[nodiscard]] market::Price value_price(const RiskLeg& leg, std::uint32_t place) const;
  [[nodiscard]] bool make_position_cells(OrderCells& cells, std::uint32_t place);
  [[nodiscard]] bool wants_position(std::uint32_t all) const noexcept;
  void note_request(const RiskProfile& profile, Time now);
  void look_at_requests(RiskCell& cell, Time now);
  void note_duplicate(Time now);

  [[nodiscard]] book::Slot slot_of(market::OrderId order) const noexcept;
  void count_one(const market::BookReport& report, Time now);
  void count_accepted(const market::BookReport& report);
  void begin(book::Slot slot, market::Side side, std::int64_t price, std::int64_t leaves, const RiskProfile& profile);
  void enter(book::Slot slot, market::Side side, std::int64_t price, std::int64_t leaves, const OrderCells& cells);
  void end(book::Slot slot);
  void shift(const OrderExposure& exposure, std::int64_t orders, RiskValue value, std::int64_t lots);
  void fill(book::Slot slot, std::int64_t lots, Time now);
  void fill_in_cells(OrderExposure& exposure, std::int64_t lots, Time now);
  void change(const market::BookReport& report);
  void leave(book::Slot slot, std::int64_t lots);
  void look_at_executions(std::uint32_t at, Time now);
  void settle_due();

  [[nodiscard]] std::uint32_t subject_of(const market::RiskCommand& command) const;
  [[nodiscard]] RiskValue used(const market::RiskCommand& command) const;
  [[nodiscard]] Result<void> basic_complaint(const market::RiskCommand& command) const;
  [[nodiscard]] Result<void> removal_complaint(const market::RiskCommand& command) const;
  void set(RiskCell& cell, std::uint32_t at, const market::RiskCommand& command);
  void prepare(RiskCell& cell);
  void find_longest_duplicate();
  void recount();
  [[nodiscard]] LimitRow row_of(const RiskCell& cell, Kind kind, Time now) const;
  void save_cells(StateWriter& out) const;
  [[nodiscard]] bool load_cells(StateReader& in);
  [[nodiscard]] bool load_recent(StateReader& in);

  std::size_t users_;
  const InstrumentBooks& books_;
  const book::OrderTable& orders_;
  std::unique_ptr<Tables> tables_;  // taken with the first limit
  bool is_due_ = false;             // some cell's protection
};

}  // namespace dojima::venue
