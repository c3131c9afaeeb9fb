#pragma once

// Requests that wait for their client's rate (ClientLimits::rate, RateAction::queue) on their way to the venue, and
// changes that wait for the answer to the one before them (ClientConfig::chain). Their
// records are complete and in the journal; only the command has not left. They leave in their order, as the rate lets
// them, or are answered for the venue that never saw them. O(1) per request that leaves, and O(changes that wait of the
// client), no allocation, one thread.

#include <cstdint>
#include <string_view>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/limits/request_queue.hpp"
#include "dojima/gateway/messages/uncarried_text.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class WaitingRequests {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    GatewayCounters& counters;
    OrderLimits& limits;
    ExchangeToClient& answers;
    StateJournal& journal;
    ChainQueue& chain;
  };

  /// Room for so many requests of so many clients. Throws std::bad_alloc.
  WaitingRequests(const Parts& parts, std::size_t clients, std::size_t capacity)
      : parts_(parts), queue_(clients, capacity) {}

  [[nodiscard]] std::uint32_t size(std::uint32_t client) const noexcept { return queue_.size(client); }
  [[nodiscard]] bool is_full() const noexcept { return queue_.is_full(); }
  [[nodiscard]] bool has(std::uint32_t client, std::uint64_t number) const noexcept {
    return queue_.has(client, number);
  }

  /// There is room for it.
  void push(std::uint32_t client, std::uint64_t number, const RequestQueue::Command& command);
  /// What an earlier life let wait for an answer is refused: it never left.
  void begin(std::uint32_t client, Time now);
  /// What the rate allows leaves, and what follows a change that was answered.
  void release(std::uint32_t client, Time now);
  /// All of the client that wait are answered, with this text; only those of `instrument` where it is not 0.
  void refuse_all(std::uint32_t client, std::string_view text, Time now, std::uint32_t instrument = 0);
  /// Likewise those that were to go through this venue user.
  void refuse_user(std::uint32_t client, std::uint32_t user, std::string_view text, Time now);
  /// The replace of the order that waits, if one does, is answered with this text. True: one did.
  bool refuse_replace(std::uint32_t order, std::string_view text, Time now);
  /// The request, which waits, is forgotten: its answer is the caller's business.
  void forget(std::uint32_t client, std::uint64_t number) { queue_.remove(client, number); }

 private:
  void release_chain(std::uint32_t client, Time now);
  void send_chained(std::uint64_t number, Time now);
  template <class Command>
  [[nodiscard]] bool send(std::uint32_t user, const Command& command, UncarriedText& why);
  [[nodiscard]] bool send_change(const Request& request, UncarriedText& why);
  template <class IsMeant>
  void refuse_if(std::uint32_t client, std::string_view text, Time now, IsMeant is_meant);
  [[nodiscard]] const Request& request_of(std::uint64_t number) const noexcept;
  void wake(std::uint32_t client);

  Parts parts_;
  RequestQueue queue_;
};

}  // namespace dojima::gateway
