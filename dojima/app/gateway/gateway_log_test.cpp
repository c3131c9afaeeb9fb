// What a gateway says in its log and its figures: of the SystemStatus of its venue, 2 and 1 where the operator holds
// the recovery channel back, 3 where a partition is lost; of a recovery that fails again and again; and of a storm of
// connections, also that it is over.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/app/station.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/net/address.hpp"
#include "dojima/net/free_port_test_support.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

/// The address behind a word in one of these lines.
link::Address address_behind(const std::vector<std::string>& lines, const std::string& word) {
  for (const std::string& line : lines)
    if (const std::size_t at = line.find(word); at != std::string::npos) {
      const std::size_t begin = at + word.size();
      return net::parse_address(line.substr(begin, line.find(',', begin) - begin)).value();
    }
  ADD_FAILURE() << "no line with " << word;
  return {};
}

/// A gateway of one client, in a thread, whose log is kept.
class GatewayLogTest : public ::testing::Test {
 protected:
  ~GatewayLogTest() override {
    is_over_ = true;
    threads_.clear();
  }
  /// `password`: in place of the right one; then nobody waits until the venue has taken the user.
  void begin_gateway(std::uint16_t venue_port, int recovery_port, const std::string& password = {}) {
    GatewayConfig config = default_gateway();
    config.listen.port = 0;
    config.idle = net::IdlePolicy::block;
    config.venue_port = venue_port;
    config.venue_recovery_port = recovery_port;
    config.admin.port = 0;
    config.gateway.reconnect = 50ms;
    config.gateway.clients.resize(1);
    if (!password.empty()) config.gateway.clients[0].venue_password = password;
    gateway_ = std::make_unique<GatewayServer>(config, [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      said_.push_back(line);
    });
    clients_at_ = gateway_->start().value();
    admin_.address = address_behind(gateway_->describe(clients_at_), "http://");
    threads_.emplace_back([this] { gateway_->run([this] { return is_over_.load(); }); });
    if (!password.empty()) return;
    EXPECT_TRUE(holds([this] { return page_of(admin_, "/ready").value().is_good; }));
  }
  /// Whether it does within a few seconds.
  static bool holds(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 1000; ++tries) {
      if (condition()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  /// Whether the gateway's log has the line by now.
  bool has_said(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::find(said_, line) != said_.end();
  }
  [[nodiscard]] bool has_figure(const std::string& line) const {
    return page_of(admin_, "/metrics").value().text.find("\n" + line + "\n") != std::string::npos;
  }

  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<GatewayServer> gateway_;
  link::Address clients_at_;
  AdminServer admin_;
  std::vector<std::jthread> threads_;
};

TEST_F(GatewayLogTest, says_in_words_why_the_venue_refuses_its_user) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  config.recovery_port = config.admin.port = 0;
  config.idle = net::IdlePolicy::block;
  config.logon.failures = 2;
  VenueServer venue(config);
  const link::Address where = venue.start().value();
  threads_.emplace_back([&] { venue.run([this] { return is_over_.load(); }); });
  begin_gateway(where.port, 0, "wrong");
  EXPECT_TRUE(holds([this] { return has_said("venue refused user KONOIKE with code 1: name or password is wrong"); }));
  EXPECT_TRUE(holds([this] { return has_said("venue refused user KONOIKE with code 8: the user is locked"); }));
  is_over_ = true;
  threads_.clear();
}

TEST_F(GatewayLogTest, says_that_the_venues_operator_holds_the_recovery_channel_back) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  config.recovery_port = config.admin.port = 0;
  config.idle = net::IdlePolicy::block;
  VenueServer venue(config);
  const link::Address where = venue.start().value();
  const std::vector<std::string> described = venue.describe(where);
  const AdminServer operated{.address = address_behind(described, "http://")};
  threads_.emplace_back([&] { venue.run([this] { return is_over_.load(); }); });
  const auto operate = [&](const std::vector<std::string>& words) {
    const auto answer = command(operated, words);
    EXPECT_TRUE(answer && answer->is_done) << (answer ? answer->text : answer.error());
    return answer ? answer->text : std::string{};
  };
  begin_gateway(where.port, address_behind(described, "MIT203 recovery ").port);
  const testing::Session entered = testing::trade({clients_at_}, {"buy 5 KAGA @ 99"});
  EXPECT_NE(entered.text().find("accepted"), std::string::npos) << entered.text();

  EXPECT_EQ(operate({"recovery", "off", "1"}), "the recovery channel serves nothing of partition 1");
  operate({"logout", "KONOIKE"});
  EXPECT_TRUE(holds([this] {
    return has_said("user KONOIKE: the venue says that partition 1 cannot be recovered now; waiting");
  })) << "status 2";
  EXPECT_FALSE(gateway_->gateway().is_venue_ready(0)) << "what was missed comes first";
  EXPECT_FALSE(has_said("user KONOIKE: partition 1 can be recovered again"));
  EXPECT_TRUE(holds([this] { return has_figure("dojima_gateway_recovery_waits_total 1"); }));

  EXPECT_EQ(operate({"recovery", "on"}), "the recovery channel serves every partition again");
  EXPECT_TRUE(holds([this] { return has_said("user KONOIKE: partition 1 can be recovered again"); })) << "status 1";
  EXPECT_TRUE(holds([this] { return page_of(admin_, "/ready").value().is_good; }));
  const testing::Session again = testing::trade({clients_at_}, {"buy 5 KAGA @ 98"});
  EXPECT_NE(again.text().find("accepted"), std::string::npos) << again.text();
  EXPECT_TRUE(has_figure("dojima_gateway_recovery_waits_total 1")) << "once";
  EXPECT_TRUE(has_figure("dojima_gateway_partitions_unavailable_total 0"));
  is_over_ = true;
  threads_.clear();
}

/// A venue that takes one session, and says of a partition what the test wants.
class StatusVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit StatusVenue(const mit::SystemStatus& status)
      : status_(status),
        station_({.scheduler = 64, .idle = net::IdlePolicy::block, .fabric = {.max_connections = 4}}),
        session_({}, mit::lse_21_2::k_dialect, station_.scheduler(), *this),
        timer_(station_.scheduler(), *this),
        where_(station_.fabric().listen({"127.0.0.1", 0}, *this).value()) {}

  [[nodiscard]] std::uint16_t port() const { return where_.port; }
  void run(const std::atomic<bool>& is_over) {
    station_.run([&] { return !is_over.load(); });
  }

  link::Connection* on_accept(const link::Address&) override {
    return std::exchange(is_taken_, true) ? nullptr : &session_;
  }
  mit::LogonReply on_logon(mit::ServerSession&, const mit::Logon&, Time now) override {
    timer_.arm(now);
    return {};
  }
  void on_new_order(mit::ServerSession&, market::NewOrder&, Time) override {}
  void on_replace(mit::ServerSession&, market::Replace&, Time) override {}
  void on_cancel(mit::ServerSession&, market::Cancel&, Time) override {}
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, Time) override {}
  void on_quote(mit::ServerSession&, market::Quote&, Time) override {}
  void on_end(mit::ServerSession&, market::SessionEnd, Time) override {}
  void on_free(mit::ServerSession&, Time) override {}

 private:
  void say(Time) { EXPECT_TRUE(session_.send(status_)); }

  mit::SystemStatus status_;
  Station station_;
  mit::ServerSession session_;
  sched::TimerOf<&StatusVenue::say> timer_;
  link::Address where_;
  bool is_taken_ = false;
};

TEST_F(GatewayLogTest, says_that_a_partition_of_the_venue_is_not_available) {
  StatusVenue venue({.partition = 2, .status = mit::SystemStatus::k_partition_unavailable});
  threads_.emplace_back([&] { venue.run(is_over_); });
  begin_gateway(venue.port(), -1);
  EXPECT_TRUE(holds([this] {
    return has_said("user KONOIKE: the venue says that partition 2 is not available; it may refuse orders");
  }));
  EXPECT_TRUE(holds([this] { return has_figure("dojima_gateway_partitions_unavailable_total 1"); }));
  EXPECT_TRUE(has_figure("dojima_gateway_recovery_waits_total 0"));
  is_over_ = true;
  threads_.clear();
}

TEST_F(GatewayLogTest, says_once_that_a_recovery_that_it_tries_again_is_not_complete) {
  StatusVenue venue({.partition = 1, .status = mit::SystemStatus::k_recovery_resumed});
  threads_.emplace_back([&] { venue.run(is_over_); });
  begin_gateway(venue.port(), net::testing::free_port(), "any");
  const auto lines = [this] {
    const std::scoped_lock lock(mutex_);
    return std::ranges::count_if(
        said_, [](const std::string& line) { return line.starts_with("user KONOIKE: recovery is not complete, 0"); });
  };
  EXPECT_TRUE(holds([&] { return lines() == 1; }));
  std::this_thread::sleep_for(400ms);  // eight more tries
  EXPECT_EQ(lines(), 1);
  EXPECT_FALSE(gateway_->gateway().is_venue_ready(0));
  is_over_ = true;
  threads_.clear();
}

/// Nothing that follows has to say it.
TEST_F(GatewayLogTest, says_how_many_refusals_it_left_out_when_a_storm_is_over) {
  StatusVenue venue({.partition = 1, .status = mit::SystemStatus::k_partition_unavailable});
  threads_.emplace_back([&] { venue.run(is_over_); });
  begin_gateway(venue.port(), -1);
  constexpr std::uint64_t k_storm = 300;
  for (std::uint64_t count = 0; count < k_storm; ++count) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(clients_at_.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    constexpr std::string_view k_said = "GET / HTTP/1.1\r\n\r\n";
    ASSERT_EQ(::send(socket, k_said.data(), k_said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(k_said.size()));
    ::close(socket);
  }
  std::uint64_t refused = 0, left_out = 0;
  const bool is_all_said = holds([&] {
    const std::scoped_lock lock(mutex_);
    refused = left_out = 0;
    for (const std::string& line : said_) {
      refused += line.starts_with("refused 127.0.0.1:") ? 1U : 0U;
      if (line.ends_with(" more were refused since the last line about one")) left_out += std::stoull(line);
    }
    return refused + left_out == k_storm;
  });
  EXPECT_TRUE(is_all_said) << refused << " and " << left_out;
  EXPECT_GT(left_out, 0u);
  is_over_ = true;
  threads_.clear();
}

}  // namespace
}  // namespace dojima::app
