#pragma once

// The whole road with its disks, where every process may be killed at any instant: FIX clients that connect again for
// ever, a gateway on its journal, a venue on its journal with a recovery channel, all in virtual time. What a killed
// process does after its end leaves no byte on a wire or a disk. Clients act at random and keep ledgers; at rest the
// ledgers are what the venue's books and totals say.

#include "tests/fix_cases/pair_wire.hpp"
#include "tests/integration/process_fabric.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/stores_follower.hpp"
#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"
#include "dojima/venue/recovery/recovery_front.hpp"

namespace dojima::integration {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Fields, gateway::testing::FixClient, gateway::testing::Message;
using gateway::testing::k_fix_address, gateway::testing::k_venue_address, gateway::testing::k_noon;
using time::Time;

inline const link::Address k_recovery_address{"venue", 3};
/// Of the second venue, where there is one.
inline const link::Address k_second_address{"second", 2}, k_second_recovery{"second", 3};

struct LivesOptions {
  std::uint64_t seed = 1;
  journal::Durability durability = journal::Durability::process;
  bool cancels_on_disconnect = false;
  std::uint32_t throttle = 0;      ///< of the venue's users, messages a second
  bool is_shared = false;          ///< both traders are USER1 at the venue
  bool has_sub_id = false;         ///< the first trader's orders are USER3's where they name SenderSubID ANN
  bool has_second = false;         ///< BETA is traded at a venue of its own
  std::uint32_t chain = 0;         ///< changes of a client that may wait for the one before them
  bool has_standby = false;        ///< the next gateway has followed the journal of the one before
  bool has_busts = false;          ///< the venue's operator takes trades back or corrects them now and then
  bool has_quotes = false;         ///< traders quote, too
  bool has_days = false;           ///< the venue's days end now and then; half of the orders outlive them
  bool has_copy = false;           ///< a firm has a drop copy of both traders
  bool has_slow_disk = false;      ///< the gateway's, in small segments: now and then none is ready for a while
  std::size_t orders = 500;        ///< of the venue; its report log has four places for each
  gateway::ClientLimits limits{};  ///< of each client at the gateway
  gateway::CancelOnDisconnect cancel = gateway::CancelOnDisconnect::never;
  time::Duration grace{};
  link::SimulatedNetworkOptions network{.delay = 50us, .jitter = 200us};
};

class Lives {
 private:
  LivesOptions options_;
  std::mt19937_64 random_, busts_{options_.seed + 1'000'003};

 public:
  sched::Scheduler scheduler{2048, k_noon};
  link::SimulatedNetwork network{scheduler, options_.network};
  journal::SimulatedDisk venue_disk{{.seed = 1}}, gateway_disk{{.seed = 2}}, second_disk{{.seed = 3}};
  pairs::Fuse venue_fuse{venue_disk}, gateway_fuse{gateway_disk}, second_fuse{second_disk};
  ProcessFabric venue_fabric{network, venue_fuse}, gateway_fabric{network, gateway_fuse},
      second_fabric{network, second_fuse};
  bool is_restarting = true;  ///< a process that has ended is started again, some time

  static constexpr std::size_t k_traders = 2;

  explicit Lives(const LivesOptions& options) : options_(with_seed(options)), random_(options.seed) {
    for (std::size_t index = 0; index < k_traders; ++index)
      traders.push_back(std::make_unique<Trader>(scheduler, "CLIENT" + std::to_string(index + 1)));
    if (options_.has_copy) firm = std::make_unique<Trader>(scheduler, "FIRM");
    start_venue();
    start_second();
    start_gateway();
    run(10ms);
  }
  ~Lives() {
    if (gateway) kill_gateway(false);
    if (venue) kill_venue(false);
    if (second) kill_second(false);
    for (const auto& trader : traders) trader->client.session.logout("end");
    if (firm) firm->client.session.logout("end");
    run(60s, false);
  }

  struct Trader {
    Trader(sched::Scheduler& scheduler, const std::string& comp_id) : name(comp_id), client(scheduler, comp_id) {}
    std::string name;
    FixClient client;
    ClientLedger ledger;
    std::vector<std::string> ids;
    std::vector<std::string> executions, copied;  ///< ExecIDs that it received, and the firm for it
  };

  struct Venue {
    Venue(Lives& lives, bool is_second);
    void step(Time now) {
      front->finish(now);
      for (int count = 0; count < 50 && recovery->finish(now) != 0; ++count) {
      }
    }
    std::unique_ptr<venue::JournaledPartition> journaled;
    std::unique_ptr<venue::ReportArchive> archive;
    std::unique_ptr<venue::Front> front;
    std::unique_ptr<venue::RecoveryFront> recovery;
    venue::Partition& partition() { return journaled->partition(); }
  };
  /// What gateways have said of the venues' days.
  struct Days final : gateway::Observer {
    void on_venue_next_day(std::size_t, const gateway::EndedDays& ended, Time) override {
      ++(ended.is_missed ? missed : seen);
      if (ended.is_missed) last_missed = ended;
    }
    void on_other_venue(std::size_t, std::uint64_t, Time) override { ++other_venues; }
    void on_venue_status(std::size_t, const mit::SystemStatus& status, Time) override { statuses.push_back(status); }
    std::vector<mit::SystemStatus> statuses;
    std::uint64_t missed = 0, seen = 0, other_venues = 0;
    gateway::EndedDays last_missed;
  };
  /// Follows the gateway's journal, now and then.
  struct Standby {
    explicit Standby(Lives& lives);
    std::unique_ptr<gateway::SavedState> saved = std::make_unique<gateway::SavedState>();
    std::unique_ptr<fix::StoresFollower> follower;
  };
  struct Gateway {
    explicit Gateway(Lives& lives);
    std::unique_ptr<gateway::SavedState> saved = std::make_unique<gateway::SavedState>();
    std::unique_ptr<fix::JournalStores> stores;
    std::unique_ptr<gateway::Gateway> object;
  };

  void start_venue() {
    venue_disk.restart();
    venue_fuse.light(0, false);
    venue = std::make_unique<Venue>(*this, false);
  }
  void start_second() {
    if (!options_.has_second) return;
    second_disk.restart();
    second_fuse.light(0, false);
    second = std::make_unique<Venue>(*this, true);
  }
  void kill_second(bool loses_power, bool is_cut = true) {
    if (second_disk.has_power()) loses_power ? second_disk.lose_power() : second_disk.end_process();
    second_fabric.die(is_cut);
    second.reset();
  }
  void start_gateway() {
    gateway_disk.restart();
    gateway_fuse.light(0, false);
    gateway = std::make_unique<Gateway>(*this);
    if (options_.has_standby) standby = std::make_unique<Standby>(*this);
  }
  void kill_venue(bool loses_power, bool is_cut = true) {
    if (venue_disk.has_power()) loses_power ? venue_disk.lose_power() : venue_disk.end_process();
    venue_fabric.die(is_cut);
    venue.reset();
  }
  /// Of a venue that is dead: the next one begins with nothing.
  void empty_venue_disk() {
    venue_disk.restart();
    const auto names = venue_disk.list();
    for (const std::string& name : *names) EXPECT_TRUE(venue_disk.remove(name).has_value());
  }
  void kill_gateway(bool loses_power, bool is_cut = true) {
    if (gateway_disk.has_power()) loses_power ? gateway_disk.lose_power() : gateway_disk.end_process();
    if (!gateway_disk.has_process_ended()) standby.reset();  // it has no power either
    gateway_fabric.die(is_cut);
    if (gateway) journal_waits += counters().journal_waits;
    gateway.reset();
  }

  /// Time passes. Clients that are not connected connect again.
  void run(time::Duration duration, bool connects = true) {
    const auto finish_instant = [this, connects](Time now) {
      finish();
      if (connects && now >= next_attempt_) attempt();
    };
    link::run_instants(scheduler, duration, finish_instant, 1ms);
  }
  /// Until all are logged on and nothing is left to be recovered.
  void settle();
  /// Everything is started, logged on and connected, or a minute has passed.
  void become_ready();
  void listen() {
    for (const auto& trader : traders)
      for (const Message& message : trader->client.take()) {
        if (has_log) log.push_back(message.show({11, 41, 150, 39, 38, 32, 14, 103, 102, 380, 58}));
        trader->ledger.reported(message);
        if (message.type == "8") trader->executions.push_back(message.at(17));
      }
    if (!firm) return;
    for (const Message& message : firm->client.take())
      for (const auto& trader : traders)
        if (trader->name == message.at(115)) trader->copied.push_back(message.at(17));
  }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// The day of a venue ends as soon as everybody has everything of it. False: there is none, or it is ending.
  bool end_day(bool is_of_second = false) {
    const std::unique_ptr<Venue>& where = is_of_second ? second : venue;
    return where && where->front->end_day(scheduler.now()).has_value();
  }
  [[nodiscard]] bool is_ready() const;
  Days days;

  void act();
  /// One of the last trades of either instrument is busted or corrected, if it still counts.
  void bust();
  std::uint64_t busted = 0, corrected = 0;
  std::string enter(Trader& who);
  std::string enter(Trader& who, const std::string& side, std::uint64_t lots, const std::string& limit,
                    const std::string& symbol = "ALPHA");
  /// One that outlives the day.
  std::string enter_until_august(Trader& who, const std::string& side, std::uint64_t lots, const std::string& limit);
  /// The second trader sells at the venue, past any gateway.
  void sell_at_venue(int times, std::int64_t units);
  std::string quote(Trader& who);
  std::string quote(Trader& who, std::uint64_t bid, std::uint64_t bid_size, std::uint64_t ask, std::uint64_t ask_size,
                    const std::string& symbol = "ALPHA");
  /// A quote is cancelled, never replaced.
  void change(Trader& who, char type);
  std::string change(Trader& who, char type, const std::string& orig);
  /// A process ends: now, or in the middle of something soon.
  void kill_something();

  void kill_the_second(bool loses_power);

  /// Over both venues.
  [[nodiscard]] venue::UserTotals totals_of(std::uint16_t user);
  [[nodiscard]] std::uint64_t live_orders();
  /// At rest: everything was answered once, and the ledgers are what the venue says. Where a gateway has said that
  /// some of a day may be missing: nothing was reported twice, and no order was lost.
  void check();
  /// What holds also where something may be missing: no report came twice, and nothing was lost by the gateway.
  void check_reported_once();
  /// Whom the trader is at the venue.
  [[nodiscard]] std::uint16_t user_of(std::size_t trader) const {
    return options_.is_shared ? 0 : static_cast<std::uint16_t>(trader);
  }
  static constexpr std::uint16_t k_sub_user = 2;  ///< USER3, whose orders are the first trader's
  [[nodiscard]] std::uint64_t resting(std::uint16_t user) const {
    std::uint64_t sum = 0;
    for (const Venue* each : {venue.get(), second.get()})
      for (const std::uint32_t instrument : {7u, 8u})
        for (const market::Side side : {market::Side::buy, market::Side::sell}) {
          const auto* const book = each == nullptr ? nullptr : each->journaled->partition().book(instrument);
          if (book == nullptr) continue;
          book->each_resting(side, [&](const auto& order) {
            if (order.owner == user) sum += static_cast<std::uint64_t>(order.leaves.lots);
          });
        }
    return sum;
  }
  [[nodiscard]] const gateway::GatewayCounters& counters() const { return gateway->object->counters(); }
  [[nodiscard]] const LivesOptions& options() const { return options_; }

  std::vector<std::unique_ptr<Trader>> traders;
  std::unique_ptr<Trader> firm;  ///< LivesOptions::has_copy
  std::unique_ptr<Venue> venue, second;
  std::unique_ptr<Gateway> gateway;
  std::unique_ptr<Standby> standby;
  std::uint64_t takeovers = 0;
  std::vector<std::string> log;
  bool has_log = false;
  std::uint64_t kills = 0;
  std::uint64_t journal_waits = 0;  ///< of gateways that are gone, GatewayCounters::journal_waits

 private:
  std::string enter(Trader& who, Fields fields);
  static LivesOptions with_seed(LivesOptions options) {
    options.network.seed = options.seed;
    return options;
  }
  std::string price() { return std::to_string(95 + draw(11)); }

  void attempt() {
    next_attempt_ = scheduler.now() + 200ms;
    for (const auto& trader : traders)
      if (!trader->client.session.is_connected()) network.connect(k_fix_address, trader->client.session);
    if (firm && !firm->client.session.is_connected()) network.connect(k_fix_address, firm->client.session);
  }
  void check_copies();
  /// Processes that have ended are gone, and are started again after a while.
  void bury() {
    if (gateway && !gateway_disk.has_power()) kill_gateway(false, draw(2) == 0);
    if (venue && !venue_disk.has_power()) kill_venue(false, draw(2) == 0);
    if (!gateway && is_restarting && draw(300) == 0) start_gateway();
    if (!venue && is_restarting && draw(300) == 0) start_venue();
    if (!options_.has_second) return;
    if (second && !second_disk.has_power()) kill_second(false, draw(2) == 0);
    if (!second && is_restarting && draw(300) == 0) start_second();
  }
  // What became durable leaves, the front hands out, then the network flushes, as in a loop's list of sources.
  void finish() {
    const Time now = scheduler.now();
    if (gateway && draw(2) == 0) {
      if (!is_stalled(now)) gateway->stores->journal().work();
      gateway->stores->deliver();
      gateway->object->release();
    }
    if (standby && gateway_disk.has_power() && standby_random_() % 4 == 0) follow();
    if (venue && draw(2) == 0) venue->journaled->journal().work();
    if (venue && venue_disk.has_power()) venue->step(now);
    if (second && draw(2) == 0) second->journaled->journal().work();
    if (second && second_disk.has_power()) second->step(now);
    network.finish(now);
    bury();
  }

  /// Whether the gateway's disk does nothing now.
  bool is_stalled(Time now) {
    if (!options_.has_slow_disk) return false;
    if (now >= stalled_until_ && stalls_() % 200 == 0)
      stalled_until_ = now + time::Duration{20ms} * (1 + stalls_() % 10);
    return now < stalled_until_;
  }

  void follow() {
    const auto read = standby->follower->step(1 + standby_random_() % 20);
    EXPECT_TRUE(read) << "seed " << options_.seed << ": " << (read ? "" : describe(read.error()));
  }

  std::mt19937_64 standby_random_{options_.seed + 7}, stalls_{options_.seed + 11};
  Time stalled_until_{};
  Time next_attempt_ = k_noon;
  std::map<std::string, Fields> sides_;
  int last_id_ = 0;
};

}  // namespace dojima::integration
