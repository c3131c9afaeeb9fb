#include "dojima/app/trade/words.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace dojima::app {

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_open = false;
  for (const char character : line) {
    if (character == ' ' || character == '\t' || character == '\r') {
      is_open = false;
    } else if (character == '@') {
      words.emplace_back("@");
      is_open = false;
    } else {
      if (!is_open) words.emplace_back();
      words.back() += character;
      is_open = true;
    }
  }
  return words;
}

std::string lower(std::string_view word) {
  std::string small(word);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return small;
}

Understood<market::Quantity> quantity_in(std::string_view word) {
  const auto quantity = market::parse_quantity(word);
  if (!quantity || quantity->lots <= 0)
    return std::unexpected(fmt::format("\"{}\" is not a quantity: a whole number above 0", word));
  return *quantity;
}

Understood<market::Price> price_in(std::string_view word) {
  const auto price = market::parse_price(word);
  if (!price) return std::unexpected(fmt::format("\"{}\" is not a price with at most eight decimals", word));
  return *price;
}

std::string WordReader::rest() {
  std::string text;
  while (!is_over()) {
    if (!text.empty()) text += ' ';
    text += take();
  }
  return text;
}

}  // namespace dojima::app
