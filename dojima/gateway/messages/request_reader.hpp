#pragma once

// A client's order messages as commands of the venue: pure functions from a FIX message, the client's defaults and,
// for cancel and replace, the order's record. A value that cannot be carried exactly is a refusal, never cut, rounded
// or silently dropped; docs/gateway.md has the table of fields. No allocation, O(fields).
//
//   market::NewOrder order = defaults;
//   if (const auto read = read_new_order(view, symbols, order, said); !read) answer(read.error());

#include <cstdint>
#include <expected>
#include <string_view>

#include "dojima/base/text.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

/// How a request is answered that the venue shall not see.
struct Refusal {
  enum class Answer : std::uint8_t {
    report,    ///< ExecutionReport with OrdRejReason(103), or OrderCancelReject with CxlRejReason(102)
    session,   ///< Reject(3) with SessionRejectReason(373)
    business,  ///< BusinessMessageReject(j) with BusinessRejectReason(380)
  };
  Answer answer = Answer::report;
  std::uint16_t reason = 0;  ///< 103, 102, 373 or 380
  fix::Tag tag = 0;          ///< the field in question; 0: none
  /// Static, or of who keeps it until the answer is written. Of a session's: what was expected of the field.
  const char* text = "";
  RefusedFor why = RefusedFor::other;  ///< where the reason does not say it
  /// Of the message, or static: what stands in the client's text where this one has its first '%'. Null: it has none.
  std::string_view value{};
  /// The same of the others: another field's value, or what the order has.
  Text<32> other{};
};

/// What a refusal counts as; `of_report`: by the reason of its report.
[[nodiscard]] constexpr RefusedFor refused_for(const Refusal& refusal, RefusedFor of_report) noexcept {
  if (refusal.why != RefusedFor::other) return refusal.why;
  if (refusal.answer == Refusal::Answer::session) return RefusedFor::malformed;
  return refusal.answer == Refusal::Answer::business ? RefusedFor::not_possible : of_report;
}

/// OrdRejReason(103), as far as it is used.
namespace order_reject {
inline constexpr std::uint16_t k_exchange_option = 0;
inline constexpr std::uint16_t k_unknown_symbol = 1;
inline constexpr std::uint16_t k_exchange_closed = 2;
inline constexpr std::uint16_t k_exceeds_limit = 3;
inline constexpr std::uint16_t k_unknown_order = 5;
inline constexpr std::uint16_t k_duplicate = 6;
inline constexpr std::uint16_t k_unsupported_characteristic = 11;
inline constexpr std::uint16_t k_incorrect_quantity = 13;
inline constexpr std::uint16_t k_unknown_account = 15;  // from FIX 4.4 on
inline constexpr std::uint16_t k_price_band = 16;       // from here on FIX 5.0 SP2
inline constexpr std::uint16_t k_no_reference_price = 19;
inline constexpr std::uint16_t k_value_exceeds_threshold = 20;
inline constexpr std::uint16_t k_other = 99;
}  // namespace order_reject

/// CxlRejReason(102), as far as it is used.
namespace cancel_reject {
inline constexpr std::uint16_t k_too_late = 0;
inline constexpr std::uint16_t k_unknown_order = 1;
inline constexpr std::uint16_t k_exchange_option = 2;
inline constexpr std::uint16_t k_pending = 3;
inline constexpr std::uint16_t k_duplicate = 6;
inline constexpr std::uint16_t k_price_band = 8;  // FIX 5.0 SP2
inline constexpr std::uint16_t k_other = 99;
}  // namespace cancel_reject

using Read = std::expected<void, Refusal>;

/// What every order of a client says where its message says nothing. Throws std::invalid_argument for a default that
/// the venue can never take.
[[nodiscard]] market::NewOrder make_template(const OrderDefaults& defaults);

/// ClOrdID(11) or OrigClOrdID(41), at most k_cl_ord_id_max characters.
[[nodiscard]] Read read_id(const fix::MessageView& view, fix::Tag tag, ClOrdId& id) noexcept;
[[nodiscard]] inline std::expected<ClOrdId, Refusal> read_id(const fix::MessageView& view, fix::Tag tag) noexcept {
  ClOrdId id;
  const Read read = read_id(view, tag, id);
  return read ? std::expected<ClOrdId, Refusal>(id) : std::unexpected(read.error());
}

/// NewOrderSingle(D). `order` holds the client's template and is filled, but for the client order id; `said`, which is
/// empty, with what the message itself says of its parties and its account type.
[[nodiscard]] Read read_new_order(const fix::MessageView& view, const SymbolTable& symbols, market::NewOrder& order,
                                  OrderParties& said) noexcept;

/// OrderCancelRequest(F): that it means the order. What it says of the quantity is not looked at.
[[nodiscard]] Read read_cancel(const fix::MessageView& view, const SymbolTable& symbols, const Order& order) noexcept;

/// Whose an order is, as far as its record does not say it.
struct OwnerOfOrder {
  const OrderParties* said;          ///< what its client said of it; null: nothing
  const market::NewOrder& defaults;  ///< of the client: what holds for the rest
};

/// OrderCancelReplaceRequest(G): `terms` and `account` become what the order shall be; what the message does not say
/// stays as the order has it. A new account stays empty where the message has none. What the venue's change has no
/// field for may be repeated, not changed.
[[nodiscard]] Read read_replace(const fix::MessageView& view, const SymbolTable& symbols, const Order& order,
                                const OwnerOfOrder& owner, market::OrderTerms& terms, Text<10>& account) noexcept;

}  // namespace dojima::gateway
