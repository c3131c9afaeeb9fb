// Every message of every dialect by its table: written and read field by field, and held to the rules of its fields.

#include "dojima/mit/fields.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/mit/dialects/known_answers_test.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {
namespace {

using Octets = std::vector<std::byte>;
using Random = std::mt19937_64;

/// A byte that the field may hold.
std::uint8_t any_byte(const FieldInfo& field, Random& random) {
  for (;;) {
    const auto byte = static_cast<std::uint8_t>(random());
    if (field.values.has(byte)) return byte;
  }
}

std::string any_chars(std::size_t width, std::string_view alphabet, Random& random) {
  std::string chars(random() % (width + 1), '\0');
  for (char& c : chars) c = alphabet[random() % alphabet.size()];
  return chars;
}

std::string any_text(const FieldInfo& field, Random& random) {
  if (field.rule == FieldRule::base62) return "0" + any_chars(10, "09AZaz", random);
  const bool is_wanted = field.rule == FieldRule::present || field.rule == FieldRule::present_identifier;
  return (is_wanted ? "A" : "") + any_chars(field.width - (is_wanted ? 1u : 0u), "09AZaz-_. !~", random);
}

/// A number that keeps the rule of the field; any number of its type where there is none.
std::uint64_t any_number(const FieldInfo& field, Random& random) {
  const std::uint64_t number = random();
  const unsigned bits = field.width * 8u - 1u;
  switch (field.rule) {
    case FieldRule::none:
      return number;
    case FieldRule::zero:
      return 0;
    case FieldRule::instant:
      return (number & 0xffff'ffff) | number % 1'000'000 << 32;
    case FieldRule::milliseconds:
      return number % 1'000;
    default:  // from 4 on every other rule holds, up to the sign
      return std::max<std::uint64_t>(number & ((std::uint64_t{1} << bits) - 1), 4);
  }
}

/// A message whose fields keep their rules one by one; reserved fields are null.
Octets any_message(const MessageLayout& layout, Random& random) {
  Octets message(layout.size);
  message[0] = k_start_of_message;
  store_little(Room(message), k_length_offset, static_cast<std::int16_t>(layout.size - k_uncounted));
  store_little(Room(message), k_type_offset, layout.type);
  for (const FieldInfo& field : layout.fields) {
    if (field.is_reserved) continue;
    if (field.type == Wire::text) {
      const std::string text = any_text(field, random);
      std::memcpy(message.data() + field.offset, text.data(), text.size());
      continue;
    }
    const bool is_byte = field.width == 1 && field.rule == FieldRule::none;
    const std::uint64_t number = is_byte ? any_byte(field, random) : any_number(field, random);
    std::memcpy(message.data() + field.offset, &number, field.width);
  }
  return message;
}

/// Rules about several fields, which random values break.
bool is_conditional(char type) {
  return type == 'D' || type == 'G' || type == 'q';
}

/// RC_ASSERT for a hundred types of messages, each of which would compile what it shows of the two sides.
void must(bool is_so, const char* message, const char* what) {
  if (!is_so) RC_FAIL(std::string(message) + ": " + what);
}

template <class Message>
void read_and_write(const Dialect& dialect, Random& random) {
  const Octets bytes = any_message(layout_of<Message>(), random);
  const Fields<Message> fields = read_fields<Message>(bytes);
  Octets room(Message::k_size, std::byte{0xcc});
  write_fields(fields, Room(room));
  must(room == bytes, Message::k_name, "the bytes that were written are not those that were read");
  must(read_fields<Message>(room) == fields, Message::k_name,
       "the fields that were read are not those that were written");
  if (is_conditional(Message::k_type)) return;
  room.assign(Message::k_size, std::byte{0xcc});
  must(encode_fields(dialect, fields, Room(room)).has_value(), Message::k_name, "cannot be encoded");
  must(room == bytes, Message::k_name, "the bytes that were encoded are not those that were read");
  const Result<Fields<Message>> read = decode_fields<Message>(dialect, bytes);
  must(read.has_value(), Message::k_name, "cannot be decoded");
  must(*read == fields, Message::k_name, "the fields that were decoded are not those that were read");
}

template <class... Messages>
void read_and_write_all(MessageList<Messages...>, const Dialect& dialect, std::uint64_t seed) {
  Random random(seed);
  (read_and_write<Messages>(dialect, random), ...);
}

RC_GTEST_PROP(Fields, are_written_as_they_were_read_and_read_as_they_were_written, (std::uint64_t seed)) {
  read_and_write_all(lse_21_2::Messages{}, lse_21_2::k_dialect, seed);
  read_and_write_all(bit_9_4::Messages{}, bit_9_4::k_dialect, seed);
  read_and_write_all(lse_11_8_5::Messages{}, lse_11_8_5::k_dialect, seed);
}

template <class Message>
bool writes_again(char type, const Octets& bytes) {
  if (type != Message::k_type) return false;
  const Result<Fields<Message>> fields = decode_fields<Message>(lse_21_2::k_dialect, bytes);
  EXPECT_TRUE(fields.has_value()) << Message::k_name;
  Octets room(Message::k_size, std::byte{0xcc});
  EXPECT_TRUE(encode_fields(lse_21_2::k_dialect, *fields, Room(room)).has_value());
  EXPECT_EQ(room, bytes) << Message::k_name;
  return true;
}

template <class... Messages>
bool any_writes_again(MessageList<Messages...>, char type, const Octets& bytes) {
  return (writes_again<Messages>(type, bytes) || ...);
}

TEST(Fields, of_every_known_answer_give_its_very_bytes_again) {
  for (const KnownAnswer& answer : known_answers())
    EXPECT_TRUE(any_writes_again(lse_21_2::Messages{}, answer.type, bytes_of(answer.hex))) << answer.name;
}

TEST(Fields, are_found_by_their_places) {
  using Quote = lse_21_2::NewQuote;
  Fields<Quote> quote;
  quote.at<&Quote::bid_price>() = 9'950'000'000;
  EXPECT_EQ(detail::value_at<4>(quote.values), 9'950'000'000);
  EXPECT_EQ(std::as_const(quote).at<&Quote::ask_size>(), 0);
}

// ---- Rules ----

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

Answer answer_to(const Dialect& dialect, const Octets& message) {
  Reject refusal;
  if (check_message(dialect, message, refusal)) return {};
  return {refusal.code, std::string(refusal.reason.view()), refusal.type, std::string(refusal.client_order_id.view())};
}

Octets header_of(char type, std::size_t size) {
  Octets message(size);
  message[0] = k_start_of_message;
  store_little(Room(message), k_length_offset, static_cast<std::int16_t>(size - k_uncounted));
  store_little(Room(message), k_type_offset, type);
  return message;
}

TEST(Check, refuses_every_type_that_a_dialect_does_not_have_and_every_wrong_length) {
  for (const Dialect* dialect : dialects()) {
    for (int number = 0; number < 256; ++number) {
      const char type = static_cast<char>(number);
      const MessageLayout* layout = find_layout(*dialect, type);
      const auto known = std::ranges::find(dialect->layouts, type, &MessageLayout::type);
      ASSERT_EQ(layout, known == dialect->layouts.end() ? nullptr : &*known);
      for (std::size_t size = k_header_size; size <= dialect->longest; ++size) {
        if (layout != nullptr && layout->size == size) continue;
        const Answer expected{9901, layout == nullptr ? "MessageType" : "MessageLength", type, ""};
        ASSERT_EQ(answer_to(*dialect, header_of(type, size)), expected)
            << dialect->name << ' ' << number << ' ' << size;
      }
    }
  }
}

/// Each byte value of each one-byte field, each text with a character too high, each number against its rule.
void break_fields(const Dialect& dialect, const MessageLayout& layout, Random& random) {
  const Octets good = any_message(layout, random);
  ASSERT_EQ(answer_to(dialect, good), Answer{}) << dialect.name << ' ' << layout.name;
  for (const FieldInfo& field : layout.fields) {
    if (field.is_reserved) continue;
    const std::string where = std::string(dialect.name) + ' ' + layout.name + ' ' + field.name;
    const auto code_with = [&](std::uint64_t value) {
      Octets bad = good;
      std::memcpy(bad.data() + field.offset, &value, std::min<std::size_t>(field.width, sizeof value));
      const Answer answer = answer_to(dialect, bad);
      EXPECT_TRUE(answer.code == 0 || answer.field == field.name) << where;
      return answer.code;
    };
    if (field.type == Wire::text) {
      Octets bad = good;
      bad[field.offset + field.width - 1u] = std::byte{0x80};
      EXPECT_EQ(answer_to(dialect, bad).code, 9901) << where << ": up to the last byte, behind a null too";
      const bool is_wanted = field.rule == FieldRule::present || field.rule == FieldRule::present_identifier;
      EXPECT_EQ(code_with(0), is_wanted ? 9900 : 0) << where;
    } else if (field.width == 1 && field.rule == FieldRule::none) {
      for (unsigned value = 0; value < 256; ++value)
        EXPECT_EQ(code_with(value), field.values.has(static_cast<std::uint8_t>(value)) ? 0 : 9901) << where << value;
    } else if (field.rule == FieldRule::positive || field.rule == FieldRule::not_negative) {
      EXPECT_EQ(code_with(~std::uint64_t{0}), 9901) << where;
      EXPECT_EQ(code_with(0), field.rule == FieldRule::positive ? 9901 : 0) << where;
      EXPECT_EQ(code_with(1), 0) << where;
    }
  }
}

TEST(Check, accepts_exactly_what_the_tables_of_the_fields_allow) {
  Random random(1);
  for (const Dialect* dialect : dialects())
    for (const MessageLayout& layout : dialect->layouts)
      if (!is_conditional(layout.type)) break_fields(*dialect, layout, random);
}

template <class Place, class Value>
Octets with(Octets message, Place place, Value value) {
  store(Room(message), place, static_cast<typename Place::Value>(value));
  return message;
}

TEST(Check, holds_quotes_to_the_rules_of_the_gateway) {
  using S = lse_21_2::NewQuote;
  const Dialect& dialect = lse_21_2::k_dialect;
  const auto& answers = known_answers();
  const Octets good = bytes_of(std::ranges::find(answers, 'S', &KnownAnswer::type)->hex);
  const auto wrong = [](const char* field) { return Answer{9901, field, 'S', "QTE-1"}; };
  EXPECT_EQ(answer_to(dialect, good), Answer{});
  EXPECT_EQ(answer_to(dialect, with(good, S::client_order_id, Text<20>{})), (Answer{9900, "ClientOrderID", 'S', ""}));
  EXPECT_EQ(answer_to(dialect, with(good, S::client_order_id, Text<20>::cut("Q#1"))),
            (Answer{9901, "ClientOrderID", 'S', ""}));
  EXPECT_EQ(answer_to(dialect, with(good, S::instrument_id, 0)), wrong("InstrumentID"));
  EXPECT_EQ(answer_to(dialect, with(good, S::bid_price, -1)), wrong("BidPrice"));
  EXPECT_EQ(answer_to(dialect, with(good, S::bid_price, 0)), Answer{});
  EXPECT_EQ(answer_to(dialect, with(good, S::ask_price, -1)), wrong("AskPrice"));
  EXPECT_EQ(answer_to(dialect, with(good, S::bid_size, -1)), wrong("BidSize"));
  EXPECT_EQ(answer_to(dialect, with(good, S::ask_size, -1)), wrong("AskSize"));
  EXPECT_EQ(answer_to(dialect, with(good, S::clearing_account, 2)), wrong("ClearingAccount"));
  EXPECT_EQ(answer_to(dialect, with(good, S::capacity, 0)), wrong("Capacity"));
  EXPECT_EQ(answer_to(dialect, with(good, S::auto_cancel, 2)), wrong("AutoCancel"));
  EXPECT_EQ(answer_to(dialect, with(good, S::client_id, 3)), wrong("ClientID"));
  EXPECT_EQ(answer_to(dialect, with(good, S::investment_decision_maker, 1)), wrong("InvestmentDecisionMaker"));
  EXPECT_EQ(answer_to(dialect, with(good, S::executing_trader, 2)), wrong("ExecutingTrader"));
}

TEST(Check, wants_a_partition_and_a_number_of_a_missed_message_request) {
  using M = lse_21_2::MissedMessageRequest;
  const Octets good = bytes_of("0206004d0140e20100");
  for (const Dialect* dialect : dialects()) {
    EXPECT_EQ(answer_to(*dialect, good), Answer{});
    EXPECT_EQ(answer_to(*dialect, with(good, M::app_id, 0)), (Answer{9901, "AppID", 'M', ""}));
    EXPECT_EQ(answer_to(*dialect, with(good, M::app_id, -1)), (Answer{9901, "AppID", 'M', ""}));
    EXPECT_EQ(answer_to(*dialect, with(good, M::last_msg_seq_num, 0)), (Answer{9901, "LastMsgSeqNum", 'M', ""}));
  }
}

TEST(Check, repeats_the_rfq_of_a_quote_request_reject_and_a_quote_response) {
  Random random(3);
  using B = lse_21_2::QuoteRequestReject;
  Octets reject = with(any_message(layout_of<B>(), random), B::rfq_id, Text<10>::cut("RFQ-7"));
  reject[B::contra_trader.offset] = std::byte{0x80};
  EXPECT_EQ(answer_to(lse_21_2::k_dialect, reject), (Answer{9901, "ContraTrader", 'b', ""})) << "the id follows it";
  using R = lse_21_2::QuoteResponse;
  const Octets response = with(any_message(layout_of<R>(), random), R::rfq_id, Text<10>::cut("RFQ-7"));
  EXPECT_EQ(answer_to(lse_21_2::k_dialect, with(response, R::order_book, 2)),
            (Answer{9901, "OrderBook", 'f', "RFQ-7"}));
}

TEST(Check, agrees_with_the_codec_of_the_session_on_logons_and_cancels) {
  for (const KnownAnswer& answer : known_answers()) {
    if (std::string_view("A5F0").find(answer.type) == std::string_view::npos) continue;
    const Octets good = bytes_of(answer.hex);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const int change : {0x01, 0x20, 0x80, 0xff}) {
        Octets bytes = good;
        bytes[at] ^= static_cast<std::byte>(change);
        Inbound request;
        Reject refusal;
        const bool is_read = lse_21_2::k_dialect.decode_request(bytes, request, refusal).has_value();
        if (refusal.reason.view() == "RFQID") continue;  // the venue's: it has no RFQ quotes
        const Answer by_table = answer_to(lse_21_2::k_dialect, bytes);
        EXPECT_EQ(is_read, by_table.code == 0) << answer.name << " byte " << at;
        if (!is_read && by_table.field != "MessageType" && by_table.field != "MessageLength") {
          EXPECT_EQ(by_table.field, refusal.reason.view()) << answer.name << " byte " << at;
          EXPECT_EQ(by_table.code, refusal.code);
        }
      }
    }
  }
}

TEST(Dialect, reads_what_was_checked_before_as_the_checking_codec_does) {
  const Dialect& dialect = lse_21_2::k_dialect;
  for (const KnownAnswer& answer : known_answers()) {
    const Octets bytes = bytes_of(answer.hex);
    Inbound request;
    Inbound checked;
    Reject refusal;
    dialect.read_request(bytes, request);
    const bool is_request = dialect.decode_request(bytes, checked, refusal).has_value();
    if (is_request) {
      EXPECT_EQ(request.kind, checked.kind) << answer.name;
    }
    if (request.kind == Inbound::Kind::new_order && is_request) {
      EXPECT_EQ(0, std::memcmp(&request.new_order, &checked.new_order, sizeof request.new_order));
    }
    Outbound reply;
    Outbound checked_reply;
    dialect.read_reply(bytes, reply);
    if (!dialect.decode_reply(bytes, checked_reply)) continue;
    EXPECT_EQ(reply.kind, checked_reply.kind) << answer.name;
    if (reply.kind == Outbound::Kind::report) {
      EXPECT_EQ(reply.report.report, checked_reply.report.report);
    }
  }
}

}  // namespace
}  // namespace dojima::mit
