// What the journal of an earlier life says of a gateway's state: what is taken of it, and what is refused.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_lives.hpp"
#include "dojima/gateway/records/record_image.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

auto open_stores(journal::SimulatedDisk& disk) {
  return fix::JournalStores::open(disk, {.name = "test",
                                         .segment_bytes = std::size_t{1} << 14,
                                         .disk_bytes = std::uint64_t{1} << 22,
                                         .largest_message = 4196,
                                         .state_bytes = std::uint64_t{1} << 17});
}

/// A gateway's state with a journal, of which the whole can be written anew and read.
struct WholeState {
  explicit WholeState(const GatewayConfig& config) : states(config.clients.size()), users(config) {
    EXPECT_TRUE(stores.has_value());
    journal.begin(**stores, config);
  }
  void read_into(SavedState& saved) {
    std::vector<std::byte> room(fix::k_state_piece);
    journal.begin_checkpoint();
    for (std::size_t size = 0; (size = journal.write_checkpoint(room)) != 0;)
      EXPECT_TRUE(saved.apply(Bytes(room).first(size)));
  }
  journal::SimulatedDisk disk;
  decltype(open_stores(disk)) stores = open_stores(disk);
  GatewayCounters counters;
  Records records = Records({.orders = 4, .requests = 8, .remembered_ids = 4}, 0);
  std::vector<ClientState> states;
  VenueUsers users;
  StateJournal journal = StateJournal(records, counters, states, users);
};

/// Of orders that an earlier version wrote nothing is known but themselves.
TEST(GatewaySavedState, says_what_an_open_order_depends_on_where_the_whole_state_does) {
  const GatewayConfig config = small_config();
  WholeState state(config);
  std::vector<std::byte> room(fix::k_state_piece);
  EntryWriter out(room);
  Order order;
  order.instrument = config.symbols[0].instrument;
  order.state = OrderState::live;
  order.terms.quantity = {100};
  write_order(out, 0, order, ClOrdId::cut("A-1"));
  const std::vector<std::byte> image(out.written().begin(), out.written().end());
  const auto conflict = [&](bool is_earlier, const GatewayConfig& now) {
    SavedState saved;
    if (is_earlier) {
      std::vector<std::byte> names(64);
      EntryWriter client(names);
      client.add(static_cast<std::uint8_t>(EntryKind::client));
      client.add(std::uint32_t{0});
      client.add_text("CLIENT1");
      client.add_text("USER1");
      EXPECT_TRUE(saved.apply(client.written()));
    } else {
      state.read_into(saved);
    }
    EXPECT_TRUE(saved.apply(image));
    return saved.content().conflict(now);
  };
  GatewayConfig version = config, dialect = config, symbol = config;
  version.clients[0].version = FixVersion::fix_4_2;
  dialect.dialect = &mit::bit_9_4::k_dialect;
  symbol.symbols.erase(symbol.symbols.begin());
  for (const GatewayConfig* now : {&version, &dialect, &symbol}) {
    EXPECT_TRUE(conflict(false, *now).starts_with("order A-1 of client CLIENT1 is open, ")) << conflict(false, *now);
    EXPECT_EQ(conflict(true, *now), "");
  }
  EXPECT_EQ(conflict(false, config), "");
}

/// Also of a journal of an earlier version: which venue an order is at its user says.
TEST(GatewaySavedState, says_that_the_symbol_of_an_open_order_is_at_another_venue) {
  GatewayConfig config = small_config();
  config.venue_name = "FIRST";
  config.other_venues = {{.name = "SECOND", .address = {}}};
  config.users = {{.client = "CLIENT1", .venue = "SECOND", .logon = {.name = "USER1", .password = "Secret#9"}}};
  config.symbols[1].venue = "SECOND";
  std::vector<std::byte> room(fix::k_state_piece);
  EntryWriter out(room);
  const auto add = [&](EntryKind kind) { out.add(static_cast<std::uint8_t>(kind)); };
  add(EntryKind::client);
  out.add(std::uint32_t{0});
  out.add_text("CLIENT1");
  out.add_text("USER1");
  for (const auto& [number, venue] : {std::pair{0U, "FIRST"}, std::pair{1U, "SECOND"}}) {
    add(EntryKind::user);
    out.add(std::uint32_t{number});
    out.add_text(venue);
    out.add_text("USER1");
  }
  for (const std::uint32_t slot : {0U, 1U}) {
    Order order;
    order.instrument = config.symbols[slot].instrument;
    order.state = OrderState::live;
    order.terms.quantity = {100};
    write_order(out, slot, order, ClOrdId::cut("A-" + std::to_string(slot)));
    add(EntryKind::order_user);
    out.add(slot);
    out.add(slot);
  }
  SavedState saved;
  ASSERT_TRUE(saved.apply(out.written()));
  const auto conflict = [&](const GatewayConfig& now) { return saved.content().conflict(now); };
  EXPECT_EQ(conflict(config), "");
  GatewayConfig moved = config, swapped = config, gone = config;
  moved.symbols[1].venue = "FIRST";
  EXPECT_EQ(conflict(moved),
            "order A-1 of client CLIENT1 is open, in symbol BETA at venue SECOND, and the symbol is "
            "traded at venue FIRST now");
  std::swap(swapped.symbols[0].venue, swapped.symbols[1].venue);
  EXPECT_EQ(conflict(swapped),
            "order A-0 of client CLIENT1 is open, in symbol ALPHA at venue FIRST, and the symbol is "
            "traded at venue SECOND now; 2 open orders do not go with it");
  gone.symbols.pop_back();
  EXPECT_EQ(conflict(gone), "") << "nothing is known of which symbol it was";
}

TEST(GatewaySavedState, takes_nothing_of_a_configuration_that_it_does_not_know) {
  std::vector<std::byte> room(64);
  for (const std::uint8_t what : {std::uint8_t{0}, std::uint8_t{4}}) {
    EntryWriter out(room);
    out.add(static_cast<std::uint8_t>(EntryKind::configured));
    out.add(what);
    out.add_text("ALPHA");
    out.add(std::uint32_t{1});
    SavedState saved;
    const Result<void> applied = saved.apply(out.written());
    ASSERT_FALSE(applied);
    EXPECT_STREQ(applied.error().expected, "what a gateway's configuration said");
  }
}

/// What earlier versions wrote of a client's venue user.
TEST(GatewaySavedState, the_progress_of_a_client_in_an_old_journal_is_that_of_its_user) {
  std::vector<std::byte> room(256);
  EntryWriter out(room);
  const auto add = [&](EntryKind kind) { out.add(static_cast<std::uint8_t>(kind)); };
  add(EntryKind::client);
  out.add(std::uint32_t{4});
  out.add_text("CLIENT1");
  out.add_text("USER1");
  add(EntryKind::progress);
  out.add(std::uint32_t{4});
  out.add(std::uint8_t{1});
  out.add(std::uint64_t{17});
  out.add(std::uint64_t{99});
  add(EntryKind::busted);
  out.add(std::uint32_t{4});
  out.add(std::uint64_t{55});
  SavedState saved;
  ASSERT_TRUE(saved.apply(out.written()));
  const SavedState::User* const user = saved.find_user("", "USER1");
  ASSERT_NE(user, nullptr);
  ASSERT_NE(user->progress.find(1), nullptr);
  EXPECT_EQ(user->progress.find(1)->sequence, 17u);
  ASSERT_EQ(user->busted.size(), 1u);
  EXPECT_EQ(user->busted[0], 55u);
  // And as it is written now, of the same user.
  out.clear();
  add(EntryKind::user);
  out.add(std::uint32_t{0});
  out.add_text("");
  out.add_text("USER1");
  add(EntryKind::user_progress);
  out.add(std::uint32_t{0});
  out.add(std::uint8_t{1});
  out.add(std::uint64_t{18});
  out.add(std::uint64_t{98});
  ASSERT_TRUE(saved.apply(out.written()));
  EXPECT_EQ(saved.find_user("", "USER1")->progress.find(1)->sequence, 18u);
}

/// As earlier versions wrote a correction that has begun: its end is the execution that was taken back.
TEST(GatewaySavedState, a_correction_that_has_begun_in_an_old_journal_is_a_bust_that_waits) {
  std::vector<std::byte> room(256);
  EntryWriter out(room);
  const auto add = [&](EntryKind kind, std::uint64_t execution) {
    out.add(static_cast<std::uint8_t>(kind));
    out.add(std::uint32_t{0});
    out.add(execution);
  };
  out.add(static_cast<std::uint8_t>(EntryKind::user));
  out.add(std::uint32_t{0});
  out.add_text("");
  out.add_text("USER1");
  for (const std::uint64_t execution : {55U, 56U}) {
    add(EntryKind::correction, execution);
    out.add(std::uint64_t{77});
    out.add(std::uint64_t{501});
    out.add(std::int64_t{10 * k_unit});
  }
  add(EntryKind::user_busted, 55);
  SavedState saved;
  ASSERT_TRUE(saved.apply(out.written()));
  const SavedState::User* const user = saved.find_user("", "USER1");
  ASSERT_NE(user, nullptr);
  EXPECT_EQ(user->busted, std::vector<std::uint64_t>{55});
  ASSERT_EQ(user->held_busts.size(), 1u);
  const OwnerReport& bust = user->held_busts[0];
  EXPECT_EQ(bust.reference, 56u);
  EXPECT_EQ(bust.order.value, 77u);
  EXPECT_EQ(bust.trade, 501u);
  EXPECT_EQ(bust.price.units, 10 * k_unit);
}

TEST(GatewaySavedState, has_the_busts_that_wait_also_where_the_whole_state_is_written_anew) {
  const GatewayConfig config = small_config();
  WholeState state(config);
  StateJournal& journal = state.journal;
  HeldBust bust{.report = {}, .user = 1};
  bust.report.kind = OwnerReportKind::trade_cancelled;
  bust.report.client_order_id = Text<20>::cut("of a client");
  for (bust.report.reference = 1; journal.hold_bust(bust); ++bust.report.reference) {
  }
  EXPECT_EQ(bust.report.reference, 5u);
  const auto saved_now = [&] {
    SavedState saved;
    state.read_into(saved);
    const SavedState::User* const user = saved.find_user("", "USER2");
    return user == nullptr ? std::vector<OwnerReport>{} : user->held_busts;
  };
  std::vector<OwnerReport> held = saved_now();
  ASSERT_EQ(held.size(), 4u);
  EXPECT_EQ(held[3].reference, 4u);
  EXPECT_EQ(held[3].client_order_id, bust.report.client_order_id);
  EXPECT_TRUE(journal.take_bust([](const HeldBust& each) { return each.report.reference == 2; }));
  held.erase(held.begin() + 1);
  EXPECT_EQ(saved_now(), held);
}

TEST(GatewaySavedState, takes_no_busts_that_wait_where_they_are_none) {
  for (const auto& [count, kind, text] :
       {std::tuple{4U, OwnerReportKind::trade_cancelled, ""},
        std::tuple{5U, OwnerReportKind::trade_cancelled, "at most four busts of a user that wait"},
        std::tuple{1U, OwnerReportKind::traded, "a bust that waits"}}) {
    std::vector<std::byte> room(fix::k_state_piece);
    EntryWriter out(room);
    out.add(static_cast<std::uint8_t>(EntryKind::held_busts));
    out.add(std::uint32_t{0});
    out.add(static_cast<std::uint8_t>(count));
    OwnerReport report;
    report.kind = kind;
    for (unsigned number = 0; number < count; ++number) out.add(report);
    SavedState saved;
    const Result<void> applied = saved.apply(out.written());
    EXPECT_EQ(applied ? "" : std::string(applied.error().expected), text);
  }
}

TEST(GatewaySavedState, takes_no_day_of_a_venue_with_flags_that_it_does_not_know) {
  for (const auto& [flags, is_known] :
       {std::pair{3U, true}, std::pair{7U, true}, std::pair{8U, false}, std::pair{15U, false}}) {
    std::vector<std::byte> room(fix::k_state_piece);
    EntryWriter out(room);
    out.add(static_cast<std::uint8_t>(EntryKind::user_day));
    out.add(std::uint32_t{0});
    out.add(std::uint64_t{1});
    out.add(std::uint64_t{7});
    out.add(static_cast<std::uint8_t>(flags));
    SavedState saved;
    const Result<void> applied = saved.apply(out.written());
    ASSERT_EQ(applied.has_value(), is_known) << flags;
    if (!is_known) {
      EXPECT_STREQ(applied.error().expected, "the flags of a venue's day");
    }
  }
}

/// Places of clients and users are 16 bits wide in the records of requests and orders.
TEST(GatewaySavedState, refuses_a_journal_with_more_clients_or_users_than_records_can_name) {
  std::vector<std::byte> room(fix::k_state_piece);
  EntryWriter out(room);
  const auto add_named = [&](EntryKind kind, std::uint32_t name) {
    out.add(static_cast<std::uint8_t>(kind));
    out.add(std::uint32_t{0});
    out.add_text(kind == EntryKind::client ? "C" + std::to_string(name) : "");
    out.add_text("U" + std::to_string(name));
  };
  for (const auto& [kind, most, text] : {std::tuple{EntryKind::user, 65'535U, "at most 65,535 venue users"},
                                         std::tuple{EntryKind::client, 65'536U, "at most 65,536 clients"}}) {
    SavedState saved;
    const auto apply = [&] {
      const Result<void> applied = saved.apply(out.written());
      out.clear();
      return applied;
    };
    for (std::uint32_t name = 0; name < most; ++name) {
      add_named(kind, name);
      if (out.has_room(64)) continue;
      ASSERT_TRUE(apply());
    }
    add_named(kind, 0);
    EXPECT_TRUE(apply()) << "one that is known";
    add_named(kind, most);
    const Result<void> one_more = apply();
    ASSERT_FALSE(one_more);
    EXPECT_EQ(std::string(one_more.error().expected).substr(0, std::string(text).size()), text);
  }
}

}  // namespace
}  // namespace dojima::gateway
