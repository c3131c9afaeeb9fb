// `dojima fix print FILE --follow` beside a message log that is being written: the program runs as a process of its own
// and ends with Ctrl-C.

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/app/message_log_file.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::cli {
namespace {

using fix::LogEntry;
using fix::testing::framed;
using fix::testing::k_noon;

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// `dojima fix print FILE --follow` with its output in a file.
pid_t start(const std::string& file, const std::string& out) {
  std::vector<std::string> words{DOJIMA_PROGRAM, "fix", "print", file, "--follow"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t program = ::fork();
  if (program != 0) return program;
  const int target = ::open(out.c_str(), O_WRONLY | O_TRUNC);
  ::dup2(target, STDOUT_FILENO);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

bool comes(const std::string& file, const std::string& text) {
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
       std::chrono::steady_clock::now() < end;) {
    if (contains(content(file), text)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});  // for another process
  }
  return false;
}

TEST(FixFollow, shows_messages_as_they_are_logged_also_in_the_next_file) {
  const TemporaryFile file(""), out("");
  app::MessageLogFile log({.path = file.path(), .file_bytes = 400, .files = 3});
  const std::uint32_t session = log.add_session({"FIX.4.4", "VENUE", "ME"});
  const auto write = [&](const std::string& id) {
    const std::string text = framed("35=0|34=1|49=ME|52=20260720-12:00:00.000|56=VENUE|112=" + id + "|");
    log.write(session, LogEntry::incoming, as_bytes(text), k_noon);
    EXPECT_TRUE(log.flush());
  };
  write("first");
  const std::string logon = framed("35=A|34=2|49=ME|52=20260720-12:00:00.000|56=VENUE|98=0|108=30|553=me|554=secret|");
  log.write(session, LogEntry::incoming, as_bytes(logon), k_noon);
  const pid_t program = start(file.path(), out.path());
  EXPECT_TRUE(comes(out.path(), "first"));
  for (int number = 0; number < 6; ++number) {
    write("number" + std::to_string(number));
    EXPECT_TRUE(comes(out.path(), "number" + std::to_string(number)));
  }
  EXPECT_TRUE(std::filesystem::exists(file.path() + ".1"));
  ::kill(program, SIGINT);
  int status = 0;
  ::waitpid(program, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), k_success) << "checksums are right, that of the masked Logon too\n"
                                            << content(out.path());
  EXPECT_TRUE(contains(content(out.path()), "***"));
  EXPECT_FALSE(contains(content(out.path()), "****")) << "a mask tells no length";
  EXPECT_FALSE(contains(content(out.path()), "secret"));
  for (const char* behind : {".1", ".2"}) std::filesystem::remove(file.path() + behind);
}

TEST(FixFollow, takes_one_file_that_is_there) {
  EXPECT_EQ(call({"fix", "print", "--follow"}).status, k_usage);
  EXPECT_EQ(call({"fix", "print", "a", "b", "--follow"}).status, k_usage);
  EXPECT_EQ(call({"fix", "print", "-", "--follow"}).status, k_usage);
  const Outcome outcome = call({"fix", "print", "/nowhere/at/all", "--follow"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "No such file")) << outcome.err;
}

}  // namespace
}  // namespace dojima::cli
