#pragma once

// What the venue's reports change in the records: quantities and terms of orders, the one answer of each request, the
// end of orders and requests, and what a lost venue session leaves behind. Sends nothing. An order's state
// is the transition table's business (dojima/gateway/exchange_to_client_machine.hpp), all else of a record is here.
// O(1) for each report, O(request capacity) for the end of a session, no allocation, one thread.

#include <cstdint>
#include <span>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

class OrderLifecycle {
 public:
  /// Both outlive this.
  OrderLifecycle(Records& records, GatewayCounters& counters) : records_(records), counters_(counters) {}

  /// Accepted, suspended, traded, cancelled, replaced, restated, expired, a trade taken back: the order's record
  /// becomes what the venue says, but for its state. The report is plausible (report_check.hpp). True: it answers a
  /// cancel or replace.
  [[nodiscard]] bool apply_execution(Request& request, const market::OwnerReport& report);
  /// An execution of the order, at the price `before`, has the price that the report says.
  void correct(std::uint32_t slot, market::Price before, const market::OwnerReport& report);
  /// The request has its one answer.
  void answer(Request& request);
  /// A change that was answered is over; the order keeps the ids that it has.
  void close_change(Request& request) { records_.close_request(request); }
  /// A change that was answered with a refusal is over; its id addresses nothing.
  void close_refused_change(Request& request);
  /// A quote without this side would have ended an order that was over by then, of which the venue says nothing: the
  /// request is over. False: it is no such one.
  [[nodiscard]] bool close_idle_cancel(Request& request);
  /// A quote would have changed an order that was over by then: the venue has entered another one, which the request is
  /// about from now on. False: its order is not over.
  [[nodiscard]] bool enter_anew(Request& request);
  /// The order's state is a final one: no request gives it an id any more.
  void close_order(std::uint32_t slot);
  /// A change of a closed order was answered: unless another is pending, the order may be forgotten.
  void settle(std::uint32_t slot);
  /// The session over which these requests went, or would have, is over: what is unanswered becomes stale. Slots; those
  /// that are no longer in use are passed over.
  void end_session(std::span<const std::uint32_t> requests);

 private:
  void adopt_replacement(Request& request);
  void adopt_parties(std::uint32_t slot, const Request& request);
  void count_missed(Order& order, market::Quantity leaves);
  void take_back(Order& order, const market::OwnerReport& report);
  void restate(Order& order, const market::OwnerReport& report);
  static void set_total(Order& order, market::Quantity total);
  void make_stale(Request& request);
  void abandon_stale(Order& order);
  void unlink_stale(Order& order, const Request& request);

  Records& records_;
  GatewayCounters& counters_;
};

}  // namespace dojima::gateway
