#include "dojima/base/one_line.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima {
namespace {

TEST(OneLine, shows_control_characters_as_their_numbers_and_all_else_as_it_is) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("refused KONOIKE \\ 1~"), "refused KONOIKE \\ 1~");
  EXPECT_EQ(one_line("a\nb\rc\x1b[31m"), "a\\x0ab\\x0dc\\x1b[31m");
  EXPECT_EQ(one_line(std::string("\0\x1f \x7f", 4)), "\\x00\\x1f \\x7f");
  EXPECT_EQ(one_line("\xe6\x97\xa5"), "\xe6\x97\xa5") << "UTF-8 stays";
}

}  // namespace
}  // namespace dojima
