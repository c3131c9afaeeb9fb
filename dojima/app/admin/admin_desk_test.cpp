// The desk before a target of the test, its loop in a thread, and the client that `dojima admin` uses.

#include "dojima/app/admin/admin_desk.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/station.hpp"
#include "dojima/web/http_client.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

class Target final : public AdminTarget {
 public:
  explicit Target(measure::GaugeBoard& board) : turns_(board.counter("turns_total", "Times it was asked")) {}
  [[nodiscard]] std::span<const AdminVerb> verbs() const override { return k_verbs; }
  using AdminTarget::on_command;
  AdminAnswer on_command(std::span<const std::string> words, time::Time) override {
    if (words.front() == "look") return {.text = "seen", .columns = {"word"}, .rows = {{words.back()}}};
    return words.size() == 2 ? AdminAnswer{.text = "changed " + words[1]} : AdminAnswer::refusal("one word, please");
  }
  void publish(time::Time) override { turns_.set(++count_); }
  [[nodiscard]] std::string waits_for() const override { return is_ready ? "" : "the other side"; }

  std::atomic<bool> is_ready{false};

 private:
  static constexpr AdminVerb k_verbs[] = {{"look", "[WORD]", "looks", false}, {"change", "WORD", "changes", true}};
  measure::Gauge& turns_;
  std::uint64_t count_ = 0;
};

class Desk : public ::testing::Test {
 protected:
  void start(const AdminConfig& config = {.port = 0}) {
    desk_ = std::make_unique<AdminDesk>(config, target_, board_, station_.scheduler(),
                                        [this](const std::string& line) { lines_.push_back(line); });
    station_.add(*desk_);
    const auto where = desk_->start([this] { station_.fabric().wake(); });
    ASSERT_TRUE(where.has_value()) << where.error();
    server_.address = *where;
    loop_ = std::jthread([this] {
      station_.run([this] {
        while (is_held_) std::this_thread::sleep_for(1ms);
        return !is_over_;
      });
    });
  }
  void TearDown() override {
    is_held_ = false;
    is_over_ = true;
    if (loop_.joinable()) loop_.join();
    desk_.reset();
  }
  [[nodiscard]] AdminAnswer say(const Words& words) const {
    const auto answer = command(server_, words);
    EXPECT_TRUE(answer.has_value()) << answer.error();
    return answer.value_or(AdminAnswer{});
  }

  measure::GaugeBoard board_;
  Target target_{board_};
  Station station_{{.scheduler = 8, .idle = net::IdlePolicy::block, .fabric = {.max_connections = 1}}};
  std::vector<std::string> lines_;
  std::unique_ptr<AdminDesk> desk_;
  AdminServer server_;
  std::atomic<bool> is_over_{false}, is_held_{false};
  std::jthread loop_;
};

TEST_F(Desk, carries_out_commands_and_writes_down_what_changes) {
  start();
  EXPECT_EQ(say({"look", "two words"}).rows, (std::vector<Words>{{"two words"}}));
  EXPECT_EQ(say({"change", "it"}).text, "changed it");
  EXPECT_EQ(say({"change"}), AdminAnswer::refusal("one word, please"));
  EXPECT_EQ(say({"turn"}), AdminAnswer::refusal("there is no verb turn; known are look, change"));
  EXPECT_EQ(verbs_of(server_).value().rows,
            (std::vector<Words>{{"look", "[WORD]", "looks"}, {"change", "WORD", "changes"}}));
  is_over_ = true;
  loop_.join();
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_TRUE(lines_[0].starts_with("admin 127.0.0.1:")) << lines_[0];
  EXPECT_TRUE(lines_[0].ends_with(": change it: changed it")) << lines_[0];
  EXPECT_TRUE(lines_[1].ends_with(": change: refused: one word, please")) << lines_[1];
}

TEST_F(Desk, says_whether_it_lives_and_is_ready) {
  start();
  EXPECT_TRUE(page_of(server_, "/live").value().is_good);
  EXPECT_EQ(page_of(server_, "/ready").value().text, "the other side\n");
  EXPECT_FALSE(page_of(server_, "/ready").value().is_good);
  target_.is_ready = true;
  while (!page_of(server_, "/ready").value().is_good) std::this_thread::sleep_for(5ms);
  const std::string text = page_of(server_, "/metrics").value().text;
  EXPECT_TRUE(text.starts_with("# HELP turns_total Times it was asked\n# TYPE turns_total counter\nturns_total "))
      << text;
  EXPECT_FALSE(page_of(server_, "/nothing").value().is_good);
}

TEST_F(Desk, a_command_waits_for_a_loop_that_is_busy) {
  start();
  is_held_ = true;
  std::jthread release([this] {
    std::this_thread::sleep_for(20ms);
    is_held_ = false;
  });
  EXPECT_EQ(say({"change", "it"}).text, "changed it");
}

TEST_F(Desk, takes_no_command_without_its_token) {
  start();
  const auto call = [&](std::string token) {
    return web::call({.port = server_.address.port,
                      .method = web::Method::post,
                      .target = "/command",
                      .token = std::move(token),
                      .body = "change it"})
        .value()
        .status;
  };
  EXPECT_EQ(call(""), 401U);
  EXPECT_EQ(call(std::string(64, '0')), 401U);
  EXPECT_EQ(web::call({.port = server_.address.port, .target = "/command"}).value().status, 405U);
  const std::string file = ::testing::TempDir() + "dojima-admin-other.token";
  std::ofstream(file) << std::string(64, '1') << '\n';
  ::chmod(file.c_str(), 0600);
  server_.token_file = file;
  const auto answer = command(server_, Words{"change", "it"});
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().find("does not know the token"), std::string::npos) << answer.error();
  ::chmod(file.c_str(), 0644);
  EXPECT_NE(command(server_, Words{"look"}).error().find("others can read the token"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_NE(command(server_, Words{"look"}).error().find("No such file"), std::string::npos);
  is_over_ = true;
  loop_.join();
  EXPECT_TRUE(lines_.empty());
}

TEST_F(Desk, keeps_a_token_in_the_file_that_is_configured) {
  const std::string file = ::testing::TempDir() + "dojima-admin-own.token";
  std::filesystem::remove(file);
  start({.port = 0, .token_file = file});
  struct stat there{};
  ASSERT_EQ(::stat(file.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0600U);
  server_.token_file = file;
  EXPECT_EQ(say({"change", "it"}).text, "changed it");
  TearDown();
  EXPECT_TRUE(std::filesystem::exists(file));
  std::ofstream(file) << "too short\n";
  AdminDesk second({.port = 0, .token_file = file}, target_, board_, station_.scheduler(), [](const std::string&) {});
  const auto where = second.start([] {});
  ASSERT_FALSE(where.has_value());
  EXPECT_NE(where.error().find("holds no token"), std::string::npos) << where.error();
  std::filesystem::remove(file);
}

TEST_F(Desk, knows_operators_by_their_tokens_and_lets_some_only_look) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dojima-desk-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  start({.port = 0,
         .token_file = file("admin"),
         .operators = {{.name = "ann", .token_file = file("ann")},
                       {.name = "bert", .token_file = file("bert"), .only_looks = true}}});
  const auto say = [&](const char* name, const Words& words) {
    server_.token_file = file(name);
    return command(server_, words);
  };
  EXPECT_TRUE(say("admin", {"change", "one"})->is_done);
  EXPECT_TRUE(say("ann", {"change", "two"})->is_done);
  EXPECT_TRUE(say("bert", {"look", "round"})->is_done);
  const auto refused = say("bert", {"change", "three"});
  ASSERT_TRUE(refused.has_value()) << refused.error();
  EXPECT_FALSE(refused->is_done);
  EXPECT_EQ(refused->text, "the token is of an operator who only looks");
  std::ofstream(file("other")) << std::string(64, 'a') << '\n';
  std::filesystem::permissions(file("other"), std::filesystem::perms::owner_read);
  const auto unknown = say("other", {"look"});
  EXPECT_FALSE(unknown.has_value() && unknown->is_done);
  is_over_ = true;
  loop_.join();
  ASSERT_EQ(lines_.size(), 3u);
  EXPECT_TRUE(lines_[0].starts_with("admin 127.0.0.1:")) << lines_[0];
  EXPECT_TRUE(lines_[1].starts_with("admin ann at 127.0.0.1:")) << lines_[1];
  EXPECT_TRUE(lines_[2].starts_with("admin bert at 127.0.0.1:")) << lines_[2];
  std::filesystem::remove_all(folder);
}

TEST_F(Desk, does_not_start_with_two_operators_of_one_token) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dojima-desk-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  for (const char* const name : {"ann", "bert"}) {
    std::ofstream(folder / name) << std::string(64, 'a') << '\n';
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_read);
  }
  const AdminConfig config{.port = 0,
                           .operators = {{.name = "ann", .token_file = (folder / "ann").string()},
                                         {.name = "bert", .token_file = (folder / "bert").string()}}};
  AdminDesk desk(config, target_, board_, station_.scheduler(), [](const std::string&) {});
  const auto where = desk.start([] {});
  ASSERT_FALSE(where);
  EXPECT_NE(where.error().find("hold the same token"), std::string::npos) << where.error();
  std::filesystem::remove_all(folder);
}

TEST_F(Desk, takes_its_own_token_away) {
  start();
  EXPECT_EQ(say({"change", "it"}).text, "changed it");
  TearDown();
  EXPECT_FALSE(command(server_, Words{"change", "it"}).has_value());
}

TEST_F(Desk, says_that_its_port_is_taken) {
  start();
  // Of another program: the scheduler of this one is its loop's.
  Station station{{.scheduler = 8, .idle = net::IdlePolicy::block, .fabric = {.max_connections = 1}}};
  AdminDesk second({.port = server_.address.port}, target_, board_, station.scheduler(), [](const std::string&) {});
  const auto where = second.start([] {});
  ASSERT_FALSE(where.has_value());
  EXPECT_NE(where.error().find("--set admin.port=0"), std::string::npos) << where.error();
}

}  // namespace
}  // namespace dojima::app
