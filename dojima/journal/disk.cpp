#include "dojima/journal/disk.hpp"

#include <cerrno>

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
  return {.code = code_of(number), .got = number, .expected = wanted};
}

}  // namespace dojima::journal
