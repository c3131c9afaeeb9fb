#include "dojima/cli/cli.hpp"

int main(int count, char** words) {
  return dojima::cli::run(count, words);
}
