#pragma once

// What the venue's reports mean for quotes: which of the two requests under one number a report is about, and the
// report to the client on the quote as a whole. O(1), no allocation, one thread.

#include <cstdint>
#include <string_view>

#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/reject_writer.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_lifecycle.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

class QuoteAnswers {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    OrderLifecycle& lifecycle;
    OrderLimits& limits;
    QuoteOrders& quotes;
  };
  /// What may be reported of a quote when a report has answered one side of it; side none: nothing.
  struct Answer {
    std::uint64_t other = 0;  ///< number of the other side's request
    ClOrdId id;
    std::uint64_t client_sequence = 0;
    std::uint32_t client = 0;
    std::uint32_t instrument = 0;
    QuoteSide side = QuoteSide::none;
    bool wants_status = false;
  };
  explicit QuoteAnswers(const Parts& parts) : parts_(parts) {}

  /// Before the report changes the request.
  [[nodiscard]] Answer answer_of(const Request& request) const noexcept;
  /// One side has been answered. When the other one has been, too, the quote as a whole may be reported to the client.
  /// `reject`: the venue's, where it has refused the quote by one; a client that wants these gets FIX's own.
  void report(const Answer& answer, bool is_refused, std::string_view text, time::Time now,
              const VenueReject* reject = nullptr);
  /// The order that a quote meant to change may have been over at the venue, which has entered another one.
  void follow_new_side(Request& request, const market::OwnerReport& report);

 private:
  void send_reject(const Answer& answer, std::string_view text, const VenueReject& reject);

  Parts parts_;
};

/// The request that a number at the venue means, which knows both sides of a quote by that of the bid; null: none.
[[nodiscard]] Request* request_of_side(Records& records, std::uint64_t number, market::Side side) noexcept;
/// What the venue says of a mass cancel of quotes, once for each of its partitions.
void report_quote_cancel(ClientChannels& channels, const MassCancelRequest& mass, bool is_refused,
                         std::string_view text, time::Time now);

}  // namespace dojima::gateway
