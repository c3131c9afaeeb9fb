#include "dojima/mit/lse_21_2.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit::lse_21_2 {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;

constexpr std::int32_t k_most = std::numeric_limits<std::int32_t>::max();

template <class Encode>
Result<std::vector<std::byte>> written(Encode encode) {
  std::vector<std::byte> room(k_dialect.longest, std::byte{0xcc});
  const Result<std::size_t> size = encode(Room(room));
  if (!size) return std::unexpected(size.error());
  room.resize(*size);
  return room;
}

auto written(const market::NewOrder& order) {
  return written([&](Room room) { return k_dialect.encode_new_order(order, room); });
}
auto written(const market::Replace& replace) {
  return written([&](Room room) { return k_dialect.encode_replace(replace, room); });
}
auto written(const market::Cancel& cancel) {
  return written([&](Room room) { return k_dialect.encode_cancel(cancel, room); });
}
auto written(const market::MassCancel& cancel) {
  return written([&](Room room) { return k_dialect.encode_mass_cancel(cancel, room); });
}
auto written(const market::Quote& quote) {
  return written([&](Room room) { return k_dialect.encode_quote(quote, room); });
}
auto written(const OwnerReport& report) {
  return written([&](Room room) { return k_dialect.encode_report(report, code_of(report.reason), room); });
}

template <std::size_t Capacity>
Text<Capacity> any_text(std::size_t least = 0) {
  const auto text = *rc::gen::suchThat(
      rc::gen::resize(Capacity, rc::gen::container<std::string>(rc::gen::elementOf(std::string(
                                    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_. !~")))),
      [=](const std::string& candidate) { return candidate.size() >= least && candidate.size() <= Capacity; });
  return Text<Capacity>::cut(text);
}

market::Quantity any_quantity(std::int32_t least) {
  return {*rc::gen::inRange<std::int64_t>(least, std::int64_t{k_most} + 1)};
}
time::Time any_second() {
  return time::from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 0x1'0000'0000) * 1'000'000'000);
}
time::Time any_instant() {
  return any_second() + time::Duration{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000)};
}

/// An order as a decoder would give it: fields that do not apply are 0.
market::NewOrder any_order() {
  using enum market::OrderType;
  market::NewOrder order;
  order.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  market::OrderTerms& terms = order.terms;
  terms.type = *rc::gen::element(market, limit, stop, stop_limit);
  terms.sub_type = *rc::gen::element(market::OrderSubType::plain, market::OrderSubType::pegged,
                                     market::OrderSubType::random_peak, market::OrderSubType::offset);
  terms.time_in_force =
      static_cast<market::TimeInForce>(*rc::gen::element<std::uint8_t>(0, 3, 4, 5, 6, 8, 10, 12, 50, 51, 52, 54, 55));
  const std::int64_t least = terms.sub_type == market::OrderSubType::offset ? 0 : 1;
  constexpr std::int64_t k_highest = std::numeric_limits<std::int64_t>::max();
  if (terms.type == limit || terms.type == stop_limit) terms.limit = {*rc::gen::inRange(least, k_highest)};
  if (terms.type == stop || terms.type == stop_limit) terms.stop = {*rc::gen::inRange<std::int64_t>(1, k_highest)};
  terms.quantity = any_quantity(1);
  terms.displayed = any_quantity(0);
  if (terms.sub_type == market::OrderSubType::pegged) {
    terms.minimum = any_quantity(0);
    terms.peg = *rc::gen::element<std::uint8_t>(0, 1, 2);
  }
  if (terms.time_in_force == market::TimeInForce::good_till_date ||
      terms.time_in_force == market::TimeInForce::good_till_time)
    terms.expiry = any_second();
  if (terms.sub_type == market::OrderSubType::offset) terms.offset_bp = *rc::gen::arbitrary<std::int32_t>();
  terms.group = *rc::gen::arbitrary<std::uint8_t>();
  terms.side = *rc::gen::element(market::Side::buy, market::Side::sell);
  terms.passive = *rc::gen::element<std::uint8_t>(0, 1, 2, 3, 99, 100);
  terms.capacity = static_cast<market::Capacity>(*rc::gen::inRange(1, 4));
  terms.flags = *rc::gen::element<std::uint8_t>(0, 1, 2, 3);
  terms.owner_type = *rc::gen::element<std::uint8_t>(0, 1, 2);
  market::OrderLabels& labels = order.labels;
  labels.client_order_id = any_text<20>(1);
  labels.account = any_text<10>();
  labels.trader = any_text<11>();
  labels.clearing = *rc::gen::element<std::uint8_t>(1, 3);
  labels.mifid = *rc::gen::inRange<std::uint8_t>(0, 8);
  labels.roles = 0x15;  // a qualifier for each, so that short codes are allowed
  labels.client = *rc::gen::element<std::uint32_t>(0, 1, 2, 4, 0xffff'ffff);
  labels.decision_maker = *rc::gen::element<std::uint32_t>(0, 4, 0xffff'ffff);
  labels.executing_trader = *rc::gen::element<std::uint32_t>(3, 4, 0xffff'ffff);
  return order;
}

Result<Inbound> read_request(Bytes bytes) {
  Inbound request;
  mit::Reject refusal;
  const Result<void> read = k_dialect.decode_request(bytes, request, refusal);
  if (!read) return std::unexpected(read.error());
  return request;
}

RC_GTEST_PROP(Lse212, reads_back_every_new_order_that_it_wrote, ()) {
  const market::NewOrder order = any_order();
  const auto bytes = written(order);
  RC_ASSERT(bytes.has_value());
  const Result<Inbound> request = read_request(*bytes);
  RC_ASSERT(request.has_value());
  RC_ASSERT(request->kind == Inbound::Kind::new_order);
  RC_ASSERT(std::memcmp(&request->new_order, &order, sizeof order) == 0);
}

RC_GTEST_PROP(Lse212, reads_back_every_replace_that_it_wrote, ()) {
  market::Replace replace;
  replace.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  replace.order = {*rc::gen::arbitrary<std::uint64_t>()};
  replace.limit = {*rc::gen::arbitrary<std::int64_t>()};
  replace.stop = {*rc::gen::arbitrary<std::int64_t>()};
  replace.quantity = any_quantity(1);
  replace.displayed = any_quantity(0);
  replace.minimum = any_quantity(0);
  replace.expiry = any_second();
  replace.offset_bp = *rc::gen::arbitrary<std::int32_t>();
  replace.side = *rc::gen::element(market::Side::buy, market::Side::sell);
  replace.group = *rc::gen::arbitrary<std::uint8_t>();
  replace.passive = *rc::gen::element<std::uint8_t>(0, 1, 2, 3, 99, 100);
  replace.client_order_id = any_text<20>(1);
  replace.original_client_order_id = any_text<20>();
  replace.account = any_text<10>();
  const auto bytes = written(replace);
  RC_ASSERT(bytes.has_value());
  const Result<Inbound> request = read_request(*bytes);
  RC_ASSERT(request.has_value());
  RC_ASSERT(request->kind == Inbound::Kind::replace);
  RC_ASSERT(std::memcmp(&request->replace, &replace, sizeof replace) == 0);
}

RC_GTEST_PROP(Lse212, reads_back_every_cancel_that_it_wrote, ()) {
  market::Cancel cancel;
  cancel.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  cancel.order = {*rc::gen::arbitrary<std::uint64_t>()};
  cancel.client_order_id = any_text<20>(1);
  cancel.original_client_order_id = any_text<20>();
  cancel.side = *rc::gen::element(market::Side::buy, market::Side::sell);
  const auto bytes = written(cancel);
  RC_ASSERT(bytes.has_value());
  const Result<Inbound> request = read_request(*bytes);
  RC_ASSERT(request.has_value());
  RC_ASSERT(request->kind == Inbound::Kind::cancel);
  RC_ASSERT(std::memcmp(&request->cancel, &cancel, sizeof cancel) == 0);
}

RC_GTEST_PROP(Lse212, reads_back_every_mass_cancel_that_it_wrote, ()) {
  enum class Which { all, instrument, segment, group, instrument_and_group };
  market::MassCancel cancel;
  cancel.client_order_id = any_text<20>(1);
  const auto which =
      *rc::gen::element(Which::all, Which::instrument, Which::segment, Which::group, Which::instrument_and_group);
  cancel.is_account = which == Which::instrument_and_group || *rc::gen::arbitrary<bool>();
  if (which == Which::instrument || which == Which::instrument_and_group)
    cancel.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  if (which == Which::segment) cancel.segment = any_text<4>(1);
  if (which == Which::group || which == Which::instrument_and_group)
    cancel.group = *rc::gen::inRange<std::uint8_t>(1, 255);
  const auto bytes = written(cancel);
  RC_ASSERT(bytes.has_value());
  const Result<Inbound> request = read_request(*bytes);
  RC_ASSERT(request.has_value());
  RC_ASSERT(request->kind == Inbound::Kind::mass_cancel);
  RC_ASSERT(std::memcmp(&request->mass_cancel, &cancel, sizeof cancel) == 0);
}

RC_GTEST_PROP(Lse212, reads_back_every_quote_that_it_wrote, ()) {
  constexpr std::int64_t k_largest = std::numeric_limits<std::int32_t>::max();
  market::Quote quote;
  quote.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  quote.bid = {*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62)};
  quote.ask = {*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62)};
  quote.bid_size = {*rc::gen::inRange<std::int64_t>(0, k_largest)};
  quote.ask_size = {*rc::gen::inRange<std::int64_t>(0, k_largest)};
  quote.labels.client_order_id = any_text<20>(1);
  quote.labels.trader = any_text<11>();
  quote.labels.clearing = *rc::gen::element<std::uint8_t>(1, 3);
  quote.labels.mifid = *rc::gen::inRange<std::uint8_t>(0, 8);
  quote.labels.roles = 0b101010;
  quote.labels.client = *rc::gen::element<std::uint32_t>(0, 1, 2, 4, 0xffff'ffff);
  quote.labels.decision_maker = *rc::gen::element<std::uint32_t>(0, 4, 0xffff'ffff);
  quote.labels.executing_trader = *rc::gen::element<std::uint32_t>(3, 4, 0xffff'ffff);
  quote.capacity = static_cast<market::Capacity>(*rc::gen::inRange(1, 4));
  quote.peg = *rc::gen::inRange<std::uint8_t>(0, 3);
  quote.flags = *rc::gen::element<std::uint8_t>(0, market::k_auto_cancel);
  const auto bytes = written(quote);
  RC_ASSERT(bytes.has_value());
  const Result<Inbound> request = read_request(*bytes);
  RC_ASSERT(request.has_value());
  RC_ASSERT(request->kind == Inbound::Kind::quote);
  RC_ASSERT(std::memcmp(&request->quote, &quote, sizeof quote) == 0);
}

/// What every kind of report carries.
OwnerReport any_plain_report(OwnerReportKind kind) {
  OwnerReport report;
  report.kind = kind;
  report.partition = *rc::gen::arbitrary<std::uint8_t>();
  report.sequence = {*rc::gen::inRange<std::uint64_t>(0, 0x8000'0000)};
  report.client_order_id = any_text<20>();
  report.order = {*rc::gen::arbitrary<std::uint64_t>()};
  report.time = any_instant();
  return report;
}

OwnerReport any_execution_report() {
  using enum OwnerReportKind;
  OwnerReport report = any_plain_report(*rc::gen::element(accepted, traded, cancelled, replaced, expired, rejected));
  report.status = static_cast<market::OrderStatus>(*rc::gen::element<std::uint8_t>(0, 1, 2, 4, 6, 8, 9));
  if (report.kind == rejected || report.kind == expired)
    report.reason = static_cast<market::Reason>(*rc::gen::inRange(0, 21));
  report.public_order = {*rc::gen::arbitrary<std::uint64_t>()};
  report.execution = *rc::gen::arbitrary<std::uint64_t>();
  report.trade = *rc::gen::arbitrary<std::uint64_t>();
  report.price = {*rc::gen::arbitrary<std::int64_t>()};
  report.quantity = any_quantity(0);
  report.leaves = any_quantity(0);
  report.displayed = any_quantity(0);
  report.minimum = any_quantity(0);
  report.counterparty = any_text<11>();
  report.instrument = *rc::gen::inRange<std::uint32_t>(0, 0x8000'0000);
  report.side = static_cast<market::Side>(*rc::gen::inRange(0, 3));
  report.capacity = static_cast<market::Capacity>(*rc::gen::inRange(0, 4));
  report.liquidity = *rc::gen::element('\0', 'A', 'R', 'C');
  report.restatement = *rc::gen::arbitrary<std::uint8_t>();
  report.peg = *rc::gen::arbitrary<std::uint8_t>();
  report.owner_type = *rc::gen::arbitrary<std::uint8_t>();
  report.waiver = *rc::gen::arbitrary<std::uint8_t>();
  report.last_market = *rc::gen::arbitrary<std::uint8_t>();
  report.type_of_trade = *rc::gen::arbitrary<std::uint8_t>();
  return report;
}

void reads_back(const OwnerReport& report) {
  const auto bytes = written(report);
  RC_ASSERT(bytes.has_value());
  Outbound reply;
  RC_ASSERT(k_dialect.decode_reply(*bytes, reply).has_value());
  RC_ASSERT(reply.kind == Outbound::Kind::report);
  RC_ASSERT(reply.report.report == report);
  RC_ASSERT(reply.report.code == code_of(report.reason));
}

RC_GTEST_PROP(Lse212, reads_back_every_execution_report_that_it_wrote, ()) {
  reads_back(any_execution_report());
}

RC_GTEST_PROP(Lse212, reads_back_every_refusal_that_it_wrote, ()) {
  OwnerReport report =
      any_plain_report(*rc::gen::element(OwnerReportKind::request_rejected, OwnerReportKind::business_rejected));
  report.reason = static_cast<market::Reason>(*rc::gen::inRange(0, 21));
  reads_back(report);
}

RC_GTEST_PROP(Lse212, reads_back_every_answer_to_a_mass_cancel_that_it_wrote, ()) {
  OwnerReport report = any_plain_report(OwnerReportKind::mass_cancelled);
  report.order = {};
  report.reason = static_cast<market::Reason>(*rc::gen::inRange(0, 21));
  if (report.reason != market::Reason::none) report.status = market::OrderStatus::rejected;
  reads_back(report);
}

RC_GTEST_PROP(Lse212, reads_back_every_session_message_that_it_wrote, ()) {
  const mit::Logon logon{any_text<25>(1), any_text<25>(1), any_text<25>()};
  const auto logon_bytes = written([&](Room room) { return k_dialect.encode_logon(logon, room); });
  RC_ASSERT(read_request(*logon_bytes)->logon == logon);

  Outbound reply;
  const bool has_day = *rc::gen::arbitrary<bool>();  // in place of the days
  const mit::LogonReply logon_reply{
      .code = *rc::gen::arbitrary<std::int32_t>(),
      .days = has_day ? mit::LogonReply::k_days_not_stated : *rc::gen::inRange(-1, k_most),
      .venue_day = {.venue = has_day ? *rc::gen::inRange(std::uint64_t{1}, ~std::uint64_t{0}) : 0,
                    .number = has_day ? *rc::gen::inRange(std::uint64_t{0}, mit::VenueDay::k_most) : 0}};
  RC_ASSERT(
      k_dialect
          .decode_reply(*written([&](Room room) { return k_dialect.encode_logon_reply(logon_reply, room); }), reply)
          .has_value());
  RC_ASSERT(reply.logon_reply == logon_reply);

  const mit::Logout logout{any_text<20>()};
  const auto logout_bytes = written([&](Room room) { return k_dialect.encode_logout(logout, room); });
  RC_ASSERT(read_request(*logout_bytes)->logout == logout);
  RC_ASSERT(k_dialect.decode_reply(*logout_bytes, reply).has_value());
  RC_ASSERT(reply.logout == logout);

  const mit::Reject reject{*rc::gen::arbitrary<std::int32_t>(), any_text<30>(), *rc::gen::arbitrary<char>(),
                           any_text<20>()};
  RC_ASSERT(k_dialect.decode_reply(*written([&](Room room) { return k_dialect.encode_reject(reject, room); }), reply)
                .has_value());
  RC_ASSERT(reply.reject == reject);
}

RC_GTEST_PROP(Lse212, reads_arbitrary_bytes_without_harm, (std::vector<std::uint8_t> bytes)) {
  std::vector<std::byte> message(4 + bytes.size());
  message[0] = k_start_of_message;
  store_little(Room(message), 1, static_cast<std::int16_t>(1 + bytes.size()));
  store_little(Room(message), 3,
               *rc::gen::element('A', 'B', '5', '0', '3', 'D', 'F', 'G', 'q', '8', '9', 'j', 'r', 'n'));
  std::ranges::copy(std::as_bytes(std::span(bytes)), message.begin() + 4);
  Outbound reply;
  static_cast<void>(k_dialect.decode_reply(message, reply));
  static_cast<void>(read_request(message));
}

// What the dialect cannot carry --------------------------------------------------------------------------------------

market::NewOrder plain_order() {
  market::NewOrder order;
  order.header.instrument = 1;
  order.terms = {.limit = {1},
                 .quantity = {1},
                 .displayed = {1},
                 .side = market::Side::buy,
                 .type = market::OrderType::limit,
                 .capacity = market::Capacity::dealing};
  order.labels = {.client_order_id = Text<20>::cut("A"), .clearing = 1, .executing_trader = 3};
  return order;
}

TEST(Lse212, refuses_mass_cancels_that_no_type_stands_for) {
  market::MassCancel cancel{.client_order_id = Text<20>::cut("A")};
  const auto trouble = [&cancel] { return written(cancel) ? ErrorCode::none : written(cancel).error().code; };
  EXPECT_EQ(trouble(), ErrorCode::none);
  cancel.side = market::Side::buy;
  EXPECT_EQ(trouble(), ErrorCode::not_supported) << "one side only";
  cancel.side = market::Side::none;
  cancel.is_everyone = true;
  EXPECT_EQ(trouble(), ErrorCode::not_supported) << "the operator's";
  cancel.is_everyone = false;
  cancel.header.instrument = 7;
  cancel.group = 2;
  EXPECT_EQ(trouble(), ErrorCode::not_supported) << "a member's own group of one instrument";
  cancel.is_account = true;
  EXPECT_EQ(trouble(), ErrorCode::none);
  cancel.segment = Text<4>::cut("SET1");
  EXPECT_EQ(trouble(), ErrorCode::not_supported) << "a segment and an instrument";
}

struct Trouble {
  ErrorCode code;
  std::uint32_t offset;
  friend bool operator==(const Trouble&, const Trouble&) = default;
};

template <class Record>
Trouble trouble_of(const Record& record) {
  const auto bytes = written(record);
  return bytes ? Trouble{ErrorCode::none, 0} : Trouble{bytes.error().code, bytes.error().offset};
}

TEST(Lse212, carries_a_plain_order) {
  EXPECT_EQ(trouble_of(plain_order()), (Trouble{ErrorCode::none, 0}));
}

TEST(Lse212, refuses_numbers_above_its_integers) {
  market::NewOrder order = plain_order();
  order.terms.quantity = {std::int64_t{k_most} + 1};
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 59}));
  order = plain_order();
  order.terms.displayed = {std::int64_t{k_most} + 1};
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 63}));
  order = plain_order();
  order.terms.minimum = {-0x8000'0001LL};
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 97}));
  order = plain_order();
  order.header.instrument = 0x8000'0000;
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 46}));
}

TEST(Lse212, refuses_kinds_of_orders_that_it_has_no_number_for) {
  using enum market::TimeInForce;
  for (const market::TimeInForce unknown : {good_till_cancel, good_for_auction, at_closing_price}) {
    market::NewOrder order = plain_order();
    order.terms.time_in_force = unknown;
    EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 53}));
  }
  for (const market::OrderType unknown : {market::OrderType::none, market::OrderType::market_to_limit}) {
    market::NewOrder order = plain_order();
    order.terms.type = unknown;
    EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 52}));
  }
  market::NewOrder order = plain_order();
  order.terms.side = market::Side::none;
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 58}));
  order = plain_order();
  order.terms.capacity = market::Capacity::none;
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 75}));
  order = plain_order();
  order.terms.sub_type = static_cast<market::OrderSubType>(7);
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 77}));
  order = plain_order();
  order.terms.flags = 4;
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::not_supported, 76}));
}

TEST(Lse212, refuses_expiry_times_that_are_no_whole_seconds_or_too_far_away) {
  market::NewOrder order = plain_order();
  order.terms.expiry = time::from_nanoseconds(1'500'000'000);
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::too_precise, 54}));
  order.terms.expiry = time::from_nanoseconds(-1'000'000'000);
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 54}));
  order.terms.expiry = time::from_nanoseconds(0x1'0000'0000 * 1'000'000'000);
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::out_of_range, 54}));
}

TEST(Lse212, refuses_text_beyond_seven_bits) {
  market::NewOrder order = plain_order();
  order.labels.account = Text<10>::cut("caf\xe9");
  EXPECT_EQ(trouble_of(order), (Trouble{ErrorCode::malformed, 35}));
}

TEST(Lse212, refuses_replaces_and_cancels_that_it_cannot_carry) {
  market::Replace replace;
  EXPECT_EQ(trouble_of(replace), (Trouble{ErrorCode::not_supported, 93})) << "no side";
  replace.side = market::Side::sell;
  replace.passive = 200;
  EXPECT_EQ(trouble_of(replace), (Trouble{ErrorCode::out_of_range, 102}));
  replace.passive = 0;
  replace.quantity = {std::int64_t{1} << 40};
  EXPECT_EQ(trouble_of(replace), (Trouble{ErrorCode::out_of_range, 66}));
  EXPECT_EQ(trouble_of(market::Cancel{}), (Trouble{ErrorCode::not_supported, 62})) << "no side";
}

TEST(Lse212, refuses_reports_that_it_cannot_carry) {
  OwnerReport report;
  EXPECT_EQ(trouble_of(report), (Trouble{ErrorCode::not_supported, 0})) << "no kind";
  report.kind = OwnerReportKind::traded;
  report.sequence = {0x8000'0000};
  EXPECT_EQ(trouble_of(report), (Trouble{ErrorCode::out_of_range, 5}));
  report.sequence = {std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(trouble_of(report), (Trouble{ErrorCode::out_of_range, 5}));
  report.sequence = {1};
  report.time = time::from_nanoseconds(-1);
  EXPECT_EQ(trouble_of(report), (Trouble{ErrorCode::out_of_range, 127}));
  report.time = {};
  report.leaves = {std::int64_t{1} << 31};
  EXPECT_EQ(trouble_of(report), (Trouble{ErrorCode::out_of_range, 83}));
}

TEST(Lse212, says_no_room_when_the_message_does_not_fit) {
  std::vector<std::byte> room(124);
  EXPECT_EQ(k_dialect.encode_new_order(plain_order(), room).error().code, ErrorCode::no_room);
  EXPECT_EQ(k_dialect.encode_heartbeat(Room(room).first(3)).error().code, ErrorCode::no_room);
  EXPECT_EQ(k_dialect.encode_heartbeat(Room(room).first(4)), 4u);
}

// What a client does not believe -------------------------------------------------------------------------------------

template <class Field>
Trouble trouble_with(Field field, typename Field::Value value) {
  OwnerReport report;
  report.kind = OwnerReportKind::traded;
  auto bytes = *written(report);
  store(Room(bytes), field, value);
  Outbound reply;
  const Result<void> read = k_dialect.decode_reply(bytes, reply);
  if (read) return {ErrorCode::none, 0};
  EXPECT_EQ(reply.kind, Outbound::Kind::none);
  return {read.error().code, read.error().offset};
}

TEST(Lse212, refuses_reports_with_values_out_of_range) {
  using M = ExecutionReport;
  EXPECT_EQ(trouble_with(M::exec_type, '0'), (Trouble{ErrorCode::none, 0}));
  for (const char exec_type : {'\0', 'L', 'x'})
    EXPECT_EQ(trouble_with(M::exec_type, exec_type), (Trouble{ErrorCode::not_supported, 53})) << exec_type;
  EXPECT_EQ(trouble_with(M::order_status, 3), (Trouble{ErrorCode::out_of_range, 66}));
  EXPECT_EQ(trouble_with(M::sequence_no, -1), (Trouble{ErrorCode::out_of_range, 5}));
  EXPECT_EQ(trouble_with(M::leaves_qty, -1), (Trouble{ErrorCode::out_of_range, 83}));
  EXPECT_EQ(trouble_with(M::executed_qty, -1), (Trouble{ErrorCode::out_of_range, 79}));
  EXPECT_EQ(trouble_with(M::side, 3), (Trouble{ErrorCode::out_of_range, 98}));
  EXPECT_EQ(trouble_with(M::capacity, 4), (Trouble{ErrorCode::out_of_range, 137}));
  EXPECT_EQ(trouble_with(M::transact_time, std::uint64_t{1'000'000'000} << 32),
            (Trouble{ErrorCode::out_of_range, 127}));
}

TEST(Lse212, does_not_mind_a_password_expiry_that_is_no_number) {
  auto bytes = *written([](Room room) { return k_dialect.encode_logon_reply({.code = 0, .days = 12}, room); });
  store(Room(bytes), LogonReply::password_expiry_day_count, Text<30>::cut("12 days"));
  Outbound reply;
  ASSERT_TRUE(k_dialect.decode_reply(bytes, reply));
  EXPECT_EQ(reply.logon_reply, (mit::LogonReply{0, mit::LogonReply::k_days_not_stated}));
}

}  // namespace
}  // namespace dojima::mit::lse_21_2
