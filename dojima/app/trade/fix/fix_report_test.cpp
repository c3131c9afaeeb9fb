#include "dojima/app/trade/fix/fix_report.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>

#include "dojima/fix/writer.hpp"
#include "dojima/gateway/fix_version.hpp"

namespace dojima::app {
namespace {

using gateway::FixVersion;

/// Reads "35=8|11=A|...".
Result<TradeReport> read(std::string text, FixVersion version = FixVersion::fix_4_4) {
  std::ranges::replace(text, '|', '\x01');
  std::array<std::byte, 1024> room;
  fix::Writer writer(room, "FIX.4.4");
  const auto message = writer.raw(as_bytes(text)).finish();
  EXPECT_TRUE(message.has_value()) << text;
  fix::MessageView view;
  EXPECT_TRUE(view.read(*message).has_value()) << text;
  return read_fix_report(view, gateway::order_entry_dictionary(version));
}

TradeReportKind kind(const std::string& fields) {
  const auto report = read("35=8|11=A|17=X|55=K|54=1|151=5|14=0|6=0|" + fields);
  EXPECT_TRUE(report.has_value()) << fields;
  return report ? report->kind : TradeReportKind::other;
}

TEST(FixReport, knows_every_kind_of_execution_report) {
  EXPECT_EQ(kind("150=0|39=0|"), TradeReportKind::accepted);
  EXPECT_EQ(kind("150=0|39=9|"), TradeReportKind::parked);
  EXPECT_EQ(kind("150=9|39=9|"), TradeReportKind::parked);
  EXPECT_EQ(kind("150=F|39=1|32=1|31=1|"), TradeReportKind::traded);
  EXPECT_EQ(kind("150=4|39=4|"), TradeReportKind::cancelled);
  EXPECT_EQ(kind("150=5|39=0|"), TradeReportKind::replaced);
  EXPECT_EQ(kind("150=8|39=8|"), TradeReportKind::rejected);
  EXPECT_EQ(kind("150=C|39=C|"), TradeReportKind::expired);
  EXPECT_EQ(kind("150=D|39=0|"), TradeReportKind::restated);
  EXPECT_EQ(kind("150=G|39=1|19=X|32=1|31=1|"), TradeReportKind::corrected);
  EXPECT_EQ(kind("150=H|39=1|19=X|"), TradeReportKind::busted);
  EXPECT_EQ(kind("150=I|39=0|"), TradeReportKind::status);
  EXPECT_EQ(kind("150=A|39=A|"), TradeReportKind::other);
  // FIX 4.2.
  EXPECT_EQ(kind("20=0|150=2|39=2|32=1|31=1|"), TradeReportKind::traded);
  EXPECT_EQ(kind("20=1|150=1|39=1|19=X|"), TradeReportKind::busted);
  EXPECT_EQ(kind("20=2|150=1|39=1|19=X|32=1|31=1|"), TradeReportKind::corrected);
  EXPECT_EQ(kind("20=3|150=0|39=0|"), TradeReportKind::status);
}

TEST(FixReport, reads_a_trade_with_the_fields_of_the_venue) {
  const auto report = read(
      "35=8|37=V|11=A|17=X|150=F|39=1|55=KAGA|54=2|38=9|44=12.5|32=4|31=12|851=2|9730=R|527=M|27020=77|453=1|448=CP|"
      "447=D|452=17|151=5|14=4|6=12|20000=3|");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->id, "A");
  EXPECT_EQ(report->order_id, "V");
  EXPECT_EQ(report->execution_id, "X");
  EXPECT_EQ(report->side, market::Side::sell);
  EXPECT_EQ(report->last_quantity.lots, 4);
  EXPECT_EQ(report->last_price.units, 12 * market::k_price_scale);
  EXPECT_EQ(report->leaves->lots, 5);
  EXPECT_EQ(report->executed->lots, 4);
  EXPECT_EQ(report->trade_id, "M");
  EXPECT_EQ(report->counterparty, "CP");
  EXPECT_EQ(report->liquidity, 'R');
  EXPECT_EQ(report->venue_fields, "liquidity R, match 77, type of trade 3");
}

TEST(FixReport, reads_refusals) {
  const auto change = read("35=9|37=V|11=A.1|41=A|39=0|434=1|102=3|58=wait|");
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->kind, TradeReportKind::change_rejected);
  EXPECT_EQ(change->id, "A.1");
  EXPECT_EQ(change->original_id, "A");
  EXPECT_EQ(change->text, "wait");
  const auto business = read("35=j|45=3|372=D|379=A|380=4|58=away|");
  ASSERT_TRUE(business.has_value());
  EXPECT_EQ(business->kind, TradeReportKind::request_rejected);
  EXPECT_EQ(business->id, "A");
  const auto mass = read("35=r|11=Q|37=R|530=7|531=0|532=99|58=no|");
  ASSERT_TRUE(mass.has_value());
  EXPECT_EQ(mass->kind, TradeReportKind::request_rejected);
  EXPECT_EQ(read("35=r|11=Q|37=R|530=7|531=7|")->kind, TradeReportKind::mass_cancelled);
  EXPECT_EQ(read("35=AI|117=Q|297=5|55=X|58=why|")->kind, TradeReportKind::request_rejected);
  EXPECT_EQ(read("35=AI|117=Q|297=5|55=X|58=why|")->text, "why");
  EXPECT_EQ(read("35=AI|117=Q|297=0|55=X|")->lines, std::vector<std::string>{"the quote was taken"});
}

TEST(FixReport, reads_answers_to_questions) {
  const auto status = read("35=8|11=A|17=X|150=I|39=1|790=Q|55=K|54=1|151=5|14=4|6=1|");
  EXPECT_EQ(status->id, "Q");
  EXPECT_EQ(status->original_id, "A");
  EXPECT_EQ(status->status, "partially filled");
  EXPECT_TRUE(status->is_last);
  const auto many = read("35=8|11=A|17=X|150=I|39=0|584=Q|911=2|912=N|55=K|54=1|151=5|14=0|6=0|");
  EXPECT_FALSE(many->is_last);
  const auto list = read("35=y|320=Q|322=R|560=0|393=2|893=Y|146=2|55=KAGA|48=1|22=8|55=HIGO|48=2|22=8|");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->lines, (std::vector<std::string>{"KAGA 1", "HIGO 2"}));
  const auto session = read("35=h|335=Q|336=1|340=0|58=not carried|");
  EXPECT_EQ(session->lines, std::vector<std::string>{"trading session: unknown, not carried"});
  const auto user = read("35=BF|923=Q|553=ME|926=1|");
  ASSERT_EQ(user->lines.size(), 1u);
  EXPECT_TRUE(user->lines[0].starts_with("user ME: logged in")) << user->lines[0];
}

TEST(FixReport, says_what_a_message_lacks) {
  EXPECT_EQ(read("35=8|11=A|17=X|150=F|39=1|55=K|54=1|151=5|14=4|6=1|31=1|").error().field, 32);
  EXPECT_EQ(read("35=8|11=A|17=X|150=0|39=1|55=K|54=1|14=4|6=1|").error().field, 151);
  EXPECT_EQ(read("35=B|148=x|").error().code, ErrorCode::not_supported);
}

}  // namespace
}  // namespace dojima::app
