#include "dojima/mit/describe.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/dialects/known_answers_test.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

using Octets = std::vector<std::byte>;

const FieldText& field(const MessageText& message, std::string_view name) {
  return *std::ranges::find(message.fields, name, &FieldText::name);
}

Octets known_stream() {
  Octets stream;
  for (const KnownAnswer& answer : known_answers()) {
    const Octets bytes = bytes_of(answer.hex);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  return stream;
}

TEST(Describe, shows_every_known_message_with_the_values_of_its_fields) {
  const StreamText text = describe_stream(lse_21_2::k_dialect, known_stream());
  EXPECT_EQ(text.trouble, "");
  EXPECT_EQ(text.rest, 0u);
  ASSERT_EQ(text.messages.size(), known_answers().size());
  std::size_t at = 0;
  for (std::size_t number = 0; number < text.messages.size(); ++number) {
    const KnownAnswer& answer = known_answers()[number];
    const MessageText& message = text.messages[number];
    EXPECT_EQ(message.offset, at);
    EXPECT_FALSE(message.is_troubled()) << answer.name << lines_of(message);
    at += message.size;
    for (const KnownField& known : answer.fields) {
      const FieldText& shown = field(message, known.name);
      if (shown.name.ends_with("Password")) {
        EXPECT_EQ(shown.value, "(not shown)");
      } else if (!known.name.ends_with("Price") && known.name != "TransactTime") {
        EXPECT_EQ(shown.value, known.value) << answer.name << " " << known.name;
      }
    }
  }
}

TEST(Describe, says_what_numbers_mean) {
  const StreamText text = describe_stream(lse_21_2::k_dialect, known_stream());
  const auto message = [&text](std::string_view name, std::size_t number) -> const MessageText& {
    for (const MessageText& candidate : text.messages)
      if (candidate.name == name && number-- == 0) return candidate;
    throw std::out_of_range(std::string(name));
  };
  const MessageText& order = message("NewOrder", 1);
  EXPECT_EQ(field(order, "Side").meaning, "sell");
  EXPECT_EQ(field(order, "OrderType").meaning, "stop limit");
  EXPECT_EQ(field(order, "LimitPrice").value, "0.0001");
  EXPECT_EQ(field(order, "ExpireDateTime").meaning, "20260720-12:00:00");
  const MessageText& fill = message("ExecutionReport", 1);
  EXPECT_EQ(field(fill, "ExecType").value, "F");
  EXPECT_EQ(field(fill, "ExecType").meaning, "trade");
  EXPECT_EQ(field(fill, "OrderStatus").meaning, "partially filled");
  EXPECT_EQ(field(fill, "ExecutedPrice").value, "123.4");
  EXPECT_EQ(field(fill, "TransactTime").meaning, "20260720-12:00:01.999999999");
  EXPECT_EQ(field(message("OrderCancelReplaceRequest", 0), "StopPrice").value, "-1");
}

TEST(Describe, marks_what_is_wrong) {
  const auto of = [](Octets bytes) { return describe_stream(lse_21_2::k_dialect, bytes).messages.at(0); };
  Octets order = bytes_of(known_answers()[9].hex);
  order[58] = std::byte{3};
  EXPECT_EQ(of(order).trouble, "refused with 9901, Side");
  EXPECT_EQ(field(of(order), "Side").trouble, "not a value of the field's table");
  order[58] = std::byte{1};
  order[111] = std::byte{1};
  EXPECT_EQ(of(order).trouble, "") << "a server ignores it";
  EXPECT_EQ(field(of(order), "Reserved").trouble, "reserved, and not null");
  order[50] = std::byte{0x80};
  EXPECT_EQ(field(of(order), "MiFIDFlags").trouble, "bits without a meaning");

  EXPECT_EQ(of(bytes_of("0201005a")).name, "unknown type 'Z' (0x5a)");
  EXPECT_EQ(of(bytes_of("0201005a")).trouble, "a type that the dialect does not have");
  EXPECT_EQ(of(bytes_of("0202003000")).trouble, "the type has 4 bytes");

  Octets logout = bytes_of(known_answers()[2].hex);
  logout[4] = std::byte{0xff};
  EXPECT_EQ(field(of(logout), "Reason").trouble, "characters above 127");
  EXPECT_EQ(field(of(logout), "Reason").value, "\\xffnd of day");
  EXPECT_TRUE(of(logout).is_troubled());
}

TEST(Describe, says_where_a_stream_ends_or_is_lost) {
  Octets stream = bytes_of("0201003002010030");
  stream.push_back(std::byte{7});
  const StreamText lost = describe_stream(lse_21_2::k_dialect, stream);
  EXPECT_EQ(lost.messages.size(), 2u);
  EXPECT_EQ(lost.trouble, "no message begins at byte 8: expected the start of a message, 2, got 7");
  EXPECT_EQ(lost.rest, 1u);
  for (std::size_t size = 5; size < 8; ++size) {
    const StreamText cut = describe_stream(lse_21_2::k_dialect, Bytes(stream).first(size));
    EXPECT_EQ(cut.messages.size(), 1u);
    EXPECT_EQ(cut.trouble, "the message at byte 4 is cut off");
  }
}

TEST(Describe, reads_times_in_the_units_of_the_dialect) {
  Octets report(229);
  report[0] = k_start_of_message;
  store_little(Room(report), 1, std::int16_t{226});
  report[3] = std::byte{'8'};
  store_little(Room(report), 139, std::uint32_t{1784548800});
  store_little(Room(report), 143, std::uint32_t{123456});
  const StreamText text = describe_stream(bit_9_4::k_dialect, report);
  ASSERT_EQ(text.messages.size(), 1u);
  EXPECT_EQ(field(text.messages[0], "TransactTime").meaning, "20260720-12:00:00.123456");
}

TEST(Describe, shows_a_message_in_lines) {
  const StreamText text = describe_stream(lse_21_2::k_dialect, bytes_of("0203006e0201"));
  EXPECT_EQ(lines_of(text.messages.at(0)),
            "       0  SystemStatus, 6 bytes\n"
            "          AppID                     2\n"
            "          AppStatus                 1  (recovery service resumed)\n");
}

TEST(Dialects, are_found_by_their_names) {
  for (const Dialect* dialect : dialects()) EXPECT_EQ(find_dialect(dialect->name), dialect);
  EXPECT_EQ(dialects().front(), &lse_21_2::k_dialect);
  EXPECT_EQ(find_dialect("LSE-1.0"), nullptr);
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

TEST(Dialects, have_the_pages_in_docs_that_their_tables_generate) {
  for (const Dialect* dialect : dialects()) {
    const std::string page = "docs/layouts/mit-" + lower(dialect->name) + ".md";
    std::ifstream file(source_folder() + "/" + page, std::ios::binary);
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(committed, page_of(*dialect))
        << "write it anew: dojima mit layouts --dialect " << dialect->name << " > " << page;
  }
}

}  // namespace
}  // namespace dojima::mit
