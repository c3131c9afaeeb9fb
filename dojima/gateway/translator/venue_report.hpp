#pragma once

// A report of the venue in hand, on its way through ExchangeToClient and its parts. Plain values.

#include <cstdint>
#include <string_view>

#include "dojima/gateway/messages/reject_writer.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// A report that is about a request, or what stands for one. Who takes it uses the part that it needs.
struct VenueReport {
  Request& request;
  const market::OwnerReport& report;
  std::uint16_t order_reason = 0;   ///< OrdRejReason(103) of a refusal
  std::uint16_t change_reason = 0;  ///< CxlRejReason(102) of a refusal
  std::string_view text{};
  const VenueReject* reject = nullptr;      ///< of a refusal by a Reject or BusinessReject
  bool is_venue_suspended = false;          ///< of a refusal: the venue or a part of it is closed for now
  bool is_change_answered = false;          ///< of an execution: it answers a cancel or replace
  std::string_view orig_cl_ord_id{};        ///< then: OrigClOrdID(41) of that
  const MassCancelRequest* mass = nullptr;  ///< that ended the order
};

/// Of an order that outlives the request whose id it has at the venue.
[[nodiscard]] inline Request forgotten_request_of(const Order& order, std::uint32_t slot) noexcept {
  return Request{.cl_ord_id = order.cl_ord_id,
                 .order = slot,
                 .client = static_cast<std::uint16_t>(order.client),
                 .is_answered = true};
}

/// Of a new order, a change, or a message as a whole.
[[nodiscard]] constexpr bool is_refusal(market::OwnerReportKind kind) noexcept {
  return kind == market::OwnerReportKind::rejected || kind == market::OwnerReportKind::request_rejected ||
         kind == market::OwnerReportKind::business_rejected;
}

}  // namespace dojima::gateway
