// The exchange that simulations run on, installed: it says what timers it needs. Exit status 0 when all came as
// expected.

#include "dojima/simulate/exchange.hpp"

int main() {
  return dojima::simulate::Exchange::timers({}) > 0 ? 0 : 1;
}
