// The tests of many characters at once, against the rules that look at each.

#include "dojima/mit/codec/codec_rules.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/codec/codec_changes.hpp"
#include "dojima/mit/codec/execution_report_reader.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

template <std::size_t Width>
void says_what_the_rules_say() {
  constexpr TextField<Width> k_field{3, "text"};
  for (std::size_t at = 0; at < Width; ++at)
    for (unsigned c = 0; c < 256; ++c) {
      std::string message(Width + 6, 'a');
      message[3 + at] = static_cast<char>(c);
      const Bytes bytes = as_bytes(message);
      EXPECT_EQ(is_identifier(bytes, k_field), Rules(bytes).identifier(k_field).fault().is_none()) << at << ' ' << c;
      EXPECT_EQ(is_identifier(bytes, k_field), k_identifier_characters[c]) << at << ' ' << c;
      EXPECT_EQ(is_ascii(bytes, k_field), Rules(bytes).ascii(k_field).fault().is_none()) << at << ' ' << c;
    }
}

TEST(CodecRules, say_of_a_whole_text_what_they_say_of_its_characters) {
  says_what_the_rules_say<10>();
  says_what_the_rules_say<11>();
  says_what_the_rules_say<20>();
  says_what_the_rules_say<25>();
}

/// Of a message with each byte changed to each value: one that the one test lets pass keeps every rule, and the one
/// test lets pass what most members send.
template <class D, class Message, class IsPlain, class Search>
void passes_only_what_the_rules_let_pass(const std::vector<std::byte>& good, IsPlain is_plain, Search search) {
  ASSERT_EQ(good.size(), std::size_t{Message::k_size});
  EXPECT_TRUE(is_plain(good));
  std::size_t passed = 0;
  for (std::size_t at = k_header_size; at < good.size(); ++at)
    for (unsigned value = 0; value < 256; ++value) {
      std::vector<std::byte> changed = good;
      changed[at] = static_cast<std::byte>(value);
      if (!is_plain(changed)) continue;
      ++passed;
      EXPECT_TRUE(search(changed).is_none()) << at << ' ' << value;
    }
  EXPECT_GT(passed, good.size() * 50);
}

template <class D>
void changes_are_checked_alike(const Dialect& dialect) {
  using Changes = ChangeReader<D>;
  std::vector<std::byte> room(dialect.longest);
  market::Replace replace;
  replace.header.instrument = 77;
  replace.client_order_id = replace.original_client_order_id = Text<20>::cut("REPLACE-1");
  replace.account = Text<10>::cut("HOUSE");
  replace.quantity = replace.displayed = {500};
  replace.limit = {1'000'000};
  replace.side = market::Side::sell;
  market::Cancel cancel;
  cancel.header.instrument = 77;
  cancel.client_order_id = cancel.original_client_order_id = Text<20>::cut("CANCEL-1");
  cancel.side = market::Side::buy;
  for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1} << 60 | std::uint64_t{7} << 32 | 12345}) {
    replace.order = cancel.order = {order};
    const auto replaces = Bytes(room).first(*dialect.encode_replace(replace, room));
    passes_only_what_the_rules_let_pass<D, typename D::OrderCancelReplaceRequest>(
        {replaces.begin(), replaces.end()}, Changes::is_plain_replace, Changes::search_replace);
    const auto cancels = Bytes(room).first(*dialect.encode_cancel(cancel, room));
    passes_only_what_the_rules_let_pass<D, typename D::OrderCancelRequest>(
        {cancels.begin(), cancels.end()}, Changes::is_plain_cancel, Changes::search_cancel);
  }
}

TEST(CodecRules, let_pass_by_one_test_only_changes_of_orders_that_keep_every_rule) {
  changes_are_checked_alike<lse_21_2::Tables>(lse_21_2::k_dialect);
  changes_are_checked_alike<lse_11_8_5::Tables>(lse_11_8_5::k_dialect);
  changes_are_checked_alike<bit_9_4::Tables>(bit_9_4::k_dialect);
}

template <class D>
void reports_are_checked_alike(const Dialect& dialect) {
  using Reports = ExecutionReportReader<D>;
  std::vector<std::byte> room(dialect.longest);
  market::OwnerReport report;
  report.sequence = {7};
  report.time = time::from_nanoseconds(1'784'548'800'123'000'000);
  report.order = {std::uint64_t{1} << 60 | 12345};
  report.execution = std::uint64_t{1} << 60 | 99;
  report.trade = 4711;
  report.price = {1'000'000};
  report.quantity = report.leaves = report.displayed = {500};
  report.client_order_id = Text<20>::cut("ORDER-1");
  report.counterparty = Text<11>::cut("OTHER");
  report.partition = 1;
  report.instrument = 77;
  report.side = market::Side::buy;
  report.capacity = market::Capacity::dealing;
  report.liquidity = 'A';
  report.kind = market::OwnerReportKind::trade_cancelled;
  report.reference = std::uint64_t{1} << 60 | 98;
  const Result<std::size_t> size = dialect.encode_report(report, 0, room);
  ASSERT_TRUE(size);
  const auto written = Bytes(room).first(*size);
  passes_only_what_the_rules_let_pass<D, typename D::ExecutionReport>({written.begin(), written.end()},
                                                                      Reports::is_plain, Reports::search);
}

TEST(CodecRules, let_pass_by_one_test_only_reports_that_keep_every_rule) {
  reports_are_checked_alike<lse_21_2::Tables>(lse_21_2::k_dialect);
  reports_are_checked_alike<lse_11_8_5::Tables>(lse_11_8_5::k_dialect);
  reports_are_checked_alike<bit_9_4::Tables>(bit_9_4::k_dialect);
}

}  // namespace
}  // namespace dojima::mit
