#include "dojima/fix/message.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <ranges>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::k_noon;
using testing::wire;

/// A view and the bytes under it.
struct Message {
  explicit Message(std::string_view body) : text(framed(body)), read(view.read(as_bytes(text))) {}
  std::string text;
  MessageView view;
  Result<void> read;
};

std::int64_t reason_number(RejectReason reason) {
  return static_cast<std::int64_t>(reason);
}

TEST(FixMessage, reads_fields_of_every_type) {
  const Message order("35=D|34=7|43=Y|38=100.0|44=-12.50|54=1|11=ID|60=20260720-12:00:00.000|123=N|");
  ASSERT_TRUE(order.read);
  const MessageView& view = order.view;
  EXPECT_EQ(view.msg_type(), type::k_new_order_single);
  EXPECT_EQ(view.msg_seq_num().value().value, 7u);
  EXPECT_EQ(view.text(tag::k_cl_ord_id), "ID");
  EXPECT_EQ(view.character(tag::k_side), '1');
  EXPECT_EQ(view.price(tag::k_price)->units, -1'250'000'000);
  EXPECT_EQ(view.quantity(tag::k_order_qty)->lots, 100);
  EXPECT_EQ(view.integer(tag::k_msg_seq_num), 7);
  EXPECT_EQ(view.time(tag::k_transact_time), k_noon);
  EXPECT_EQ(view.boolean(tag::k_gap_fill_flag), false);
  EXPECT_TRUE(view.is_set(tag::k_poss_dup_flag));
  EXPECT_FALSE(view.is_set(tag::k_gap_fill_flag));
}

TEST(FixMessage, packs_types_of_one_to_four_characters) {
  EXPECT_EQ(text_of(msg_type("AE")).view(), "AE");
  EXPECT_EQ(text_of(type::k_logon).view(), "A");
  EXPECT_EQ(text_of(msg_type("UABC")).view(), "UABC");
  EXPECT_EQ(msg_type("ABCDE"), MsgType::none);
  EXPECT_EQ(msg_type(""), MsgType::none);
  EXPECT_EQ(msg_type(std::string_view("A\0", 2)), MsgType::none) << "no Logon";
  EXPECT_EQ(msg_type("\x80"), MsgType::none);
  EXPECT_EQ(Message("35=AE|34=1|").view.msg_type(), msg_type("AE"));
  EXPECT_EQ(Message("35=XYZ|34=1|").view.msg_type(), msg_type("XYZ"));
  EXPECT_EQ(Message("35=VWXYZ|34=1|").view.msg_type(), MsgType::none);
  EXPECT_TRUE(is_admin(type::k_logon));
  EXPECT_FALSE(is_admin(msg_type("AE")));
}

TEST(FixMessage, gives_fields_in_the_order_of_the_message) {
  const Message message("35=D|34=7|58=a|11=b|");
  std::string seen;
  for (std::size_t index = 0; index < message.view.size(); ++index) {
    const Field field = message.view[index];
    EXPECT_EQ(message.text.substr(message.view.offset_of(index), field.value.size()), field.value);
    if (field.tag != 8 && field.tag != 9) seen += std::to_string(field.tag) + "=" + std::string(field.value) + "|";
  }
  EXPECT_EQ(seen, "35=D|34=7|58=a|11=b|");
}

TEST(FixMessage, reports_which_tag_was_wrong_how_and_where) {
  const Message message("35=D|34=x|54=12|44=1.123456789|38=-1|43=y|60=yesterday|44=2|");
  const MessageView& view = message.view;
  EXPECT_EQ(view.text(tag::k_account).error().code, ErrorCode::missing);
  EXPECT_EQ(view.text(tag::k_account).error().field, tag::k_account);
  EXPECT_EQ(view.text(tag::k_account).error().got, reason_number(RejectReason::required_tag_missing));
  EXPECT_EQ(view.integer(tag::k_msg_seq_num).error().got, reason_number(RejectReason::incorrect_format));
  EXPECT_EQ(message.text.substr(view.integer(tag::k_msg_seq_num).error().offset, 1), "x");
  EXPECT_EQ(view.character(tag::k_side).error().got, reason_number(RejectReason::incorrect_format));
  EXPECT_EQ(view.price(tag::k_price).error().code, ErrorCode::too_precise);
  EXPECT_EQ(view.price(tag::k_price).error().got, reason_number(RejectReason::value_incorrect));
  EXPECT_EQ(view.quantity(tag::k_order_qty).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(view.boolean(tag::k_poss_dup_flag).error().field, tag::k_poss_dup_flag);
  EXPECT_EQ(view.time(tag::k_transact_time).error().got, reason_number(RejectReason::incorrect_format));
}

TEST(FixMessage, refuses_sequence_numbers_that_are_no_plain_numbers) {
  for (const char* value : {"-1", "+1", "1.0", "1e3", "99999999999999999999", "1000000000000000001"})
    EXPECT_FALSE(Message("35=D|34=" + std::string(value) + "|").view.msg_seq_num()) << value;
  EXPECT_EQ(Message("35=D|34=000012|").view.msg_seq_num()->value, 12u);
}

TEST(FixMessage, finds_tags_that_share_a_slot) {
  const Message message("35=D|34=1|55=a|311=b|567=c|");  // 55 + 256, 55 + 512
  EXPECT_EQ(message.view.find(55), "a");
  EXPECT_EQ(message.view.find(311), "b");
  EXPECT_EQ(message.view.find(567), "c");
  EXPECT_FALSE(message.view.has(823));  // 55 + 768
}

TEST(FixMessage, reads_data_fields_with_separators_inside) {
  const Message message("35=B|34=1|95=7|96=a|55=b||58=after|");
  ASSERT_TRUE(message.read);
  EXPECT_EQ(message.view.text(tag::k_raw_data), wire("a|55=b|"));
  EXPECT_FALSE(message.view.has(tag::k_symbol));
  EXPECT_EQ(message.view.text(tag::k_text), "after");
}

TEST(FixMessage, reads_every_pair_of_length_and_data) {
  for (const auto& [length, data] : {std::pair{93, 89},
                                     {90, 91},
                                     {95, 96},
                                     {212, 213},
                                     {348, 349},
                                     {350, 351},
                                     {354, 355},
                                     {364, 365},
                                     {445, 446},
                                     {618, 619},
                                     {621, 622}}) {
    const Message message("35=B|34=1|" + std::to_string(length) + "=3|" + std::to_string(data) + "=x|y|58=z|");
    ASSERT_TRUE(message.read) << data;
    EXPECT_EQ(message.view.text(static_cast<Tag>(data)), wire("x|y"));
  }
}

TEST(FixMessage, a_data_field_of_another_length_than_announced_is_a_wrong_format) {
  for (const char* length : {"2", "4", "9999", "x", "-3", "99999999999999999999", "0"}) {
    const Message message("35=B|34=1|95=" + std::string(length) + "|96=abc|58=z|");
    ASSERT_FALSE(message.read) << length;
    EXPECT_EQ(message.read.error().field, tag::k_raw_data_length);
    EXPECT_EQ(message.read.error().got, reason_number(RejectReason::incorrect_format));
    EXPECT_EQ(message.view.text(tag::k_text), "z") << "the rest is read as far as it can be";
  }
}

TEST(FixMessage, a_data_field_without_its_length_ends_at_the_separator) {
  const Message message("35=B|34=1|96=abc|58=z|");
  ASSERT_TRUE(message.read);
  EXPECT_EQ(message.view.text(tag::k_raw_data), "abc");
}

TEST(FixMessage, a_tag_that_is_no_number_makes_the_message_garbled) {
  for (const char* body :
       {"35=D|34=1|x=1|", "35=D|34=1|-=1|", "35=D|34=1|-5x=1|", "35=D|34=1||", "35=D|34=1|58|", "35=D|34=1|=1|"}) {
    const Message message(body);
    ASSERT_FALSE(message.read) << body;
    EXPECT_EQ(message.read.error().code, ErrorCode::malformed);
    EXPECT_EQ(message.read.error().field, 0);
  }
}

TEST(FixMessage, tags_that_are_numbers_but_no_tags_are_distinguished) {
  for (const char* body : {"35=D|34=1|0=1|58=z|", "35=D|34=1|2147483648=1|58=z|", "35=D|34=1|058=1|58=z|",
                           "35=D|34=1|99999999999999=1|58=z|"}) {
    const Message message(body);
    ASSERT_FALSE(message.read) << body;
    EXPECT_EQ(message.read.error().code, ErrorCode::out_of_range);
    EXPECT_EQ(message.read.error().got, reason_number(RejectReason::invalid_tag_number));
    EXPECT_EQ(message.view.text(tag::k_text), "z");
  }
  EXPECT_TRUE(Message("35=D|34=1|65535=1|").read);
}

TEST(FixMessage, reads_tags_above_65535_by_their_number) {
  const Message message("35=D|34=1|65536=a|256=b|2147483647=c|70000=d|58=z|");
  ASSERT_TRUE(message.read);
  const MessageView& view = message.view;
  EXPECT_EQ(view.find_number(65'536), "a");
  EXPECT_EQ(view.find_number(2'147'483'647), "c");
  EXPECT_EQ(view.find_number(70'000), "d");
  EXPECT_EQ(view.find_number(70'001), std::nullopt);
  EXPECT_EQ(view.find_number(58), "z");
  EXPECT_EQ(view.find_number(0), std::nullopt);
  EXPECT_EQ(view.find(256), "b") << "which shares the slot";
  EXPECT_EQ(view[4].tag, k_large_tag);
  EXPECT_EQ(view.number_of(4), 65'536u);
  EXPECT_EQ(view.number_of(5), 256u);
}

TEST(FixMessage, names_the_tag_without_a_value) {
  const Message message("35=D|34=1|11=|58=z|");
  ASSERT_FALSE(message.read);
  EXPECT_EQ(message.read.error().field, tag::k_cl_ord_id);
  EXPECT_EQ(message.read.error().got, reason_number(RejectReason::tag_without_value));
}

TEST(FixMessage, holds_1000_fields_and_not_one_more) {
  std::string body = "35=D|";
  for (int tag = 5000; tag < 5997; ++tag) body += std::to_string(tag) + "=1|";
  EXPECT_TRUE(Message(body).read);
  EXPECT_EQ(Message(body).view.size(), 1000u);
  const Message over(body + "5997=1|");
  ASSERT_FALSE(over.read);
  EXPECT_EQ(over.read.error().code, ErrorCode::no_room);
}

TEST(FixMessage, gives_groups_inside_groups_by_the_dictionary) {
  const Message message(
      "35=D|34=1|453=2|448=A|447=D|452=1|802=2|523=S|803=4|523=T|803=5|448=B|452=3|802=1|523=U|803=6|11=a|58=z|");
  const auto parties = message.view.group(tag::k_no_party_ids, fix_4_4());
  ASSERT_TRUE(parties);
  ASSERT_EQ(parties->size(), 2u);
  EXPECT_EQ((*parties)[1].find(tag::k_party_id), "B");
  EXPECT_EQ((*parties)[1].find(447), std::nullopt);
  EXPECT_EQ((*parties)[0].find(523), std::nullopt) << "it belongs to the inner group";
  const auto subs = (*parties)[0].group(tag::k_no_party_sub_ids);
  ASSERT_TRUE(subs);
  ASSERT_EQ(subs->size(), 2u);
  EXPECT_EQ((*subs)[1].find(523), "T");
  EXPECT_EQ((*(*parties)[1].group(802))[0].find(803), "6");
  EXPECT_EQ((*subs)[0].group(802).error().code, ErrorCode::unknown);
  EXPECT_EQ(message.view.group(11, fix_4_4()).error().code, ErrorCode::unknown);
  EXPECT_EQ(message.view.group(386, fix_4_4())->size(), 0u);
}

TEST(FixMessage, a_group_of_the_dictionary_has_as_many_entries_as_its_count_says) {
  for (const char* body : {"35=D|453=2|448=A|447=D|11=a|", "35=D|453=1|448=A|448=B|", "35=D|453=1|447=A|448=B|",
                           "35=D|453=1|448=A|802=2|523=S|", "35=D|453=-1|448=A|"}) {
    const Message message(body);
    const auto parties = message.view.group(tag::k_no_party_ids, fix_4_4());
    if (!parties) {
      EXPECT_EQ(parties.error().got, reason_number(RejectReason::group_count_incorrect)) << body;
    } else {
      EXPECT_FALSE((*parties)[0].group(802)) << body;
    }
  }
  EXPECT_EQ(Message("35=D|453=x|448=A|").view.group(453, fix_4_4()).error().got,
            reason_number(RejectReason::incorrect_format));
}

TEST(FixMessage, reads_every_type_of_value) {
  const Message message(
      "35=D|6=-12.50|18=1 G 2|75=20260720|200=202607w2|273=12:30:00.5|541=20240230|274=23:59:60.123|95=3|96=a|b|");
  EXPECT_EQ(message.view.decimal(6), (Decimal{-1250, 2}));
  const auto list = message.view.list(18);
  ASSERT_TRUE(list);
  EXPECT_EQ(std::vector<std::string_view>(list->begin(), list->end()), (std::vector<std::string_view>{"1", "G", "2"}));
  EXPECT_TRUE(list->has("G"));
  EXPECT_FALSE(list->has("H"));
  EXPECT_EQ(message.view.date(75), std::chrono::year{2026} / 7 / 20);
  EXPECT_EQ(message.view.month_year(200), (MonthYear{std::chrono::year{2026} / 7, 0, 2}));
  EXPECT_EQ(message.view.time_of_day(273).error().code, ErrorCode::malformed);
  EXPECT_EQ(message.view.time_of_day(274), std::chrono::hours{24} + std::chrono::milliseconds{123});
  EXPECT_EQ(message.view.date(541).error().code, ErrorCode::malformed);
  EXPECT_EQ(as_text(*message.view.data(96)), std::string_view("a\x01"
                                                              "b"));
  EXPECT_EQ(message.view.decimal(18).error().code, ErrorCode::malformed);
  for (const Tag absent : {Tag{44}}) {
    EXPECT_EQ(message.view.decimal(absent).error().code, ErrorCode::missing);
    EXPECT_EQ(message.view.list(absent).error().code, ErrorCode::missing);
    EXPECT_EQ(message.view.date(absent).error().code, ErrorCode::missing);
    EXPECT_EQ(message.view.month_year(absent).error().code, ErrorCode::missing);
    EXPECT_EQ(message.view.time_of_day(absent).error().code, ErrorCode::missing);
    EXPECT_EQ(message.view.data(absent).error().code, ErrorCode::missing);
  }
}

TEST(FixMessage, forgets_all_when_it_is_cleared) {
  Message message("35=D|34=1|11=a|");
  message.view.clear();
  EXPECT_EQ(message.view.size(), 0u);
  EXPECT_FALSE(message.view.has(11));
  EXPECT_EQ(message.view.msg_type(), MsgType::none);
}

TEST(FixMessage, every_instruction_set_reads_the_same) {
  for (const char* body :
       {"35=D|34=1|11=a|55=R|54=1|", "35=D|95=3|96=a|b|58=z|", "35=D|11=|58=z|", "35=D|1=a|257=b|1=c|"}) {
    for (const Isa isa : {Isa::scalar, Isa::sse, Isa::avx2, Isa::avx512}) {
      const Kernels* const kernels = kernels_of(isa);
      if (kernels == nullptr) continue;
      const Message message(body);
      MessageView view;
      EXPECT_EQ(view.read(message.view.bytes(), {.kernels = kernels}), message.read) << kernels->name;
      ASSERT_EQ(view.size(), message.view.size());
      for (std::size_t at = 0; at < view.size(); ++at) {
        EXPECT_EQ(view[at].tag, message.view[at].tag);
        EXPECT_EQ(view[at].value, message.view[at].value);
        EXPECT_EQ(view.find(view[at].tag), message.view.find(view[at].tag));
      }
    }
  }
}

TEST(FixMessage, gives_the_entries_of_a_repeating_group) {
  const Message message("35=D|34=1|453=2|448=A|447=D|452=1|448=B|452=3|802=1|523=S|803=4|58=z|");
  const auto parties = message.view.group(tag::k_no_party_ids, k_party_members);
  ASSERT_TRUE(parties);
  ASSERT_EQ(parties->size(), 2u);
  EXPECT_EQ((*parties)[0].find(tag::k_party_id), "A");
  EXPECT_EQ((*parties)[0].find(tag::k_party_id_source), "D");
  EXPECT_EQ((*parties)[1].find(tag::k_party_id), "B");
  EXPECT_EQ((*parties)[1].find(tag::k_party_id_source), std::nullopt);
  EXPECT_EQ((*parties)[1].find(tag::k_party_sub_id), "S");
  EXPECT_EQ((*parties)[1].find(tag::k_text), std::nullopt);
}

/// "tag=value|" of everything that a range-for meets.
std::string walked(const auto& fields) {
  std::string text;
  for (const Field field : fields) text += std::to_string(field.tag) + "=" + std::string(field.value) + "|";
  return text;
}

TEST(FixMessage, is_walked_field_by_field_in_its_own_order) {
  EXPECT_EQ(walked(MessageView{}), "");
  EXPECT_EQ(walked(Message("35=D|").view), "8=FIX.4.4|9=5|35=D|");
  EXPECT_EQ(walked(Message("35=D|34=7|58=a|11=b|58=c|").view), "8=FIX.4.4|9=25|35=D|34=7|58=a|11=b|58=c|");
  Message cleared("35=D|34=7|");
  cleared.view.clear();
  EXPECT_EQ(walked(cleared.view), "");
}

TEST(FixMessage, a_data_field_is_one_step_of_a_walk) {
  const Message message("35=D|34=1|95=3|96=a|b|58=z|");
  ASSERT_TRUE(message.read);
  EXPECT_EQ(walked(message.view),
            "8=FIX.4.4|9=27|35=D|34=1|95=3|96=a\x01"
            "b|58=z|");
}

TEST(FixMessage, a_walk_meets_what_the_index_gives) {
  static_assert(std::forward_iterator<FieldIterator> && std::forward_iterator<Group::Iterator>);
  static_assert(std::ranges::forward_range<MessageView> && std::ranges::forward_range<Group> &&
                std::ranges::forward_range<GroupEntry>);
  const Message message("35=D|34=7|58=a|11=b|");
  const auto is_order_id = [](const Field& field) { return field.tag == tag::k_cl_ord_id; };
  const auto found = std::ranges::find_if(message.view, is_order_id);
  ASSERT_NE(found, message.view.end());
  EXPECT_EQ((*found).value, "b");
  EXPECT_EQ(std::ranges::distance(message.view), static_cast<std::ptrdiff_t>(message.view.size()));
  EXPECT_EQ(std::ranges::find(message.view, Tag{44}, &Field::tag), message.view.end());
}

TEST(FixMessage, a_group_is_walked_entry_by_entry) {
  struct Case {
    const char* body;
    std::vector<std::string> entries;
  };
  const std::vector<Case> cases{
      {"35=D|34=1|58=z|", {}},
      {"35=D|34=1|453=0|58=z|", {}},
      {"35=D|34=1|453=1|448=A|447=D|58=z|", {"448=A|447=D|"}},
      {"35=D|34=1|453=3|448=A|448=B|447=D|452=1|448=C|", {"448=A|", "448=B|447=D|452=1|", "448=C|"}}};
  for (const Case& one : cases) {
    const Message message(one.body);
    for (const auto& group : {message.view.group(tag::k_no_party_ids, k_party_members),
                              message.view.group(tag::k_no_party_ids, fix_4_4())}) {
      ASSERT_TRUE(group) << one.body;
      std::vector<std::string> entries;
      for (const GroupEntry entry : *group) entries.push_back(walked(entry));
      EXPECT_EQ(entries, one.entries) << one.body;
    }
  }
}

TEST(FixMessage, groups_inside_groups_are_walked_as_well) {
  const Message message(
      "35=D|34=1|453=3|448=A|447=D|802=2|523=S|803=4|523=T|448=B|452=3|448=C|802=1|523=U|803=6|11=a|58=z|");
  const auto parties = message.view.group(tag::k_no_party_ids, fix_4_4());
  ASSERT_TRUE(parties);
  std::string seen;
  for (const GroupEntry party : *parties) {
    seen += walked(party) + "(";
    const Result<Group> subs = party.group(tag::k_no_party_sub_ids);
    ASSERT_TRUE(subs);
    for (const GroupEntry sub : *subs) seen += "<" + walked(sub) + ">";
    seen += ") ";
  }
  EXPECT_EQ(seen,
            "448=A|447=D|802=2|523=S|803=4|523=T|(<523=S|803=4|><523=T|>) 448=B|452=3|() "
            "448=C|802=1|523=U|803=6|(<523=U|803=6|>) ");
}

TEST(FixMessage, a_walk_takes_no_memory) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  const Message message("35=D|34=1|453=2|448=A|802=1|523=S|448=B|58=z|");
  static_cast<void>(fix_4_4());
  const std::uint64_t before = heap_allocations();
  std::size_t fields = 0;
  for (const Field field : message.view) fields += field.value.empty() ? 0u : 1u;
  const Result<Group> parties = message.view.group(tag::k_no_party_ids, fix_4_4());
  for (const GroupEntry party : *parties) {
    for (const Field field : party) fields += field.value.empty() ? 0u : 1u;
  }
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_EQ(fields, 10u + 4u);
}

TEST(FixMessage, refuses_a_group_whose_count_is_wrong) {
  for (const char* body : {"35=D|453=1|448=A|448=B|", "35=D|453=3|448=A|448=B|", "35=D|453=x|448=A|", "35=D|453=-1|",
                           "35=D|453=1|447=D|448=A|", "35=D|453=1|58=z|"})
    EXPECT_FALSE(Message(body).view.group(tag::k_no_party_ids, k_party_members)) << body;
  EXPECT_EQ(Message("35=D|34=1|").view.group(tag::k_no_party_ids, k_party_members)->size(), 0u);
  EXPECT_EQ(Message("35=D|453=0|").view.group(tag::k_no_party_ids, k_party_members)->size(), 0u);
}

TEST(FixMessage, a_group_is_the_same_without_a_dictionary_with_one_and_with_two) {
  constexpr const char* k_body =
      "35=X|34=1|268=2|279=0|269=0|55=RICE|270=12.5|271=100|279=1|269=1|55=RICE|270=12.75|271=200|";
  static constexpr Tag k_entry_members[] = {279, 269, 55, 270, 271};
  const Message message(k_body);
  const auto plain = message.view.group(268, k_entry_members);
  // FIX 4.4 has one dictionary; FIX 5.0 SP2 one for the transport and one for the application's messages.
  const auto of_one = message.view.group(268, fix_4_4()), of_two = message.view.group(268, fix_5_0_sp2());
  ASSERT_EQ(fix_4_4().models().size(), 1u);
  ASSERT_EQ(fix_5_0_sp2().models().size(), 2u);
  for (const auto* group : {&plain, &of_one, &of_two}) {
    ASSERT_TRUE(*group);
    ASSERT_EQ((*group)->size(), 2u);
    EXPECT_EQ((**group)[0].find(279), "0");
    EXPECT_EQ((**group)[0].find(270), "12.5");
    EXPECT_EQ((**group)[1].find(269), "1");
    EXPECT_EQ((**group)[1].find(271), "200");
  }
  EXPECT_EQ(message.view.find(279), "0") << "and by its tag alone the first";
}

TEST(FixMessage, a_copy_of_a_view_does_not_depend_on_what_it_was_copied_from) {
  const std::string first = framed("35=D|34=7|453=1|448=A|447=D|11=id|"), second = framed("35=0|34=8|");
  auto original = std::make_unique<MessageView>();
  ASSERT_TRUE(original->read(as_bytes(first)));
  const MessageView copy = *original;
  MessageView assigned;
  assigned = *original;
  ASSERT_TRUE(original->read(as_bytes(second)));
  original.reset();
  for (const MessageView* const view : {&copy, &std::as_const(assigned)}) {
    EXPECT_EQ(view->find(tag::k_cl_ord_id), "id");
    EXPECT_EQ(view->find(tag::k_msg_seq_num), "7");
    const auto parties = view->group(tag::k_no_party_ids, fix_4_4());
    ASSERT_TRUE(parties);
    EXPECT_EQ((*parties)[0].find(tag::k_party_id), "A");
    EXPECT_EQ(walked(*view), walked(copy));
    EXPECT_EQ(std::ranges::distance(*view), static_cast<std::ptrdiff_t>(view->size()));
  }
}

TEST(FixMessage, reads_exactly_one_message) {
  MessageView view;
  const std::string message = framed("35=0|34=1|");
  EXPECT_TRUE(view.read(as_bytes(message)));
  EXPECT_FALSE(view.read(as_bytes(message + "8")));
  EXPECT_FALSE(view.read(as_bytes(message.substr(1))));
  EXPECT_FALSE(view.read(as_bytes(message.substr(0, message.size() - 1))));
}

RC_GTEST_PROP(FixMessageProperty, reads_any_body_without_leaving_it, (const std::string& noise)) {
  const std::string text = framed("35=D|34=1|" + noise + "|");
  const FrameSearch found = find_frame(as_bytes(text), k_body_max);
  if (found.state != FrameState::whole) return;
  MessageView view;
  static_cast<void>(view.read(found.frame));
  for (const Field field : view) {
    RC_ASSERT(field.value.data() >= text.data());
    RC_ASSERT(field.value.data() + field.value.size() <= text.data() + text.size());
    RC_ASSERT(view.has(field.tag));
  }
}

}  // namespace
}  // namespace dojima::fix
