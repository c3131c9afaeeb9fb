#include "dojima/mit/dialects/known_answers_test.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

using lse_21_2::k_dialect;
using Octets = std::vector<std::byte>;

const MessageLayout& layout_of_type(char type) {
  const auto layouts = k_dialect.layouts;
  const auto found =
      std::find_if(layouts.begin(), layouts.end(), [&](const MessageLayout& layout) { return layout.type == type; });
  if (found == layouts.end()) throw std::out_of_range("a type without a table");
  return *found;
}

const FieldInfo& field_of_name(const MessageLayout& layout, std::string_view name) {
  const auto found = std::find_if(layout.fields.begin(), layout.fields.end(),
                                  [&](const FieldInfo& field) { return field.name == name; });
  if (found == layout.fields.end()) throw std::out_of_range(std::string(name));
  return *found;
}

/// A message written from nothing but the table of its layout.
Octets compose(char type, const std::vector<KnownField>& fields) {
  const MessageLayout& layout = layout_of_type(type);
  Octets message(layout.size);
  message[0] = k_start_of_message;
  store_little(Room(message), 1, static_cast<std::int16_t>(layout.size - 3));
  store_little(Room(message), 3, type);
  for (const KnownField& known : fields) {
    const FieldInfo& field = field_of_name(layout, known.name);
    if (field.type == Wire::text || field.type == Wire::alpha) {
      if (known.value.size() > field.width) throw std::length_error(std::string(known.name));
      std::memcpy(message.data() + field.offset, known.value.data(), known.value.size());
    } else {
      std::int64_t number = 0;
      std::from_chars(known.value.data(), known.value.data() + known.value.size(), number);
      std::memcpy(message.data() + field.offset, &number, field.width);
    }
  }
  return message;
}

TEST(KnownAnswers, are_what_the_layout_tables_write) {
  for (const KnownAnswer& answer : known_answers()) {
    EXPECT_EQ(compose(answer.type, answer.fields), bytes_of(answer.hex)) << answer.name;
  }
}

const KnownAnswer& answer_named(std::string_view name) {
  for (const KnownAnswer& answer : known_answers()) {
    if (answer.name.starts_with(name)) return answer;
  }
  throw std::out_of_range(std::string(name));
}

Octets known(std::string_view name) {
  return bytes_of(answer_named(name).hex);
}

/// The same message with its ids in base 62 at the full twelve characters, which is how we write them.
Octets known_with_full_ids(std::string_view name) {
  KnownAnswer answer = answer_named(name);
  std::array<char, k_order_id_width> id;
  for (KnownField& field : answer.fields) {
    if (field.value != "01hbIXLE8st") continue;
    EXPECT_TRUE(format_base62(23057063777141547u, id));
    field.value = {id.data(), id.size()};
  }
  return compose(answer.type, answer.fields);
}

template <class Encode>
Octets written(Encode encode) {
  Octets room(k_dialect.longest, std::byte{0xcc});
  const Result<std::size_t> size = encode(Room(room));
  if (!size) return {};
  room.resize(*size);
  return room;
}

Inbound request_in(const Octets& bytes) {
  Inbound request;
  Reject refusal;
  const Result<void> read = k_dialect.decode_request(bytes, request, refusal);
  EXPECT_TRUE(read) << as_text(as_bytes(refusal.reason.view()));
  return request;
}

Outbound reply_in(const Octets& bytes) {
  Outbound reply;
  EXPECT_TRUE(k_dialect.decode_reply(bytes, reply));
  return reply;
}

constexpr std::int64_t k_noon = 1784548800;  // 2026-07-20T12:00:00Z

time::Time at(std::int64_t seconds, std::int64_t nanoseconds) {
  return time::from_nanoseconds(seconds * 1'000'000'000 + nanoseconds);
}

TEST(KnownAnswers, logon_both_ways) {
  const Logon logon{Text<25>::cut("DOJIMA01"), Text<25>::cut("Secret#2026"), {}};
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_logon(logon, room); }), known("Logon"));
  const Inbound request = request_in(known("Logon"));
  ASSERT_EQ(request.kind, Inbound::Kind::logon);
  EXPECT_EQ(request.logon, logon);
}

TEST(KnownAnswers, logon_reply_both_ways) {
  const LogonReply reply{.code = 0, .days = 30};
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_logon_reply(reply, room); }), known("Logon reply"));
  const Outbound read = reply_in(known("Logon reply"));
  ASSERT_EQ(read.kind, Outbound::Kind::logon_reply);
  EXPECT_EQ(read.logon_reply, reply);
}

TEST(KnownAnswers, logout_both_ways_on_both_sides) {
  const Logout logout{Text<20>::cut("end of day")};
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_logout(logout, room); }), known("Logout"));
  EXPECT_EQ(request_in(known("Logout")).logout, logout);
  EXPECT_EQ(reply_in(known("Logout")).logout, logout);
}

TEST(KnownAnswers, heartbeat_both_ways_on_both_sides) {
  EXPECT_EQ(written([](Room room) { return k_dialect.encode_heartbeat(room); }), known("Heartbeat"));
  EXPECT_EQ(request_in(known("Heartbeat")).kind, Inbound::Kind::heartbeat);
  EXPECT_EQ(reply_in(known("Heartbeat")).kind, Outbound::Kind::heartbeat);
}

TEST(KnownAnswers, reject_both_ways) {
  const Reject reject{9901, Text<30>::cut("OrderQty"), 'D', Text<20>::cut("C0000000000000000001")};
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_reject(reject, room); }), known("Reject"));
  const Outbound read = reply_in(known("Reject"));
  ASSERT_EQ(read.kind, Outbound::Kind::reject);
  EXPECT_EQ(read.reject, reject);
}

TEST(KnownAnswers, system_status_read) {
  const Outbound read = reply_in(known("System status"));
  ASSERT_EQ(read.kind, Outbound::Kind::system_status);
  EXPECT_EQ(read.system_status, (SystemStatus{2, 1}));
}

market::NewOrder limit_order() {
  market::NewOrder order;
  order.header.instrument = 133215;
  order.terms = {.limit = {12345000000},
                 .quantity = {1000},
                 .displayed = {1000},
                 .side = market::Side::buy,
                 .type = market::OrderType::limit,
                 .capacity = market::Capacity::dealing,
                 .flags = market::k_auto_cancel};
  order.labels = {.client_order_id = Text<20>::cut("ORD-1"),
                  .account = Text<10>::cut("ACC1"),
                  .trader = Text<11>::cut("TRD1"),
                  .clearing = 1,
                  .mifid = 4,
                  .roles = 45,
                  .client = 1001,
                  .decision_maker = 1002,
                  .executing_trader = 1003};
  return order;
}

market::NewOrder iceberg_order() {
  market::NewOrder order;
  order.header.instrument = 133215;
  order.terms = {.limit = {10000},
                 .stop = {20000},
                 .quantity = {2147483647},
                 .displayed = {100},
                 .expiry = at(k_noon, 0),
                 .group = 7,
                 .side = market::Side::sell,
                 .type = market::OrderType::stop_limit,
                 .time_in_force = market::TimeInForce::good_till_date,
                 .sub_type = market::OrderSubType::random_peak,
                 .capacity = market::Capacity::any_other,
                 .flags = market::k_named};
  order.labels = {.client_order_id = Text<20>::cut("ORD-2"), .clearing = 3, .roles = 48, .executing_trader = 4};
  return order;
}

TEST(KnownAnswers, new_orders_both_ways) {
  for (const auto& [name, order] : {std::pair{"New limit order", limit_order()}, {"New stop limit", iceberg_order()}}) {
    EXPECT_EQ(written([&](Room room) { return k_dialect.encode_new_order(order, room); }), known(name)) << name;
    const Inbound request = request_in(known(name));
    ASSERT_EQ(request.kind, Inbound::Kind::new_order);
    EXPECT_EQ(std::memcmp(&request.new_order, &order, sizeof order), 0) << name;
  }
}

TEST(KnownAnswers, cancel_replace_both_ways) {
  market::Replace replace;
  replace.header.instrument = 133215;
  replace.limit = {12350000000};
  replace.stop = {-100000000};
  replace.quantity = {900};
  replace.displayed = {900};
  replace.side = market::Side::buy;
  replace.client_order_id = Text<20>::cut("ORD-3");
  replace.original_client_order_id = Text<20>::cut("ORD-1");
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_replace(replace, room); }), known("Cancel/replace"));
  const Inbound request = request_in(known("Cancel/replace"));
  ASSERT_EQ(request.kind, Inbound::Kind::replace);
  EXPECT_EQ(std::memcmp(&request.replace, &replace, sizeof replace), 0);
}

TEST(KnownAnswers, cancel_by_order_id_both_ways) {
  market::Cancel cancel;
  cancel.header.instrument = 133215;
  cancel.order = {23057063777141547u};
  cancel.client_order_id = Text<20>::cut("ORD-4");
  cancel.side = market::Side::buy;
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_cancel(cancel, room); }),
            known_with_full_ids("Cancel by order id"));
  for (const Octets& bytes : {known("Cancel by order id"), known_with_full_ids("Cancel by order id")}) {
    const Inbound request = request_in(bytes);
    ASSERT_EQ(request.kind, Inbound::Kind::cancel);
    EXPECT_EQ(std::memcmp(&request.cancel, &cancel, sizeof cancel), 0);
  }
}

TEST(KnownAnswers, mass_cancel_both_ways) {
  market::MassCancel cancel;
  cancel.header.instrument = 133215;
  cancel.client_order_id = Text<20>::cut("MC-1");
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_mass_cancel(cancel, room); }), known("Mass cancel, own"));
  const Inbound request = request_in(known("Mass cancel, own"));
  ASSERT_EQ(request.kind, Inbound::Kind::mass_cancel);
  EXPECT_EQ(std::memcmp(&request.mass_cancel, &cancel, sizeof cancel), 0);
}

TEST(KnownAnswers, new_quote_both_ways) {
  market::Quote quote;
  quote.header.instrument = 133215;
  quote.bid = {9950000000};
  quote.bid_size = {500};
  quote.ask = {10050000000};
  quote.ask_size = {600};
  quote.labels = {.client_order_id = Text<20>::cut("QTE-1"),
                  .trader = Text<11>::cut("TRD1"),
                  .clearing = 3,
                  .mifid = 2,
                  .executing_trader = 3};
  quote.capacity = market::Capacity::dealing;
  quote.flags = market::k_auto_cancel;
  EXPECT_EQ(written([&](Room room) { return k_dialect.encode_quote(quote, room); }), known("New quote"));
  const Inbound request = request_in(known("New quote"));
  ASSERT_EQ(request.kind, Inbound::Kind::quote);
  EXPECT_EQ(std::memcmp(&request.quote, &quote, sizeof quote), 0);
}

market::OwnerReport new_report() {
  market::OwnerReport report;
  report.partition = 1;
  report.sequence = {42};
  report.execution = parse_base62("0000000000E1").value();
  report.client_order_id = Text<20>::cut("ORD-1");
  report.order = report.public_order = {23057063777141547u};
  report.kind = market::OwnerReportKind::accepted;
  report.leaves = report.displayed = {1000};
  report.instrument = 133215;
  report.side = market::Side::buy;
  report.time = at(k_noon, 123456789);
  report.capacity = market::Capacity::dealing;
  return report;
}

market::OwnerReport fill_report() {
  market::OwnerReport report = new_report();
  report.sequence = {43};
  report.execution = parse_base62("0000000000E2").value();
  report.kind = market::OwnerReportKind::traded;
  report.status = market::OrderStatus::partially_filled;
  report.price = {12340000000};
  report.quantity = {400};
  report.leaves = report.displayed = {600};
  report.counterparty = Text<11>::cut("CCP01");
  report.liquidity = 'A';
  report.trade = 1338498875692u;
  report.time = at(k_noon + 1, 999999999);
  report.last_market = 21;
  return report;
}

market::OwnerReport rejected_report() {
  market::OwnerReport report;
  report.partition = 1;
  report.sequence = {44};
  report.execution = parse_base62("0000000000E3").value();
  report.client_order_id = Text<20>::cut("ORD-9");
  report.kind = market::OwnerReportKind::rejected;
  report.status = market::OrderStatus::rejected;
  report.reason = market::Reason::unknown_user;
  report.instrument = 133215;
  report.side = market::Side::sell;
  report.time = at(k_noon + 2, 1);
  return report;
}

market::OwnerReport cancel_reject_report() {
  market::OwnerReport report;
  report.partition = 1;
  report.sequence = {45};
  report.kind = market::OwnerReportKind::request_rejected;
  report.client_order_id = Text<20>::cut("ORD-5");
  report.time = at(k_noon + 3, 0);
  return report;
}

market::OwnerReport business_reject_report() {
  market::OwnerReport report;
  report.kind = market::OwnerReportKind::business_rejected;
  report.client_order_id = Text<20>::cut("ORD-6");
  return report;
}

market::OwnerReport mass_cancel_report() {
  market::OwnerReport report;
  report.partition = 1;
  report.sequence = {46};
  report.kind = market::OwnerReportKind::mass_cancelled;
  report.client_order_id = Text<20>::cut("MC-1");
  report.time = at(k_noon + 4, 5);
  return report;
}

struct ReportCase {
  const char* name;
  market::OwnerReport report;
  std::int32_t code;
};

TEST(KnownAnswers, reports_both_ways) {
  const ReportCase cases[] = {{"Execution report: new", new_report(), 0},
                              {"Execution report: partial", fill_report(), 0},
                              {"Execution report: rejected", rejected_report(), 9100},
                              {"Order cancel reject", cancel_reject_report(), 2000},
                              {"Mass cancel report", mass_cancel_report(), 0},
                              {"Business reject", business_reject_report(), 9998}};
  for (const ReportCase& c : cases) {
    EXPECT_EQ(written([&](Room room) { return k_dialect.encode_report(c.report, c.code, room); }),
              known_with_full_ids(c.name))
        << c.name;
    for (const Octets& bytes : {known(c.name), known_with_full_ids(c.name)}) {
      const Outbound read = reply_in(bytes);
      ASSERT_EQ(read.kind, Outbound::Kind::report) << c.name;
      EXPECT_EQ(read.report.report, c.report) << c.name;
      EXPECT_EQ(read.report.code, c.code) << c.name;
    }
  }
}

/// Every message as its receiver would read it.
bool is_readable(Bytes message) {
  Inbound request;
  Outbound reply;
  Reject refusal;
  return k_dialect.decode_request(message, request, refusal).has_value() ||
         k_dialect.decode_reply(message, reply).has_value();
}

TEST(KnownAnswers, cut_at_any_byte_are_refused) {
  for (const KnownAnswer& answer : known_answers()) {
    const Octets whole = bytes_of(answer.hex);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // An exact copy, so that the address sanitizer sees a read past the end.
      const Octets part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(is_readable(part)) << answer.name << " cut to " << size;
    }
  }
}

TEST(KnownAnswers, with_any_byte_changed_to_any_value_are_read_or_refused_with_a_code) {
  for (const KnownAnswer& answer : known_answers()) {
    const Octets whole = bytes_of(answer.hex);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        Octets changed = whole;
        changed[at] = static_cast<std::byte>(value);
        Inbound request;
        Outbound reply;
        Reject refusal;
        static_cast<void>(k_dialect.decode_reply(changed, reply));
        if (k_dialect.decode_request(changed, request, refusal)) continue;
        ASSERT_TRUE(refusal.code == 9900 || refusal.code == 9901 || refusal.code == 1000) << refusal.code;
        ASSERT_FALSE(refusal.reason.is_empty());
      }
    }
  }
}

}  // namespace
}  // namespace dojima::mit
