#pragma once

// What tests of the recovery channel share: a venue with one, and a member that recovers over it.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/mit/recovery_client.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/recovery/recovery_front.hpp"

namespace dojima::venue::testing {

/// The recovering end of a member.
class Recoverer final : public mit::RecoveryClientHandler {
 public:
  Recoverer(sched::Scheduler& scheduler, std::string_view user, std::string_view password = "Secret#2026")
      : client({.user = std::string(user), .password = std::string(password)}, mit::dialect_under_test(), scheduler,
               *this) {}
  void on_recovery_logged_on(mit::RecoveryClient&, const mit::VenueDay& said, Time) override { day = said; }
  void on_recovered(mit::RecoveryClient&, const OwnerReport& report, std::int32_t, Time) override {
    reports.push_back(report);
  }
  void on_recovery_status(mit::RecoveryClient&, const mit::SystemStatus& status, Time) override {
    statuses.push_back(status.status);
  }
  void on_recovery_end(mit::RecoveryClient&, const mit::RecoveryOutcome& outcome, Time) override {
    is_over = true;
    last = outcome;
    text = outcome.text;
  }
  std::vector<OwnerReport> reports;
  std::vector<int> statuses;
  mit::VenueDay day;
  mit::RecoveryOutcome last;
  std::string text;
  bool is_over = false;
  mit::RecoveryClient client;
};

inline RecoveryFrontConfig in_dialect(RecoveryFrontConfig config) {
  config.dialect = &mit::dialect_under_test();
  return config;
}

class RecoveringVenue : public Venue {
 public:
  explicit RecoveringVenue(const RecoveryFrontConfig& config = {},
                           const VenueLimits& limits = {.orders = 64, .levels = 32, .reports = 4096})
      : Venue(make_front_config(), {}, limits),
        recovery(in_dialect(config), scheduler, front, std::vector<Partition*>{&partition_one, &partition_two}) {
    EXPECT_TRUE(network.listen(port, recovery).has_value());
  }
  void run(time::Duration duration) {
    for (const Time end = scheduler.now() + duration; scheduler.now() < end;) {
      Venue::run(1ms);
      while (recovery.finish(scheduler.now()) != 0) Venue::run(time::Duration{1});
    }
  }
  /// Asks for what follows these numbers, and waits for the end.
  std::unique_ptr<Recoverer> recover(std::string_view user, std::uint64_t one, std::uint64_t two,
                                     std::string_view password = "Secret#2026") {
    auto recoverer = std::make_unique<Recoverer>(scheduler, user, password);
    recoverer->client.ask_for(1, {one});
    recoverer->client.ask_for(2, {two});
    network.connect(port, recoverer->client);
    for (int count = 0; count < 100 && !recoverer->is_over; ++count) run(10ms);
    return recoverer;
  }
  /// Anna and Bert trade with each other; Anna is gone when Bert's second order comes.
  std::unique_ptr<Member> anna, bert;
  void trade_while_anna_is_away(int trades) {
    anna = log_on("ANNA");
    bert = log_on("BERT");
    for (int count = 0; count < trades; ++count)
      send(*anna, valid_order({.side = Side::buy, .lots = 1, .ticks = 100, .id = "A" + std::to_string(count)}));
    anna->session.logout("lunch");
    Venue::run(5s);
    for (int count = 0; count < trades; ++count)
      send(*bert, valid_order({.side = Side::sell, .lots = 1, .ticks = 100, .id = "B" + std::to_string(count)}));
    missed_from = anna->session.highest_sequence(1).value;
    network.connect(address, anna->session);
    Venue::run(1ms);
    ASSERT_TRUE(anna->is_on);
  }
  std::uint64_t missed_from = 0;
  link::Address port{"recovery", 1};
  RecoveryFront recovery;
};

}  // namespace dojima::venue::testing
