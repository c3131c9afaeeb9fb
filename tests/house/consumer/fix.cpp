// FIX, installed: a dictionary is there. Exit status 0 when all came as expected.

#include "dojima/fix/dictionary.hpp"

int main() {
  return dojima::fix::fix44().find_message("D") != nullptr ? 0 : 1;
}
