#include "dojima/journal/disk.hpp"

#include <array>
#include <cerrno>
#include <system_error>

namespace dojima::journal {
namespace {

ErrorCode code_of(int number) noexcept {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return ErrorCode::no_room;
    case EROFS:
    case EACCES:
    case EPERM:
    case EWOULDBLOCK:
      return ErrorCode::refused;
    case ENOENT:
      return ErrorCode::missing;
    case EEXIST:
      return ErrorCode::duplicate;
    default:
      return ErrorCode::unavailable;
  }
}

}  // namespace

Error disk_error(int number, const char* wanted) noexcept {
  return {.code = code_of(number), .field = k_disk_field, .got = number, .expected = wanted};
}

std::string text_of(const Error& error) {
  if (is_of_disk(error))
    return std::system_category().message(static_cast<int>(error.got)) + ", trying " +
           (error.expected != nullptr ? error.expected : "something");
  std::array<char, 200> text{};
  return std::string(describe(error, text));
}

}  // namespace dojima::journal
