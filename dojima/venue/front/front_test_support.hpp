#pragma once

// What the tests of the front share: a venue of two partitions behind a simulated network in virtual time, members with
// MIT203 client sessions, a raw connection, and a journal whose room and durability the test decides.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {

using namespace std::chrono_literals;

/// Full and lagging as the test says.
class ControlledJournal final : public journal::Journal {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return is_full ? Room{} : Room{bytes_, size}; }
  journal::Sequence commit(std::size_t) override { return ++last_.value, last_; }
  [[nodiscard]] journal::Sequence last() const override { return last_; }
  [[nodiscard]] journal::Sequence durable() const override { return is_lagging ? durable_ : last_; }

  void lag() { is_lagging = true, durable_ = last_; }
  bool is_full = false;
  bool is_lagging = false;

 private:
  alignas(8) std::byte bytes_[4096] = {};
  journal::Sequence last_;
  journal::Sequence durable_;
};

[[nodiscard]] inline std::vector<UserConfig> make_users() {
  std::vector<UserConfig> users;
  for (const char* name : {"ANNA", "BERT", "CARL"}) users.push_back({.name = name, .password = "Secret#2026"});
  return users;
}

[[nodiscard]] inline FrontConfig make_front_config() {
  return {.users = make_users(), .sessions = 4};
}

/// A member: remembers the reports it got.
class Member final : public mit::ClientHandler {
 public:
  Member(sched::Scheduler& scheduler, std::string_view user, std::string_view password = "Secret#2026",
         std::string_view new_password = "")
      : session(
            {.user = std::string(user), .password = std::string(password), .new_password = std::string(new_password)},
            mit::lse_21_2::k_dialect, scheduler, *this) {}

  void on_logged_on(mit::ClientSession&, std::int32_t, Time) override { is_on = true; }
  void on_logon_refused(mit::ClientSession&, std::int32_t code, Time) override { refusal = code; }
  void on_report(mit::ClientSession&, const OwnerReport& report, std::int32_t code, Time) override {
    reports.push_back(report);
    codes.push_back(code);
  }
  void on_reject(mit::ClientSession&, const mit::Reject& reject, Time) override { rejects.push_back(reject); }
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
        front(config, scheduler, std::vector<Partition*>{&partition_one, &partition_two}, probe) {
    EXPECT_TRUE(network.listen(address, front).has_value());
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
  Front front;
  link::Address address{"venue", 1};

 private:
  void flush(Time now) {
    front.finish(now);
    network.finish(now);
  }
};

}  // namespace dojima::venue::testing
