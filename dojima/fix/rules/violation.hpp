#pragma once

// What a rule of the dictionary says that a message breaks.

#include <cstdint>
#include <expected>

#include "dojima/base/error.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {

[[nodiscard]] inline std::unexpected<Error> violation(RejectReason reason, ErrorCode code, Tag tag,
                                                      std::uint32_t offset, const char* expected) noexcept {
  return fail(code, tag, offset, static_cast<std::int64_t>(reason), expected);
}

}  // namespace dojima::fix
