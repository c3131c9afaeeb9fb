#pragma once

// A venue that fills every order at once, at its price: for programs that measure who speaks with it.

#include <cstdint>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::bench {

/// One session. It outlives its connection.
class FillingVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit FillingVenue(sched::Scheduler& scheduler)
      : session_({.heartbeat = std::chrono::hours{1}}, mit::lse_21_2::k_dialect, scheduler, *this) {}

  [[nodiscard]] mit::ServerSession& session() noexcept { return session_; }

  link::Connection* on_accept(const link::Address&) override { return session_.is_connected() ? nullptr : &session_; }
  mit::LogonReply on_logon(mit::ServerSession& session, const mit::Logon&, time::Time) override {
    session.set_user(1);
    return {};
  }
  void on_new_order(mit::ServerSession& session, market::NewOrder& order, time::Time now) override;
  void on_replace(mit::ServerSession&, market::Replace&, time::Time) override {}
  void on_cancel(mit::ServerSession&, market::Cancel&, time::Time) override {}
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, time::Time) override {}
  void on_quote(mit::ServerSession&, market::Quote&, time::Time) override {}
  void on_end(mit::ServerSession&, market::SessionEnd, time::Time) override {}

 private:
  mit::ServerSession session_;
  std::uint64_t last_ = 0;
};

}  // namespace dojima::bench
