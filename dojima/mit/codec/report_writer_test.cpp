// ExecutionReports written at once, against the same composed field by field: of reports that a dialect can carry and
// of those that it cannot.

#include "dojima/mit/codec/report_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;

/// Mostly what every dialect carries, now and then at an edge or beyond it.
std::int64_t any_report_number() {
  constexpr std::int64_t k_int32 = std::numeric_limits<std::int32_t>::max();
  if (*rc::gen::inRange(0, 30) != 0) return *rc::gen::inRange<std::int64_t>(0, k_int32);
  return *rc::gen::element<std::int64_t>(-1, 0, k_int32, k_int32 + 1, std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min());
}

template <std::size_t Width>
Text<Width> any_text_of() {
  Text<Width> text;
  for (char& c : text.chars) c = *rc::gen::inRange<char>('\0', '\x7f');
  if (*rc::gen::inRange(0, 20) == 0) text.chars[*rc::gen::inRange<std::size_t>(0, Width)] = '\x80';
  return text;
}

std::uint64_t any_report_id() {
  return *rc::gen::element<std::uint64_t>(0, 1, *rc::gen::arbitrary<std::uint64_t>(), ~std::uint64_t{0});
}

OwnerReport any_execution() {
  constexpr std::int64_t k_end_ns = (std::int64_t{1} << 32) * 1'000'000'000;
  OwnerReport report;
  report.sequence.value = static_cast<std::uint64_t>(any_report_number());
  report.time = time::from_nanoseconds(*rc::gen::inRange(0, 20) != 0
                                           ? *rc::gen::inRange<std::int64_t>(0, k_end_ns)
                                           : *rc::gen::element<std::int64_t>(-1, 0, k_end_ns - 1, k_end_ns));
  report.order.value = any_report_id();
  report.public_order.value = *rc::gen::inRange(0, 4) != 0 ? report.order.value : any_report_id();
  report.execution = any_report_id();
  report.trade = any_report_id();
  report.price.units = *rc::gen::arbitrary<std::int64_t>();
  report.quantity.lots = any_report_number();
  report.leaves.lots = any_report_number();
  report.displayed.lots = any_report_number();
  report.minimum.lots = any_report_number();
  report.client_order_id = any_text_of<20>();
  report.counterparty = any_text_of<11>();
  report.partition = *rc::gen::arbitrary<std::uint8_t>();
  report.instrument = static_cast<std::uint32_t>(any_report_number());
  report.kind = static_cast<OwnerReportKind>(*rc::gen::inRange(1, 13));
  report.status = static_cast<market::OrderStatus>(*rc::gen::arbitrary<std::uint8_t>());
  report.side = static_cast<market::Side>(*rc::gen::inRange(0, 20) != 0 ? *rc::gen::inRange(0, 3) : 128);
  report.capacity = static_cast<market::Capacity>(*rc::gen::arbitrary<std::uint8_t>());
  report.liquidity = *rc::gen::element('\0', 'A', 'R', 'C');
  report.restatement = *rc::gen::arbitrary<std::uint8_t>();
  report.peg = *rc::gen::arbitrary<std::uint8_t>();
  report.owner_type = *rc::gen::arbitrary<std::uint8_t>();
  report.waiver = *rc::gen::arbitrary<std::uint8_t>();
  report.last_market = *rc::gen::arbitrary<std::uint8_t>();
  report.type_of_trade = *rc::gen::arbitrary<std::uint8_t>();
  report.reference = any_report_id();
  return report;
}

using Encode = Result<std::size_t>(const OwnerReport&, std::int32_t, Room);

void expect_same_bytes(const OwnerReport& report, std::int32_t code, Encode& encode, Encode& compose) {
  const std::size_t size = *rc::gen::inRange(0, 20) != 0 ? 300 : *rc::gen::inRange<std::size_t>(0, 300);
  // Whatever was in the room before is gone.
  std::vector<std::byte> at_once(size, std::byte{0x55}), by_field(size, std::byte{0xaa});
  const Result<std::size_t> written = encode(report, code, at_once);
  const Result<std::size_t> composed = compose(report, code, by_field);
  RC_ASSERT(written.has_value() == composed.has_value());
  if (!written) {
    RC_ASSERT(written.error() == composed.error());
    return;
  }
  RC_ASSERT(*written == *composed);
  at_once.resize(*written);
  by_field.resize(*composed);
  RC_ASSERT(at_once == by_field);
}

template <class Tables>
void expect_same_bytes_in(const OwnerReport& report, std::int32_t code) {
  using Executions = ExecutionReportWriter<Tables>;
  using Answers = AnswerWriter<Tables>;
  expect_same_bytes(report, code, Executions::encode, Executions::compose);
  expect_same_bytes(report, code, Answers::encode_cancel_reject, Answers::compose_cancel_reject);
}

RC_GTEST_PROP(ReportWriter, gives_the_bytes_and_errors_of_the_composer_in_every_dialect, ()) {
  const OwnerReport report = any_execution();
  const auto code = *rc::gen::arbitrary<std::int32_t>();
  expect_same_bytes_in<lse_21_2::Tables>(report, code);
  expect_same_bytes_in<bit_9_4::Tables>(report, code);
  expect_same_bytes_in<lse_11_8_5::Tables>(report, code);
  RC_TAG(is_carried_by_all(report) ? "at once" : "by field");
}

TEST(ReportWriter, takes_what_every_dialect_carries_and_nothing_else) {
  const OwnerReport plain{.sequence = {1}, .time = time::from_nanoseconds(1), .order = {5}, .quantity = {7}};
  EXPECT_TRUE(is_carried_by_all(plain));
  OwnerReport report = plain;
  report.leaves = {std::int64_t{1} << 31};
  EXPECT_FALSE(is_carried_by_all(report));
  report = plain;
  report.quantity = {-1};
  EXPECT_FALSE(is_carried_by_all(report));
  report = plain;
  report.time = time::from_nanoseconds(-1);
  EXPECT_FALSE(is_carried_by_all(report));
  for (std::size_t at = 0; at < report.client_order_id.chars.size(); ++at) {
    report = plain;
    report.client_order_id.chars[at] = '\x80';
    EXPECT_FALSE(is_carried_by_all(report)) << at;
  }
  for (std::size_t at = 0; at < report.counterparty.chars.size(); ++at) {
    report = plain;
    report.counterparty.chars[at] = '\x80';
    EXPECT_FALSE(is_carried_by_all(report)) << at;
  }
}

}  // namespace
}  // namespace dojima::mit
