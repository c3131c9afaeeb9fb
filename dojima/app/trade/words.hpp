#pragma once

// A typed line as words: what the command language of the terminal client is read from. Pure functions.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "dojima/market/price.hpp"

namespace dojima::app {

/// What was read, or a sentence that says what is wrong.
template <class T>
using Understood = std::expected<T, std::string>;

/// What was typed is wrong, and why, for whoever typed it.
[[nodiscard]] inline std::unexpected<std::string> wrong(std::string text) {
  return std::unexpected(std::move(text));
}

/// Words between blanks; '@' is a word of its own.
[[nodiscard]] std::vector<std::string> split_words(std::string_view line);

/// ASCII letters as small ones.
[[nodiscard]] std::string lower(std::string_view word);

/// A whole number in decimal digits; none: something else, or it does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view word) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// A whole number above 0.
[[nodiscard]] Understood<market::Quantity> quantity_in(std::string_view word);
/// At most eight decimals.
[[nodiscard]] Understood<market::Price> price_in(std::string_view word);

/// Words of one line, taken one after the other.
class WordReader {
 public:
  explicit WordReader(std::vector<std::string> words) : words_(std::move(words)) {}

  [[nodiscard]] bool is_over() const noexcept { return at_ == words_.size(); }
  /// The word that take() would give; empty at the end.
  [[nodiscard]] std::string peek() const { return is_over() ? std::string{} : words_[at_]; }
  /// The next word; empty at the end.
  std::string take() { return is_over() ? std::string{} : words_[at_++]; }
  /// Takes the next word if it is this one, in any case.
  bool take_if(std::string_view word) {
    const bool is_it = !is_over() && lower(words_[at_]) == word;
    at_ += is_it ? 1 : 0;
    return is_it;
  }
  /// What is left, with blanks between.
  [[nodiscard]] std::string rest();

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

}  // namespace dojima::app
