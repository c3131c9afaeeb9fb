#pragma once

// Reports of the venue about mass cancels, of the clients' and of the gateway's own, whether the venue or the gateway
// carries them out: the answer to each as a whole, and which orders the ends belong to. O(1), or O(clients of the
// user), no allocation, one thread.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/messages/reject_writer.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

class MassCancelAnswers {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    const Records& records;
    ClientChannels& channels;
    GatewayCounters& counters;
    StateJournal& journal;
    const MassCancels& mass_cancels;
    const OrderCancels& order_cancels;
    std::vector<ClientState>& states;
    const VenueUsers& users;
  };
  /// What a number at the venue, which no request has, stands for. Both null: nothing that is remembered.
  struct Cause {
    const OrderCancel* one = nullptr;         ///< a cancel of one order, of the gateway's own making
    const MassCancelRequest* mass = nullptr;  ///< the client's mass cancel that it is, or belongs to
  };
  explicit MassCancelAnswers(const Parts& parts) : parts_(parts) {}

  /// A report that belongs to no request. False: it is no answer to a cancel of many, but perhaps the end of an order.
  [[nodiscard]] bool apply(std::uint32_t user, const market::OwnerReport& report, std::int32_t code);
  /// The venue has refused a request by a Reject or BusinessReject. False: it is no cancel of many.
  [[nodiscard]] bool apply_reject(std::uint32_t user, const Text<20>& venue_id, const VenueReject& reject,
                                  std::string_view text, time::Time now);
  [[nodiscard]] Cause find(std::uint32_t user, const Text<20>& venue_id) const noexcept;
  /// The order that the cancel was of; none: another one has its place by now.
  [[nodiscard]] std::optional<std::uint32_t> order_of(const OrderCancel& one, std::uint32_t user) const noexcept;
  /// Why an order of this number's has ended, where the gateway itself has sent it; else empty.
  [[nodiscard]] std::string_view cause_text(const Order& order, const Text<20>& venue_id) const noexcept;
  /// Whether a report without a request can be the one answer to something.
  [[nodiscard]] bool can_answer_one(std::uint32_t user, const Text<20>& venue_id) const noexcept;

 private:
  [[nodiscard]] const MassCancelRequest* find_mass(std::optional<std::uint64_t> number,
                                                   const OrderCancel* one) const noexcept;
  [[nodiscard]] bool refuse_order_cancel(std::uint32_t user, const Text<20>& venue_id, market::Reason reason,
                                         std::string_view text, time::Time now);
  [[nodiscard]] bool apply_own(std::uint32_t user, const market::OwnerReport& report);
  [[nodiscard]] std::optional<std::uint32_t> owner_of(std::uint32_t user, const Text<20>& venue_id) const noexcept;
  void note_refusal(std::uint32_t client);
  void reject_mass_cancel(const MassCancelRequest& mass, const VenueReject& reject, std::string_view text,
                          time::Time now);
  void report_mass_cancel(const MassCancelRequest& mass, const market::OwnerReport& report, std::int32_t code);
  void reject_one_of_many(const MassCancelRequest& mass, std::optional<std::uint32_t> slot, market::Reason reason,
                          std::string_view text, time::Time now);

  Parts parts_;
};

}  // namespace dojima::gateway
