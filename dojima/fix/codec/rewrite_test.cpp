// Decoding undoes encoding, for every message of every dictionary; messages written anew lose nothing.

#include "dojima/fix/rewrite.hpp"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/generated_test_message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::Generated;

/// What is wrong with writing and reading it; empty: nothing.
std::string trouble_with(const Dictionary& dictionary, const MessageFacts& message, std::uint64_t seed) {
  const Generated generated(dictionary, message, seed);
  if (generated.fields().size() > MessageView::k_fields_max - 3) return "";
  std::vector<std::byte> room(60'000);
  Writer writer(room, dictionary.begin_string());
  const MsgTypeText type = text_of(message.type());
  writer.field(tag::k_msg_type, type.view());
  generated.write_to(writer);
  const auto encoded = writer.finish();
  if (!encoded) return "not encoded: field " + std::to_string(encoded.error().field);

  MessageView view;
  constexpr Checks k_checks{.encryption = false};
  const ReadRules rules{.data_fields = &dictionary.data_fields()};
  if (const auto read = view.read(*encoded, rules); !read) return "not read: " + std::to_string(read.error().field);
  if (const auto checked = check_message(view, dictionary, k_checks); !checked)
    return "not valid: " + std::to_string(checked.error().got) + "/" + std::to_string(checked.error().field);
  if (view.size() != generated.fields().size() + 3) return "another number of fields";
  for (std::size_t at = 0; at < generated.fields().size(); ++at) {
    const testing::Written& field = generated.fields()[at];
    const Field got = view[at + 3];
    const bool is_text = std::holds_alternative<std::string_view>(field.value);
    const auto value = is_text ? Result<Value>(Value(got.value)) : parse_value(field.type, got.value);
    if (got.tag != field.tag || !value || *value != field.value) return "another value: " + std::to_string(field.tag);
  }

  std::vector<std::byte> again(60'000);
  const auto compact = rewrite(view, dictionary, FieldOrder::compact, again);
  if (!compact || as_text(*compact) != as_text(*encoded)) return "not the same when written anew";
  const auto canonical = rewrite(view, dictionary, FieldOrder::canonical, again);
  if (!canonical || canonical->size() != encoded->size()) return "another size in canonical order";
  MessageView sorted;
  if (!sorted.read(*canonical, rules)) return "canonical order cannot be read";
  if (const auto checked = check_message(sorted, dictionary, k_checks); !checked)
    return "canonical order is not valid: " + std::to_string(checked.error().got) + "/" +
           std::to_string(checked.error().field);
  std::vector<std::byte> third(60'000);
  const auto twice = rewrite(sorted, dictionary, FieldOrder::canonical, third);
  if (!twice || as_text(*twice) != as_text(*canonical)) return "canonical order is not its own";
  return "";
}

RC_GTEST_PROP(FixRewritePropertyLong, decoding_undoes_encoding_for_every_message_of_every_dictionary,
              (std::uint64_t seed)) {
  for (const Dictionary* dictionary : testing::built_in_dictionaries()) {
    if (dictionary == &fix_5_0_sp2()) continue;  // large, and below
    for (const MessageFacts& message : dictionary->messages()) {
      const std::string trouble = trouble_with(*dictionary, message, seed);
      if (!trouble.empty()) RC_FAIL(std::string(dictionary->name()) + " " + std::string(message.name) + ": " + trouble);
    }
  }
}

TEST(FixRewrite, decoding_undoes_encoding_for_every_message_of_fix_5_0_sp2) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const MessageFacts& message : fix_5_0_sp2().messages())
      EXPECT_EQ(trouble_with(fix_5_0_sp2(), message, seed), "") << message.name << " " << seed;
  }
}

/// Everything that reads goes through an exact copy on the heap, so that the address sanitizer sees one byte too far.
bool is_read_inside(std::string_view text, const Dictionary& dictionary) {
  const auto copy = std::make_unique<std::byte[]>(text.size());
  std::ranges::copy(as_bytes(text), copy.get());
  const FrameSearch found = find_frame({copy.get(), text.size()}, k_body_max);
  if (found.state != FrameState::whole) return false;
  static MessageView s_view;
  const bool is_read = s_view.read(found.frame, {.data_fields = &dictionary.data_fields()}).has_value();
  const char* const begin = reinterpret_cast<const char*>(copy.get());
  for (const auto [tag, value] : s_view) {
    EXPECT_TRUE(value.data() >= begin && value.data() + value.size() < begin + text.size());
  }
  static_cast<void>(check_message(s_view, dictionary));
  return is_read;
}

/// The message without its checksum, and the right one behind it.
std::string summed(const std::string& text) {
  char trailer[8];
  std::snprintf(trailer, sizeof trailer, "10=%03u\x01", unsigned{check_sum(as_bytes(text))});
  return text + trailer;
}

TEST(FixRewrite, a_message_cut_or_changed_at_any_byte_is_an_error_or_another_message_and_never_read_outside) {
  std::vector<std::byte> room(60'000);
  std::size_t others = 0;
  for (const MessageFacts& message : fix_4_4().messages()) {
    Writer writer(room, fix_4_4().begin_string());
    writer.field(tag::k_msg_type, text_of(message.type()).view());
    Generated(fix_4_4(), message, 7).write_to(writer);
    const auto encoded = writer.finish();
    ASSERT_TRUE(encoded);
    const std::string whole(as_text(*encoded));
    ASSERT_TRUE(is_read_inside(whole, fix_4_4()));
    const std::size_t step = 1 + whole.size() / 1000;  // of the few that are very long, not every byte
    for (std::size_t at = 0; at < whole.size(); at += step) {
      ASSERT_FALSE(is_read_inside(whole.substr(0, at), fix_4_4())) << message.name << " cut at " << at;
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      ASSERT_FALSE(is_read_inside(changed, fix_4_4())) << message.name << " changed at " << at;
      changed.resize(changed.size() - 7);
      if (at < changed.size() && is_read_inside(summed(changed), fix_4_4())) ++others;
    }
  }
  EXPECT_GT(others, 10'000u) << "with a checksum that follows, many are other messages";
}

std::string rewritten(std::string_view body, FieldOrder order) {
  const std::string text = framed(body);
  MessageView view;
  EXPECT_TRUE(view.read(as_bytes(text)));
  std::array<std::byte, 1024> room;
  const auto result = rewrite(view, fix_4_4(), order, room);
  EXPECT_TRUE(result);
  if (!result) return "";
  std::string shown(as_text(*result));
  std::ranges::replace(shown, '\x01', '|');
  return shown.substr(shown.find("35="), shown.find("10=") - shown.find("35="));
}

TEST(FixRewrite, canonical_order_sorts_and_keeps_strangers) {
  EXPECT_EQ(rewritten("35=D|34=1|56=V|49=M|60=t|55=R|9999=z|11=a|1500=q|453=2|447=D|", FieldOrder::compact),
            "35=D|34=1|56=V|49=M|60=t|55=R|9999=z|11=a|1500=q|453=2|447=D|");
  EXPECT_EQ(rewritten("35=D|56=V|49=M|34=1|60=t|55=R|9999=z|11=a|1500=q|", FieldOrder::canonical),
            "35=D|34=1|49=M|56=V|11=a|55=R|60=t|1500=q|9999=z|");
  EXPECT_EQ(rewritten("35=D|453=2|448=A|452=1|6000=x|447=D|802=1|523=s|448=B|447=D|11=a|", FieldOrder::canonical),
            "35=D|11=a|453=2|448=A|447=D|452=1|802=1|523=s|6000=x|448=B|447=D|");
  EXPECT_EQ(rewritten("35=D|70000=x|11=a|65536=y|55=R|", FieldOrder::canonical), "35=D|11=a|55=R|65536=y|70000=x|");
  EXPECT_EQ(rewritten("35=D|70000=x|11=a|", FieldOrder::compact), "35=D|70000=x|11=a|");
  EXPECT_EQ(rewritten("35=U1|60=t|95=3|96=a|b|11=a|", FieldOrder::canonical), "35=U1|11=a|60=t|95=3|96=a|b|");
}

TEST(FixRewrite, never_repeats_a_stale_length_or_checksum) {
  const std::string text = framed("35=0|34=1|");
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(text)));
  std::array<std::byte, 256> room;
  const auto result = rewrite(view, fix_4_4(), FieldOrder::compact, room);
  ASSERT_TRUE(result);
  EXPECT_EQ(as_text(*result), text);
  std::array<std::byte, 20> small;
  EXPECT_EQ(rewrite(view, fix_4_4(), FieldOrder::compact, small).error().code, ErrorCode::no_room);
  EXPECT_EQ(rewrite(MessageView(), fix_4_4(), FieldOrder::compact, room).error().code, ErrorCode::malformed);
}

TEST(FixValue, texts_come_back_as_they_were) {
  struct Case {
    FieldType type;
    const char* text;
  };
  for (const Case& one : {Case{FieldType::price, "12.50"},
                          {FieldType::price, "-0.05"},
                          {FieldType::price, "0.689999999999"},
                          {FieldType::quantity, "100"},
                          {FieldType::integer, "-7"},
                          {FieldType::boolean, "Y"},
                          {FieldType::character, "x"},
                          {FieldType::utc_timestamp, "20260720-12:00:00.123456"},
                          {FieldType::utc_time, "06:30:45.000"},
                          {FieldType::local_date, "20240229"},
                          {FieldType::month_year, "202607"},
                          {FieldType::month_year, "20260720"},
                          {FieldType::month_year, "202607w3"},
                          {FieldType::string, "any text"},
                          {FieldType::day_of_month, "31"}}) {
    const auto value = parse_value(one.type, one.text);
    ASSERT_TRUE(value) << one.text;
    char room[k_value_text_max];
    EXPECT_EQ(format_value(*value, room), one.text);
  }
}

TEST(FixValue, reports_what_is_wrong) {
  EXPECT_EQ(parse_value(FieldType::price, "").error().code, ErrorCode::missing);
  EXPECT_EQ(parse_value(FieldType::price, "1.2.3").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::price, ".").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::price, "1234567890123456789").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::price, "0.0000000000000000001").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::price, std::string(40, '0')).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::integer, "99999999999999999999").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::length, "-1").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_timestamp, "20260720").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_time, "25:00:00").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_date, "20260732").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::month_year, "202613").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::boolean, "X").error().code, ErrorCode::malformed);
  char room[k_value_text_max];
  EXPECT_EQ(format_value(*parse_value(FieldType::utc_time, "23:59:60"), room), "00:00:00") << "never produced";
}

TEST(FixRewrite, a_body_leaves_header_and_trailer_out) {
  const std::string message = testing::framed(
      "35=D|34=2|49=A|52=20260720-12:00:00|56=B|97=Y|55=R|11=a|453=1|448=P|447=D|452=1|9999=z|58=t|93=1|89=s|");
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(message)));
  std::byte room[512];
  const auto body = [&](FieldOrder order) {
    Writer writer(room, {.type = type::k_new_order_single, .sender = "B", .target = "A", .sequence = {7}});
    rewrite_body(view, fix_4_4(), order, writer);
    const auto bytes = writer.finish();
    const std::string text = bytes ? testing::readable(std::string(as_text(*bytes))) : "no room";
    return text.substr(text.find("56=A|") + 5, text.find("10=") - text.find("56=A|") - 5);
  };
  EXPECT_EQ(body(FieldOrder::compact), "55=R|11=a|453=1|448=P|447=D|452=1|9999=z|58=t|");
  EXPECT_EQ(body(FieldOrder::canonical), "11=a|55=R|58=t|453=1|448=P|447=D|452=1|9999=z|");
}

TEST(FixRewrite, a_body_is_copied_in_its_order_around_header_fields_that_lie_in_it) {
  const std::string message = testing::framed(
      "35=D|34=2|49=A|627=1|628=HOP|630=5|52=20260720-12:00:00|56=B|11=a|354=3|355=x=y|453=1|448=P|452=1|447=D|"
      "90=2|91=50|38=1|115=ON|55=R|");
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(message)));
  std::byte room[512];
  Writer writer(room, {.type = type::k_new_order_single, .sender = "B", .target = "A", .sequence = {7}});
  rewrite_body(view, fix_4_4(), FieldOrder::compact, writer);
  const auto bytes = writer.finish();
  ASSERT_TRUE(bytes);
  const std::string text = testing::readable(std::string(as_text(*bytes)));
  EXPECT_NE(text.find("|56=A|11=a|354=3|355=x=y|453=1|448=P|452=1|447=D|38=1|55=R|10="), std::string::npos) << text;
}

}  // namespace
}  // namespace dojima::fix
