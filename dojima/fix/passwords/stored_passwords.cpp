#include "dojima/fix/stored_passwords.hpp"

#include <openssl/rand.h>
#include <optional>

#include "dojima/base/assert.hpp"
#include "dojima/fix/passwords/verifier.hpp"

namespace dojima::fix {

StoredPasswords::StoredPasswords(JournalStores& stores, unsigned rounds) : stores_(stores), rounds_(rounds) {
  DOJIMA_ASSERT(rounds >= Verifier::k_rounds_least && rounds <= Verifier::k_rounds_most, "rounds in their range",
                rounds);
}

bool StoredPasswords::is_right(const SessionName& name, std::string_view first, std::string_view password) {
  const std::optional<Verifier> verifier = parse_verifier(stores_.verifier(name));
  if (!verifier || !are_equal(derive_key(first, verifier->salt, verifier->rounds), verifier->first))
    return password == first;
  return are_equal(derive_key(password, verifier->salt, verifier->rounds), verifier->chosen);
}

Result<void> StoredPasswords::change(const SessionName& name, std::string_view first, std::string_view chosen) {
  if (chosen.empty()) return fail(ErrorCode::malformed, 0, 0, 0, "a password");
  Verifier verifier{.rounds = rounds_};
  if (RAND_bytes(verifier.salt.data(), static_cast<int>(verifier.salt.size())) != 1)
    return fail(ErrorCode::unavailable, 0, 0, 0, "random bytes for a password's salt");
  verifier.chosen = derive_key(chosen, verifier.salt, rounds_);
  verifier.first = derive_key(first, verifier.salt, rounds_);
  return stores_.set_verifier(name, text_of(verifier));
}

}  // namespace dojima::fix
