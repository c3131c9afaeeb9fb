#pragma once

// Facts on their way from a loop to the screens' thread: a bounded ring of words between one producer and one consumer,
// in which a fact takes as many words as it needs. Of a book's report it carries what a screen shows of its kind (40
// bytes for most, of 80): what the loop pays for are the lines of memory that it takes back from the other processor.
// Neither side blocks or allocates; full is an answer.
//
//   FactRing ring(1 << 20);
//   if (!ring.push(FactKind::report, now, report, owner)) ...   // producer: no room, nothing changed
//   for (Fact fact; ring.pop(fact);) ...                        // consumer

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "dojima/base/assert.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"
#include "dojima/web/dashboard/fact.hpp"

namespace dojima::web {

class FactRing {
 public:
  /// The most bytes that a fact takes.
  static constexpr std::size_t k_longest = 96;

  /// Takes memory for at least so many bytes (rounded up to a power of two, at least 1024). Throws std::bad_alloc.
  explicit FactRing(std::size_t bytes)
      : mask_(std::bit_ceil(bytes < 1024 ? std::size_t{1024} : bytes) / k_word - 1),
        words_(std::make_unique<std::uint64_t[]>(mask_ + 1 + k_most)) {}

  FactRing(const FactRing&) = delete;
  FactRing& operator=(const FactRing&) = delete;

  /// Producer only. False: full, nothing changed. A fact of the kind `report` is a market::BookReport, and comes out
  /// with what fact_ring.cpp says of its kind, all else 0. O(1).
  template <class Payload>
  [[nodiscard]] bool push(FactKind kind, time::Time time, const Payload& payload, std::uint16_t owner = 0) noexcept {
    static_assert(sizeof(Payload) <= 64 && std::is_trivially_copyable_v<Payload>);
    constexpr bool k_is_report = std::is_same_v<Payload, market::BookReport>;
    DOJIMA_ASSERT(kind != FactKind::none && (kind == FactKind::report) == k_is_report,
                  "a report, and it alone, is put in as one", static_cast<int>(kind));
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - seen_tail_ > mask_ + 1 - k_most) {
      seen_tail_ = tail_.load(std::memory_order_acquire);
      if (head - seen_tail_ > mask_ + 1 - k_most) return false;
    }
    std::uint64_t* const begin = &words_[head & mask_];
    std::uint64_t* at = begin;
    const std::int64_t now = time::nanoseconds_of(time);
    // Also where time goes back.
    std::uint64_t step = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(told_time_);
    if (step >> 32U != 0) [[unlikely]] {
      *at++ = head_word(FactKind::none, 2, 0, 0);
      *at++ = static_cast<std::uint64_t>(now);
      step = 0;
    }
    told_time_ = now;
    std::uint64_t* end = at + 2;
    if constexpr (k_is_report) {
      end = encode(payload, end);
      at[0] = head_word(kind, static_cast<std::uint8_t>(end - at), owner, terms_of(payload));
      at[1] = payload.instrument | step << 32U;
    } else if constexpr (std::is_same_v<Payload, TradeFact>) {
      end = encode(payload, end);
      at[0] = head_word(kind, static_cast<std::uint8_t>(end - at), owner, 0);
      at[1] = step << 32U;
    } else {
      std::memcpy(end, &payload, sizeof payload);
      end += (sizeof payload + k_word - 1) / k_word;
      at[0] = head_word(kind, static_cast<std::uint8_t>(end - at), owner, 0);
      at[1] = step << 32U;
    }
    head_.store(head + static_cast<std::size_t>(end - begin), std::memory_order_release);
    // The line after the next ones, which the consumer has read: the producer has other things to do until then.
    constexpr std::size_t k_ahead = 32;
    __builtin_prefetch(&words_[(head + k_ahead) & mask_], 1);
    return true;
  }

  /// Consumer only. False: empty, `fact` unchanged. What its payload does not fill is left over from an earlier one.
  [[nodiscard]] bool pop(Fact& fact) noexcept;

  /// Bytes without a fact; more than there are by what the other side is doing.
  [[nodiscard]] std::size_t free() const noexcept {
    return capacity() - (head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire)) * k_word;
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return (mask_ + 1) * k_word; }

 private:
  static constexpr std::size_t k_word = sizeof(std::uint64_t);
  static constexpr std::size_t k_most = k_longest / k_word;
  static constexpr std::size_t k_line = 64;

  [[nodiscard]] static std::uint64_t head_word(FactKind kind, std::uint8_t words, std::uint16_t owner,
                                               std::uint32_t terms) noexcept {
    return static_cast<std::uint64_t>(kind) | std::uint64_t{words} << 8U | std::uint64_t{owner} << 16U |
           std::uint64_t{terms} << 32U;
  }
  /// A report's kind, side, reason and flags.
  [[nodiscard]] static std::uint32_t terms_of(const market::BookReport& report) noexcept {
    return static_cast<std::uint32_t>(report.kind) | static_cast<std::uint32_t>(report.side) << 8U |
           static_cast<std::uint32_t>(report.reason) << 16U | std::uint32_t{report.flags} << 24U;
  }
  [[nodiscard]] static std::uint64_t bits(std::int64_t value) noexcept { return static_cast<std::uint64_t>(value); }
  /// As its bytes lie, but from registers: read back from memory as whole words, its last fields would wait until all
  /// that was written before them has left for the caches, lines that the other processor has among them. Returns the
  /// end.
  [[nodiscard]] static std::uint64_t* encode(const TradeFact& trade, std::uint64_t* to) noexcept {
    static_assert(sizeof(TradeFact) == 3 * k_word && offsetof(TradeFact, instrument) == 2 * k_word &&
                  offsetof(TradeFact, side) == 20 && offsetof(TradeFact, is_auction) == 21 &&
                  std::endian::native == std::endian::little);
    *to++ = bits(trade.price);
    *to++ = bits(trade.quantity);
    *to++ = trade.instrument | std::uint64_t{static_cast<std::uint8_t>(trade.side)} << 32U |
            std::uint64_t{trade.is_auction} << 40U;
    return to;
  }
  /// What is displayed, and what is left where that is more. Returns the end.
  [[nodiscard]] static std::uint64_t* encode_rest(const market::BookReport& report, std::uint64_t* to) noexcept {
    *to++ = bits(report.displayed.lots);
    if (report.leaves != report.displayed) *to++ = bits(report.leaves.lots);
    return to;
  }
  /// What screens show of a report of this kind. Returns the end.
  [[nodiscard]] static std::uint64_t* encode(const market::BookReport& report, std::uint64_t* to) noexcept {
    using market::BookReportKind;
    switch (report.kind) {
      case BookReportKind::added:
      case BookReportKind::replenished:
        *to++ = report.order.value;
        *to++ = bits(report.price.units);
        return encode_rest(report, to);
      case BookReportKind::traded:
        *to++ = report.order.value;
        *to++ = bits(report.price.units);
        *to++ = bits(report.quantity.lots);
        if ((report.flags & market::k_auction) == 0) return encode_rest(report, to);
        *to++ = report.other.value;
        return to;
      case BookReportKind::replaced:
      case BookReportKind::reduced:
        *to++ = report.order.value;
        return encode_rest(report, to);
      case BookReportKind::cancelled:
      case BookReportKind::expired:
      case BookReportKind::triggered:
        *to++ = report.order.value;
        return to;
      case BookReportKind::indicative:
      case BookReportKind::uncrossed:
        *to++ = bits(report.price.units);
        *to++ = bits(report.quantity.lots);
        *to++ = bits(report.leaves.lots);
        return to;
      case BookReportKind::none:
      case BookReportKind::accepted:
      case BookReportKind::rejected:
      case BookReportKind::parked:
      case BookReportKind::phase_changed:
        return to;
    }
    return to;
  }

  const std::size_t mask_;  // in words
  // A fact that begins before the end of the ring goes on behind it.
  const std::unique_ptr<std::uint64_t[]> words_;
  alignas(k_line) std::atomic<std::size_t> head_{0};  // written by the producer, as the next two are
  std::size_t seen_tail_ = 0;                         // its copy of tail_
  std::int64_t told_time_ = 0;                        // of the fact before
  alignas(k_line) std::atomic<std::size_t> tail_{0};  // written by the consumer, as the next two are
  std::size_t seen_head_ = 0;                         // its copy of head_
  std::int64_t time_ = 0;                             // of the fact before
};

}  // namespace dojima::web
