#include "dojima/app/feed/feed_file.hpp"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

/// A unit of that size that says its number in every byte behind its length.
std::vector<std::byte> unit_of(std::size_t size, std::size_t number) {
  std::vector<std::byte> unit(size, static_cast<std::byte>(number));
  unit[0] = static_cast<std::byte>(size & 0xff);
  unit[1] = static_cast<std::byte>(size >> 8U);
  return unit;
}

/// The sizes of the whole units that the bytes are, and whether they are nothing else.
bool is_whole_units(const std::string& bytes, std::vector<std::size_t>& sizes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (at + 2 > bytes.size()) return false;
    const std::size_t size = static_cast<unsigned char>(bytes[at]) |
                             static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
    if (size < 2 || at + size > bytes.size()) return false;
    for (std::size_t byte = at + 3; byte < at + size; ++byte)
      if (bytes[byte] != bytes[at + 2]) return false;
    sizes.push_back(size);
    at += size;
  }
  return true;
}

class FeedFiles : public ::testing::Test {
 protected:
  FeedFiles()
      : path_((std::filesystem::temp_directory_path() / ("dojima-feed-" + std::to_string(::getpid()) + "-" +
                                                         std::to_string(reinterpret_cast<std::uintptr_t>(this))))
                  .string()) {}
  ~FeedFiles() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Puts so many units of 100 bytes; whatever is behind the file, that does not wait for it.
  static void put(FeedFile& file, std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t number = 0; number < count; ++number) file.on_unit(unit_of(100, number));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  }
  /// Waits for what the writing thread does; a minute is for ever.
  template <class Condition>
  static bool wait_for(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  std::string path_;
};

TEST_F(FeedFiles, hold_all_units_in_their_order) {
  {
    FeedFile file(path_);
    for (std::size_t number = 0; number < 1000; ++number) file.on_unit(unit_of(3 + number % 300, number));
    file.flush();
    EXPECT_EQ(file.trouble(), nullptr);
    EXPECT_EQ(file.left_out(), 0u);
  }
  std::vector<std::size_t> sizes;
  ASSERT_TRUE(is_whole_units(read(), sizes));
  ASSERT_EQ(sizes.size(), 1000u);
  for (std::size_t number = 0; number < sizes.size(); ++number) ASSERT_EQ(sizes[number], 3 + number % 300);
}

TEST_F(FeedFiles, with_a_small_ring_leave_whole_units_out_and_count_them) {
  std::uint64_t left_out = 0;
  {
    // Units go round the ring's end at every place of it.
    FeedFile file(path_, 1021);
    put(file, 20'000);
    file.flush();
    left_out = file.left_out();
    ASSERT_GT(left_out, 0u);
    ASSERT_NE(file.trouble(), nullptr);
    EXPECT_NE(
        std::string(file.trouble()).find("its reader is too slow; " + std::to_string(left_out) + " units left out"),
        std::string::npos)
        << file.trouble();
    // What comes when there is room again is taken.
    for (std::size_t number = 0; number < 50; ++number) {
      file.on_unit(unit_of(100, number));
      file.flush();
    }
    EXPECT_EQ(file.left_out(), left_out);
  }
  std::vector<std::size_t> sizes;
  ASSERT_TRUE(is_whole_units(read(), sizes));
  EXPECT_EQ(sizes.size(), 20'050 - left_out);
}

TEST_F(FeedFiles, leave_a_unit_out_that_is_larger_than_the_ring) {
  FeedFile file(path_, 64);
  file.on_unit(unit_of(65, 1));
  file.on_unit(unit_of(64, 2));
  file.flush();
  EXPECT_EQ(file.left_out(), 1u);
  EXPECT_EQ(read().size(), 64u);
}

TEST_F(FeedFiles, into_a_pipe_that_nobody_reads_block_nobody) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const auto drain = [reader](std::string& all) {
    char piece[4096];
    for (ssize_t size = ::read(reader, piece, sizeof piece); size > 0; size = ::read(reader, piece, sizeof piece))
      all.append(piece, static_cast<std::size_t>(size));
  };
  std::string all;
  std::uint64_t left_out = 0;
  {
    FeedFile file(path_, 100'000);
    put(file, 5000);
    left_out = file.left_out();
    EXPECT_GT(left_out, 0u) << "the pipe takes 64 KiB, and the ring less than that is left";
    EXPECT_NE(file.trouble(), nullptr);
    // Somebody reads at last: what waited comes, unit by unit.
    EXPECT_TRUE(wait_for([&] {
      drain(all);
      return all.size() == 100 * (5000 - left_out);
    }));
  }
  ::close(reader);
  std::vector<std::size_t> sizes;
  EXPECT_TRUE(is_whole_units(all, sizes));
}

TEST_F(FeedFiles, into_a_pipe_that_nobody_reads_end_at_once) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  std::chrono::steady_clock::time_point begin;
  {
    FeedFile file(path_, 200'000);
    put(file, 2000);
    begin = std::chrono::steady_clock::now();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  ::close(reader);
}

TEST_F(FeedFiles, into_a_pipe_whose_reader_is_gone_say_so_and_go_on_with_the_next_one) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  FeedFile file(path_, 200'000);
  put(file, 1500);
  // How many bytes fill a pipe depends on the sizes in which they come: a page may hold one write alone.
  ASSERT_TRUE(wait_for([&] {
    int waiting = 0;
    return ::ioctl(reader, FIONREAD, &waiting) == 0 && waiting > 32'000;
  }));
  std::string all(30'050, '\0');
  ASSERT_EQ(::read(reader, all.data(), all.size()), static_cast<ssize_t>(all.size())) << "it ends inside a unit";
  ::close(reader);
  EXPECT_TRUE(wait_for([&] {
    const char* const trouble = file.trouble();
    return trouble != nullptr && std::string(trouble).find("Broken pipe") != std::string::npos;
  }));
  reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(wait_for([&] {
    char piece[4096];
    for (ssize_t size = ::read(reader, piece, sizeof piece); size > 0; size = ::read(reader, piece, sizeof piece))
      all.append(piece, static_cast<std::size_t>(size));
    return all.size() >= 150'000;
  }));
  ::close(reader);
  std::vector<std::size_t> sizes;
  EXPECT_TRUE(is_whole_units(all, sizes));
  EXPECT_EQ(sizes.size(), 1500u);
}

TEST_F(FeedFiles, on_a_full_disk_say_so_and_block_nobody) {
  FeedFile file("/dev/full", 4096);
  EXPECT_EQ(file.trouble(), nullptr);
  file.on_unit(unit_of(100, 1));
  ASSERT_TRUE(wait_for([&] { return file.trouble() != nullptr; }));
  EXPECT_STREQ(file.trouble(),
               "not all market data is written: No space left on device; 0 units left out, 100 bytes wait");
  put(file, 1000);
  EXPECT_EQ(file.left_out(), 1000u - (4096 - 100) / 100);
  EXPECT_NE(std::string(file.trouble()).find("No space left on device"), std::string::npos) << file.trouble();
}

TEST_F(FeedFiles, that_cannot_be_opened_throw) {
  EXPECT_THROW(FeedFile("/nowhere/at/all"), std::system_error);
}

}  // namespace
}  // namespace dojima::app
