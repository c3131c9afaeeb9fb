#include "dojima/app/trade/latency_probe.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>

#include "dojima/app/servers_test_support.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

/// A venue that begins when the probe listens to its feed.
class ProbedVenue {
 public:
  LatencyProbeResult probe(LatencyProbeOptions options, const std::function<bool()>& stops = {}) {
    return probe_latency(options, stops, {}, [&](const link::Address& feed) {
      VenueConfig config = testing::Market::venue_config();
      if (!options.feed_line.empty()) config.feed.line_a = net::text_of(feed);
      server_ = VenueServer::make(config).value();
      const link::Address address = server_->start().value();
      thread_ = std::jthread([this] { server_->run([this] { return is_over_.load(); }); });
      return address;
    });
  }
  ~ProbedVenue() { is_over_ = true; }
  static LatencyProbeOptions options() {
    const VenueConfig venue = default_venue();
    return {.user = venue.users[0].name,
            .password = venue.users[0].password,
            .feed_line = "127.0.0.1:0",
            .instrument = venue.instruments[0].id,
            .price = venue.instruments[0].reference,
            .quantity = {1},
            .trades = true,
            .rounds = 8,
            .gap = 100us};
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::unique_ptr<VenueServer> server_;
  std::jthread thread_;
};

TEST(LatencyProbe, measures_every_kind_of_message_and_its_times_rise) {
  ProbedVenue venue;
  const LatencyProbeResult result = venue.probe(ProbedVenue::options());
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.rounds, 8u);
  EXPECT_FALSE(result.was_interrupted);
  std::map<ProbeKind, std::size_t> counts;
  std::map<ProbeKind, ProbeTrip> last;
  for (const ProbeTrip& trip : result.trips) {
    ++counts[trip.kind];
    EXPECT_LE(trip.sent, trip.at_exchange);
    EXPECT_LE(trip.at_exchange, trip.received);
    EXPECT_LT(trip.received - trip.sent, 10s);
    const auto before = last.find(trip.kind);
    EXPECT_TRUE(before == last.end() || before->second.at_exchange < trip.at_exchange) << name_of(trip.kind);
    last[trip.kind] = trip;
  }
  EXPECT_EQ(counts[ProbeKind::submit], 16u);
  EXPECT_EQ(counts[ProbeKind::replace], 8u);
  EXPECT_EQ(counts[ProbeKind::cancel], 8u);
  EXPECT_EQ(counts[ProbeKind::trade], 8u);
  EXPECT_GE(counts[ProbeKind::feed], 24u);
  const std::string text = latency_file_text(result.trips);
  EXPECT_TRUE(text.starts_with("kind,sent,exchange,received\n"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), result.trips.size() + 1);
}

TEST(LatencyProbe, without_trades_or_a_feed_there_are_three_kinds_and_halves_are_in_the_middle) {
  ProbedVenue venue;
  LatencyProbeOptions options = ProbedVenue::options();
  options.trades = false;
  options.halves = true;
  options.feed_line.clear();
  const LatencyProbeResult result = venue.probe(options);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.trips.size(), 24u);
  for (const ProbeTrip& trip : result.trips)
    EXPECT_EQ(trip.at_exchange - trip.sent, (trip.received - trip.sent) / 2) << name_of(trip.kind);
}

TEST(LatencyProbe, says_what_is_wrong) {
  const auto trouble = [](auto change) {
    ProbedVenue venue;
    LatencyProbeOptions options = ProbedVenue::options();
    options.patience = 2s;
    change(options);
    return venue.probe(options).trouble;
  };
  EXPECT_NE(trouble([](LatencyProbeOptions& of) { of.password = "wrong"; }).find("refused the logon"),
            std::string::npos);
  EXPECT_NE(trouble([](LatencyProbeOptions& of) { of.price = {1}; }).find("refused a request: "), std::string::npos);
  EXPECT_NE(trouble([](LatencyProbeOptions& of) { of.feed_line = "nowhere"; }).find("cannot be had"),
            std::string::npos);
  LatencyProbeOptions nobody = ProbedVenue::options();
  nobody.feed_line.clear();
  nobody.venue = {"127.0.0.1", 1};
  EXPECT_EQ(probe_latency(nobody, {}, {}).trouble, "nobody listens at 127.0.0.1:1; is the venue running?");
}

TEST(LatencyProbe, ends_on_request_and_leaves_no_order) {
  ProbedVenue venue;
  LatencyProbeOptions options = ProbedVenue::options();
  options.rounds = 1'000'000;
  int asked = 0;
  const LatencyProbeResult result = venue.probe(options, [&] { return ++asked > 3; });
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_EQ(result.trouble, "");
  EXPECT_LT(result.rounds, options.rounds);
}

}  // namespace
}  // namespace dojima::app
