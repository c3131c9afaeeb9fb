// How a gateway reaches its venue (section 8 of the MIT203 reference, rules 5 and 6): attempts on the primary and the
// secondary gateway of a venue, and new passwords of its users.

#include <gtest/gtest.h>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// A gateway of a venue with its attempts written down, and a second one beside the scripted venue of a World.
struct CountingAcceptor final : link::Acceptor {
  CountingAcceptor(sched::Scheduler& scheduler, link::Acceptor* venue) : scheduler_(scheduler), venue_(venue) {}
  link::Connection* on_accept(const link::Address& peer) override {
    times.push_back(scheduler_.now());
    return is_open ? venue_->on_accept(peer) : nullptr;
  }
  bool is_open = false;
  std::vector<Time> times;

 private:
  sched::Scheduler& scheduler_;
  link::Acceptor* venue_;
};

/// Notes what the gateway says of its venue user.
struct Notes final : Observer {
  void on_venue_password(std::size_t client, Time) override { passwords += std::to_string(client); }
  void on_venue_refused(std::size_t, std::int32_t code, Time) override { codes.push_back(code); }
  std::string passwords;
  std::vector<std::int32_t> codes;
};

/// A venue that knows one password of its only user.
class PasswordVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit PasswordVenue(sched::Scheduler& scheduler) : session({}, mit::lse_21_2::k_dialect, scheduler, *this) {}
  link::Connection* on_accept(const link::Address&) override { return session.is_connected() ? nullptr : &session; }
  mit::LogonReply on_logon(mit::ServerSession&, const mit::Logon& logon, Time) override {
    logons.push_back(std::string(logon.password.view()) + ">" + std::string(logon.new_password.view()));
    if (logon.password.view() != password) return {.code = mit::code::k_invalid_credentials};
    if (logon.new_password.is_empty()) return {};
    if (refusal != 0) return {.code = refusal};
    password = logon.new_password.view();
    return {};
  }
  void on_new_order(mit::ServerSession&, market::NewOrder&, Time) override {}
  void on_replace(mit::ServerSession&, market::Replace&, Time) override {}
  void on_cancel(mit::ServerSession&, market::Cancel&, Time) override {}
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, Time) override {}
  void on_quote(mit::ServerSession&, market::Quote&, Time) override {}
  void on_end(mit::ServerSession&, market::SessionEnd, Time) override {}

  std::string password = "Secret#1";
  std::int32_t refusal = 0;
  std::vector<std::string> logons;
  mit::ServerSession session;
};

GatewayConfig one_client(std::string new_password = {}) {
  GatewayConfig config = small_config();
  config.clients.resize(1);
  config.clients[0].venue_new_password = std::move(new_password);
  return config;
}

/// A gateway in front of whatever listens at the venue's addresses.
struct Link {
  explicit Link(const GatewayConfig& config, Observer* observer = nullptr)
      : gateway(config, network, scheduler, {.observer = observer}) {}
  ~Link() {
    gateway.stop("end");
    run(30s);
  }
  void run(time::Duration duration) { link::run_for(network, scheduler, duration); }
  sched::Scheduler scheduler{512, k_noon};
  link::SimulatedNetwork network{scheduler, {}};
  PasswordVenue venue{scheduler};
  CountingAcceptor primary{scheduler, &venue}, secondary{scheduler, &venue};
  Gateway gateway;
};

const link::Address k_secondary_address{"secondary", 2};

TEST(RealTimeRule, n_6_three_attempts_on_the_primary_gateway_then_three_on_the_secondary) {
  Link link(one_client());
  PasswordVenue& venue = link.venue;
  CountingAcceptor &primary = link.primary, &secondary = link.secondary;
  ASSERT_TRUE(link.network.listen(k_venue_address, primary).has_value());
  ASSERT_TRUE(link.network.listen(k_secondary_address, secondary).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address, {}, VenueAddress{k_secondary_address, {}}));
  link.run(8s);
  EXPECT_EQ(primary.times.size(), 3u);
  EXPECT_EQ(secondary.times.size(), 0u);
  link.run(9s);
  EXPECT_EQ(primary.times.size(), 3u);
  EXPECT_EQ(secondary.times.size(), 3u);
  for (std::size_t at = 1; at < 3; ++at) {
    EXPECT_GE(primary.times[at] - primary.times[at - 1], 3s);
    EXPECT_GE(secondary.times[at] - secondary.times[at - 1], 3s);
  }
  link.run(9s);
  EXPECT_EQ(primary.times.size(), 6u) << "and the primary one again";
  EXPECT_EQ(secondary.times.size(), 3u);
  secondary.is_open = true;
  link.run(3s);
  EXPECT_TRUE(link.gateway.is_venue_up(0));
  EXPECT_EQ(secondary.times.size(), 4u);
  // When that session is over it begins with the primary one.
  primary.is_open = true;
  secondary.is_open = false;
  venue.session.logout("maintenance");
  link.run(10s);
  EXPECT_TRUE(link.gateway.is_venue_up(0));
  EXPECT_EQ(primary.times.size(), 7u);
  EXPECT_EQ(secondary.times.size(), 4u);
}

TEST(RealTimeRule, n_6_a_refused_logon_is_an_attempt_in_vain) {
  Link link(one_client());
  PasswordVenue& venue = link.venue;
  venue.password = "unknown";
  CountingAcceptor primary(link.scheduler, &venue), secondary(link.scheduler, &venue);
  primary.is_open = secondary.is_open = true;
  ASSERT_TRUE(link.network.listen(k_venue_address, primary).has_value());
  ASSERT_TRUE(link.network.listen(k_secondary_address, secondary).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address, {}, VenueAddress{k_secondary_address, {}}));
  link.run(17s);
  EXPECT_EQ(primary.times.size(), 3u);
  EXPECT_EQ(secondary.times.size(), 3u);
}

TEST(RealTimeRule, n_6_without_a_secondary_gateway_the_primary_is_tried_for_ever) {
  Link link(one_client());
  CountingAcceptor& primary = link.primary;
  ASSERT_TRUE(link.network.listen(k_venue_address, primary).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address));
  link.run(29s);
  EXPECT_EQ(primary.times.size(), 10u);
}

TEST(GatewayPasswords, are_changed_once_and_are_those_of_the_next_logon) {
  Notes notes;
  Link link(one_client("Other#22"), &notes);
  PasswordVenue& venue = link.venue;
  ASSERT_TRUE(link.network.listen(k_venue_address, venue).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address));
  link.run(1s);
  EXPECT_EQ(notes.passwords, "0");
  venue.session.logout("maintenance");
  link.run(10s);
  EXPECT_TRUE(link.gateway.is_venue_up(0));
  EXPECT_EQ(venue.logons, (std::vector<std::string>{"Secret#1>Other#22", "Other#22>"}));
  EXPECT_EQ(notes.passwords, "0");
}

TEST(GatewayPasswords, that_the_venue_took_in_an_earlier_life_are_used) {
  Notes notes;
  Link link(one_client("Other#22"), &notes);
  PasswordVenue& venue = link.venue;
  venue.password = "Other#22";
  ASSERT_TRUE(link.network.listen(k_venue_address, venue).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address));
  link.run(5s);
  EXPECT_TRUE(link.gateway.is_venue_up(0));
  EXPECT_EQ(venue.logons, (std::vector<std::string>{"Secret#1>Other#22", "Other#22>"}));
  EXPECT_EQ(notes.codes, std::vector<std::int32_t>{mit::code::k_invalid_credentials});
}

TEST(GatewayPasswords, that_the_venue_does_not_take_are_not_asked_for_again) {
  Notes notes;
  Link link(one_client("Other#22"), &notes);
  PasswordVenue& venue = link.venue;
  venue.refusal = mit::code::k_new_password_refused;
  ASSERT_TRUE(link.network.listen(k_venue_address, venue).has_value());
  ASSERT_TRUE(link.gateway.start(k_fix_address, k_venue_address));
  link.run(5s);
  EXPECT_TRUE(link.gateway.is_venue_up(0));
  EXPECT_EQ(venue.logons, (std::vector<std::string>{"Secret#1>Other#22", "Secret#1>"}));
  EXPECT_EQ(notes.codes, std::vector<std::int32_t>{mit::code::k_new_password_refused});
}

}  // namespace
}  // namespace dojima::gateway
