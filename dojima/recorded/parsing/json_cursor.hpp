#pragma once

// Walks over JSON text without a tree: for feeds whose messages are known, where one pass over the characters is all
// there is time for. Takes what JSON allows (blanks, any order of keys); strings are given as they are, escapes not
// undone. Each call either goes on behind what it took, or answers false and the text is not what was expected. Nesting
// deeper than 64 is refused. Nothing is allocated.
//
//   JsonCursor json(R"({"p":"1.5","q":[1,2]})");
//   std::string_view key;
//   for (bool more = json.begin('{'); more && json.key(key); more = json.more('}')) ...;
//   json.is_good()                     // whether all of it was as expected

#include <cstdint>
#include <string_view>

#include "dojima/recorded/fields.hpp"

namespace dojima::recorded {

class JsonCursor {
 public:
  explicit constexpr JsonCursor(std::string_view text) noexcept : fields_(text) {}

  /// Goes into an object ('{') or array ('['); true: it is not empty, its first key or value comes.
  [[nodiscard]] bool begin(char open) noexcept;
  /// Behind a value: true: there is another; false: `close` was taken.
  [[nodiscard]] bool more(char close) noexcept;
  /// The next key, and the colon behind it.
  [[nodiscard]] bool key(std::string_view& key) noexcept;
  /// A string, without its quotes.
  [[nodiscard]] bool string(std::string_view& text) noexcept;
  /// A whole number.
  [[nodiscard]] bool number(std::uint64_t& value) noexcept;
  /// A decimal number, with or without quotes.
  [[nodiscard]] bool decimal(unsigned decimals, std::int64_t& value) noexcept;
  [[nodiscard]] bool boolean(bool& value) noexcept;
  /// Any value.
  [[nodiscard]] bool skip() noexcept;
  /// The character that the next value begins with; null at the end.
  [[nodiscard]] char peek() noexcept;
  /// Nothing but blanks is left, and nothing was refused.
  [[nodiscard]] bool is_done() noexcept;
  /// Nothing was refused so far.
  [[nodiscard]] bool is_good() const noexcept { return is_good_; }

 private:
  [[nodiscard]] bool refuse() noexcept { return is_good_ = false; }
  void skip_blanks() noexcept;

  Fields fields_;
  bool is_good_ = true;
};

}  // namespace dojima::recorded
