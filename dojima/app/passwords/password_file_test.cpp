#include "dojima/app/passwords/password_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

class PasswordFiles : public ::testing::Test {
 protected:
  PasswordFiles() { std::filesystem::remove(path_); }
  ~PasswordFiles() override { std::filesystem::remove(path_); }

  simulate::ExchangeConfig config_ = [] {
    simulate::ExchangeConfig config;
    config.users = {{.name = "ANNA", .password = "first#1730", .first_password = true},
                    {.name = "BERT", .password = "first#1731"}};
    return config;
  }();
  std::string path_ = ::testing::TempDir() + "passwords-of-a-test";
  time::Time now_ = time::from_nanoseconds(1'800'000'000'000'000'000);
};

TEST_F(PasswordFiles, give_the_next_start_what_users_chose) {
  auto first = PasswordFile::open(path_);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->keep("ANNA", "second=1730\\", now_));
  EXPECT_TRUE(first->keep("ANNA", "third#1730", now_ + 1s));
  const auto again = PasswordFile::open(path_);
  ASSERT_TRUE(again) << again.error();
  again->apply_to(config_);
  EXPECT_EQ(config_.users[0].password, "third#1730");
  EXPECT_EQ(config_.users[0].password_since, now_ + 1s);
  EXPECT_FALSE(config_.users[0].first_password);
  EXPECT_EQ(config_.users[1].password, "first#1731");
  const auto permissions = std::filesystem::status(path_).permissions();
  EXPECT_EQ(permissions & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
            std::filesystem::perms::none);
}

TEST_F(PasswordFiles, are_as_before_once_a_change_was_taken_back) {
  auto file = PasswordFile::open(path_);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->keep("BERT", "second#1731", now_));
  EXPECT_TRUE(file->keep("BERT", "third#1731", now_ + 1s));
  file->take_back("BERT");
  EXPECT_TRUE(file->keep("ANNA", "second#1730", now_ + 1s));
  file->take_back("ANNA");
  const auto again = PasswordFile::open(path_);
  ASSERT_TRUE(again) << again.error();
  again->apply_to(config_);
  EXPECT_EQ(config_.users[0].password, "first#1730");
  EXPECT_TRUE(config_.users[0].first_password) << "still to be changed";
  EXPECT_EQ(config_.users[1].password, "second#1731");
  EXPECT_EQ(config_.users[1].password_since, now_) << "as old as it was";
}

TEST_F(PasswordFiles, of_earlier_builds_are_sealed) {
  std::ofstream(path_) << "ANNA\t1\tfirst#1730\nBERT\t2\tfirst#1731\n";
  auto opened = PasswordFile::open(path_);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_TRUE(opened->keep("ANNA", std::string(40, 'h'), now_)) << "it is hashed already";
  EXPECT_FALSE(opened->seal([](std::string_view) { return std::string(); }));
  opened = PasswordFile::open(path_);
  EXPECT_TRUE(opened->seal([](std::string_view clear) { return std::string(clear) + std::string(30, '.'); }));
  const auto again = PasswordFile::open(path_);
  ASSERT_TRUE(again) << again.error();
  again->apply_to(config_);
  EXPECT_EQ(config_.users[0].password, std::string(40, 'h'));
  EXPECT_EQ(config_.users[1].password, "first#1731" + std::string(30, '.'));
  EXPECT_EQ(config_.users[1].password_since, time::from_nanoseconds(2));
}

TEST_F(PasswordFiles, say_which_line_is_none) {
  std::ofstream(path_) << "ANNA\t1\tfirst#1730\nBERT first#1731\n";
  const auto opened = PasswordFile::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().find("line 2"), std::string::npos) << opened.error();
}

TEST_F(PasswordFiles, keep_nothing_where_they_cannot_be_written) {
  auto opened = PasswordFile::open(::testing::TempDir() + "no-such-folder/passwords");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->keep("ANNA", "second#1730", now_));
  opened->apply_to(config_);
  EXPECT_EQ(config_.users[0].password, "first#1730");
}

}  // namespace
}  // namespace dojima::app
