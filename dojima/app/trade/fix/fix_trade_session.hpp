#pragma once

// A terminal client's session with a FIX gateway, in any of the versions: connected by an Initiator, requests written
// as fix_request.hpp makes them, answers read as fix_report.hpp does.

#include <map>
#include <memory>
#include <string>

#include "dojima/app/trade/trade_options.hpp"
#include "dojima/app/trade/trade_session.hpp"
#include "dojima/fix/initiator.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/net/tls_fabric.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::app {

class FixTradeSession final : public TradeSession, public fix::Handler, public fix::InitiatorObserver {
 public:
  static constexpr std::size_t k_connections = 4;
  /// Scheduler entries: three of the session, the initiator's, TLS.
  [[nodiscard]] static std::size_t timers();

  /// Throws std::invalid_argument, std::runtime_error (certificates that cannot be used, with the reason),
  /// std::bad_alloc. All outlive the session.
  FixTradeSession(sched::Scheduler& scheduler, link::Fabric& fabric, const TradeOptions& options,
                  TradeSessionHandler& handler);

  // TradeSession
  void start(Time now) override { initiator_.start(now); }
  void stop() override { initiator_.stop("bye"); }
  [[nodiscard]] bool is_connected() const override { return session_.is_connected(); }
  Understood<void> send(const TradeRequest& request) override;
  [[nodiscard]] const char* peer_name() const override { return "gateway"; }

  // fix::Handler
  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_reject(fix::Session& session, const fix::MessageView& reject, Time now) override;
  void on_closed(fix::Session& session, link::CloseReason reason, Time now) override;
  void on_trouble(fix::Session& session, const Error& error) override;

  // fix::InitiatorObserver
  void on_attempt(const fix::Attempt& attempt, Time now) override;
  void on_failure(const fix::Attempt& attempt, fix::AttemptFailure failure, link::CloseReason reason,
                  Time now) override;
  void on_gave_up(unsigned attempts, Time now) override;

 private:
  [[nodiscard]] std::string id_of(const fix::MessageView& message) const;

  const TradeOptions& options_;
  TradeSessionHandler& handler_;
  std::unique_ptr<net::TlsFabric> secure_;  // on the fabric; null: without TLS
  fix::Session session_;
  fix::Initiator initiator_;
  std::map<std::uint64_t, std::string> ids_by_sequence_;       // a Reject names a message by its number only
  std::map<std::string, std::string, std::less<>> questions_;  // FIX 4.2: of an order's status, by the order's id
  bool was_logged_on_ = false;
};

}  // namespace dojima::app
