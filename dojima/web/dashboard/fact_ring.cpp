#include "dojima/web/dashboard/fact_ring.hpp"

namespace dojima::web {
namespace {

using market::BookReport;
using market::BookReportKind;

[[nodiscard]] std::int64_t number(std::uint64_t bits) noexcept {
  return static_cast<std::int64_t>(bits);
}

/// As FactRing::encode_rest() wrote it, from `from` to `end`.
void decode_rest(const std::uint64_t* from, const std::uint64_t* end, BookReport& report) noexcept {
  report.displayed = {number(from[0])};
  report.leaves = {number(from + 1 == end ? from[0] : from[1])};
}

/// As FactRing::encode() wrote it.
[[nodiscard]] BookReport decode(std::uint64_t head, std::uint32_t instrument, const std::uint64_t* from,
                                const std::uint64_t* end) noexcept {
  BookReport report{.instrument = instrument,
                    .kind = static_cast<BookReportKind>(head >> 32U & 0xffU),
                    .side = static_cast<market::Side>(head >> 40U & 0xffU),
                    .reason = static_cast<market::Reason>(head >> 48U & 0xffU),
                    .flags = static_cast<std::uint8_t>(head >> 56U)};
  switch (report.kind) {
    case BookReportKind::added:
    case BookReportKind::replenished:
      report.order = {from[0]};
      report.price = {number(from[1])};
      decode_rest(from + 2, end, report);
      return report;
    case BookReportKind::traded:
      report.order = {from[0]};
      report.price = {number(from[1])};
      report.quantity = {number(from[2])};
      if ((report.flags & market::k_auction) == 0)
        decode_rest(from + 3, end, report);
      else
        report.other = {from[3]};
      return report;
    case BookReportKind::replaced:
    case BookReportKind::reduced:
      report.order = {from[0]};
      decode_rest(from + 1, end, report);
      return report;
    case BookReportKind::cancelled:
    case BookReportKind::expired:
    case BookReportKind::triggered:
      report.order = {from[0]};
      return report;
    case BookReportKind::indicative:
    case BookReportKind::uncrossed:
      report.price = {number(from[0])};
      report.quantity = {number(from[1])};
      report.leaves = {number(from[2])};
      return report;
    case BookReportKind::none:
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
    case BookReportKind::phase_changed:
      return report;
  }
  return report;
}

}  // namespace

bool FactRing::pop(Fact& fact) noexcept {
  std::size_t tail = tail_.load(std::memory_order_relaxed);
  if (tail == seen_head_) {
    seen_head_ = head_.load(std::memory_order_acquire);
    if (tail == seen_head_) return false;
  }
  const std::uint64_t* at = &words_[tail & mask_];
  const std::uint64_t* const begin = at;
  // A time of its own, with the fact that it is for.
  if (static_cast<FactKind>(*at & 0xffU) == FactKind::none) {
    time_ = number(at[1]);
    at += 2;
  }
  const std::uint64_t head = at[0];
  const std::uint64_t* const end = at + (head >> 8U & 0xffU);
  time_ += number(at[1] >> 32U);
  fact.time = time_;
  fact.kind = static_cast<FactKind>(head & 0xffU);
  fact.owner = static_cast<std::uint16_t>(head >> 16U);
  if (fact.kind == FactKind::report) {
    const BookReport report = decode(head, static_cast<std::uint32_t>(at[1]), at + 2, end);
    std::memcpy(fact.payload.data(), &report, sizeof report);
  } else {
    std::memcpy(fact.payload.data(), at + 2, static_cast<std::size_t>(end - at - 2) * k_word);
  }
  tail_.store(tail + static_cast<std::size_t>(end - begin), std::memory_order_release);
  return true;
}

}  // namespace dojima::web
