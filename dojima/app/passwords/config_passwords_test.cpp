// Passwords in a venue's configuration: in clear, hashed, and neither.

#include <gtest/gtest.h>

#include "dojima/app/config.hpp"
#include "dojima/app/passwords/scrypt.hpp"

namespace dojima::app {
namespace {

Loaded<VenueConfig> with_password(const std::string& password, const std::string& clear = "true") {
  const std::vector<Override> overrides{{"user.0.password", password}, {"logon.clear_passwords", clear}};
  VenueConfig config = default_venue();
  config.users.resize(1);
  return parse_venue(text_of(config), "venue.toml", overrides);
}

TEST(ConfigPasswords, stand_in_clear_only_where_they_may) {
  EXPECT_TRUE(with_password("Secret#2026"));
  EXPECT_TRUE(with_password(std::string(25, 'p')));
  EXPECT_NE(with_password(std::string(26, 'p')).error().find("at most 25 characters"), std::string::npos);
  EXPECT_NE(with_password("").error().find("a user needs a password"), std::string::npos);
  EXPECT_NE(with_password("Secret#2026", "false").error().find("it stands in clear"), std::string::npos);
}

TEST(ConfigPasswords, are_what_the_command_prints) {
  const std::string text = scrypt_text("Secret#2026", {.ln = 10});
  const auto config = with_password(text, "false");
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->users[0].password, text);
  const auto cut = with_password(text.substr(0, text.size() - 1));
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().find("this is not what dojima config hash-password makes"), std::string::npos) << cut.error();
}

TEST(ConfigPasswords, of_readers_come_with_their_role) {
  const std::vector<Override> overrides{{"user.0.role", "read"}};
  const auto config = parse_venue(text_of(default_venue()), "venue.toml", overrides);
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->users[0].role, simulate::UserRole::read);
  const std::vector<Override> wrong{{"user.0.role", "boss"}};
  EXPECT_FALSE(parse_venue(text_of(default_venue()), "venue.toml", wrong));
}

}  // namespace
}  // namespace dojima::app
