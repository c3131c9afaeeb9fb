// The keys of a venue's drop copies: read, printed, and what is wrong with them said.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::app {
namespace {

VenueConfig with_readers() {
  VenueConfig config = default_venue();
  config.users[0].account = "HOUSE";
  config.copies_port = 9003;
  config.copies.connections = 5;
  config.copies.readers = {{.name = "HOUSE-COPY", .password = "copy_1234", .of = "account:HOUSE", .host = "10.0.0.0/8"},
                           {.name = "YODO-COPY", .password = "copy_5678", .of = "YODOYA", .host = {}},
                           {.name = "ALL-COPY", .password = "copy_9012", .of = "all", .host = {}}};
  return config;
}

TEST(CopyConfig, is_read_and_printed) {
  const VenueConfig config = with_readers();
  const auto again = parse_venue(text_of(config), "venue.toml");
  ASSERT_TRUE(again.has_value()) << again.error();
  EXPECT_EQ(*again, config);
}

TEST(CopyConfig, names_the_users_whose_reports_a_reader_gets) {
  VenueConfig config = with_readers();
  config.spare_user_kinds = {{.places = 2, .user = {.account = "HOUSE"}}};
  simulate::add_spare_users(config);
  using Users = std::vector<std::uint8_t>;
  EXPECT_EQ(simulate::users_of(config.copies.readers[0], config.users), (Users{1, 0, 1, 1})) << "who comes later, too";
  EXPECT_EQ(simulate::users_of(config.copies.readers[1], config.users), (Users{0, 1, 0, 0}));
  EXPECT_EQ(simulate::users_of(config.copies.readers[2], config.users), (Users{1, 1, 1, 1}));
  EXPECT_EQ(simulate::users_of({.name = "X", .password = {}, .of = "account:", .host = {}}, config.users),
            (Users{0, 0, 0, 0}));
  EXPECT_EQ(simulate::users_of({.name = "X", .password = {}, .of = "", .host = {}}, config.users), (Users{0, 0, 0, 0}));
}

TEST(CopyConfig, says_what_is_wrong) {
  const auto expect = [](std::string_view problem, const std::vector<Override>& overrides) {
    const auto config = parse_venue(text_of(with_readers()), "venue.toml", overrides);
    ASSERT_FALSE(config.has_value()) << problem;
    EXPECT_NE(config.error().find(problem), std::string::npos) << config.error();
  };
  expect("drop_copy_reader.0.of: no [[user]] or [[spare_user]] has the account NONE",
         {{"drop_copy_reader.0.of", "\"account:NONE\""}});
  expect("drop_copy_reader.1.of: there is no [[user]] NOBODY", {{"drop_copy_reader.1.of", "NOBODY"}});
  expect("drop_copy_reader.1.of: say whose reports it gets", {{"drop_copy_reader.1.of", "\"\""}});
  expect("drop_copy_reader.1.name: an earlier row of the list has the same name",
         {{"drop_copy_reader.1.name", "\"HOUSE-COPY\""}});
  expect("drop_copy_reader.2.password: a reader needs a password", {{"drop_copy_reader.2.password", "\"\""}});
  expect("drop_copy_reader.0.host: \"nowhere/8\" is no address", {{"drop_copy_reader.0.host", "\"nowhere/8\""}});
  expect("it is in clear, which logon.clear_passwords refuses", {{"logon.clear_passwords", "false"}});
  VenueConfig none = default_venue();
  none.copies_port = 9003;
  const auto config = parse_venue(text_of(none), "venue.toml");
  ASSERT_FALSE(config.has_value());
  EXPECT_NE(config.error().find("drop_copy.port: nobody may log on at the channel"), std::string::npos)
      << config.error();
}

}  // namespace
}  // namespace dojima::app
