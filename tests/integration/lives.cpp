#include "tests/integration/lives.hpp"

#include "dojima/gateway/translator.hpp"

namespace dojima::integration {
namespace {

constexpr std::size_t k_segment = std::size_t{1} << 18, k_small_segment = std::size_t{1} << 15;

market::Instrument instrument(std::uint32_t id, const char* symbol) {
  return {.id = id,
          .symbol = symbol,
          .partition = 1,
          .ticks = market::TickTable::uniform({market::k_price_scale}, {market::k_price_scale},
                                              {200 * market::k_price_scale})
                       .value(),
          .maximum_quantity = {1'000'000},
          .reference = {100 * market::k_price_scale}};
}

std::vector<venue::UserConfig> users_of(const LivesOptions& options) {
  std::vector<venue::UserConfig> users;
  for (std::size_t index = 0; index < Lives::k_traders + 1; ++index)
    users.push_back({.name = "USER" + std::to_string(index + 1),
                     .password = "Secret#2026",
                     .set_up = {.cancel_on_disconnect = options.cancels_on_disconnect,
                                .cancel_on_logout = options.cancels_on_disconnect},
                     .throttle = options.throttle});
  return users;
}

/// BETA at a second venue, where all clients have users of the same names.
gateway::GatewayConfig with_second(gateway::GatewayConfig config) {
  config.symbols[1].venue = "SECOND";
  config.other_venues = {{.name = "SECOND", .address = {k_second_address, k_second_recovery}, .reconnect = 300ms}};
  const std::vector<gateway::UserConfig> users = config.users;
  for (gateway::UserConfig user : users) {
    user.venue = "SECOND";
    config.users.push_back(user);
  }
  for (const gateway::ClientConfig& client : config.clients)
    config.users.push_back({.client = client.comp_id,
                            .venue = "SECOND",
                            .logon = {.name = client.venue_user, .password = client.venue_password}});
  return config;
}

gateway::GatewayConfig gateway_config(const LivesOptions& options) {
  gateway::GatewayConfig config;
  for (std::size_t index = 0; index < Lives::k_traders; ++index)
    config.clients.push_back({.comp_id = "CLIENT" + std::to_string(index + 1),
                              .venue_user = "USER" + std::to_string(options.is_shared ? 1 : index + 1),
                              .venue_password = "Secret#2026",
                              .limits = options.limits,
                              .cancel_on_disconnect = options.cancel,
                              .cancel_grace = options.grace,
                              .chain = options.chain});
  if (options.has_copy) config.drop_copies = {{.comp_id = "FIRM", .clients = {"CLIENT1", "CLIENT2"}}};
  if (options.has_sub_id)
    config.users = {{.client = "CLIENT1", .sub_id = "ANN", .logon = {.name = "USER3", .password = "Secret#2026"}}};
  config.symbols = {{"ALPHA", 7}, {"BETA", 8}};
  if (options.has_second) config = with_second(std::move(config));
  config.limits = {.orders = 1024,
                   .requests = 2048,
                   .remembered_ids = 2048,
                   .store_messages = 1 << 13,
                   .store_bytes = 1 << 22,
                   .held_reports = 64,
                   .pending_links = 8};
  config.reconnect = 300ms;
  return config;
}

fix::JournalStoresOptions store_options(const LivesOptions& options, gateway::SavedState& saved) {
  return {.name = "test",
          .durability = options.durability,
          .segment_bytes = options.has_slow_disk ? k_small_segment : k_segment,
          .disk_bytes = std::uint64_t{1} << 24,
          .state_bytes = gateway::SavedState::bytes_most(gateway_config(options)),
          .on_state = [&saved](Bytes piece) { return saved.apply(piece); }};
}

}  // namespace

Lives::Venue::Venue(Lives& lives, bool is_second) {
  std::vector<market::Instrument> instruments{instrument(7, "ALPHA"), instrument(8, "BETA")};
  if (lives.options().has_second) instruments.erase(is_second ? instruments.begin() : instruments.begin() + 1);
  ProcessFabric& fabric = is_second ? lives.second_fabric : lives.venue_fabric;
  const std::vector<venue::UserConfig> users = users_of(lives.options());
  venue::JournaledPartitionOptions options{
      .settings = {.config = {.app_id = 1,
                              .instruments = instruments,
                              .users = venue::set_ups_of(users),
                              .limits = {.orders = lives.options().orders,
                                         .levels = 256,
                                         .reports = 4 * lives.options().orders + 64,
                                         .trades = 64},
                              .full_reports = true},
                   .user_names = {"USER1", "USER2", "USER3"},
                   .build = "test"},
      .now = lives.scheduler.now()};
  options.journal.durability = lives.options().durability;
  options.journal.segment_bytes = k_segment;
  auto opened = venue::JournaledPartition::open(is_second ? lives.second_disk : lives.venue_disk, options);
  if (!opened) {
    ADD_FAILURE() << "seed " << lives.options().seed << ": " << opened.error().what;
    std::abort();
  }
  journaled = std::move(*opened);
  const std::vector<venue::Partition*> partitions{&journaled->partition()};
  front =
      std::make_unique<venue::Front>(venue::FrontConfig{.users = users, .sessions = 16}, lives.scheduler, partitions);
  archive = std::make_unique<venue::ReportArchive>(*journaled, venue::ReportArchiveOptions{.has_thread = false});
  const std::vector<venue::ReportArchive*> archives{archive.get()};
  recovery = std::make_unique<venue::RecoveryFront>(venue::RecoveryFrontConfig{.sessions = 8}, lives.scheduler, *front,
                                                    partitions, archives);
  EXPECT_TRUE(fabric.listen(is_second ? k_second_address : k_venue_address, *front).has_value());
  EXPECT_TRUE(fabric.listen(is_second ? k_second_recovery : k_recovery_address, *recovery).has_value());
}

Lives::Standby::Standby(Lives& lives) {
  auto begun = fix::StoresFollower::begin(lives.gateway_disk, store_options(lives.options(), *saved),
                                          [this] { *saved = gateway::SavedState(); });
  if (!begun) std::abort();
  follower = std::move(*begun);
}

Lives::Gateway::Gateway(Lives& lives) {
  const gateway::GatewayConfig config = gateway_config(lives.options());
  const auto fail = [&](const journal::Trouble& trouble) {
    ADD_FAILURE() << "seed " << lives.options().seed << ": " << describe(trouble);
    std::abort();
  };
  if (const std::unique_ptr<Standby> warm = std::move(lives.standby); warm != nullptr) {
    auto lock = lives.gateway_disk.lock();
    EXPECT_TRUE(lock) << "seed " << lives.options().seed;
    auto taken = fix::StoresFollower::take_over(std::move(warm->follower), std::move(*lock));
    if (!taken) fail(taken.error());
    EXPECT_FALSE(taken->is_cold && taken->followed.value != 0) << "seed " << lives.options().seed;
    stores = std::move(taken->stores);
    saved = std::move(warm->saved);
    ++lives.takeovers;
  } else {
    auto opened = fix::JournalStores::open(lives.gateway_disk, store_options(lives.options(), *saved));
    if (!opened) fail(opened.error());
    stores = std::move(*opened);
  }
  object = std::make_unique<gateway::Gateway>(
      config, lives.gateway_fabric, lives.scheduler,
      gateway::GatewayParts{.observer = &lives.days, .stores = stores.get(), .saved = saved.get()});
  EXPECT_TRUE(object->start(k_fix_address, k_venue_address, k_recovery_address).has_value());
}

venue::UserTotals Lives::totals_of(std::uint16_t user) {
  venue::UserTotals totals = venue->partition().totals(user);
  if (!second) return totals;
  const venue::UserTotals& more = second->partition().totals(user);
  totals.bought += more.bought;
  totals.sold += more.sold;
  return totals;
}

std::uint64_t Lives::live_orders() {
  return venue->partition().live_orders() + (second ? second->partition().live_orders() : 0);
}

/// The firm has what the traders received, in the same order.
void Lives::check_copies() {
  if (!firm) return;
  for (const auto& trader : traders) EXPECT_EQ(trader->copied, trader->executions) << "seed " << options_.seed;
}

void Lives::check_reported_once() {
  for (const auto& trader : traders)
    for (const std::string& complaint : trader->ledger.complaints())
      EXPECT_FALSE(complaint.starts_with("no ExecID comes twice")) << "seed " << options_.seed << ": " << complaint;
  EXPECT_EQ(counters().lost_orders, 0u);
  EXPECT_EQ(counters().undelivered, 0u);
  EXPECT_EQ(counters().unwritten, 0u);
}

void Lives::check() {
  settle();
  check_copies();
  EXPECT_EQ(days.other_venues, 0u) << "seed " << options_.seed;
  if (days.missed != 0) return check_reported_once();
  /// What the traders' ledgers say of a user of the venue.
  struct Sums {
    std::int64_t bought = 0, sold = 0, leaves = 0;
  };
  std::map<std::uint16_t, Sums> users;
  std::int64_t bought = 0, sold = 0;
  for (std::size_t index = 0; index < k_traders; ++index) {
    ClientLedger& ledger = traders[index]->ledger;
    ledger.check_answers();
    EXPECT_EQ(ledger.complaints(), std::vector<std::string>{}) << "seed " << options_.seed << " trader " << index + 1;
    Sums& sums = users[user_of(index)];
    sums.bought += ledger.bought();
    sums.sold += ledger.sold();
    sums.leaves += ledger.leaves();
    bought += ledger.bought();
    sold += ledger.sold();
  }
  for (const auto& [user, sums] : users) {
    const std::string who = "seed " + std::to_string(options_.seed) + " user " + std::to_string(user + 1);
    venue::UserTotals totals = totals_of(user);
    std::uint64_t rests = resting(user);
    if (user == 0 && options_.has_sub_id) {
      const venue::UserTotals more = totals_of(k_sub_user);
      totals.bought += more.bought;
      totals.sold += more.sold;
      rests += resting(k_sub_user);
    }
    EXPECT_EQ(static_cast<std::uint64_t>(sums.bought), totals.bought) << who;
    EXPECT_EQ(static_cast<std::uint64_t>(sums.sold), totals.sold) << who;
    EXPECT_EQ(static_cast<std::uint64_t>(sums.leaves), rests) << who;
  }
  EXPECT_EQ(bought, sold) << "seed " << options_.seed;
  const gateway::Records& records = gateway->object->translator().records();
  EXPECT_EQ(records.requests(), records.orders() - records.closed_orders()) << "seed " << options_.seed;
  std::uint64_t open = 0;
  for (std::uint32_t client = 0; client < k_traders; ++client) {
    open += gateway->object->translator().limits().open_orders(client);
    EXPECT_EQ(gateway->object->translator().waiting(client), 0u);
  }
  EXPECT_EQ(open, live_orders()) << "seed " << options_.seed;
  EXPECT_EQ(records.requests(), live_orders()) << "seed " << options_.seed;
  const auto trouble = gateway->stores->journal().trouble();
  EXPECT_EQ(counters().undelivered, 0u) << (trouble ? trouble->expected : "the journal is well");
  EXPECT_EQ(counters().unwritten, 0u);
  EXPECT_EQ(counters().lost_orders, 0u);
  EXPECT_EQ(counters().strays, 0u) << "seed " << options_.seed;
}

}  // namespace dojima::integration
