#pragma once

// Which order a new order, cancel or replace of a client is about, and which venue user it goes through. O(1), no
// allocation, one thread.

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {

class RequestTargets {
 public:
  /// What it looks into; all of it outlives this.
  struct Parts {
    const SymbolTable& symbols;
    const Records& records;
    const ClientChannels& channels;
    const VenueUsers& users;
    const QuoteOrders& quotes;
  };
  explicit RequestTargets(const Parts& parts) : parts_(parts) {}

  /// SenderSubID(50) of a message; empty: it names none, or it is no matter.
  [[nodiscard]] std::string_view read_sub_id(const ClientMessage& message) const;
  /// Reads the message's ids and completes it with what they lead to. Or why they cannot be used.
  [[nodiscard]] std::expected<TargetState, Refusal> find(ClientMessage& message, bool is_new) const;

 private:
  [[nodiscard]] Done read_ids(ClientMessage& message, bool is_new) const;
  [[nodiscard]] Done check_sub_id(const ClientMessage& message) const;
  [[nodiscard]] TargetState find_target(ClientMessage& message, bool is_new) const;
  [[nodiscard]] std::optional<std::uint32_t> user_of_symbol(const ClientMessage& message) const;
  [[nodiscard]] std::optional<std::uint32_t> user_among_several(const ClientMessage& message) const;
  [[nodiscard]] std::optional<std::uint32_t> find_by_order_id(ClientMessage& message) const;
  void find_side(ClientMessage& message) const;

  Parts parts_;
};

}  // namespace dojima::gateway
