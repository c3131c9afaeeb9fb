#include "dojima/app/passwords/scrypt.hpp"

#include <array>
#include <charconv>
#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <optional>

namespace dojima::app {
namespace {

constexpr std::string_view k_scrypt_name = "$scrypt$";
constexpr std::size_t k_salt_size = 16, k_key_size = 32;
constexpr std::string_view k_base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned k_byte_bits = 8, k_digit_bits = 6;

std::string base64_of(std::string_view bytes) {
  std::string text;
  unsigned held = 0, bits = 0;
  for (const char byte : bytes) {
    held = held << k_byte_bits | static_cast<unsigned char>(byte);
    for (bits += k_byte_bits; bits >= k_digit_bits; bits -= k_digit_bits)
      text += k_base64[held >> (bits - k_digit_bits) & (k_base64.size() - 1)];
  }
  if (bits != 0) text += k_base64[held << (k_digit_bits - bits) & (k_base64.size() - 1)];
  return text;
}

/// None: not what base64_of() makes of so many bytes.
std::optional<std::string> bytes_of_base64(std::string_view text, std::size_t size) {
  std::string bytes;
  unsigned held = 0, bits = 0;
  for (const char character : text) {
    const std::size_t digit = k_base64.find(character);
    if (digit == std::string_view::npos) return std::nullopt;
    held = held << k_digit_bits | static_cast<unsigned>(digit);
    bits += k_digit_bits;
    if (bits < k_byte_bits) continue;
    bits -= k_byte_bits;
    bytes += static_cast<char>(held >> bits);
  }
  if (bytes.size() != size || base64_of(bytes) != text) return std::nullopt;
  return bytes;
}

struct ScryptParts {
  ScryptCost cost;
  std::string salt, key;
};

/// Takes "NAME=NUMBER" and the character behind it away.
bool take_number(std::string_view& text, std::string_view name, char behind, unsigned least, unsigned most,
                 unsigned& value) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data() + text.size() || *end != behind || text.front() == '0') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value >= least && value <= most;
}

/// N is below 2 to the power 16 r (RFC 7914, section 2), or OpenSSL makes nothing.
bool is_cost_good(const ScryptCost& cost) noexcept {
  if (cost.r == 1 && cost.ln >= 16) return false;
  return cost.ln >= 10 && cost.ln <= 20 && cost.r >= 1 && cost.r <= 32 && cost.p >= 1 && cost.p <= 16;
}

std::optional<ScryptParts> parse_scrypt(std::string_view text) {
  if (!text.starts_with(k_scrypt_name)) return std::nullopt;
  text.remove_prefix(k_scrypt_name.size());
  ScryptParts parts;
  if (!take_number(text, "ln=", ',', 10, 20, parts.cost.ln) || !take_number(text, "r=", ',', 1, 32, parts.cost.r) ||
      !take_number(text, "p=", '$', 1, 16, parts.cost.p))
    return std::nullopt;
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos) return std::nullopt;
  const auto salt = bytes_of_base64(text.substr(0, dollar), k_salt_size);
  const auto key = bytes_of_base64(text.substr(dollar + 1), k_key_size);
  if (!salt || !key) return std::nullopt;
  parts.salt = *salt;
  parts.key = *key;
  if (!is_cost_good(parts.cost)) return std::nullopt;
  return parts;
}

/// Empty: there is no memory for it.
std::string scrypt_key(std::string_view password, std::string_view salt, const ScryptCost& cost) {
  constexpr std::uint64_t k_block = 128, k_spare = 1 << 20;
  const std::uint64_t rounds = std::uint64_t{1} << cost.ln;
  const std::uint64_t memory = k_block * cost.r * (rounds + cost.p + 2) + k_spare;
  std::string key(k_key_size, '\0');
  const int done =
      EVP_PBE_scrypt(password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                     rounds, cost.r, cost.p, memory, reinterpret_cast<unsigned char*>(key.data()), key.size());
  return done == 1 ? key : std::string();
}

}  // namespace

std::string scrypt_text(std::string_view password, const ScryptCost& cost) {
  std::array<unsigned char, k_salt_size> salt{};
  if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) return {};
  return scrypt_text(password, cost, {reinterpret_cast<const char*>(salt.data()), salt.size()});
}

std::string scrypt_text(std::string_view password, const ScryptCost& cost, std::string_view salt) {
  if (!is_cost_good(cost) || salt.size() != k_salt_size) return {};
  const std::string key = scrypt_key(password, salt, cost);
  if (key.empty()) return {};
  return fmt::format("{}ln={},r={},p={}${}${}", k_scrypt_name, cost.ln, cost.r, cost.p, base64_of(salt),
                     base64_of(key));
}

bool is_scrypt_text(std::string_view text) {
  return parse_scrypt(text).has_value();
}

bool is_password_of(std::string_view text, std::string_view password) {
  const auto parts = parse_scrypt(text);
  if (!parts) return false;
  const std::string key = scrypt_key(password, parts->salt, parts->cost);
  return key.size() == parts->key.size() && CRYPTO_memcmp(key.data(), parts->key.data(), key.size()) == 0;
}

}  // namespace dojima::app
