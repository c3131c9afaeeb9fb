#pragma once

// What becomes of the requests and orders of a venue user when its session with the venue begins, ends, and is
// recovered. What this leads to without anybody having asked for it waits while the journal is short of room: then
// go_on() is to be called when it has some. O(requests of the user's clients), no allocation after construction, one
// thread.

#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/cancel_all.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"
#include "dojima/gateway/venue_progress.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class VenueSessions {
 public:
  /// All outlive this.
  struct Parts {
    ExchangeToClient& exchange_to_client;
    ClientChannels& channels;
    StateJournal& journal;
    GatewayCounters& counters;
    Records& records;
    WaitingRequests& waiting;
    OrderCancels& order_cancels;
    CancelAll& cancel_all;
    const VenueUsers& users;
  };
  /// Takes all memory. Throws std::bad_alloc.
  explicit VenueSessions(const Parts& parts)
      : parts_(parts), has_ended_(parts.users.size()), is_unrecovered_(parts.users.size()) {}

  /// The user's session is over: what waited for a client's rate will not leave, and is refused.
  void on_down(std::uint32_t user, Time now);
  /// Requests may leave, and all that came meanwhile has been delivered.
  void on_ready(std::uint32_t user, Time now);
  /// The user's session is over, and nothing will recover what it misses: what is unanswered becomes stale.
  /// While on_down() waits for room, so does this, and requests are refused.
  void on_end(std::uint32_t user);
  /// The journal has room again.
  void go_on(Time now);
  /// Whether requests through the user leave now.
  [[nodiscard]] bool takes_requests(std::uint32_t user) const noexcept { return parts_.channels.is_venue_ready(user); }

  /// How far the reports to the user have come.
  [[nodiscard]] const VenueProgress& progress(std::uint32_t user) const noexcept {
    return parts_.journal.progress(user);
  }
  /// Requests are refused while what the user missed is being recovered.
  void begin_recovery(std::uint32_t user) { parts_.channels.set_wait(user, VenueWait::recovery); }
  /// All has come: what the venue turned out not to have is answered for it, and requests may leave again. False: the
  /// journal is short of room; to be called again when it has some.
  [[nodiscard]] bool end_recovery(std::uint32_t user, Time now);
  /// All that the venue had to say before the session at hand has come, or will never: busts that wait for more are
  /// reported. False: as end_recovery().
  [[nodiscard]] bool release_busts(std::uint32_t user) { return parts_.exchange_to_client.release_busts(user); }
  /// It could not be had: what is unanswered becomes stale, and requests may leave again.
  void give_up_recovery(std::uint32_t user);
  /// The venue is another one, or has lost what it had sent the user: its orders are lost, and nothing of it has come.
  /// False: as end_recovery(). What has come is forgotten last: a gateway that ends before sees anew that it is
  /// another.
  [[nodiscard]] bool on_other_venue(std::uint32_t user, Time now);
  /// What such a venue may still have of the user's orders and quotes is to be cancelled before its requests leave.
  [[nodiscard]] bool has_leftovers(std::uint32_t user) const noexcept {
    return parts_.journal.leftovers(user) == Leftovers::uncancelled;
  }
  /// Asks the venue to; no request leaves until end_leftovers(). The id under which it answers; none: not now.
  [[nodiscard]] std::optional<Text<20>> cancel_leftovers(std::uint32_t user);
  /// It has.
  void end_leftovers(std::uint32_t user);

 private:
  void end_session(std::uint32_t user);
  void refuse_waiting(std::uint32_t user, Time now);

  Parts parts_;
  // While the journal was short of room:
  std::vector<bool> has_ended_;       // the session of this venue user
  std::vector<bool> is_unrecovered_;  // and nothing will recover what it misses
};

}  // namespace dojima::gateway
