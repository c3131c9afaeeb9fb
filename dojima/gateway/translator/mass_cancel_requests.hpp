#pragma once

// OrderMassCancelRequest(q) of clients: carried out by the venue where it is of all orders of a venue user, else order
// by order. O(1) but for the latter (order_cancels.hpp), no allocation, one thread.

#include <cstdint>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/messages/uncarried_text.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/command.hpp"
#include "dojima/mit/client_session.hpp"

namespace dojima::gateway {

class MassCancelRequests {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    const SymbolTable& symbols;
    Records& records;
    ClientChannels& channels;
    GatewayCounters& counters;
    StateJournal& journal;
    MassCancels& mass_cancels;
    WaitingRequests& waiting;
    OrderCancels& order_cancels;
    const VenueUsers& users;
  };
  explicit MassCancelRequests(const Parts& parts) : parts_(parts) {}

  /// Sends it, or refuses it to the client.
  void handle(const ClientMessage& message);

 private:
  [[nodiscard]] Done send(const ClientMessage& message);
  [[nodiscard]] Done check(const ClientMessage& message, const market::MassCancel& command) const;
  void add(const ClientMessage& message, std::uint64_t number, const ClOrdId& id, const Text<4>& segment);
  void send_reject(const ClientMessage& message, const Refusal& refusal);

  Parts parts_;
  UncarriedText uncarried_text_;  // of the newest that its venue's protocol cannot carry
};

/// Hands a mass cancel, of orders or of quotes, to the venue; else why it cannot leave. `uncarried` keeps the words.
[[nodiscard]] Done send_mass_cancel(mit::ClientSession& venue, const market::MassCancel& command,
                                    UncarriedText& uncarried);

}  // namespace dojima::gateway
