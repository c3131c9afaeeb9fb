#include "dojima/fix/passwords/verifier.hpp"

#include <algorithm>
#include <charconv>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <span>

#include "dojima/base/assert.hpp"

namespace dojima::fix {
namespace {

constexpr std::string_view k_name = "pbkdf2-sha256$";
constexpr std::string_view k_digits = "0123456789abcdef";

void append(std::span<const std::uint8_t> bytes, std::string& text) {
  text += '$';
  for (const std::uint8_t byte : bytes) {
    text += k_digits[byte >> 4U];
    text += k_digits[byte & 15U];
  }
}

/// Takes the text up to the next '$' away.
std::string_view take(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find('$'));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool read(std::string_view digits, std::span<std::uint8_t> bytes) {
  if (digits.size() != 2 * bytes.size()) return false;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    const std::size_t value = k_digits.find(digits[at]);
    if (value == std::string_view::npos) return false;
    std::uint8_t& byte = bytes[at / 2];
    byte = static_cast<std::uint8_t>(at % 2 == 0 ? value << 4U : byte | value);
  }
  return true;
}

}  // namespace

std::string text_of(const Verifier& verifier) {
  std::string text = std::string(k_name) + std::to_string(verifier.rounds);
  append(verifier.salt, text);
  append(verifier.chosen, text);
  append(verifier.first, text);
  return text;
}

std::optional<Verifier> parse_verifier(std::string_view text) {
  if (!text.starts_with(k_name)) return std::nullopt;
  text.remove_prefix(k_name.size());
  Verifier verifier;
  const std::string_view rounds = take(text);
  const auto [end, wrong] = std::from_chars(rounds.data(), rounds.data() + rounds.size(), verifier.rounds);
  const bool is_number = wrong == std::errc{} && end == rounds.data() + rounds.size();
  if (!is_number || verifier.rounds < Verifier::k_rounds_least || verifier.rounds > Verifier::k_rounds_most)
    return std::nullopt;
  const bool is_whole =
      read(take(text), verifier.salt) && read(take(text), verifier.chosen) && read(text, verifier.first);
  return is_whole ? std::optional(verifier) : std::nullopt;
}

Verifier::Key derive_key(std::string_view password, const Verifier::Salt& salt, unsigned rounds) {
  Verifier::Key key{};
  const int done =
      PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(), static_cast<int>(salt.size()),
                        static_cast<int>(rounds), EVP_sha256(), static_cast<int>(key.size()), key.data());
  DOJIMA_ASSERT(done == 1, "OpenSSL has PBKDF2 with SHA-256", done);
  return key;
}

bool are_equal(const Verifier::Key& left, const Verifier::Key& right) noexcept {
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace dojima::fix
