#pragma once

// The flow of dojima-bench-venue under every limit that there is, none of which refuses anything.

#include "bench/venue/venue_flow.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "dojima/venue/limit_keys.hpp"

namespace dojima::bench_venue {

/// The account that is limited.
inline Text<10> limited_account() {
  return Text<10>::cut("HOUSE");
}

/// When a command of the flow comes: far enough apart for the largest rate that can be limited.
inline time::Time limited_time(std::size_t number) {
  return k_start + (number + 1) * std::chrono::microseconds{20};
}

/// Every limit there is of each user in all instruments and in one, and of an account, so wide that nothing is refused.
inline void limit_everything(venue::Partition& partition) {
  static constexpr std::int64_t k_wide = 100'000;
  const auto set = [&partition](market::RiskCommand command) {
    const bool is_end = command.kind == market::LimitKind::killed || command.kind == market::LimitKind::stopped ||
                        command.kind == market::LimitKind::cancel_orders;
    if (is_end) return;
    const venue::LimitKey& key = *venue::key_of(command.kind);
    if (key.is_counted && command.of == market::LimitOf::everybody) return;
    command.value = command.kind == market::LimitKind::position_now ? 0 : std::min(key.most, k_wide);
    if (command.kind == market::LimitKind::permitted) command.value = 1;
    if (command.kind == market::LimitKind::order_value || command.kind == market::LimitKind::open_value ||
        command.kind == market::LimitKind::position || command.kind == market::LimitKind::order_quantity)
      command.value = key.most;
    if (command.kind == market::LimitKind::duplicate_ms) command.value = 1;
    if (!partition.complaint(command)) return;  // a position is of one instrument
    if (!partition.submit(command.header, k_start)) throw std::runtime_error("the journal is full");
  };
  for (const venue::LimitKey& key : venue::limit_keys()) {
    for (std::uint32_t instrument = 0; instrument <= k_instruments; ++instrument) {
      market::RiskCommand command{.kind = key.kind};
      command.header.instrument = instrument;
      command.header.user = market::k_no_user;
      set(command);
      command.of = market::LimitOf::account;
      command.account = limited_account();
      set(command);
      command.of = market::LimitOf::user;
      command.account = {};
      for (std::uint16_t user = 0; user < k_users; ++user) {
        command.header.user = user;
        set(command);
      }
    }
  }
}

inline std::uint64_t refusals_by_limits(const venue::Partition& partition) {
  std::uint64_t count = 0;
  for (auto reason = static_cast<std::uint8_t>(market::Reason::killed);
       reason <= static_cast<std::uint8_t>(market::Reason::limits_full); ++reason)
    count += partition.refused(static_cast<market::Reason>(reason));
  return count;
}

}  // namespace dojima::bench_venue
