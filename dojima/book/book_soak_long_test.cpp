// A book that works for a long time: memory stays where it is, every order and every lot is accounted for.
// DOJIMA_BOOK_SOAK=1000000000 asks for a thousand million commands; progress goes to stderr then.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/random_flow_test.hpp"

namespace dojima::book::testing {
namespace {

constexpr std::uint64_t k_default_commands = 2'000'000;
constexpr std::int64_t k_soak_ticks = 2'000'000;
constexpr std::size_t k_capacity = 8192;
constexpr std::size_t k_remembered = 4096;  // orders that may be cancelled or replaced

struct Tally {
  std::uint64_t accepted = 0, rejected = 0, trades = 0, replaced = 0, filled = 0, cancelled = 0, expired = 0;
  std::uint64_t triggered = 0, replenished = 0;
  std::uint64_t entered_lots = 0, traded_lots = 0, ended_lots = 0;  // modulo 2^64
};

/// Counts what the book says; remembers which orders came to rest.
class Counter final : public ReportBuffer {
 public:
  Counter() : ReportBuffer(64) {}
  struct Known {
    OrderId order;
    Side side = Side::buy;
    std::uint16_t owner = 0;
    std::int64_t quantity = 0;
  };

  Tally tally;
  std::array<Known, k_remembered> known{};
  std::uint64_t rested = 0;
  std::uint64_t digest = 0;
  std::uint16_t owner = 0;        // of the command in hand
  std::int64_t old_quantity = 0;  // of a replace

 private:
  void drain(std::span<const BookReport> reports, time::Time) override {
    for (const BookReport& report : reports) {
      digest = (digest ^ report.order.value ^ static_cast<std::uint64_t>(report.price.units)) * 0x9e3779b97f4a7c15ULL +
               static_cast<std::uint64_t>(report.kind);
      count(report);
    }
  }

  void count(const BookReport& report) {
    const auto lots = static_cast<std::uint64_t>(report.quantity.lots);
    switch (report.kind) {
      case BookReportKind::accepted:
        ++tally.accepted;
        tally.entered_lots += lots;
        break;
      case BookReportKind::added:
      case BookReportKind::parked:
        known[rested++ % k_remembered] = {report.order, report.side, owner, report.quantity.lots};
        break;
      case BookReportKind::traded:
        ++tally.trades;
        tally.traded_lots += 2 * lots;
        break;
      case BookReportKind::replaced:
        ++tally.replaced;
        tally.entered_lots += static_cast<std::uint64_t>(report.quantity.lots - old_quantity);
        break;
      case BookReportKind::cancelled:
        ++tally.cancelled;
        tally.ended_lots += lots;
        break;
      case BookReportKind::expired:
        ++tally.expired;
        tally.ended_lots += lots;
        break;
      case BookReportKind::rejected:
        ++tally.rejected;
        break;
      case BookReportKind::triggered:
        ++tally.triggered;
        break;
      case BookReportKind::replenished:
        ++tally.replenished;
        break;
      default:
        break;
    }
  }
};

/// Pages in memory, as the system counts them.
std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  status >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

class Soak {
 public:
  /// The next command: mostly plain orders around a price that wanders over the whole domain, cancels and replaces; in
  /// one epoch of eight every other kind of order as well.
  void step() {
    ++commands_;
    const bool is_dressed = (commands_ >> 16U) % 8 == 7;
    const std::uint64_t draw = random_.next();
    if ((draw & 0x3ff) == 0) wander();
    const std::uint64_t pick = draw >> 10U & 0x7f;
    counter_.begin({commands_}, {});
    if (pick < 64)
      enter(draw >> 17U, is_dressed);
    else if (pick < 118)
      cancel(draw >> 17U);
    else
      replace(draw >> 17U);
    counter_.finish();
  }

  [[nodiscard]] const Tally& tally() const { return counter_.tally; }
  [[nodiscard]] std::uint64_t digest() const { return counter_.digest; }

  /// Every order and every lot is somewhere.
  void check() const {
    ASSERT_EQ(book_.inconsistency(), nullptr);
    const Tally& tally = counter_.tally;
    std::uint64_t resting = 0, executed = 0;
    for (const Slot slot : orders_.live()) {
      resting += static_cast<std::uint64_t>(orders_[slot].leaves.lots);
      executed += static_cast<std::uint64_t>(orders_.executed(slot).lots);
    }
    ASSERT_EQ(tally.entered_lots, tally.traded_lots + tally.ended_lots + resting);
    ASSERT_LE(executed, tally.traded_lots);
    // Every command has one answer; orders are cancelled on request only.
    ASSERT_EQ(tally.accepted + tally.rejected + tally.replaced + tally.cancelled, new_orders_ + requests_);
    ASSERT_LE(orders_.size(), k_capacity);
  }

 private:
  void wander() {
    if (middle_ < 3'000) drift_ = 1;
    if (middle_ > k_soak_ticks - 3'000) drift_ = -1;
    middle_ += drift_ * random_.below(24) - random_.below(8) * drift_ / 2;
  }

  void enter(std::uint64_t draw, bool is_dressed) {
    ++new_orders_;
    const Side side = (draw & 1) != 0 ? Side::buy : Side::sell;
    const std::int64_t away = static_cast<std::int64_t>(draw >> 1U & 0x3f) - 4;
    const std::int64_t lots = 1 + static_cast<std::int64_t>(draw >> 8U & 0x1f);
    market::NewOrder& order = side == Side::buy ? buy_ : sell_;
    order = market::NewOrder{};
    order.header.instrument = k_instrument;
    order.header.user = counter_.owner = static_cast<std::uint16_t>(draw >> 16U & 3U);
    order.terms.side = side;
    order.terms.type = OrderType::limit;
    order.terms.limit = at(side == Side::buy ? middle_ - away : middle_ + away);
    order.terms.quantity = order.terms.displayed = {lots};
    order.terms.time_in_force = (draw >> 20U & 0xf) == 0 ? TimeInForce::immediate_or_cancel : TimeInForce::day;
    if (is_dressed) dress(order, draw >> 24U);
    book_.apply(order);
  }

  void dress(market::NewOrder& order, std::uint64_t draw) {
    market::OrderTerms& terms = order.terms;
    switch (draw & 0x1f) {
      case 0:
      case 1:
        terms.displayed = {(terms.quantity.lots + 3) / 4};
        break;
      case 2:
        terms.displayed = {};
        terms.time_in_force = TimeInForce::day;
        break;
      case 3:
        terms.type = OrderType::stop;
        terms.stop = at(terms.side == Side::buy ? middle_ + 40 : middle_ - 40);
        terms.limit = {};
        break;
      case 4:
        terms.type = OrderType::market_to_limit;
        terms.limit = {};
        break;
      case 5:
        terms.time_in_force = TimeInForce::fill_or_kill;
        break;
      default:
        break;
    }
  }

  /// An order that came to rest: in turn the one that has been known for longest, so that none is forgotten, or any.
  [[nodiscard]] const Counter::Known& pick(std::uint64_t draw) {
    ++requests_;
    const bool is_oldest = (draw & 1) != 0;
    if (is_oldest)
      oldest_ = std::max(oldest_ + 1, counter_.rested - std::min<std::uint64_t>(counter_.rested, k_remembered));
    const Counter::Known& known = counter_.known[(is_oldest ? oldest_ : draw >> 1U) % k_remembered];
    counter_.owner = known.owner;
    return known;
  }

  void cancel(std::uint64_t draw) {
    const Counter::Known& known = pick(draw);
    market::Cancel command;
    command.header.user = known.owner;
    command.order = known.order;
    command.side = known.side;
    book_.apply(command);
  }

  void replace(std::uint64_t draw) {
    const Counter::Known& known = pick(draw);
    market::Replace command;
    command.header.user = known.owner;
    command.order = known.order;
    command.side = known.side;
    command.limit = at(middle_ + static_cast<std::int64_t>(draw >> 20U & 0x3f) - 32);
    command.stop = {-1};
    command.quantity = command.displayed = {1 + static_cast<std::int64_t>(draw >> 32U & 0x3f)};
    const Slot slot = orders_.find(known.order);
    counter_.old_quantity = slot == k_no_slot ? 0 : orders_.terms(slot).quantity.lots;
    book_.apply(command);
  }

  market::Instrument instrument_{.id = k_instrument,
                                 .symbol = "SOAK",
                                 .ticks = market::TickTable::uniform({k_tick}, at(1), at(k_soak_ticks)).value(),
                                 .maximum_quantity = {k_largest}};
  OrderTable orders_{{.capacity = k_capacity, .owners = 4}};
  Counter counter_;
  Book book_{instrument_, orders_, counter_, {.levels = 4096}};
  Random random_{20261121};
  std::int64_t middle_ = k_soak_ticks / 2;
  std::int64_t drift_ = 1;
  std::uint64_t commands_ = 0, new_orders_ = 0, requests_ = 0;
  std::uint64_t oldest_ = 0;  // of the orders that came to rest, counted from the first
  market::NewOrder buy_, sell_;
};

TEST(BookSoakLong, keeps_its_memory_and_loses_no_lot_however_long_it_works) {
  const char* given = std::getenv("DOJIMA_BOOK_SOAK");
  const std::uint64_t wanted = given == nullptr ? k_default_commands : std::strtoull(given, nullptr, 10);
  ASSERT_GT(wanted, 0u) << "DOJIMA_BOOK_SOAK is a number of commands";
  const std::uint64_t chunk = std::max<std::uint64_t>(wanted / 100, 1);
  // Behind all kinds of orders once, so that every page that will be used has been.
  const std::uint64_t warm = std::min<std::uint64_t>(wanted, std::uint64_t{16} << 16U);
  Soak soak;
  std::uint64_t resident = 0, highest = 0, done = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (done < wanted && !::testing::Test::HasFatalFailure()) {
    for (const std::uint64_t end = std::min(done + chunk, wanted); done < end; ++done) soak.step();
    soak.check();
    const std::uint64_t now = resident_bytes();
    if (resident == 0 && done >= warm) resident = now;
    highest = std::max(highest, now);
    if (given == nullptr) continue;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::fprintf(stderr, "\r%llu of %llu commands, %.1f M/s, %.1f MB resident ", static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(wanted), static_cast<double>(done) / seconds / 1e6,
                 static_cast<double>(now) / 1e6);
  }
  const Tally& tally = soak.tally();
  std::printf(
      "%llu commands: %llu accepted, %llu rejected, %llu replaced, %llu trades of %llu lots, %llu cancelled, %llu "
      "expired, %llu triggered, %llu replenished; digest %llu; resident %llu bytes after the warm-up, at most %llu\n",
      static_cast<unsigned long long>(done), static_cast<unsigned long long>(tally.accepted),
      static_cast<unsigned long long>(tally.rejected), static_cast<unsigned long long>(tally.replaced),
      static_cast<unsigned long long>(tally.trades), static_cast<unsigned long long>(tally.traded_lots / 2),
      static_cast<unsigned long long>(tally.cancelled), static_cast<unsigned long long>(tally.expired),
      static_cast<unsigned long long>(tally.triggered), static_cast<unsigned long long>(tally.replenished),
      static_cast<unsigned long long>(soak.digest()), static_cast<unsigned long long>(resident),
      static_cast<unsigned long long>(highest));
  EXPECT_EQ(done, wanted);
  if (resident != 0) {
    EXPECT_LE(highest, resident + (std::uint64_t{1} << 20U)) << "memory grew";
  }
  if (wanted != k_default_commands) return;
  // The same with every compiler and in every run.
  EXPECT_EQ(soak.digest(), 14778556020626771214u);
}

}  // namespace
}  // namespace dojima::book::testing
