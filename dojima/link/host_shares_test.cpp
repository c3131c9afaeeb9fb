#include "dojima/link/host_shares.hpp"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace dojima::link {
namespace {

using Waiting = std::vector<std::pair<std::string, std::uint64_t>>;

std::optional<std::size_t> choose(HostShares& shares, const Waiting& waiting, const std::string& newcomer) {
  shares.begin();
  for (const auto& [host, number] : waiting) shares.add(host, number);
  return shares.choose(newcomer);
}

TEST(HostShares, the_oldest_of_the_host_with_most_makes_room) {
  HostShares shares(8);
  EXPECT_EQ(choose(shares, {{"client", 1}, {"storm", 3}, {"storm", 2}}, "storm"), 2u);
  EXPECT_EQ(choose(shares, {{"client", 1}, {"storm", 3}, {"storm", 2}}, "client"), 2u);
  EXPECT_EQ(choose(shares, {{"client", 1}, {"storm", 3}, {"storm", 2}}, "another"), 2u);
}

TEST(HostShares, where_hosts_have_as_many_it_is_the_newcomers_own) {
  HostShares shares(8);
  EXPECT_EQ(choose(shares, {{"client", 1}, {"storm", 2}}, "storm"), 1u);
  EXPECT_EQ(choose(shares, {{"client", 1}, {"storm", 2}}, "client"), 0u);
  EXPECT_EQ(choose(shares, {{"client", 7}, {"storm", 2}}, "another"), 1u) << "the oldest, of none of its own";
}

TEST(HostShares, nobody_makes_room_where_nobody_waits) {
  HostShares shares(0);
  EXPECT_EQ(choose(shares, {}, "client"), std::nullopt);
}

RC_GTEST_PROP(HostShares, choose_what_counting_says, ()) {
  const auto name = [](int number) { return "10.0.0." + std::to_string(number); };
  HostShares shares(32);
  for (int round = 0; round < 3; ++round) {
    const auto hosts = *rc::gen::resize(32, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6)));
    const std::string newcomer = name(*rc::gen::inRange(0, 8));
    Waiting waiting;
    std::map<std::string, int> counts;
    for (const int host : hosts) {
      if (waiting.size() == 32) break;
      waiting.emplace_back(name(host), 100 - waiting.size());
      ++counts[name(host)];
    }
    const auto chosen = choose(shares, waiting, newcomer);
    RC_ASSERT(chosen.has_value() == !waiting.empty());
    if (!chosen) continue;
    const auto& [host, number] = waiting[*chosen];
    for (const auto& [other, count] : counts) {
      RC_ASSERT(count <= counts[host]);
      RC_ASSERT(count < counts[host] || other != newcomer || host == newcomer);
    }
    for (const auto& [other, others_number] : waiting) RC_ASSERT(other != host || others_number >= number);
  }
}

}  // namespace
}  // namespace dojima::link
