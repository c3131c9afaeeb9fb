// Passwords in configurations: in clear, hashed, in a file of their own, and neither.

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
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

TEST(ConfigPasswords, are_not_in_clear_in_what_is_printed_by_default) {
  const auto venue = parse_venue(default_venue_text(), "venue.toml", Overrides{{"logon.clear_passwords", "false"}});
  ASSERT_TRUE(venue) << venue.error();
  ASSERT_EQ(venue->users.size(), 2u);
  for (const simulate::VenueUserConfig& user : venue->users)
    EXPECT_TRUE(is_password_of(user.password, k_default_password)) << user.name;
  EXPECT_EQ(clear_passwords(*venue), 0u);
  const std::string gateway = default_gateway_text();
  for (const std::string& text : {default_venue_text(), gateway})
    EXPECT_EQ(text.find(k_default_password), std::string::npos) << text;
  const Secret secret(std::string(k_default_password) + "\n");
  const Overrides files{{"client.0.venue_password_file", secret.path()},
                        {"client.1.venue_password_file", secret.path()}};
  const auto read = parse_gateway(gateway, "gateway.toml", files);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(clear_passwords(*read), 0u);
  ASSERT_EQ(read->gateway.clients.size(), venue->users.size());
  for (const gateway::ClientConfig& client : read->gateway.clients)
    EXPECT_EQ(client.venue_password, k_default_password) << client.comp_id;
}

TEST(SecretFile, is_made_for_its_owner_alone_and_never_over_another) {
  const std::string path = Secret("").path();  // a name that nobody has
  const mode_t before = ::umask(0);
  const auto made = write_secret_file(path, "one");
  ::umask(before);
  ASSERT_TRUE(made);
  struct stat there{};
  ASSERT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777U, 0600U) << "whatever the umask";
  EXPECT_EQ(read_secret_file(path), "one");
  EXPECT_EQ(write_secret_file(path, "another").error(), EEXIST);
  EXPECT_EQ(read_secret_file(path), "one");
  std::filesystem::remove(path);
  std::filesystem::create_symlink(path + "-elsewhere", path);
  EXPECT_EQ(write_secret_file(path, "three").error(), EEXIST) << "a link of somebody else's leads nowhere";
  EXPECT_FALSE(std::filesystem::exists(path + "-elsewhere"));
  std::filesystem::remove(path);
  EXPECT_EQ(write_secret_file("/nowhere/secret", "x").error(), ENOENT);
}

TEST(SecretFile, of_a_service_is_a_credential_of_that_name) {
  const Secret credential("of the service\n", false);
  // In a folder of its own: tests may run where temporary files lie.
  const std::filesystem::path folder = credential.path() + ".credentials";
  const std::string name = std::filesystem::path(credential.path()).filename();
  const std::filesystem::path path = folder / name;
  std::filesystem::create_directory(folder);
  std::filesystem::rename(credential.path(), path);
  EXPECT_EQ(read_secret_file(name).error(), "cannot be read: No such file or directory");
  ASSERT_EQ(::setenv("CREDENTIALS_DIRECTORY", path.parent_path().c_str(), 1), 0);
  EXPECT_EQ(read_secret_file(name), "of the service")
      << "systemd lets it in by an access list, which looks like a group";
  EXPECT_EQ(read_secret_file(path).error(), "others may read it; chmod 600 it") << "a path is no name";
  EXPECT_EQ(read_secret_file("./" + name).error(), "cannot be read: No such file or directory");
  EXPECT_EQ(read_secret_file("no-such-credential").error(), "cannot be read: No such file or directory");
  ASSERT_EQ(::unsetenv("CREDENTIALS_DIRECTORY"), 0);
  std::filesystem::remove_all(folder);
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
