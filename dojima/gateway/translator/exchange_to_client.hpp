#pragma once

// From the exchange to the clients: each report of the venue is held against the request that it names and its order,
// changes their records (order_lifecycle.hpp), and becomes a message to the client. Which message is decided by a
// transition table over the order's state (dojima/gateway/exchange_to_client_machine.hpp). Deterministic, O(1) per
// report, one thread, no allocation.

#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/chain_queue.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/order_lifecycle.hpp"
#include "dojima/gateway/translator/quote_orders.hpp"
#include "dojima/gateway/translator/request_probe.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class ExchangeToClient {
 public:
  /// The transition table (exchange_to_client_machine.hpp).
  struct Machine;

  /// What it works on, shared with the other direction; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    const RequestProbe& probe;
    GatewayCounters& counters;
    StateJournal& journal;
    const MassCancels& mass_cancels;
    OrderLimits& limits;
    std::vector<ClientState>& states;
    const VenueUsers& users;
    const OrderCancels& order_cancels;
    ChainQueue& chain;
    QuoteOrders& quotes;
  };

  explicit ExchangeToClient(const Parts& parts)
      : records_(parts.records),
        channels_(parts.channels),
        probe_(parts.probe),
        counters_(parts.counters),
        journal_(parts.journal),
        mass_cancels_(parts.mass_cancels),
        limits_(parts.limits),
        states_(parts.states),
        users_(parts.users),
        order_cancels_(parts.order_cancels),
        chain_(parts.chain),
        quotes_(parts.quotes),
        lifecycle_(parts.records, parts.counters) {
    slots_.reserve(parts.records.request_capacity());
  }

  /// How a report came.
  enum class Channel : std::uint8_t {
    live,      ///< over the session, now
    held,      ///< over the session, while a recovery was under way
    recovery,  ///< over the recovery channel
  };
  /// A report to the venue user, as its session delivers it; `code` as it stands on the wire. Whether it answers a new
  /// order, a replace or a cancel: quotes and mass cancels have several answers, and what the venue does by itself is
  /// none. One of which nothing is known is taken for an answer if it can be one.
  bool on_report(std::uint32_t user, const market::OwnerReport& report, std::int32_t code, Channel channel);
  /// A request refused in front of the venue.
  void on_reject(std::uint32_t user, const mit::Reject& reject, Time now);
  /// The user's session is over and nothing will recover what it misses. O(requests of its clients), as the next two.
  void on_session_end(std::uint32_t user);
  /// All that the venue has said to the user so far has come: requests that it has not answered it does not have. They
  /// are answered for it. False: the journal is short of room; the rest are by the next call.
  [[nodiscard]] bool settle(std::uint32_t user, Time now);
  /// Another venue answers, or the same one without what it had: the user's open orders are lost, and their clients are
  /// told so. False: as settle().
  [[nodiscard]] bool lose_orders(std::uint32_t user, Time now);
  /// The request, which the venue has never been sent, is answered for it: a new order is rejected, a change refused.
  void refuse_unsent(std::uint64_t number, std::string_view text, Time now);
  /// The change, which has never left and is in no queue any more, is refused: with 102=0 where its order is closed.
  void refuse_chained(std::uint64_t number, std::uint16_t reason, std::string_view text, Time now);
  /// The order of this cancel has never been sent to the venue: it is cancelled here.
  void cancel_unsent(Request& cancel, Time now);

 private:
  /// The report in hand; rows take the part that they need.
  struct VenueReport {
    Request& request;
    const market::OwnerReport& report;
    std::uint16_t order_reason = 0;   // OrdRejReason(103) of a refusal
    std::uint16_t change_reason = 0;  // CxlRejReason(102) of a refusal
    std::string_view text{};
    bool is_venue_suspended = false;          // of a refusal: the venue or a part of it is closed for now
    bool is_change_answered = false;          // of an execution: it answers a cancel or replace
    std::string_view orig_cl_ord_id{};        // then: OrigClOrdID(41) of that
    const MassCancelRequest* mass = nullptr;  // that ended the order
  };

  /// What may be told of a quote when a report has answered one side of it; side none: nothing.
  struct QuoteAnswer {
    std::uint64_t other = 0;  // number of the other side's request
    ClOrdId id;
    std::uint32_t client = 0;
    std::uint32_t instrument = 0;
    QuoteSide side = QuoteSide::none;
    bool wants_status = false;
  };

  [[nodiscard]] static bool is_refusal(market::OwnerReportKind kind) noexcept {
    return kind == market::OwnerReportKind::rejected || kind == market::OwnerReportKind::request_rejected ||
           kind == market::OwnerReportKind::business_rejected;
  }
  [[nodiscard]] bool apply_without_request(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  void apply_to_request(Request& request, const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool can_answer_one(std::uint32_t user, const market::OwnerReport& report) const noexcept;
  [[nodiscard]] bool apply_to_order(std::uint32_t user, const market::OwnerReport& report, const OrderCancel* one,
                                    const MassCancelRequest* mass);
  [[nodiscard]] const MassCancelRequest* find_mass(std::optional<std::uint64_t> number,
                                                   const OrderCancel* one) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> order_of(const OrderCancel& one, std::uint32_t user) const noexcept;
  void report_mass_cancel(const MassCancelRequest& mass, const market::OwnerReport& report, std::int32_t code);
  void reject_one_of_many(const MassCancelRequest& mass, std::optional<std::uint32_t> slot, market::Reason reason,
                          std::string_view text, Time now);
  [[nodiscard]] bool refuse_order_cancel(std::uint32_t user, const Text<20>& venue_id, market::Reason reason,
                                         std::string_view text, Time now);
  [[nodiscard]] bool apply_own_mass_cancel(std::uint32_t user, const market::OwnerReport& report);
  [[nodiscard]] std::optional<std::uint32_t> owner_of_mass_cancel(std::uint32_t user,
                                                                  const Text<20>& venue_id) const noexcept;
  void note_own_refusal(std::uint32_t client);
  [[nodiscard]] std::string_view cause_text(const Order& order, const Text<20>& venue_id) const noexcept;
  [[nodiscard]] bool is_repeated_bust(std::uint32_t user, const market::OwnerReport& report) const noexcept;
  [[nodiscard]] bool apply_execution(Request& request, const market::OwnerReport& report);
  [[nodiscard]] bool is_of_forgotten_cancel(const Request* request, const market::OwnerReport& report,
                                            std::optional<std::uint64_t> number, Channel channel) const noexcept;
  [[nodiscard]] Request* find_request(std::uint32_t user, const Text<20>& venue_id, market::Side side);
  [[nodiscard]] Request* request_of_side(std::uint64_t number, market::Side side) noexcept;
  [[nodiscard]] QuoteAnswer quote_answer_of(const Request& request) const noexcept;
  void tell_quote(const QuoteAnswer& answer, bool is_refused, std::string_view text, Time now);
  [[nodiscard]] bool apply_quote_refusal(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool refuse_quote(std::uint32_t user, std::optional<std::uint64_t> number, std::uint16_t reason,
                                  std::string_view text, Time now);
  void refuse_side(Request& request, std::uint16_t reason, std::string_view text, Time now);
  void follow_new_side(Request& request, const market::OwnerReport& report);
  void report_quote_cancel(const MassCancelRequest& mass, const market::OwnerReport& report, std::string_view text);
  void collect(std::uint32_t user);
  [[nodiscard]] bool answer_unanswered(std::uint32_t user, std::string_view text, Time now, bool is_counted);
  void check_sequence(std::uint32_t user, const market::OwnerReport& report) const;
  void answer_for_venue(Request& request, std::string_view text, Time now);
  void process(const VenueReport& venue_report, market::OwnerReportKind event);
  void go_on_behind(std::uint32_t slot, std::uint32_t client, Time now);
  void send_report(const VenueReport& venue_report, char exec_type);
  void send_cancel_reject(const VenueReport& venue_report, bool is_closed);
  void send_venue_suspended(const VenueReport& venue_report);

  // Actions of the table's rows.
  void report(const VenueReport& venue_report);
  void report_parked(const VenueReport& venue_report);
  void report_closed(const VenueReport& venue_report);
  void reject_order(const VenueReport& venue_report);
  void reject_order_unavailable(const VenueReport& venue_report);
  void reject_change(const VenueReport& venue_report);
  void reject_change_unavailable(const VenueReport& venue_report);
  void reject_late_change(const VenueReport& venue_report);
  void reject_late_change_unavailable(const VenueReport& venue_report);
  void lose_order(const VenueReport& venue_report);
  void report_lost(const VenueReport& venue_report);

  // Guards of the table's rows.
  [[nodiscard]] bool is_parked(const VenueReport& venue_report) const noexcept;
  [[nodiscard]] bool is_filled(const VenueReport& venue_report) const noexcept;
  [[nodiscard]] bool is_new_order(const VenueReport& venue_report) const noexcept;
  [[nodiscard]] bool is_venue_suspended(const VenueReport& venue_report) const noexcept;
  [[nodiscard]] bool is_new_order_unavailable(const VenueReport& venue_report) const noexcept;
  [[nodiscard]] bool is_order_gone(const VenueReport& venue_report) const noexcept;

  Records& records_;
  ClientChannels& channels_;
  const RequestProbe& probe_;
  GatewayCounters& counters_;
  StateJournal& journal_;
  const MassCancels& mass_cancels_;
  OrderLimits& limits_;
  std::vector<ClientState>& states_;
  const VenueUsers& users_;
  const OrderCancels& order_cancels_;
  ChainQueue& chain_;
  QuoteOrders& quotes_;
  OrderLifecycle lifecycle_;
  std::vector<std::uint32_t> slots_;  // of the requests of the user in hand
};

}  // namespace dojima::gateway
