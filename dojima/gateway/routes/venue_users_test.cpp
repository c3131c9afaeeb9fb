#include "dojima/gateway/venue_users.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace dojima::gateway {
namespace {

GatewayConfig routed() {
  GatewayConfig config;
  config.clients = {{.comp_id = "A", .venue_user = "USER1", .venue_password = "x"},
                    {.comp_id = "B", .venue_user = "USER1", .venue_password = "x"},
                    {.comp_id = "C"}};
  config.symbols = {{.symbol = "ALPHA", .instrument = 7}, {.symbol = "BETA", .instrument = 8, .venue = "SECOND"}};
  config.other_venues = {{.name = "SECOND"}};
  config.users = {{.client = "B", .venue = "SECOND", .logon = {.name = "USER1", .password = "y"}},
                  {.client = "C", .venue = "SECOND", .logon = {.name = "USER3", .password = "z"}}};
  return config;
}

TEST(VenueUsers, are_numbered_as_they_are_named_first) {
  const VenueUsers users(routed());
  ASSERT_EQ(users.size(), 3u);
  EXPECT_EQ(users[0].name, "USER1");
  EXPECT_EQ(users[1].name, "USER1") << "of another venue";
  EXPECT_EQ(users[1].venue, 1u);
  EXPECT_EQ(users[2].name, "USER3");
  EXPECT_EQ(users[0].clients, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(users.find("SECOND", "USER3"), 2u);
  EXPECT_EQ(users.find("", "USER3"), std::nullopt);
}

TEST(VenueUsers, know_whom_a_client_trades_as_at_a_venue) {
  const VenueUsers users(routed());
  EXPECT_EQ(users.at(0, 0), 0u);
  EXPECT_EQ(users.at(0, 1), std::nullopt);
  EXPECT_EQ(users.at(1, 0), 0u);
  EXPECT_EQ(users.at(1, 1), 1u);
  EXPECT_FALSE(users.is_alone(0)) << "its user is shared";
  EXPECT_FALSE(users.is_alone(1)) << "it has two";
  EXPECT_TRUE(users.is_alone(2));
}

TEST(VenueUsers, a_sub_id_says_it_before_an_account_and_that_before_nothing) {
  GatewayConfig config = routed();
  config.users.push_back({.client = "A", .sub_id = "ANN", .logon = {.name = "USER4", .password = "a"}});
  config.users.push_back({.client = "A", .account = "HOUSE", .logon = {.name = "USER5", .password = "b"}});
  const VenueUsers users(config);
  EXPECT_EQ(users.at(0, 0), users.find("", "USER1"));
  EXPECT_EQ(users.at(0, 0, "ANN", "HOUSE"), users.find("", "USER4"));
  EXPECT_EQ(users.at(0, 0, "", "HOUSE"), users.find("", "USER5"));
  EXPECT_EQ(users.at(0, 0, "", "OTHER"), users.find("", "USER1"));
  EXPECT_EQ(users.at(0, 0, "BOB"), std::nullopt);
  EXPECT_EQ(users.at(1, 0, "BOB"), users.find("", "USER1")) << "who has no sub ids";
  EXPECT_TRUE(users.has_sub_id(0, "ANN"));
  EXPECT_FALSE(users.has_sub_id(0, "BOB"));
  EXPECT_EQ(users.sub_id_of(0, *users.find("", "USER4")), "ANN");
  EXPECT_EQ(users.sub_id_of(0, *users.find("", "USER5")), "");
  EXPECT_FALSE(users.is_alone(0));
}

TEST(VenueUsers, know_where_an_instrument_is_traded) {
  const VenueUsers users(routed());
  EXPECT_EQ(users.venue_of(7), 0u);
  EXPECT_EQ(users.venue_of(8), 1u);
  EXPECT_EQ(users.venue_of(9), 0u) << "unknown, to be refused there";
  EXPECT_EQ(users.venue_name(1), "SECOND");
}

TEST(VenueUsers, refuse_what_makes_no_sense) {
  const auto refuses = [](auto change) {
    GatewayConfig config = routed();
    change(config);
    EXPECT_THROW(VenueUsers{config}, std::invalid_argument);
  };
  refuses([](auto& config) { config.clients[1].venue_password = "another"; });
  refuses([](auto& config) { config.users[0].client = "NOBODY"; });
  refuses([](auto& config) { config.users[0].venue = "NOWHERE"; });
  refuses([](auto& config) { config.users[1].client = "B"; });
  refuses([](auto& config) { config.users[0].sub_id = config.users[0].account = "X"; });
  refuses([](auto& config) { config.users.push_back(config.users[0]); });
  refuses([](auto& config) {
    config.users[1].client = "B";
    config.users[0].sub_id = config.users[1].sub_id = "X";
  });
  refuses([](auto& config) { config.clients[1].sub_id = config.users[0].sub_id = "X"; });
  refuses([](auto& config) { config.symbols[0].venue = "NOWHERE"; });
  refuses([](auto& config) { config.symbols[0].instrument = 8; });
  refuses([](auto& config) { config.other_venues[0].name.clear(); });
  refuses([](auto& config) { config.venue_name = "SECOND"; });
  refuses([](auto& config) {
    for (int count = 0; count < 9; ++count) config.other_venues.push_back({.name = "V" + std::to_string(count)});
  });
}

}  // namespace
}  // namespace dojima::gateway
