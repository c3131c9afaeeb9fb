#pragma once

// One trading day of a partition out of its journal: what became of every order, every trade with both its sides, what
// users have bought and sold, what the operator and the clock did; and whether all of it agrees with what the partition
// itself has counted. It is given every record before it is applied. Cold path; allocates.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dojima/journal/journal.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/partition_sinks.hpp"

namespace dojima::cli {

/// Price times lots, in 1e-8 of the currency: exact.
__extension__ using DayValue = __int128;

struct DayOrder {
  market::OrderId id{};
  std::string client_order_id{}, account{};
  std::uint32_t instrument = 0;
  std::uint16_t user = 0;
  market::Side side = market::Side::none;
  market::OrderType type = market::OrderType::none;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  market::Price price{}, stop{};
  std::int64_t quantity = 0, executed = 0, leaves = 0;
  time::Time entered{}, changed{};
  std::string status{};  ///< "open", "filled", "cancelled", "expired", "rejected"
  market::Reason reason = market::Reason::none;
  bool is_quote = false;
  bool is_past = false;         ///< it was over when the day began
  bool is_from_before = false;  ///< it is older than the records: what it was when it entered is not known
  [[nodiscard]] bool is_open() const noexcept { return status == "open"; }
};

struct DaySide {
  std::uint16_t user = market::k_no_user;
  market::OrderId order{};
  std::uint64_t execution = 0;
  char liquidity = '\0';
  bool is_known = false;
};

struct DayTrade {
  std::uint64_t number = 0;
  time::Time time{};
  std::uint32_t instrument = 0;
  market::Price price{};
  std::int64_t quantity = 0;
  DaySide buyer{}, seller{};
  time::Time busted{};     ///< the epoch: it counts
  time::Time corrected{};  ///< when it got the price that it has; the epoch: it has its own
  bool is_even = true;     ///< both sides have the same reports
};

struct DayPosition {
  std::int64_t bought = 0, sold = 0;
  DayValue bought_value = 0, sold_value = 0;
};

/// Whose position it is.
struct DayHolder {
  std::uint16_t user = 0;
  std::string account;
  std::uint32_t instrument = 0;
  friend auto operator<=>(const DayHolder&, const DayHolder&) = default;
};

struct DayAct {
  time::Time time{};
  std::uint64_t record = 0;
  std::string what{}, who{}, why{}, details{};
  std::uint16_t user = market::k_no_user;
  std::uint32_t instrument = 0;
};

struct DayCheck {
  std::string what;
  bool is_good = false;
  std::string detail;
};

class DayBook final : public venue::ReportSink {
 public:
  /// The day is from `begin` to `end`, that one excluded.
  DayBook(time::Time begin, time::Time end) : begin_(begin), end_(end) {}
  /// The venue's day of this number, from the command that begins it to the one that begins the next.
  explicit DayBook(std::uint64_t number) : end_(time::k_never), number_(number) {}

  /// A partition was made anew: that its books' reports are seen.
  void on_made(venue::Partition& partition) { partition.observe(this); }
  /// The next record; `partition` as the record before has left it, null: there is none yet. False: the day is over.
  [[nodiscard]] bool before(const venue::Partition* partition, const journal::Record& record);
  /// Behind the last record.
  void finish(const venue::Partition& partition);

  void on_reports(std::span<const market::BookReport> reports, time::Time now) override;

  [[nodiscard]] const std::vector<DayOrder>& orders() const noexcept { return orders_; }
  [[nodiscard]] const std::vector<DayTrade>& trades() const noexcept { return trades_; }
  [[nodiscard]] const std::map<DayHolder, DayPosition>& positions() const noexcept { return positions_; }
  [[nodiscard]] const std::vector<DayAct>& acts() const noexcept { return acts_; }
  /// Of a day with a number: when it began, and when the next did; time::k_never: that has not begun.
  [[nodiscard]] time::Time begin() const noexcept { return begin_; }
  [[nodiscard]] time::Time end() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t commands() const noexcept { return commands_; }
  /// Whether the day's own sums are those of the partition. Behind finish().
  [[nodiscard]] const std::vector<DayCheck>& checks() const noexcept { return checks_; }
  /// Whether the order belongs into the files of the day: it was there.
  [[nodiscard]] bool is_of_day(const DayOrder& order) const noexcept { return order.is_open() || !order.is_past; }

 private:
  void take_up(const venue::Partition& partition);
  [[nodiscard]] bool is_of_day(const venue::Partition* partition, const market::CommandHeader& header) const;
  [[nodiscard]] bool is_behind_day(const venue::Partition* partition, const market::CommandHeader& header) const;
  void begin_day(const venue::Partition& partition, const market::CommandHeader& header);
  void read_reports(const venue::Partition& partition);
  void on_report(const market::OwnerReport& report);
  void enter(const market::OwnerReport& report);
  void amend(const market::OwnerReport& report, DayOrder& order) const;
  void trade(const market::OwnerReport& report);
  void bust(const market::OwnerReport& report);
  void hold(const DayOrder& order, const market::OwnerReport& report, std::int64_t sign);
  void withdraw(const market::OwnerReport& report);
  void correct(const market::OwnerReport& report);
  [[nodiscard]] bool is_correction(const market::OwnerReport& report) const;
  void act(const market::CommandHeader& header, std::uint64_t record);
  DayOrder& order_of(const market::OwnerReport& report);
  void check(const venue::Partition& partition);
  [[nodiscard]] bool is_in_day() const noexcept { return is_begun_; }

  time::Time begin_{}, end_;
  std::optional<std::uint64_t> number_;  // none: a day of the calendar
  bool has_beginning_ = false;           // the journal goes back to the day's beginning
  std::vector<std::uint64_t> command_;   // the record that was applied last, aligned
  venue::Cursor cursor_;
  bool is_taken_up_ = false, is_begun_ = false, is_from_first_ = true;
  std::uint64_t commands_ = 0, lost_ = 0, next_number_ = 0, gaps_ = 0;
  std::vector<DayOrder> orders_;
  std::map<std::uint64_t, std::size_t> order_at_;  // by the id
  std::vector<DayTrade> trades_;
  std::map<std::uint64_t, std::size_t> trade_at_;  // by the number
  struct Correction {
    market::Sequence command;
    market::OrderId order;
    std::uint64_t trade = 0;
  } correction_;  // whose first half was read
  std::map<DayHolder, DayPosition> positions_;
  std::map<std::uint32_t, std::uint64_t> volume_;  // what the books say, by instrument
  std::vector<venue::UserTotals> totals_;          // when the day began
  std::vector<DayAct> acts_;
  std::vector<DayCheck> checks_;
};

}  // namespace dojima::cli
