#include "dojima/app/order_fields_page.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"

namespace dojima::app {
namespace {

TEST(OrderFieldsPage, is_what_the_dictionaries_say) {
  std::ifstream file(source_folder() + "/docs/order-fields.md", std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  const std::string written = ::testing::TempDir() + "order-fields.md";
  const std::string page = order_fields_page();
  if (committed != page) std::ofstream(written, std::ios::binary) << page;
  EXPECT_TRUE(committed == page) << "take the new one: cp " << written << " docs/order-fields.md";
}

TEST(OrderFieldsPage, knows_what_a_version_has_and_what_the_extension_adds) {
  const std::string page = order_fields_page();
  EXPECT_NE(page.find("| limit | 40=2 | yes | yes | yes |"), std::string::npos);
  EXPECT_NE(page.find("| iceberg with peaks of random size | 40=2, 1084=3, 1138 | – | – | yes |"), std::string::npos);
  EXPECT_NE(page.find("## Quote `S`"), std::string::npos);
  EXPECT_NE(page.find("| 27021 | PeggedExecInst | extension | extension | extension |"), std::string::npos);
  EXPECT_NE(page.find("| 298 | QuoteCancelType | required | required | required |"), std::string::npos);
  EXPECT_NE(page.find("| good for scheduled auctions | 59=C | extension | extension | "), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
