#pragma once

// Orders that end because of one command, and are too many to end in one turn: what a mass cancel, the operator, the
// end of a day or of a session has begun to end goes on slice by slice, each a command of its own, so that a replay
// does the same. A sweep looks at every place of the order table once and ends the orders that fit and were there when
// it began. Where few are concerned they end at once, in the order of the instruments, owners and entry.
//
// O(places + orders that end) for all slices together, O(places and orders of the slice) for each. No allocation after
// construction. One thread.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/book/digest.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/venue/partition/instrument_books.hpp"
#include "dojima/venue/partition/owned_orders.hpp"
#include "dojima/venue/partition/trading_days.hpp"
#include "dojima/venue/partition_config.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

/// Which orders end, and how far that has come. 72 bytes.
struct Sweep {
  enum class Of : std::uint8_t { mass_cancel, operator_cancel, end_of_day, end_of_session };

  std::uint64_t last_entry = 0;  ///< OrderTable: of orders that were there when it began
  std::uint32_t next = 0;        ///< the place that is looked at next
  std::uint32_t instrument = 0;  ///< 0: all
  Text<20> client_order_id;      ///< of the mass cancel that their owner is answered with
  Text<10> account;              ///< of the label that orders carry; empty: any
  Text<4> segment;               ///< empty: all
  std::uint16_t user = market::k_no_user;
  Of of = Of::mass_cancel;
  market::Side side = market::Side::none;
  std::uint8_t group = 0;
  market::MassCancelOf what = market::MassCancelOf::orders_and_quotes;
  market::Reason reason = market::Reason::none;
  std::uint8_t is_everyone = 0;
  std::uint8_t is_account = 0;  ///< of all users of the user's account (book::BookRules::accounts)
  std::uint8_t is_untimed = 0;  ///< end of day: of instruments without a timetable; else of those whose day is over
  std::uint8_t reserved[12] = {};
};
static_assert(sizeof(Sweep) == 72 && market::PlainRecord<Sweep>);

class Sweeps {
 public:
  /// At a time; what comes beyond them ends at once.
  static constexpr std::size_t k_most = 64;
  /// Places of the order table that a slice looks at.
  static constexpr std::uint32_t k_places = 8192;

  /// All must outlive it; they may be constructed later. Throws std::bad_alloc.
  Sweeps(const PartitionConfig& config, book::OrderTable& orders, InstrumentBooks& books, const TradingDays& days,
         OwnedOrders& owned)
      : config_(config), orders_(orders), books_(books), days_(days), owned_(owned) {
    sweeps_.reserve(k_most);
    ending_.reserve(orders.capacity());
  }

  /// Ends the orders that the command is about, or begins to.
  void begin(const market::MassCancel& command);
  void begin(const market::RiskCommand& command);
  void begin(const market::UserCommand& command);
  /// The end of the day of one instrument, of all without a timetable (`is_untimed`), or of those whose day is over.
  void begin_end_of_day(std::uint32_t instrument, bool is_untimed);

  /// The next slice of the oldest sweep.
  void go_on(const market::Slice& slice);
  [[nodiscard]] bool is_empty() const noexcept { return sweeps_.empty(); }
  [[nodiscard]] market::Slice next_slice() const noexcept;

  void add_to(book::Digest& digest) const;
  /// Nothing while nothing is under way.
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  void begin(Sweep sweep);
  [[nodiscard]] bool is_of_user(const Sweep& sweep) const noexcept;
  [[nodiscard]] bool is_small(const Sweep& sweep) const noexcept;
  void end_at_once(const Sweep& sweep);
  [[nodiscard]] bool fits(const Sweep& sweep, book::Slot slot) const;
  [[nodiscard]] bool is_of_subject(const Sweep& sweep, book::Slot slot) const;
  [[nodiscard]] bool ends_with_day(const Sweep& sweep, const market::OrderTerms& terms, std::size_t place) const;
  void end(const Sweep& sweep, book::Slot slot);
  void settle();

  const PartitionConfig& config_;
  book::OrderTable& orders_;
  InstrumentBooks& books_;
  const TradingDays& days_;
  OwnedOrders& owned_;
  std::vector<Sweep> sweeps_;       // the oldest first
  std::vector<book::Slot> ending_;  // of the command in hand
  Text<20> answered_;               // what the slice in hand answers
};

}  // namespace dojima::venue
