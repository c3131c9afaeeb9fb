#pragma once

// What the tests of the front share: a venue of two partitions behind a simulated network in virtual time, members with
// MIT203 client sessions, and a raw connection.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/dialect_test_support.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/controlled_journal_test_support.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {

using namespace std::chrono_literals;

[[nodiscard]] inline std::vector<UserConfig> make_users() {
  std::vector<UserConfig> users;
  for (const char* name : {"ANNA", "BERT", "CARL"}) users.push_back({.name = name, .password = "Secret#2026"});
  return users;
}

[[nodiscard]] inline FrontConfig make_front_config() {
  return {.users = make_users(), .sessions = 4, .dialect = &mit::dialect_under_test()};
}

class Member final : public mit::ClientHandler {
 public:
  Member(sched::Scheduler& scheduler, std::string_view user, std::string_view password = "Secret#2026",
         std::string_view new_password = "")
      : session(
            {.user = std::string(user), .password = std::string(password), .new_password = std::string(new_password)},
            mit::dialect_under_test(), scheduler, *this) {}

  void on_logged_on(mit::ClientSession&, std::int32_t, Time) override { is_on = true; }
  void on_logon_refused(mit::ClientSession&, std::int32_t code, Time) override { refusal = code; }
  void on_report(mit::ClientSession&, const OwnerReport& report, std::int32_t code, Time) override {
    reports.push_back(report);
    codes.push_back(code);
  }
  void on_reject(mit::ClientSession&, const mit::Reject& reject, Time) override { rejects.push_back(reject); }
  void on_system_status(mit::ClientSession&, const mit::SystemStatus& status, Time) override {
    statuses.push_back(status);
  }
  void on_end(mit::ClientSession&, link::CloseReason, std::string_view text, Time) override {
    is_on = false;
    end_text = text;
    ++ends;
  }

  bool is_on = false;
  int ends = 0;
  std::int32_t refusal = 0;
  std::string end_text;
  std::vector<OwnerReport> reports;
  std::vector<std::int32_t> codes;
  std::vector<mit::Reject> rejects;
  std::vector<mit::SystemStatus> statuses;
  mit::ClientSession session;
};

/// A connection that says whatever bytes the test wants.
struct RawPeer : link::Connection {
  void on_open(link::Transport& opened, Time) override { transport = &opened; }
  std::size_t on_bytes(Bytes bytes, Time) override { return received += as_text(bytes), bytes.size(); }
  void on_writable(Time) override {}
  void on_closed(link::CloseReason, Time) override { transport = nullptr, is_closed = true; }
  void say(Bytes bytes) {
    const Room room = transport->prepare(bytes.size());
    ASSERT_EQ(room.size(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    transport->commit(bytes.size());
  }
  link::Transport* transport = nullptr;
  bool is_closed = false;
  std::string received;
};

/// An order that passes the validation in front of the venue.
[[nodiscard]] inline market::NewOrder valid_order(const OrderArguments& arguments) {
  market::NewOrder order = make_order(arguments);
  order.header.user = order.terms.owner = 0;
  order.labels.clearing = 1;
  order.labels.executing_trader = 3;
  return order;
}

/// Sends an order every 50 us, which is what the network takes: so one arrives in each instant in which an answer to an
/// answer does, and before it.
class OrderInEveryInstant {
 public:
  OrderInEveryInstant(Member& member, sched::Scheduler& scheduler) : member_(member), timer_(scheduler, *this) {
    timer_.arm(scheduler.now() + 50us);
  }
  void stop() { timer_.disarm(); }
  int sent = 0;

 private:
  void on_due(Time due) {
    const std::string id = "I" + std::to_string(++sent);
    market::NewOrder order = valid_order({.side = Side::sell, .lots = 1, .ticks = 200, .id = id});
    order.terms.time_in_force = market::TimeInForce::immediate_or_cancel;  // there is room for few that rest
    EXPECT_TRUE(member_.session.send(order));
    timer_.arm(due + 50us);
  }
  Member& member_;
  sched::TimerOf<&OrderInEveryInstant::on_due> timer_;
};

/// Of the segment, or where that is empty of one that is called like the instrument.
[[nodiscard]] inline market::Instrument of_segment(market::Instrument instrument, std::string_view segment) {
  instrument.segment = segment.empty() ? instrument.symbol : std::string(segment);
  return instrument;
}

class Venue {
 public:
  explicit Venue(FrontConfig config = make_front_config(), const link::SimulatedNetworkOptions& options = {},
                 const VenueLimits& limits = {.orders = 64, .levels = 32, .reports = 4096},
                 measure::Probe* probe = nullptr, std::string_view segment_of_both = "",
                 const std::vector<std::uint16_t>& accounts = {})
      : partition_one({.app_id = 1,
                       .instruments = {of_segment(make_instrument(k_rice, "RICE"), segment_of_both)},
                       .users = set_ups_of(config.users),
                       .limits = limits,
                       .rules = {.accounts = accounts}},
                      journal_one),
        partition_two({.app_id = 2,
                       .instruments = {of_segment(make_instrument(k_silk, "SILK"), segment_of_both)},
                       .users = set_ups_of(config.users),
                       .limits = limits,
                       .rules = {.accounts = accounts}},
                      journal_two),
        network(scheduler, options),
        threads(threads_of_environment()),
        front(with_threads(std::move(config)), scheduler, std::vector<Partition*>{&partition_one, &partition_two},
              probe) {
    EXPECT_TRUE(network.listen(address, front).has_value());
    if (threads == nullptr) return;
    threads->start();
    threads->deliver(scheduler.now());
  }

  void run(time::Duration duration) {
    link::run_instants(scheduler, duration, [this](Time now) { flush(now); });
  }

  std::unique_ptr<Member> log_on(std::string_view user, std::string_view password = "Secret#2026") {
    auto member = std::make_unique<Member>(scheduler, user, password);
    network.connect(address, member->session);
    run(1ms);
    return member;
  }

  /// Sends and waits for what comes of it.
  template <class Command>
  void send(Member& member, const Command& command) {
    EXPECT_TRUE(member.session.send(command).has_value());
    run(1ms);
  }

  ControlledJournal journal_one, journal_two;
  Partition partition_one, partition_two;
  sched::Scheduler scheduler{512, k_start};
  link::SimulatedNetwork network;
  std::unique_ptr<PartitionThreads> threads;  // null: there is one thread
  Front front;
  link::Address address{"venue", 1};

 private:
  /// With this variable the partitions have so many threads in every test of a front.
  [[nodiscard]] std::unique_ptr<PartitionThreads> threads_of_environment() {
    const char* const count = std::getenv("DOJIMA_TEST_PARTITION_THREADS");
    if (count == nullptr) return nullptr;
    return std::make_unique<PartitionThreads>(
        std::vector<Partition*>{&partition_one, &partition_two},
        PartitionThreadsOptions{
            .threads = static_cast<std::size_t>(std::atoi(count)), .ring = 8, .idle = ThreadIdle::yield});
  }
  [[nodiscard]] FrontConfig with_threads(FrontConfig config) const {
    config.threads = threads.get();
    return config;
  }
  /// Between two instants the tests look at the partitions; what the next one brings is posted.
  void flush(Time now) {
    if (threads != nullptr) threads->finish(now);
    front.finish(now);
    network.finish(now);
    if (threads != nullptr) threads->deliver(now);
  }
};

}  // namespace dojima::venue::testing
