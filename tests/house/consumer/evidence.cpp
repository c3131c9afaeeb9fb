// Artefacts and reports, installed: a digest and a table. Exit status 0 when all came as expected.

#include <string>

#include "dojima/evidence/sha256.hpp"
#include "dojima/evidence/table.hpp"

int main() {
  dojima::evidence::Table table{.name = "cost", .title = "cost", .columns = {{"what"}, {"ns", 2}}};
  table.add_row({std::string("record"), 0.81});
  const bool is_shown = to_text(table).find("0.81") != std::string::npos;
  return is_shown && dojima::evidence::sha256_hex("").starts_with("e3b0c44298fc1c14") ? 0 : 1;
}
