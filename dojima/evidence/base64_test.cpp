#include "dojima/evidence/base64.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dojima::evidence {
namespace {

std::vector<unsigned char> octets(std::string_view text) {
  return {text.begin(), text.end()};
}

TEST(Base64, gives_the_standards_answers) {  // RFC 4648, section 10
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    EXPECT_EQ(to_base64(octets(plain)), coded);
    EXPECT_EQ(from_base64(coded), octets(plain)) << coded;
  }
}

TEST(Base64, has_every_sign) {
  const std::string_view signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bytes = from_base64(signs);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(to_base64(*bytes), signs);
}

TEST(Base64, refuses_what_it_would_not_have_written) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "Zm=v", "=m9v", "Zm9v\n", " Zm9",
                                      "Zm-v", "Zm9\xff", "Zh==", "Zm9="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(Base64, reads_back_what_it_wrote, (const std::vector<unsigned char>& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
}

RC_GTEST_PROP(Base64, knows_one_text_for_the_same_bytes, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("AQgw+/9=")));
  const auto bytes = from_base64(text);
  if (bytes) RC_ASSERT(to_base64(*bytes) == text);
}

}  // namespace
}  // namespace dojima::evidence
