// The room of errors and fixed memory, installed: an error in words. Exit status 0 when all came as expected.

#include <string_view>

#include "dojima/base/error.hpp"

int main() {
  char text[160];
  const dojima::Error error{.code = dojima::ErrorCode::malformed, .expected = "a price"};
  return dojima::describe(error, text).find("a price") != std::string_view::npos ? 0 : 1;
}
