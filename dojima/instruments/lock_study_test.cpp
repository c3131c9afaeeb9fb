#include "dojima/instruments/lock_study.hpp"

#include <gtest/gtest.h>

#include "dojima/base/bytes.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"

namespace dojima::instruments {
namespace {

TEST(ServiceTrace, lies_in_the_file_as_the_picture_says) {
  const std::vector<measure::ServiceRecord> records = {{1, 2, 0x0102, 3, 4, 5}};
  const std::string file = measure::encode_service_trace(records);
  const std::string expected = std::string("DOJSVC01") + std::string("\x01\0\0\0\0\0\0\0", 8) +
                               std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 24) +
                               std::string("\x03\0\x04\0\x05\0\0\0", 8);
  EXPECT_EQ(file, expected);
  EXPECT_EQ(measure::decode_service_trace(as_bytes(file)), records);
  EXPECT_EQ(measure::decode_service_trace(as_bytes(measure::encode_service_trace({}))),
            std::vector<measure::ServiceRecord>{});
}

TEST(ServiceTrace, refuses_what_is_cut_or_out_of_order) {
  const std::string file =
      measure::encode_service_trace(std::vector<measure::ServiceRecord>{{1, 2, 3, 0, 0, 0}, {5, 4, 6, 0, 0, 0}});
  const auto disorder = measure::decode_service_trace(as_bytes(file));
  ASSERT_FALSE(disorder.has_value());
  EXPECT_EQ(disorder.error().offset, 48u);
  EXPECT_FALSE(measure::decode_service_trace(as_bytes(file.substr(0, 47))).has_value());
  EXPECT_FALSE(measure::decode_service_trace(as_bytes(file.substr(0, 10))).has_value());
  EXPECT_FALSE(measure::decode_service_trace(as_bytes("DOJSVC02" + file.substr(8))).has_value());
}

TEST(LockStudy, sees_two_holders_at_once) {
  EXPECT_EQ(overlapping_holders(std::vector<measure::ServiceRecord>{{0, 10, 20}, {5, 20, 30}, {25, 29, 40}}), 1u);
  EXPECT_EQ(overlapping_holders(std::vector<measure::ServiceRecord>{{0, 10, 20, 0, 0, 1}, {5, 15, 30, 0, 0, 2}}), 0u)
      << "of two rounds";
}

TEST(LockStudy, counts_who_waited_and_for_how_long) {
  LockStudy study;
  // Two requests at once, the second waits for the first; then one that waits for nobody.
  study.trace = {{0, 50, 550, 1, 0, 0}, {100, 600, 1'100, 1, 1, 0}, {5'000, 5'040, 5'540, 1, 0, 0}};
  evidence::Artefact artefact("dojima lab lock");
  add_lock_study(artefact, {.cpus = {0, 1}}, study);
  const evidence::Table& table = artefact.tables().at(0);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(*table.rows[0][0].text(), "spin");
  EXPECT_EQ(*table.rows[0][table.column("requests")].integer(), 3);
  EXPECT_NEAR(*table.rows[0][table.column("waited_percent")].real(), 100.0 / 3, 1e-9);
  EXPECT_NEAR(*table.rows[0][table.column("held_percent")].real(), 100 * 1'500.0 / 5'540, 1e-9);
  EXPECT_EQ(*table.rows[0][table.column("wait_max_ns")].integer(), 500);
  EXPECT_TRUE(artefact.checks().at(0).ok);
  const evidence::Verification found = evidence::verify(artefact.text());
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
}

// On any machine and however busy it is: every request is served once, in order, by one at a time.
TEST(LockStudy, grants_each_lock_to_one_at_a_time) {
  LockPlan plan{.cpus = allowed_cpus(), .rounds = 1};
  plan.cpus.resize(std::min<std::size_t>(plan.cpus.size(), 2));
  plan.round_length = std::chrono::milliseconds{10};
  plan.capacity = 2'000;
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{5});
  const auto study = measure_locks(plan, clock, [](std::size_t) { return true; });
  ASSERT_TRUE(study.has_value()) << study.error();
  EXPECT_EQ(overlapping_holders(study->trace), 0u);
  EXPECT_TRUE(measure::decode_service_trace(as_bytes(measure::encode_service_trace(study->trace))).has_value());
}

}  // namespace
}  // namespace dojima::instruments
