#pragma once

// What all ExecutionReports about an order say alike, as it was written last: the venue's OrderID in base 62, and the
// fields from Account to the order's terms. A report whose order says still the same takes them from here; one that
// does not writes them anew. A template is found by the order's id, two orders may want the same place, and then the
// later one has it: the reports are the same with templates and without. Memory is taken once.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dojima/fix/rendered_fields.hpp"
#include "dojima/gateway/records/order.hpp"

namespace dojima::gateway {

/// What the fields of a template follow from, beside the client's form of reports and the instruments' symbols, which
/// do not change.
struct ReportTemplate {
  market::OrderTerms terms;
  market::OrderId order_id;  ///< 0: the template is empty
  std::uint32_t instrument = 0;
  std::uint32_t client = 0;
  std::uint16_t user = 0;
  Text<10> account;
  std::uint8_t clearing = 0;  ///< of the order's parties
  std::array<char, 12> identifier{};
  fix::RenderedFields fields;

  [[nodiscard]] bool is_of(const Order& order, std::uint8_t its_clearing) const noexcept {
    return order_id == order.order_id && instrument == order.instrument && client == order.client &&
           user == order.user && account == order.account && clearing == its_clearing &&
           std::memcmp(&terms, &order.terms, sizeof terms) == 0;
  }
  void begin(const Order& order, std::uint8_t its_clearing) noexcept {
    terms = order.terms;
    order_id = order.order_id;
    instrument = order.instrument;
    client = order.client;
    user = order.user;
    account = order.account;
    clearing = its_clearing;
    fields.clear();
  }
};

class ReportTemplates {
 public:
  /// Of that many orders at once, rounded up to a power of two, at most 4,096. Throws std::bad_alloc.
  explicit ReportTemplates(std::size_t orders)
      : templates_(std::bit_ceil(orders < 1        ? 1
                                 : orders > k_most ? k_most
                                                   : orders)) {}

  /// Where the template of an order with an id is, or belongs. Look with is_of().
  [[nodiscard]] ReportTemplate& of(const Order& order) noexcept { return templates_[place_of(order.order_id)]; }
  /// A hint that a report about this order follows: its place is fetched. Any id is fine.
  [[gnu::always_inline]] void prefetch(market::OrderId id) const noexcept {
    constexpr std::size_t k_line = 64;
    const auto* const place = reinterpret_cast<const std::byte*>(&templates_[place_of(id)]);
    for (std::size_t line = 0; line < sizeof(ReportTemplate); line += k_line) __builtin_prefetch(place + line, 1);
  }

 private:
  [[nodiscard]] std::size_t place_of(market::OrderId id) const noexcept {
    // Ids of one partition differ in their low bits most.
    return (id.value ^ id.value >> 60) & (templates_.size() - 1);
  }

  static constexpr std::size_t k_most = 4096;
  std::vector<ReportTemplate> templates_;
};

}  // namespace dojima::gateway
