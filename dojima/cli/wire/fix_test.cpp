#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

const std::string k_log =
    "8=FIX.4.2|9=66|35=A|34=1|49=CoyTrade|52=20060516-22:35:27.010|56=BCE|98=0|108=30|10=223|\n"
    "8=FIX.4.2|9=66|35=A|34=1|49=BCE|52=20060516-22:35:27.722|56=CoyTrade|98=0|108=30|10=233|\n";

TEST(CliFix, prints_messages_with_names_and_counts) {
  const TemporaryFile log(k_log);
  const Outcome outcome = call({"fix", "print", log.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "CoyTrade > BCE  Logon (A) #1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "HeartBtInt             30")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "2 messages, 2 shown; 0 with a wrong checksum")) << outcome.out;
}

TEST(CliFix, shows_what_is_asked_for) {
  const TemporaryFile log(k_log);
  const Outcome outcome = call({"fix", "print", log.path(), "--only", "49=BCE"});
  EXPECT_TRUE(contains(outcome.out, "2 messages, 1 shown")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "CoyTrade > BCE")) << outcome.out;
  const Outcome wrong = call({"fix", "print", log.path(), "--only", "x"});
  EXPECT_EQ(wrong.status, k_usage);
  EXPECT_TRUE(contains(wrong.err, "--only takes TAG=VALUE")) << wrong.err;
}

TEST(CliFix, a_file_without_a_message_is_a_failure_and_said) {
  const TemporaryFile log("2026-07-20 12:00:00 started\nnothing yet\n");
  const TemporaryFile good(k_log);
  const Outcome alone = call({"fix", "print", log.path()});
  EXPECT_EQ(alone.status, k_failed);
  EXPECT_TRUE(contains(alone.err, std::string(log.path()) + ": no FIX message: nothing in it begins with 8=FIX"))
      << alone.err;
  const Outcome both = call({"fix", "print", "--only", "35=8", good.path(), log.path()});
  EXPECT_EQ(both.status, k_failed);
  EXPECT_FALSE(contains(both.err, good.path())) << "a filter that leaves out all is no failure";
  const Outcome filtered = call({"fix", "print", "--only", "35=8", "--only", "49=BCE", good.path()});
  EXPECT_EQ(filtered.status, k_success) << filtered.err;
  EXPECT_TRUE(contains(filtered.out, "2 messages, 0 shown")) << filtered.out;
}

TEST(CliFix, lenient_marks_wrong_formats_and_unknown_tags_only) {
  // Everything wrong that --lenient lets pass: no SendingTime, encrypted, a tag of another message, a side of no one.
  const std::string head = "8=FIX.4.4|9=81|35=D|34=1|49=A|56=B|90=1|91=x|";
  const TemporaryFile log(head + "11=a|55=R|54=?|41=x|40=1|38=1|453=2|448=P|115=late|10=238|\n");
  const Outcome strict = call({"fix", "print", log.path()});
  EXPECT_TRUE(contains(strict.out, " 1 invalid")) << strict.out;
  const Outcome lenient = call({"fix", "print", "--lenient", log.path()});
  EXPECT_TRUE(contains(lenient.out, " 0 invalid")) << lenient.out;
}

TEST(CliFix, a_wrong_checksum_is_a_failure) {
  std::string broken = k_log;
  broken.replace(broken.find("10=223"), 6, "10=224");
  const TemporaryFile log(broken);
  const Outcome outcome = call({"fix", "print", log.path(), "--summary"});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "1 with a wrong checksum")) << outcome.out;
}

TEST(CliFix, writes_tables_as_json) {
  const TemporaryFile log(k_log);
  const Outcome outcome = call({"fix", "print", log.path(), "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\"schema\": \"dojima.lab.run/1\"")) << outcome.out.substr(0, 300);
  EXPECT_TRUE(contains(outcome.out, "\"HeartBtInt\""));
  EXPECT_FALSE(contains(outcome.out, "2 messages, 2 shown"));
}

TEST(CliFix, says_what_is_wrong_with_a_dictionary_and_a_file) {
  const TemporaryFile log(k_log);
  const TemporaryFile dictionary("<fix type='FIX' major='4' minor='4'>\n<fields>\n<field number='x'/></fields></fix>");
  const Outcome outcome = call({"fix", "print", log.path(), "--dictionary", dictionary.path()});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, ":3: number is no number")) << outcome.err;
  EXPECT_EQ(call({"fix", "print", "/nowhere/at/all"}).status, k_usage);
}

TEST(CliFix, a_transport_and_an_application_are_given_one_after_the_other) {
  const TemporaryFile transport(
      "<fix type='FIXT' major='1' minor='1'>\n<header><field name='BeginString' required='Y'/>\n"
      "<field name='BodyLength' required='Y'/><field name='MsgType' required='Y'/></header>\n"
      "<trailer><field name='CheckSum' required='Y'/></trailer>\n<fields><field number='8' name='BeginString' "
      "type='STRING'/>\n<field number='9' name='BodyLength' type='LENGTH'/><field number='35' name='MsgType' "
      "type='STRING'/>\n<field number='10' name='CheckSum' type='STRING'/></fields></fix>");
  const TemporaryFile application(
      "<fix type='FIX' major='5' minor='0' servicepack='2'>\n<messages><message name='Harvest' msgtype='UH' "
      "msgcat='app'>\n<field name='Bags' required='Y'/></message></messages>\n"
      "<fields><field number='6001' name='Bags' type='INT'/></fields></fix>");
  const TemporaryFile log("8=FIXT.1.1|9=13|35=UH|6001=7|10=201|");
  const Outcome outcome =
      call({"fix", "print", "--dictionary", transport.path(), "--dictionary", application.path(), log.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Harvest (UH)")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "6001 Bags")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " 0 invalid")) << outcome.out;
  const Outcome half =
      call({"fix", "print", "--dictionary", application.path(), "--dictionary", log.path(), log.path()});
  EXPECT_EQ(half.status, k_usage);
}

/// A capture of a FIX client of `dojima demo`, as it was taken, and packed after its segments were split, mixed and
/// doubled (tests/golden/fix/mangle.py).
TEST(CliFix, prints_a_capture_of_the_demo_whatever_happened_to_its_segments) {
  const std::string folder = source_folder() + "/tests/golden/fix/";
  const std::string expected = app::read_text_file(folder + "demo.txt").value_or("no demo.txt");
  for (const char* name : {"demo.pcap", "demo-mangled.pcap.gz"}) {
    const std::string path = folder + name;
    const Outcome outcome = call({"fix", "print", "--color", "never", path.c_str()});
    EXPECT_EQ(outcome.status, k_success) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, expected) << name;
  }
}

/// The logs of a public log viewer: every dialect says in itself how many messages there are.
TEST(CliFix, reads_the_odd_logs_of_others) {
  const char* folder = std::getenv("DOJIMA_DATA");
  const std::filesystem::path logs = std::filesystem::path(folder == nullptr ? "" : folder) / "fix" / "logs";
  if (folder == nullptr || !std::filesystem::is_directory(logs)) GTEST_SKIP() << "skipped: no data";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(logs)) {
    const std::string path = entry.path().string();
    const std::string text = app::read_text_file(path).value_or("");
    const std::string mark = "ExpectedMessageCount=";
    if (text.find(mark) == std::string::npos) continue;
    const int expected = std::stoi(text.substr(text.find(mark) + mark.size()));
    const Outcome outcome = call({"fix", "print", path.c_str(), "--summary"});
    EXPECT_TRUE(outcome.out.starts_with(std::to_string(expected) + " messages")) << path << "\n" << outcome.out;
    ++files;
  }
  EXPECT_GE(files, 9);
}

}  // namespace
}  // namespace dojima::cli
