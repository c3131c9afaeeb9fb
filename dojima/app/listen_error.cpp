#include "dojima/app/listen_error.hpp"

#include <cerrno>
#include <fmt/core.h>
#include <system_error>

#include "dojima/net/address.hpp"

namespace dojima::app {

std::string describe_listen_error(const link::Address& address, AnyPort any, const Error& error) {
  const std::string where = net::text_of(address);
  if (error.code != ErrorCode::unavailable) {
    char text[160];
    return fmt::format("cannot listen on {}: {}", where, describe(error, text));
  }
  const auto number = static_cast<int>(error.got);
  std::string advice = "is the address one of this machine?";
  if (number == EADDRINUSE)
    advice = fmt::format("stop the program that listens there, or choose another port ({}: any free one)", any.words);
  if (number == EACCES) advice = "ports below 1024 need permission; choose another one";
  return fmt::format("cannot listen on {}: {}; {}", where, std::system_category().message(number), advice);
}

std::string describe_listen_error(const link::Address& address, std::string_view key, const Error& error) {
  const std::string words = fmt::format("--set {}=0", key);
  return describe_listen_error(address, AnyPort{words}, error);
}

}  // namespace dojima::app
