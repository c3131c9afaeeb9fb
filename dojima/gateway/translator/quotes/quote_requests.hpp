#pragma once

// Quotes of clients and their ends: each side of a quote is a separate order here, with its own request, while the
// venue knows both by one number. O(1), no allocation, one thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/messages/uncarried_text.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"
#include "dojima/gateway/translator/request_limits.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

class QuoteRequests {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    const SymbolTable& symbols;
    Records& records;
    ClientChannels& channels;
    GatewayCounters& counters;
    StateJournal& journal;
    MassCancels& mass_cancels;
    OrderLimits& limits;
    RequestLimits& request_limits;
    const VenueUsers& users;
    QuoteOrders& quotes;
    const std::vector<market::NewOrder>& templates;  ///< of the clients' new orders
  };
  explicit QuoteRequests(const Parts& parts) : parts_(parts) {}

  /// Quote(S): sends it, or refuses it to the client.
  void enter(const ClientMessage& message);
  /// QuoteCancel(Z): likewise.
  void cancel(const ClientMessage& message);

 private:
  /// A quote as a whole: the venue user that it goes through, and the client's id of it.
  struct Target {
    std::uint32_t user = 0;
    ClOrdId id;
    OrderParties parties{};  // as far as the quote says for whom it is
  };
  /// One side of it, as it shall be.
  struct Side {
    market::OrderTerms terms;
    std::optional<std::uint32_t> live = {};  // slot of the order that is there
    Request* request = nullptr;              // once it is open
  };

  [[nodiscard]] Done send(const ClientMessage& message);
  [[nodiscard]] Done check_client(const ClientMessage& message) const;
  [[nodiscard]] Done check(const ClientMessage& message, const Target& target, const market::Quote& command,
                           std::span<const Side> sides);
  [[nodiscard]] Done send_sides(const ClientMessage& message, const Target& target, market::Quote& command,
                                std::span<Side> sides);
  [[nodiscard]] bool open_side(const ClientMessage& message, const Target& target, std::uint32_t instrument,
                               std::uint64_t number, Side& side, const Request* bid);
  void undo_sides(std::span<Side> sides);
  void note_sent(const ClientMessage& message, std::uint32_t instrument, std::span<const Side> sides);
  [[nodiscard]] Done send_cancel(const ClientMessage& message);
  void refuse_message(const ClientMessage& message, const Refusal& refusal);

  Parts parts_;
  UncarriedText uncarried_text_;  // of the newest that its venue's protocol cannot carry
};

}  // namespace dojima::gateway
