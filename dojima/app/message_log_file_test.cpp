#include "dojima/app/message_log_file.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/app/followed_file.hpp"
#include "dojima/base/allocation_counter.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using fix::LogEntry;

constexpr time::Time k_noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + 12h;

class MessageLogs : public ::testing::Test {
 protected:
  MessageLogs() : folder_(std::filesystem::temp_directory_path() / "dojima-message-log-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
  }
  ~MessageLogs() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& behind = "") const {
    return (folder_ / "fix.log").string() + behind;
  }
  [[nodiscard]] static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  static std::uint32_t add(MessageLogFile& log) { return log.add_session({"FIX.4.4", "VENUE", "ME"}); }
  /// Waits for what the writing thread does; a minute is for ever.
  template <class Condition>
  static bool wait_for(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  std::filesystem::path folder_;
};

TEST_F(MessageLogs, have_a_line_an_entry_without_secrets) {
  {
    MessageLogFile log({.path = path()});
    const std::uint32_t first = add(log);
    const std::uint32_t second = log.add_session({"FIX.4.2", "VENUE", "YOU"});
    log.write(first, LogEntry::event, as_bytes("connected"), k_noon);
    log.write(first, LogEntry::incoming, as_bytes("8=FIX.4.4\00135=A\001554=secret\001"), k_noon + 1ns);
    log.write(second, LogEntry::outgoing, as_bytes("8=FIX.4.2\001"), k_noon + 1s);
    EXPECT_TRUE(log.flush());
    EXPECT_EQ(log.trouble(), nullptr);
  }
  EXPECT_EQ(read(path()),
            "20260720-12:00:00.000000000 FIX.4.4:VENUE->ME event connected\n"
            "20260720-12:00:00.000000001 FIX.4.4:VENUE->ME in 8=FIX.4.4\00135=A\001554=***\001\n"
            "20260720-12:00:01.000000000 FIX.4.2:VENUE->YOU out 8=FIX.4.2\001\n");
  struct stat about{};
  ASSERT_EQ(::stat(path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0007U, 0u) << "not for everybody";
}

TEST_F(MessageLogs, go_on_behind_what_is_there) {
  for (const char* text : {"one", "two"}) {
    MessageLogFile log({.path = path()});
    log.write(add(log), LogEntry::event, as_bytes(text),
              std::chrono::floor<time::Duration>(std::chrono::system_clock::now()));
  }
  const std::string text = read(path());
  EXPECT_NE(text.find("event one\n"), std::string::npos);
  EXPECT_NE(text.find("event two\n"), std::string::npos);
}

TEST_F(MessageLogs, begin_a_file_when_one_is_large_enough_and_keep_so_many) {
  {
    MessageLogFile log({.path = path(), .file_bytes = 200, .files = 3});
    const std::uint32_t session = add(log);
    for (int number = 0; number < 20; ++number) {
      log.write(session, LogEntry::event, as_bytes(std::to_string(number)), k_noon);
      ASSERT_TRUE(log.flush());
    }
    EXPECT_EQ(log.trouble(), nullptr);
  }
  // Each line has 53 bytes or more: four reach 200.
  EXPECT_NE(read(path()).find("event 16\n"), std::string::npos) << read(path());
  EXPECT_NE(read(path()).find("event 19\n"), std::string::npos);
  EXPECT_NE(read(path(".1")).find("event 12\n"), std::string::npos) << read(path(".1"));
  EXPECT_NE(read(path(".2")).find("event 8\n"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path(".3")));
  EXPECT_FALSE(std::filesystem::exists(path(".new")));
}

// An entry may come at any step of the thread that writes: none of them ends a file that is not large enough.
TEST_F(MessageLogs, stay_with_a_file_that_is_not_large_enough_whenever_entries_come) {
  constexpr int k_entries = 300;
  {
    MessageLogFile log({.path = path()});
    const std::uint32_t session = add(log);
    std::minstd_rand random(1);
    for (int number = 0; number < k_entries; ++number) {
      log.write(session, LogEntry::event, as_bytes(std::to_string(number)), k_noon);
      std::this_thread::sleep_for(std::chrono::microseconds{random() % 600});
    }
    EXPECT_TRUE(log.flush());
  }
  EXPECT_EQ(std::ranges::count(read(path()), '\n'), k_entries);
  EXPECT_FALSE(std::filesystem::exists(path(".1")));
}

TEST_F(MessageLogs, begin_a_file_with_each_day) {
  {
    MessageLogFile log({.path = path()});
    const std::uint32_t session = add(log);
    for (int day = 0; day < 3; ++day)
      for (const char* text : {"morning", "evening"})
        log.write(session, LogEntry::event, as_bytes(text + std::to_string(day)), k_noon + std::chrono::days{day});
  }
  for (int day = 0; day < 3; ++day) {
    const std::string text = read(path(day == 2 ? "" : "." + std::to_string(2 - day)));
    EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
    EXPECT_NE(text.find("evening" + std::to_string(day)), std::string::npos) << text;
  }
}

TEST_F(MessageLogs, miss_what_does_not_fit_and_say_so) {
  std::uint64_t missed = 0;
  {
    MessageLogFile log({.path = path(), .ring_bytes = 1021});
    const std::uint32_t session = add(log);
    const std::string text(80, 'x');
    for (int number = 0; number < 20'000; ++number) log.write(session, LogEntry::event, as_bytes(text), k_noon);
    missed = log.missed();
    ASSERT_GT(missed, 0u);
    ASSERT_NE(log.trouble(), nullptr);
    EXPECT_NE(std::string(log.trouble()).find(std::to_string(missed) + " entries missed"), std::string::npos);
  }
  std::uint64_t said = 0, lines = 0;
  std::ifstream in(path());
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t at = line.find("event "); line.find("entries are missing") != std::string::npos)
      said += std::stoull(line.substr(at + 6));
    else
      ++lines;
  }
  EXPECT_EQ(said, missed);
  EXPECT_EQ(lines, 20'000 - missed);
}

TEST_F(MessageLogs, on_a_full_disk_hold_nobody_up_and_say_why) {
  MessageLogFile log({.path = "/dev/full", .ring_bytes = 4096});
  const std::uint32_t session = add(log);
  log.write(session, LogEntry::event, as_bytes("one"), k_noon);
  ASSERT_TRUE(wait_for([&] { return log.trouble() != nullptr; }));
  EXPECT_NE(std::string(log.trouble()).find("No space left on device"), std::string::npos);
  for (int number = 0; number < 1000; ++number) log.write(session, LogEntry::event, as_bytes("more"), k_noon);
  EXPECT_GT(log.missed(), 0u);
}

TEST_F(MessageLogs, that_cannot_be_opened_throw) {
  EXPECT_THROW(MessageLogFile({.path = "/nowhere/at/all"}), std::system_error);
}

TEST_F(MessageLogs, take_no_memory_of_the_thread_that_writes_entries) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  MessageLogFile log({.path = path()});
  const std::uint32_t session = add(log);
  const std::uint64_t before = heap_allocations();
  for (int number = 0; number < 1000; ++number)
    log.write(session, LogEntry::incoming, as_bytes("8=FIX.4.4\001"), k_noon);
  EXPECT_EQ(heap_allocations(), before);
}

// ---- Followed ------------------------------------------------------------------------------------------------------

TEST_F(MessageLogs, are_followed_from_file_to_file) {
  MessageLogFile log({.path = path(), .file_bytes = 300, .files = 50});
  const std::uint32_t session = add(log);
  auto followed = FollowedFile::open(path());
  ASSERT_TRUE(followed);
  std::string text;
  EXPECT_FALSE(followed->read_on(text));
  for (int number = 0; number < 60; ++number) {
    log.write(session, LogEntry::event, as_bytes("n" + std::to_string(number) + "."), k_noon);
    if (number % 14 != 0) continue;
    ASSERT_TRUE(log.flush());
    while (followed->read_on(text)) {
    }
  }
  std::string expected;
  for (int number = 0; number <= 56; ++number) expected += "n" + std::to_string(number) + ".";
  std::string found;
  for (std::size_t at = text.find("event "); at != std::string::npos; at = text.find("event ", at + 1))
    found += text.substr(at + 6, text.find('\n', at) - at - 6);
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(std::filesystem::exists(path(".7")));
}

TEST_F(MessageLogs, that_are_cut_are_followed_from_their_beginning) {
  std::ofstream(path()) << "first\n";
  auto followed = FollowedFile::open(path());
  ASSERT_TRUE(followed);
  std::string text;
  EXPECT_TRUE(followed->read_on(text));
  std::ofstream(path()) << "new\n";
  EXPECT_TRUE(followed->read_on(text));
  EXPECT_EQ(text, "first\nnew\n");
  EXPECT_FALSE(FollowedFile::open(path(".none")));
  EXPECT_FALSE(FollowedFile::open("/dev/null"));
}

}  // namespace
}  // namespace dojima::app
