#pragma once

// What is kept of a password in the place of the password: scrypt (RFC 7914) of it and a random salt, by OpenSSL, as
// text in the PHC string format, which other programs read and write as well:
//
//   $scrypt$ln=14,r=8,p=1$<salt>$<key>        salt of 16 bytes, key of 32, base64 without padding
//
// Checking one takes 128 * 2^ln * r bytes of memory and time in proportion, on purpose: tens of milliseconds with the
// default. Allocates.

#include <cstdint>
#include <string>
#include <string_view>

namespace dojima::app {

/// N is 2 to the power `ln`.
struct ScryptCost {
  unsigned ln = 14;  ///< 10 to 20, with r = 1 to 15
  unsigned r = 8;    ///< 1 to 32
  unsigned p = 1;    ///< 1 to 16
  friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

/// What is to be kept of the password; empty: the system gives no random bytes or no memory.
[[nodiscard]] std::string scrypt_text(std::string_view password, const ScryptCost& cost = {});
/// The same with a salt of one's own, of 16 bytes.
[[nodiscard]] std::string scrypt_text(std::string_view password, const ScryptCost& cost, std::string_view salt);

/// Whether the text is of this form.
[[nodiscard]] bool is_scrypt_text(std::string_view text);
/// Whether the text was made of this password. False as well for a text of another form. Takes a time that does not
/// depend on where they differ.
[[nodiscard]] bool is_password_of(std::string_view text, std::string_view password);

}  // namespace dojima::app
