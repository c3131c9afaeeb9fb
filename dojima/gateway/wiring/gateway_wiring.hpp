#pragma once

// What a gateway is made of and how its parts are joined: FIX sessions behind one acceptor, a link to each venue user,
// drop copies, the translator between them, and the journal below all. One thread, no allocation after start().

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/drop_copy/copy_sessions.hpp"
#include "dojima/gateway/flow_control.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/venue_link.hpp"
#include "dojima/gateway/wiring/client_link.hpp"

namespace dojima::gateway {

class Gateway::Wiring final : public fix::AcceptorObserver, public fix::RoomListener {
 public:
  Wiring(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, const GatewayParts& parts);
  ~Wiring();
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  // As those of Gateway.
  Result<link::Address> start(const link::Address& listen, const link::Address& venue,
                              const std::optional<link::Address>& recovery,
                              const std::optional<VenueAddress>& secondary);
  void release();
  void stop(std::string_view text);
  [[nodiscard]] bool is_idle() const noexcept;
  [[nodiscard]] GatewayConnections connections() const noexcept;

  [[nodiscard]] std::size_t clients() const noexcept { return clients_.size(); }
  /// A client's session by its place in the configuration.
  [[nodiscard]] fix::Session& session(std::size_t client) noexcept { return clients_[place(client)]->session(); }
  /// The place as a number of the translator's.
  [[nodiscard]] std::uint32_t place(std::size_t client) const noexcept {
    DOJIMA_ASSERT(client < clients_.size(), "a client's place is in the configuration", client, clients_.size());
    return static_cast<std::uint32_t>(client);
  }
  /// Whether it is so of all venue users of a client, or of all that there are.
  template <class Is>
  [[nodiscard]] bool is_all_of(std::size_t client, Is is) const {
    return std::ranges::all_of(translator_.users().of(place(client)),
                               [&](std::uint32_t user) { return is(*venues_[user]); });
  }
  template <class Is>
  [[nodiscard]] bool is_all(Is is) const {
    return std::ranges::all_of(venues_, [&](const auto& venue) { return is(*venue); });
  }
  [[nodiscard]] Translator& translator() noexcept { return translator_; }
  [[nodiscard]] Time now() const noexcept { return scheduler_.now(); }
  [[nodiscard]] bool is_short_of_room() const noexcept { return flow_.is_short_of_room(); }

  // fix::RoomListener, fix::AcceptorObserver
  void on_room(bool is_short) override;
  void on_refused(const fix::RefusedConnection& refused, Time now) override;

 private:
  void add_clients(const GatewayConfig& config);
  void add_venues(const GatewayConfig& config);
  void follow_stores(const GatewayConfig& config);
  void begin_journal();
  void restore(const SavedState& saved, const GatewayConfig& config);

  link::Fabric& fabric_;
  sched::Scheduler& scheduler_;
  fix::EarlyBuffers early_;
  const GatewayParts parts_;
  Translator translator_;
  Pool<HeldReport> held_;
  FlowControl flow_;
  bool waits_for_disk_ = false;
  std::vector<std::unique_ptr<ClientLink>> clients_;
  std::vector<std::unique_ptr<VenueLink>> venues_;  // by user
  std::vector<VenueConfig> venue_configs_;          // by place
  CopySessions copies_;
  fix::SessionAcceptor acceptor_;  // forgets the sessions before they go
};

}  // namespace dojima::gateway
