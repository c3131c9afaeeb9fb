#pragma once

// The trading day of one instrument: which phase it is in, until when, and what prices may do. It is driven by commands
// of its partition alone (the time of a phase is over, a price beyond a band, halt, resume), so the same commands give
// the same day again; the clock (day_clock.hpp) only submits such commands. The transition table is in
// instrument_day_machine.hpp, the rules in docs/trading-day.md.
//
// O(1) beside what the book does when it changes its phase. No allocation. One thread.
//
//   InstrumentDay day(segment, instrument, book);
//   day.process({.event = DayEvent::begin, .midnight = ..., .seed = 7}, now);   // ... .until() says when it is due

#include <cstdint>
#include <optional>

#include "dojima/book/book.hpp"
#include "dojima/market/day.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

using market::DayEvent;
using market::DayPhase;
using time::Time;

class InstrumentDay {
 public:
  /// The transition table (instrument_day_machine.hpp).
  struct Machine;

  /// What an event brings.
  struct Input {
    Time now;
    Time midnight{};         ///< of a day that begins
    std::uint64_t seed = 0;  ///< likewise: of its random ends
  };

  /// All must outlive the day, which begins with the first `begin`: until then the book is in continuous trading.
  /// `is_sliced`: its day orders end behind its end, by somebody else's doing.
  InstrumentDay(const Segment& segment, const market::Instrument& instrument, book::Book& book, bool is_sliced = false);

  /// One step. False: the event means nothing in this phase.
  bool process(DayEvent event, const Input& input);

  [[nodiscard]] DayPhase phase() const noexcept { return phase_; }
  /// When `due` is due; time::k_never: the phase ends by an event.
  [[nodiscard]] Time until() const noexcept { return until_; }
  /// Of the day that began last; the epoch: none did.
  [[nodiscard]] Time midnight() const noexcept { return midnight_; }
  [[nodiscard]] const Segment& segment() const noexcept { return segment_; }
  /// Why the phase began, and as what a feed knows it.
  [[nodiscard]] market::DayReason reason() const noexcept { return reason_; }
  /// MIT303's letters: of the phase, and of the call in hand or the last one.
  [[nodiscard]] char trading_status() const noexcept;
  [[nodiscard]] char auction_type() const noexcept { return auction_type_; }

  /// The book traded because of this command; in an auction at its price. True: that broke a band.
  bool on_trade(market::Price price, bool is_auction, market::Sequence command) noexcept;
  /// A trade of the commands so far went beyond a band, and nothing has come of it yet.
  [[nodiscard]] std::optional<DayEvent> breach() const noexcept { return breach_; }
  /// What an order would break that wants to trade up to `limit` (none: at any price).
  [[nodiscard]] std::optional<DayEvent> foresee(market::Side side, std::optional<market::Price> limit,
                                                market::Quantity quantity) const;

  /// Prices at which trades of the next command interrupt nothing; none: any price.
  struct Band {
    market::Price low, high;
    friend bool operator==(const Band&, const Band&) = default;
  };
  /// Around the price of the last auction, and around the last trade.
  [[nodiscard]] std::optional<Band> static_band() const noexcept;
  [[nodiscard]] std::optional<Band> dynamic_band() const noexcept;

  [[nodiscard]] std::uint64_t digest() const;
  void save(StateWriter& out) const;
  /// Into a day of the same segment and instrument. False: the reader failed.
  [[nodiscard]] bool load(StateReader& in);

 private:
  // Actions and guards of the rows.
  void begin_day(const Input& input);
  void call_opening(const Input& input);
  void call_intraday(const Input& input);
  void call_reopening(const Input& input);
  void call_closing(const Input& input);
  void extend(const Input& input);
  void trade(const Input& input);
  void halt(const Input& input);
  void stop(const Input& input);
  void cross(const Input& input);
  void close(const Input& input);
  void end_day(const Input& input);
  [[nodiscard]] bool is_price_outside() const;
  [[nodiscard]] bool is_intraday_due(const Input& input) const noexcept;
  [[nodiscard]] bool is_closing_due(const Input& input) const noexcept;

  void call(char auction_type, Time earliest_end, market::DayReason reason);
  void change_phase(market::Phase phase, Time now);
  [[nodiscard]] Duration drawn_end() noexcept;
  [[nodiscard]] static bool is_beyond(market::Price price, market::Price reference, std::uint32_t bp) noexcept;
  [[nodiscard]] static std::optional<Band> band_of(market::Price reference, std::uint32_t bp) noexcept;
  [[nodiscard]] bool is_beyond_static(market::Price price) const noexcept;
  [[nodiscard]] bool is_beyond_dynamic(market::Price price) const noexcept;

  const Segment& segment_;
  const market::Instrument& instrument_;
  book::Book& book_;
  bool is_sliced_;
  DayPhase phase_ = DayPhase::no_day;
  market::DayReason reason_ = market::DayReason::scheduled;
  Time until_ = time::k_never;
  Time midnight_{};
  std::uint64_t seed_ = 0;        // of the ends to come
  std::uint32_t extensions_ = 0;  // of the call in hand
  bool is_intraday_over_ = false;
  char auction_type_ = ' ';
  market::Price static_reference_;
  market::Price dynamic_reference_;
  market::Price last_price_;
  market::Sequence traded_by_;  // the command whose trades are being looked at
  std::optional<DayEvent> breach_;
};

}  // namespace dojima::venue
