// Sessions of every version against QuickFIX in both roles over real sockets: orders and what comes back through cut
// connections, nothing lost, nothing doubled, nothing out of order.

#include "bench/temporary_folder.hpp"
#include "examples/fix_echo/echo_server.hpp"
#include "quickfix_session.hpp"
#include "tests/fix_cases/order_client.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dojima/fix/initiator.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"

namespace dojima {
namespace {

using interop::QuickFixSession;
using namespace std::chrono_literals;

constexpr auto k_session_patience = 60s;
constexpr fix::StoreCapacity k_store{.messages = 1 << 15, .bytes = std::size_t{1} << 23};

struct Version {
  const char* begin_string;
  const char* quickfix_version;  ///< its name for DefaultApplVerID
  const char* appl_ver_id;
};
constexpr Version k_versions[] = {{"FIX.4.0", "", ""},
                                  {"FIX.4.1", "", ""},
                                  {"FIX.4.2", "", ""},
                                  {"FIX.4.3", "", ""},
                                  {"FIX.4.4", "", ""},
                                  {"FIXT.1.1", "FIX.5.0", "7"},
                                  {"FIXT.1.1", "FIX.5.0SP1", "8"},
                                  {"FIXT.1.1", "FIX.5.0SP2", "9"}};

std::string name_of(const testing::TestParamInfo<Version>& version) {
  std::string name = std::string(version.param.begin_string) + version.param.appl_ver_id;
  std::erase(name, '.');
  return name;
}

/// Stores on disk with the thread that writes them. What ends with them is as a killed process leaves it.
struct DiskStores {
  explicit DiskStores(const std::string& folder)
      : disk(journal::RealDisk::open(folder).value()),
        stores(fix::JournalStores::open(*disk, {.name = "interop", .segment_bytes = std::size_t{1} << 20}).value()),
        thread(stores->journal()) {}
  std::unique_ptr<journal::RealDisk> disk;
  std::unique_ptr<fix::JournalStores> stores;
  journal::JournalThread thread;
};

/// The sessions of fix-echo on a thread of their own; with a folder they keep their stores there.
class RunningEcho {
 public:
  explicit RunningEcho(fix::SessionConfig session, std::uint16_t port = 0, const std::string& folder = {}) {
    session.store = k_store;
    config_.port = port;
    config_.sessions.push_back(
        {.config = std::move(session), .store = folder.empty() ? echo::Store::memory : echo::Store::journal});
    thread_ = std::thread([this, folder] {
      order_client::Looping looping;
      std::optional<DiskStores> kept;
      if (!folder.empty()) kept.emplace(folder);
      echo::EchoServer server(looping.scheduler, config_, kept ? kept->stores.get() : nullptr, true);
      const auto where = looping.fabric.listen({"127.0.0.1", config_.port}, server.acceptor());
      port_ = where ? where->port : 0;
      is_listening_ = true;
      looping.run([this] { return !is_stopped_.load(); });
    });
    while (!is_listening_) std::this_thread::yield();
  }
  ~RunningEcho() {
    is_stopped_ = true;
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  echo::Config config_;
  std::atomic<bool> is_listening_{false}, is_stopped_{false};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

void expect_each_once_in_order(const std::vector<std::string>& orders, std::size_t count) {
  ASSERT_EQ(orders.size(), count) << "none lost, none doubled";
  for (std::size_t order = 0; order < count; ++order) ASSERT_EQ(orders[order], "O" + std::to_string(order));
}

void send_through_cuts(QuickFixSession& quickfix, std::size_t count, std::size_t cuts) {
  quickfix.start();
  ASSERT_TRUE(quickfix.wait_logged_on(k_session_patience));
  for (std::size_t order = 0; order < count; ++order) {
    quickfix.send_order("O" + std::to_string(order));
    if (order % (count / (cuts + 1)) == count / (2 * (cuts + 1)) && order / (count / (cuts + 1)) < cuts) quickfix.cut();
  }
  expect_each_once_in_order(quickfix.wait_orders(count, k_session_patience), count);
  EXPECT_EQ(quickfix.rejects(), 0u);
}

struct SessionInterop : testing::TestWithParam<Version> {};

TEST_P(SessionInterop, quickfix_as_initiator_gets_every_order_back_once_through_a_cut) {
  const Version& version = GetParam();
  const RunningEcho echo({.begin_string = version.begin_string,
                          .sender_comp_id = "ECHO",
                          .target_comp_id = "QF",
                          .default_appl_ver_id = version.appl_ver_id});
  QuickFixSession quickfix({.begin_string = version.begin_string,
                            .default_appl_ver_id = version.quickfix_version,
                            .sender = "QF",
                            .target = "ECHO",
                            .port = echo.port()});
  send_through_cuts(quickfix, 1000, 1);
}

/// Sends orders as soon as it is logged on, and keeps what comes back.
struct Trader final : fix::Handler {
  void on_logon(fix::Session&, time::Time) override {}
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session&, const fix::MessageView& message, time::Time) override {
    orders.emplace_back(message.find(fix::tag::k_cl_ord_id).value_or("?"));
  }
  void on_reject(fix::Session&, const fix::MessageView&, time::Time) override { ++troubles; }
  void on_trouble(fix::Session&, const Error&) override { ++troubles; }
  std::vector<std::string> orders;
  int troubles = 0;
};

void trade_with_acceptor(const Version& version, fix::SessionConfig config, const std::string& more, std::size_t count,
                         std::size_t cuts) {
  const std::uint16_t port = order_client::free_port();
  QuickFixSession quickfix({.is_acceptor = true,
                            .begin_string = version.begin_string,
                            .default_appl_ver_id = version.quickfix_version,
                            .sender = "QF",
                            .target = "ME",
                            .port = port,
                            .more = more});
  quickfix.start();
  config.role = fix::Role::initiator;
  config.begin_string = version.begin_string;
  config.sender_comp_id = "ME";
  config.target_comp_id = "QF";
  config.default_appl_ver_id = version.appl_ver_id;
  config.store = k_store;
  order_client::Looping looping;
  Trader trader;
  fix::Session session(looping.scheduler, config, trader);
  fix::Initiator initiator(looping.scheduler, looping.fabric, session,
                           {.hosts = {{"127.0.0.1", port}}, .delay = std::chrono::milliseconds{20}});
  initiator.start(looping.scheduler.now());
  std::size_t sent = 0, cut = 0;
  const time::Time end = looping.clock.now() + k_session_patience;
  looping.run([&] {
    if (session.is_logged_on() && sent < count) {
      EXPECT_TRUE(order_client::send_order(session, "O" + std::to_string(sent++), 100, looping.scheduler.now()));
    }
    if (session.is_logged_on() && cut < cuts && trader.orders.size() > (cut + 1) * count / (cuts + 2)) {
      ++cut;
      session.disconnect();
    }
    return trader.orders.size() < count && looping.scheduler.now() < end;
  });
  initiator.stop();
  EXPECT_EQ(cut, cuts);
  expect_each_once_in_order(trader.orders, count);
  EXPECT_EQ(trader.troubles, 0);
  EXPECT_EQ(quickfix.rejects(), 0u);
  EXPECT_EQ(quickfix.wait_orders(count, 1s).size(), count);
}

TEST_P(SessionInterop, quickfix_as_acceptor_gives_every_order_back_once_through_a_cut) {
  trade_with_acceptor(GetParam(), {}, "", 1000, 1);
}

INSTANTIATE_TEST_SUITE_P(Versions, SessionInterop, testing::ValuesIn(k_versions), name_of);

TEST(SessionInteropLong, ten_thousand_orders_through_cuts_with_quickfix_as_initiator) {
  const RunningEcho echo({.sender_comp_id = "ECHO", .target_comp_id = "QF", .resend_chunk = 100});
  QuickFixSession quickfix({.sender = "QF", .target = "ECHO", .port = echo.port()});
  send_through_cuts(quickfix, 10'000, 8);
}

TEST(SessionInteropLong, ten_thousand_orders_through_cuts_with_quickfix_as_acceptor) {
  trade_with_acceptor(k_versions[4], {.resend_chunk = 100}, "", 10'000, 24);
}

TEST(SessionInterop, both_name_their_next_numbers) {
  trade_with_acceptor(k_versions[4], {.next_expected = true}, "SendNextExpectedMsgSeqNum=Y\n", 2000, 3);
}

TEST(SessionInterop, quickfix_as_initiator_and_our_acceptor_go_on_where_they_were_when_either_is_started_again) {
  constexpr std::size_t k_lives = 6, k_each = 200;
  const bench::TemporaryFolder ours, theirs;
  const std::uint16_t port = order_client::free_port();
  std::optional<RunningEcho> echo;
  std::optional<QuickFixSession> quickfix;
  std::vector<std::string> back;
  for (std::size_t life = 0; life < k_lives; ++life) {
    if (!echo) echo.emplace(fix::SessionConfig{.sender_comp_id = "ECHO", .target_comp_id = "QF"}, port, ours.path());
    ASSERT_EQ(echo->port(), port);
    if (!quickfix) {
      quickfix.emplace(
          interop::QuickFixSettings{.sender = "QF", .target = "ECHO", .port = port, .store_folder = theirs.path()});
      quickfix->start();
    }
    ASSERT_TRUE(quickfix->wait_logged_on(k_session_patience));
    for (std::size_t order = life * k_each; order < (life + 1) * k_each; ++order)
      quickfix->send_order("O" + std::to_string(order));
    if (life + 1 == k_lives) break;
    // With orders on their way one of the two is gone.
    if (life % 2 == 0) {
      echo.reset();
    } else {
      quickfix->stop();
      const std::vector<std::string> arrived = quickfix->wait_orders(0, 0s);
      back.insert(back.end(), arrived.begin(), arrived.end());
      quickfix.reset();
    }
  }
  const std::vector<std::string> arrived = quickfix->wait_orders(k_lives * k_each - back.size(), k_session_patience);
  back.insert(back.end(), arrived.begin(), arrived.end());
  expect_each_once_in_order(back, k_lives * k_each);
  EXPECT_EQ(quickfix->rejects(), 0u);
}

TEST(SessionInterop, quickfix_as_acceptor_and_our_initiator_go_on_where_they_were_when_either_is_started_again) {
  constexpr std::size_t k_lives = 6, k_each = 200;
  const bench::TemporaryFolder ours, theirs;
  const std::uint16_t port = order_client::free_port();
  std::optional<QuickFixSession> quickfix;
  std::vector<std::string> back;
  std::size_t sent = 0;
  int troubles = 0;
  for (std::size_t life = 0; life < k_lives; ++life) {
    if (life % 2 == 0) {
      if (quickfix) quickfix->stop();
      quickfix.emplace(interop::QuickFixSettings{
          .is_acceptor = true, .sender = "QF", .target = "ME", .port = port, .store_folder = theirs.path()});
      quickfix->start();
    }
    // Each life of ours ends with half of its orders on their way, but for the last one.
    const std::size_t until = (life + 1) * k_each, wanted = life + 1 == k_lives ? until : until - k_each / 2;
    order_client::Looping looping;
    const DiskStores kept(ours.path());
    Trader trader;
    fix::Session session(looping.scheduler,
                         {.role = fix::Role::initiator, .sender_comp_id = "ME", .target_comp_id = "QF"}, trader,
                         **kept.stores->store({"FIX.4.4", "ME", "QF"}));
    fix::Initiator initiator(looping.scheduler, looping.fabric, session,
                             {.hosts = {{"127.0.0.1", port}}, .delay = std::chrono::milliseconds{20}});
    initiator.start(looping.scheduler.now());
    const time::Time end = looping.clock.now() + k_session_patience;
    looping.run([&] {
      if (session.is_logged_on() && sent < until) {
        EXPECT_TRUE(order_client::send_order(session, "O" + std::to_string(sent++), 100, looping.scheduler.now()));
      }
      return (sent < until || back.size() + trader.orders.size() < wanted) && looping.scheduler.now() < end;
    });
    back.insert(back.end(), trader.orders.begin(), trader.orders.end());
    troubles += trader.troubles;
  }
  expect_each_once_in_order(back, k_lives * k_each);
  EXPECT_EQ(troubles, 0);
  EXPECT_EQ(quickfix->rejects(), 0u);
}

TEST(SessionInterop, an_acceptor_that_resets_on_logon_trades_with_a_fresh_quickfix) {
  const RunningEcho echo({.sender_comp_id = "ECHO", .target_comp_id = "QF", .reset_on_logon = true});
  for (int life = 0; life < 2; ++life) {
    QuickFixSession quickfix(
        {.sender = "QF", .target = "ECHO", .port = echo.port(), .more = life == 0 ? "" : "ResetOnLogon=Y\n"});
    quickfix.start();
    ASSERT_TRUE(quickfix.wait_logged_on(k_session_patience));
    quickfix.send_order("first");
    EXPECT_EQ(quickfix.wait_orders(1, k_session_patience).size(), 1u);
    // QuickFIX counts a message when its application has returned.
    for (int wait = 0; wait < 1000 && quickfix.next_target_number() < 3; ++wait) std::this_thread::sleep_for(5ms);
    EXPECT_EQ(quickfix.next_target_number(), 3);
  }
}

}  // namespace
}  // namespace dojima
