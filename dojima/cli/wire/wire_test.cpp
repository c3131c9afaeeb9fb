#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view k_status = "\x02\x03\x00n\x02\x01"sv;
constexpr std::string_view k_event =
    "\x0f\x00\x01"
    "1\x01\x00\x00\x00\x07S\xe8\x03\x00\x00O"sv;

TEST(Wire, prints_order_entry_messages_with_what_they_mean) {
  const TemporaryFile file(k_status);
  const Outcome outcome = call({"mit", "print", file.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "SystemStatus, 6 bytes")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "recovery service resumed")) << outcome.out;
}

TEST(Wire, prints_market_data_with_what_it_means) {
  const TemporaryFile file(k_event);
  const Outcome outcome = call({"mitch", "print", file.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "SystemEvent, 7 bytes, group 1, number 1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "start of day")) << outcome.out;
}

TEST(Wire, answers_with_a_failure_where_something_is_wrong) {
  const TemporaryFile unknown("\x02\x01\x00Z"sv), cut("\x02\x15\x00\x35"sv), noise("hello"sv);
  EXPECT_EQ(call({"mit", "print", unknown.path()}).status, k_failed);
  const Outcome short_of = call({"mit", "print", cut.path()});
  EXPECT_EQ(short_of.status, k_failed);
  EXPECT_TRUE(contains(short_of.err, "is cut off")) << short_of.err;
  EXPECT_EQ(call({"mitch", "print", noise.path()}).status, k_failed);
}

TEST(Wire, prints_json_of_messages_and_fields) {
  const TemporaryFile file(k_status);
  const Outcome outcome = call({"mit", "print", file.path(), "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "dojima.lab.run/1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\"AppStatus\"")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "SystemStatus, 6 bytes")) << outcome.out;
}

/// Numbers of the wire, most significant byte first, and of the file, least significant first.
std::string big(std::uint32_t value, int size) {
  std::string bytes;
  for (int place = size; place-- > 0;) bytes += static_cast<char>(value >> 8 * place & 0xff);
  return bytes;
}
std::string little(std::uint32_t value) {
  const std::string bytes = big(value, 4);
  return {bytes.rbegin(), bytes.rend()};
}

/// A packet of raw IP with that protocol, from 10.0.0.1:7 to 10.0.0.2:9.
std::string packet(unsigned protocol, const std::string& header, std::string_view payload) {
  const std::string carried = big(7, 2) + big(9, 2) + header + std::string(payload);
  return big(0x45, 1) + big(0, 1) + big(static_cast<std::uint32_t>(20 + carried.size()), 2) + big(0, 4) + big(64, 1) +
         big(protocol, 1) + big(0, 2) + big(0x0a000001, 4) + big(0x0a000002, 4) + carried;
}
std::string tcp(std::uint32_t sequence, std::string_view payload) {
  return packet(6, big(sequence, 4) + big(0, 4) + "\x50\x18" + std::string(6, '\0'), payload);
}
std::string udp(std::string_view payload) {
  return packet(17, big(static_cast<std::uint32_t>(8 + payload.size()), 2) + big(0, 2), payload);
}

std::string capture(const std::vector<std::string>& packets) {
  std::string file = little(0xa1b2c3d4) + little(0x00040002) + little(0) + little(0) + little(65'535) + little(101);
  std::uint32_t second = 1'784'548'800;
  for (const std::string& each : packets)
    file += little(second++) + little(5) + little(static_cast<std::uint32_t>(each.size())) +
            little(static_cast<std::uint32_t>(each.size())) + each;
  return file;
}

TEST(Wire, prints_order_entry_out_of_a_capture_and_leaves_other_streams_out) {
  const std::string status(k_status);
  const TemporaryFile file(capture({tcp(1, status.substr(0, 3)), udp(k_event), tcp(4, status.substr(3))}));
  const Outcome outcome = call({"mit", "print", file.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "SystemStatus, 6 bytes, 10.0.0.1:7 > 10.0.0.2:9 20260720-12:00:00.000005000"))
      << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "SystemEvent"));
}

TEST(Wire, prints_market_data_out_of_the_datagrams_of_a_capture) {
  const TemporaryFile file(capture({tcp(1, "8=FIX.4.4"), udp(k_event)}));
  const Outcome outcome = call({"mitch", "print", file.path()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "SystemEvent, 7 bytes, 10.0.0.1:7 > 10.0.0.2:9")) << outcome.out;
}

TEST(Wire, says_when_a_capture_has_gaps_or_nothing_of_the_protocol) {
  const TemporaryFile gap(capture({tcp(1, k_status), tcp(100, k_status)})), other(capture({tcp(1, "8=FIX.4.4")}));
  const Outcome with_gap = call({"mit", "print", gap.path()});
  EXPECT_EQ(with_gap.status, k_failed);
  EXPECT_TRUE(contains(with_gap.err, "10.0.0.1:7 > 10.0.0.2:9: 1 gaps in the capture")) << with_gap.err;
  EXPECT_EQ(call({"mit", "print", other.path()}).status, k_failed);
}

TEST(Wire, knows_its_dialects_and_names_the_nearest) {
  const TemporaryFile file(k_status);
  EXPECT_EQ(call({"mit", "print", file.path(), "--dialect", "BIT-9.4"}).status, k_success);
  const Outcome outcome = call({"mit", "print", file.path(), "--dialect", "BIT-9.5"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "did you mean BIT-9.4?")) << outcome.err;
  EXPECT_EQ(call({"mit", "layouts", "--dialect", "none"}).status, k_usage);
  EXPECT_EQ(call({"mit", "print", "/nowhere/at/all"}).status, k_usage);
}

TEST(Wire, prints_the_pages_of_the_layouts) {
  EXPECT_TRUE(contains(call({"mit", "layouts"}).out, "NewOrder, 125 bytes"));
  EXPECT_TRUE(contains(call({"mitch", "layouts"}).out, "AddOrder, 44 bytes"));
}

}  // namespace
}  // namespace dojima::cli
