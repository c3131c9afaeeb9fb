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
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/chain_queue.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_reports.hpp"
#include "dojima/gateway/translator/mass_cancel_answers.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/order_lifecycle.hpp"
#include "dojima/gateway/translator/quotes/quote_answers.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"
#include "dojima/gateway/translator/request_probe.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/venue_report.hpp"
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

  /// Throws std::bad_alloc.
  explicit ExchangeToClient(const Parts& parts);

  /// How a report came.
  enum class Channel : std::uint8_t {
    live,      ///< over the session, now
    held,      ///< over the session, while a recovery was under way
    recovery,  ///< over the recovery channel
  };
  /// A report to the venue user, as its session delivers it; `code` as on the wire. Whether it answers a new order, a
  /// replace or a cancel: quotes and mass cancels have several answers, and what the venue does by itself is none. One
  /// of which nothing is known is taken for an answer if it can be one.
  bool on_report(std::uint32_t user, const market::OwnerReport& report, std::int32_t code, Channel channel);
  /// A request refused in front of the venue.
  void on_reject(std::uint32_t user, const mit::Reject& reject, Time now);
  /// The user's session is over and nothing will recover what it misses. O(requests of its clients), as the next two.
  void on_session_end(std::uint32_t user);
  /// All that the venue has said to the user so far has come: requests that it has not answered it does not have. They
  /// are answered for it. False: the journal is short of room; the rest are by the next call.
  [[nodiscard]] bool settle(std::uint32_t user, Time now);
  /// Another venue answers, or the same one without what it had: the user's open orders are lost, which is reported to
  /// their clients. False: as settle().
  [[nodiscard]] bool lose_orders(std::uint32_t user, Time now);
  /// Busts of the user that wait for the fill that would make corrections of them, and did not come over the session at
  /// hand: none will come, so they are reported as what they are. False: the journal is short of room; the rest are by
  /// the next call, or as soon as more comes from the venue.
  [[nodiscard]] bool release_busts(std::uint32_t user);
  /// They are not reported: a venue that was taken for another one says them again, or has lost them.
  void forget_busts(std::uint32_t user) noexcept;
  /// The request, which the venue has never been sent, is answered for it: a new order is rejected, a change refused.
  void refuse_unsent(std::uint64_t number, std::string_view text, Time now);
  /// The change, which has never left and is in no queue any more, is refused: with 102=0 where its order is closed.
  void refuse_chained(std::uint64_t number, std::uint16_t reason, std::string_view text, Time now);
  /// The order of this cancel has never been sent to the venue: it is cancelled here.
  void cancel_unsent(Request& cancel, Time now);

 private:
  [[nodiscard]] bool apply_without_request(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  void process_execution(VenueReport& venue_report, std::int32_t code);
  [[gnu::noinline]] void process_end(VenueReport& venue_report, std::int32_t code);
  void apply_to_request(Request& request, const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool apply_to_order(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool is_late_fill_of(const Order& order, const market::OwnerReport& report) const noexcept;
  [[nodiscard, gnu::noinline]] bool apply_around_busts(std::uint32_t user, const market::OwnerReport& report,
                                                       Channel channel);
  [[nodiscard]] bool begin_correction(std::uint32_t user, const market::OwnerReport& bust, Channel channel) noexcept;
  void end_correction(const HeldBust& begun, const market::OwnerReport& fill);
  void apply_bust(const HeldBust& bust);
  [[nodiscard]] bool apply_execution(Request& request, const market::OwnerReport& report);
  [[nodiscard]] bool is_of_forgotten_cancel(const Request* request, const market::OwnerReport& report,
                                            std::optional<std::uint64_t> number, Channel channel) const noexcept;
  [[nodiscard]] Request* find_request(std::uint32_t user, const Text<20>& venue_id, market::Side side);
  [[nodiscard]] bool apply_quote_refusal(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool refuse_quote(std::uint32_t user, std::optional<std::uint64_t> number, std::uint16_t reason,
                                  std::string_view text, Time now, const VenueReject* reject);
  void refuse_side(Request& request, std::uint16_t reason, std::string_view text, Time now, const VenueReject* reject);
  void collect(std::uint32_t user);
  [[nodiscard]] bool answer_unanswered(std::uint32_t user, std::string_view text, Time now, bool is_counted);
  void check_sequence(std::uint32_t user, const market::OwnerReport& report) const;
  void answer_for_venue(Request& request, std::string_view text, Time now);
  void process(const VenueReport& venue_report, market::OwnerReportKind event);
  void go_on_behind(std::uint32_t slot, std::uint32_t client, Time now);

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
  OrderLimits& limits_;
  const VenueUsers& users_;
  ChainQueue& chain_;
  OrderLifecycle lifecycle_;
  ClientReports reports_;
  QuoteAnswers quote_answers_;
  MassCancelAnswers mass_answers_;
  std::vector<std::uint32_t> slots_;  // of the requests of the user in hand
};

}  // namespace dojima::gateway
