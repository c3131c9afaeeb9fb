#pragma once

// One matching partition (AppID) of the venue: its instruments' books, its orders, its users' state, one journal and
// one sequence of reports. `submit` writes a command into the journal and applies it; `apply` does all but the journal,
// so that recovery and replay are the same code. A deterministic state machine: the same commands give the same
// reports and the same digest. docs/venue.md has the rules, the reports and the reasons.
//
// O(log levels) per command and fill; nothing is allocated after construction; every capacity that is used up is a
// clean refusal. One thread.
//
//   Partition partition({.app_id = 1, .instruments = {...}, .users = {...}}, journal);
//   market::NewOrder order = ...;
//   if (!partition.submit(order.header, now)) ...      // the journal is full: nothing happened

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/book/book.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/report_log.hpp"
#include "dojima/venue/risk.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::venue {

using market::Sequence;
using time::Time;

/// What a partition may use. All memory is taken at construction.
struct VenueLimits {
  std::size_t orders = 1 << 16;     ///< live orders
  std::size_t levels = 4096;        ///< occupied price levels per side of an instrument
  std::size_t reports = 1 << 18;    ///< report log; raised to 4 * orders + 64, so that half of it holds any one command
  std::size_t report_buffer = 256;  ///< book reports between two drains, >= 1
};

/// What a partition knows of a user; users are numbered by their place in the configuration.
struct UserSetUp {
  UserLimits limits;
  bool cancel_on_disconnect = true;  ///< ends orders with k_auto_cancel when the link is lost
  bool cancel_on_logout = true;      ///< ... and after a logout, also a forced one
};

struct PartitionConfig {
  std::uint8_t app_id = 1;                      ///< 1 to 4
  std::vector<market::Instrument> instruments;  ///< those of this partition
  std::vector<UserSetUp> users;                 ///< every user of the venue, at most 65,535
  VenueLimits limits;
  std::uint8_t last_market = 21;  ///< LastMarket of trades, as MIT203 numbers it
  book::BookRules rules;          ///< of its books; an owner is a user
  std::vector<Segment> segments;  ///< timetables and bands; instruments of no segment trade continuously for ever
};

/// What became of a user's lots in this partition, counted modulo 2^64:
/// submitted = bought + sold + resting + cancelled + expired, after every command.
struct UserTotals {
  std::uint64_t bought = 0;
  std::uint64_t sold = 0;
  std::uint64_t submitted = 0;  ///< of accepted orders, by their present total
  std::uint64_t cancelled = 0;
  std::uint64_t expired = 0;
  std::uint64_t trades = 0;  ///< fills, each side its own
};

/// Sees what the books emit: a mirror, a market data feed.
class ReportSink {
 public:
  /// Reports of one command, or of part of one; they die when it returns. It must not call the partition.
  virtual void on_reports(std::span<const market::BookReport> reports, Time now) = 0;

 protected:
  ~ReportSink() = default;
};

/// Sees what everybody is told of the trading day: a market data feed, a progress line.
class FeedSink {
 public:
  // They must not call the partition.
  virtual void on_status(const market::SymbolStatus& status) = 0;
  virtual void on_auction_info(const market::AuctionInfo& info) = 0;
  virtual void on_auction_trade(const market::AuctionTrade& trade) = 0;

 protected:
  ~FeedSink() = default;
};

class Partition {
 public:
  /// The life of an order as a transition table (order_life_machine.hpp).
  struct OrderLife;

  /// The journal must outlive the partition. Throws std::bad_alloc, std::invalid_argument for a configuration that
  /// makes no sense (app id, an instrument twice, no room for totals, a timetable that does not rise).
  Partition(PartitionConfig config, journal::Journal& journal);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  /// Stamps the command with its sequence and `now` (or the time of the command before, if that is later), journals it
  /// and applies it. `header` must be the beginning of a record of its type. no_room: the journal is full;
  /// malformed: no such command type. Then nothing happened. A price that breaks a band makes a command of the
  /// partition's own (docs/trading-day.md): before an order that would trade there, else behind the command.
  [[nodiscard]] Result<Sequence> submit(market::CommandHeader& header, Time now);

  /// Applies a command that is in a journal already, in the order of its sequence.
  void apply(const market::CommandHeader& header);

  /// Applies a journal record. False: it is no command, nothing happened. The bytes must be aligned to 8.
  [[nodiscard]] bool replay(Bytes record);

  /// Over all state that decides what comes out next. O(capacity).
  [[nodiscard]] std::uint64_t digest() const;

  [[nodiscard]] const ReportLog& reports() const noexcept { return log_; }
  /// Reports of commands up to this one may leave.
  [[nodiscard]] Sequence durable() const { return {journal_.durable().value}; }

  /// Who sees the books' reports as well from now on, in the order in which they came; until dismissed. Allocates.
  void observe(ReportSink* sink) { sinks_.push_back(sink); }
  void dismiss(const ReportSink* sink) noexcept { std::erase(sinks_, sink); }
  /// The same of the facts of the trading day.
  void publish(FeedSink* feed) { feeds_.push_back(feed); }
  void dismiss(const FeedSink* feed) noexcept { std::erase(feeds_, feed); }

  /// The trading day of an instrument; null when it is of no segment with a timetable, or not here.
  [[nodiscard]] const InstrumentDay* day(std::uint32_t instrument) const noexcept;
  /// When the next phase of an instrument is over; time::k_never: none that anybody knows.
  [[nodiscard]] Time day_due() const noexcept;
  /// No day has begun yet, or all have ended.
  [[nodiscard]] bool is_between_days() const noexcept;
  /// Midnight of the day that began last; the epoch: none did.
  [[nodiscard]] Time day_midnight() const noexcept;
  /// The earliest of its segments' starts of day, since midnight; 0 without segments.
  [[nodiscard]] Duration first_start_of_day() const noexcept;
  /// Rises whenever a day goes on.
  [[nodiscard]] std::uint64_t day_steps() const noexcept { return day_steps_; }

  [[nodiscard]] std::uint8_t app_id() const noexcept { return config_.app_id; }
  [[nodiscard]] std::span<const market::Instrument> instruments() const noexcept { return config_.instruments; }
  /// Whether an instrument of this partition is of the segment.
  [[nodiscard]] bool has_segment(std::string_view segment) const noexcept;
  /// The book of an instrument; null when it is not of this partition.
  [[nodiscard]] const book::Book* book(std::uint32_t instrument) const noexcept;
  [[nodiscard]] const UserTotals& totals(std::uint16_t user) const { return users_.at(user).totals; }
  [[nodiscard]] std::uint32_t open_orders(std::uint16_t user) const { return orders_.count_of_owner(user); }
  [[nodiscard]] std::size_t live_orders() const noexcept { return orders_.size(); }
  /// The number of the next trade, as both sides and the market data are told it.
  [[nodiscard]] std::uint64_t next_trade() const noexcept { return trade_number(last_trade_ + 1); }
  /// The last command applied.
  [[nodiscard]] Sequence last_command() const noexcept { return last_command_; }

 private:
  class Drain;
  struct User {
    UserTotals totals;
    bool is_logged_on = false;
  };
  enum class OrderState : std::uint8_t { entering, live, partly_filled, filled, cancelled, expired, rejected };
  struct LifeInput;
  /// An order's name as its owner knows it.
  struct ClientKey {
    Text<20> id;
    std::uint16_t user = 0;
    std::uint16_t reserved = 0;
  };
  /// The command in hand, as far as its reports need it.
  struct Request {
    Text<20> client_order_id;
    market::OrderId order;  ///< the order that trades as aggressor: its leaves are counted here, the table may be ahead
    market::Quantity leaves;
    market::Quantity old_quantity;  ///< of a replace: the order's total before
    Text<10> account;               ///< of a replace; empty: unchanged
    std::uint16_t user = 0;
    bool is_replace = false;
  };

  void apply_new_order(const market::NewOrder& command);
  void apply_replace(const market::Replace& command);
  void apply_cancel(const market::Cancel& command);
  void apply_end_session(const market::UserCommand& command);
  void apply_mass_cancel(const market::MassCancel& command);
  void apply_expire(const market::Expire& command);
  void apply_phase(const market::PhaseChange& command);
  void apply_day(const market::DayCommand& command);
  [[nodiscard]] Result<Sequence> journaled(market::CommandHeader& header, Time now);
  [[nodiscard]] std::optional<std::size_t> foreseen(const market::CommandHeader& header, DayEvent& event) const;
  [[nodiscard]] bool interrupt(std::size_t at, DayEvent event, Time now);
  void tell_status(std::size_t at);
  void tell_auction(const market::BookReport& report, Time now);
  void begin_request(std::uint16_t user, const Text<20>& client_order_id);
  [[nodiscard]] static bool concerns(const market::MassCancel& command, const market::Instrument& instrument) noexcept;
  [[nodiscard]] market::OrderId resolve(market::OrderId order, const Text<20>& original, std::uint16_t user) const;
  [[nodiscard]] book::Book* find_book(std::uint32_t instrument) noexcept;
  void reject(const market::CommandHeader& header, market::OrderId order, market::Side side, market::Reason reason,
              std::uint8_t flags);

  [[nodiscard]] std::uint64_t trade_number(std::uint64_t trade) const noexcept;
  void on_book_reports(std::span<const market::BookReport> reports, Time now);
  void translate(const market::BookReport& report, Time now);
  [[nodiscard]] OrderState& state_of(market::OrderId order) noexcept;
  [[nodiscard]] market::OrderStatus live_through(const LifeInput& input, OrderState& state);
  void translate_trade(const market::BookReport& report, Time now);
  void translate_auction_trade(const market::BookReport& report, Time now);
  void note_trade(const market::BookReport& report, bool is_auction);
  [[nodiscard]] static bool is_of_book(market::BookReportKind kind) noexcept;
  void translate_rejection(const market::BookReport& report, Time now);
  [[nodiscard]] market::OwnerReport owner_report(const market::BookReport& report, market::OrderId order,
                                                 Time now) const;
  void tell(market::OwnerReport& report);

  // What the rows of OrderLife do and ask.
  void enter(const LifeInput& input);
  void change(const LifeInput& input);
  void take_up(const LifeInput& input);
  void give_up(const LifeInput& input);
  void end_filled(const LifeInput& input);
  void end_cancelled(const LifeInput& input);
  void end_expired(const LifeInput& input);
  [[nodiscard]] bool is_request(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_unasked(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_used_up(const LifeInput& input) const noexcept;
  [[nodiscard]] bool has_executions(const LifeInput& input) const noexcept;

  void name(market::OrderId order, const Text<20>& client_order_id, std::uint16_t user);
  void unname(market::OrderId order);

  PartitionConfig config_;
  journal::Journal& journal_;
  book::OrderTable orders_;
  std::vector<OrderState> states_;        // by slot; follows from the commands, hence no part of the digest
  std::vector<market::Quantity> leaves_;  // by slot, what was told last; likewise
  std::unique_ptr<Drain> drain_;
  std::vector<std::unique_ptr<book::Book>> books_;    // in the order of config_.instruments
  std::vector<std::unique_ptr<InstrumentDay>> days_;  // likewise; null where there is no timetable
  FixedMap<std::uint32_t, std::uint32_t> book_of_instrument_;
  FixedMap<ClientKey, market::OrderId> names_;
  std::vector<User> users_;
  ReportLog log_;
  std::vector<ReportSink*> sinks_;
  std::vector<FeedSink*> feeds_;
  Request request_;
  Sequence last_command_;
  Time last_time_{};
  std::uint64_t last_report_ = 0;
  std::uint64_t last_execution_ = 0;
  std::uint64_t last_trade_ = 0;
  std::uint64_t day_steps_ = 0;
  bool is_band_broken_ = false;  // a day has a breach of which nothing has come yet
};

}  // namespace dojima::venue
