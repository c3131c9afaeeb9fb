#pragma once

// The whole road over the simulated network, in virtual time and one thread: FIX clients, the gateway, the venue's
// front, two partitions with their books, and back. Traders act at random and keep a ledger of what is reported;
// `check` compares their ledgers with the books.

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/venue/front.hpp"

namespace dojima::integration {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Fields, gateway::testing::FixClient, gateway::testing::Message;
using gateway::testing::k_fix_address, gateway::testing::k_venue_address, gateway::testing::k_noon;
using time::Time;

/// A connection that says whatever bytes it is given.
class RawPeer final : public link::Connection {
 public:
  void on_open(link::Transport& transport, Time) override { transport_ = &transport; }
  std::size_t on_bytes(Bytes bytes, Time) override {
    received += as_text(bytes);
    return bytes.size();
  }
  void on_writable(Time) override {}
  void on_closed(link::CloseReason, Time) override { transport_ = nullptr; }

  [[nodiscard]] bool is_open() const { return transport_ != nullptr; }
  void say(std::string_view text) {
    if (transport_ == nullptr) return;
    const Room room = transport_->prepare(text.size());
    ASSERT_EQ(room.size(), text.size());
    std::ranges::copy(dojima::as_bytes(text), room.begin());
    transport_->commit(text.size());
  }
  void hang_up() {
    if (transport_ != nullptr) transport_->close(link::CloseReason::by_us);
  }
  std::string received;

 private:
  link::Transport* transport_ = nullptr;
};

/// A FIX message as bytes.
inline std::string fix_bytes(std::string body) {
  std::ranges::replace(body, '|', '\x01');
  std::string text = "8=FIX.4.4\x01";
  text += "9=" + std::to_string(body.size()) + "\x01" + body;
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::string digits = std::to_string(sum % 256);
  return text + "10=" + std::string(3 - digits.size(), '0') + digits + "\x01";
}

struct Trader {
  Trader(sched::Scheduler& scheduler, const std::string& name) : client(scheduler, name) {}
  FixClient client;
  ClientLedger ledger;
  std::vector<std::string> ids;  // that may address an order
};

class Road {
 public:
  static constexpr std::size_t k_traders = 3;

  /// `adapt`: what the test wants otherwise of users and gateway.
  using Adapt = std::function<void(std::vector<venue::UserConfig>&, gateway::GatewayConfig&)>;
  explicit Road(std::uint64_t seed, link::SimulatedNetworkOptions options = {},
                const mit::Dialect& dialect = mit::lse_21_2::k_dialect, const Adapt& adapt = {})
      : random_(seed) {
    options.seed = seed;
    network = std::make_unique<link::SimulatedNetwork>(scheduler, options);
    std::vector<venue::UserConfig> users = user_configs();
    gateway::GatewayConfig gateway = gateway_config(dialect);
    if (adapt) adapt(users, gateway);
    for (std::uint8_t app = 1; app <= 2; ++app) {
      journals_.push_back(std::make_unique<journal::MemoryJournal>(
          journal::MemoryJournalOptions{.keep = journal::Keep::none, .capacity = 0}));
      market::Instrument instrument{.id = 6u + app,
                                    .symbol = app == 1 ? "ALPHA" : "BETA",
                                    .partition = app,
                                    .ticks = ticks(),
                                    .maximum_quantity = {1'000'000},
                                    .reference = {100 * market::k_price_scale}};
      partitions.push_back(std::make_unique<venue::Partition>(
          venue::PartitionConfig{.app_id = app,
                                 .instruments = {instrument},
                                 .users = venue::set_ups_of(users),
                                 .limits = {.orders = 4096, .levels = 512, .reports = 1 << 15, .trades = 1024},
                                 .full_reports = true},
          *journals_.back()));
    }
    front = std::make_unique<venue::Front>(venue::FrontConfig{.users = users, .sessions = 8, .dialect = &dialect},
                                           scheduler,
                                           std::vector<venue::Partition*>{partitions[0].get(), partitions[1].get()});
    EXPECT_TRUE(network->listen(k_venue_address, *front).has_value());
    gate = std::make_unique<gateway::Gateway>(gateway, *network, scheduler);
    EXPECT_TRUE(gate->start(k_fix_address, k_venue_address).has_value());
    for (std::size_t index = 0; index < k_traders; ++index)
      traders.push_back(std::make_unique<Trader>(scheduler, "CLIENT" + std::to_string(index + 1)));
    run(10ms);
    EXPECT_TRUE(gate->is_venue_up());
  }
  ~Road() {
    gate->stop("end");
    for (const auto& trader : traders) trader->client.session.logout("end");
    front->logout_all("end");
    run(60s);
  }

  void log_on(std::size_t trader) {
    network->connect(k_fix_address, traders[trader]->client.session);
    run(100ms);
    ASSERT_TRUE(traders[trader]->client.session.is_logged_on());
  }
  void log_on_all() {
    for (std::size_t trader = 0; trader < k_traders; ++trader) log_on(trader);
  }

  void run(time::Duration duration) {
    link::run_instants(scheduler, duration, [this](Time) { finish(); });
  }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// One trader does something, time passes, everybody listens.
  void act(std::size_t trader) {
    Trader& who = *traders[trader];
    if (draw(3) != 0 || who.ids.empty()) {
      enter(who);
    } else {
      change(who, draw(2) == 0 ? 'F' : 'G');
    }
    run(time::Duration{draw(200'000)});
    listen();
  }
  void listen() {
    for (const auto& trader : traders) {
      for (const Message& message : trader->client.take()) trader->ledger.reported(message);
    }
  }

  /// Everything has arrived: the ledgers of the traders are what the books say.
  void check() {
    run(2s);
    listen();
    std::int64_t bought = 0, sold = 0;
    for (std::size_t index = 0; index < k_traders; ++index) {
      ClientLedger& ledger = traders[index]->ledger;
      ledger.check_answers();
      EXPECT_EQ(ledger.complaints(), std::vector<std::string>{}) << "trader " << index;
      const auto user = static_cast<std::uint16_t>(index);
      std::uint64_t venue_bought = 0, venue_sold = 0;
      for (const auto& partition : partitions) {
        const venue::UserTotals& totals = partition->totals(user);
        venue_bought += totals.bought;
        venue_sold += totals.sold;
        EXPECT_EQ(totals.submitted,
                  totals.bought + totals.sold + resting(*partition, user) + totals.cancelled + totals.expired);
      }
      EXPECT_EQ(static_cast<std::uint64_t>(ledger.bought()), venue_bought) << "trader " << index;
      EXPECT_EQ(static_cast<std::uint64_t>(ledger.sold()), venue_sold) << "trader " << index;
      EXPECT_EQ(static_cast<std::uint64_t>(ledger.leaves()),
                resting(*partitions[0], user) + resting(*partitions[1], user))
          << "trader " << index;
      bought += ledger.bought();
      sold += ledger.sold();
    }
    EXPECT_EQ(bought, sold);
    EXPECT_GT(bought, 0);
    EXPECT_EQ(gate->counters().strays, 0u);
    EXPECT_EQ(gate->counters().undelivered, 0u);
    EXPECT_EQ(gate->counters().missed_lots, 0u);
    const gateway::Records& records = gate->translator().records();
    EXPECT_EQ(records.requests(), records.orders() - records.closed_orders());
    EXPECT_EQ(records.requests(), partitions[0]->live_orders() + partitions[1]->live_orders());
  }

  sched::Scheduler scheduler{1024, k_noon};
  std::unique_ptr<link::SimulatedNetwork> network;
  std::vector<std::unique_ptr<venue::Partition>> partitions;
  std::unique_ptr<venue::Front> front;
  std::unique_ptr<gateway::Gateway> gate;
  std::vector<std::unique_ptr<Trader>> traders;

 private:
  static market::TickTable ticks() {
    return market::TickTable::uniform({market::k_price_scale}, {market::k_price_scale}, {200 * market::k_price_scale})
        .value();
  }
  static std::vector<venue::UserConfig> user_configs() {
    std::vector<venue::UserConfig> users;
    // One more than the gateway has clients for.
    for (std::size_t index = 0; index <= k_traders; ++index)
      users.push_back({.name = "USER" + std::to_string(index + 1), .password = "Secret#2026"});
    return users;
  }
  static gateway::GatewayConfig gateway_config(const mit::Dialect& dialect) {
    gateway::GatewayConfig config;
    config.dialect = &dialect;
    for (std::size_t index = 0; index < k_traders; ++index) {
      config.clients.push_back({.comp_id = "CLIENT" + std::to_string(index + 1),
                                .venue_user = "USER" + std::to_string(index + 1),
                                .venue_password = "Secret#2026"});
    }
    config.symbols = {{"ALPHA", 7}, {"BETA", 8}};
    config.limits = {.orders = 4096,
                     .requests = 8192,
                     .remembered_ids = 8192,
                     .store_messages = 1 << 13,
                     .store_bytes = 1 << 22,
                     .pending_links = 4};
    return config;
  }
  static std::uint64_t resting(const venue::Partition& partition, std::uint16_t user) {
    std::uint64_t sum = 0;
    for (const market::Instrument& instrument : partition.instruments()) {
      for (const market::Side side : {market::Side::buy, market::Side::sell}) {
        partition.book(instrument.id)->each_resting(side, [&](const auto& order) {
          if (order.owner == user) sum += static_cast<std::uint64_t>(order.leaves.lots);
        });
      }
    }
    return sum;
  }

  // The front hands out before the network flushes, as in a loop's list of sources.
  void finish() {
    front->finish(scheduler.now());
    network->finish(scheduler.now());
  }

  void enter(Trader& who) {
    const std::string id = "D-" + std::to_string(++last_id_);
    who.ledger.requested(id, 'D', "");
    who.ids.push_back(id);
    Fields fields{{{11, id},
                   {55, draw(2) == 0 ? "ALPHA" : "BETA"},
                   {54, draw(2) == 0 ? "1" : "2"},
                   {60, "20260720-12:00:00.000"},
                   {38, std::to_string(1 + draw(100))}}};
    switch (draw(8)) {
      case 0:
        fields.set(40, "1");
        break;
      case 1:
        fields.set(40, "2").set(44, price()).set(59, "3");
        break;
      case 2:
        fields.set(40, "2").set(44, price()).set(59, "4");
        break;
      case 3:
        fields.set(40, "2").set(44, price() + ".5");  // between ticks
        break;
      default:
        fields.set(40, "2").set(44, price());
    }
    sides_[id] = fields;
    who.client.send("D", fields);
  }

  void change(Trader& who, char type) {
    const std::string orig = who.ids[who.ids.size() - 1 - draw(std::min<std::size_t>(who.ids.size(), 10))];
    const std::string id = std::string(1, type) + "-" + std::to_string(++last_id_);
    who.ledger.requested(id, type, orig);
    Fields fields = sides_.at(orig);
    fields.drop(59).set(11, id).set(41, orig);
    if (type == 'F') {
      fields.drop(38).drop(40).drop(44);
    } else {
      fields.set(38, std::to_string(1 + draw(120)));
      if (std::ranges::find(fields.list, std::pair<int, std::string>{40, "2"}) != fields.list.end())
        fields.set(44, price());
      sides_[id] = fields;
      who.ids.push_back(id);
    }
    who.client.send(std::string(1, type), fields);
  }

  std::string price() { return std::to_string(95 + draw(11)); }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<journal::MemoryJournal>> journals_;
  std::map<std::string, Fields> sides_;  // by ClOrdID: what the order was
  int last_id_ = 0;
};

}  // namespace dojima::integration
