#pragma once

// Passwords that peers chose by NewPassword(925), kept in the journal of their sessions' stores: never the password,
// but what PBKDF2 with HMAC-SHA-256 (RFC 8018) makes of it and a random salt, by OpenSSL. With it goes the same of the
// password that the configuration had then: another one set there replaces the peer's. The library
// dojima_fix_passwords, with OpenSSL.
//
//   StoredPasswords passwords(*stores);
//   config.credentials = &passwords;      // SessionConfig; the session's store is one of `stores`
//
// A Logon with a password costs two derivations on the thread of the sessions, a change two more: `rounds` is the
// balance of that against guessing by somebody who has read the journal.

#include <cstddef>
#include <string_view>

#include "dojima/fix/credentials.hpp"
#include "dojima/fix/journal_stores.hpp"

namespace dojima::fix {

class StoredPasswords final : public Credentials {
 public:
  /// The stores outlive it. `rounds`: of PBKDF2, for passwords chosen from now on; 1,000 to 10,000,000.
  explicit StoredPasswords(JournalStores& stores, unsigned rounds = 10'000);

  [[nodiscard]] bool is_right(const SessionName& name, std::string_view first, std::string_view password) override;
  /// Errors: `malformed` for an empty text, `unavailable` when the system gives no random bytes, those of
  /// JournalStores::set_verifier.
  [[nodiscard]] Result<void> change(const SessionName& name, std::string_view first, std::string_view chosen) override;

 private:
  JournalStores& stores_;
  unsigned rounds_;
};

}  // namespace dojima::fix
