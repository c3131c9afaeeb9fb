#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/net/free_port_test_support.hpp"

namespace dojima::cli {
namespace {

/// What the program reads from standard input meanwhile.
class Typed {
 public:
  explicit Typed(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) { std::cin.clear(); }
  ~Typed() { std::cin.rdbuf(before_); }
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;

 private:
  std::istringstream text_;
  std::streambuf* before_;
};

TEST(Admin, passes_a_reason_on_and_reads_what_is_kept_of_a_password) {
  const TemporaryFolder folder;
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  config.spare_users = 1;
  config.password_file = folder / "passwords";
  const app::testing::Market market(config);
  std::string where;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      where = line.substr(begin.size(), line.find(',') - begin.size());
  const Outcome drained = call({"admin", "--connect", where, "drain", "--", "limit", "breach", "--json"});
  EXPECT_EQ(drained.status, 0) << drained.err;
  const std::string kept = app::scrypt_text("Rice#2026", {.ln = 10, .r = 1, .p = 1});
  {
    const Typed typed(kept + "\n");
    const Outcome added = call({"admin", "--connect", where, "user", "add", "SUMITOMO", "-", "--", "joins"});
    EXPECT_EQ(added.status, 0) << added.err;
  }
  const Outcome audit = call({"admin", "--connect", where, "audit"});
  EXPECT_TRUE(contains(audit.out, "limit breach --json")) << audit.out;
  EXPECT_TRUE(contains(audit.out, "user add SUMITOMO $scrypt$...")) << audit.out;
  EXPECT_FALSE(contains(audit.out, kept)) << audit.out;
}

TEST(Admin, shows_no_password_among_its_words_wherever_it_was_written) {
  const auto shown = [](const std::vector<std::string>& words) {
    static_cast<void>(call(words));
    return std::vector<std::string>(command_line().begin() + 1, command_line().end());
  };
  using Shown = std::vector<std::string>;
  const std::string nobody = "127.0.0.1:1";
  EXPECT_EQ(shown({"admin", "--connect", nobody, "user", "ad", "ANN", "Rice#2026"}),
            (Shown{"admin", "--connect", nobody, "user", "ad", "***", "***"}));
  EXPECT_EQ(shown({"admin", "users", "add", "ANN", "Rice#2026", "--connect=" + nobody, "--", "joins"}),
            (Shown{"admin", "users", "***", "***", "***", "--connect=" + nobody, "--", "***"}));
  EXPECT_EQ(shown({"admin", "--connect", nobody, "usr", "Rice#2026"}),
            (Shown{"admin", "--connect", nobody, "usr", "***"}));
  const Shown plain{"admin", "--connect", nobody, "limits", "ANN", "max_rate=10", "--", "why", "--json"};
  EXPECT_EQ(shown(plain), plain);
}

TEST(AdminLong, hashes_a_password_out_of_a_file_and_shows_neither) {
  const TemporaryFolder folder;
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  config.spare_users = 1;
  config.password_file = folder / "passwords";
  config.journal.directory = folder / "journal";
  config.journal.segment_megabytes = 1;
  std::string said;
  {
    const app::testing::Market market(config);
    std::string where;
    for (const std::string& line : market.description())
      if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
        where = line.substr(begin.size(), line.find(',') - begin.size());
    const std::string secret = folder.write("secret", "Rice#2026\n"), other = folder.write("other", "Rice#2027\n");
    for (const std::string& file : {secret, other})
      std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const auto admin = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"admin", "--connect", where});
      const Outcome outcome = call(words);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      said += outcome.out + outcome.err;
    };
    admin({"--password-file", secret, "--json", folder / "run.json", "user", "add", "SUMITOMO", "read", "--", "joins"});
    admin({"--password-file", other, "user", "password", "KONOIKE"});
    admin({"audit"});
    std::filesystem::remove(secret);
    std::filesystem::remove(other);
  }
  const auto kept_of = [&](const std::string& user) {
    std::ifstream in(folder / "passwords");
    std::string line;
    while (std::getline(in, line) && !line.starts_with(user + "\t")) continue;
    return line.substr(line.rfind('\t') + 1);
  };
  EXPECT_TRUE(app::is_password_of(kept_of("SUMITOMO"), "Rice#2026")) << kept_of("SUMITOMO");
  EXPECT_TRUE(app::is_password_of(kept_of("KONOIKE"), "Rice#2027")) << kept_of("KONOIKE");
  EXPECT_TRUE(contains(said, "user password KONOIKE $scrypt$...")) << said;
  const std::vector<std::string> kept{kept_of("SUMITOMO"), kept_of("KONOIKE")};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "")) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    if (entry.file_size() != 0) text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = std::move(text).str();
    EXPECT_FALSE(contains(bytes, "Rice#202")) << entry.path();
    for (const std::string& each : kept)
      EXPECT_EQ(contains(bytes, each), entry.path().filename() == "passwords") << entry.path();
  }
  EXPECT_FALSE(contains(said, "Rice#202")) << said;
  for (const std::string& each : kept) EXPECT_FALSE(contains(said, each)) << said;
}

TEST(Admin, takes_a_password_file_only_where_a_password_belongs) {
  const TemporaryFolder folder;
  const std::string open = folder.write("open", "Rice#2026\n"), longest = folder.write("long", std::string(26, 'p'));
  std::filesystem::permissions(open, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  std::filesystem::permissions(longest, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto refused = [&](const std::string& file, std::vector<std::string> words) {
    words.insert(words.begin(), {"admin", "--connect", "127.0.0.1:1", "--password-file", file});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused(open, {"user", "add", "ANN"}), "others may read it; chmod 600 it"));
  EXPECT_TRUE(contains(refused(longest, {"user", "add", "ANN"}), "a password has 1 to 25 characters, not 26"));
  EXPECT_TRUE(contains(refused(open, {"user", "remove", "ANN"}), "--password-file is of user add USER"));
  EXPECT_TRUE(contains(refused(open, {"user", "add"}), "--password-file is of user add USER"));
  EXPECT_TRUE(contains(refused(open, {"users"}), "--password-file is of user add USER"));
  EXPECT_TRUE(contains(refused(open, {"user", "add", "ANN", "-"}), "--password-file and a HASH: one of them"));
  EXPECT_TRUE(contains(refused(open, {"user", "password", "ANN", "$scrypt$"}), "one of them"));
}

TEST(Admin, shows_limits_and_kill_switches_of_a_venue_and_its_gateway_in_one_place) {
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  const std::uint16_t port = net::testing::free_port();
  const std::string gateway = "127.0.0.1:" + std::to_string(port);
  const app::testing::Market market(config, [&](app::GatewayConfig& of, const app::VenueServer&) {
    of.admin.port = port;
    of.gateway.clients.front().limits.quantity = {500};
  });
  std::string venue;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      venue = line.substr(begin.size(), line.find(',') - begin.size());
  ASSERT_EQ(call({"admin", "--connect", venue, "limits", "KONOIKE", "max_rate=77"}).status, 0);
  ASSERT_EQ(call({"admin", "--connect", venue, "kill", "YODOYA"}).status, 0);
  ASSERT_EQ(call({"admin", "--connect", gateway, "kill", "YODOYA"}).status, 0);
  const Outcome both = call({"admin", "--connect", venue, "--connect", gateway, "limits"});
  EXPECT_EQ(both.status, 0) << both.err;
  const std::size_t second = both.out.find("\n" + gateway + "\n");
  ASSERT_TRUE(both.out.starts_with(venue + "\n") && second != std::string::npos) << both.out;
  const std::string of_venue = both.out.substr(0, second), of_gateway = both.out.substr(second);
  for (const char* words : {"KONOIKE", "max_rate", "77", "YODOYA", "kill"})
    EXPECT_TRUE(contains(of_venue, words)) << words;
  for (const char* words : {"KONOIKE", "max_quantity", "500", "YODOYA", "kill switch"})
    EXPECT_TRUE(contains(of_gateway, words)) << of_gateway;
  EXPECT_FALSE(contains(of_gateway, "none")) << "only what limits something";
  const Outcome changing = call({"admin", "--connect", venue, "--connect", gateway, "revive", "YODOYA"});
  EXPECT_EQ(changing.status, 2);
  EXPECT_TRUE(contains(changing.err, "several --connect are for")) << changing.err;
  const Outcome setting = call({"admin", "--connect", venue, "--connect", gateway, "limits", "KONOIKE", "max_rate=1"});
  EXPECT_EQ(setting.status, 2);
  const Outcome half = call({"admin", "--connect", "127.0.0.1:1", "--connect", venue, "status"});
  EXPECT_EQ(half.status, 3);
  EXPECT_TRUE(contains(half.out, "users logged on")) << half.out;
}

TEST(Admin, takes_a_segment_or_an_instrument_by_an_option_beside_the_bare_name) {
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  config.segments.push_back(app::example_segment());
  const std::string segment = app::example_segment().name;
  config.instruments[0].segment = config.instruments[1].segment = segment;
  const app::testing::Market market(config);
  std::string where;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      where = line.substr(begin.size(), line.find(',') - begin.size());
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"admin", "--connect", where});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(said({"halt", "--segment", segment, "--", "news"}), "2 instruments get the command: halt\n");
  EXPECT_EQ(said({"--instrument", "KAGA", "resume"}), "1 instruments get the command: resume\n");
  EXPECT_EQ(said({"cancel", "KONOIKE", "--segment", segment}), "0 orders of KONOIKE are cancelled\n");
  EXPECT_EQ(said({"phase", "--instrument", config.instruments[2].symbol, "closed"}), "1 instruments are in closed\n");
  EXPECT_EQ(said({"limits", "KONOIKE", "--instrument", "KAGA", "max_quantity=7"}), "1 limits of KONOIKE are set\n");
  EXPECT_TRUE(contains(said({"audit"}), "halt segment:" + segment));
}

TEST(Admin, refuses_a_place_where_none_belongs) {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"admin", "--connect", "127.0.0.1:1"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused({"halt", "--segment", "RICE", "--instrument", "KAGA"}), "one of them"));
  EXPECT_TRUE(contains(refused({"kill", "KONOIKE", "--segment", "RICE"}),
                       "--segment is of halt, resume, suspend, delist, list, phase, cancel"));
  EXPECT_TRUE(contains(refused({"bust", "--segment", "RICE", "1"}), "--segment is of halt"));
  EXPECT_TRUE(contains(refused({"--instrument", "KAGA"}), "--instrument is of halt"));
  EXPECT_TRUE(
      contains(refused({"cancel", "--segment", "RICE"}), "cancel takes a USER, account:NAME or all before --segment"));
}

TEST(Admin, says_what_is_missing_before_a_reason_and_on_standard_input) {
  const Outcome none = call({"admin", "--", "limit", "breach"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "no verb before --")) << none.err;
  const Typed typed("");
  const Outcome empty = call({"admin", "user", "add", "SUMITOMO", "-"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_TRUE(contains(empty.err, "standard input has no first line")) << empty.err;
}

}  // namespace
}  // namespace dojima::cli
