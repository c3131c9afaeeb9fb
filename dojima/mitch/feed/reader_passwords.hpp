#pragma once

// Compares the passwords of readers with what is kept in their place. That takes long on purpose, so somebody else does
// it meanwhile, and the answer to the login waits.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/time/time.hpp"

namespace dojima::mitch {

/// What a connection wants to know.
struct ReaderPassword {
  std::uint32_t connection = 0;  ///< a number that no other connection has meanwhile
  std::uint16_t reader = 0;      ///< its place in the configuration
  std::string_view host;         ///< where the connection comes from
  std::string_view kept;         ///< that the password is compared with
  std::string_view password;
};

enum class ReaderVerdict : std::uint8_t {
  right,
  wrong,
  busy,  ///< not looked at: too many wait; the reader may try again
};

class ReaderPasswords {
 public:
  /// Between two times that a question is asked.
  static constexpr time::Duration k_ask_again = std::chrono::milliseconds{20};

  /// None: it is being found; ask again in k_ask_again, with the same question. One that is not asked again need not be
  /// answered. An answer is given once.
  [[nodiscard]] virtual std::optional<ReaderVerdict> find(const ReaderPassword& question) = 0;

 protected:
  ~ReaderPasswords() = default;
};

}  // namespace dojima::mitch
