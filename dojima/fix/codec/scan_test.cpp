// The kernels: every instruction set gives what the scalar one gives, and that is what a plain loop gives.

#include "dojima/fix/codec/scan.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace dojima::fix {
namespace {

constexpr std::size_t k_room = 64;

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const Isa isa : {Isa::scalar, Isa::sse, Isa::avx2, Isa::avx512}) {
    if (const Kernels* found = kernels_of(isa)) all.push_back(found);
  }
  return all;
}

/// The text with the seven bytes behind it that a trailer gives, in memory of exactly that size.
std::vector<char> with_trailer(const std::string& text) {
  std::vector<char> bytes(text.begin(), text.end());
  for (const char byte : {'1', '0', '=', '0', '0', '0', '\x01'}) bytes.push_back(byte);
  return bytes;
}

using Index = std::optional<std::vector<FieldEntry>>;

Index index_of(const Kernels& kernels, const std::string& text, std::size_t room = k_room) {
  const std::vector<char> bytes = with_trailer(text);
  std::vector<FieldEntry> entries(room + k_scan_slack);
  const std::size_t count = kernels.index(bytes.data(), text.size(), entries.data(), room);
  if (count == k_irregular) return std::nullopt;
  entries.resize(count);
  return entries;
}

/// One byte after the other.
Index plain_index(const std::string& text, std::size_t room = k_room) {
  std::vector<FieldEntry> entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\x01', at);
    const std::string field = text.substr(at, end - at);
    const std::size_t equals = field.find('=');
    if (equals == std::string::npos || equals == 0 || equals > 5 || equals + 1 == field.size()) return std::nullopt;
    unsigned tag = 0;
    for (const char digit : field.substr(0, equals)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      tag = tag * 10 + static_cast<unsigned>(digit - '0');
    }
    if (field[0] == '0' || tag > 0xffff || entries.size() == room) return std::nullopt;
    entries.push_back({static_cast<Tag>(tag), static_cast<std::uint16_t>(field.size() - equals - 1),
                       static_cast<std::uint32_t>(at + equals + 1)});
    at = end + 1;
  }
  return entries;
}

void expect_all_agree(const std::string& text, std::size_t room = k_room) {
  const Index expected = plain_index(text, room);
  for (const Kernels* kernels : all_kernels()) {
    const Index got = index_of(*kernels, text, room);
    ASSERT_EQ(got.has_value(), expected.has_value()) << kernels->name << ": " << text;
    if (got) {
      ASSERT_EQ(*got, *expected) << kernels->name << ": " << text;
    }
  }
}

std::string piped(std::string text) {
  for (char& character : text) {
    if (character == '|') character = '\x01';
  }
  return text;
}

TEST(FixScan, there_is_always_one_and_the_fastest_is_one_of_them) {
  ASSERT_NE(kernels_of(Isa::scalar), nullptr);
  EXPECT_EQ(kernels_of(kernels().isa), &kernels());
}

TEST(FixScan, finds_fields_of_every_shape) {
  for (const char* text : {"8=FIX.4.4|9=5|35=0|",
                           "1=a|",
                           "12=a|",
                           "123=a|",
                           "1234=a|",
                           "12345=a|",
                           "65535=a|",
                           "65536=a|",
                           "99999=a|",
                           "123456=a|",
                           "0=a|",
                           "01=a|",
                           "=a|",
                           "a=a|",
                           "1a=b|",
                           "1|",
                           "|",
                           "1=|",
                           "1==|",
                           "1=a=b|",
                           "1=2=3|4=5|",
                           "-1=a|",
                           "1 =a|",
                           "+1=a|",
                           ":=a|",
                           "/=a|",
                           "1:=a|",
                           "58=text with = in it|60=x|",
                           "12345678=a|",
                           "1=a||"})
    expect_all_agree(piped(text));
  expect_all_agree("1\xff=a\x01");
  expect_all_agree("\x80=a\x01");
  expect_all_agree(std::string("1\0=a\x01", 5));
}

TEST(FixScan, messages_of_every_length_and_fields_across_every_boundary) {
  for (std::size_t size = 1; size < 300; ++size) {
    expect_all_agree(piped("35=D|58=" + std::string(size, 'x') + "|44=12.5|10000=y|"));
    std::string many;
    while (many.size() < size) many += "1=a|";
    expect_all_agree(piped(many), 200);
  }
}

TEST(FixScan, has_an_end_where_the_room_has_one) {
  std::string text;
  for (int field = 0; field < 100; ++field) text += piped("1=a|");
  for (const std::size_t room : {1u, 8u, 50u, 99u, 100u, 101u, 1000u}) expect_all_agree(text, room);
}

TEST(FixScan, sums_are_the_same_at_every_length_and_place) {
  std::string text(700, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 131 + 7);
  for (std::size_t begin = 0; begin < 70; ++begin) {
    for (std::size_t size = 0; size < 600; size += begin == 0 ? 1 : 13) {
      std::uint8_t expected = 0;
      for (std::size_t i = begin; i < begin + size; ++i) expected = static_cast<std::uint8_t>(expected + text[i]);
      // In memory of exactly that size: a read outside it is caught by the sanitizer.
      const std::vector<char> exact(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                    text.begin() + static_cast<std::ptrdiff_t>(begin + size));
      for (const Kernels* kernels : all_kernels())
        ASSERT_EQ(kernels->sum(exact.data(), size), expected) << kernels->name << " " << begin << " " << size;
    }
  }
}

RC_GTEST_PROP(FixScanProperty, all_agree_on_random_fields, ()) {
  const auto tags = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(1u, 70'000u));
  std::string text;
  for (const unsigned tag : tags) {
    const auto value = *rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::inRange('!', '~'), rc::gen::element('=', '0', '1'),
                       rc::gen::map(rc::gen::inRange(2, 256), [](int c) { return static_cast<char>(c); })));
    text += std::to_string(tag) + "=" + value + "\x01";
  }
  expect_all_agree(text);
}

RC_GTEST_PROP(FixScanProperty, all_agree_on_mutated_messages,
              (const std::vector<std::pair<std::uint16_t, char>>& changes)) {
  std::string text = piped(
      "8=FIX.4.4|9=178|35=D|34=1080|49=TESTBUY1|52=20180920-18:14:19.508|56=TESTSELL1|11=636730640278898634|15=USD|21="
      "2|"
      "38=7000|40=1|54=1|55=MSFT|60=20180920-18:14:19.492|");
  for (const auto& [place, byte] : changes) {
    if (place % text.size() != text.size() - 1) text[place % text.size()] = byte;
  }
  expect_all_agree(text);
}

RC_GTEST_PROP(FixScanProperty, all_agree_on_hostile_bytes, ()) {
  const auto bytes =
      *rc::gen::container<std::string>(rc::gen::element('\x01', '=', '0', '1', '9', 'a', '\xff', '\x02'));
  expect_all_agree(bytes + "\x01");
}

}  // namespace
}  // namespace dojima::fix
