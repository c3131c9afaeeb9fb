// The vocabulary of the market, installed: a price is read. Exit status 0 when all came as expected.

#include "dojima/market/price.hpp"

int main() {
  const auto price = dojima::market::parse_price("123.45");
  return price && price->units == 12'345'000'000 ? 0 : 1;
}
