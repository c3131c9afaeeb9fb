#include "dojima/link/host_pattern.hpp"

#include <gtest/gtest.h>

namespace dojima::link {
namespace {

TEST(HostPattern, a_host_matches_its_own_name_only) {
  EXPECT_TRUE(host_matches("127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(host_matches("::1", "::1"));
  EXPECT_FALSE(host_matches("127.0.0.1", "127.0.0.10"));
  EXPECT_FALSE(host_matches("", "127.0.0.1"));
}

TEST(HostPattern, a_network_has_the_hosts_that_begin_with_its_bits) {
  EXPECT_TRUE(host_matches("10.1.2.3", "10.1.0.0/16"));
  EXPECT_TRUE(host_matches("10.1.255.255", "10.1.77.0/16")) << "bits behind the prefix do not count";
  EXPECT_FALSE(host_matches("10.2.0.0", "10.1.0.0/16"));
  EXPECT_TRUE(host_matches("192.168.7.9", "192.168.7.9/32"));
  EXPECT_FALSE(host_matches("192.168.7.8", "192.168.7.9/32"));
  EXPECT_TRUE(host_matches("1.2.3.4", "0.0.0.0/0"));
  EXPECT_FALSE(host_matches("::1", "0.0.0.0/0")) << "no address of IPv4";
}

TEST(HostPattern, what_is_no_network_matches_nothing) {
  for (const char* pattern :
       {"10.0.0.0/33", "10.0.0/8", "10.0.0.0.0/8", "10.0.0.256/8", "/8", "10.0.0.0/", "a/b", "10.0.0.0/-1"}) {
    EXPECT_FALSE(is_host_pattern(pattern)) << pattern;
    EXPECT_FALSE(host_matches("10.0.0.0", pattern)) << pattern;
  }
  EXPECT_FALSE(is_host_pattern(""));
  EXPECT_TRUE(is_host_pattern("localhost"));
  EXPECT_TRUE(is_host_pattern("10.0.0.0/8"));
}

}  // namespace
}  // namespace dojima::link
