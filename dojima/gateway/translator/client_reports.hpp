#pragma once

// Sends clients the venue's reports on single orders, and ends the requests that these answer. Which message is sent,
// and what becomes of the order, the transition table decides (dojima/gateway/exchange_to_client_machine.hpp). O(1), no
// allocation, one thread.

#include <string_view>

#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/order_lifecycle.hpp"
#include "dojima/gateway/translator/venue_report.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {

class ClientReports {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    OrderLifecycle& lifecycle;
    const VenueUsers& users;
  };
  explicit ClientReports(const Parts& parts) : parts_(parts) {}

  /// ExecutionReport(8) of what the venue did, with this ExecType(150). A cancel that it answers is over.
  void report(const VenueReport& venue_report, char exec_type);
  /// ExecutionReport(8): the new order, which is answered, was rejected. Here and in reject_change() a client that
  /// wants the venue's rejects gets FIX's own in its place (reject_writer.hpp), where the venue has said it by one.
  void reject_order(const VenueReport& venue_report);
  /// OrderCancelReject(9); the request is over. `is_closed`: and so is its order. Of a side of a quote nothing is sent:
  /// the quote is reported as a whole.
  void reject_change(const VenueReport& venue_report, bool is_closed);
  /// BusinessMessageReject(j) of the request, which is answered: the venue, or a part of it, is closed for now.
  void report_suspended(const VenueReport& venue_report);
  /// ExecutionReport(8): the order went with its venue.
  void report_lost(const VenueReport& venue_report);

 private:
  [[nodiscard]] bool is_sent_as_reject(const VenueReport& venue_report) const noexcept;
  void send_reject(const VenueReport& venue_report);
  [[gnu::noinline]] void report_of_stale(const VenueReport& venue_report, char exec_type);
  void report_with(const VenueReport& venue_report, char exec_type, std::string_view text);

  Parts parts_;
};

}  // namespace dojima::gateway
