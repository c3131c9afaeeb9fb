#pragma once

// Recorded books on the screens: levels as far as a ladder shows them, every trade, phases and auction prices as the
// recording has them. Books are looked at from time to time, and what has changed is sent. What a replay and a
// back-test share; of a back-test own orders are shown at their prices as well.
//
//   RecordedBoard board(screens.channel());
//   board.on_event(event, event.price, instruments, false);   // as they come
//   board.look(books_as_levels, instruments);                 // thirty times a second

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "dojima/market/order.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/time/time.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {

/// What stands at a price.
struct BoardLevel {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::uint8_t own = 0;  ///< orders of who is watched; 255: or more
  friend bool operator==(const BoardLevel&, const BoardLevel&) = default;
};

/// The books as the board reads them.
class BoardBooks {
 public:
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// The first levels of a side, best first, at most as many as there is room for; how many there are.
  [[nodiscard]] virtual std::size_t levels(std::uint32_t instrument, market::Side side,
                                           std::span<BoardLevel> levels) const = 0;

 protected:
  ~BoardBooks() = default;
};

class RecordedBoard {
 public:
  using Instruments = std::span<const recorded::RecordedInstrument>;
  static constexpr std::size_t k_levels = 60;          ///< of a side, that are sent
  static constexpr std::size_t k_looks = 256;          ///< instruments in one look; the others follow in the next
  static constexpr std::size_t k_instruments = 8'192;  ///< beyond them the fewer levels have room in a snapshot
  /// What the channel has room for.
  static constexpr web::FactChannelOptions k_channel{.bytes = 1 << 22, .orders = 1 << 17, .instruments = k_instruments};

  /// What the screens call an instrument of the reader's; they begin with 1: a page watches none as 0.
  [[nodiscard]] static constexpr std::uint32_t watched_id(std::uint32_t at) noexcept { return at + 1; }

  /// Own orders are those of session 0. The channel outlives the board.
  explicit RecordedBoard(web::FactChannel& channel) : channel_(channel) {}

  /// The books have taken this event. `price`: of a trade. `is_skipped`: it is not on the tape.
  void on_event(const recorded::RecordedEvent& event, std::int64_t price, Instruments instruments, bool is_skipped);
  /// Something else has changed at this instrument, own orders for example.
  void touch(std::uint32_t instrument, Instruments instruments);
  /// The books are others from here on, and time is `now`.
  void begin_anew(time::Time now);
  /// Tells what has changed, or all where that is wanted.
  void look(const BoardBooks& books, Instruments instruments);

  /// The time of the newest event, if `now` is not later; it goes on with both.
  time::Time reach(time::Time now) noexcept { return now_ = std::max(now_, now); }
  /// Of the first and of the latest event; 0: none yet.
  [[nodiscard]] time::Time first() const noexcept { return first_; }
  [[nodiscard]] time::Time last() const noexcept { return last_; }

 private:
  /// As it was sent.
  struct Instrument {
    std::array<std::vector<BoardLevel>, 2> sides;
    recorded::DepthLevel last;
    std::uint64_t trades = 0, volume = 0;
    std::int64_t indicative = 0, indicative_quantity = 0;
    market::Phase phase = market::Phase::continuous;
    bool is_touched = false;
    bool is_shown = false;  // the market as a whole is none that can be looked at
  };

  void grow(Instruments instruments);
  void show(std::uint32_t at, const recorded::RecordedInstrument& of);
  [[nodiscard]] static web::InstrumentFact instrument_fact(std::uint32_t at, const recorded::RecordedInstrument& of);
  void tell_trade(const recorded::RecordedEvent& event, std::int64_t price, const recorded::RecordedInstrument& of,
                  bool is_skipped);
  void tell_phase(const recorded::RecordedEvent& event);
  void tell_auction(const recorded::RecordedEvent& event, const recorded::RecordedInstrument& of);
  void tell_books(const BoardBooks& books, Instruments instruments);
  void tell_side(std::uint32_t at, market::Side side, std::span<const BoardLevel> now, unsigned decimals);
  void take_snapshot(const BoardBooks& books, Instruments instruments);

  web::FactChannel& channel_;
  std::vector<Instrument> instruments_;  // as the reader numbers them
  std::deque<std::uint32_t> touched_;
  std::array<BoardLevel, k_levels> levels_;
  time::Time now_{}, first_{}, last_{};
  std::optional<time::Time> begins_at_;  // where time begins anew, until that has been sent
};

}  // namespace dojima::app
