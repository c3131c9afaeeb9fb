// Texts of every width, against what a loop over their characters says.

#include "dojima/base/characters.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/base/layout.hpp"

namespace dojima {
namespace {

const std::byte* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::byte*>(text.data());
}

template <std::size_t Width>
void finds_a_character_wherever_it_stands() {
  const auto is_meant = [](Sixteen c) { return c == std::uint8_t{'#'}; };
  std::string text(Width + 1, 'a');
  text[Width] = '#';  // behind the text
  EXPECT_FALSE(any_of<Width>(bytes_of(text), is_meant)) << Width;
  for (std::size_t at = 0; at < Width; ++at) {
    text[at] = '#';
    EXPECT_TRUE(any_of<Width>(bytes_of(text), is_meant)) << Width << ' ' << at;
    text[at] = 'a';
  }
}

template <std::size_t Width>
void knows_what_is_padded_and_loads_up_to_the_first_null() {
  for (std::size_t length = 0; length <= Width; ++length) {
    std::string text(Width + 1, '\0');
    text[Width] = 'x';  // behind the text
    std::fill_n(text.begin(), length, '\xff');
    EXPECT_TRUE(is_padded<Width>(bytes_of(text))) << Width << ' ' << length;
    const std::string_view wanted(text.data(), length);
    const auto load_it = [&text] { return load(as_bytes(text), TextField<Width>{0, "text"}); };
    EXPECT_EQ(load_it(), Text<Width>::cut(wanted)) << Width << ' ' << length;
    for (std::size_t at = length + 1; at < Width; ++at) {
      std::string broken = text;
      broken[at] = 'b';
      EXPECT_FALSE(is_padded<Width>(bytes_of(broken))) << Width << ' ' << length << ' ' << at;
      EXPECT_EQ(load(as_bytes(broken), TextField<Width>{0, "text"}), Text<Width>::cut(wanted)) << Width << ' ' << at;
    }
  }
}

template <std::size_t... Widths>
void of_widths(std::index_sequence<Widths...>) {
  (finds_a_character_wherever_it_stands<Widths + 9>(), ...);
  (knows_what_is_padded_and_loads_up_to_the_first_null<Widths + 9>(), ...);
}

TEST(Characters, are_found_in_texts_of_every_width) {
  of_widths(std::make_index_sequence<42>{});
  finds_a_character_wherever_it_stands<8>();
}

}  // namespace
}  // namespace dojima
