#pragma once

// What the tests of a gateway's recovery share: a scripted recovery channel beside the scripted venue, a world with a
// gateway between them and a client, and a gateway's journal on a simulated disk.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/mit/recovery_server.hpp"

namespace dojima::gateway::testing {

using market::OwnerReport, market::OwnerReportKind;

inline const link::Address k_recovery_address{"venue", 3};

/// Serves what the venue has said to USER1, as its members say.
class ScriptedRecovery final : public link::Acceptor, public mit::RecoveryHandler {
 public:
  explicit ScriptedRecovery(sched::Scheduler& scheduler) {
    for (int count = 0; count < 2; ++count) {
      sessions_.push_back(
          std::make_unique<mit::RecoveryServer>(mit::RecoveryOptions{}, mit::lse_21_2::k_dialect, scheduler, *this));
      free_.push_back(sessions_.back().get());
    }
  }
  link::Connection* on_accept(const link::Address&) override {
    if (free_.empty() || is_away) return nullptr;
    mit::RecoveryServer* session = free_.back();
    free_.pop_back();
    return accepted = session;
  }
  mit::LogonReply on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time) override {
    ++logons;
    password = logon.password.view();
    session.set_user(logon.user.view() == "USER1" ? 1 : 2);
    return {.venue_day = day};
  }
  mit::Recovery on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request,
                                    Time) override {
    if (session.user() == 1)
      asked.push_back(std::to_string(request.partition) + ":" + std::to_string(request.last.value));
    if (request.partition > partitions) return mit::Recovery::unknown_partition;
    if (refuses) return mit::Recovery::unavailable;
    if (std::exchange(refuses_once, false)) return mit::Recovery::unavailable;
    // As a venue does on its later days: a member asks from a number that was its own, or from the first.
    const auto is_said = [&](const OwnerReport& report) {
      return report.partition == request.partition && report.sequence == request.last;
    };
    if (is_later_day && request.last.value > 1 && std::ranges::none_of(reports, is_said))
      return mit::Recovery::unavailable;
    partition_ = request.partition;
    from_ = request.last.value;
    return mit::Recovery::good;
  }
  std::optional<mit::Recovery> serve_recovery(mit::RecoveryServer& session, Time) override {
    if (is_slow) return std::nullopt;
    for (const OwnerReport& report : reports) {
      if (session.user() != 1 || report.partition != partition_ || report.sequence.value < from_) continue;
      if (report.sequence.value > up_to) return std::nullopt;
      EXPECT_TRUE(session.send(report, mit::code_of(report.reason)));
      from_ = report.sequence.value + 1;
    }
    return mit::Recovery::good;
  }
  void on_recovery_free(mit::RecoveryServer& session, Time) override { free_.push_back(&session); }
  void serve(Time now) {
    for (const auto& session : sessions_) static_cast<void>(session->serve(now));
  }

  mit::VenueDay day;  // nothing: it says none
  std::vector<OwnerReport> reports;
  std::vector<std::string> asked;
  std::uint8_t partitions = 1;
  bool refuses = false, refuses_once = false;
  bool is_later_day = false;
  bool is_slow = false;
  bool is_away = false;                     // nobody can connect
  std::uint64_t up_to = ~std::uint64_t{0};  // what follows it has to wait
  mit::RecoveryServer* accepted = nullptr;  // the latest one
  int logons = 0;
  std::string password;  // of the latest one

 private:
  std::vector<std::unique_ptr<mit::RecoveryServer>> sessions_;
  std::vector<mit::RecoveryServer*> free_;
  std::uint8_t partition_ = 0;
  std::uint64_t from_ = 0;
};

/// The world of the other tests, with a recovery channel.
struct RecoveringWorld {
  explicit RecoveringWorld(
      GatewayParts parts = {}, const GatewayConfig& wanted = config(),
      const std::function<void(RecoveringWorld&)>& before = [](RecoveringWorld&) {})
      : gateway(wanted, network, scheduler, with(parts, seen)) {
    before(*this);
    EXPECT_TRUE(network.listen(k_venue_address, venue).has_value());
    EXPECT_TRUE(network.listen(k_recovery_address, recovery).has_value());
    EXPECT_TRUE(gateway.start(k_fix_address, k_venue_address, k_recovery_address, secondary).has_value());
    for (int count = 0; count < 10 && !gateway.is_venue_ready(0); ++count) run(10ms);
    EXPECT_TRUE(gateway.is_venue_ready(0));
    network.connect(k_fix_address, client.session);
    run(10ms);
    EXPECT_TRUE(client.session.is_logged_on());
  }
  ~RecoveringWorld() {
    gateway.stop("end");
    client.session.logout("end");
    recovery.is_slow = false;
    for (int count = 0; count < 60 && !gateway.is_idle(); ++count) run(1s);
    EXPECT_TRUE(gateway.is_idle());
  }
  static GatewayParts with(GatewayParts parts, Observer& observer) {
    parts.observer = &observer;
    return parts;
  }
  static GatewayConfig config() {
    GatewayConfig config = small_config();
    config.reconnect = 100ms;
    config.limits.held_reports = 2;
    return config;
  }
  void run(time::Duration duration) {
    const Time end = scheduler.now() + duration;
    for (;;) {
      answer_leftovers();
      recovery.serve(scheduler.now());
      network.finish(scheduler.now());
      const Time next = std::min({scheduler.next_due(), end, scheduler.now() + 1ms});
      scheduler.check(next, 10'000);
      if (next == end) break;
    }
    recovery.serve(scheduler.now());
    network.finish(scheduler.now());
  }
  /// A venue that was taken for another one is asked to cancel what it may have: it has.
  void answer_leftovers() {
    for (; cancels_seen < venue.mass_cancels.size(); ++cancels_seen) {
      const market::MassCancel& cancel = venue.mass_cancels[cancels_seen];
      if (!has_leftovers_answer || cancel.of != market::MassCancelOf::orders) continue;
      OwnerReport report;
      report.time = scheduler.now();
      report.kind = OwnerReportKind::mass_cancelled;
      report.client_order_id = cancel.client_order_id;
      report.instrument = 7;
      venue.say(report);
    }
  }
  /// The venue says it, and will again.
  void say(const OwnerReport& report) {
    recovery.reports.push_back(report);
    venue.say(report);
  }
  /// The venue says it to nobody: the user is away.
  void say_in_vain(const OwnerReport& report) { recovery.reports.push_back(report); }
  void lose_venue() {
    venue.is_open = false;
    network.cut(*venue.users.at("USER1"));
    run(10ms);
  }
  void find_venue(time::Duration patience = 200ms) {
    venue.is_open = true;
    run(patience);
  }
  market::NewOrder enter(const std::string& id, std::uint64_t order_id) {
    client.send("D", new_order(id));
    run(1ms);
    EXPECT_FALSE(venue.orders.empty());
    say(venue.accepted(venue.orders.back(), order_id));
    run(1ms);
    EXPECT_EQ(client.only().show({11, 150}), "8 11=" + id + " 150=0");
    return venue.orders.back();
  }
  std::vector<std::string> received(std::initializer_list<int> tags) {
    std::vector<std::string> lines;
    for (const Message& message : client.take()) lines.push_back(message.show(tags));
    return lines;
  }

  /// Of USER1.
  struct Seen final : Observer {
    void on_venue_unrecoverable(std::size_t user, Time) override { unrecoverable += user == 0 ? 1 : 0; }
    void on_other_venue(std::size_t user, std::uint64_t orders, Time) override {
      if (user != 0) return;
      ++others;
      lost += orders;
    }
    void on_venue_next_day(std::size_t user, const EndedDays& ended, Time) override {
      if (user != 0) return;
      ++(ended.is_missed ? missed_days : days);
      last_ended = ended;
    }
    void on_venue_trouble(std::size_t user, const Error&, Time) override { troubles += user == 0 ? 1 : 0; }
    int troubles = 0;
    int unrecoverable = 0, others = 0, days = 0, missed_days = 0;
    EndedDays last_ended;
    std::uint64_t lost = 0;
  };

  Seen seen;
  bool has_leftovers_answer = true;
  std::size_t cancels_seen = 0;
  std::optional<VenueAddress> secondary;  // without a recovery channel, if any
  sched::Scheduler scheduler{512, k_noon};
  link::SimulatedNetwork network{scheduler, {}};
  ScriptedVenue venue{scheduler};
  ScriptedRecovery recovery{scheduler};
  Gateway gateway;
  FixClient client{scheduler, "CLIENT1"};
};

using Lines = std::vector<std::string>;

/// On a disk, with a journal that is given segments only when the test says so.
struct OnDisk {
  explicit OnDisk(journal::SimulatedDisk& on) : disk(on) {
    auto opened = fix::JournalStores::open(disk, {.name = "test",
                                                  .durability = journal::Durability::process,
                                                  .segment_bytes = std::size_t{1} << 14,
                                                  .disk_bytes = std::uint64_t{1} << 22,
                                                  .largest_message = 4196,
                                                  .state_bytes = std::uint64_t{1} << 17,
                                                  .on_state = [this](Bytes piece) { return saved.apply(piece); }});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    stores = std::move(*opened);
    work();
  }
  void work() const {
    while (stores->journal().work()) {
    }
    stores->deliver();
  }
  [[nodiscard]] GatewayParts parts() const { return {.stores = stores.get(), .saved = &saved}; }

  journal::SimulatedDisk& disk;
  SavedState saved;
  std::unique_ptr<fix::JournalStores> stores;
};

/// What the next life's venue and client have of this one's.
struct Carried {
  void take(RecoveringWorld& world) {
    reports = world.recovery.reports;
    said = world.recovery.day;
    is_later_day = world.recovery.is_later_day;
    last_sequence = world.venue.last_sequence;
    last_execution = world.venue.last_execution;
    world.gateway.stop("end");
    for (int count = 0; count < 60 && !world.gateway.is_idle(); ++count) world.run(1s);
    world.run(1s);
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
  }
  void give(RecoveringWorld& world) const {
    // Later than all that the last life said: what is sent again says when it was sent first.
    static_cast<void>(world.scheduler.check(world.scheduler.now() + 2min, 10'000));
    world.recovery.reports = reports;
    world.recovery.day = said;
    world.recovery.is_later_day = is_later_day;
    world.venue.last_sequence = last_sequence;
    world.venue.last_execution = last_execution;
    world.client.session.store().set_next_outgoing(outgoing);
    world.client.session.store().set_next_incoming(incoming);
  }
  std::vector<OwnerReport> reports;
  mit::VenueDay said;
  bool is_later_day = false;
  decltype(ScriptedVenue::last_sequence) last_sequence{};
  decltype(ScriptedVenue::last_execution) last_execution{};
  market::Sequence outgoing, incoming;
};

inline GatewayConfig config_on_disk() {
  GatewayConfig config = RecoveringWorld::config();
  config.limits.orders = 512;
  config.limits.requests = 2048;
  config.limits.remembered_ids = 512;
  return config;
}

}  // namespace dojima::gateway::testing
