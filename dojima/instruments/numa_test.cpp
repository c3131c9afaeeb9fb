#include "dojima/instruments/numa.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"

namespace dojima::instruments {
namespace {

/// A tree of two nodes, the second without memory, and things beside them.
std::filesystem::path two_nodes() {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "dojima_numa";
  const auto put = [&root](const char* path, const char* text) {
    const std::filesystem::path file = root / "sys/devices/system/node" / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  put("node1/cpulist", "2-3\n");
  put("node1/meminfo", "Node 1 MemTotal:              0 kB\n");
  put("node0/cpulist", "0-1\n");
  put("node0/meminfo", "Node 0 MemTotal:       24674856 kB\nNode 0 MemFree:        1024 kB\n");
  put("online", "0-1\n");
  put("nodes_of_another_kind/cpulist", "7\n");
  return root;
}

TEST(Numa, reads_nodes_with_the_processors_that_may_be_used) {
  const std::vector<NumaNode> nodes = read_numa_nodes(two_nodes(), {0, 3});
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].number, 0);
  EXPECT_EQ(nodes[0].cpus, std::vector<int>{0});
  EXPECT_EQ(nodes[0].memory_bytes, 24'674'856ull * 1'024);
  EXPECT_EQ(nodes[1].cpus, std::vector<int>{3});
  EXPECT_EQ(nodes[1].memory_bytes, 0u);
  EXPECT_TRUE(read_numa_nodes("/nowhere", {0}).empty());
}

TEST(Numa, chases_through_every_line_once) {
  const std::vector<std::uint32_t> ring = random_ring(1'000, 7);
  std::size_t steps = 0;
  std::uint32_t at = 0;
  do {
    at = ring[at];
    ++steps;
  } while (at != 0 && steps <= ring.size());
  EXPECT_EQ(steps, 1'000u);
}

TEST(Numa, distinguishes_local_from_remote_and_says_why_there_is_none) {
  const NumaPlan plan;
  evidence::Artefact two("dojima lab numa");
  add_numa(two, read_numa_nodes(two_nodes(), {0, 3}), plan,
           {{0, 0, 90, 1, {}}, {0, 0, 94, 0.5, {}}, {1, 0, 0, 0, "mbind: no"}}, 9);
  const evidence::Table& table = two.tables().at(0);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_DOUBLE_EQ(*table.rows[0][3].real(), 92);
  EXPECT_DOUBLE_EQ(*table.rows[0][4].real(), 50) << "the round in which fewest pages were there";
  EXPECT_EQ(table.rows[1][3], evidence::Cell(evidence::Unmeasured{"the node has no memory"}));
  EXPECT_EQ(*table.rows[2][2].text(), "remote");
  EXPECT_EQ(table.rows[2][3], evidence::Cell(evidence::Unmeasured{"mbind: no"}));

  evidence::Artefact one("dojima lab numa");
  add_numa(one, {{0, {0}, 1}}, plan, {{0, 0, 90, 1, {}}}, 9);
  ASSERT_EQ(one.tables().at(0).rows.size(), 2u);
  EXPECT_FALSE(one.tables().at(0).rows[1][3].is_measured());

  evidence::Artefact none("dojima lab numa");
  add_numa(none, read_numa_nodes("/no/such/root", {0}), plan, {}, 9);
  ASSERT_EQ(none.tables().at(0).rows.size(), 1u);
  EXPECT_EQ(none.tables().at(0).rows[0][0], evidence::Cell(evidence::Unmeasured{"the kernel shows no nodes"}));
  EXPECT_TRUE(evidence::verify(none.text()).is_right());

  const evidence::Verification found = evidence::verify(one.text());
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
}

TEST(Numa, measures_the_nodes_of_this_machine) {
  const NumaPlan plan{.bytes = std::size_t{1} << 20, .loads = 10'000, .rounds = 1};
  const std::vector<NumaNode> nodes = read_numa_nodes("/", allowed_cpus());
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{5});
  for (const NumaLatency& latency : measure_numa(nodes, plan, clock, [](std::size_t) { return true; })) {
    // Where the machine forbids placing memory, it says so.
    EXPECT_TRUE(!latency.trouble.empty() || latency.ns_per_load > 0);
  }
  EXPECT_TRUE(measure_numa(nodes, plan, clock, [](std::size_t) { return false; }).empty());
}

}  // namespace
}  // namespace dojima::instruments
