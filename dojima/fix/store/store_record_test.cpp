#include "dojima/fix/store_record.hpp"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "dojima/fix/masked.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::readable;
using testing::wire;

std::vector<std::byte> bytes_of(const StoreRecord& record) {
  std::vector<std::byte> bytes(size_of(record));
  write_store_record(record, bytes);
  return bytes;
}

Result<StoreRecord> read(StoreRecordKind kind, Bytes bytes) {
  return read_store_record(static_cast<std::uint8_t>(kind), bytes);
}

const std::string k_text = wire("8=FIX.4.4|9=5|35=0|10=000|");

std::vector<StoreRecord> one_of_each() {
  return {{.kind = StoreRecordKind::session,
           .session = 3,
           .next_outgoing = {7},
           .next_incoming = {8},
           .numbers_begun = testing::k_noon,
           .name = {"FIX.4.4", "VENUE", "CLIENT", "a"},
           .verifier = "$6$salt$hash"},
          {.kind = StoreRecordKind::message,
           .session = 3,
           .next_outgoing = {8},
           .next_incoming = {8},
           .message = {.sequence = {7},
                       .bytes = as_bytes(k_text),
                       .header_size = 9,
                       .type = type::k_heartbeat,
                       .sending_time = time::from_nanoseconds(-5)}},
          {.kind = StoreRecordKind::incoming, .session = 3, .next_outgoing = {1}, .next_incoming = {9}},
          {.kind = StoreRecordKind::numbers, .session = 3, .next_outgoing = {20}, .next_incoming = {30}},
          {.kind = StoreRecordKind::reset,
           .session = 3,
           .next_outgoing = {2},
           .next_incoming = {1},
           .numbers_begun = testing::k_noon}};
}

TEST(FixStoreRecord, every_kind_is_read_as_it_was_written) {
  for (const StoreRecord& record : one_of_each()) {
    const std::vector<std::byte> bytes = bytes_of(record);
    const auto again = read(record.kind, bytes);
    ASSERT_TRUE(again) << name_of(record.kind);
    EXPECT_EQ(again->kind, record.kind);
    EXPECT_EQ(again->session, record.session);
    EXPECT_EQ(again->next_outgoing, record.next_outgoing);
    EXPECT_EQ(again->next_incoming, record.next_incoming);
    EXPECT_EQ(again->name, record.name);
    EXPECT_EQ(again->numbers_begun, record.numbers_begun);
    EXPECT_EQ(again->verifier, record.verifier);
    EXPECT_EQ(as_text(again->message.bytes), as_text(record.message.bytes));
    EXPECT_EQ(again->message.sequence, record.message.sequence);
    EXPECT_EQ(again->message.header_size, record.message.header_size);
    EXPECT_EQ(again->message.type, record.message.type);
    EXPECT_EQ(again->message.sending_time, record.message.sending_time);
    EXPECT_EQ(bytes_of(*again), bytes);
  }
}

TEST(FixStoreRecord, a_record_cut_anywhere_is_refused_with_the_place) {
  for (const StoreRecord& record : one_of_each()) {
    const std::vector<std::byte> bytes = bytes_of(record);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto cut = read(record.kind, Bytes(bytes).first(size));
      // A message ends where its record ends.
      if (record.kind == StoreRecordKind::message && size >= k_stored_message_overhead + 9) continue;
      if (record.kind == StoreRecordKind::reset && size == 24) continue;  // version 1
      ASSERT_FALSE(cut) << name_of(record.kind) << " " << size;
      EXPECT_EQ(cut.error().code, ErrorCode::malformed);
    }
  }
}

TEST(FixStoreRecord, other_kinds_versions_and_numbers_of_nothing_are_refused) {
  const std::vector<StoreRecord> records = one_of_each();
  std::vector<std::byte> bytes = bytes_of(records[0]);
  EXPECT_EQ(read_store_record(31, bytes).error().code, ErrorCode::not_supported);
  EXPECT_EQ(read_store_record(38, bytes).error().code, ErrorCode::not_supported);
  for (const std::byte version : {std::byte{0}, std::byte{3}}) {
    bytes[4] = version;
    EXPECT_EQ(read(StoreRecordKind::session, bytes).error().code, ErrorCode::not_supported);
  }
  bytes = bytes_of(records[3]);
  bytes.push_back(std::byte{});
  EXPECT_EQ(read(StoreRecordKind::numbers, bytes).error().code, ErrorCode::malformed);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{8}, std::size_t{16}}) {
    bytes = bytes_of(records[3]);
    bytes[offset] = {};
    EXPECT_EQ(read(StoreRecordKind::numbers, bytes).error().code, ErrorCode::malformed) << offset;
  }
}

TEST(FixStoreRecord, records_of_version_1_are_read_and_say_nothing_of_the_begin) {
  std::vector<std::byte> session(28);
  session[0] = std::byte{3};
  session[4] = std::byte{1};
  session[8] = std::byte{7};
  session[16] = std::byte{8};
  session[24] = std::byte{7};
  session[25] = session[26] = std::byte{1};
  const Bytes texts = as_bytes("FIX.4.4AB");
  session.insert(session.end(), texts.begin(), texts.end());
  const auto first = read(StoreRecordKind::session, session);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, (SessionName{"FIX.4.4", "A", "B"}));
  EXPECT_EQ(first->next_outgoing.value, 7u);
  EXPECT_EQ(first->numbers_begun, std::nullopt);
  EXPECT_EQ(first->verifier, "");
  std::vector<std::byte> reset = bytes_of(one_of_each()[3]);
  EXPECT_EQ(read(StoreRecordKind::reset, reset)->numbers_begun, std::nullopt);
}

TEST(FixStoreRecord, describes_itself_without_secrets) {
  const std::vector<StoreRecord> records = one_of_each();
  EXPECT_EQ(
      describe(records[0]),
      "FIX.4.4 VENUE -> CLIENT (a), next outgoing 7, next incoming 8, begun 20260720-12:00:00.000, with a password "
      "that the peer chose");
  EXPECT_EQ(describe(records[4]), "next outgoing 2, next incoming 1, begun 20260720-12:00:00.000");
  EXPECT_EQ(describe(records[1]), "8=FIX.4.4|9=5|35=0|10=000|");
  EXPECT_EQ(describe(records[2]), "next incoming 9");
  EXPECT_EQ(describe(records[3]), "next outgoing 20, next incoming 30");
  const std::string logon = wire("35=A|553=me|554=secret|925=new one|10=000|");
  EXPECT_EQ(describe({.kind = StoreRecordKind::message, .session = 1, .message = {.bytes = as_bytes(logon)}}),
            "35=A|553=me|554=***|925=***|10=202|");
}

TEST(FixStoreRecord, stores_are_distinguished_by_their_names) {
  EXPECT_TRUE(is_store(identity_of_store("")));
  EXPECT_TRUE(is_store(identity_of_store("gw1")));
  EXPECT_NE(identity_of_store("gw1"), identity_of_store("gw2"));
  EXPECT_FALSE(is_store(journal::Identity::of("partition 1")));
}

std::string masked(std::string text) {
  text = wire(text);
  mask_secrets(text);
  return readable(text);
}

TEST(FixMasked, does_not_tell_how_long_a_secret_is) {
  for (const std::string_view secret : {"x", "abc", "secret", "a password of many words, far longer than others"}) {
    const std::string fields = "35=A|34=1|553=me|554=" + std::string(secret) + "|925=" + std::string(secret) + "|";
    EXPECT_EQ(masked(readable(testing::framed(fields))),
              readable(testing::framed("35=A|34=1|553=me|554=***|925=***|")));
    const std::string data = "35=A|95=" + std::to_string(secret.size()) + "|96=" + std::string(secret) + "|108=30|";
    EXPECT_EQ(masked(readable(testing::framed(data))), readable(testing::framed("35=A|95=3|96=***|108=30|")));
  }
}

TEST(FixMasked, keeps_lengths_and_sums_right_or_wrong) {
  EXPECT_EQ(masked("8=FIX.4.4|9=50|35=A|554=secret|10=000|"), "8=FIX.4.4|9=47|35=A|554=***|10=254|");
  EXPECT_EQ(masked("8=FIX.4.4|9=x|35=A|554=secret|10=0x0|"), "8=FIX.4.4|9=x|35=A|554=***|10=0x0|");
  EXPECT_EQ(masked("8=FIX.4.4|9=2|35=A|554=secret|"), "8=FIX.4.4|9=2|35=A|554=***|") << "none below 0";
  EXPECT_EQ(masked("35=A|554=+|10=255|"), "35=A|554=***|10=082|");
  EXPECT_EQ(masked("35=A|554=)|10=255|"), "35=A|554=***|10=084|");
  EXPECT_EQ(masked("35=0|10=255|"), "35=0|10=255|");
}

TEST(FixMasked, hides_secrets_and_nothing_else) {
  EXPECT_EQ(masked("35=A|554=abcd|925=d|58=554=x|"), "35=A|554=***|925=***|58=554=x|");
  EXPECT_EQ(masked("35=A|96=abc|"), "35=A|96=***|");
  EXPECT_EQ(masked("35=B|95=3|96=abc|"), "35=B|95=3|96=abc|") << "news";
  EXPECT_EQ(masked("8=FIX.4.4|35=A|95=7|96=a|b|554|108=30|"), "8=FIX.4.4|35=A|95=3|96=***|108=30|")
      << "data may hold separators";
  EXPECT_EQ(masked("35=A|95=99|96=a|108=30|"), "35=A|95=99|96=***|108=30|") << "a length that is wrong";
  EXPECT_EQ(masked("554=ab"), "554=***") << "cut off";
  EXPECT_EQ(masked("554="), "554=") << "nothing to hide";
  EXPECT_EQ(masked("1554=a|5540=b|=c||"), "1554=a|5540=b|=c||");
  EXPECT_EQ(masked("554|925"), "554|925");
  EXPECT_EQ(masked(""), "");
}

TEST(FixMasked, leaves_what_is_in_front_of_the_message) {
  std::string line = "in 554=me " + wire("35=A|554=secret|");
  EXPECT_EQ(mask_secrets(line, 10), 1U);
  EXPECT_EQ(readable(line), "in 554=me 35=A|554=***|");
}

}  // namespace
}  // namespace dojima::fix
