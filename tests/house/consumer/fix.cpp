// FIX, installed: a dictionary is there. Exit status 0 when all came as expected.

#include "dojima/fix/dictionary.hpp"

int main() {
  return dojima::fix::dictionary_of("FIX.4.4") == &dojima::fix::fix_4_4() ? 0 : 1;
}
