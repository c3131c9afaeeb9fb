#pragma once

// What a live loop does when a turn found nothing to do. `spin` answers fastest and takes a whole core; `yield` gives
// the core away when another thread wants it, which is what to use when loops are more than cores; `block` sleeps in
// the kernel until a socket or a timer is ready, and `ring` does, too, by io_uring: sending, sleeping and receiving are
// one system call then, and it is `block` where the system has none. Results of a run name the policy.

#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/net/asio_fabric.hpp"

namespace dojima::net {

enum class IdlePolicy : std::uint8_t { spin, yield, block, ring };

/// Whether a loop gives its core away until there is something to do.
[[nodiscard]] constexpr bool sleeps(IdlePolicy policy) noexcept {
  return policy == IdlePolicy::block || policy == IdlePolicy::ring;
}

[[nodiscard]] std::string_view name_of(IdlePolicy policy) noexcept;
/// The policy of that name; none for another word.
[[nodiscard]] std::optional<IdlePolicy> idle_policy_of(std::string_view name) noexcept;

/// Called after a turn that was idle. `until` is the loop's next_time(), `now` the time of the turn. For `ring` the
/// fabric was made with FabricOptions::ring.
void rest(IdlePolicy policy, AsioFabric& fabric, Time until, Time now);

}  // namespace dojima::net
