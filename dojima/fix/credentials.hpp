#pragma once

// Who knows the passwords of peers when a peer may change its own: with NewPassword(925) in a Logon. A session that has
// one (SessionConfig::credentials) asks it instead of its configuration. StoredPasswords (stored_passwords.hpp) keeps
// them with the sessions' numbers.

#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/session_name.hpp"

namespace dojima::fix {

class Credentials {
 public:
  /// Whether `password` is that of the session's peer. `first` is the one in the configuration, which counts until the
  /// peer chooses another; it is not empty. May take milliseconds.
  [[nodiscard]] virtual bool is_right(const SessionName& name, std::string_view first, std::string_view password) = 0;
  /// The peer of an accepted Logon has chosen another: only that counts from now on, after a crash too. An error: it is
  /// not taken, and the Logon is refused.
  [[nodiscard]] virtual Result<void> change(const SessionName& name, std::string_view first,
                                            std::string_view chosen) = 0;

 protected:
  ~Credentials() = default;
};

}  // namespace dojima::fix
