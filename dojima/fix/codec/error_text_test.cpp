#include "dojima/fix/error_text.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

/// What the sender of an order with these fields reads of the error that `read` finds.
template <class Find>
std::string told(const std::string& fields, Find find) {
  const std::string bytes =
      testing::framed("35=D|34=2|49=ME|56=VENUE|52=20260720-09:00:01.000|11=A|55=ALPHA|54=1|" + fields);
  MessageView view;
  EXPECT_TRUE(view.read(as_bytes(bytes)).has_value());
  const auto found = find(view);
  EXPECT_FALSE(found.has_value());
  std::array<char, k_error_text_max> room;
  return found ? "" : std::string(describe(found.error(), view, room));
}

TEST(FixErrorText, says_the_field_what_was_expected_and_what_came) {
  EXPECT_EQ(told("38=5.5|", [](const MessageView& view) { return view.quantity(tag::k_order_qty); }),
            "field 38: expected a whole number >= 0, got 5.5");
  EXPECT_EQ(told("44=" + std::string(40, 'x') + "|", [](const MessageView& view) { return view.integer(44); }),
            "field 44: expected a whole number, got " + std::string(32, 'x') + "...");
  EXPECT_EQ(told("", [](const MessageView& view) { return view.integer(41); }), "field 41 is missing");
}

TEST(FixErrorText, says_what_the_rules_of_a_dictionary_found) {
  const auto check = [](const MessageView& view) { return check_message(view, fix_4_4()); };
  EXPECT_EQ(told("60=20260720-09:00:01|40=2|9999=1|", check), "field 9999: expected a tag of the dictionary");
  EXPECT_EQ(told("60=20260720-09:00:01|40=2|38=1|448=1|", check), "field 448: expected a tag of this message type");
  EXPECT_EQ(told("60=20260720-09:00:01|40=!|38=1|", check), "field 40: expected a value of this tag, got !");
  EXPECT_EQ(told("60=20260720-09:00:01|38=1|", check), "field 40 is missing");
}

TEST(FixErrorText, shows_no_secret_and_nothing_that_cannot_be_printed) {
  const auto refused = [](Tag tag) {
    return [tag](const MessageView&) -> Result<void> { return fail(ErrorCode::refused, tag, 0, 0, "the right one"); };
  };
  EXPECT_EQ(told("554=secret|", refused(tag::k_password)), "field 554: expected the right one");
  EXPECT_EQ(told("925=secret|", refused(tag::k_new_password)), "field 925: expected the right one");
  EXPECT_EQ(told("58=a\x02z|", refused(tag::k_text)), "field 58: expected the right one, got a?z");
  EXPECT_EQ(told("58=a|", refused(0)), "expected the right one");
}

}  // namespace
}  // namespace dojima::fix
