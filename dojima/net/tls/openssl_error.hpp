#pragma once

// What OpenSSL's queue of errors says, as a text for the operator and a reason for the session.

#include <openssl/types.h>
#include <span>
#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"

namespace dojima::net {

struct Diagnosis {
  link::CloseReason reason = link::CloseReason::failed;
  std::string_view text;
};

/// Why the last operation of `ssl` failed, written into `room`; empties the queue. `otherwise` is the reason where no
/// certificate is to blame.
[[nodiscard]] Diagnosis diagnose(const SSL* ssl, link::CloseReason otherwise, std::span<char> room) noexcept;

/// The oldest error of the queue as a text, e.g. "no start line"; empties the queue.
[[nodiscard]] std::string last_error();

}  // namespace dojima::net
