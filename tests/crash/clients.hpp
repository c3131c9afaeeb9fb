#pragma once

// Clients of a venue that may be gone at any instant, and what they saw: members that speak MIT203, and FIX clients
// behind a gateway, which lives here and outlives every venue. They keep the venue busy, and write down every answer.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/station.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/simulate/order_messages.hpp"

namespace dojima::crash {

/// A fill as a FIX client saw it.
struct FixFill {
  std::uint64_t order = 0;
  std::string trade;  ///< SecondaryExecID(527)
  std::int64_t quantity = 0;
  std::int64_t price = 0;
  friend auto operator<=>(const FixFill&, const FixFill&) = default;
};

/// What the clients know, over all lives of the venue.
struct Witness {
  std::map<std::uint64_t, market::OwnerReport> reports;  ///< by SequenceNo: of the members that speak MIT203
  std::uint64_t contradictions = 0;                      ///< a number that came twice with different contents
  std::set<std::string> sent;                            ///< "user:client order id" of members' new orders
  std::set<std::uint64_t> fix_orders;                    ///< accepted by the venue, as a FIX client knows
  std::set<FixFill> fix_fills;
  std::uint64_t answers = 0;  ///< reports and FIX messages
  std::uint64_t requests = 0;
};

/// Members, gateway and FIX clients on one loop.
class CrashClients final : public mit::ClientHandler, public fix::Handler, public sched::Source {
 public:
  static constexpr std::uint32_t k_members = 4;
  static constexpr std::uint32_t k_fix_clients = 2;
  static constexpr std::size_t k_open = 400;  ///< requests without an answer of a session, at most

  CrashClients(const app::VenueConfig& venue, std::uint16_t venue_port, std::uint64_t seed);
  ~CrashClients();

  /// Runs for so long; requests are made while `is_trading`.
  void run(time::Duration how_long, bool is_trading);
  /// The same with requests, at most until a member gets a trade of an auction; `call` is called there and then.
  void run_until_auction(time::Duration how_long, const std::function<void()>& call);
  [[nodiscard]] const Witness& witness() const noexcept { return witness_; }
  [[nodiscard]] bool is_connected() const;
  /// All that the venue had sent has been read, and every member knows that it is gone.
  [[nodiscard]] bool is_alone() const;

  // mit::ClientHandler
  void on_logged_on(mit::ClientSession&, std::int32_t, time::Time) override {}
  void on_logon_refused(mit::ClientSession&, std::int32_t, time::Time) override {}
  void on_report(mit::ClientSession& session, const market::OwnerReport& report, std::int32_t code,
                 time::Time now) override;
  void on_reject(mit::ClientSession& session, const mit::Reject&, time::Time) override;
  void on_trouble(mit::ClientSession&, const Error&, time::Time) override {}
  void on_end(mit::ClientSession& session, link::CloseReason, std::string_view, time::Time now) override;

  // fix::Handler
  void on_logon(fix::Session&, time::Time) override {}
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session& session, const fix::MessageView& message, time::Time now) override;
  void on_reject(fix::Session&, const fix::MessageView&, time::Time) override {}
  void on_trouble(fix::Session&, const Error&) override {}

  // sched::Source: requests as far as they are allowed
  std::size_t deliver(time::Time now) override;

 private:
  struct Known {
    std::uint64_t order = 0;
    market::Side side = market::Side::none;
    std::uint32_t instrument = 0;
  };
  struct Member {
    std::unique_ptr<mit::ClientSession> session;
    std::vector<Known> resting;
    std::size_t open = 0;
    time::Time retry{};
  };
  struct FixClient {
    std::unique_ptr<fix::Session> session;
    std::size_t open = 0;
    std::vector<std::string> orders;  // ClOrdIDs that were accepted
  };

  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] bool request(Member& member, std::uint16_t user);
  [[nodiscard]] bool request(FixClient& client, std::uint32_t number, time::Time now);

  app::VenueConfig venue_;
  std::uint16_t venue_port_;
  std::uint64_t random_;
  Witness witness_;
  app::Station station_;
  std::vector<Member> members_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::vector<FixClient> fix_clients_;
  std::uint64_t next_id_ = 0;
  bool is_trading_ = false;
  std::function<void()> on_auction_;  // for the next trade of an auction
};

/// Users of a venue that such clients trade on.
void add_users(app::VenueConfig& venue);

}  // namespace dojima::crash
