// A list of fields gives the bytes that a plain encoder makes, in every room, and reports the same trouble as its
// fields do one by one.

#include "dojima/fix/field_list.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/writer.hpp"

namespace dojima::fix {
namespace {

constexpr time::Time k_now = time::from_nanoseconds(1'784'548'800'123'456'789);
constexpr char k_mark = '\x5a';
constexpr Tag k_five_digits = 65'535;

struct Values {
  std::string first, second;
  std::int64_t number = 0;
  std::uint64_t large = 0;
  std::int64_t units = 0;
  time::Time time = k_now;
  char character = 'c';
};

std::string stamp_of(time::Time time, unsigned decimals) {
  char text[time::k_timestamp_max];
  return std::string(time::format_timestamp(time, decimals, text));
}

std::string price_of(std::int64_t units) {
  char text[market::k_price_text_max];
  return std::string(market::format_price({units}, text));
}

/// The message as strings put together.
std::string plain(const Values& v, unsigned decimals) {
  const auto line = [](unsigned tag, const std::string& value) { return std::to_string(tag) + "=" + value + "\x01"; };
  const std::string stamp = stamp_of(k_now, decimals);
  const std::string body = line(35, "UABC") + line(34, "12345678") + line(49, "SENDER") + line(52, stamp) +
                           line(56, "T") + line(1, v.first) + line(54, {v.character}) +
                           line(38, std::to_string(v.number)) + line(k_five_digits, std::to_string(v.large)) +
                           line(44, price_of(v.units)) + line(60, stamp_of(v.time, decimals)) + line(126, stamp) +
                           line(123, "Y") + line(5000, v.second);
  std::string text = line(8, "FIX.4.4") + line(9, std::to_string(body.size())) + body;
  unsigned sum = 0;
  for (const char character : text) sum += static_cast<unsigned char>(character);
  const std::string digits = std::to_string(1000 + sum % 256);
  return text + line(10, digits.substr(1));
}

enum class Way { list, one_by_one };

/// The message, or its error as text; nothing behind the room may have been touched.
std::string written(const Values& v, Way way, unsigned decimals, std::size_t room_size, bool is_rendered = true) {
  const HeaderTemplate rendered("SENDER", "T");
  std::vector<std::byte> room(room_size + 64, std::byte{k_mark});
  Writer writer({room.data(), room_size}, {.type = msg_type("UABC"),
                                           .sender = "SENDER",
                                           .target = "T",
                                           .sequence = {12'345'678},
                                           .sending_time = k_now,
                                           .decimals = decimals,
                                           .rendered = is_rendered ? &rendered : nullptr});
  if (way == Way::list) {
    writer.fields(field<1>(v.first), field<54>(v.character), field<38>(v.number), field<k_five_digits>(v.large),
                  field<44>(market::Price{v.units}), field<60>(v.time), field<126>(k_now), field<123>(true),
                  field<5000>(v.second));
  } else {
    writer.field(1, v.first).field(54, v.character).field(38, v.number).field(k_five_digits, v.large);
    writer.field(44, market::Price{v.units}).field(60, v.time).field(126, k_now).field(123, true);
    writer.field(5000, v.second);
  }
  const auto message = writer.finish();
  for (std::size_t at = room_size; at < room.size(); ++at) EXPECT_EQ(room[at], std::byte{k_mark});
  if (message) return std::string(as_text(*message));
  return std::to_string(static_cast<int>(message.error().code)) + " " + std::to_string(message.error().field) + " " +
         message.error().expected;
}

TEST(FixFieldList, writes_what_a_plain_encoder_writes_in_every_room_that_is_large_enough) {
  const Values some{
      .first = "abc", .second = "seventeen letters", .number = -7, .large = 99'999'999, .units = 1'250'000'000};
  for (const unsigned decimals : {0u, 3u, 6u, 9u}) {
    const std::string expected = plain(some, decimals);
    for (std::size_t size = 0; size < expected.size() + 100; ++size) {
      const std::string text = written(some, Way::list, decimals, size);
      EXPECT_EQ(text, written(some, Way::one_by_one, decimals, size, false)) << size;
      if (size >= expected.size() + 2) {
        EXPECT_EQ(text, expected) << size;
      }
    }
  }
}

/// Of every length that one may have, in every room: as the text that it is.
TEST(FixFieldList, writes_a_sure_text_as_the_same_text) {
  const auto expect_same = []<std::size_t k_size>(std::array<char, k_size> text) {
    for (std::size_t at = 0; at < k_size; ++at) text[at] = static_cast<char>('z' - at);
    const auto written_in = [&](std::size_t room_size, bool is_sure) {
      std::vector<std::byte> room(room_size + 64, std::byte{k_mark});
      Writer writer({room.data(), room_size}, {.type = msg_type("UABC"), .sender = "S", .target = "T"});
      if (is_sure)
        writer.fields(field<37>(SureText<k_size>{text.data()}), field<54>('1'));
      else
        writer.field(37, std::string_view(text.data(), k_size)).field(54, '1');
      const auto message = writer.finish();
      for (std::size_t at = room_size; at < room.size(); ++at) EXPECT_EQ(room[at], std::byte{k_mark});
      return message ? std::string(as_text(*message)) : std::string();
    };
    EXPECT_NE(written_in(256, true), "");
    for (std::size_t size = 0; size < 160; ++size) EXPECT_EQ(written_in(size, true), written_in(size, false)) << size;
  };
  expect_same(std::array<char, 9>{});
  expect_same(std::array<char, 10>{});
  expect_same(std::array<char, 12>{});
  expect_same(std::array<char, 15>{});
  expect_same(std::array<char, 16>{});
}

TEST(FixFieldList, writes_texts_of_every_length) {
  Values some{.number = 1};
  for (std::size_t size = 1; size < 40; ++size) {
    some.first.push_back(static_cast<char>(2 + size * 37 % 250));
    some.second = std::string(size % 17 + 1, static_cast<char>('a' + size % 26));
    EXPECT_EQ(written(some, Way::list, 3, 1024), plain(some, 3)) << size;
  }
}

TEST(FixFieldList, writes_the_extremes_of_numbers_prices_and_times) {
  constexpr auto k_least = std::numeric_limits<std::int64_t>::min(), k_most = std::numeric_limits<std::int64_t>::max();
  const Values all[] = {
      {"a", "b", k_least, std::numeric_limits<std::uint64_t>::max(), k_least, time::from_nanoseconds(0)},
      {"a", "b", k_most, 100'000'000, k_most, time::from_nanoseconds(k_most)},
      {"a", "b", 100'000'000, 0, 9'999'999'999'999'999, time::from_nanoseconds(-1)},
      {"a", "b", 99'999'999, 9, 10'000'000'000'000'000, k_now + time::Duration{1}},
      {"a", "b", -99'999'999, 10, -1, k_now},
      {"a", "b", 0, 1, 0, k_now}};
  for (const Values& some : all) {
    for (const unsigned decimals : {0u, 3u, 6u, 9u})
      EXPECT_EQ(written(some, Way::list, decimals, 1024), plain(some, decimals));
  }
}

TEST(FixFieldList, reports_the_trouble_of_the_field_that_has_it) {
  const Values good{.first = "abc", .second = "def"};
  EXPECT_EQ(written(good, Way::list, 3, 1024), plain(good, 3));
  std::vector<Values> bad(6, good);
  bad[0].first = "";
  bad[1].second = "";
  bad[2].first = "a\x01";
  bad[3].second = "behind sixteen letters\x01";
  bad[4].character = '\x01';
  bad[5].first = bad[5].second = "twice\x01";
  for (const Values& one : bad) {
    const std::string given = written(one, Way::list, 3, 1024);
    EXPECT_EQ(given, written(one, Way::one_by_one, 3, 1024));
    EXPECT_TRUE(given.starts_with(std::to_string(static_cast<int>(ErrorCode::malformed)))) << given;
  }
}

TEST(FixFieldList, adds_nothing_after_trouble) {
  std::vector<std::byte> room(512);
  Writer writer(room,
                {.type = type::k_heartbeat, .sender = "A", .target = "B", .sequence = {1}, .sending_time = k_now});
  writer.field(tag::k_account, "").fields(field<tag::k_text>("text"), field<tag::k_side>('1'));
  EXPECT_EQ(writer.finish().error().field, tag::k_account);
}

RC_GTEST_PROP(FixFieldListProperty, any_values_are_written_as_a_plain_encoder_does, ()) {
  const auto text = rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::suchThat<char>([](char character) { return character != '\x01'; })));
  const Values some{.first = *text,
                    .second = *text,
                    .number = *rc::gen::arbitrary<std::int64_t>(),
                    .large = *rc::gen::inRange<std::uint64_t>(0, 200'000'000),
                    .units = *rc::gen::arbitrary<std::int64_t>(),
                    .time = time::from_nanoseconds(*rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000))};
  const auto decimals = *rc::gen::element(0u, 3u, 6u, 9u);
  RC_ASSERT(written(some, Way::list, decimals, 2048) == plain(some, decimals));
}

}  // namespace
}  // namespace dojima::fix
