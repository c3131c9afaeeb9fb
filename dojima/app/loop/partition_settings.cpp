#include "dojima/app/loop/partition_settings.hpp"

#include "dojima/app/loop/machine_settings.hpp"

namespace dojima::app {

venue::ThreadIdle thread_idle(net::IdlePolicy policy) noexcept {
  if (policy == net::IdlePolicy::spin) return venue::ThreadIdle::spin;
  return policy == net::IdlePolicy::yield ? venue::ThreadIdle::yield : venue::ThreadIdle::sleep;
}

std::expected<void, std::string> start_partition_threads(simulate::Exchange& exchange, const LoopSettings& loop,
                                                         std::size_t first) {
  if (exchange.threads() == nullptr) return {};
  std::string refused;
  exchange.threads()->start([&](std::size_t number) {
    if (const auto applied = apply_to_thread(loop, first + number); !applied && refused.empty())
      refused = applied.error();
  });
  if (!refused.empty()) return std::unexpected(std::move(refused));
  return {};
}

}  // namespace dojima::app
