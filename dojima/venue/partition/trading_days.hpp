#pragma once

// The trading days of a partition's instruments: which commands move them, what a trade or an order beyond a price band
// interrupts, and what is published of it. docs/trading-day.md has the rules. An instrument of no segment with a
// timetable has no day. O(instruments) per command of a day, O(1) per trade; no allocation after construction but for a
// new sink. One thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dojima/book/digest.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/partition/instrument_books.hpp"
#include "dojima/venue/partition/risk.hpp"
#include "dojima/venue/partition_sinks.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

struct TradeRecord;

class TradingDays {
 public:
  /// An instrument to be interrupted, by its place.
  struct Interruption {
    std::size_t at = 0;
    DayEvent event = DayEvent::none;
  };

  /// All must outlive it; `reports` is what the books report into. Throws std::bad_alloc.
  TradingDays(const PartitionConfig& config, InstrumentBooks& books, book::ReportBuffer& reports);

  /// No instrument has a band or a timetable.
  [[nodiscard]] bool is_empty() const noexcept { return segments_.empty(); }

  /// Instrument by instrument, in the order of the configuration. O(1) of a single one.
  void apply(const market::DayCommand& command);
  /// By the operator, where no timetable leads: the days of the others would not know of it.
  void apply(const market::PhaseChange& command);

  /// What an order, which has its time, would interrupt by trading beyond a band; none for one that would be refused.
  [[nodiscard]] std::optional<Interruption> foresee(const market::CommandHeader& header, const Risk& risk,
                                                    const RiskLimits& limits) const;
  /// The same of a limit order that nothing refuses; none of a quantity of 0.
  [[nodiscard]] std::optional<Interruption> foresee(std::uint32_t instrument, market::Side side, market::Price limit,
                                                    market::Quantity quantity) const;
  /// What trades that broke a band have to interrupt: the next one in the order of the instruments, from place `from`.
  [[nodiscard]] std::optional<Interruption> next_broken(std::size_t from) const;
  /// The command that does it: of the instrument, or of its segment where that is halted together.
  [[nodiscard]] market::DayCommand interruption(const Interruption& what) const;
  /// Some trade broke a band, and nothing has been submitted because of it.
  [[nodiscard]] bool is_band_broken() const noexcept { return is_band_broken_; }
  void set_band_broken(bool is_broken) noexcept { is_band_broken_ = is_broken; }

  /// A book traded.
  void on_trade(const market::BookReport& report, bool is_auction);
  /// A book reported on its call or phase; `trade`: the number of the last trade.
  void publish_auction(const market::BookReport& report, std::uint64_t trade, Time now);

  /// A trade counts no more, or, if it was not busted, has another price.
  void publish_break(const TradeRecord& trade, const market::CommandHeader& header);
  /// Market data is numbered anew.
  void publish_day_start(const market::NextDay& command);

  void publish_to(FeedSink* feed) { feeds_.push_back(feed); }
  void dismiss(const FeedSink* feed) noexcept { std::erase(feeds_, feed); }

  /// Null when the instrument has no day or is not here.
  [[nodiscard]] const InstrumentDay* find(std::uint32_t instrument) const noexcept;
  [[nodiscard]] Time due() const noexcept;
  [[nodiscard]] bool is_between_days() const noexcept;
  /// Whether the instrument of this place has no timetable; whether its day has ended.
  [[nodiscard]] bool is_untimed(std::size_t at) const noexcept { return days_[at] == nullptr; }
  [[nodiscard]] bool is_over(std::size_t at) const noexcept {
    return days_[at] != nullptr && days_[at]->phase() == DayPhase::end_of_day;
  }
  /// Whether a day has ended since this was asked last: where day orders end in slices, they are to end now.
  [[nodiscard]] bool take_end_of_day() noexcept { return std::exchange(has_day_ended_, false); }
  [[nodiscard]] Time midnight() const noexcept;
  [[nodiscard]] Duration first_start_of_day() const noexcept;
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  void add_to(book::Digest& digest) const;
  void save(StateWriter& out) const;
  /// Of the first `instruments`; the days of the others are as they were made.
  [[nodiscard]] bool load(StateReader& in, std::size_t instruments);

 private:
  void apply_to(std::size_t at, const market::DayCommand& command);
  void publish_status(std::size_t at, const market::CommandHeader& header);

  std::span<const Segment> segments_;
  InstrumentBooks& books_;
  book::ReportBuffer& reports_;
  std::vector<std::unique_ptr<InstrumentDay>> days_;  // by place of the instrument; null where there is no timetable
  std::vector<FeedSink*> feeds_;
  std::uint64_t steps_ = 0;
  bool is_band_broken_ = false;
  bool has_day_ended_ = false;  // by the command in hand
};

}  // namespace dojima::venue
