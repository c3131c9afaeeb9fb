// jitter, c2c, sharing, numa, lock and import: what a person types and what comes out. How long things take is the
// machine's business; that every result is an artefact which verifies is ours.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/measure/service_trace.hpp"

namespace dojima::cli {
namespace {

evidence::Artefact verified(const Outcome& outcome) {
  const evidence::Verification found = evidence::verify(outcome.out);
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front()) << outcome.err;
  auto artefact = evidence::Artefact::from(*evidence::parse_document(outcome.out));
  return artefact ? std::move(*artefact) : evidence::Artefact("none");
}

std::string last_core() {
  return std::to_string(instruments::allowed_cpus().back());
}

std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(LabJitter, records_both_ways_and_writes_every_gap) {
  const TemporaryFolder folder;
  const std::string gaps = folder / "gaps.csv";
  const Outcome spin = call_lab({"jitter", "--cores", last_core(), "--seconds", "0.1", "--gaps", gaps, "--json"});
  EXPECT_EQ(spin.status, k_success) << spin.err;
  const evidence::Artefact artefact = verified(spin);
  ASSERT_EQ(artefact.tables().size(), 4u);
  EXPECT_EQ(artefact.tables().back().name, "overhead");
  EXPECT_TRUE(read_file(gaps).starts_with("cpu,at_ns,duration_ns\n"));

  const Outcome sleep = call_lab({"jitter", "--mode", "sleep", "--cores", last_core(), "--seconds", "0.1", "--json"});
  EXPECT_EQ(sleep.status, k_success) << sleep.err;
  EXPECT_EQ(verified(sleep).parameters().at("mode").as_text(), "sleep");
}

TEST(LabJitter, says_what_is_wrong_with_the_processors) {
  const Outcome words = call_lab({"jitter", "--cores", "all"});
  EXPECT_EQ(words.status, k_usage);
  EXPECT_NE(words.err.find("expected processors such as 0,2 or 0-3"), std::string::npos) << words.err;
  const Outcome missing = call_lab({"jitter", "--cores", "1023", "--seconds", "0.1"});
  EXPECT_EQ(missing.status, k_environment);
  EXPECT_NE(missing.err.find("processor 1023"), std::string::npos) << missing.err;
}

TEST(LabC2c, answers_with_a_matrix) {
  const Outcome outcome = call_lab({"c2c", "--quick", "--exchanges", "1000", "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_EQ(verified(outcome).tables().at(1).rows.size(), instruments::allowed_cpus().size());
}

TEST(LabSharing, fails_where_threads_take_turns) {
  const Outcome outcome = call_lab({"sharing", "--cores", last_core() + "," + last_core(), "--rounds", "2", "--json"});
  EXPECT_EQ(outcome.status, k_failed) << outcome.err;
  verified(outcome);
}

TEST(LabNuma, shows_what_is_remote_or_why_nothing_is) {
  const Outcome outcome = call_lab({"numa", "--quick", "--mebibytes", "1", "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const evidence::Table table = verified(outcome).tables().at(0);
  // A bare root without /sys shows no nodes at all; then the one row says that.
  const bool shows_nodes = std::filesystem::exists("/sys/devices/system/node/node0");
  EXPECT_GE(table.rows.size(), shows_nodes ? 2u : 1u);
  if (!shows_nodes) {
    EXPECT_EQ(table.notes.back(), "Remote memory is unavailable: the kernel shows no nodes.");
  }
}

TEST(LabLockLong, writes_the_waits_as_a_trace) {
  const TemporaryFolder folder;
  const std::string file = folder / "waits.svc";
  const Outcome outcome = call_lab({"lock", "--rounds", "1", "--trace", file, "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const evidence::Artefact artefact = verified(outcome);
  const auto trace = measure::decode_service_trace(as_bytes(read_file(file)));
  ASSERT_TRUE(trace.has_value());
  std::size_t requests = 0;
  for (const auto& row : artefact.tables().at(0).rows) requests += static_cast<std::size_t>(*row[1].integer());
  EXPECT_EQ(trace->size(), requests);
}

TEST(LabImport, turns_the_result_of_another_tool_into_an_artefact) {
  const TemporaryFolder folder;
  const std::string file = folder / "hyperfine.json";
  std::ofstream(file) << R"({"results": [{"command": "true", "mean": 0.002, "stddev": null, "median": 0.002, )"
                         R"("user": 0.001, "system": 0, "min": 0.002, "max": 0.002, "times": [0.002]}]})";
  const Outcome outcome = call_lab({"import", file, "--json"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_EQ(verified(outcome).command(), "hyperfine");
  std::ofstream(file) << "nothing of the kind";
  const Outcome other = call_lab({"import", file});
  EXPECT_EQ(other.status, k_usage);
  EXPECT_NE(other.err.find("looks like none of the formats"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace dojima::cli
