#include "dojima/instruments/oslat_agreement.hpp"

#include <gtest/gtest.h>

#include "dojima/evidence/verify.hpp"

namespace dojima::instruments {
namespace {

TEST(OslatAgreement, takes_turns_in_who_begins) {
  std::string order;
  const auto counter = [&order](char name, double answer) {
    return [&order, name, answer]() -> std::expected<double, std::string> {
      order += name;
      return answer;
    };
  };
  const auto rounds =
      compare_with_oslat({.rounds = 3}, counter('j', 110), counter('o', 100), [](std::size_t) { return true; });
  ASSERT_TRUE(rounds.has_value());
  EXPECT_EQ(order, "joojjo");
  ASSERT_EQ(rounds->size(), 3u);
  EXPECT_EQ((*rounds)[1].ours_per_s, 110);
  EXPECT_EQ((*rounds)[1].oslat_per_s, 100);
}

TEST(OslatAgreement, ends_with_the_rounds_so_far_and_says_what_failed) {
  const GapCounter fine = []() -> std::expected<double, std::string> { return 1; };
  const GapCounter missing = []() -> std::expected<double, std::string> { return std::unexpected("not installed"); };
  const auto some = compare_with_oslat({.rounds = 9}, fine, fine, [](std::size_t done) { return done < 2; });
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->size(), 2u);
  const auto none = compare_with_oslat({}, fine, missing, [](std::size_t) { return true; });
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error(), "not installed");
}

TEST(OslatAgreement, records_the_ratio_with_its_interval) {
  evidence::Artefact artefact("dojima lab jitter --against oslat");
  add_agreement(artefact, {.rounds = 3}, {{110, 100}, {95, 100}, {108, 104}});
  const evidence::Table& agreement = artefact.tables().at(1);
  EXPECT_DOUBLE_EQ(*agreement.rows.at(0)[0].real(), 1.08);
  EXPECT_EQ(agreement.rows[0][3], evidence::Cell(true));
  EXPECT_TRUE(evidence::verify(artefact.text()).is_right());

  evidence::Artefact far("dojima lab jitter --against oslat");
  add_agreement(far, {.rounds = 1}, {{130, 100}});
  EXPECT_EQ(far.tables().at(1).rows.at(0)[3], evidence::Cell(false));
  EXPECT_TRUE(far.checks().empty()) << "recorded, not judged";

  evidence::Artefact quiet("dojima lab jitter --against oslat");
  add_agreement(quiet, {.rounds = 1}, {{1, 0}});
  EXPECT_FALSE(quiet.tables().at(1).rows.at(0)[0].is_measured());
  EXPECT_TRUE(evidence::verify(quiet.text()).is_right());
}

}  // namespace
}  // namespace dojima::instruments
