// What is kept of passwords: as the standard says, read as it was written and nothing else is.

#include "dojima/app/passwords/scrypt.hpp"

#include <gtest/gtest.h>

namespace dojima::app {
namespace {

constexpr ScryptCost k_cheap{.ln = 10, .r = 1};

TEST(Scrypt, makes_what_another_implementation_does) {
  // As Python's hashlib.scrypt(b"pleaseletmein", salt=b"SodiumChlorideXX", n=16384, r=8, p=1, dklen=32) gives it.
  EXPECT_EQ(scrypt_text("pleaseletmein", {}, "SodiumChlorideXX"),
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGVYWA$qoO5uPmn1ZlMEv/5LVYAy23giCraB+wz6S8naTjrRmU");
  // ... n=1024, r=8, p=16.
  EXPECT_EQ(scrypt_text("password", {.ln = 10, .r = 8, .p = 16}, "NaClNaClNaClNaCl"),
            "$scrypt$ln=10,r=8,p=16$TmFDbE5hQ2xOYUNsTmFDbA$ruflYSr7JKwcyP4taFgPBJI7nqmwRVvjonthQb2MSCI");
}

TEST(Scrypt, knows_the_password_that_it_was_made_of) {
  const std::string text = scrypt_text("Secret#2026", k_cheap);
  EXPECT_TRUE(is_scrypt_text(text)) << text;
  EXPECT_TRUE(is_password_of(text, "Secret#2026"));
  EXPECT_FALSE(is_password_of(text, "Secret#2027"));
  EXPECT_FALSE(is_password_of(text, ""));
  EXPECT_FALSE(is_password_of("Secret#2026", "Secret#2026")) << "in clear it is none";
  EXPECT_NE(scrypt_text("Secret#2026", k_cheap), text) << "a salt of its own";
}

TEST(Scrypt, takes_no_other_text) {
  const std::string text = scrypt_text("Secret#2026", k_cheap);
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(is_scrypt_text(text.substr(0, size))) << size;
  EXPECT_FALSE(is_scrypt_text(text + "A"));
  EXPECT_FALSE(is_scrypt_text(text + "="));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_TRUE(is_scrypt_text(with("ln=10,r=1,", "ln=20,r=2,")));
  EXPECT_TRUE(is_scrypt_text(with("ln=10", "ln=15")));
  EXPECT_FALSE(is_scrypt_text(with("ln=10", "ln=16"))) << "with r = 1 nobody can make one";
  for (const char* const cost : {"ln=9", "ln=21", "ln=010", "ln=", "ln=x", "ln=10,", "ln=99999999999"})
    EXPECT_FALSE(is_scrypt_text(with("ln=10", cost))) << cost;
  EXPECT_FALSE(is_scrypt_text(with("r=1,", "r=33,")));
  EXPECT_FALSE(is_scrypt_text(with("p=1$", "p=17$")));
  EXPECT_FALSE(is_scrypt_text(with("p=1$", "p=1$*")));
  EXPECT_EQ(scrypt_text("x", {.ln = 9}), "");
  EXPECT_EQ(scrypt_text("x", k_cheap, "short"), "");
  EXPECT_EQ(scrypt_text("x", {.ln = 16, .r = 1}), "");
  EXPECT_TRUE(is_password_of(scrypt_text("x", {.ln = 15, .r = 1}), "x")) << "the border";
}

}  // namespace
}  // namespace dojima::app
