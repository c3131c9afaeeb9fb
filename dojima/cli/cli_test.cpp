#include "dojima/cli/cli.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace dojima::cli
