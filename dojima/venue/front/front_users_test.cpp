// Users that the operator adds, removes and changes while the venue runs: who can log on with what, and what the next
// start has of it.

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/operator_log.hpp"

namespace dojima::venue::testing {
namespace {

std::string kept_of(std::string_view password) {
  return std::string(password) + std::string(30, '.');
}

struct InstantHasher final : PasswordHasher {
  std::optional<PasswordAnswer> find(const PasswordAsker&, const PasswordQuestion& question) override {
    return PasswordAnswer{.is_right = question.kept.empty() || question.kept == kept_of(question.password),
                          .kept = question.chosen.empty() ? std::string() : kept_of(question.chosen)};
  }
};

struct MapKeeper final : PasswordKeeper {
  bool keep(std::string_view user, std::string_view password, Time) override {
    if (is_broken) return false;
    kept[std::string(user)] = password;
    return true;
  }
  void take_back(std::string_view user) override { kept.erase(std::string(user)); }
  std::map<std::string, std::string> kept;
  bool is_broken = false;
};

/// Three users, and two places that nobody has.
struct Users {
  FrontConfig config() {
    FrontConfig config = make_front_config();
    config.users.resize(5);
    config.logon.takes_new_passwords = true;
    config.hasher = &hasher;
    config.passwords = &keeper;
    config.access = &log;
    return config;
  }
  InstantHasher hasher;
  MapKeeper keeper;
  OperatorLog log;
};

TEST(FrontUsers, one_that_is_added_logs_on_trades_and_is_in_the_log_of_the_operator) {
  Users users;
  Venue venue(users.config());
  EXPECT_FALSE(venue.log_on("DORA", "Rice#2026")->is_on);
  users.log.set_author("ann", "user add DORA", "joins");
  const auto number = venue.front.add_user({.name = "DORA", .password = kept_of("Rice#2026")}, venue.scheduler.now());
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(*number, 3u);
  EXPECT_EQ(venue.front.accounts().name_of(3), "DORA");
  EXPECT_TRUE(venue.front.accounts().is_vacant(4));
  EXPECT_FALSE(venue.log_on("DORA", "Wrong#2026")->is_on);
  const auto dora = venue.log_on("DORA", "Rice#2026");
  ASSERT_TRUE(dora->is_on);
  venue.send(*dora, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "D"}));
  ASSERT_EQ(dora->reports.size(), 1u);
  EXPECT_EQ(dora->reports[0].kind, OwnerReportKind::accepted);
  EXPECT_EQ(users.keeper.kept.at("DORA"), kept_of("Rice#2026"));
  const OperatorRecord& record = users.log.recent().back();
  EXPECT_EQ(record.who, "ann");
  EXPECT_EQ(record.user, "DORA");
  EXPECT_EQ(record.access, (UserAccess{.right = UserRight::trade, .place = 3}));
  // One after the other, until there is no place.
  const Time now = venue.scheduler.now();
  EXPECT_EQ(venue.front.add_user({.name = "DORA", .password = kept_of("x")}, now).error().code, ErrorCode::duplicate);
  EXPECT_EQ(venue.front.add_user({.name = "ANNA", .password = kept_of("x")}, now).error().code, ErrorCode::duplicate);
  EXPECT_EQ(venue.front.add_user({.name = "", .password = kept_of("x")}, now).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(venue.front.add_user({.name = std::string(26, 'x'), .password = kept_of("x")}, now).error().code,
            ErrorCode::out_of_range);
  EXPECT_EQ(venue.front.add_user({.name = std::string(25, 'x'), .password = kept_of("x")}, now).value_or(0), 4u);
  EXPECT_EQ(venue.front.add_user({.name = "ELSE", .password = kept_of("x")}, now).error().got, 5);
}

TEST(FrontUsers, what_cannot_be_kept_is_not_done) {
  Users users;
  Venue venue(users.config());
  users.keeper.is_broken = true;
  EXPECT_EQ(venue.front.add_user({.name = "DORA", .password = kept_of("x")}, venue.scheduler.now()).error().code,
            ErrorCode::no_room);
  EXPECT_TRUE(venue.front.accounts().is_vacant(3));
  EXPECT_EQ(users.log.size(), 0u);
  EXPECT_EQ(venue.front.accounts().set_password(0, kept_of("Other#2026"), false, venue.scheduler.now()).error().code,
            ErrorCode::no_room);
  EXPECT_TRUE(venue.log_on("ANNA")->is_on);
  FrontConfig config = users.config();
  config.passwords = nullptr;
  Venue without(config);
  EXPECT_EQ(without.front.add_user({.name = "DORA", .password = kept_of("x")}, without.scheduler.now()).error().code,
            ErrorCode::not_supported);
}

TEST(FrontUsers, one_that_is_removed_is_logged_out_its_orders_end_and_it_may_come_back) {
  Users users;
  Venue venue(users.config());
  const auto bert = venue.log_on("BERT");
  venue.send(*bert, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "B"}));
  ASSERT_TRUE(venue.front.remove_user(1, venue.scheduler.now()).has_value());
  venue.run(5s);
  EXPECT_FALSE(bert->is_on);
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  EXPECT_EQ(venue.log_on("BERT")->refusal, mit::code::k_user_not_found);
  EXPECT_EQ(venue.front.remove_user(1, venue.scheduler.now()).error().code, ErrorCode::wrong_state);
  EXPECT_EQ(venue.front.remove_user(3, venue.scheduler.now()).error().code, ErrorCode::wrong_state);
  EXPECT_TRUE(users.log.access_of("BERT").is_removed);
  const auto again = venue.front.add_user(
      {.name = "BERT", .password = kept_of("New#2026"), .must_change_password = true}, venue.scheduler.now());
  EXPECT_EQ(again.value_or(9), 1u) << "its own place";
  EXPECT_EQ(users.log.access_of("BERT"), (UserAccess{.is_expired = true, .right = UserRight::trade}));
  EXPECT_EQ(venue.log_on("BERT", "New#2026")->refusal, mit::code::k_password_expired);
  Member with_new(venue.scheduler, "BERT", "New#2026", "Newer#2026");
  venue.network.connect(venue.address, with_new.session);
  venue.run(100ms);
  EXPECT_TRUE(with_new.is_on);
  EXPECT_FALSE(users.log.access_of("BERT").is_expired);
}

TEST(FrontUsers, what_a_removed_user_has_open_ends_at_the_next_start_where_it_did_not_before) {
  Users users;
  Venue venue(users.config());
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*anna, valid_order({.side = Side::buy, .lots = 5, .ticks = 99, .id = "A"}));
  venue.send(*bert, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "B"}));
  ASSERT_EQ(venue.partition_one.live_orders(), 2u);
  FrontConfig config = users.config();
  config.users[1].is_removed = true;
  const Front next(config, venue.scheduler, std::vector<Partition*>{&venue.partition_one, &venue.partition_two});
  EXPECT_EQ(venue.partition_one.open_orders(0), 1u);
  EXPECT_EQ(venue.partition_one.open_orders(1), 0u);
}

TEST(FrontUsers, a_password_that_the_operator_sets_counts_at_the_next_logon) {
  Users users;
  Venue venue(users.config());
  const auto anna = venue.log_on("ANNA");
  ASSERT_TRUE(venue.front.accounts().set_password(0, kept_of("Other#2026"), false, venue.scheduler.now()).has_value());
  venue.send(*anna, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "A"}));
  EXPECT_EQ(anna->reports.size(), 1u) << "who is logged on stays so";
  anna->session.logout("lunch");
  venue.run(5s);
  EXPECT_EQ(venue.log_on("ANNA")->refusal, mit::code::k_invalid_credentials);
  EXPECT_TRUE(venue.log_on("ANNA", "Other#2026")->is_on);
}

TEST(FrontUsers, records_of_what_a_user_is_are_read_as_they_were_written_and_older_ones_too) {
  OperatorRecord record{.time = Time{} + 1s, .who = "ann", .words = "w", .why = "y", .user = "DORA"};
  const std::string plain = bytes_of(record);
  EXPECT_EQ(plain[8], 0);
  for (const UserAccess& access :
       {UserAccess{.is_locked = true}, UserAccess{.is_removed = true}, UserAccess{.right = UserRight::read},
        UserAccess{.is_expired = true, .right = UserRight::trade, .place = 0x1234}}) {
    record.access = access;
    const std::string bytes = bytes_of(record);
    const auto read = read_operator_record(as_bytes(bytes));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, record);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(read_operator_record(as_bytes(bytes).first(size)).has_value()) << size;
  }
  std::string wrong = bytes_of(record);
  wrong[wrong.size() - 4] = 3;
  EXPECT_FALSE(read_operator_record(as_bytes(wrong)).has_value());
  wrong = bytes_of(record);
  wrong[wrong.size() - 3] = 2;
  EXPECT_FALSE(read_operator_record(as_bytes(wrong)).has_value());
  wrong[8] = 16;
  EXPECT_FALSE(read_operator_record(as_bytes(wrong)).has_value());
}

}  // namespace
}  // namespace dojima::venue::testing
