#pragma once

// From the clients to the exchange: each message of a client is read, held against the state of the order that it
// addresses, and becomes a command at the venue or an answer to the client. Which of both is decided by a transition
// table (dojima/gateway/client_to_exchange_machine.hpp). Deterministic, O(1) per message, one thread, no allocation
// after construction.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/messages/uncarried_text.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/chain_queue.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/mass_cancel_requests.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"
#include "dojima/gateway/translator/quotes/quote_requests.hpp"
#include "dojima/gateway/translator/reference_requests.hpp"
#include "dojima/gateway/translator/request_limits.hpp"
#include "dojima/gateway/translator/request_probe.hpp"
#include "dojima/gateway/translator/request_refusals.hpp"
#include "dojima/gateway/translator/request_targets.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/status_requests.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/command.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class ClientToExchange {
 public:
  /// The transition table (client_to_exchange_machine.hpp).
  struct Machine;

  /// What it works on, shared with the other direction; all of it outlives this.
  struct Parts {
    const SymbolTable& symbols;
    Records& records;
    ClientChannels& channels;
    const RequestProbe& probe;
    GatewayCounters& counters;
    StateJournal& journal;
    MassCancels& mass_cancels;
    OrderLimits& limits;
    WaitingRequests& waiting;
    ExchangeToClient& answers;
    OrderCancels& order_cancels;
    const VenueUsers& users;
    ChainQueue& chain;
    QuoteOrders& quotes;
  };

  /// Throws std::invalid_argument for a default that no venue takes, std::bad_alloc.
  ClientToExchange(const Parts& parts, std::span<const SymbolConfig> symbols, std::span<const ClientConfig> clients);

  /// An application message of a client, as its session delivers it.
  void on_message(std::uint32_t client, const fix::MessageView& view, Time now);
  /// The journal has room again: answers that were broken off for want of it go on.
  void go_on(Time now) { status_.go_on(now); }

 private:
  void process(ClientMessage& message, fix::MsgType type, bool is_new, bool is_change);
  void number_request(ClientMessage& message);
  [[nodiscard]] Done send_new_order(const ClientMessage& message);
  [[nodiscard]] Done send_cancel(const ClientMessage& message);
  [[nodiscard]] Done send_replace(const ClientMessage& message);
  [[nodiscard]] Done cancel_unsent(const ClientMessage& message);
  void end_waiting_replace(const ClientMessage& message);
  template <class Command>
  [[nodiscard]] Result<void> hand_over(const ClientMessage& message, const Request& request, Command& command);
  [[nodiscard]] Done chain(const ClientMessage& message);
  [[nodiscard]] Done read_chained(const ClientMessage& message, bool is_cancel, market::OrderTerms& terms,
                                  Text<10>& account);
  [[nodiscard]] Order expected(const ClientMessage& message) const noexcept;
  Request& open_change(const ClientMessage& message, RequestKind kind);
  [[nodiscard]] bool has_room_for_change(const ClientMessage& message) const noexcept;
  [[nodiscard]] static Done refuse_full();
  template <class Command>
  [[nodiscard]] Done dispatch(const ClientMessage& message, Request& request, Command& command);

  // Actions of the table's rows.
  void try_new_order(const ClientMessage& message);
  void try_cancel(const ClientMessage& message);
  void try_replace(const ClientMessage& message);
  void count_sent(const ClientMessage& message);
  void count_sent_change(const ClientMessage& message);
  void answer_possible_resend(const ClientMessage& message);
  void refuse_unavailable(const ClientMessage& message);
  void refuse_duplicate_order(const ClientMessage& message);
  void refuse_duplicate_change(const ClientMessage& message);
  void refuse_unknown(const ClientMessage& message);
  void refuse_lost(const ClientMessage& message);
  void refuse_too_late(const ClientMessage& message);
  void refuse_pending(const ClientMessage& message);
  void try_chain(const ClientMessage& message);
  void try_mass_cancel(const ClientMessage& message);
  void try_quote(const ClientMessage& message);
  void try_quote_cancel(const ClientMessage& message);
  void answer_status(const ClientMessage& message);
  void answer_mass_status(const ClientMessage& message);
  void note_unknown_trade(const ClientMessage& message);
  void answer_securities(const ClientMessage& message);
  void answer_definition(const ClientMessage& message);
  void answer_trading_session(const ClientMessage& message);
  void answer_user(const ClientMessage& message);
  void refuse_unsupported(const ClientMessage& message);
  void count_unsupported(const ClientMessage& message);

  // Guards of the table's rows.
  [[nodiscard]] bool is_venue_down(const ClientMessage& message) const noexcept { return !message.is_venue_up; }
  [[nodiscard]] bool may_chain(const ClientMessage& message) const noexcept;
  [[nodiscard]] bool is_possible_resend(const ClientMessage& message) const noexcept;
  [[nodiscard]] bool is_id_known(const ClientMessage& message) const noexcept;

  const SymbolTable& symbols_;
  Records& records_;
  ClientChannels& channels_;
  const RequestProbe& probe_;
  OrderLimits& limits_;
  WaitingRequests& waiting_;
  ExchangeToClient& answers_;
  ChainQueue& chain_;
  GatewayCounters& counters_;
  std::vector<market::NewOrder> templates_;  // of the clients' new orders
  RequestTargets targets_;
  RequestRefusals refusals_;
  RequestLimits request_limits_;
  MassCancelRequests mass_cancels_;
  QuoteRequests quotes_;
  StatusRequests status_;
  ReferenceRequests reference_;
  StateJournal& journal_;
  UncarriedText uncarried_text_;   // of the newest command that its venue's protocol cannot carry
  std::uint64_t next_number_ = 0;  // every number from here on is above all before it
};

}  // namespace dojima::gateway
