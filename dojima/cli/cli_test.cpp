#include "dojima/cli/cli.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/venue_server.hpp"

namespace dojima::cli {
namespace {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome call(std::vector<const char*> words) {
  words.insert(words.begin(), "dojima");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run(static_cast<int>(words.size()), words.data());
  std::fflush(stdout);
  std::fflush(stderr);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// A file that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("dojima-cli-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Cli, says_its_version_and_its_commands) {
  EXPECT_EQ(call({"--version"}).status, k_success);
  EXPECT_TRUE(call({"--version"}).out.starts_with("dojima "));
  const Outcome help = call({"--help"});
  EXPECT_EQ(help.status, k_success);
  EXPECT_TRUE(contains(help.out, "config")) << help.out;
  EXPECT_TRUE(contains(help.out, "Exit status")) << help.out;
  EXPECT_EQ(call({}).status, k_usage);
}

TEST(Cli, suggests_what_was_meant) {
  const Outcome command = call({"cnofig"});
  EXPECT_EQ(command.status, k_usage);
  EXPECT_TRUE(contains(command.err, "did you mean config?")) << command.err;
  const Outcome inner = call({"config", "chekc", "x"});
  EXPECT_EQ(inner.status, k_usage);
  EXPECT_TRUE(contains(inner.err, "did you mean check?")) << inner.err;
  const Outcome option = call({"--versoin"});
  EXPECT_EQ(option.status, k_usage);
  EXPECT_TRUE(contains(option.err, "did you mean --version?")) << option.err;
}

TEST(Cli, says_what_is_missing_and_where_help_is) {
  const Outcome outcome = call({"config", "check"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "FILE is required")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "see dojima config check --help")) << outcome.err;
}

TEST(Cli, prints_defaults_that_it_finds_right) {
  for (const char* kind : {"venue", "gateway"}) {
    const Outcome printed = call({"config", "default", kind});
    EXPECT_EQ(printed.status, k_success);
    const TemporaryFile file(printed.out);
    const Outcome checked = call({"config", "check", file.path()});
    EXPECT_EQ(checked.status, k_success) << checked.err;
    EXPECT_TRUE(contains(checked.out, kind)) << checked.out;
  }
  EXPECT_EQ(call({"config", "default", "exchange"}).status, k_usage);
}

TEST(Cli, tells_what_is_wrong_with_a_configuration) {
  const TemporaryFile file("kind = \"venue\"\n[listen]\nprot = 1\n");
  const Outcome outcome = call({"config", "check", file.path()});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, ":3:8: listen.prot: no such key; did you mean \"port\"?")) << outcome.err;
  EXPECT_EQ(call({"config", "check", "/no/such/file"}).status, k_usage);
}

TEST(Cli, says_that_a_port_is_taken_and_answers_with_the_environments_status) {
  app::VenueConfig config = app::default_venue();
  config.listen.port = 0;
  app::VenueServer first(config);
  const std::string port = "listen.port=" + std::to_string(first.start().value().port);
  const TemporaryFile file(app::text_of(app::default_venue()));
  const Outcome second = call({"venue", "--config", file.path(), "--set", port.c_str()});
  EXPECT_EQ(second.status, k_environment);
  EXPECT_TRUE(contains(second.err, "choose another port")) << second.err;
}

TEST(Cli, refuses_overrides_that_mean_nothing) {
  const TemporaryFile file(app::text_of(app::default_venue()));
  EXPECT_EQ(call({"venue", "--config", file.path(), "--set", "listen.port"}).status, k_usage);
  const Outcome outcome = call({"venue", "--config", file.path(), "--set", "listen.prot=1"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "did you mean \"port\"?")) << outcome.err;
  EXPECT_EQ(call({"gateway", "--config", file.path()}).status, k_usage) << "a venue's file";
}

TEST(Cli, runs_the_demo_in_virtual_time_for_people_and_for_scripts) {
  const Outcome people = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--no-progress"});
  EXPECT_EQ(people.status, k_success) << people.err;
  EXPECT_TRUE(contains(people.out, "quantity conserved")) << people.out;
  const Outcome script = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--json"});
  EXPECT_EQ(script.status, k_success) << script.err;
  EXPECT_TRUE(script.out.starts_with("{")) << script.out;
  EXPECT_TRUE(contains(script.out, "dojima.lab.run/1"));
  const TemporaryFile file("");
  const Outcome both = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--json", file.path()});
  EXPECT_EQ(both.out, people.out) << "the file takes the JSON, people read the rest";
  EXPECT_GT(std::filesystem::file_size(file.path()), 1000u);
  const Outcome paged =
      call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--no-progress", "--report", file.path()});
  EXPECT_EQ(paged.status, k_success) << paged.err;
  std::string first_line;
  std::getline(std::ifstream(file.path()), first_line);
  EXPECT_EQ(first_line, "<!DOCTYPE html>");
  for (const char* option : {"--json", "--report"}) {
    const Outcome nowhere =
        call({"demo", "--virtual", "--seconds", "3600", "--rate", "10000", option, "/no/such/file"});
    EXPECT_EQ(nowhere.status, k_environment) << option << " is found wanting before the run, not after it";
    EXPECT_EQ(nowhere.out, "");
  }
  EXPECT_EQ(call({"demo", "--clients", "0"}).status, k_usage);
}

TEST(Cli, tells_a_trader_that_nobody_listens) {
  const Outcome outcome = call({"trade", "--connect", "127.0.0.1:1", "--sender", "X"});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_TRUE(contains(outcome.out, "nobody listens at 127.0.0.1:1")) << outcome.out;
  EXPECT_EQ(call({"trade", "--connect", "nowhere", "--sender", "X"}).status, k_usage);
}

}  // namespace
}  // namespace dojima::cli
