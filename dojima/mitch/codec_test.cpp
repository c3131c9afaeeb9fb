#include "dojima/mitch/codec.hpp"

#include <algorithm>
#include <any>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/mitch/known_answers_test.hpp"

namespace dojima::mitch::testing {
namespace {

using Buffer = std::array<std::byte, 128>;

/// What was written into a room full of 0xa5.
Octets taken_from(const Buffer& room, const Result<std::size_t>& size, const char* message) {
  EXPECT_TRUE(size.has_value()) << message;
  if (!size) return {};
  for (std::size_t at = *size; at < room.size(); ++at) EXPECT_EQ(room[at], std::byte{0xa5}) << "written past the end";
  return {room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*size)};
}

template <class Message>
Octets written(const Message& message) {
  Buffer room;
  room.fill(std::byte{0xa5});
  return taken_from(room, encode(message, room), Message::k_name);
}

/// The message of a known unit, its header skipped.
Octets message_of(std::string_view unit_hex) {
  const Octets unit = octets_of(unit_hex);
  return {unit.begin() + 8, unit.end()};
}

/// Every known message with its bytes: `visit(record, bytes)`.
template <class Visit>
void each_known(Visit&& visit) {
  each(known_application_messages(), [&](const auto& answer) { visit(answer.message, octets_of(answer.hex)); });
  each(known_administrative_units(), [&](const auto& answer) { visit(answer.message, message_of(answer.hex)); });
}

/// Any value that the member's field carries. One function a type of member, since the generators take long to compile.
template <class Member>
void draw(const FieldInfo& info, Member& member) {
  if constexpr (std::is_same_v<Member, market::Price>) {
    member.units =
        *rc::gen::suchThat(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t units) { return units != INT64_MIN; });
  } else if constexpr (requires { member.chars; }) {
    const std::string chars = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~' + 1));
    std::string text = chars.substr(0, info.width);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    member = Member::cut(text);
  } else if (!info.meanings.empty() && info.type != Wire::bits) {
    member = static_cast<Member>(info.meanings[*rc::gen::inRange<std::size_t>(0, info.meanings.size())].value);
  } else {
    member = *rc::gen::arbitrary<Member>();
  }
}

template <class Message>
Message drawn() {
  Message message;
  k_table<Message>.apply([&message](const auto&... row) {
    [[maybe_unused]] const auto draw_row = [&message](const auto& each_row) {
      if constexpr (requires { each_row.field; }) draw(each_row.field.info(), message.*each_row.member);
    };
    (draw_row(row), ...);
  });
  return message;
}

TEST(MitchLayout, has_the_published_type_and_length_of_every_message) {
  const std::map<unsigned, std::size_t> published{{0x01, 18}, {0x03, 9},  {0x81, 16}, {0x05, 2}, {0x02, 3}, {0x04, 10},
                                                  {0x82, 11}, {0x83, 17}, {'T', 6},   {'S', 7},  {'R', 65}, {'H', 28},
                                                  {'A', 44},  {'F', 45},  {'D', 19},  {'U', 27}, {'y', 13}, {'E', 26},
                                                  {'C', 39},  {'P', 35},  {'Q', 34},  {'I', 30}, {'w', 23}, {'q', 34}};
  std::map<unsigned, std::size_t> ours;
  for (const MessageLayout& layout : k_application_layouts) ours[static_cast<unsigned char>(layout.type)] = layout.size;
  for (const MessageLayout& layout : k_administrative_layouts) {
    ours[static_cast<unsigned char>(layout.type)] = layout.size;
    EXPECT_TRUE(is_administrative(layout.type));
  }
  EXPECT_EQ(ours, published);
  EXPECT_FALSE(is_administrative('A'));
}

TEST(MitchLayout, knows_no_withdrawn_type) {
  EXPECT_EQ(find_layout('B'), nullptr) << "TradeBreak";
  EXPECT_EQ(find_layout('x'), nullptr) << "OffBookTrade";
  ASSERT_NE(find_layout('q'), nullptr);
  EXPECT_STREQ(find_layout('q')->name, "TopOfBook");
  EXPECT_STREQ(find_layout('\x83')->name, "SnapshotComplete");
}

TEST(MitchKnownAnswers, every_message_both_ways_byte_for_byte) {
  std::size_t count = 0;
  each_known([&count]<class Message>(const Message& message, const Octets& bytes) {
    EXPECT_EQ(written(message), bytes) << Message::k_name;
    const Result<Message> read_back = decode<Message>(bytes);
    ASSERT_TRUE(read_back.has_value()) << Message::k_name;
    EXPECT_EQ(*read_back, message) << Message::k_name;
    Octets unchecked(Message::k_size, std::byte{0xcc});
    write(message, Room(unchecked));
    EXPECT_EQ(unchecked, bytes) << Message::k_name;
    ++count;
  });
  EXPECT_EQ(count, 24u);
}

TEST(MitchKnownAnswers, cut_at_any_byte_or_one_byte_too_long_are_refused) {
  each_known([]<class Message>(const Message&, const Octets& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      // An exact copy, so that the address sanitizer sees a read past the end.
      const Octets part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(decode<Message>(part).has_value()) << Message::k_name << " cut to " << size;
    }
    Octets longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode<Message>(longer).has_value()) << Message::k_name;
  });
}

/// The bytes of the message, and its reserved bytes as they are always written.
template <class Message>
Octets with_reserved_bytes_of(const Octets& bytes, const Octets& written_bytes) {
  Octets expected = bytes;
  for (const FieldInfo& field : k_rows<Message>) {
    if (!field.is_reserved) continue;
    const auto at = static_cast<std::ptrdiff_t>(field.offset);
    std::copy_n(written_bytes.begin() + at, field.width, expected.begin() + at);
  }
  return expected;
}

TEST(MitchKnownAnswersLong, with_any_byte_changed_to_any_value_are_refused_or_written_again_as_they_are) {
  std::size_t refused = 0, accepted = 0;
  each_known([&]<class Message>(const Message&, const Octets& bytes) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        Octets changed = bytes;
        changed[at] = static_cast<std::byte>(value);
        const Result<Message> record = decode<Message>(changed);
        if (!record) {
          ++refused;
          EXPECT_LE(record.error().offset, at) << Message::k_name;
          EXPECT_NE(record.error().expected, nullptr);
          continue;
        }
        ++accepted;
        const Octets again = written(*record);
        ASSERT_EQ(again, with_reserved_bytes_of<Message>(changed, again)) << Message::k_name << " byte " << at;
      }
    }
  });
  EXPECT_GT(refused, 0u);
  EXPECT_GT(accepted, 0u);
}

TEST(MitchCodec, refuses_a_value_that_the_table_of_its_field_does_not_have_both_ways) {
  std::size_t tables = 0;
  each_known([&tables]<class Message>(const Message& message, const Octets& bytes) {
    for (const FieldInfo& field : k_rows<Message>) {
      if (field.meanings.empty() || field.type == Wire::bits) continue;
      ++tables;
      for (unsigned value = 0; value < 256; ++value) {
        Octets changed = bytes;
        changed[field.offset] = static_cast<std::byte>(value);
        const bool is_known = std::ranges::any_of(field.meanings, [value](const Meaning& meaning) {
          return static_cast<std::uint8_t>(meaning.value) == value;
        });
        const Result<Message> record = decode<Message>(changed);
        ASSERT_EQ(record.has_value(), is_known) << Message::k_name << "." << field.name << " " << value;
        if (is_known) continue;
        EXPECT_EQ(record.error().code, ErrorCode::out_of_range);
        EXPECT_EQ(record.error().offset, field.offset);
        EXPECT_EQ(record.error().got, value);
        // What was read without a check cannot be written either.
        Buffer room;
        EXPECT_EQ(encode(read<Message>(changed), room).error().offset, field.offset);
      }
    }
    static_cast<void>(message);
  });
  EXPECT_EQ(tables, 17u);
}

TEST(MitchCodec, dispatches_all_256_types) {
  Octets bytes(255);
  for (unsigned type = 0; type < 256; ++type) {
    bytes[1] = static_cast<std::byte>(type);
    const MessageLayout* layout = find_layout(static_cast<char>(type));
    const std::size_t size = layout == nullptr ? 20 : layout->size;
    bytes[0] = static_cast<std::byte>(size);
    const Bytes message = Bytes(bytes).first(size);
    const auto nothing = [](const auto&) {};
    const Result<void> application = dispatch<ApplicationMessages>(message, nothing);
    const Result<void> administrative = dispatch<AdministrativeMessages>(message, nothing);
    const auto is_unknown = [](const Result<void>& result) {
      return !result && result.error().code == ErrorCode::unknown;
    };
    EXPECT_EQ(is_unknown(application), layout == nullptr || is_administrative(static_cast<char>(type))) << type;
    EXPECT_EQ(is_unknown(administrative), layout == nullptr || !is_administrative(static_cast<char>(type))) << type;
  }
  EXPECT_EQ(dispatch(Bytes(bytes).first(1), [](const auto&) {}).error().code, ErrorCode::malformed);
}

/// What a visitor was handed. One visitor for all messages, since each kind of visitor compiles a case for each of
/// them.
struct Handed {
  std::any record;
  const char* name = "nothing";
};

Handed hand_over(const Octets& bytes) {
  Handed handed;
  const Result<void> result =
      dispatch(bytes, [&handed]<class Message>(const Message& record) { handed = {record, Message::k_name}; });
  EXPECT_TRUE(result.has_value());
  return handed;
}

TEST(MitchCodec, hands_the_record_to_the_visitor) {
  each(known_application_messages(), []<class Message>(const KnownAnswer<Message>& answer) {
    const Handed handed = hand_over(octets_of(answer.hex));
    const auto* record = std::any_cast<Message>(&handed.record);
    ASSERT_NE(record, nullptr) << Message::k_name << " is taken for " << handed.name;
    EXPECT_EQ(*record, answer.message);
  });
}

TEST(MitchCodec, needs_room_for_the_whole_message) {
  each_known([]<class Message>(const Message& message, const Octets& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      Octets room(size);
      EXPECT_EQ(encode(message, room).error().code, ErrorCode::no_room) << Message::k_name;
    }
  });
}

TEST(MitchPrice, is_a_sign_and_a_magnitude) {
  EXPECT_EQ(to_sign_and_magnitude(-100'000'000), 0x80000000'05f5e100u);
  EXPECT_EQ(from_sign_and_magnitude(0x80000000'05f5e100u), -100'000'000);
  EXPECT_EQ(from_sign_and_magnitude(0x80000000'00000000u), 0) << "a negative zero";
  EXPECT_EQ(from_sign_and_magnitude(~std::uint64_t{0}), -INT64_MAX);
  EXPECT_EQ(to_sign_and_magnitude(INT64_MAX), static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(to_sign_and_magnitude(-INT64_MAX), ~std::uint64_t{0});
}

TEST(MitchPrice, without_a_magnitude_is_an_error) {
  Buffer room;
  const Statistics statistics{.price = {INT64_MIN}};
  const Result<std::size_t> size = encode(statistics, room);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(size.error().offset, 13u);
}

TEST(MitchText, is_padded_with_spaces_and_never_cut) {
  Buffer room;
  SymbolDirectory directory;
  directory.segment = Text<6>::cut("A  B");
  EXPECT_EQ(written(directory)[41], std::byte{' '});
  for (const std::string_view text :
       {std::string_view("AB "), std::string_view("A\tB"), std::string_view("A\0B", 3), std::string_view("\x80")}) {
    directory.segment = Text<6>::cut(text);
    const Result<std::size_t> size = encode(directory, room);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().code, ErrorCode::malformed);
    EXPECT_EQ(size.error().offset, 37u);
  }
}

template <class Message>
class MitchRoundTrip : public ::testing::Test {};

template <class List>
struct TypesOf;
template <class... Messages>
struct TypesOf<MessageList<Messages...>> {
  using Types = ::testing::Types<Messages...>;
};

using ApplicationRoundTrip = TypesOf<ApplicationMessages>::Types;
using AdministrativeRoundTrip = TypesOf<AdministrativeMessages>::Types;
template <class Message>
class MitchAdministrativeRoundTrip : public MitchRoundTrip<Message> {};
TYPED_TEST_SUITE(MitchRoundTrip, ApplicationRoundTrip);
TYPED_TEST_SUITE(MitchAdministrativeRoundTrip, AdministrativeRoundTrip);

template <class Message>
void check_round_trip() {
  // As a plain function: what RapidCheck compiles for a property is then the same for all messages.
  void (*const property)() = [] {
    const auto message = drawn<Message>();
    const Octets bytes = written(message);
    RC_ASSERT(bytes.size() == Message::k_size);
    const Result<Message> read_back = decode<Message>(bytes);
    RC_ASSERT(read_back.has_value());
    RC_ASSERT(*read_back == message);
  };
  EXPECT_TRUE(rc::check(property));
}

TYPED_TEST(MitchRoundTrip, what_is_written_is_read_back_as_the_same) {
  check_round_trip<TypeParam>();
}

TYPED_TEST(MitchAdministrativeRoundTrip, what_is_written_is_read_back_as_the_same) {
  check_round_trip<TypeParam>();
}

void expect_own_bytes_changed(const char* message, const FieldInfo& info, const Octets& plain, const Octets& bytes) {
  bool is_changed = false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const bool is_own = at >= info.offset && at < std::size_t{info.offset} + info.width;
    is_changed = is_changed || (is_own && bytes[at] != plain[at]);
    if (!is_own) {
      EXPECT_EQ(bytes[at], plain[at]) << message << "." << info.name << " byte " << at;
    }
  }
  EXPECT_TRUE(is_changed) << message << "." << info.name;
}

TEST(MitchCodec, writes_every_field_to_its_own_bytes) {
  // A field set alone changes its own bytes and no others.
  each_type([]<class Message>() {
    const Octets plain = written(Message{});
    k_table<Message>.apply([&](const auto&... row) {
      [[maybe_unused]] const auto look = [&](const auto& each_row) {
        if constexpr (requires { each_row.field; }) {
          Message message;
          auto& member = message.*each_row.member;
          const FieldInfo info = each_row.field.info();
          if constexpr (requires { member.units; }) {
            member.units = -1;
          } else if constexpr (requires { member.chars; }) {
            member.chars[0] = 'x';
          } else if (info.meanings.empty() || info.type == Wire::bits) {
            using Member = std::remove_reference_t<decltype(member)>;
            member = static_cast<Member>(~static_cast<std::uint64_t>(member));
          } else {
            member = static_cast<std::remove_reference_t<decltype(member)>>(info.meanings.back().value);
          }
          expect_own_bytes_changed(Message::k_name, info, plain, written(message));
        }
      };
      (look(row), ...);
    });
  });
}

}  // namespace
}  // namespace dojima::mitch::testing
