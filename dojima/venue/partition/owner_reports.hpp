#pragma once

// The reports to the owners of orders: it turns what the books report of a command into numbered reports to users,
// keeps the client order ids and the totals of users, and appends to the report log. docs/venue.md has the rules. O(1)
// per report, no allocation after construction. One thread.
//
//   const auto& command = reports.begin(journaled);   // the request that answers belong to
//   ... the book reports ...  reports.report(book_report, now);

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/large_array.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition/order_names.hpp"
#include "dojima/venue/partition/quotes.hpp"
#include "dojima/venue/partition/trades.hpp"
#include "dojima/venue/partition_config.hpp"
#include "dojima/venue/report_log.hpp"
#include "dojima/venue/user_totals.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

using time::Time;

struct OrderLife;
struct ReportFields;

/// What concerns a book and no order.
[[nodiscard]] constexpr bool is_of_book(market::BookReportKind kind) noexcept {
  static_assert(static_cast<int>(market::BookReportKind::phase_changed) == 12 &&
                static_cast<int>(market::BookReportKind::indicative) == 14);
  return kind >= market::BookReportKind::phase_changed;
}

class OwnerReports {
 public:
  enum class OrderState : std::uint8_t {
    entering,
    live,
    partly_filled,
    filled,
    cancelled,
    expired,
    rejected,
    suspended,  ///< waits outside the book, and its owner has been told
  };

  /// What an owner hears of a book's report, as far as the life of the order decides it.
  struct Outgoing {
    market::OwnerReportKind kind = market::OwnerReportKind::none;  ///< none: nothing
    market::Restatement restatement = market::Restatement::none;
    bool is_answer = false;  ///< it carries the client order id of the request, not the order's
    bool has_price = false;  ///< the price of the book's report
  };

  /// A book's report as one order's owner sees it.
  struct LifeInput {
    const market::BookReport& report;
    market::OrderId order;
    book::Slot slot = book::k_no_slot;  ///< of the order; none: it is not there
    market::Quantity leaves;            ///< what the order has left then
    Outgoing& outgoing;                 ///< rows say here what they know
  };

  /// Both must outlive it. Throws std::bad_alloc.
  OwnerReports(const PartitionConfig& config, book::OrderTable& orders);

  /// Reports belong to this command from now on. The command again: with the order id of the live order that it means
  /// where it gives a client order id only.
  /// It must live until the command has been applied.
  const market::NewOrder& begin(const market::NewOrder& command) {
    begin_request(command.header, command.labels.client_order_id);
    return command;
  }
  [[nodiscard]] market::Replace begin(const market::Replace& command);
  [[nodiscard]] const market::Cancel& begin(const market::Cancel& command);
  template <class Command>
  const Command& begin(const Command& command) {
    begin_request(command.header, k_no_id);
    return command;
  }
  const market::MassCancel& begin(const market::MassCancel& command);
  /// Of one that is refused; one that is taken becomes other commands.
  const market::Quote& begin(const market::Quote& command) {
    begin_request(command.header, command.labels.client_order_id);
    return command;
  }
  /// The command in hand does what this request of the user has begun; the text must live until it has been applied.
  void answer_as(std::uint16_t user, const Text<20>& client_order_id) noexcept {
    request_.user = user;
    request_.client_order_id = &client_order_id;
  }

  /// The answer to a mass cancel, before its cancellations: `is_concerned`, some instrument of the partition is meant.
  /// The operator, who is no user, gets none.
  void answer(const market::MassCancel& command, bool is_concerned);

  /// A book reported on an order of the command in hand, or refused it.
  void report(const market::BookReport& report, Time now);
  /// The same of several reports; those that concern a book and no order are left out.
  void report(std::span<const market::BookReport> reports, Time now);

  /// Takes a trade back, unless it is not kept or was taken back before: both owners hear of it, and once more of an
  /// order that is still open, with what it has left. True: it is done, and `find_trade` has it.
  [[nodiscard]] bool bust(const market::TradeBust& command);
  /// Where the order is that the user means by the id, or no slot.
  [[nodiscard]] book::Slot find_order(const Text<20>& client_order_id, std::uint16_t user) const;
  /// Null: no such trade, or it is not kept any more.
  [[nodiscard]] const TradeRecord* find_trade(std::uint64_t number) const noexcept { return trades_.find(number); }

  [[nodiscard]] const ReportLog& log() const noexcept { return log_; }
  void keep_reports_from(std::uint64_t position) noexcept { log_.keep_from(position); }
  [[nodiscard]] std::size_t bytes_told() const noexcept { return known_.size() * sizeof(Known); }
  [[nodiscard]] std::size_t bytes_of_names() const noexcept { return names_.bytes(); }
  /// The users' quotes, as far as the books have reported on them.
  [[nodiscard]] const Quotes& quotes() const noexcept { return quotes_; }
  /// Throws std::out_of_range.
  [[nodiscard]] const UserTotals& totals(std::uint16_t user) const { return totals_.at(user); }
  /// The number of the last trade, and of the next one.
  [[nodiscard]] std::uint64_t last_trade() const noexcept { return trade_number(last_trade_); }
  [[nodiscard]] std::uint64_t next_trade() const noexcept { return trade_number(last_trade_ + 1); }
  /// The command that reports belong to.
  [[nodiscard]] market::Sequence command() const noexcept { return request_.command; }

  /// With at most so many of the newest reports.
  void save(StateWriter& out, std::uint64_t reports) const;
  /// Once the order table was loaded. What belongs to full reports and busts may be missing: of a state saved without.
  [[nodiscard]] bool load(StateReader& in);

  void add_numbers_to(book::Digest& digest) const;
  /// Which of the user's live orders are still meant by their client order ids.
  void add_names_to(book::Digest& digest, std::uint16_t user) const;

 private:
  friend OrderLife;

  /// Of commands that no user sends.
  static constexpr Text<20> k_no_id{};

  /// The command in hand, as far as its reports need it. The texts are the command's own.
  struct Request {
    market::Sequence command;
    const Text<20>* client_order_id = &k_no_id;
    market::OrderId order;  ///< the order that trades as aggressor: its leaves are counted here, the table may be ahead
    book::Slot slot = book::k_no_slot;  ///< of that order
    market::Quantity leaves;            ///< of that order
    market::Quantity old_quantity;      ///< of a replace: the order's total before
    const Text<10>* account = nullptr;  ///< of a replace; empty: unchanged
    std::uint16_t user = 0;
    bool is_replace = false;
    Time now;
  };

  /// What the owner of an order was told last; follows from the commands, hence no part of the digest.
  struct Known {
    market::Quantity leaves;
    std::uint32_t name = 0;  ///< the hash of its client order id, for OrderNames
    OrderState state = OrderState::entering;
  };
  static_assert(sizeof(Known) == 16);

  /// What else a request has says take_up(), or begin() of a replace.
  void begin_request(const market::CommandHeader& header, const Text<20>& client_order_id, bool is_replace = false) {
    request_.command = header.sequence;
    request_.client_order_id = &client_order_id;
    request_.order = {};
    request_.user = header.user;
    request_.is_replace = is_replace;
    request_.now = header.time;
  }
  [[nodiscard]] market::OrderId resolve(market::OrderId order, const Text<20>& original, std::uint16_t user) const;
  [[nodiscard]] market::OrderId side_of(market::OrderId order, market::Side side) const;
  /// Below 36^10, so that its FIX text has ten characters.
  [[nodiscard]] std::uint64_t trade_number(std::uint64_t trade) const noexcept { return trade_bits_ | trade; }

  [[nodiscard]] std::uint64_t next_execution() noexcept { return execution_bits_ | ++last_execution_; }

  void report_one(const market::BookReport& report, Time now);
  template <market::BookReportKind Kind>
  [[gnu::flatten]] void report_change(const market::BookReport& report, Time now);
  void report_trade(const market::BookReport& report, Time now);
  void report_auction_trade(const market::BookReport& report, Time now);
  void report_rejection(const market::BookReport& report, Time now);
  void tell_change(const market::BookReport& report, book::Slot slot, Outgoing outgoing, market::OrderStatus status,
                   Time now);
  [[nodiscard]] market::OwnerReport& write_about(const LifeInput& input, Time now);
  void append_fill(const LifeInput& input, Time now, market::Quantity displayed, char liquidity);
  void keep_trade(const market::OwnerReport& fill, const Text<20>& client_order_id);
  [[nodiscard]] market::OwnerReport begin_bust(const TradeRecord& trade, const TradeSide& side, char liquidity) const;
  void bust_side(const TradeRecord& trade, std::size_t at);
  void restate_total(book::Slot slot, market::Quantity quantity);
  void append(market::OwnerReport& report);
  void number(market::OwnerReport& report) noexcept;

  template <market::BookReportKind Kind>
  [[nodiscard]] market::OrderStatus advance(const LifeInput& input, OrderState& state);
  template <market::BookReportKind Kind>
  void set_leaves(book::Slot slot, market::Quantity leaves, const market::BookReport& report);
  /// Not more was traded, cancelled and expired than was submitted.
  void check_totals(std::uint16_t user) const {
    [[maybe_unused]] const UserTotals& totals = totals_[user];
    DOJIMA_CHECK_SLOW(totals.open() >= 0, "no more lots end than were submitted", totals.open(), totals.submitted, user,
                      request_.command);
  }
  /// Nothing leads to an order that is over.
  void end_names(book::Slot slot) noexcept {
    release_name(slot);
    if ((orders_.flags(slot) & market::k_quote) != 0) [[unlikely]]
      quotes_.remove(slot);
  }
  void release_name(book::Slot slot) noexcept { names_.release(slot, known(slot).name); }
  [[nodiscard]] Known& known(book::Slot slot) noexcept { return known_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::uint16_t owner_of(const LifeInput& input) const noexcept { return orders_[input.slot].owner; }

  // Actions and guards of OrderLife.
  void enter(const LifeInput& input);
  void change(const LifeInput& input);
  void take_up(const LifeInput& input);
  void give_up(const LifeInput& input);
  void suspend(const LifeInput& input);
  void enter_book(const LifeInput& input);
  void restate_peak(const LifeInput& input);
  void restate_price(const LifeInput& input);
  void end_filled(const LifeInput& input);
  void end_cancelled(const LifeInput& input);
  void end_expired(const LifeInput& input);
  [[nodiscard]] bool is_request(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_unasked(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_full(const LifeInput&) const noexcept { return is_full_; }
  [[nodiscard]] bool is_repriced(const LifeInput& input) const noexcept { return is_full_ && is_unasked(input); }
  [[nodiscard]] bool is_used_up(const LifeInput& input) const noexcept;
  [[nodiscard]] bool has_executions(const LifeInput& input) const noexcept;

  std::uint64_t trade_bits_, execution_bits_;  // of the partition, in every number
  std::uint8_t app_id_;
  std::uint8_t last_market_;
  bool is_full_;  // PartitionConfig::full_reports
  bool keeps_trades_;
  book::OrderTable& orders_;
  book::LargeArray<Known> known_;  // by slot
  OrderNames names_;
  Quotes quotes_;
  std::vector<UserTotals> totals_;  // by user
  ReportLog log_;
  Trades trades_;
  Request request_;
  market::Cancel cancel_;  // the one in hand, with the id of the order that it means
  std::uint64_t last_report_ = 0;
  std::uint64_t last_execution_ = 0;
  std::uint64_t last_trade_ = 0;
};

}  // namespace dojima::venue
