// MIT203, installed: its dialects are there. Exit status 0 when all came as expected.

#include "dojima/mit/describe.hpp"

int main() {
  return dojima::mit::find_dialect("LSE-21.2") != nullptr && dojima::mit::dialects().size() == 3 ? 0 : 1;
}
