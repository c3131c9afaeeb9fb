#pragma once

// What is plain, read off a command's own words, and reports of plain orders written in place.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dojima/book/order_table.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/market/command.hpp"

namespace dojima::book {

/// The last eight bytes of an order's terms.
struct SmallTerms {
  std::uint8_t type = 0, time_in_force = 0, passive = 0, sub_type = 0, capacity = 0, peg = 0, flags = 0, owner_type = 0;
};
static_assert(sizeof(SmallTerms) == 8 && sizeof(market::OrderTerms) == offsetof(market::OrderTerms, type) + 8 &&
              offsetof(market::OrderTerms, flags) == offsetof(market::OrderTerms, type) + offsetof(SmallTerms, flags));

[[nodiscard]] inline std::uint64_t small_terms(const market::OrderTerms& terms) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::byte*>(&terms) + offsetof(market::OrderTerms, type), sizeof word);
  return word;
}

/// 0: a limit order for the day or until it is cancelled without conditions, whatever it shows.
[[nodiscard, gnu::always_inline]] inline std::uint64_t conditions_of(const market::NewOrder& command) noexcept {
  static_assert(static_cast<int>(market::TimeInForce::day) == 0 &&
                static_cast<int>(market::TimeInForce::good_till_cancel) == 1);
  constexpr auto k_usual = std::bit_cast<std::uint64_t>(SmallTerms{.type = std::uint8_t{2}});
  static_assert(static_cast<int>(market::OrderType::limit) == 2);
  constexpr auto k_matters = std::bit_cast<std::uint64_t>(SmallTerms{
      .type = 0xff, .time_in_force = 0xfe, .passive = 0xff, .sub_type = 0xff, .flags = market::k_all_or_none});
  const market::OrderTerms& terms = command.terms;
  return ((small_terms(terms) & k_matters) ^ k_usual) | static_cast<std::uint64_t>(terms.minimum.lots) |
         static_cast<std::uint32_t>(terms.offset_bp) | command.linked.value |
         ((std::uint64_t{static_cast<std::uint8_t>(terms.side)} - 1) & ~std::uint64_t{1});  // 1 or 2
}

/// 0: such an order that shows all it has.
[[nodiscard, gnu::always_inline]] inline std::uint64_t unusual_bits(const market::NewOrder& command) noexcept {
  return conditions_of(command) |
         static_cast<std::uint64_t>(command.terms.displayed.lots ^ command.terms.quantity.lots);
}

/// 0: the changed order shows all it has and has no conditions.
[[nodiscard, gnu::always_inline]] inline std::uint64_t unusual_bits(const market::Replace& command) noexcept {
  return static_cast<std::uint64_t>(command.minimum.lots) |
         static_cast<std::uint64_t>(command.displayed.lots ^ command.quantity.lots) |
         static_cast<std::uint32_t>(command.offset_bp) | command.passive;
}

/// Whether a resting order is compact and without an expiry.
[[nodiscard]] inline bool is_usual(const Order& order) noexcept {
  return order.is_compact() && (static_cast<unsigned>(order.plain.time_in_force) & ~1U) == 0;
}

/// The small fields of a plain order, in one word: the command's, with the group in place of the passive rule.
[[nodiscard]] inline PlainTerms plain_terms(const market::OrderTerms& terms) noexcept {
  static_assert(offsetof(PlainTerms, group) == offsetof(SmallTerms, passive) &&
                offsetof(PlainTerms, flags) == offsetof(SmallTerms, flags));
  std::uint64_t word = small_terms(terms);
  if constexpr (std::endian::native == std::endian::little) {
    return std::bit_cast<PlainTerms>(word | std::uint64_t{terms.group} << 16);
  } else {
    auto plain = std::bit_cast<PlainTerms>(word);
    plain.group = terms.group;
    return plain;
  }
}

/// The last eight bytes of a report.
[[nodiscard]] inline std::uint64_t small_fields(std::uint32_t instrument, market::BookReportKind kind, Side side,
                                                market::Reason reason, std::uint8_t flags) noexcept {
  struct Fields {
    std::uint32_t instrument;
    market::BookReportKind kind;
    Side side;
    market::Reason reason;
    std::uint8_t flags;
  };
  constexpr std::size_t k_begin = offsetof(market::BookReport, instrument);
  static_assert(sizeof(Fields) == 8 && k_begin + sizeof(Fields) == sizeof(market::BookReport) &&
                offsetof(market::BookReport, kind) == k_begin + offsetof(Fields, kind) &&
                offsetof(market::BookReport, flags) == k_begin + offsetof(Fields, flags));
  if constexpr (std::endian::native == std::endian::little) {
    return std::uint64_t{instrument} | std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 |
           std::uint64_t{static_cast<std::uint8_t>(side)} << 40 |
           std::uint64_t{static_cast<std::uint8_t>(reason)} << 48 | std::uint64_t{flags} << 56;
  } else {
    return std::bit_cast<std::uint64_t>(Fields{instrument, kind, side, reason, flags});
  }
}

/// Writes reports about orders, which show all they have left unless the call says otherwise, in place: eight words
/// each, every one once. The cursor is its own until done(), so that it stays in a register.
class Writer {
 public:
  Writer(ReportBuffer& reports, std::uint32_t instrument) noexcept
      : reports_(reports), next_(reports.next()), sequence_(reports.command()), instrument_(instrument) {}

  [[nodiscard]] bool is_full() const noexcept { return next_ == reports_.end(); }
  /// Sees to room for one report.
  [[gnu::always_inline]] void room() {
    if (is_full()) [[unlikely]] {
      reports_.written(next_);
      reports_.finish();
      next_ = reports_.next();
    }
  }
  [[gnu::always_inline]] void write(market::BookReportKind kind, Side side, OrderId order, OrderId other, Price price,
                                    Quantity quantity, Quantity leaves, market::Reason reason = market::Reason::none,
                                    std::uint8_t flags = 0) noexcept {
    market::BookReport& report = *next_++;
    report.sequence = sequence_;
    report.order = order;
    report.other = other;
    report.price = price;
    report.quantity = quantity;
    report.leaves = leaves;
    report.displayed = leaves;
    const std::uint64_t last = small_fields(instrument_, kind, side, reason, flags);
    std::memcpy(reinterpret_cast<std::byte*>(&report) + offsetof(market::BookReport, instrument), &last, sizeof last);
  }
  /// What the order of the last report shows, if not all.
  void shows(Quantity displayed) noexcept { next_[-1].displayed = displayed; }
  void done() noexcept { reports_.written(next_); }
  /// Behind reports that others have written since done().
  void resume() noexcept { next_ = reports_.next(); }

 private:
  ReportBuffer& reports_;
  market::BookReport* next_;
  market::Sequence sequence_;
  std::uint32_t instrument_;
};

}  // namespace dojima::book
