#include "dojima/gateway/messages/mass_cancel_reader.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"

namespace dojima::gateway {
namespace {

using CancelFields = std::vector<std::pair<int, std::string>>;

struct RefusedCancel {
  Refusal::Answer answer;
  int reason;
  std::string text;  // what its client reads, made while the message is there
};

std::expected<market::MassCancel, RefusedCancel> read_fields(const CancelFields& fields) {
  static const SymbolTable k_symbols(std::vector<SymbolConfig>{{"ALPHA", 7}});
  std::vector<char> room(1024);
  fix::Writer writer(std::as_writable_bytes(std::span(room)),
                     {.type = fix::msg_type("q"), .sender = "A", .target = "B", .sequence = {1}});
  for (const auto& [tag, value] : fields) writer.field(static_cast<fix::Tag>(tag), value);
  const Result<Bytes> bytes = writer.finish();
  fix::MessageView view;
  EXPECT_TRUE(bytes && view.read(*bytes));
  market::MassCancel command;
  const Read done = read_mass_cancel(view, k_symbols, command);
  if (done) return command;
  const Refusal& refusal = done.error();
  return std::unexpected(RefusedCancel{refusal.answer, refusal.reason, std::string(text_of(refusal).view())});
}

std::string text_of_refused(const CancelFields& fields) {
  const auto command = read_fields(fields);
  return command ? "taken" : command.error().text;
}

TEST(MassCancelReader, reads_all_nine_types_of_the_venue) {
  const CancelFields own{{1461, "1"}, {1462, "ME"}, {1463, "D"}, {1464, "76"}};
  const CancelFields firm{{1461, "1"}, {1462, "WE"}, {1463, "D"}, {1464, "1"}};
  const auto with = [](CancelFields fields, const CancelFields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  };
  for (const bool is_firm : {false, true}) {
    const CancelFields& scope = is_firm ? firm : own;
    const auto all = read_fields(with({{530, "7"}}, scope));
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(all->is_account, is_firm);
    EXPECT_EQ(all->header.instrument, 0u);
    const auto instrument = read_fields(with({{530, "1"}, {55, "ALPHA"}}, scope));
    ASSERT_TRUE(instrument.has_value());
    EXPECT_EQ(instrument->header.instrument, 7u);
    const auto segment = read_fields(with({{530, "9"}, {1300, "SETS"}}, scope));
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->segment.view(), "SETS");
    const auto group = read_fields(with({{530, "56"}, {27017, "9"}}, scope));
    ASSERT_TRUE(group.has_value());
    EXPECT_EQ(group->group, 9);
    const auto both = read_fields(with({{530, "57"}, {55, "ALPHA"}, {27017, "9"}}, scope));
    EXPECT_EQ(both.has_value(), is_firm) << "57 is of the firm only";
  }
  EXPECT_FALSE(read_fields({{530, "7"}})->is_account) << "without a scope the client's own are meant";
}

TEST(MassCancelReader, refuses_what_the_venue_cannot_do) {
  struct Row {
    CancelFields fields;
    Refusal::Answer answer;
    int reason;
  };
  for (const Row& row :
       {Row{{{530, "2"}}, Refusal::Answer::report, 0}, Row{{{530, "7"}, {54, "1"}}, Refusal::Answer::report, 0},
        Row{{{530, "1"}, {55, "NOTHING"}}, Refusal::Answer::report, 1}, Row{{{530, "1"}}, Refusal::Answer::report, 1},
        Row{{{530, "9"}}, Refusal::Answer::business, 5},
        Row{{{530, "9"}, {1300, "LONGER"}}, Refusal::Answer::report, 99},
        Row{{{530, "56"}}, Refusal::Answer::business, 5},
        Row{{{530, "56"}, {27017, "256"}}, Refusal::Answer::report, 0},
        Row{{{530, "7"}, {1461, "1"}, {1462, "ME"}, {1463, "D"}, {1464, "3"}}, Refusal::Answer::report, 0}}) {
    const auto command = read_fields(row.fields);
    ASSERT_FALSE(command.has_value()) << row.fields.front().second;
    EXPECT_EQ(command.error().answer, row.answer) << command.error().text;
    EXPECT_EQ(command.error().reason, row.reason) << command.error().text;
  }
}

TEST(MassCancelReader, names_what_it_refuses_and_what_there_is) {
  EXPECT_EQ(text_of_refused({{530, "2"}}),
            "MassCancelRequestType(530)=2 is not supported: the venue has 1, 7, 9, 56 and 57");
  EXPECT_EQ(text_of_refused({}),
            "MassCancelRequestType(530)=(none) is not supported: the venue has 1, 7, 9, 56 and 57");
  EXPECT_EQ(text_of_refused({{530, "7"}, {54, "1"}}), "Side(54)=1 is not supported: a mass cancel is of both sides");
  EXPECT_EQ(text_of_refused({{530, "9"}}), "MarketSegmentID(1300) is required for MassCancelRequestType(530)=9");
  EXPECT_EQ(text_of_refused({{530, "9"}, {1300, "LONGER"}}),
            "MarketSegmentID(1300)=LONGER is too long: at most 4 characters");
  EXPECT_EQ(text_of_refused({{530, "56"}}), "GroupID(27017) is required for MassCancelRequestType(530)=56");
  EXPECT_EQ(text_of_refused({{530, "56"}, {27017, "256"}}), "GroupID(27017)=256 is out of range: 1 to 255");
  EXPECT_EQ(text_of_refused({{530, "7"}, {1461, "1"}, {1462, "ME"}, {1463, "D"}, {1464, "3"}}),
            "TargetPartyRole(1464)=3 is not supported: the venue has 76, the client's own orders, and 1, its firm's");
  EXPECT_EQ(text_of_refused({{530, "7"}, {1461, "2"}, {1462, "ME"}, {1464, "76"}, {1462, "YOU"}, {1464, "76"}}),
            "NoTargetPartyIDs(1461)=2 is not supported: the orders of one party at a time");
  const CancelFields group{{530, "57"}, {55, "ALPHA"}, {27017, "9"}};
  EXPECT_EQ(text_of_refused(group),
            "MassCancelRequestType(530)=57 needs TargetPartyRole(1464)=1, the firm: here it is (none)");
}

/// Ignored, it would have cancelled more than its client says.
TEST(MassCancelReader, refuses_what_would_narrow_a_mass_cancel_of_another_type) {
  EXPECT_EQ(text_of_refused({{530, "7"}, {55, "ALPHA"}}),
            "Symbol(55)=ALPHA does not fit MassCancelRequestType(530)=7: 1 and 57 have it");
  EXPECT_EQ(text_of_refused({{530, "56"}, {27017, "9"}, {48, "7"}, {22, "8"}}),
            "SecurityID(48)=7 does not fit MassCancelRequestType(530)=56: 1 and 57 have it");
  EXPECT_EQ(text_of_refused({{530, "1"}, {55, "ALPHA"}, {27017, "9"}}),
            "GroupID(27017)=9 does not fit MassCancelRequestType(530)=1: 56 and 57 have it");
  EXPECT_EQ(text_of_refused({{530, "7"}, {1300, "SETS"}}),
            "MarketSegmentID(1300)=SETS does not fit MassCancelRequestType(530)=7: 9 has it");
  EXPECT_EQ(text_of_refused({{530, "7"}, {55, "[N/A]"}}), "taken") << "no symbol";
}

}  // namespace
}  // namespace dojima::gateway
