#pragma once

// One client of a gateway: its FIX session, with the store that it has where there is none on disk, and the way from it
// to the translator. One thread, no allocation after construction.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/flow_control.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/observer.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::gateway {

class ClientLink final : public fix::Handler {
 public:
  /// What all clients of a gateway share; outlives them.
  struct Parts {
    sched::Scheduler& scheduler;
    fix::EarlyBuffers& early;
    const GatewayParts& gateway;
    Translator& translator;
    FlowControl& flow;
  };
  /// The client at place `index` of the configuration. Throws std::invalid_argument for a template that is not there,
  /// std::runtime_error where the stores have no room, std::bad_alloc.
  ClientLink(const Parts& parts, std::uint32_t index, const GatewayConfig& config, const ClientConfig& client);
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;

  [[nodiscard]] fix::Session& session() noexcept { return session_.session(); }
  /// The journal has room again: what was due meanwhile is done.
  void go_on(Time now);

  // fix::Handler
  fix::LogonDecision on_logon_request(fix::Session& session, const fix::MessageView& logon, Time now) override;
  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_unblocked(fix::Session&, Time) override { parts_.flow.on_client(index_); }
  void on_reject(fix::Session& session, const fix::MessageView& reject, Time now) override;
  void on_trouble(fix::Session& session, const Error& error) override;

 private:
  [[nodiscard]] fix::MessageStore& store(const GatewayConfig& config, const ClientConfig& client);
  void on_due(Time now);
  [[nodiscard]] Observer* observer() const noexcept { return parts_.gateway.observer; }

  Parts parts_;
  std::uint32_t index_;
  std::unique_ptr<fix::MemoryStore> own_store_;  // where there is none on disk
  fix::ScheduledSession session_;
  sched::TimerOf<&ClientLink::on_due> due_timer_;
  RefusalText refusal_;                                     // of the Logon refused last
  std::optional<CancelOnDisconnect> cancel_on_disconnect_;  // by the Logon in hand
  bool is_due_ = false;                                     // its timer fired while the journal was short of room
};

}  // namespace dojima::gateway
