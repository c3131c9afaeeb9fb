// Passwords that peers chose: known in the next life, never in clear, and void once the configuration has another.

#include "dojima/fix/stored_passwords.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/fix/passwords/verifier.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::fix {
namespace {

constexpr SessionName k_a{"FIX.4.4", "VENUE", "A"}, k_b{"FIX.4.4", "VENUE", "B"};
constexpr unsigned k_rounds = Verifier::k_rounds_least;

std::unique_ptr<JournalStores> open_stores(journal::Disk& disk) {
  auto stores = JournalStores::open(disk, {.name = "t", .segment_bytes = 1 << 16, .disk_bytes = 1 << 22});
  EXPECT_TRUE(stores);
  for (const SessionName& name : {k_a, k_b}) EXPECT_TRUE((*stores)->store(name));
  return std::move(*stores);
}

TEST(FixStoredPasswords, the_configured_one_counts_until_the_peer_chooses_another) {
  journal::SimulatedDisk disk;
  const auto stores = open_stores(disk);
  StoredPasswords passwords(*stores, k_rounds);
  EXPECT_TRUE(passwords.is_right(k_a, "first", "first"));
  EXPECT_FALSE(passwords.is_right(k_a, "first", "second"));
  ASSERT_TRUE(passwords.change(k_a, "first", "second"));
  EXPECT_TRUE(passwords.is_right(k_a, "first", "second"));
  EXPECT_FALSE(passwords.is_right(k_a, "first", "first"));
  EXPECT_FALSE(passwords.is_right(k_a, "first", ""));
  EXPECT_TRUE(passwords.is_right(k_b, "first", "first")) << "another session";
  EXPECT_EQ(passwords.change(k_a, "first", "").error().code, ErrorCode::malformed);
  EXPECT_EQ(passwords.change({"FIX.4.4", "VENUE", "C"}, "first", "x").error().code, ErrorCode::missing);
}

TEST(FixStoredPasswords, are_known_after_a_process_that_was_killed) {
  journal::SimulatedDisk disk;
  for (const char* const next : {"second", "third", "fourth"}) {
    const auto stores = open_stores(disk);
    StoredPasswords passwords(*stores, k_rounds);
    const std::string before = std::string(next) == "second"  ? "first"
                               : std::string(next) == "third" ? "second"
                                                              : "third";
    EXPECT_TRUE(passwords.is_right(k_a, "first", before)) << before;
    ASSERT_TRUE(passwords.change(k_a, "first", next));
    stores->journal().abandon();
  }
  const auto stores = open_stores(disk);
  EXPECT_TRUE(StoredPasswords(*stores, k_rounds).is_right(k_a, "first", "fourth"));
  EXPECT_EQ(stores->verifier(k_a).find("fourth"), std::string_view::npos);
}

TEST(FixStoredPasswords, another_one_in_the_configuration_takes_back_what_the_peer_chose) {
  journal::SimulatedDisk disk;
  const auto stores = open_stores(disk);
  StoredPasswords passwords(*stores, k_rounds);
  ASSERT_TRUE(passwords.change(k_a, "first", "second"));
  EXPECT_FALSE(passwords.is_right(k_a, "new", "second"));
  EXPECT_TRUE(passwords.is_right(k_a, "new", "new"));
  EXPECT_TRUE(passwords.is_right(k_a, "first", "second"));
}

TEST(FixStoredPasswords, equal_passwords_have_verifiers_of_their_own) {
  journal::SimulatedDisk disk;
  const auto stores = open_stores(disk);
  StoredPasswords passwords(*stores, k_rounds);
  ASSERT_TRUE(passwords.change(k_a, "first", "same"));
  ASSERT_TRUE(passwords.change(k_b, "first", "same"));
  EXPECT_NE(stores->verifier(k_a), stores->verifier(k_b));
}

TEST(FixVerifier, is_read_as_it_was_written_and_nothing_else_is) {
  Verifier verifier{.rounds = 4096};
  verifier.salt.fill(0xa5);
  verifier.chosen.fill(0x1f);
  verifier.first.back() = 0xff;
  const std::string text = text_of(verifier);
  EXPECT_LE(text.size(), k_session_text_max);
  EXPECT_EQ(parse_verifier(text), verifier);
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(parse_verifier(text.substr(0, size))) << size;
  EXPECT_FALSE(parse_verifier(text + "$"));
  EXPECT_FALSE(parse_verifier(text + "0"));
  EXPECT_FALSE(parse_verifier("x" + text));
  verifier.rounds = Verifier::k_rounds_least - 1;
  EXPECT_FALSE(parse_verifier(text_of(verifier)));
  verifier.rounds = Verifier::k_rounds_most + 1;
  EXPECT_FALSE(parse_verifier(text_of(verifier)));
}

TEST(FixVerifier, derives_what_another_implementation_does) {
  // As Python's hashlib.pbkdf2_hmac("sha256", b"passwd", b"NaCl" * 4, 1000) gives it.
  Verifier::Salt salt{};
  for (std::size_t at = 0; at < salt.size(); ++at) salt[at] = static_cast<std::uint8_t>("NaCl"[at % 4]);
  const Verifier::Key key = derive_key("passwd", salt, 1000);
  Verifier shown{.rounds = 1000, .salt = salt, .chosen = key};
  EXPECT_NE(text_of(shown).find("$8cfadb4c6d67cb6b557ef7314968ea8424b4fa85ab8ffda63b8eb1b78f5e49e3$"),
            std::string::npos)
      << text_of(shown);
}

}  // namespace
}  // namespace dojima::fix
