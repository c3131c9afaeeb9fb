// What every dialect keeps, and what distinguishes them. LSE-21.2 alone is tested further in lse_21_2_test.cpp.

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;
using Octets = std::vector<std::byte>;
using Lengths = std::map<char, std::size_t>;

Lengths lengths_of(const Dialect& dialect) {
  Lengths lengths;
  for (const MessageLayout& layout : dialect.layouts) lengths[layout.type] = layout.size;
  EXPECT_EQ(lengths.size(), dialect.layouts.size()) << "a type occurs twice";
  return lengths;
}

TEST(Dialects, have_the_published_length_of_every_message) {
  EXPECT_EQ(
      lengths_of(lse_21_2::k_dialect),
      (Lengths{{'A', 80},  {'B', 38},  {'5', 24},  {'0', 4},   {'M', 9},  {'N', 5},   {'P', 5},  {'3', 59}, {'n', 6},
               {'D', 125}, {'S', 81},  {'G', 116}, {'F', 73},  {'q', 46}, {'8', 155}, {'9', 63}, {'r', 56}, {'j', 63},
               {'a', 184}, {'c', 147}, {'b', 114}, {'d', 146}, {'e', 69}, {'f', 92},  {'g', 157}}));
  EXPECT_EQ(lengths_of(bit_9_4::k_dialect),
            (Lengths{{'A', 80},  {'B', 38}, {'5', 24},  {'0', 4},   {'M', 9},   {'N', 5},   {'P', 5},
                     {'3', 59},  {'n', 6},  {'D', 118}, {'S', 100}, {'G', 120}, {'F', 73},  {'q', 46},
                     {'8', 229}, {'9', 63}, {'r', 56},  {'j', 55},  {'a', 144}, {'c', 143}, {'b', 118},
                     {'d', 138}, {'e', 69}, {'f', 88},  {'g', 136}, {'C', 151}, {'H', 125}}));
  EXPECT_EQ(lengths_of(lse_11_8_5::k_dialect), (Lengths{{'A', 80},
                                                        {'B', 38},
                                                        {'5', 24},
                                                        {'0', 4},
                                                        {'M', 9},
                                                        {'N', 5},
                                                        {'P', 5},
                                                        {'3', 59},
                                                        {'n', 6},
                                                        {'D', 105},
                                                        {'G', 116},
                                                        {'F', 73},
                                                        {'q', 46},
                                                        {'8', 155},
                                                        {'9', 63},
                                                        {'r', 56},
                                                        {'j', 63}}));
  EXPECT_EQ(lse_21_2::k_dialect.longest, 184u);
  EXPECT_EQ(bit_9_4::k_dialect.longest, 229u);
}

struct Lse212 {
  using Tables = lse_21_2::Tables;
  static const Dialect& dialect() { return lse_21_2::k_dialect; }
  static constexpr std::int64_t k_largest = std::numeric_limits<std::int32_t>::max();
};
struct Bit94 {
  using Tables = bit_9_4::Tables;
  static const Dialect& dialect() { return bit_9_4::k_dialect; }
  static constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
};
struct Lse1185 {
  using Tables = lse_11_8_5::Tables;
  static const Dialect& dialect() { return lse_11_8_5::k_dialect; }
  static constexpr std::int64_t k_largest = std::numeric_limits<std::int32_t>::max();
};

template <class Encode>
Result<Octets> written(const Dialect& dialect, Encode encode) {
  Octets room(dialect.longest, std::byte{0xcc});
  const Result<std::size_t> size = encode(Room(room));
  if (!size) return std::unexpected(size.error());
  room.resize(*size);
  return room;
}

Result<Octets> written(const Dialect& dialect, const market::NewOrder& order) {
  return written(dialect, [&](Room room) { return dialect.encode_new_order(order, room); });
}
Result<Octets> written(const Dialect& dialect, const market::Replace& replace) {
  return written(dialect, [&](Room room) { return dialect.encode_replace(replace, room); });
}
Result<Octets> written(const Dialect& dialect, const market::MassCancel& cancel) {
  return written(dialect, [&](Room room) { return dialect.encode_mass_cancel(cancel, room); });
}
Result<Octets> written(const Dialect& dialect, const market::Quote& quote) {
  return written(dialect, [&](Room room) { return dialect.encode_quote(quote, room); });
}
Result<Octets> written(const Dialect& dialect, const OwnerReport& report) {
  return written(dialect, [&](Room room) { return dialect.encode_report(report, code_of(report.reason), room); });
}

template <std::size_t Capacity>
Text<Capacity> any_text(std::size_t least = 0) {
  const auto text = *rc::gen::suchThat(
      rc::gen::resize(Capacity, rc::gen::container<std::string>(rc::gen::elementOf(std::string("0189AZaz-_. !~")))),
      [=](const std::string& candidate) { return candidate.size() >= least && candidate.size() <= Capacity; });
  return Text<Capacity>::cut(text);
}

std::uint8_t any_of(ValueSet values) {
  return *rc::gen::suchThat(rc::gen::inRange<std::uint8_t>(0, 64),
                            [=](std::uint8_t value) { return values.has(value); });
}

template <class Of>
market::Quantity any_quantity(std::int64_t least) {
  return {*rc::gen::oneOf(rc::gen::inRange<std::int64_t>(least, 1'000),
                          rc::gen::inRange<std::int64_t>(least, Of::k_largest), rc::gen::just(Of::k_largest))};
}

/// An order that the dialect carries, as its decoder would give it.
template <class Of>
market::NewOrder any_order() {
  using Tables = typename Of::Tables;
  using M = typename Tables::NewOrder;
  market::NewOrder order;
  order.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  market::OrderTerms& terms = order.terms;
  terms.type = static_cast<market::OrderType>(any_of(Tables::k_order_types));
  terms.sub_type = static_cast<market::OrderSubType>(any_of(Tables::k_order_sub_types));
  terms.time_in_force = static_cast<market::TimeInForce>(any_of(Tables::k_times_in_force));
  const bool has_limit = terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
  const bool has_stop = terms.type == market::OrderType::stop || terms.type == market::OrderType::stop_limit;
  if (has_limit) terms.limit = {*rc::gen::inRange<std::int64_t>(1, INT64_MAX)};
  if (has_stop) terms.stop = {*rc::gen::inRange<std::int64_t>(1, INT64_MAX)};
  terms.quantity = any_quantity<Of>(1);
  terms.displayed = any_quantity<Of>(0);
  const bool is_pegged = terms.sub_type == market::OrderSubType::pegged;
  if constexpr (requires { M::minimum_quantity; })
    if (is_pegged) terms.minimum = any_quantity<Of>(0);
  if constexpr (requires { M::pegged_exec_inst; })
    if (is_pegged) terms.peg = *rc::gen::inRange<std::uint8_t>(0, 3);
  if constexpr (requires { M::offset; })
    if (terms.sub_type == market::OrderSubType::offset) terms.offset_bp = *rc::gen::arbitrary<std::int32_t>();
  if constexpr (requires { M::group_id; }) terms.group = *rc::gen::arbitrary<std::uint8_t>();
  if constexpr (requires { M::passive_only_order; })
    terms.passive = *rc::gen::element<std::uint8_t>(0, 1, 2, 3, 99, 100);
  if constexpr (requires { M::owner_type; }) terms.owner_type = *rc::gen::inRange<std::uint8_t>(0, 3);
  if (terms.time_in_force == market::TimeInForce::good_till_date)
    terms.expiry = time::from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 0x1'0000'0000) * 1'000'000'000);
  terms.side = *rc::gen::element(market::Side::buy, market::Side::sell);
  terms.capacity = static_cast<market::Capacity>(*rc::gen::inRange(1, 4));
  terms.flags = *rc::gen::inRange<std::uint8_t>(0, 4);
  order.labels = {.client_order_id = any_text<20>(1),
                  .account = any_text<10>(),
                  .trader = any_text<11>(),
                  .clearing = *rc::gen::element<std::uint8_t>(1, 3),
                  .mifid = *rc::gen::inRange<std::uint8_t>(0, 8),
                  .roles = 0x15,
                  .client = *rc::gen::element<std::uint32_t>(0, 1, 2, 4, 0xffff'ffff),
                  .decision_maker = *rc::gen::element<std::uint32_t>(0, 4, 0xffff'ffff),
                  .executing_trader = *rc::gen::element<std::uint32_t>(3, 4, 0xffff'ffff)};
  return order;
}

template <class Of>
market::Replace any_replace() {
  using M = typename Of::Tables::OrderCancelReplaceRequest;
  market::Replace replace;
  replace.header.instrument = *rc::gen::inRange<std::uint32_t>(1, 0x8000'0000);
  replace.order = {*rc::gen::arbitrary<std::uint64_t>()};
  replace.limit = {*rc::gen::arbitrary<std::int64_t>()};
  replace.stop = {*rc::gen::arbitrary<std::int64_t>()};
  replace.quantity = any_quantity<Of>(1);
  replace.displayed = any_quantity<Of>(0);
  if constexpr (requires { M::minimum_quantity; }) replace.minimum = any_quantity<Of>(0);
  if constexpr (requires { M::offset; }) replace.offset_bp = *rc::gen::arbitrary<std::int32_t>();
  if constexpr (requires { M::group_id; }) replace.group = *rc::gen::arbitrary<std::uint8_t>();
  if constexpr (requires { M::passive_only_order; })
    replace.passive = *rc::gen::element<std::uint8_t>(0, 1, 2, 3, 99, 100);
  replace.side = *rc::gen::element(market::Side::buy, market::Side::sell);
  replace.client_order_id = any_text<20>(1);
  replace.original_client_order_id = any_text<20>();
  replace.account = any_text<10>();
  return replace;
}

template <class Of>
OwnerReport any_report() {
  using enum OwnerReportKind;
  using M = typename Of::Tables::ExecutionReport;
  OwnerReport report;
  // BIT-9.4 has no ExecType 9.
  const OwnerReportKind last = std::is_same_v<Of, Bit94> ? rejected : suspended;
  report.kind =
      *rc::gen::element(accepted, traded, cancelled, replaced, expired, rejected, restated, trade_cancelled, last);
  report.reference = *rc::gen::arbitrary<std::uint64_t>();
  report.partition = *rc::gen::arbitrary<std::uint8_t>();
  report.sequence = {*rc::gen::inRange<std::uint64_t>(0, 0x8000'0000)};
  report.client_order_id = any_text<20>();
  report.order = {*rc::gen::arbitrary<std::uint64_t>()};
  const std::int64_t units = 1'000'000'000 / Of::Tables::k_fraction_ns;
  report.time = time::from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 0x1'0000'0000) * 1'000'000'000 +
                                       *rc::gen::inRange<std::int64_t>(0, units) * Of::Tables::k_fraction_ns);
  report.status = static_cast<market::OrderStatus>(*rc::gen::element<std::uint8_t>(0, 1, 2, 4, 6, 8, 9));
  report.public_order = {*rc::gen::arbitrary<std::uint64_t>()};
  report.execution = *rc::gen::arbitrary<std::uint64_t>();
  report.trade = *rc::gen::arbitrary<std::uint64_t>();
  report.price = {*rc::gen::arbitrary<std::int64_t>()};
  report.quantity = any_quantity<Of>(0);
  report.leaves = any_quantity<Of>(0);
  report.displayed = any_quantity<Of>(0);
  report.counterparty = any_text<11>();
  report.instrument = *rc::gen::inRange<std::uint32_t>(0, 0x8000'0000);
  report.side = static_cast<market::Side>(*rc::gen::inRange(0, 3));
  report.liquidity = *rc::gen::element('\0', 'A', 'R', 'C');
  report.restatement = *rc::gen::arbitrary<std::uint8_t>();
  report.waiver = *rc::gen::arbitrary<std::uint8_t>();
  report.type_of_trade = *rc::gen::arbitrary<std::uint8_t>();
  if constexpr (requires { M::minimum_quantity; }) report.minimum = any_quantity<Of>(0);
  if constexpr (requires { M::capacity; }) report.capacity = static_cast<market::Capacity>(*rc::gen::inRange(0, 4));
  if constexpr (requires { M::pegged_exec_inst; }) report.peg = *rc::gen::arbitrary<std::uint8_t>();
  if constexpr (requires { M::owner_type; }) report.owner_type = *rc::gen::arbitrary<std::uint8_t>();
  if constexpr (requires { M::last_market; }) report.last_market = *rc::gen::arbitrary<std::uint8_t>();
  return report;
}

Result<Inbound> read_request(const Dialect& dialect, Bytes bytes) {
  Inbound request;
  Reject refusal;
  const Result<void> read = dialect.decode_request(bytes, request, refusal);
  if (!read) return std::unexpected(read.error());
  return request;
}

template <class Of>
class EveryDialect : public ::testing::Test {};
using AllDialects = ::testing::Types<Lse212, Bit94, Lse1185>;
TYPED_TEST_SUITE(EveryDialect, AllDialects);

// Properties are plain functions: what RapidCheck compiles for one is then the same for all dialects.

TYPED_TEST(EveryDialect, reads_back_every_new_order_that_it_wrote) {
  void (*const property)() = [] {
    const market::NewOrder order = any_order<TypeParam>();
    const Result<Octets> bytes = written(TypeParam::dialect(), order);
    RC_ASSERT(bytes.has_value());
    const Result<Inbound> request = read_request(TypeParam::dialect(), *bytes);
    RC_ASSERT(request.has_value());
    RC_ASSERT(request->kind == Inbound::Kind::new_order);
    RC_ASSERT(std::memcmp(&request->new_order, &order, sizeof order) == 0);
  };
  EXPECT_TRUE(rc::check(property));
}

TYPED_TEST(EveryDialect, reads_back_every_replace_that_it_wrote) {
  void (*const property)() = [] {
    const market::Replace replace = any_replace<TypeParam>();
    const Result<Octets> bytes = written(TypeParam::dialect(), replace);
    RC_ASSERT(bytes.has_value());
    const Result<Inbound> request = read_request(TypeParam::dialect(), *bytes);
    RC_ASSERT(request.has_value());
    RC_ASSERT(request->kind == Inbound::Kind::replace);
    RC_ASSERT(std::memcmp(&request->replace, &replace, sizeof replace) == 0);
  };
  EXPECT_TRUE(rc::check(property));
}

TYPED_TEST(EveryDialect, reads_back_every_report_that_it_wrote) {
  void (*const property)() = [] {
    OwnerReport report = any_report<TypeParam>();
    const OwnerReportKind execution = report.kind;
    for (const OwnerReportKind kind :
         {execution, OwnerReportKind::request_rejected, OwnerReportKind::business_rejected}) {
      if (kind != execution) {
        const OwnerReport whole = report;
        report = {.sequence = whole.sequence,
                  .time = whole.time,
                  .order = whole.order,
                  .client_order_id = whole.client_order_id,
                  .partition = whole.partition,
                  .kind = kind,
                  .reason = market::Reason::unknown_order};
      }
      const Result<Octets> bytes = written(TypeParam::dialect(), report);
      RC_ASSERT(bytes.has_value());
      Outbound reply;
      RC_ASSERT(TypeParam::dialect().decode_reply(*bytes, reply).has_value());
      RC_ASSERT(reply.kind == Outbound::Kind::report);
      RC_ASSERT(reply.report.report == report);
    }
  };
  EXPECT_TRUE(rc::check(property));
}

/// One message of every type that the dialect writes.
template <class Of>
std::vector<Octets> samples() {
  const Dialect& dialect = Of::dialect();
  market::NewOrder order;
  order.header.instrument = 133215;
  order.terms = {.limit = {12'345'000'000},
                 .stop = {20'000},
                 .quantity = {1000},
                 .displayed = {100},
                 .side = market::Side::buy,
                 .type = market::OrderType::stop_limit,
                 .capacity = market::Capacity::dealing};
  order.labels = {.client_order_id = Text<20>::cut("ORD-1"), .clearing = 1, .executing_trader = 3};
  market::Replace replace;
  replace.header.instrument = 133215;
  replace.order = {7};
  replace.quantity = replace.displayed = {900};
  replace.side = market::Side::buy;
  replace.client_order_id = Text<20>::cut("ORD-2");
  market::Cancel cancel;
  cancel.header.instrument = 133215;
  cancel.client_order_id = Text<20>::cut("ORD-3");
  cancel.side = market::Side::sell;
  market::MassCancel mass_cancel{.client_order_id = Text<20>::cut("ORD-4")};
  mass_cancel.header.instrument = 133215;
  OwnerReport report;
  report.order = {7};
  report.kind = OwnerReportKind::traded;
  report.side = market::Side::sell;
  OwnerReport refusal = report;
  refusal.kind = OwnerReportKind::request_rejected;
  OwnerReport business = report;
  business.kind = OwnerReportKind::business_rejected;
  OwnerReport mass_report = report;
  mass_report.kind = OwnerReportKind::mass_cancelled;
  const auto of = [&dialect](auto encode) { return written(dialect, encode).value(); };
  return {of([&](Room room) { return dialect.encode_new_order(order, room); }),
          of([&](Room room) { return dialect.encode_replace(replace, room); }),
          of([&](Room room) { return dialect.encode_cancel(cancel, room); }),
          of([&](Room room) { return dialect.encode_mass_cancel(mass_cancel, room); }),
          of([&](Room room) { return dialect.encode_report(report, 0, room); }),
          of([&](Room room) { return dialect.encode_report(mass_report, 0, room); }),
          of([&](Room room) { return dialect.encode_report(refusal, 2000, room); }),
          of([&](Room room) { return dialect.encode_report(business, 9998, room); }),
          of([&](Room room) { return dialect.encode_reject({.code = 9901, .type = 'D'}, room); }),
          of([&](Room room) { return dialect.encode_logon({Text<25>::cut("U"), Text<25>::cut("P"), {}}, room); }),
          of([&](Room room) { return dialect.encode_logon_reply({.code = 0, .days = 30}, room); }),
          of([&](Room room) { return dialect.encode_logout({Text<20>::cut("bye")}, room); }),
          of([&](Room room) { return dialect.encode_heartbeat(room); })};
}

TYPED_TEST(EveryDialect, writes_the_length_of_its_table) {
  const Lengths lengths = lengths_of(TypeParam::dialect());
  for (const Octets& message : samples<TypeParam>()) {
    EXPECT_EQ(lengths.at(load_little<char>(message, 3)), message.size());
    EXPECT_EQ(load_little<std::int16_t>(message, 1), static_cast<int>(message.size()) - 3);
  }
}

TYPED_TEST(EveryDialect, refuses_messages_that_are_cut_and_lengths_that_are_not_their_types) {
  const Dialect& dialect = TypeParam::dialect();
  for (const Octets& whole : samples<TypeParam>()) {
    Inbound request;
    Outbound reply;
    Reject refusal;
    EXPECT_TRUE(dialect.decode_request(whole, request, refusal).has_value() ||
                dialect.decode_reply(whole, reply).has_value());
    for (std::size_t size = 0; size <= dialect.longest; ++size) {
      if (size == whole.size()) continue;
      Octets other = whole;  // an exact copy, so that the address sanitizer sees a read past the end
      other.resize(size);
      other.shrink_to_fit();
      if (size >= k_header_size)
        store_little(Room(other), k_length_offset, static_cast<std::int16_t>(size - k_uncounted));
      EXPECT_FALSE(dialect.decode_reply(other, reply).has_value()) << size;
      ASSERT_FALSE(dialect.decode_request(other, request, refusal).has_value()) << size;
      EXPECT_EQ(refusal.code, code::k_value_invalid);
    }
  }
}

TYPED_TEST(EveryDialect, reads_or_refuses_messages_with_any_byte_changed) {
  const Dialect& dialect = TypeParam::dialect();
  for (const Octets& whole : samples<TypeParam>()) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        Octets changed = whole;
        changed[at] = static_cast<std::byte>(value);
        Inbound request;
        Outbound reply;
        Reject refusal;
        static_cast<void>(dialect.decode_reply(changed, reply));
        if (dialect.decode_request(changed, request, refusal)) continue;
        ASSERT_TRUE(refusal.code == 9900 || refusal.code == 9901 || refusal.code == 1000) << refusal.code;
        ASSERT_FALSE(refusal.reason.is_empty());
      }
    }
  }
}

TYPED_TEST(EveryDialect, refuses_all_types_that_a_server_does_not_take) {
  const Dialect& dialect = TypeParam::dialect();
  for (unsigned type = 0; type < 256; ++type) {
    const char letter = static_cast<char>(type);
    if (std::string_view("05ADFGMq").find(letter) != std::string_view::npos) continue;
    if (letter == 'S' && HasQuotes<typename TypeParam::Tables>) continue;
    Octets message(24);
    message[0] = k_start_of_message;
    store_little(Room(message), k_length_offset, std::int16_t{21});
    message[3] = static_cast<std::byte>(type);
    Inbound request;
    Reject refusal;
    ASSERT_FALSE(dialect.decode_request(message, request, refusal).has_value());
    EXPECT_EQ(refusal.code, code::k_value_invalid);
    EXPECT_EQ(refusal.reason, Text<30>::cut("MessageType"));
  }
}

TYPED_TEST(EveryDialect, messages_of_the_recovery_channel_come_back_as_they_were) {
  const Dialect& dialect = TypeParam::dialect();
  std::byte room[64];
  Inbound request;
  Reject refusal;
  const MissedMessageRequest asked{3, {2'147'483'647}};
  const auto size = dialect.encode_missed_request(asked, Room(room));
  ASSERT_TRUE(size && dialect.decode_request(Bytes(room).first(*size), request, refusal));
  EXPECT_EQ(request.kind, Inbound::Kind::missed_messages);
  EXPECT_EQ(request.missed_messages, asked);
  for (const MissedMessageRequest& wrong : {MissedMessageRequest{0, {1}}, MissedMessageRequest{1, {0}}}) {
    const auto written = dialect.encode_missed_request(wrong, Room(room));
    ASSERT_TRUE(written);
    EXPECT_FALSE(dialect.decode_request(Bytes(room).first(*written), request, refusal));
    EXPECT_EQ(refusal.code, code::k_value_invalid);
    EXPECT_EQ(refusal.reason, Text<30>::cut(wrong.partition == 0 ? "AppID" : "LastMsgSeqNum"));
  }
  EXPECT_FALSE(dialect.encode_missed_request({1, {2'147'483'648}}, Room(room))) << "no 32 bits";
  Outbound reply;
  for (const Recovery response :
       {Recovery::good, Recovery::limit, Recovery::unknown_partition, Recovery::unavailable}) {
    const auto ack = dialect.encode_missed_ack({response}, Room(room));
    ASSERT_TRUE(ack && dialect.decode_reply(Bytes(room).first(*ack), reply));
    EXPECT_EQ(reply.missed_ack.response, response);
    const auto report = dialect.encode_missed_report({response}, Room(room));
    ASSERT_EQ(report.has_value(), response != Recovery::unknown_partition);
    if (!report) continue;
    ASSERT_TRUE(dialect.decode_reply(Bytes(room).first(*report), reply));
    EXPECT_EQ(reply.missed_report.response, response);
  }
  const SystemStatus away{2, SystemStatus::k_recovery_unavailable};
  const auto status = dialect.encode_system_status(away, Room(room));
  ASSERT_TRUE(status && dialect.decode_reply(Bytes(room).first(*status), reply));
  EXPECT_EQ(reply.system_status, away);
}

// What distinguishes them --------------------------------------------------------------------------------------------

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

/// Whether each of LSE-21.2, BIT-9.4 and LSE-11.8.5 carries it; what is not carried is an error, never cut.
template <class Record>
std::string carried(const Record& record) {
  std::string answer;
  for (const Dialect* dialect : {&lse_21_2::k_dialect, &bit_9_4::k_dialect, &lse_11_8_5::k_dialect})
    answer += written(*dialect, record) ? 'y' : 'n';
  return answer;
}

TEST(Dialects, carry_what_they_have_fields_and_numbers_for) {
  EXPECT_EQ(carried(plain_order()), "yyy");
  const auto with = [](auto change) {
    market::NewOrder order = plain_order();
    change(order.terms);
    return carried(order);
  };
  using market::OrderSubType, market::OrderTerms, market::OrderType, market::TimeInForce;
  EXPECT_EQ(with([](OrderTerms& terms) { terms.quantity = {0x8000'0000}; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.displayed = {0x8000'0000}; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.quantity = {-1}; }), "yny") << "a server would refuse it";
  EXPECT_EQ(with([](OrderTerms& terms) { terms.time_in_force = TimeInForce::good_till_cancel; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.time_in_force = TimeInForce::good_for_auction; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.time_in_force = TimeInForce::at_closing_price; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.time_in_force = TimeInForce::good_for_next_auction; }), "yny");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.type = OrderType::market_to_limit; }), "nyn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.type = OrderType::trailing_stop; }), "nnn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.sub_type = OrderSubType::pegged; }), "yny");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.sub_type = OrderSubType::offset; }), "ynn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.offset_bp = 5; }), "ynn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.peg = 1; }), "ynn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.owner_type = 1; }), "ynn");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.group = 1; }), "yny");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.passive = 99; }), "yny");
  EXPECT_EQ(with([](OrderTerms& terms) { terms.minimum = {1}; }), "yny");

  market::Replace replace;
  replace.header.instrument = 1;
  replace.quantity = {1};
  replace.side = market::Side::buy;
  EXPECT_EQ(carried(replace), "yyy");
  replace.offset_bp = 1;
  EXPECT_EQ(carried(replace), "ynn");
  replace.offset_bp = 0;
  replace.group = 1;
  EXPECT_EQ(carried(replace), "yny");

  market::MassCancel cancel{.client_order_id = Text<20>::cut("A")};
  EXPECT_EQ(carried(cancel), "yyy");
  cancel.group = 1;
  EXPECT_EQ(carried(cancel), "yny");
  cancel.group = 0;
  cancel.of = market::MassCancelOf::quotes;
  EXPECT_EQ(carried(cancel), "yyn");
  cancel.of = market::MassCancelOf::orders_and_quotes;
  EXPECT_EQ(carried(cancel), "nnn");

  market::Quote quote;
  quote.header.instrument = 1;
  quote.labels = {.client_order_id = Text<20>::cut("A"), .clearing = 1, .executing_trader = 3};
  quote.capacity = market::Capacity::dealing;
  EXPECT_EQ(carried(quote), "ynn");
  quote.time_in_force = market::TimeInForce::good_for_auction;
  EXPECT_EQ(carried(quote), "nyn");
  quote.flags = market::k_named;
  EXPECT_EQ(carried(quote), "nyn");
  quote.flags = market::k_quote;
  EXPECT_EQ(carried(quote), "nnn") << "no flag of the message";
  quote.flags = 0;
  quote.bid_size = quote.ask_size = {std::int64_t{1} << 40};
  EXPECT_EQ(carried(quote), "nyn");
  quote.labels.account = Text<10>::cut("ACC");
  EXPECT_EQ(carried(quote), "nnn");
}

TEST(Dialects, read_back_the_quote_of_an_auction_as_it_was_written) {
  market::Quote quote;
  quote.header.instrument = 133215;
  quote.bid = {9950000000};
  quote.bid_size = {std::int64_t{1} << 40};
  quote.ask = {10050000000};
  quote.ask_size = {600};
  quote.labels = {.client_order_id = Text<20>::cut("QTE-1"), .clearing = 1, .roles = 16, .executing_trader = 7};
  quote.capacity = market::Capacity::any_other;
  quote.time_in_force = market::TimeInForce::at_the_opening;
  quote.flags = market::k_auto_cancel | market::k_named;
  const Octets bytes = written(bit_9_4::k_dialect, quote).value();
  Inbound request;
  Reject refusal;
  ASSERT_TRUE(bit_9_4::k_dialect.decode_request(bytes, request, refusal)) << refusal.reason.view();
  ASSERT_EQ(request.kind, Inbound::Kind::quote);
  EXPECT_EQ(std::memcmp(&request.quote, &quote, sizeof quote), 0);
  EXPECT_FALSE(lse_11_8_5::k_dialect.decode_request(bytes, request, refusal));
  EXPECT_EQ(refusal.reason.view(), "MessageType") << "that dialect has no quotes";
}

TEST(Dialects, count_the_parts_of_a_second_each_in_its_own_unit) {
  OwnerReport report;
  report.kind = OwnerReportKind::accepted;
  report.time = time::from_nanoseconds(1'784'548'800'123'456'789);
  const auto word = [&report](const Dialect& dialect, std::size_t offset) {
    return load_little<std::uint32_t>(written(dialect, report).value(), offset + 4);
  };
  EXPECT_EQ(word(lse_21_2::k_dialect, 127), 123'456'789u);
  EXPECT_EQ(word(lse_11_8_5::k_dialect, 127), 123'456u);
  EXPECT_EQ(word(bit_9_4::k_dialect, 139), 123'456u);

  // A fraction of a second or more is refused by each.
  Octets bytes = written(bit_9_4::k_dialect, report).value();
  store_little(Room(bytes), 143, std::uint32_t{999'999});
  Outbound reply;
  EXPECT_TRUE(bit_9_4::k_dialect.decode_reply(bytes, reply).has_value());
  store_little(Room(bytes), 143, std::uint32_t{1'000'000});
  EXPECT_EQ(bit_9_4::k_dialect.decode_reply(bytes, reply).error().offset, 139u);
}

TEST(Bit94, writes_its_fields_where_its_table_has_them) {
  market::NewOrder order = plain_order();
  order.header.instrument = 133215;
  order.terms.quantity = {0x1'0000'0002};
  order.terms.displayed = {0x1'0000'0001};
  order.terms.limit = {12'345'000'000};
  order.terms.time_in_force = market::TimeInForce::good_till_cancel;
  order.labels.client = 2;
  const Octets bytes = written(bit_9_4::k_dialect, order).value();
  ASSERT_EQ(bytes.size(), 118u);
  EXPECT_EQ(load_little<char>(bytes, 3), 'D');
  EXPECT_EQ(load_little<std::int32_t>(bytes, 46), 133215);
  EXPECT_EQ(load_little<std::uint8_t>(bytes, 53), 1);
  EXPECT_EQ(load_little<std::uint64_t>(bytes, 59), 0x1'0000'0002u);
  EXPECT_EQ(load_little<std::uint64_t>(bytes, 67), 0x1'0000'0001u);
  EXPECT_EQ(load_little<std::int64_t>(bytes, 75), 12'345'000'000);
  EXPECT_EQ(load_little<std::uint8_t>(bytes, 83), 2) << "Capacity";
  EXPECT_EQ(load_little<std::uint8_t>(bytes, 105), 1) << "OrderSource has no neutral value";
  EXPECT_EQ(load_little<std::uint32_t>(bytes, 106), 2u);
  EXPECT_EQ(load_little<std::uint32_t>(bytes, 114), 3u);
}

TEST(Bit94, says_with_the_status_that_an_order_is_parked) {
  OwnerReport report;
  report.order = {7};
  report.kind = OwnerReportKind::suspended;
  report.status = market::OrderStatus::suspended;
  report.side = market::Side::sell;
  const Result<Octets> bytes = written(Bit94::dialect(), report);
  ASSERT_TRUE(bytes.has_value());
  Outbound reply;
  ASSERT_TRUE(Bit94::dialect().decode_reply(*bytes, reply).has_value());
  EXPECT_EQ(reply.report.report.kind, OwnerReportKind::accepted);
  EXPECT_EQ(reply.report.report.status, market::OrderStatus::suspended);
  auto wrong = *bytes;
  store(Room(wrong), bit_9_4::ExecutionReport::exec_type, '9');
  EXPECT_FALSE(Bit94::dialect().decode_reply(wrong, reply).has_value());
}

TEST(Bit94, refuses_values_beyond_its_tables) {
  const Octets plain = written(bit_9_4::k_dialect, plain_order()).value();
  const auto refusal_of = [&plain](std::size_t offset, std::uint8_t value) {
    Octets bytes = plain;
    bytes[offset] = static_cast<std::byte>(value);
    Inbound request;
    Reject refusal;
    return bit_9_4::k_dialect.decode_request(bytes, request, refusal) ? std::string()
                                                                      : std::string(refusal.reason.view());
  };
  EXPECT_EQ(refusal_of(105, 7), "");
  EXPECT_EQ(refusal_of(105, 2), "OrderSource");
  EXPECT_EQ(refusal_of(52, 6), "OrderType") << "an unpriced limit order has no neutral value";
  EXPECT_EQ(refusal_of(53, 50), "TIF");
  EXPECT_EQ(refusal_of(85, 55), "OrderSubType");
  EXPECT_EQ(refusal_of(66, 0x80), "OrderQty") << "beyond 63 bits";
}

}  // namespace
}  // namespace dojima::mit
