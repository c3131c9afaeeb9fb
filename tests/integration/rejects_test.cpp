// What the venue itself refuses by its Reject and BusinessReject, at clients that want FIX's own, in every version: the
// whole road, with the published dictionaries.

#include "road.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dojima::integration {
namespace {

using gateway::FixVersion;

constexpr std::uint32_t k_throttle = 20;

void adapt(FixVersion version, std::vector<venue::UserConfig>& users, gateway::GatewayConfig& config) {
  users[0].throttle = k_throttle;
  config.clients[0].version = version;
  config.clients[0].venue_refusals = gateway::VenueRefusals::rejects;
  config.symbols.emplace_back("GONE", 99);  // the venue has no such instrument
}

class Rejects : public ::testing::TestWithParam<FixVersion> {
 protected:
  Rejects()
      : road_(31, {.delay = 20us}, mit::lse_21_2::k_dialect,
              [](auto& users, auto& config) { adapt(GetParam(), users, config); }) {
    road_.network->connect(k_fix_address, client_.session);
    road_.run(100ms);
    EXPECT_TRUE(client_.session.is_logged_on());
  }
  ~Rejects() override {
    EXPECT_EQ(client_.troubles, 0) << "all that came is as published";
    client_.session.logout("end");
    road_.run(1s);
  }
  [[nodiscard]] static bool is(FixVersion version) { return GetParam() == version; }
  [[nodiscard]] Fields order(std::string id) const {
    Fields fields = gateway::testing::new_order(std::move(id)).set(44, "100");
    return is(FixVersion::fix_4_2) ? fields.set(21, "1") : fields;
  }
  [[nodiscard]] Fields cancel(std::string id, std::string orig) const {
    Fields fields = gateway::testing::cancel(std::move(id), std::move(orig));
    return is(FixVersion::fix_4_2) ? fields.set(38, "100") : fields;
  }
  /// The only answer, and that it is to this message.
  Message answer(std::string_view type, const Fields& fields) {
    const std::uint64_t number = client_.send(type, fields);
    road_.run(10ms);
    Message got = client_.only();
    if (got.type == "3" || got.type == "j") {
      EXPECT_EQ(got.at(45), std::to_string(number));
    }
    return got;
  }

  Road road_;
  FixClient client_{road_.scheduler, "CLIENT1", {}, GetParam(), &gateway::published_dictionary(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, Rejects, ::testing::ValuesIn(gateway::k_fix_versions), [](const auto& version) {
  std::string name(gateway::name_of(version.param));
  std::erase(name, '.');
  return name;
});

TEST_P(Rejects, of_the_venues_validation_are_rejects) {
  const Message got = answer("D", order("A-1").set(27010, "50"));
  EXPECT_EQ(got.show({371, 372}), "3 371=27010 372=D");
  EXPECT_EQ(got.at(373), is(FixVersion::fix_4_2) ? "" : "99");
  EXPECT_EQ(got.at(58), "9901 PassiveOnlyOrder(27010): value, format or length invalid");
  EXPECT_EQ(answer("H", {{{11, "A-1"}, {55, "ALPHA"}, {54, "1"}}}).show({11, 39}), "8 11=A-1 39=8");
}

TEST_P(Rejects, of_what_the_venue_does_not_serve_are_business_rejects) {
  EXPECT_EQ(answer("D", order("A-1").set(55, "GONE")).show({372, 379, 380, 58}),
            "j 372=D 379=A-1 380=0 58=9000 unknown instrument");
  EXPECT_EQ(answer("D", order("A-2")).show({11, 150, 39}), "8 11=A-2 150=0 39=0");
  road_.front->set_draining(true);
  EXPECT_EQ(answer("D", order("A-3")).show({372, 379, 380, 58}), "j 372=D 379=A-3 380=4 58=9999 system suspended");
  EXPECT_EQ(answer("F", cancel("A-4", "A-2")).show({11, 41, 150}), "8 11=A-4 41=A-2 150=4");
}

TEST_P(Rejects, of_the_venues_throttle_are_business_rejects) {
  std::vector<std::uint64_t> numbers;
  road_.run(2s);
  client_.take();
  for (std::uint32_t count = 0; count < k_throttle + 5; ++count)
    numbers.push_back(client_.send("D", order("T-" + std::to_string(count))));
  road_.run(10ms);
  std::size_t accepted = 0, refused = 0;
  for (const Message& got : client_.take()) {
    if (got.type == "8") {
      ++accepted;
      continue;
    }
    ++refused;
    EXPECT_EQ(got.show({372, 58}), "j 372=D 58=Message rate exceeded");
    EXPECT_EQ(got.at(380), is(FixVersion::fix_5_0_sp2) ? "8" : "0");
    ASSERT_TRUE(got.at(379).starts_with("T-")) << got.at(379);
    EXPECT_EQ(got.at(45), std::to_string(numbers.at(std::stoul(got.at(379).substr(2)))));
  }
  EXPECT_EQ(accepted + refused, numbers.size());
  EXPECT_GE(refused, 5u);
  EXPECT_GT(accepted, 10u);
}

}  // namespace
}  // namespace dojima::integration
