#include "dojima/gateway/drop_copy/copy_sessions.hpp"

#include <algorithm>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/setup/session_setup.hpp"

namespace dojima::gateway {
namespace {

/// Nobody's requests wait for a drop copy: it lags as far as its store reaches.
[[nodiscard]] fix::SessionConfig copy_session(const GatewayConfig& config, const ClientConfig& identity,
                                              const CopySessions::Parts& parts) {
  fix::SessionConfig session = session_config(config, identity, parts.early, parts.gateway);
  session.stall_timeout = {};
  return session;
}

}  // namespace

CopySessions::CopySessions(GatewayCounters& counters, const GatewayParts& gateway)
    : copies_(counters, gateway.saved == nullptr ? nullptr : gateway.stores) {}

void CopySessions::add(const GatewayConfig& config, const Parts& parts) {
  for (const DropCopyConfig& each : config.drop_copies) add_one(config, each, parts);
}

void CopySessions::add_one(const GatewayConfig& config, const DropCopyConfig& copy, const Parts& parts) {
  const ClientConfig identity = identity_of(copy);
  const std::vector<std::uint32_t> followed = clients_of(config, copy);
  sessions_.push_back(std::make_unique<DropCopy>(
      sessions_.size(), DropCopy::Parts{.scheduler = parts.scheduler,
                                        .session = copy_session(config, identity, parts),
                                        .schedule = schedule_of(config, identity),
                                        .store = store(config, identity, parts.gateway, followed.size()),
                                        .observer = parts.gateway.observer}));
  parts.acceptor.add(sessions_.back()->session());
  const SavedState* const saved = parts.gateway.saved;
  std::vector<CopyPosition> positions;
  for (const std::uint32_t client : followed) {
    positions.push_back(saved != nullptr ? saved->content().position(copy.comp_id, config.clients[client])
                                         : CopyPosition{.copy = copy.comp_id});
    positions.back().client = client;
  }
  copies_.add(*sessions_.back(), positions);
}

/// In memory it has room for what the stores of its clients have room for.
fix::MessageStore& CopySessions::store(const GatewayConfig& config, const ClientConfig& identity,
                                       const GatewayParts& gateway, std::size_t followed) {
  if (gateway.stores != nullptr) return store_of(*gateway.stores, config, identity);
  const std::size_t times = std::max<std::size_t>(followed, 1);
  stores_.push_back(std::make_unique<fix::MemoryStore>(
      fix::StoreCapacity{config.limits.store_messages * times, config.limits.store_bytes * times}));
  return *stores_.back();
}

std::size_t CopySessions::connected() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& copy) { return copy->session().is_connected(); }));
}

void CopySessions::log_out(std::string_view text) {
  for (const auto& session : sessions_) session->session().logout(text);
}

}  // namespace dojima::gateway
