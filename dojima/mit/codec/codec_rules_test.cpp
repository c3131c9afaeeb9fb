// The tests of many characters at once, against the rules that look at each.

#include "dojima/mit/codec/codec_rules.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::mit {
namespace {

template <std::size_t Width>
void says_what_the_rules_say() {
  constexpr TextField<Width> k_field{3, "text"};
  for (std::size_t at = 0; at < Width; ++at)
    for (unsigned c = 0; c < 256; ++c) {
      std::string message(Width + 6, 'a');
      message[3 + at] = static_cast<char>(c);
      const Bytes bytes = as_bytes(message);
      EXPECT_EQ(is_identifier(bytes, k_field), Rules(bytes).identifier(k_field).fault().is_none()) << at << ' ' << c;
      EXPECT_EQ(is_identifier(bytes, k_field), k_identifier_characters[c]) << at << ' ' << c;
      EXPECT_EQ(is_ascii(bytes, k_field), Rules(bytes).ascii(k_field).fault().is_none()) << at << ' ' << c;
    }
}

TEST(CodecRules, say_of_a_whole_text_what_they_say_of_its_characters) {
  says_what_the_rules_say<10>();
  says_what_the_rules_say<11>();
  says_what_the_rules_say<20>();
  says_what_the_rules_say<25>();
}

}  // namespace
}  // namespace dojima::mit
