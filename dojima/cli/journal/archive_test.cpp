#include "dojima/cli/journal/archive.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace dojima::cli {
namespace {

class Archive : public testing::Test {
 protected:
  Archive()
      : folder_((std::filesystem::temp_directory_path() / ("dojima-archive-" + std::to_string(::getpid()) + "-" +
                                                           std::to_string(reinterpret_cast<std::uintptr_t>(this))))
                    .string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(file()) << std::string(10'000, 'x');
  }
  ~Archive() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file() const { return folder_ + "/file"; }
  [[nodiscard]] std::string out() const { return folder_ + "/out"; }
  /// What it says; empty: it did not fail.
  [[nodiscard]] static std::string refusal(const std::string& file, const std::string& folder) {
    const auto archived = archive_file(file, folder, "file.zst");
    return archived ? "" : archived.error();
  }

  std::string folder_;
};

TEST_F(Archive, makes_the_folder_packs_and_leaves_what_is_there_alone) {
  const auto first = archive_file(file(), out() + "/below", "file.zst");
  ASSERT_TRUE(first) << first.error();
  EXPECT_TRUE(first->is_new);
  EXPECT_EQ(first->bytes, 10'000u);
  EXPECT_LT(first->packed, 100u);
  EXPECT_EQ(first->packed, std::filesystem::file_size(out() + "/below/file.zst"));
  std::ofstream(file()) << "another";
  const auto second = archive_file(file(), out() + "/below", "file.zst");
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(first->packed, std::filesystem::file_size(out() + "/below/file.zst"));
}

TEST_F(Archive, packs_a_file_without_bytes) {
  std::ofstream(file(), std::ios::trunc).flush();
  const auto archived = archive_file(file(), out(), "file.zst");
  ASSERT_TRUE(archived) << archived.error();
  EXPECT_EQ(archived->bytes, 0u);
}

TEST_F(Archive, says_which_file_cannot_be_read) {
  EXPECT_EQ(refusal(folder_ + "/missing", out()), folder_ + "/missing: cannot be read: No such file or directory");
  EXPECT_TRUE(std::filesystem::is_empty(out()));
}

TEST_F(Archive, says_where_it_cannot_write) {
  // A file where a folder should be, and folders where it should write: for every user, root included.
  EXPECT_NE(refusal(file(), file() + "/below").find("/file/below: cannot be made: "), std::string::npos);
  std::filesystem::create_directories(out() + "/file.zst.new/inside");
  EXPECT_EQ(refusal(file(), out()), out() + "/file.zst.new: cannot be written: Is a directory");
  EXPECT_FALSE(std::filesystem::exists(out() + "/file.zst"));
}

TEST_F(Archive, says_that_a_full_disk_is_full_and_leaves_nothing) {
  std::filesystem::create_directories(out());
  std::filesystem::create_symlink("/dev/full", out() + "/file.zst.new");
  EXPECT_EQ(refusal(file(), out()), out() + "/file.zst.new: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_empty(out()));
}

}  // namespace
}  // namespace dojima::cli
