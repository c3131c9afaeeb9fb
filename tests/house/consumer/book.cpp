// The order book, installed: its rules are there and the ladder book is complete. Exit status 0 when all came as
// expected.

#include "dojima/book/book.hpp"

#include "dojima/book/script.hpp"

int main() {
  const dojima::book::BookRules rules;
  return sizeof(dojima::book::LadderBook) > 0 && rules.policy == dojima::book::Policy::fifo ? 0 : 1;
}
