// What `dojima trade` takes and refuses, and what its results say of how it was started.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <utmp.h>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void make_private(const TemporaryFile& file) {
  std::filesystem::permissions(file.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

/// A venue with market data, in a thread, and the configuration that finds it.
class LiveVenue {
 public:
  LiveVenue() : server_(config_) {
    config_.listen.port = server_.start().value().port;
    for (const std::string& line : server_.describe({"127.0.0.1", static_cast<std::uint16_t>(config_.listen.port)}))
      for (auto [name, port] :
           {std::pair{"replay", &config_.feed.replay_port}, {"recovery", &config_.feed.recovery_port}})
        if (const std::string begin = std::string("MIT303 ") + name + " 127.0.0.1:"; line.starts_with(begin))
          *port = std::stoi(line.substr(begin.size()));
    thread_ = std::jthread([this] { server_.run([this] { return is_over_.load(); }); });
  }
  ~LiveVenue() { is_over_ = true; }
  [[nodiscard]] std::string text() const { return app::text_of(config_); }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(config_.listen.port); }

 private:
  static app::VenueConfig first_config() {
    app::VenueConfig config = app::default_venue();
    config.listen.port = 0;
    config.feed.replay_port = config.feed.recovery_port = 0;
    config.idle = net::IdlePolicy::block;
    config.feed.line_a = "239.255.77.31:" + std::to_string(20'000 + ::getpid() % 20'000);
    config.feed.readers = {{.name = "READ1", .password = "feed_1234"}};
    config.users.push_back({.name = "NATIVE", .password = "rice-1730"});
    return config;
  }

  app::VenueConfig config_ = first_config();
  app::VenueServer server_;
  std::atomic<bool> is_over_{false};
  std::jthread thread_;
};

TEST(TradeLong, keeps_passwords_out_of_its_results) {
  const LiveVenue venue;
  const TemporaryFile config(venue.text()), secret("rice-1730\n");
  make_private(secret);
  const auto run = [&](const std::vector<std::string>& password) {
    const TemporaryFile json(""), page("");
    std::vector<std::string> words{"trade",      "--native", "--connect", venue.address(), "--user",   "NATIVE",
                                   "--strategy", "touch",    "--set",     "quantity=1",    "--config", config.path(),
                                   "--length",   "50ms",     "--json",    json.path(),     "--report", page.path()};
    words.insert(words.end(), password.begin(), password.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_success) << outcome.err;
    const std::string artefact = text_of_file(json.path()), shown = text_of_file(page.path());
    EXPECT_TRUE(contains(artefact, "\"quantity=1\"")) << "other words stay";
    EXPECT_TRUE(contains(shown, "quantity=1"));
    for (const std::string* text : {&artefact, &shown}) {
      EXPECT_FALSE(contains(*text, "rice-1730"));
      EXPECT_EQ(contains(*text, "***"), password.front() != "--password-file");
    }
  };
  run({"--password", "rice-1730"});
  run({"--password-file", secret.path()});
}

TEST(Trade, shows_no_secret_among_its_words) {
  using Shown = std::vector<std::string>;
  const auto shown = [](const Shown& words) {
    static_cast<void>(call(words));
    return Shown(command_line().begin() + 1, command_line().end());
  };
  EXPECT_EQ(
      shown({"nothing", "--password", "X", "--new-password", "--Y", "--password=Z", "--new-password=", "-v"}),
      (Shown{"nothing", "--password", "***", "--new-password", "***", "--password=***", "--new-password=***", "-v"}));
  EXPECT_EQ(shown({"nothing", "--set", "user.0.password=a=b", "--set=client.0.venue_password=x"}),
            (Shown{"nothing", "--set", "user.0.password=***", "--set=client.0.venue_password=***"}));
  EXPECT_EQ(shown({"nothing", "--set", "user.0.password_hash=$scrypt$x", "--set=user=[{ password_hash = \"x\" }]"}),
            (Shown{"nothing", "--set", "user.0.password_hash=***", "--set=user=[{ password_hash =***"}));
  EXPECT_EQ(shown({"nothing", "--set", "user=[{ name = \"A\", \"password\" = \"x\" }]"}),
            (Shown{"nothing", "--set", "user=[{ name = \"A\", \"password\" =***"}));
  const Shown open{"nothing",
                   "--password-file",
                   "F",
                   "--password-file=F",
                   "--set",
                   "logon.password_days=3",
                   "hash-password",
                   "F",
                   "--new-password-file",
                   "F",
                   "--set",
                   "client.0.venue_password_file=F"};
  EXPECT_EQ(shown(open), open);
  EXPECT_EQ(shown({"nothing", "--password"}), (Shown{"nothing", "--password"}));
}

TEST(Trade, takes_the_password_from_a_file_that_nobody_else_may_read) {
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> words{"trade", "--connect", "127.0.0.1:1", "--sender", "X"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage) << outcome.err;
    return outcome.err;
  };
  const TemporaryFile good("secret\r\nmore\n"), empty("\n"), open("secret\n");
  make_private(good);
  make_private(empty);
  std::filesystem::permissions(open.path(), std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  EXPECT_TRUE(contains(refused({"--password-file", open.path()}), "others may read it; chmod 600 it"));
  EXPECT_TRUE(contains(refused({"--password-file", empty.path()}), "no password in its first line"));
  EXPECT_TRUE(contains(refused({"--password-file", "/nowhere/secret"}), "cannot be read: No such file"));
  EXPECT_TRUE(contains(refused({"--password-file", good.path(), "--password", "X"}), "one of them"));
  EXPECT_TRUE(contains(refused({"--new-password-file", good.path(), "--new-password", "X"}),
                       "--new-password and --new-password-file: one of them"));
  EXPECT_TRUE(
      contains(refused({"--new-password-file", open.path()}), "--new-password-file " + open.path() + ": others"));
  EXPECT_EQ(call({"trade", "--connect", "127.0.0.1:1", "--sender", "X", "--password-file", good.path()}).status,
            k_environment)
      << "it goes on";
}

/// Standard input of the program meanwhile.
class Input {
 public:
  explicit Input(const std::string& text) : before_(::dup(STDIN_FILENO)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
  }
  ~Input() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

 private:
  int before_;
};

TEST(Trade, takes_passwords_and_then_its_commands_from_standard_input) {
  const LiveVenue venue;
  const auto trade = [&](const std::string& typed, const std::vector<std::string>& more) {
    const Input input(typed);
    std::vector<std::string> words{"trade",  "--native", "--connect",    venue.address(),
                                   "--user", "NATIVE",   "--instrument", "KAGA=1001"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  };
  const Outcome done = trade("rice-1730\nbuy 100 KAGA @ 99.5\n", {"--password-file", "-"});
  EXPECT_EQ(done.status, k_success) << done.err << done.out;
  EXPECT_TRUE(contains(done.out, "99.5")) << "commands come behind the password: " << done.out;
  EXPECT_FALSE(contains(done.out + done.err, "rice-1730"));
  const Outcome wrong = trade("rice-1731\n", {"--password-file", "-"});
  EXPECT_EQ(wrong.status, k_environment) << wrong.err;
  EXPECT_TRUE(contains(wrong.out + wrong.err, "name or password is wrong")) << wrong.out << wrong.err;
  EXPECT_FALSE(contains(wrong.out + wrong.err, "rice-1731"));
  // The venue takes no new passwords, and says so: it was sent the second line.
  const Outcome refused = trade("rice-1730\nRice#1731\n", {"--password-file", "-", "--new-password-file", "-"});
  EXPECT_EQ(refused.status, k_environment) << refused.out;
  EXPECT_TRUE(contains(refused.out + refused.err, "the new password was refused")) << refused.out << refused.err;
  EXPECT_FALSE(contains(refused.out + refused.err, "1731"));
  const Outcome one = trade("rice-1730\n", {"--password-file", "-", "--new-password-file", "-"});
  EXPECT_EQ(one.status, k_usage);
  EXPECT_EQ(one.err, "dojima: --new-password-file -, standard input: no password in its first line\n");
}

TEST(Trade, with_a_strategy_heeds_the_loop_and_takes_no_script) {
  app::VenueConfig config = app::default_venue();
  config.feed.line_a = "239.255.77.32:" + std::to_string(20'000 + ::getpid() % 20'000);
  config.feed.readers = {{.name = "READ1", .password = "feed_1234"}};
  const TemporaryFile file(app::text_of(config)), script("wait 1\n");
  const auto trade = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"trade", "--connect", "127.0.0.1:1", "--sender", "X",    "--strategy",
                                   "touch", "--config",  file.path(),   "--length", "100ms"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  };
  const Outcome unknown = trade({"--loop", "colour=red"});
  EXPECT_EQ(unknown.status, k_usage) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "--loop colour=red")) << unknown.err;
  const Outcome nowhere = trade({"--loop", "processor=100000"});
  EXPECT_NE(nowhere.status, k_success);
  EXPECT_TRUE(contains(nowhere.err, "processor")) << nowhere.err;
  const Outcome scripted = trade({"--script", script.path()});
  EXPECT_EQ(scripted.status, k_usage) << scripted.err;
  EXPECT_TRUE(contains(scripted.err, "--script and --strategy")) << scripted.err;
}

/// Whether the terminal shows what is typed becomes `wanted` within five seconds.
bool shows_what_is_typed(int terminal, bool wanted) {
  for (int tries = 0; tries < 1'000; ++tries) {
    termios now{};
    if (::tcgetattr(terminal, &now) == 0 && ((now.c_lflag & ECHO) != 0) == wanted) return true;
    ::usleep(5'000);
  }
  return false;
}

TEST(Config, leaves_the_terminal_as_it_was_when_the_password_is_broken_off) {
  for (const char key : {'\x03', '\x1c'}) {  // Ctrl-C, Ctrl-backslash
    int terminal = -1, line = -1;
    ASSERT_EQ(::openpty(&terminal, &line, nullptr, nullptr, nullptr), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::login_tty(line);
      const char* const words[] = {"dojima", "config", "hash-password"};
      ::_exit(run(3, words));
    }
    EXPECT_TRUE(shows_what_is_typed(line, false));
    EXPECT_EQ(::write(terminal, &key, 1), 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_TRUE(shows_what_is_typed(line, true));
    ::close(line);
    ::close(terminal);
  }
}

}  // namespace
}  // namespace dojima::cli
