#pragma once

// What a partition is made of, and what each kind of command does to these parts. Partition::process has the order.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "dojima/venue/partition.hpp"
#include "dojima/venue/partition/book_reports.hpp"
#include "dojima/venue/partition/command_journal.hpp"
#include "dojima/venue/partition/expected_commands.hpp"
#include "dojima/venue/partition/expected_expiry.hpp"
#include "dojima/venue/partition/expiries.hpp"
#include "dojima/venue/partition/instrument_books.hpp"
#include "dojima/venue/partition/owner_reports.hpp"
#include "dojima/venue/partition/quote_entry.hpp"
#include "dojima/venue/partition/risk.hpp"
#include "dojima/venue/partition/sweeps.hpp"
#include "dojima/venue/partition/trading_days.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue {

/// Commands that move trading days and phases, as opposed to those that come from users.
template <class Command>
concept OfDay = std::same_as<Command, market::DayCommand> || std::same_as<Command, market::PhaseChange>;

/// Commands for the book of one instrument, each answered by one report.
template <class Command>
concept OfOneBook = std::same_as<Command, market::NewOrder> || std::same_as<Command, market::Replace> ||
                    std::same_as<Command, market::Cancel>;

/// Commands that end orders in several books.
template <class Command>
concept OfSeveralBooks = std::same_as<Command, market::UserCommand> || std::same_as<Command, market::MassCancel> ||
                         std::same_as<Command, market::Expire>;

struct Partition::Parts {
  Parts(PartitionConfig&& checked_config, journal::Journal& journal)
      : config(std::move(checked_config)),
        commands(journal),
        orders({.partition = config.app_id, .capacity = config.limits.orders, .owners = config.users.size()}),
        risk(config.users, orders),
        limits(config.users.size(), books, orders),
        owners(config, orders),
        reports(config.limits.report_buffer, owners, days, limits),
        expiries(orders),
        books(config, orders, reports, expiries),
        days(config, books, reports),
        quotes(risk, limits, orders, owners.owned(), reports),
        sweeps(config, orders, books, days, owners.owned()) {
    plan_checkpoint();
  }

  /// A fingerprint of what came out so far, O(instruments): enough to see at once where a replay goes another way.
  [[nodiscard]] std::uint64_t progress() const {
    book::Digest digest;
    owners.numbers().add_to(digest);
    digest.add(std::uint64_t{orders.size()});
    digest.add(days.steps());
    for (std::size_t at = 0; at < books.size(); ++at) {
      const book::Book& book = books[at];
      for (const market::Side side : {market::Side::buy, market::Side::sell}) {
        digest.add(book.best(side).value_or(market::Price{}));
        digest.add(std::uint64_t{book.level_count(side)});
      }
      digest.add(book.last_trade().value_or(market::Price{}));
      digest.add(book.phase());
    }
    return digest.value();
  }
  /// A step for all commands before the next one, which reads what the one before has fetched. All books are over one
  /// table, so any of them knows what rests beside an order.
  [[gnu::always_inline]] void prefetch(std::span<const market::CommandHeader* const> next) const noexcept {
    std::array<std::uint32_t, k_expected_commands> names;
    std::array<market::OrderId, k_expected_commands> found;
    const std::size_t count = std::min(next.size(), names.size());
    for (std::size_t at = 0; at < count; ++at)
      names[at] = owners.owned().prefetch_name(ExpectedIds(*next[at]), next[at]->user);
    for (std::size_t at = 0; at < count; ++at)
      found[at] = owners.owned().prefetch_order(ExpectedIds(*next[at]), names[at]);
    for (std::size_t at = 0; at < count; ++at) books[0].prefetch_neighbours(found[at]);
  }
  /// Behind the reports of every command: what its trades mean for limits, and where its order's expiry is.
  void settle() {
    if (limits.is_on()) [[unlikely]]
      limits.settle();
    if (expiry.is_expected()) [[unlikely]]
      expiry.note(owners.owned(), expiries);
  }
  /// At a multiple, so that a partition that was recovered goes on with the same ones.
  void plan_checkpoint() {
    if (config.checkpoint_every != 0)
      next_checkpoint = (commands.last().value / config.checkpoint_every + 1) * config.checkpoint_every;
  }
  /// What a quote would interrupt: its bid, else its ask.
  [[nodiscard]] std::optional<TradingDays::Interruption> foresee(const market::Quote& quote) const {
    const book::Book* book = books.find(quote.header.instrument);
    if (book == nullptr || quotes.refusal(quote, *book) != market::Reason::none) return {};
    const auto bid = days.foresee(quote.header.instrument, market::Side::buy, quote.bid, quote.bid_size);
    return bid ? bid : days.foresee(quote.header.instrument, market::Side::sell, quote.ask, quote.ask_size);
  }
  /// A request that its user may make. `place`: of its instrument; null: of none.
  template <class Command>
  [[nodiscard]] market::Reason check(const Command& command, const std::uint32_t* place) {
    const market::Reason refusal = risk.check(command, place != nullptr);
    if constexpr (!std::same_as<Command, market::Cancel>) {
      if (limits.is_on() && refusal == market::Reason::none) [[unlikely]] {
        if constexpr (std::same_as<Command, market::NewOrder>) return limits.admit(command, *place);
        if constexpr (std::same_as<Command, market::Replace>) return limits.admit(command);
      }
    }
    return refusal;
  }
  // A request that may reach its book: it matches, and reports what happened.
  void apply_to(book::Book& book, const market::NewOrder& command) {
    book.apply(command);
    expiry.expect(command);
  }
  void apply_to(book::Book& book, const market::Replace& command) {
    book.apply(command);
    expiry.expect(command);
  }
  void apply_to(book::Book& book, const market::Cancel& command) { quotes.cancel(command, book); }

  // What ends orders in several books. A mass cancel is answered before its cancellations.
  void apply_to_books(const market::MassCancel& command) {
    if ((command.header.flags & k_by_operator) == 0) owners.answer(command, books.is_concerned(command));
    sweeps.begin(command);
  }
  void apply_to_books(const market::UserCommand& command) {
    config.slice != 0 ? sweeps.begin(command) : books.apply(command);
  }
  void apply_to_books(const market::Expire& command) {
    const bool is_untimed = (command.header.flags & k_untimed) != 0;
    const bool is_swept = config.slice != 0 && command.is_end_of_day && (is_untimed || command.header.instrument != 0);
    is_swept ? sweeps.begin_end_of_day(command.header.instrument, is_untimed) : books.apply(command);
  }
  void sweep_ended_day() {
    if (days.take_end_of_day() && config.slice != 0) sweeps.begin_end_of_day(0, false);
  }

  /// Both sides of a quote, or none.
  void apply(const market::Quote& command) { quotes.enter(command, books.find(command.header.instrument)); }
  /// A trade counts no more: it is reported to its owners and published.
  void apply(const market::TradeBust& command) {
    if (owners.bust(command)) days.publish_break(*owners.find_trade(command.trade), command.header);
  }
  /// A trade has another price, which is reported to its owners and published.
  void apply(const market::TradeCorrection& command) {
    if (owners.correct(command)) days.publish_break(*owners.find_trade(command.trade), command.header);
  }
  /// What one command ends goes on.
  void apply(const market::Slice& command) { sweeps.go_on(command); }
  /// What users may do from here on; a kill switch and the operator's cancel end what is open.
  void apply(const market::RiskCommand& command) {
    if (!limits.apply(command)) return;
    if (command.kind == market::LimitKind::cancel_orders || (command.is_cancelling && command.value != 0))
      sweeps.begin(command);
  }
  /// Reports are numbered from 1 again, and nobody is logged on.
  void apply(const market::NextDay& command) {
    check_digest(command.header, command.digest);
    risk.end_sessions();
    owners.begin_day(command.day, command.header.time);
    days.publish_day_start(command);
  }
  void check_digest(const market::CommandHeader& header, std::uint64_t digest) {
    if (digest != progress() && divergence.value == 0) divergence = header.sequence;
  }
  // Records for readers of the journal: nothing changes.
  void apply(const market::Setting&) {}
  void apply(const market::Checkpoint& checkpoint) { check_digest(checkpoint.header, checkpoint.digest); }

  PartitionConfig config;
  CommandJournal commands;
  Sequence divergence;  // the first checkpoint that was not met
  static constexpr std::uint64_t k_none_marked = ~std::uint64_t{0};
  std::uint64_t unmarked = k_none_marked;  // commands whose numbers have any of these bits are not marked
  CommandMarks marks;
  std::uint64_t next_checkpoint = 0;  // the command behind which one is due
  book::OrderTable orders;
  Risk risk;
  RiskLimits limits;
  OwnerReports owners;
  BookReports reports;
  Expiries expiries;
  ExpectedExpiry expiry;  // of the command in hand
  InstrumentBooks books;
  TradingDays days;
  QuoteEntry quotes;
  Sweeps sweeps;
};

}  // namespace dojima::venue
