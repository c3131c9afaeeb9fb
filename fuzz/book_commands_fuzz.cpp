// Bytes as commands for one book, six bytes each: whatever they say, the book stays consistent and uncrossed, every
// order's lots add up, and a mirror rebuilt from the reports is the same book.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"

namespace {

using namespace dojima;
using book::Book;
using book::OrderTable;
using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Side;

constexpr std::size_t k_command = 6;
constexpr std::int64_t k_tick = 5;
constexpr std::int64_t k_ticks = 40;

class Collector final : public book::ReportBuffer {
 public:
  explicit Collector(std::size_t capacity) : ReportBuffer(capacity) {}
  std::vector<BookReport> reports;

 private:
  void drain(std::span<const BookReport> more, time::Time) override {
    reports.insert(reports.end(), more.begin(), more.end());
  }
};

market::Instrument make_instrument() {
  return {.id = 1,
          .ticks = market::TickTable::uniform({k_tick}, {k_tick}, {k_tick * k_ticks}).value(),
          .maximum_quantity = {200}};
}

struct Lots {
  Side side = Side::none;
  std::int64_t submitted = 0, executed = 0, ended = 0;
};

class Bench {
 public:
  void run(std::span<const std::uint8_t, k_command> bytes) {
    collector_.reports.clear();
    collector_.begin({++sequence_}, {});
    switch (bytes[0] % 4) {
      case 0:
      case 1:
        book_.apply(new_order(bytes));
        break;
      case 2:
        book_.apply(replace(bytes));
        break;
      default:
        if (bytes[0] >= 232)
          book_.apply(phase(bytes));
        else
          book_.apply(cancel(bytes));
        break;
    }
    collector_.finish();
    check();
  }

 private:
  static market::Price price(std::uint8_t byte) {
    // Mostly on a tick, sometimes between two or outside.
    return {byte < 240 ? k_tick * (byte % (k_ticks + 2)) : byte};
  }

  static market::NewOrder new_order(std::span<const std::uint8_t, k_command> bytes) {
    market::NewOrder command;
    command.header.instrument = 1;
    command.header.user = bytes[5] % 2;
    command.terms.side = static_cast<Side>(bytes[1] % 3);
    command.terms.type = static_cast<market::OrderType>(bytes[1] / 4 % 4);
    command.terms.time_in_force = static_cast<market::TimeInForce>(bytes[1] / 16 % 6);
    command.terms.limit = price(bytes[2]);
    command.terms.quantity = {bytes[3]};
    command.terms.displayed = {bytes[4] < 8 ? bytes[4] : bytes[3]};
    command.terms.minimum = {bytes[5] == 255 ? 1 : 0};
    if (bytes[0] >= 128) for_auctions(command.terms, bytes);
    return command;
  }

  static void for_auctions(market::OrderTerms& terms, std::span<const std::uint8_t, k_command> bytes) {
    using market::TimeInForce;
    constexpr TimeInForce k_times[] = {TimeInForce::at_the_opening,
                                       TimeInForce::at_the_close,
                                       TimeInForce::closing_price_cross,
                                       TimeInForce::good_for_next_auction,
                                       TimeInForce::good_for_intraday_auction,
                                       TimeInForce::good_for_scheduled_auction};
    terms.time_in_force = k_times[bytes[0] % 6];
    if (bytes[4] < 128) return;
    terms.sub_type = market::OrderSubType::offset;
    terms.offset_bp = (bytes[4] - 192) * 20;
  }

  [[nodiscard]] OrderId pick(std::uint8_t byte) const {
    return ids_.empty() ? OrderId{byte} : ids_[ids_.size() - 1 - byte % ids_.size()];
  }

  [[nodiscard]] market::Replace replace(std::span<const std::uint8_t, k_command> bytes) const {
    market::Replace command;
    command.header.instrument = 1;
    command.header.user = bytes[5] % 2;
    command.order = pick(bytes[4]);
    command.side = static_cast<Side>(bytes[1] % 3);
    command.limit = price(bytes[2]);
    command.quantity = {bytes[3]};
    command.displayed = {bytes[1] > 240 ? bytes[1] : bytes[3]};
    return command;
  }

  [[nodiscard]] market::Cancel cancel(std::span<const std::uint8_t, k_command> bytes) const {
    market::Cancel command;
    command.header.instrument = 1;
    command.header.user = bytes[5] % 2;
    command.order = pick(bytes[4]);
    command.side = static_cast<Side>(bytes[1] % 3);
    return command;
  }

  [[nodiscard]] static market::PhaseChange phase(std::span<const std::uint8_t, k_command> bytes) {
    market::PhaseChange command;
    command.header.instrument = 1;
    command.phase = static_cast<market::Phase>(bytes[1] % (market::k_phases + 1));
    command.reference = price(bytes[2]);
    command.is_uncrossed = bytes[3] % 2 == 1;
    return command;
  }

  void check() {
    DOJIMA_ASSERT(!collector_.reports.empty(), "every command is answered");
    for (const BookReport& report : collector_.reports) {
      DOJIMA_ASSERT(report.sequence.value == sequence_, "a report belongs to its command");
      DOJIMA_ASSERT(mirror_.mirror(report), "the mirror takes every report");
      account(report);
    }
    DOJIMA_ASSERT(book_.inconsistency() == nullptr, "the book is consistent and not crossed");
    DOJIMA_ASSERT(mirror_.inconsistency() == nullptr, "the mirror is consistent");
    DOJIMA_ASSERT(mirror_.digest() == book_.digest(), "the mirror is the same book");
    for (const auto& [id, lots] : lots_) {
      const book::Slot slot = orders_.find(id);
      const std::int64_t resting = slot == book::k_no_slot ? 0 : orders_[slot].leaves.lots;
      DOJIMA_ASSERT(lots.executed + resting + lots.ended == lots.submitted, "lots are neither made nor lost");
    }
  }

  void account(const BookReport& report) {
    switch (report.kind) {
      case BookReportKind::accepted:
        DOJIMA_ASSERT(!lots_.contains(report.order), "an id is given once");
        ids_.push_back(report.order);
        lots_[report.order] = {.side = report.side, .submitted = report.quantity.lots};
        break;
      case BookReportKind::replaced:
        lots_.at(report.order).submitted = report.quantity.lots;
        break;
      case BookReportKind::traded:
        DOJIMA_ASSERT(lots_.at(report.order).side != lots_.at(report.other).side, "the sides of a trade differ");
        lots_.at(report.order).executed += report.quantity.lots;
        lots_.at(report.other).executed += report.quantity.lots;
        break;
      case BookReportKind::cancelled:
      case BookReportKind::expired:
        lots_.at(report.order).ended += report.quantity.lots;
        break;
      default:
        break;
    }
  }

  market::Instrument instrument_ = make_instrument();
  OrderTable orders_{{.capacity = 12, .owners = 2}};
  OrderTable mirrored_{{.capacity = 12, .ids = book::Ids::foreign}};
  Collector collector_{3};
  Collector silent_{1};
  Book book_{instrument_, orders_, collector_, {.levels = 4}};
  Book mirror_{instrument_, mirrored_, silent_, {.levels = 4}};
  std::vector<OrderId> ids_;
  std::map<OrderId, Lots> lots_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bench bench;
  constexpr std::size_t k_most = 512;
  const std::size_t commands = std::min(size / k_command, k_most);
  for (std::size_t at = 0; at < commands; ++at)
    bench.run(std::span<const std::uint8_t, k_command>(data + at * k_command, k_command));
  return 0;
}
