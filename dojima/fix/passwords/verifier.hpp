#pragma once

// What a password is checked with: "pbkdf2-sha256", rounds, salt, the key of the chosen password and that of the one in
// the configuration, with '$' between, bytes as hexadecimal digits.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dojima::fix {

struct Verifier {
  static constexpr unsigned k_rounds_least = 1000;
  static constexpr unsigned k_rounds_most = 10'000'000;
  using Salt = std::array<std::uint8_t, 16>;
  using Key = std::array<std::uint8_t, 32>;

  unsigned rounds = 0;
  Salt salt{};
  Key chosen{};
  Key first{};
  friend bool operator==(const Verifier&, const Verifier&) = default;
};

[[nodiscard]] std::string text_of(const Verifier& verifier);
/// None: the text is no verifier.
[[nodiscard]] std::optional<Verifier> parse_verifier(std::string_view text);

/// PBKDF2 with HMAC-SHA-256.
[[nodiscard]] Verifier::Key derive_key(std::string_view password, const Verifier::Salt& salt, unsigned rounds);
/// In a time that does not depend on where they differ.
[[nodiscard]] bool are_equal(const Verifier::Key& left, const Verifier::Key& right) noexcept;

}  // namespace dojima::fix
