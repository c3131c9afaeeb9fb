#pragma once

// A market for tests of the dashboard: orders come and go at random, as a book would report it.

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dojima/market/day.hpp"
#include "dojima/market/report.hpp"
#include "dojima/web/dashboard/facts.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::web {

[[nodiscard]] inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

[[nodiscard]] inline PictureConfig picture_config() {
  return {.name = "a test",
          .instruments = {{.id = 7, .symbol = "RICE", .segment = "OSA", .partition = 1, .reference = 100},
                          {.id = 9, .symbol = "SOY", .segment = "", .partition = 2, .reference = 200}},
          .counters = {"commands", "reports"},
          .stages = {"venue"},
          .sessions = {"KONOIKE", "YODOYA"},
          .has_account = true,
          .tape = 300,
          .columns = 16,
          .points = 16,
          .column_ns = 100'000'000};
}

/// A seeded sequence of facts that fit each other.
class RandomMarket {
 public:
  explicit RandomMarket(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] Fact next() {
    now_ += static_cast<std::int64_t>(below(20'000'000));
    const std::uint64_t what = below(100);
    if (what < 55) return add();
    if (what < 70 && !orders_.empty()) return end(market::BookReportKind::cancelled);
    if (what < 85 && !orders_.empty()) return trade();
    if (what < 88)
      return report({.instrument = instrument(),
                     .kind = market::BookReportKind::phase_changed,
                     .flags = static_cast<std::uint8_t>(below(3))});
    if (what < 93)
      return report({.price = {static_cast<std::int64_t>(below(50)) + 80},
                     .quantity = {static_cast<std::int64_t>(below(1000))},
                     .leaves = {static_cast<std::int64_t>(below(10))},
                     .instrument = instrument(),
                     .kind = market::BookReportKind::indicative,
                     .side = market::Side::buy});
    if (what < 95) return report({.kind = market::BookReportKind::rejected, .reason = market::Reason::levels_full});
    if (what < 97) {
      if (below(2) == 0) return other();
      if (below(3) == 0)
        return Fact::of(FactKind::last_reject, time(),
                        RejectFact{.session = static_cast<std::uint16_t>(below(3)),
                                   .size = static_cast<std::uint8_t>(below(3)),
                                   .text = {'n', 'o'}});
      return Fact::of(FactKind::session, time(), SessionFact{.open_orders = below(9), .session = 1});
    }
    if (what < 98) return Fact::of(FactKind::counter, time(), CounterFact{.value = below(99), .counter = 1});
    if (what < 99)
      return Fact::of(FactKind::status, time(),
                      market::SymbolStatus{.end = time(), .instrument = 9, .phase = market::DayPhase::regular});
    return Fact::of(FactKind::latency, time(),
                    LatencyFact{.count = 2, .ns = {static_cast<std::uint32_t>(below(5000)), 900}});
  }

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  [[nodiscard]] time::Time time() const { return time::from_nanoseconds(now_); }

 private:
  struct Resting {
    std::uint64_t id;
    std::int64_t price, left;
    std::uint32_t instrument;
    market::Side side;
  };

  [[nodiscard]] std::uint32_t instrument() { return below(4) == 0 ? 9 : 7; }
  [[nodiscard]] Fact report(const market::BookReport& report, std::uint16_t owner = 0) const {
    return Fact::of(FactKind::report, time(), report, owner);
  }
  [[nodiscard]] Fact add() {
    const Resting order{.id = next_++,
                        .price = static_cast<std::int64_t>(below(90)) + 55,
                        .left = static_cast<std::int64_t>(below(500)) + 1,
                        .instrument = instrument(),
                        .side = below(2) == 0 ? market::Side::buy : market::Side::sell};
    orders_.push_back(order);
    return report({.order = {order.id},
                   .price = {order.price},
                   .quantity = {order.left},
                   .leaves = {order.left},
                   .displayed = {order.left},
                   .instrument = order.instrument,
                   .kind = market::BookReportKind::added,
                   .side = order.side},
                  static_cast<std::uint16_t>(order.id % 3));
  }
  /// Of instruments, bands, notices, accounts and time.
  [[nodiscard]] Fact other() {
    switch (below(5)) {
      case 4:
        return Fact::of(FactKind::account, time(),
                        AccountFact{.equity = static_cast<double>(below(1000)) / 8,
                                    .position = static_cast<std::int64_t>(below(9)) - 4,
                                    .fills = below(50),
                                    .instrument = below(3) == 0 ? 7U : 0U});
      case 0: {
        const bool is_new = below(2) == 0;
        InstrumentFact fact{.instrument = is_new ? 11U : 9U, .quantity_decimals = 2};
        fact.symbol[0] = is_new ? 'N' : 'M';
        return Fact::of(FactKind::instrument, time(), fact);
      }
      case 1:
        return Fact::of(FactKind::band, time(),
                        BandFact{.bands = {.static_low = 1, .static_high = 200, .dynamic_low = 50, .dynamic_high = 150},
                                 .instrument = 7});
      case 2:
        return Fact::of(FactKind::notice, time(),
                        NoticeFact{.number = ++notices_, .is_last = 1, .size = 2, .text = {'h', 'i'}});
      default:
        return Fact::of(FactKind::pace, time(),
                        PaceFact{.speed = 2, .can_jump = 1, .is_over = 0, .first = 3, .last = 9, .progress = 0.5});
    }
  }
  [[nodiscard]] Fact end(market::BookReportKind kind) {
    const std::size_t at = below(orders_.size());
    const Resting order = orders_[at];
    orders_.erase(orders_.begin() + static_cast<std::ptrdiff_t>(at));
    return report({.order = {order.id}, .instrument = order.instrument, .kind = kind, .side = order.side});
  }
  [[nodiscard]] Fact trade() {
    const std::size_t at = below(orders_.size());
    Resting& order = orders_[at];
    const std::int64_t quantity = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(order.left))) + 1;
    order.left -= quantity;
    const Fact fact = report({.order = {order.id},
                              .other = {1},
                              .price = {order.price},
                              .quantity = {quantity},
                              .leaves = {order.left},
                              .displayed = {order.left},
                              .instrument = order.instrument,
                              .kind = market::BookReportKind::traded,
                              .side = order.side});
    if (order.left == 0) orders_.erase(orders_.begin() + static_cast<std::ptrdiff_t>(at));
    return fact;
  }

  std::mt19937 random_;
  std::vector<Resting> orders_;
  std::uint64_t next_ = 100;
  std::uint32_t notices_ = 0;
  std::int64_t now_ = 1'000'000'000;
};

}  // namespace dojima::web
