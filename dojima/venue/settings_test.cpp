#include "dojima/venue/settings.hpp"

#include <gtest/gtest.h>

#include "dojima/base/state.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/recovery/replayer.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

PartitionSettings some_settings() {
  PartitionSettings settings{.config = make_config()};
  settings.config.instruments[1].ticks =
      market::TickTable::make({{at(1), {k_tick}}, {at(100), {2 * k_tick}}}, at(500)).value();
  settings.config.instruments[1].segment = "FOOD";
  settings.config.rules.accounts = {0, 0, 2, 3};
  settings.config.rules.seed = ~std::uint64_t{0};
  settings.config.users[2].limits.open_orders = 100;
  settings.config.users[3].cancel_on_logout = false;
  settings.config.segments = {{.name = "FOOD",
                               .timetable = {.start_of_day = 7h,
                                             .opening_call = 8h,
                                             .opening = 9h + 30min + 1ns,
                                             .closing_call = 16h,
                                             .closing = 16h,
                                             .cross_end = 16h,
                                             .end_of_day = 17h},
                               .bands = {.dynamic_bp = 100}}};
  settings.user_names = {"ANN", "BOB = x", "C\\D\nE", ""};
  settings.day_seed = 77;
  settings.utc_offset_minutes = -60;
  settings.build = "dojima 1.2";
  return settings;
}

TEST(Settings, come_back_from_their_text) {
  const std::string text = text_of(some_settings());
  const auto again = parse_settings(text);
  ASSERT_TRUE(again) << again.error().offset << " " << again.error().expected << "\n" << text;
  EXPECT_EQ(text_of(*again), text);
  EXPECT_EQ(again->user_names[2], "C\\D\nE");
  EXPECT_EQ(again->config.segments, some_settings().config.segments);
  EXPECT_EQ(again->config.rules, some_settings().config.rules);
  EXPECT_EQ(again->config.instruments[1].ticks.level_of(at(102)),
            some_settings().config.instruments[1].ticks.level_of(at(102)));
  EXPECT_NE(text.find("segments.0.opening = 09:30:00.000000001\n"), std::string::npos) << text;
}

TEST(Settings, say_what_came_later_only_where_it_says_something) {
  PartitionSettings settings = some_settings();
  const std::string before = text_of(settings);
  EXPECT_EQ(before.find("full_reports"), std::string::npos) << "as journals have it that know no such key";
  EXPECT_EQ(before.find("limits.trades"), std::string::npos);
  settings.config.full_reports = true;
  settings.config.limits.trades = 77;
  const std::string now = text_of(settings);
  const auto again = parse_settings(now);
  ASSERT_TRUE(again) << again.error().offset;
  EXPECT_TRUE(again->config.full_reports);
  EXPECT_EQ(again->config.limits.trades, 77u);
  EXPECT_EQ(text_of(*again), now);
  const auto changes = differences(before, now);
  ASSERT_EQ(changes.size(), 2u);
  for (const Difference& change : changes) EXPECT_EQ(change.change, Change::between_days) << change.key;
  EXPECT_EQ(describe(changes),
            "limits.trades: nothing in the journal, 77 now\n"
            "full_reports: nothing in the journal, true now");
  std::string twice = now;
  twice.insert(twice.find("full_reports"), "full_reports = true\n");
  EXPECT_FALSE(parse_settings(twice));
}

TEST(Settings, refuse_a_text_that_is_cut_changed_or_longer) {
  const std::string text = text_of(some_settings());
  std::size_t line = 0;
  for (std::size_t at = 0; at + 1 < text.size(); at = text.find('\n', at) + 1) {
    std::string without = text;
    without.erase(at, text.find('\n', at) + 1 - at);
    EXPECT_FALSE(parse_settings(without)) << ++line;
  }
  EXPECT_FALSE(parse_settings(text + "more = 1\n"));
  EXPECT_FALSE(parse_settings(""));
  EXPECT_FALSE(parse_settings("no line of any kind"));
  std::string large = text;
  const std::size_t users = large.find("\nusers = 4");
  large.replace(users, 10, "\nusers = 4000000000");
  EXPECT_FALSE(parse_settings(large));
}

TEST(Settings, refuse_values_that_their_keys_cannot_have) {
  const std::string text = text_of(some_settings());
  const auto refusal = [&text](const std::string& before, const std::string& now) {
    std::string changed = text;
    const std::size_t at = changed.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    const auto parsed = parse_settings(changed.replace(at, before.size(), now));
    return parsed ? std::string() : std::string(parsed.error().expected);
  };
  EXPECT_EQ(refusal("limits.orders = 64\n", "limits.orders = 2147483648\n"), "");
  EXPECT_EQ(refusal("limits.orders = 64\n", "limits.orders = 2147483649\n"), "a value that the key can have");
  EXPECT_EQ(refusal("limits.orders = 64\n", "limits.orders = 0\n"), "a value that the key can have");
  EXPECT_EQ(refusal("limits.levels = 16\n", "limits.levels = 18446744073709551615\n"), "a value that the key can have");
  EXPECT_EQ(refusal("limits.reports = 4096\n", "limits.reports = 67108865\n"), "a value that the key can have");
  EXPECT_EQ(refusal("limits.report_buffer = 3\n", "limits.report_buffer = 0\n"), "a value that the key can have");
  EXPECT_EQ(refusal("rules.policy = 0\n", "rules.policy = 4\n"), "a value that the key can have");
  EXPECT_EQ(refusal("rules.self_trade = 0\n", "rules.self_trade = 5\n"), "a value that the key can have");
  EXPECT_EQ(refusal("rules.scope = 0\n", "rules.scope = 3\n"), "a value that the key can have");
  for (const char* time :
       {"9000000000000000000:00:00", "-1:00:00", "01:60:00", "01:00:-1", "01:00:00.5", "01:00", "01:00:00.-00000005"})
    EXPECT_EQ(refusal("start_of_day = 07:00:00\n", std::string("start_of_day = ") + time + "\n"),
              "a value of the key's kind")
        << time;
}

TEST(Replayers, refuse_an_order_table_that_the_bytes_cannot_hold_before_they_make_it) {
  PartitionSettings settings{.config = make_config(), .user_names = std::vector<std::string>(4)};
  settings.config.instruments[0].maximum_quantity = settings.config.instruments[1].maximum_quantity = {1};
  settings.config.limits.orders = k_most_orders;
  std::vector<std::byte> state;
  StateWriter out([&state](Bytes piece) { state.insert(state.end(), piece.begin(), piece.end()); });
  out.section("settings");
  out.add(text_of(settings));
  out.flush();
  state.resize(state.size() + 1000);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Replayer replayer(nothing);
  const auto loaded = replayer.load(state);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::malformed);
  EXPECT_STREQ(loaded.error().expected, "as many bytes as an order table of limits.orders takes");
  EXPECT_EQ(loaded.error().got, std::int64_t{1} << 31);
  EXPECT_EQ(replayer.partition(), nullptr);
}

TEST(Settings, say_what_differs_and_whether_it_may) {
  const std::string before = text_of(some_settings());
  PartitionSettings changed = some_settings();
  EXPECT_TRUE(differences(before, text_of(changed)).empty());
  changed.build = "dojima 1.3";
  changed.config.users[2].limits.open_orders = 50;
  changed.config.limits.orders = 65;
  changed.config.instruments.pop_back();
  const auto found = differences(before, text_of(changed));
  const auto find = [&found](std::string_view key) {
    return *std::find_if(found.begin(), found.end(), [key](const Difference& of) { return of.key == key; });
  };
  EXPECT_EQ(find("build").change, Change::free);
  EXPECT_EQ(find("users.2.open_orders").change, Change::between_days);
  EXPECT_EQ(find("users.2.open_orders").before, "100");
  EXPECT_EQ(find("users.2.open_orders").now, "50");
  EXPECT_EQ(find("limits.orders").change, Change::never);
  EXPECT_EQ(find("instruments.1.symbol").now, "");
  EXPECT_NE(describe(found).find("limits.orders: 64 in the journal, 65 now\n"), std::string::npos);
}

TEST(Settings, may_have_further_instruments_behind_the_last_one_and_no_other_change_of_them) {
  const std::string before = text_of(some_settings());
  const auto all_may = [&](const PartitionSettings& now) {
    const auto found = differences(before, text_of(now));
    return !found.empty() &&
           std::ranges::all_of(found, [](const Difference& of) { return of.change == Change::between_days; });
  };
  PartitionSettings added = some_settings();
  const std::size_t count = added.config.instruments.size();
  market::Instrument further = added.config.instruments.front();
  further.id = 77;
  further.symbol = "FURTHER";
  added.config.instruments.push_back(further);
  EXPECT_TRUE(all_may(added)) << describe(differences(before, text_of(added)));
  for (const Difference& of : differences("instruments = 1\n", "instruments = 2\nrules.further = 1\n"))
    EXPECT_EQ(of.change, of.key == "instruments" ? Change::between_days : Change::never) << of.key;
  further.id = 78;
  added.config.instruments.push_back(further);
  EXPECT_TRUE(all_may(added));
  PartitionSettings before_the_last = some_settings();
  before_the_last.config.instruments.insert(before_the_last.config.instruments.begin(), further);
  EXPECT_FALSE(all_may(before_the_last));
  PartitionSettings another = added;
  another.config.instruments[count - 1].maximum_quantity = {12'345};
  EXPECT_FALSE(all_may(another));
  EXPECT_NE(describe(differences(before, text_of(another))).find("maximum_quantity"), std::string::npos);
  PartitionSettings fewer = some_settings();
  fewer.config.instruments.pop_back();
  EXPECT_FALSE(all_may(fewer));
  // The same in the other direction: one that the journal has stays.
  for (const Difference& of : differences(text_of(added), before)) EXPECT_EQ(of.change, Change::never) << of.key;
}

TEST(Settings, travel_as_commands) {
  for (const std::size_t size : {0U, 1U, 100U, 101U, 102U, 202U, 1000U}) {
    const std::string text(size, 'x');
    SettingText gathered;
    bool is_complete = false;
    for (const market::Setting& command : commands_of(text)) {
      EXPECT_FALSE(is_complete);
      is_complete = gathered.add(command);
    }
    EXPECT_TRUE(is_complete);
    EXPECT_EQ(gathered.text(), text);
  }
  // One that does not begin is none.
  SettingText gathered;
  EXPECT_FALSE(gathered.add({.size = 1, .is_last = true}));
}

}  // namespace
}  // namespace dojima::venue::testing
