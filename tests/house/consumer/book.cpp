// The order book, installed: a scenario that trades, in plain words. Exit status 0 when all came as expected.

#include "dojima/book/book.hpp"

#include "dojima/book/script.hpp"

int main() {
  const dojima::book::ScriptResult result = dojima::book::run_script(
      "sell A 10 @ 101\n"
      "> accepted A sell 10 @ 101 leaves 10 shows 10\n"
      "> added A sell 10 @ 101 leaves 10 shows 10\n");
  return result.checked == 1 && result.differences.empty() && sizeof(dojima::book::Book) > 0 ? 0 : 1;
}
