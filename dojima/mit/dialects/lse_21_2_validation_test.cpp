// Every validation rule of the gateway, broken one at a time in a message that is right otherwise.

#include <cstring>
#include <gtest/gtest.h>
#include <string>

#include "dojima/mit/dialects/known_answers_test.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit::lse_21_2 {
namespace {

using Octets = std::vector<std::byte>;
using D = NewOrder;
using F = OrderCancelRequest;
using G = OrderCancelReplaceRequest;
using Q = OrderMassCancelRequest;
using S = NewQuote;

Octets known(std::size_t number) {
  return bytes_of(known_answers()[number].hex);
}
Octets good_logon() {
  return known(0);
}
Octets good_order() {
  return known(9);
}  // limit, buy
Octets good_stop_limit() {
  return known(10);
}  // good till date, sell, iceberg
Octets good_replace() {
  return known(12);
}
Octets good_cancel() {
  return known(13);
}
Octets good_quote() {
  market::Quote quote;
  quote.header.instrument = 133215;
  quote.bid = {9950000000};
  quote.bid_size = {500};
  quote.ask = {10050000000};
  quote.ask_size = {600};
  quote.labels = {.client_order_id = Text<20>::cut("QTE-1"), .clearing = 1, .executing_trader = 3};
  quote.capacity = market::Capacity::dealing;
  Octets room(81);
  EXPECT_TRUE(k_dialect.encode_quote(quote, Room(room)));
  return room;
}

Octets good_mass_cancel() {
  return known(14);
}  // of one instrument

template <class Field, class T>
Octets with(Octets message, Field field, T value) {
  store(Room(message), field, static_cast<typename Field::Value>(value));
  return message;
}

template <std::size_t Width>
Octets with_text(Octets message, TextField<Width> field, std::string_view text) {
  store(Room(message), field, Text<Width>::cut(text));
  return message;
}

struct Answer {
  std::int32_t code = 0;
  std::string field;
  char type = '\0';
  std::string id;
  friend bool operator==(const Answer&, const Answer&) = default;
  friend void PrintTo(const Answer& answer, std::ostream* out) {
    *out << answer.code << ' ' << answer.field << " type " << answer.type << " id '" << answer.id << '\'';
  }
};

/// What the server says to a message; code 0: accepted.
Answer answer_to(const Octets& message) {
  Inbound request;
  mit::Reject refusal;
  if (k_dialect.decode_request(message, request, refusal)) return {};
  EXPECT_EQ(request.kind, Inbound::Kind::none) << "a refused request means nothing";
  return {refusal.code, std::string(refusal.reason.view()), refusal.type, std::string(refusal.client_order_id.view())};
}

const Answer k_accepted{};

Answer invalid(const char* field, const char* id = "ORD-1") {
  return {9901, field, 'D', id};
}

TEST(Validation, accepts_the_right_messages) {
  for (const Octets& message :
       {good_logon(), good_order(), good_stop_limit(), good_replace(), good_cancel(), good_mass_cancel()})
    EXPECT_EQ(answer_to(message), k_accepted);
}

TEST(Validation, refuses_every_unknown_type) {
  const std::string_view offered = "05ADFGMSq";
  for (int type = 0; type < 256; ++type) {
    const char character = static_cast<char>(type);
    if (offered.find(character) != std::string_view::npos) continue;
    for (const std::size_t size : {4u, 73u, 184u}) {
      Octets message(size);
      message[0] = k_start_of_message;
      store_little(Room(message), 1, static_cast<std::int16_t>(size - 3));
      store_little(Room(message), 3, character);
      EXPECT_EQ(answer_to(message), (Answer{9901, "MessageType", character, ""})) << type;
    }
  }
}

TEST(Validation, refuses_every_wrong_length_of_every_type) {
  for (const char type : {'0', '5', 'A', 'D', 'F', 'G', 'q'}) {
    std::size_t exact = 0;
    for (const MessageLayout& layout : k_layouts) exact = layout.type == type ? layout.size : exact;
    for (std::size_t size = 4; size <= 184; ++size) {
      if (size == exact) continue;
      Octets message(size);
      message[0] = k_start_of_message;
      store_little(Room(message), 1, static_cast<std::int16_t>(size - 3));
      store_little(Room(message), 3, type);
      EXPECT_EQ(answer_to(message), (Answer{9901, "MessageLength", type, ""})) << type << ' ' << size;
    }
  }
}

TEST(Validation, refuses_a_header_that_contradicts_the_bytes) {
  Octets message = good_order();
  message[0] = std::byte{3};
  EXPECT_EQ(answer_to(message), (Answer{9901, "StartOfMessage", '\0', ""}));
  message = good_order();
  message.pop_back();
  EXPECT_EQ(answer_to(message), (Answer{9901, "MessageLength", '\0', ""}));
}

TEST(Validation, of_a_logon_wants_user_password_and_version) {
  const auto refused = [](std::int32_t code, const char* field) { return Answer{code, field, 'A', ""}; };
  EXPECT_EQ(answer_to(with_text(good_logon(), Logon::user_name, "")), refused(9900, "UserName"));
  EXPECT_EQ(answer_to(with_text(good_logon(), Logon::user_name, "caf\xe9")), refused(9901, "UserName"));
  EXPECT_EQ(answer_to(with_text(good_logon(), Logon::password, "")), refused(9900, "Password"));
  EXPECT_EQ(answer_to(with_text(good_logon(), Logon::password, "\xff")), refused(9901, "Password"));
  EXPECT_EQ(answer_to(with_text(good_logon(), Logon::new_password, "\x80")), refused(9901, "NewPassword"));
  for (const int version : {0, 2, 255})
    EXPECT_EQ(answer_to(with(good_logon(), Logon::message_version, version)), refused(9901, "MessageVersion"));
}

TEST(Validation, of_a_logout_wants_ascii) {
  EXPECT_EQ(answer_to(with_text(known(2), Logout::reason, "\x80")), (Answer{9901, "Reason", '5', ""}));
}

TEST(Validation, wants_a_client_order_id_in_orders_replaces_and_cancels) {
  EXPECT_EQ(answer_to(with_text(good_order(), D::client_order_id, "")), (Answer{9900, "ClientOrderID", 'D', ""}));
  EXPECT_EQ(answer_to(with_text(good_replace(), G::client_order_id, "")), (Answer{9900, "ClientOrderID", 'G', ""}));
  EXPECT_EQ(answer_to(with_text(good_cancel(), F::client_order_id, "")), (Answer{9900, "ClientOrderID", 'F', ""}));
}

TEST(Validation, holds_client_order_ids_and_accounts_to_their_characters) {
  for (int value = 1; value < 256; ++value) {
    const char c = static_cast<char>(value);
    const bool is_allowed = value >= 32 && value <= 126 && c != '#' && c != '/' && c != ';' && c != '\\';
    const std::string text{'A', c};
    EXPECT_EQ(answer_to(with_text(good_order(), D::client_order_id, text)),
              is_allowed ? k_accepted : (Answer{9901, "ClientOrderID", 'D', ""}))
        << value;
    EXPECT_EQ(answer_to(with_text(good_order(), D::account, text)), is_allowed ? k_accepted : invalid("Account"))
        << value;
  }
}

TEST(Validation, holds_other_text_to_seven_bits_in_the_whole_field) {
  EXPECT_EQ(answer_to(with_text(good_order(), D::trader_id, "a/b;\x01")), k_accepted);
  EXPECT_EQ(answer_to(with_text(good_order(), D::trader_id, "\x80")), invalid("TraderID"));
  Octets behind_the_null = good_order();
  behind_the_null[D::trader_id.offset + 10] = std::byte{0x80};
  EXPECT_EQ(answer_to(behind_the_null), invalid("TraderID"));
  EXPECT_EQ(answer_to(with_text(good_replace(), G::original_client_order_id, "\x80")),
            (Answer{9901, "OriginalClientOrderID", 'G', "ORD-3"}));
  EXPECT_EQ(answer_to(with_text(good_cancel(), F::original_client_order_id, "\x80")),
            (Answer{9901, "OriginalClientOrderID", 'F', "ORD-4"}));
}

/// Which of the values 0 to 255 a field of one byte accepts.
template <class Field>
std::vector<int> accepted_values(const Octets& message, Field field, const char* name) {
  std::vector<int> values;
  for (int value = 0; value < 256; ++value) {
    const Answer answer = answer_to(with(message, field, value));
    if (answer == k_accepted) {
      values.push_back(value);
    } else {
      EXPECT_EQ(answer.code, 9901) << value;
      EXPECT_EQ(answer.field, name) << value;
      EXPECT_FALSE(answer.id.empty()) << "the id was read before";
    }
  }
  return values;
}

using Values = std::vector<int>;

TEST(Validation, accepts_exactly_the_values_of_the_tables_in_a_new_order) {
  const Octets order = good_stop_limit();
  EXPECT_EQ(accepted_values(order, D::clearing_account, "ClearingAccount"), (Values{1, 3}));
  EXPECT_EQ(accepted_values(order, D::order_type, "OrderType"), (Values{1, 2, 3, 4}));
  EXPECT_EQ(accepted_values(order, D::tif, "TIF"), (Values{0, 3, 4, 5, 6, 8, 10, 12, 50, 51, 52, 54, 55}));
  EXPECT_EQ(accepted_values(order, D::side, "Side"), (Values{1, 2}));
  EXPECT_EQ(accepted_values(order, D::capacity, "Capacity"), (Values{1, 2, 3}));
  EXPECT_EQ(accepted_values(order, D::auto_cancel, "AutoCancel"), (Values{0, 1}));
  EXPECT_EQ(accepted_values(order, D::order_sub_type, "OrderSubType"), (Values{0, 5, 51, 55}));
  EXPECT_EQ(accepted_values(order, D::anonymity, "Anonymity"), (Values{0, 1}));
  EXPECT_EQ(accepted_values(order, D::passive_only_order, "PassiveOnlyOrder"), (Values{0, 1, 2, 3, 99, 100}));
  EXPECT_EQ(accepted_values(order, D::mifid_flags, "MiFIDFlags"), (Values{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(accepted_values(order, D::owner_type, "OwnerType"), (Values{0, 1, 2}));
  EXPECT_EQ(accepted_values(order, D::group_id, "GroupID").size(), 256u);
}

TEST(Validation, accepts_exactly_the_values_of_the_tables_in_replaces_and_cancels) {
  EXPECT_EQ(accepted_values(good_replace(), G::side, "Side"), (Values{1, 2}));
  EXPECT_EQ(accepted_values(good_replace(), G::passive_only_order, "PassiveOnlyOrder"), (Values{0, 1, 2, 3, 99, 100}));
  EXPECT_EQ(accepted_values(good_replace(), G::reserved_2, "Reserved2"), (Values{0}));
  EXPECT_EQ(accepted_values(good_replace(), G::reserved_3, "Reserved3"), (Values{0}));
  EXPECT_EQ(accepted_values(good_cancel(), F::side, "Side"), (Values{1, 2}));
}

TEST(Validation, ignores_reserved_bytes) {
  Octets order = good_order(), cancel = good_cancel(), replace = good_replace();
  std::memset(order.data() + D::reserved.offset, 0xff, 14);
  std::memset(cancel.data() + F::reserved_1.offset, 0xff, 2);
  std::memset(replace.data() + G::reserved.offset, 0xff, 5);
  for (const Octets& message : {order, cancel, replace}) EXPECT_EQ(answer_to(message), k_accepted);
}

TEST(Validation, wants_a_positive_instrument) {
  for (const std::int32_t id : {0, -1, std::numeric_limits<std::int32_t>::min()}) {
    EXPECT_EQ(answer_to(with(good_order(), D::instrument_id, id)), invalid("InstrumentID"));
    EXPECT_EQ(answer_to(with(good_replace(), G::instrument_id, id)), (Answer{9901, "InstrumentID", 'G', "ORD-3"}));
    EXPECT_EQ(answer_to(with(good_cancel(), F::instrument_id, id)), (Answer{9901, "InstrumentID", 'F', "ORD-4"}));
  }
}

TEST(Validation, wants_quantities_and_has_a_code_of_its_own_for_replaces) {
  for (const std::int32_t quantity : {0, -1}) {
    EXPECT_EQ(answer_to(with(good_order(), D::order_qty, quantity)), invalid("OrderQty"));
    EXPECT_EQ(answer_to(with(good_replace(), G::order_qty, quantity)), (Answer{1000, "OrderQty", 'G', "ORD-3"}));
  }
  EXPECT_EQ(answer_to(with(good_order(), D::display_qty, 0)), k_accepted);
  EXPECT_EQ(answer_to(with(good_order(), D::display_qty, -1)), invalid("DisplayQty"));
  EXPECT_EQ(answer_to(with(good_replace(), G::display_qty, -1)), (Answer{9901, "DisplayQty", 'G', "ORD-3"}));
  EXPECT_EQ(answer_to(with(good_replace(), G::minimum_quantity, -1)), (Answer{9901, "MinimumQuantity", 'G', "ORD-3"}));
}

TEST(Validation, leaves_a_display_quantity_above_the_order_to_the_venue) {
  EXPECT_EQ(answer_to(with(good_order(), D::display_qty, 1001)), k_accepted);
}

TEST(Validation, wants_a_limit_price_in_limit_orders_only) {
  for (const int type : {1, 2, 3, 4}) {
    const Octets order = with(good_stop_limit(), D::order_type, type);
    for (const std::int64_t price : {std::int64_t{0}, std::int64_t{-1}}) {
      const bool is_limit = type == 2 || type == 4;
      EXPECT_EQ(answer_to(with(order, D::limit_price, price)), is_limit ? invalid("LimitPrice", "ORD-2") : k_accepted)
          << type;
    }
  }
}

TEST(Validation, lets_offset_orders_go_without_a_limit_price_but_not_below_zero) {
  const Octets offset = with(good_order(), D::order_sub_type, 55);
  EXPECT_EQ(answer_to(with(offset, D::limit_price, 0)), k_accepted);
  EXPECT_EQ(answer_to(with(offset, D::limit_price, -1)), invalid("LimitPrice"));
}

TEST(Validation, wants_a_stop_price_in_stop_orders_only) {
  for (const int type : {1, 2, 3, 4}) {
    const Octets order = with(good_stop_limit(), D::order_type, type);
    const bool is_stop = type == 3 || type == 4;
    for (const std::int64_t price : {std::int64_t{0}, std::int64_t{-1}})
      EXPECT_EQ(answer_to(with(order, D::stop_price, price)), is_stop ? invalid("StopPrice", "ORD-2") : k_accepted);
  }
}

TEST(Validation, checks_fields_of_pegged_orders_only_there) {
  const Octets plain = good_order(), pegged = with(good_order(), D::order_sub_type, 5);
  EXPECT_EQ(answer_to(with(plain, D::minimum_quantity, -1)), k_accepted);
  EXPECT_EQ(answer_to(with(pegged, D::minimum_quantity, -1)), invalid("MinimumQuantity"));
  EXPECT_EQ(answer_to(with(plain, D::pegged_exec_inst, 3)), k_accepted);
  EXPECT_EQ(accepted_values(pegged, D::pegged_exec_inst, "PeggedExecInst"), (Values{0, 1, 2}));
}

TEST(Validation, knows_the_reserved_numbers_of_the_parties) {
  const auto accepted = [](auto field) {
    Values values;
    for (int id = 0; id < 6; ++id) {
      if (answer_to(with(good_order(), field, id)) == k_accepted) values.push_back(id);
    }
    return values;
  };
  EXPECT_EQ(accepted(D::client_id), (Values{0, 1, 2, 4, 5}));
  EXPECT_EQ(accepted(D::investment_decision_maker), (Values{0, 4, 5}));
  EXPECT_EQ(accepted(D::executing_trader), (Values{3, 4, 5}));
  EXPECT_EQ(answer_to(with(good_order(), D::client_id, 3)), invalid("ClientID"));
  EXPECT_EQ(answer_to(with(good_order(), D::investment_decision_maker, 1)), invalid("InvestmentDecisionMaker"));
  EXPECT_EQ(answer_to(with(good_order(), D::executing_trader, 0)), invalid("ExecutingTrader"));
}

TEST(Validation, wants_a_qualifier_for_every_short_code) {
  const int client = 0x03, decision_maker = 0x0c, trader = 0x30;
  for (const int missing : {client, decision_maker, trader}) {
    EXPECT_EQ(answer_to(with(good_order(), D::party_role_qualifiers, 0x3f & ~missing)), invalid("PartyRoleQualifiers"));
  }
  // Reserved numbers need none.
  Octets order = with(with(good_order(), D::client_id, 0), D::investment_decision_maker, 0);
  order = with(with(order, D::executing_trader, 3), D::party_role_qualifiers, 0);
  EXPECT_EQ(answer_to(order), k_accepted);
  for (const int high : {0x40, 0x80})
    EXPECT_EQ(answer_to(with(good_order(), D::party_role_qualifiers, 0x2d | high)), invalid("PartyRoleQualifiers"));
}

TEST(Validation, wants_order_ids_in_base_62) {
  EXPECT_EQ(answer_to(with_text(good_cancel(), F::order_id, "no-such-id")), (Answer{9901, "OrderID", 'F', "ORD-4"}));
  EXPECT_EQ(answer_to(with_text(good_replace(), G::order_id, "zzzzzzzzzzzz")), (Answer{9901, "OrderID", 'G', "ORD-3"}));
  EXPECT_EQ(answer_to(with_text(good_cancel(), F::order_id, "")), k_accepted);
}

TEST(Validation, refuses_to_cancel_quotes_that_do_not_exist_here) {
  EXPECT_EQ(answer_to(with_text(good_cancel(), F::rfq_id, "RFQ1")), (Answer{9901, "RFQID", 'F', "ORD-4"}));
}

TEST(Validation, knows_the_types_of_mass_cancels_and_what_each_of_them_needs) {
  const auto refused = [](std::int32_t code, const char* field) { return Answer{code, field, 'q', "MC-1"}; };
  const std::string_view needs_instrument = "\x09\x03\x39", needs_segment = "\x0f\x04", needs_group = "\x38\x39\x3a",
                         needs_nothing = "\x07\x08";
  for (int type = 0; type < 256; ++type) {
    const auto is_one_of = [type](std::string_view types) { return types.find(static_cast<char>(type)) != types.npos; };
    Octets message = with(good_mass_cancel(), Q::mass_cancel_request_type, type);
    message = with_text(with(message, Q::group_id, 3), Q::segment, "SET1");
    const bool is_known =
        is_one_of(needs_instrument) || is_one_of(needs_segment) || is_one_of(needs_group) || is_one_of(needs_nothing);
    EXPECT_EQ(answer_to(message), is_known ? k_accepted : refused(9901, "MassCancelRequestType")) << type;
    if (!is_known) continue;
    EXPECT_EQ(answer_to(with(message, Q::instrument_id, 0)),
              is_one_of(needs_instrument) ? refused(9900, "InstrumentID") : k_accepted);
    EXPECT_EQ(answer_to(with(message, Q::instrument_id, -1)),
              is_one_of(needs_instrument) ? refused(9901, "InstrumentID") : k_accepted);
    EXPECT_EQ(answer_to(with(message, Q::group_id, 0)), is_one_of(needs_group) ? refused(9900, "GroupID") : k_accepted);
    EXPECT_EQ(answer_to(with_text(message, Q::segment, "")),
              is_one_of(needs_segment) ? refused(9900, "Segment") : k_accepted);
  }
}

TEST(Validation, of_a_mass_cancel_wants_an_id_and_orders_or_quotes) {
  EXPECT_EQ(answer_to(with_text(good_mass_cancel(), Q::client_order_id, "")), (Answer{9900, "ClientOrderID", 'q', ""}));
  EXPECT_EQ(answer_to(with_text(good_mass_cancel(), Q::client_order_id, "a//b")),
            (Answer{9901, "ClientOrderID", 'q', ""}));
  EXPECT_EQ(answer_to(with(good_mass_cancel(), Q::order_sub_type, 3)), k_accepted) << "quotes";
  EXPECT_EQ(answer_to(with(good_mass_cancel(), Q::order_sub_type, 5)), (Answer{9901, "OrderSubType", 'q', "MC-1"}));
  EXPECT_EQ(answer_to(with_text(good_mass_cancel(), Q::segment, "\x80")), (Answer{9901, "Segment", 'q', "MC-1"}));
}

TEST(Validation, of_a_quote_holds_every_field_to_its_rule) {
  const auto refused = [](std::int32_t code, const char* field, const char* id = "QTE-1") {
    return Answer{code, field, 'S', id};
  };
  EXPECT_EQ(answer_to(good_quote()), k_accepted);
  EXPECT_EQ(answer_to(with_text(good_quote(), S::client_order_id, "")), refused(9900, "ClientOrderID", ""));
  EXPECT_EQ(answer_to(with_text(good_quote(), S::client_order_id, "a/b")), refused(9901, "ClientOrderID", ""));
  EXPECT_EQ(answer_to(with_text(good_quote(), S::trader_id, "\x80")), refused(9901, "TraderID"));
  EXPECT_EQ(answer_to(with(good_quote(), S::clearing_account, 2)), refused(9901, "ClearingAccount"));
  EXPECT_EQ(answer_to(with(good_quote(), S::instrument_id, 0)), refused(9901, "InstrumentID"));
  EXPECT_EQ(answer_to(with(good_quote(), S::bid_price, -1)), refused(9901, "BidPrice"));
  EXPECT_EQ(answer_to(with(good_quote(), S::bid_size, -1)), refused(9901, "BidSize"));
  EXPECT_EQ(answer_to(with(good_quote(), S::ask_price, -1)), refused(9901, "AskPrice"));
  EXPECT_EQ(answer_to(with(good_quote(), S::ask_size, -1)), refused(9901, "AskSize"));
  EXPECT_EQ(answer_to(with(good_quote(), S::capacity, 4)), refused(9901, "Capacity"));
  EXPECT_EQ(answer_to(with(good_quote(), S::auto_cancel, 2)), refused(9901, "AutoCancel"));
  EXPECT_EQ(answer_to(with(good_quote(), S::client_id, 3)), refused(9901, "ClientID"));
  EXPECT_EQ(answer_to(with(good_quote(), S::client_id, 4)), refused(9901, "PartyRoleQualifiers")) << "no qualifier";
  EXPECT_EQ(answer_to(with(good_quote(), S::investment_decision_maker, 2)), refused(9901, "InvestmentDecisionMaker"));
  EXPECT_EQ(answer_to(with(good_quote(), S::executing_trader, 0)), refused(9901, "ExecutingTrader"));
  EXPECT_EQ(answer_to(with(good_quote(), S::mifid_flags, 8)), refused(9901, "MiFIDFlags"));
  EXPECT_EQ(answer_to(with(good_quote(), S::party_role_qualifiers, 0x40)), refused(9901, "PartyRoleQualifiers"));
  EXPECT_EQ(answer_to(with(good_quote(), S::pegged_exec_inst, 3)), refused(9901, "PeggedExecInst"));
  EXPECT_EQ(answer_to(with(with(good_quote(), S::bid_size, 0), S::bid_price, 0)), k_accepted) << "one side only";
}

TEST(Validation, names_the_first_broken_field_and_checks_values_before_conditions) {
  Octets order = with(with(good_order(), D::side, 9), D::order_qty, 0);
  EXPECT_EQ(answer_to(order), invalid("Side"));
  order = with(with(good_order(), D::limit_price, 0), D::owner_type, 9);
  EXPECT_EQ(answer_to(order), invalid("OwnerType")) << "a value (level 1) comes before a condition (level 2)";
}

TEST(Validation, says_where_the_field_stands) {
  Inbound request;
  mit::Reject refusal;
  const Result<void> read = k_dialect.decode_request(with(good_order(), D::order_qty, -5), request, refusal);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(read.error().offset, 59u);
  EXPECT_EQ(read.error().field, 59u);
  EXPECT_EQ(read.error().got, -5);
}

TEST(Validation, leaves_out_fields_that_do_not_apply_to_the_order) {
  Octets message = with(with(good_stop_limit(), D::order_type, 1), D::tif, 0);
  message = with(with(with(message, D::order_sub_type, 0), D::minimum_quantity, 5), D::offset, 7);
  message = with(message, D::pegged_exec_inst, 1);
  Inbound request;
  mit::Reject refusal;
  ASSERT_TRUE(k_dialect.decode_request(message, request, refusal));
  const market::OrderTerms& terms = request.new_order.terms;
  EXPECT_EQ(terms.limit.units, 0) << "a market order";
  EXPECT_EQ(terms.stop.units, 0) << "no stop order";
  EXPECT_EQ(terms.expiry, time::Time{}) << "good for the day";
  EXPECT_EQ(terms.minimum.lots, 0) << "not pegged";
  EXPECT_EQ(terms.peg, 0) << "not pegged";
  EXPECT_EQ(terms.offset_bp, 0) << "no offset order";
}

}  // namespace
}  // namespace dojima::mit::lse_21_2
