// MIT303, installed: its layouts are printed. Exit status 0 when all came as expected.

#include "dojima/mitch/describe.hpp"

int main() {
  return dojima::mitch::layouts_page().empty() ? 1 : 0;
}
