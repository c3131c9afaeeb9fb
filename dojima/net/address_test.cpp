#include "dojima/net/address.hpp"

#include <gtest/gtest.h>

namespace dojima::net {
namespace {

TEST(Address, reads_host_and_port) {
  EXPECT_EQ(parse_address("127.0.0.1:9878").value(), (link::Address{"127.0.0.1", 9878}));
  EXPECT_EQ(parse_address("[::1]:1").value(), (link::Address{"::1", 1}));
  EXPECT_EQ(parse_address("localhost:0").value(), (link::Address{"localhost", 0}));
}

TEST(Address, refuses_what_is_no_address) {
  for (const char* text : {"", ":", "127.0.0.1", ":80", "::1:80", "venue.example:80", "127.0.0.1:", "127.0.0.1:x",
                           "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1: 80", "256.0.0.1:80"}) {
    EXPECT_FALSE(parse_address(text).has_value()) << text;
  }
}

TEST(Address, is_written_as_it_was_read) {
  for (const char* text : {"127.0.0.1:9878", "[::1]:1", "localhost:65535"})
    EXPECT_EQ(text_of(parse_address(text).value()), text);
}

TEST(Address, knows_what_only_this_machine_can_reach) {
  for (const char* host : {"", "localhost", "127.0.0.1", "127.8.8.8", "::1"}) EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "192.168.1.1", "localhost.example"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace dojima::net
