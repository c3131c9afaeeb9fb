#pragma once

// From the clients to the exchange: each message of a client is read, held against the state of the order that it
// addresses, and becomes a command at the venue or an answer to the client. Which of both is decided by a transition
// table (dojima/gateway/client_to_exchange_machine.hpp). Deterministic, O(1) per message, one thread, no allocation
// after construction.

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/limit_text.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/chain_queue.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/quote_orders.hpp"
#include "dojima/gateway/translator/reference_requests.hpp"
#include "dojima/gateway/translator/request_probe.hpp"
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
  /// State of the order that a message addresses.
  enum class TargetState : std::uint8_t {
    absent,
    id_used,  // a new order's own id is known already
    open,
    change_pending,  // open, and a cancel or replace is not answered
    closed,
    lost,
  };
  /// What becomes of the message in hand.
  struct Outcome {
    TargetState target = TargetState::absent;
    Request* request = nullptr;  // once it was sent
    bool must_wait = false;      // for the client's rate
  };
  /// The message in hand.
  struct ClientMessage {
    std::uint32_t client;
    const fix::MessageView& view;
    Time now;
    Outcome& outcome;
    std::optional<std::uint32_t> user = {};    // the venue user that it goes through; none: the client has none there
    std::uint64_t sequence = 0;                // MsgSeqNum(34) of a request
    std::optional<std::uint64_t> number = {};  // of a request; none: no slot for another
    std::optional<std::uint32_t> order = {};   // slot of the order that it addresses, where there is one
    ClOrdId id = {};
    std::string_view sub_id = {};  // SenderSubID(50), where it says whom the client trades as
    ClOrdId orig = {};
    bool is_venue_up = false;
  };
  using Done = std::expected<void, Refusal>;
  /// A quote as a whole: the venue user that it goes through, and the client's id of it.
  struct QuoteTarget {
    std::uint32_t user = 0;
    ClOrdId id;
  };
  /// One side of it, as it shall be.
  struct QuotedSide {
    market::OrderTerms terms;
    std::optional<std::uint32_t> live = {};  // slot of the order that is there
    Request* request = nullptr;              // once it is open
  };

  void process(ClientMessage& message, fix::MsgType type, bool is_new, bool is_change);
  [[nodiscard]] std::string_view read_sub_id(const ClientMessage& message) const;
  [[nodiscard]] Done check_sub_id(const ClientMessage& message) const;
  void number_request(ClientMessage& message);
  [[nodiscard]] std::optional<std::uint32_t> user_of_symbol(const ClientMessage& message) const;
  [[nodiscard]] bool is_any_ready(std::uint32_t client) const noexcept;
  [[nodiscard]] Done read_ids(ClientMessage& message, bool is_new) const;
  [[nodiscard]] TargetState find_target(ClientMessage& message, bool is_new) const;
  [[nodiscard]] std::optional<std::uint32_t> find_by_order_id(ClientMessage& message) const;
  [[nodiscard]] Done send_new_order(const ClientMessage& message);
  [[nodiscard]] Done send_cancel(const ClientMessage& message);
  [[nodiscard]] Done send_replace(const ClientMessage& message);
  [[nodiscard]] Done send_mass_cancel(const ClientMessage& message);
  [[nodiscard]] Done check_mass_cancel(const ClientMessage& message, const market::MassCancel& command) const;
  [[nodiscard]] Done send_mass_cancel_command(std::uint32_t user, const market::MassCancel& command);
  void add_mass_cancel(const ClientMessage& message, std::uint64_t number, const ClOrdId& id);
  [[nodiscard]] Done check_limits(const ClientMessage& message, const LimitedRequest& request);
  void count_cancel(const ClientMessage& message);
  void end_above_rate(std::uint32_t client);
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
  [[nodiscard]] Done send_quote(const ClientMessage& message);
  [[nodiscard]] Done check_quoting(const ClientMessage& message) const;
  [[nodiscard]] Done check_quote(const ClientMessage& message, const QuoteTarget& target, const market::Quote& command,
                                 std::span<const QuotedSide> sides);
  [[nodiscard]] Done enter_quote(const ClientMessage& message, const QuoteTarget& target, market::Quote& command,
                                 std::span<QuotedSide> sides);
  [[nodiscard]] bool open_side(const ClientMessage& message, const QuoteTarget& target, std::uint32_t instrument,
                               std::uint64_t number, QuotedSide& side, const Request* bid);
  void undo_sides(std::span<QuotedSide> sides);
  void note_quote_sent(const ClientMessage& message, std::uint32_t instrument, std::span<const QuotedSide> sides);
  [[nodiscard]] Done send_quote_cancel(const ClientMessage& message);
  void find_quote_side(ClientMessage& message) const;
  void refuse_quote_message(const ClientMessage& message, const Refusal& refusal);
  void refuse(const ClientMessage& message, const Refusal& refusal);
  void send_order_reject(const ClientMessage& message, const Refusal& refusal);
  void send_cancel_reject(const ClientMessage& message, const Refusal& refusal);
  void send_mass_cancel_reject(const ClientMessage& message, const Refusal& refusal);

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
  GatewayCounters& counters_;
  MassCancels& mass_cancels_;
  OrderLimits& limits_;
  WaitingRequests& waiting_;
  ExchangeToClient& answers_;
  OrderCancels& order_cancels_;
  const VenueUsers& users_;
  ChainQueue& chain_;
  QuoteOrders& quotes_;
  LimitText limit_text_;  // of the refusal in hand
  StatusRequests status_;
  ReferenceRequests reference_;
  StateJournal& journal_;
  std::vector<market::NewOrder> templates_;  // of the clients' new orders
  std::uint64_t next_number_ = 0;            // every number from here on is above all before it
};

}  // namespace dojima::gateway
