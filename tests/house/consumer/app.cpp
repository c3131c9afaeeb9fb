// The programs as library objects, installed: the default venue in TOML. Exit status 0 when all came as expected.

#include "dojima/app/config.hpp"

int main() {
  return dojima::app::text_of(dojima::app::default_venue()).find("KAGA") != std::string::npos ? 0 : 1;
}
