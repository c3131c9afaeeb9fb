#pragma once

// What a gateway counted since it was made. Plain numbers, for a screen, a test or a log.

#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::gateway {

/// What a gateway refuses requests for.
enum class RefusedFor : std::uint8_t {
  other,  ///< no room, no venue, a field that says nothing
  kill_switch,
  drained,
  rate,
  limit,  ///< any other of the client's
  unknown_symbol,
  unknown_order,  ///< or quote
  duplicate,
  too_late,  ///< the order is closed
  pending,   ///< another change of it is not answered
  not_supported,
  quantity,
  malformed,     ///< by Reject(3)
  not_possible,  ///< by BusinessMessageReject(j)
  sent_before,   ///< a possible resend of an order that is known
};
inline constexpr std::size_t k_refused_for = 15;
static_assert(static_cast<std::size_t>(RefusedFor::sent_before) + 1 == k_refused_for);

struct GatewayCounters {
  std::uint64_t requests = 0;         ///< D, F, G and q delivered by clients
  std::uint64_t sent = 0;             ///< of these, handed to the venue
  std::uint64_t refused = 0;          ///< of these, refused by the gateway itself
  std::uint64_t limited = 0;          ///< of these, because of a limit of the client
  std::uint64_t waited = 0;           ///< sent, or answered after all, only after they waited for the client's rate
  std::uint64_t chained = 0;          ///< sent, or answered after all, only after the change before them was answered
  std::uint64_t rate_logouts = 0;     ///< sessions that ended because their client was above its rate
  std::uint64_t cancels_all = 0;      ///< mass cancels of the gateway's own: clients that went, kill switches
  std::uint64_t cancels_refused = 0;  ///< that the venue refused, or orders of them; they are sent again
  std::uint64_t status_requests = 0;  ///< H and AF, answered from the records
  std::uint64_t unknown_trades = 0;   ///< DontKnowTrade: a client does not know a fill that it was sent
  std::uint64_t unsupported = 0;      ///< other application messages, answered with BusinessMessageReject
  std::uint64_t answers = 0;          ///< requests that the venue answered
  std::uint64_t reports = 0;          ///< messages of the venue that concern an order
  std::uint64_t executions = 0;       ///< of these, fills
  std::uint64_t restatements = 0;     ///< of these, orders that the venue changed by itself
  std::uint64_t busts = 0;            ///< of these, executions that the venue took back
  std::uint64_t corrections = 0;      ///< executions that the venue gave another price, of two reports each
  std::uint64_t strays = 0;           ///< of these, of no request of ours: dropped
  std::uint64_t stale = 0;            ///< requests that were unanswered when their venue session ended
  std::uint64_t stale_answered = 0;   ///< of these, answered after all
  std::uint64_t stale_abandoned = 0;  ///< of these, closed with their order and never answered
  std::uint64_t missed_lots = 0;      ///< lots that the venue executed without a report that reached us
  std::uint64_t journal_waits = 0;    ///< times that nobody was read until the journal had room again
  std::uint64_t unwritten = 0;        ///< changes that the journal had no room for when they were made
  std::uint64_t recovered = 0;        ///< reports that came over the recovery channel
  std::uint64_t unavailable = 0;      ///< times that a venue said that a partition is not available
  std::uint64_t recovery_waits = 0;   ///< times that it said that one cannot be recovered now
  std::uint64_t settled = 0;          ///< requests that the venue turned out not to have, answered for it
  std::uint64_t lost_orders = 0;      ///< open orders that a venue no longer had
  std::uint64_t undelivered = 0;      ///< messages to clients that their session could not take
  std::uint64_t copied = 0;           ///< executions that drop copies were sent, each once for each of them
  std::uint64_t uncopied = 0;         ///< of them, those that a drop copy's session could not take
  std::uint64_t venue_sessions = 0;   ///< logons of venue users
  std::uint64_t venue_attempts = 0;   ///< connections tried
  std::array<std::uint64_t, k_refused_for> refused_for{};  ///< `refused`, by RefusedFor

  void count_refusal(RefusedFor why) noexcept {
    ++refused;
    ++refused_for[static_cast<std::size_t>(why)];
  }
};

}  // namespace dojima::gateway
