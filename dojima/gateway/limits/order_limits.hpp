#pragma once

// Holds the orders of every client against its limits (limit_check.hpp), with what the check has to know: open orders,
// the times of what went to the venue in the last second, recent orders, and reference prices. check() and the counts
// allocate nothing and are O(1); a change of limits allocates, and is O(rate). One thread.
//
//   OrderLimits limits(config, symbols, states);
//   const LimitVerdict verdict = limits.check(client, request, waiting, now);
//   if (!verdict.broken) ... limits.note_order(client, request, now); ... limits.note_sent(client, now);

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/limits/limit_check.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"

namespace dojima::gateway {

class OrderLimits {
 public:
  /// What the rate counts.
  static constexpr std::chrono::seconds k_rate_window{1};

  /// `states` has one for each client, with the limits of the configuration; it and `symbols` outlive this. Throws
  /// std::bad_alloc; std::invalid_argument for limits out of range, a symbol that is not traded, or a reference price
  /// below 0.
  OrderLimits(const GatewayConfig& config, const SymbolTable& symbols, std::vector<ClientState>& states);

  /// From now on these limits hold. Errors: what validate() says; `unknown` for a symbol that is not traded. Nothing
  /// has changed then.
  [[nodiscard]] Result<void> change(std::uint32_t client, const ClientLimits& limits);
  /// The limits of the client's state are other ones now.
  void restore(std::uint32_t client) { follow_limits(client); }

  [[nodiscard]] const ClientLimits& limits(std::uint32_t client) const noexcept { return states_[client].limits; }
  [[nodiscard]] LimitUsage usage(std::uint32_t client, const LimitedRequest& request,
                                 std::uint32_t waiting) const noexcept;
  /// `waiting`: requests of the client that wait for the rate.
  [[nodiscard]] LimitVerdict check(std::uint32_t client, const LimitedRequest& request, std::uint32_t waiting,
                                   Time now) const noexcept {
    const bool is_free = !clients_[client].is_limited && waiting == 0 && !states_[client].is_killed && !is_draining_;
    if (is_free) return {};
    return check_limits(limits(client), usage(client, request, waiting), request, now);
  }
  /// From when on another request of the client is within its rate; Time::min(): at any time.
  [[nodiscard]] Time rate_free(std::uint32_t client) const noexcept;

  /// Whether new orders of all clients are refused.
  void set_draining(bool is_draining) noexcept { is_draining_ = is_draining; }
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }

  /// The client has entered an order, whether it was sent or waits.
  void note_order(std::uint32_t client, const LimitedRequest& request, Time now) noexcept;
  /// Something that the rate counts went to the venue.
  void note_sent(std::uint32_t client, Time now) noexcept;
  void add_open_order(std::uint32_t client) noexcept { ++clients_[client].open_orders; }
  void remove_open_order(std::uint32_t client) noexcept;
  [[nodiscard]] std::uint32_t open_orders(std::uint32_t client) const noexcept { return clients_[client].open_orders; }
  /// Somebody traded: the new reference price of the instrument.
  void note_trade(std::uint32_t instrument, market::Price price) noexcept;
  /// 0: none is known.
  [[nodiscard]] market::Price reference(std::uint32_t instrument) const noexcept;

 private:
  struct Client {
    std::uint32_t open_orders = 0;
    std::vector<Time> sent;  // ring of the last `rate` times
    std::size_t next = 0;    // the oldest of them, once the ring is full
    std::size_t count = 0;
    bool is_limited = false;  // some limit is set
  };
  struct OrderKey {
    std::int64_t price, quantity;
    std::uint32_t client, instrument;
    std::uint64_t side;
  };
  struct Recent {
    OrderKey key;
    Time time;
  };

  [[nodiscard]] static OrderKey key_of(std::uint32_t client, const LimitedRequest& request) noexcept;
  [[nodiscard]] Result<void> validate(const ClientLimits& limits) const noexcept;
  void follow_limits(std::uint32_t client);

  const SymbolTable& symbols_;
  std::vector<ClientState>& states_;
  std::vector<Client> clients_;
  FixedMap<std::uint64_t, market::Price> references_;  // by instrument, as a word: that is hashed fastest
  FixedMap<OrderKey, Time> last_;                      // of each order like it
  std::vector<Recent> recent_;                         // ring, in their order
  std::size_t next_recent_ = 0;
  std::size_t recent_count_ = 0;
  bool is_draining_ = false;
};

}  // namespace dojima::gateway
