#include "dojima/app/machines.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"

namespace dojima::app {
namespace {

TEST(Machines, are_found_by_their_names) {
  for (const NamedMachine& machine : machines()) {
    EXPECT_EQ(find_machine(machine.name), &machine);
    EXPECT_EQ(machine.describe().name, machine.name);
  }
  EXPECT_EQ(find_machine("lathe"), nullptr);
  EXPECT_EQ(machine_names().size(), machines().size());
}

TEST(Machines, have_the_pages_in_docs_that_their_tables_generate) {
  for (const NamedMachine& machine : machines()) {
    const std::string page = "docs/machines/" + std::string(machine.name) + ".md";
    std::ifstream file(source_folder() + "/" + page, std::ios::binary);
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(committed, machine_page(machine))
        << "write it anew: dojima fsm print " << machine.name << " --as page > " << page;
  }
}

}  // namespace
}  // namespace dojima::app
