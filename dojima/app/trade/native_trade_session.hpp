#pragma once

// A terminal client's session with the venue itself, in MIT203: the same commands as far as the protocol has them. With
// a recovery channel it asks for all that the venue said to this user before, once it is logged on. Instruments are
// numbers, or names that the options give to them.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "dojima/app/station.hpp"
#include "dojima/app/trade/trade_options.hpp"
#include "dojima/app/trade/trade_session.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/recovery_client.hpp"

namespace dojima::app {

class NativeTradeSession final : public TradeSession, public mit::ClientHandler, public mit::RecoveryClientHandler {
 public:
  /// Scheduler entries.
  static constexpr std::size_t k_timers = mit::ClientSession::k_timers + mit::RecoveryClient::k_timers;

  /// `options.native` is there. Throws std::invalid_argument for a user or password that no Logon can carry. Station,
  /// options and handler outlive the session.
  NativeTradeSession(Station& station, const TradeOptions& options, TradeSessionHandler& handler);

  // TradeSession
  void start(Time now) override;
  void stop() override;
  [[nodiscard]] bool is_connected() const override { return session_.is_connected(); }
  Understood<void> send(const TradeRequest& request) override;
  [[nodiscard]] const char* peer_name() const override { return "venue"; }

  // mit::ClientHandler
  void on_logged_on(mit::ClientSession& session, std::int32_t days, Time now) override;
  void on_logon_refused(mit::ClientSession& session, std::int32_t code, Time now) override;
  void on_report(mit::ClientSession& session, const market::OwnerReport& report, std::int32_t code, Time now) override;
  void on_reject(mit::ClientSession& session, const mit::Reject& reject, Time now) override;
  void on_end(mit::ClientSession& session, link::CloseReason reason, std::string_view text, Time now) override;
  void on_trouble(mit::ClientSession& session, const Error& error, Time now) override;
  void on_system_status(mit::ClientSession& session, const mit::SystemStatus& status, Time now) override;

  // mit::RecoveryClientHandler
  void on_recovered(mit::RecoveryClient& client, const market::OwnerReport& report, std::int32_t code,
                    Time now) override;
  void on_recovery_status(mit::RecoveryClient& client, const mit::SystemStatus& status, Time now) override;
  void on_recovery_end(mit::RecoveryClient& client, const mit::RecoveryOutcome& outcome, Time now) override;

 private:
  void connect(Time now);
  void pass(const market::OwnerReport& report, std::int32_t code, Time now);

  Station& station_;
  const TradeOptions& options_;
  TradeSessionHandler& handler_;
  mit::ClientSession session_;
  mit::RecoveryClient recovery_;
  std::map<std::string, Amendment, std::less<>> amendments_;    // by the id of the request, until it is answered
  std::set<std::pair<std::uint8_t, std::uint64_t>> delivered_;  // numbers of partitions, while reports are recovered
  std::size_t host_ = 0;
  unsigned failed_ = 0;
  bool is_logged_on_ = false;  // and what was to be recovered is
  bool was_logged_on_ = false;
  bool is_leaving_ = false;
};

}  // namespace dojima::app
