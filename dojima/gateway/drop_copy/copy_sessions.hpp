#pragma once

// The sessions of a gateway's drop copies, with the stores that they have where there are none on disk, and what keeps
// them following the clients (drop_copies.hpp). Made at the start; one thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/drop_copy/drop_copies.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::gateway {

class CopySessions {
 public:
  /// What they are made of; all of it outlives them.
  struct Parts {
    sched::Scheduler& scheduler;
    fix::EarlyBuffers& early;
    const GatewayParts& gateway;
    fix::SessionAcceptor& acceptor;
  };
  /// `counters` outlive this.
  CopySessions(GatewayCounters& counters, const GatewayParts& gateway);

  /// All that the configuration names, which follow clients that were attached. Throws what a ClientLink throws.
  void add(const GatewayConfig& config, const Parts& parts);
  [[nodiscard]] DropCopies& copies() noexcept { return copies_; }
  /// Those that are connected. O(copies).
  [[nodiscard]] std::size_t connected() const noexcept;
  /// Says Logout to all.
  void log_out(std::string_view text);

 private:
  void add_one(const GatewayConfig& config, const DropCopyConfig& copy, const Parts& parts);
  [[nodiscard]] fix::MessageStore& store(const GatewayConfig& config, const ClientConfig& identity,
                                         const GatewayParts& gateway, std::size_t followed);

  std::vector<std::unique_ptr<fix::MemoryStore>> stores_;  // where there are none on disk
  std::vector<std::unique_ptr<DropCopy>> sessions_;
  DropCopies copies_;
};

}  // namespace dojima::gateway
