// QuickFIX reads what we write, and we read what it writes, by the same dictionary.

#include "bench/fix/quickfix_peer.hpp"

#include <exception>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/generated_test_message.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rewrite.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima {
namespace {

bench_fix::PlainReport fields_of(int number) {
  bench_fix::PlainReport fields;
  fields.sender = "CLIENT" + std::to_string(number % 7);
  fields.target = "DOJIMA";
  fields.cl_ord_id = "ORD" + std::to_string(1000 + number);
  fields.order_id = "X" + std::to_string(number);
  fields.exec_id = "E" + std::to_string(number);
  fields.symbol = number % 2 == 0 ? "RICE" : "7203.T";
  fields.account = "ACC";
  fields.currency = "JPY";
  fields.security_id = "JP1234567890";
  fields.last_mkt = "XOSE";
  fields.sequence = number + 1;
  fields.order_qty = 100 + number;
  fields.last_qty = 1 + number % 100;
  fields.cum_qty = fields.last_qty;
  fields.leaves_qty = fields.order_qty - fields.cum_qty;
  fields.price = fields.last_px = fields.avg_px = 0.25 * (1 + number);
  fields.second = number % 60;
  fields.millisecond = number % 1000;
  return fields;
}

TEST(InteropCodec, we_read_what_quickfix_writes_and_write_it_again_byte_by_byte) {
  const bench_fix::QuickFixCodec quickfix("");
  fix::MessageView view;
  std::vector<std::byte> room(1024);
  for (int number = 0; number < 500; ++number) {
    const bench_fix::PlainReport fields = fields_of(number);
    const std::string text = quickfix.report_text(fields);
    ASSERT_TRUE(view.read(as_bytes(text))) << text;
    const auto checked = fix::check_message(view, fix::fix_4_4());
    ASSERT_TRUE(checked) << text << " " << checked.error().got << "/" << checked.error().field;
    EXPECT_EQ(view.quantity(fix::tag::k_leaves_qty)->lots, fields.leaves_qty);
    EXPECT_EQ(view.price(fix::tag::k_last_px)->units, static_cast<std::int64_t>(fields.last_px * 1e8));
    const auto again = fix::rewrite(view, fix::fix_4_4(), fix::FieldOrder::canonical, room);
    ASSERT_TRUE(again);
    ASSERT_EQ(as_text(*again), text);
  }
}

/// The first difference between QuickFIX's writing of a message of ours and our canonical order; empty: none.
std::string difference(const bench_fix::QuickFixCodec& quickfix, const fix::Dictionary& dictionary,
                       const fix::MessageFacts& message, std::uint64_t seed) {
  std::vector<std::byte> room(60'000), again(60'000);
  fix::Writer writer(room, dictionary.begin_string());
  writer.field(fix::tag::k_msg_type, fix::text_of(message.type()).view());
  using fix::testing::Generated;
  Generated(dictionary, message, seed, Generated::Data::unsigned_text).write_to(writer);
  const auto written = writer.finish();
  if (!written) return "not written";
  std::string theirs;
  try {
    theirs = quickfix.written_again(std::string(as_text(*written)));
  } catch (const std::exception& error) {
    return std::string(error.what()) + " of " + std::string(as_text(*written));
  }
  fix::MessageView view;
  if (!view.read(as_bytes(theirs), {.data_fields = &dictionary.data_fields()})) return "not read: " + theirs;
  if (const auto checked = fix::check_message(view, dictionary, {.encryption = false}); !checked)
    return "not valid: " + std::to_string(checked.error().got) + "/" + std::to_string(checked.error().field);
  if (!view.read(*written, {.data_fields = &dictionary.data_fields()})) return "our own not read";
  const auto ours = fix::rewrite(view, dictionary, fix::FieldOrder::canonical, again);
  if (!ours || as_text(*ours) != theirs)
    return "theirs: " + theirs + "\nours: " + std::string(as_text(ours.value_or(Bytes{})));
  return "";
}

TEST(InteropCodec, quickfix_takes_every_message_of_fix_4_0_to_4_4_and_writes_it_as_our_canonical_order_does) {
  for (const fix::Dictionary* dictionary :
       {&fix::fix_4_0(), &fix::fix_4_1(), &fix::fix_4_2(), &fix::fix_4_3(), &fix::fix_4_4()}) {
    const bench_fix::QuickFixCodec quickfix(fix::to_xml(dictionary->models()[0]));
    for (const fix::MessageFacts& message : dictionary->messages()) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        EXPECT_EQ(difference(quickfix, *dictionary, message, seed), "") << dictionary->name() << " " << message.name;
    }
  }
}

void expect_taken_over_fixt(const fix::Dictionary& dictionary) {
  ASSERT_EQ(dictionary.models().size(), 2u);
  const bench_fix::QuickFixCodec quickfix(fix::to_xml(dictionary.models()[0]), fix::to_xml(dictionary.models()[1]));
  int tried = 0, lost = 0;
  for (const fix::MessageFacts& message : dictionary.messages()) {
    int taken = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed, ++tried) {
      const std::string found = difference(quickfix, dictionary, message, seed);
      if (found.empty()) ++taken;
      // It takes the number before that of a data field for its length; some of 5.0 SP2 have another.
      if (found.starts_with("Invalid message: Data length field")) {
        ++lost;
      } else if (&dictionary == &fix::fix_5_0() && found == "not valid: 15/566") {
        ++lost;  // FIX 5.0 lists LegPrice twice in a leg of an order: we take the first place, QuickFIX the last
      } else {
        EXPECT_EQ(found, "") << message.name;
      }
    }
    EXPECT_GT(taken, 0) << message.name;
  }
  EXPECT_GT(tried, 500);
  EXPECT_LT(lost, tried / 20) << "of " << tried;
}

TEST(InteropCodec, quickfix_takes_every_message_of_fix_5_0_to_5_0_sp2_and_their_sessions_as_well) {
  expect_taken_over_fixt(fix::fix_5_0());
  expect_taken_over_fixt(fix::fix_5_0_sp1());
  expect_taken_over_fixt(fix::fix_5_0_sp2());
}

TEST(InteropCodec, quickfix_reads_and_validates_what_we_write) {
  const bench_fix::QuickFixCodec quickfix(fix::to_xml(fix::fix_4_4().models()[0]));
  std::vector<std::byte> room(1024);
  for (int number = 0; number < 500; ++number) {
    fix::Writer writer(room, {.type = fix::type::k_new_order_single,
                              .sender = "ME",
                              .target = "YOU",
                              .sequence = {static_cast<std::uint64_t>(number + 1)},
                              .sending_time = time::from_nanoseconds(1'784'548'800'123'456'789 + number)});
    namespace tag = fix::tag;
    writer.field(tag::k_cl_ord_id, "A" + std::to_string(number)).field(tag::k_no_party_ids, 2);
    writer.field(tag::k_party_id, "P").field(tag::k_party_id_source, 'D').field(tag::k_party_role, 1);
    writer.field(tag::k_no_party_sub_ids, 1).field(tag::k_party_sub_id, "S").field(tag::k_party_sub_id_type, 1);
    writer.field(tag::k_party_id, "Q").field(tag::k_party_id_source, 'D').field(tag::k_party_role, 3);
    writer.field(tag::k_handl_inst, '1').field(tag::k_symbol, "RICE").field(tag::k_side, '1');
    writer.field(tag::k_transact_time, time::from_nanoseconds(1'784'548'800'123'456'789));
    writer.field(tag::k_order_qty, number + 1).field(tag::k_ord_type, '2').field(tag::k_price, market::Price{number});
    writer.data(tag::k_encoded_text_length, tag::k_encoded_text,
                as_bytes(std::string_view("a\x01"
                                          "b")));
    const auto written = writer.finish();
    ASSERT_TRUE(written);
    std::string trouble;
    try {
      EXPECT_EQ(quickfix.parse_and_validate(std::string(as_text(*written))), 1u);
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    ASSERT_EQ(trouble, "") << as_text(*written);
  }
}

}  // namespace
}  // namespace dojima
