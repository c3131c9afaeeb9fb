#pragma once

// What OpenSSL reads from and writes to: the bytes that have just arrived, and the transport below. No copy of either
// is kept here.

#include <openssl/bio.h>

#include "dojima/base/bytes.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::net {

struct Wire {
  Bytes incoming;                        ///< what OpenSSL has not read yet
  link::Transport* transport = nullptr;  ///< null: nothing can be written
};

/// A BIO over `wire`, which outlives it. Null: out of memory.
[[nodiscard]] BIO* make_bio(Wire& wire) noexcept;

}  // namespace dojima::net
