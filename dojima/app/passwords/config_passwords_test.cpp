// Passwords in configurations: in clear, hashed, in a file of their own, and neither.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/passwords/secret_file.hpp"

namespace dojima::app {
namespace {

using Overrides = std::vector<Override>;

/// A file that is gone when the test is over.
class Secret {
 public:
  explicit Secret(const std::string& bytes, bool is_private = true)
      : path_(::testing::TempDir() + "secret-" + std::to_string(::getpid()) + "-" +
              std::to_string(reinterpret_cast<std::uintptr_t>(this))) {
    std::ofstream(path_, std::ios::binary) << bytes;
    using std::filesystem::perms;
    const perms own = perms::owner_read | perms::owner_write;
    std::filesystem::permissions(path_, is_private ? own : own | perms::group_read);
  }
  ~Secret() { std::filesystem::remove(path_); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

Loaded<VenueConfig> venue_with(const Overrides& overrides) {
  VenueConfig config = default_venue();
  config.users.resize(1);
  config.feed.readers = {{.name = "READ1", .password = "feed_1234"}};
  return parse_venue(text_of(config), "venue.toml", overrides);
}

/// A password in clear, nothing else of that user.
Loaded<VenueConfig> with_password(const std::string& password, const std::string& clear = "true") {
  VenueConfig config = default_venue();
  config.users.resize(1);
  return parse_venue(text_of(config), "venue.toml",
                     Overrides{{"user.0.password", password}, {"logon.clear_passwords", clear}});
}

/// What is wrong with it; empty: nothing.
template <class Config>
std::string trouble(const Loaded<Config>& config) {
  return config ? std::string() : config.error();
}

TEST(ConfigPasswords, stand_in_clear_only_where_they_may) {
  EXPECT_TRUE(with_password("Secret#2026"));
  EXPECT_TRUE(with_password(std::string(25, 'p')));
  EXPECT_NE(trouble(with_password(std::string(26, 'p'))).find("longer than 25 characters"), std::string::npos);
  EXPECT_NE(trouble(with_password("")).find("a user needs a password, or a password_hash"), std::string::npos);
  EXPECT_NE(trouble(with_password("Secret#2026", "false")).find("it is in clear"), std::string::npos);
  const std::string reader = trouble(venue_with({{"user.0.password", ""},
                                                 {"user.0.password_hash", scrypt_text("x", {.ln = 10})},
                                                 {"logon.clear_passwords", "false"}}));
  EXPECT_NE(reader.find("feed_reader.0.password: it is in clear"), std::string::npos) << reader;
  EXPECT_EQ(reader.find("user.0"), std::string::npos) << reader;
}

TEST(ConfigPasswords, of_users_are_what_the_command_prints) {
  const std::string text = scrypt_text("Secret#2026", {.ln = 10});
  const auto hashed = [](const std::string& hash) {
    VenueConfig config = default_venue();
    config.users.resize(1);
    return parse_venue(
        text_of(config), "venue.toml",
        Overrides{{"user.0.password", ""}, {"user.0.password_hash", hash}, {"logon.clear_passwords", "false"}});
  };
  const auto config = hashed(text);
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->users[0].password, text);
  EXPECT_EQ(clear_passwords(*config), 0u);
  EXPECT_EQ(parse_venue(text_of(*config), "again.toml"), *config) << "it is written as it was read";
  EXPECT_NE(text_of(*config).find("password_hash = \"" + text), std::string::npos);
  const std::string cut = trouble(hashed(text.substr(0, text.size() - 1)));
  EXPECT_NE(cut.find("password_hash: this is not what dojima config hash-password makes"), std::string::npos) << cut;
  const std::string there = trouble(venue_with({{"user.0.password", text.substr(0, 25)}}));
  EXPECT_NE(there.find("belongs to password_hash"), std::string::npos) << there;
  const std::string both = trouble(venue_with({{"user.0.password_hash", text}}));
  EXPECT_NE(both.find("password and password_hash: one of them"), std::string::npos) << both;
}

TEST(ConfigPasswords, of_readers_of_the_feed_and_of_drop_copies_may_be_hashed) {
  const std::string text = scrypt_text("feed_1234", {.ln = 10});
  VenueConfig config = default_venue();
  config.users.resize(1);
  config.users[0].password = text;
  config.feed.readers = {{.name = "READ1", .password = text}};
  config.copies_port = 0;
  config.copies.readers = {{.name = "COPY", .password = text, .of = "all", .host = {}}};
  config.clear_passwords = false;
  const auto read = parse_venue(text_of(config), "venue.toml");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->feed.readers[0].password, text);
  EXPECT_EQ(read->copies.readers[0].password, text);
  EXPECT_EQ(clear_passwords(*read), 0u);
  config.copies.readers[0].password = "copy_1234";
  const std::string clear = trouble(parse_venue(text_of(config), "venue.toml"));
  EXPECT_NE(clear.find("drop_copy_reader.0.password: it is in clear"), std::string::npos) << clear;
  EXPECT_EQ(clear.find("feed_reader"), std::string::npos) << clear;
}

TEST(ConfigPasswords, of_readers_come_with_their_role) {
  const Overrides overrides{{"user.0.role", "read"}};
  const auto config = parse_venue(text_of(default_venue()), "venue.toml", overrides);
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->users[0].role, simulate::UserRole::read);
  const Overrides wrong{{"user.0.role", "boss"}};
  EXPECT_FALSE(parse_venue(text_of(default_venue()), "venue.toml", wrong));
}

TEST(ConfigPasswords, of_feed_readers_may_stand_in_a_file_that_nobody_else_reads) {
  const Secret secret("feed_5678\r\nsecond line\n");
  const auto with_file = [](const std::string& path) {
    return venue_with({{"feed_reader.0.password", ""}, {"feed_reader.0.password_file", path}});
  };
  const auto config = with_file(secret.path());
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->feed.readers[0].password, "feed_5678");
  EXPECT_EQ(text_of(*config).find("feed_5678"), std::string::npos) << "it is not written into another file";
  EXPECT_EQ(parse_venue(text_of(*config), "again.toml"), *config);
  EXPECT_EQ(clear_passwords(*config), 1u) << "the user's";
  const Secret open("feed_5678\n", false), empty("\nfeed_5678\n"), long_one("eleven_long\n"), strange("a\x01b\n");
  for (const auto& [path, problem] : {std::pair{open.path(), "others may read it; chmod 600 it"},
                                      {empty.path(), "no password in its first line"},
                                      {long_one.path(), "its first line is longer than 10 characters"},
                                      {strange.path(), "a control character in its first line"},
                                      {std::string("/nowhere/secret"), "cannot be read: No such file"},
                                      {::testing::TempDir(), "cannot be read: Is a directory"}}) {
    const std::string error = trouble(with_file(path));
    EXPECT_NE(error.find("password_file: " + path + ": " + problem), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << "one line: " << error;
  }
  const std::string both = trouble(venue_with({{"feed_reader.0.password_file", secret.path()}}));
  EXPECT_NE(both.find("password, password_hash and password_file: one of them"), std::string::npos) << both;
  EXPECT_NE(trouble(venue_with({{"feed_reader.0.password", ""}})).find("or a password_file"), std::string::npos);
}

TEST(ConfigPasswords, with_which_a_gateway_logs_on_may_stand_in_files) {
  const Secret venue("Venue#1\n"), chosen("Venue#2\n"), client("Client#1\n"), user("User#1"), copy("Copy#1\n");
  GatewayConfig config = default_gateway();
  config.gateway.clients.resize(1);
  config.gateway.users = {{.client = config.gateway.clients[0].comp_id,
                           .venue = {},
                           .sub_id = "DESK",
                           .logon = {.name = "OTHER", .password = "Clear#3"}}};
  config.gateway.drop_copies.emplace_back();
  config.gateway.drop_copies[0].comp_id = "COPY";
  const std::string text = text_of(config);
  EXPECT_EQ(clear_passwords(config), 2u);
  const Overrides files{{"client.0.venue_password", ""},
                        {"client.0.venue_password_file", venue.path()},
                        {"client.0.venue_new_password_file", chosen.path()},
                        {"client.0.password_file", client.path()},
                        {"user.0.password", ""},
                        {"user.0.password_file", user.path()},
                        {"user.0.new_password_file", chosen.path()},
                        {"drop_copy.0.password_file", copy.path()}};
  const auto read = parse_gateway(text, "gateway.toml", files);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->gateway.clients[0].venue_password, "Venue#1");
  EXPECT_EQ(read->gateway.clients[0].venue_new_password, "Venue#2");
  EXPECT_EQ(read->gateway.clients[0].password, "Client#1");
  EXPECT_EQ(read->gateway.users[0].logon.password, "User#1");
  EXPECT_EQ(read->gateway.users[0].logon.new_password, "Venue#2");
  EXPECT_EQ(read->gateway.drop_copies[0].password, "Copy#1");
  EXPECT_EQ(clear_passwords(*read), 0u);
  const std::string written = text_of(*read);
  EXPECT_EQ(written.find("#1"), std::string::npos) << "no password is written into another file";
  EXPECT_EQ(parse_gateway(written, "again.toml"), *read);
  const std::string none = trouble(parse_gateway(text, "gateway.toml", Overrides{{"client.0.venue_password", ""}}));
  EXPECT_NE(none.find("a client needs its venue password, or a venue_password_file"), std::string::npos) << none;
}

TEST(SecretFile, gives_its_first_line_and_leaves_what_stands_behind_it) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = "first one\r\nsecond\n" + std::string(k_secret_longest + 1, 'x') + "\n";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  EXPECT_EQ(read_secret_line(ends[0]), "first one");
  EXPECT_EQ(read_secret_line(ends[0]), "second");
  EXPECT_EQ(read_secret_line(ends[0]).error(), "its first line is longer than any password");
  ::close(ends[0]);
  EXPECT_EQ(read_secret_line(ends[0]).error(), "cannot be read: Bad file descriptor");
  const Secret longest(std::string(k_secret_longest, 'x'));
  EXPECT_EQ(read_secret_file(longest.path()), std::string(k_secret_longest, 'x'));
  EXPECT_EQ(read_secret_file("/dev/null").error(), "no password in its first line");
}

}  // namespace
}  // namespace dojima::app
