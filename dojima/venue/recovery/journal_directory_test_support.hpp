#pragma once

// What the tests of a venue's journal directory share: a short trading day of one partition in small segments, with two
// auctions, every kind of command and, on request, snapshots; and what came of it, counted while it was written.

#include <gtest/gtest.h>
#include <memory>
#include <utility>

#include "dojima/venue/recovery/follower.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {

/// RICE has a day from 1:00 to 7:00 behind k_start, SILK trades all the time.
[[nodiscard]] inline PartitionSettings journal_settings(std::uint8_t partition = 1) {
  using namespace std::chrono_literals;
  PartitionSettings settings{.config = make_config(), .user_names = {"ann", "bob", "cid", "dee"}, .build = "test"};
  settings.config.app_id = partition;
  for (market::Instrument& instrument : settings.config.instruments) instrument.partition = partition;
  settings.config.instruments[0].segment = "FOOD";
  settings.config.segments = {{.name = "FOOD",
                               .timetable = {.start_of_day = 1h,
                                             .opening_call = 2h,
                                             .opening = 3h,
                                             .closing_call = 4h,
                                             .closing = 5h,
                                             .cross_end = 6h,
                                             .end_of_day = 7h}}};
  settings.config.limits = {.orders = 200, .levels = 60, .reports = 1024, .report_buffer = 16};
  settings.config.checkpoint_every = 64;
  return settings;
}

[[nodiscard]] inline JournaledPartitionOptions journal_options(const PartitionSettings& settings, Time now) {
  return {.settings = settings,
          .journal = {.durability = journal::Durability::process,
                      .segment_bytes = 16384,
                      .largest_record = 512,
                      .spare_segments = 2},
          .now = now};
}

struct DayOptions {
  std::uint8_t partition = 1;
  std::uint64_t seed = 1;
  int commands = 350;                ///< of the flow, beside those of the day
  std::uint64_t snapshot_every = 0;  ///< 0: one in the middle of the day
  std::size_t keep = 2;              ///< snapshots, with the records behind the oldest
  bool has_snapshot = true;
};

/// What a day was like.
class WrittenDay final : public ReportSink {
 public:
  struct Trade {
    Time time;
    std::uint32_t instrument = 0;
    market::Price price;
    std::int64_t lots = 0;
    bool is_auction = false;
    friend bool operator==(const Trade&, const Trade&) = default;
  };

  void on_reports(std::span<const market::BookReport> reports, Time now) override {
    for (const market::BookReport& report : reports) {
      if (report.kind == market::BookReportKind::accepted) ++accepted;
      if (report.kind == market::BookReportKind::uncrossed && report.quantity.lots != 0) ++auctions;
      if (report.kind == market::BookReportKind::traded)
        trades.push_back(
            {now, report.instrument, report.price, report.quantity.lots, (report.flags & market::k_auction) != 0});
    }
  }

  std::vector<Trade> trades;
  std::uint64_t accepted = 0, auctions = 0;
  std::uint64_t digest = 0, last = 0, live_orders = 0;
};

/// Writes a day into an empty directory and closes the journal.
inline void write_day(journal::Disk& disk, const DayOptions& options, WrittenDay& day) {
  using namespace std::chrono_literals;
  auto opened = JournaledPartition::open(disk, journal_options(journal_settings(options.partition), k_start));
  ASSERT_TRUE(opened) << opened.error().what;
  JournaledPartition& venue = **opened;
  Partition& partition = venue.partition();
  StateFlow flow(options.seed);
  partition.observe(&flow);
  partition.observe(&day);
  const auto follower = std::make_unique<Follower>(
      venue, FollowerOptions{.every_commands = options.snapshot_every, .keep = options.keep, .reports = 16});
  Time now = k_start;
  const auto submit = [&](auto& command) {
    ASSERT_TRUE(partition.submit(command.header, now).has_value());
    venue.journal().work();
    if (options.snapshot_every != 0) follower->step();
  };
  for (std::uint16_t user = 0; user < 4; ++user) {
    market::UserCommand logon{.header = {.user = user, .type = market::CommandType::logon}};
    submit(logon);
  }
  constexpr int k_phases_of_day = 7;
  for (int hour = 1; hour <= k_phases_of_day; ++hour) {
    now = k_start + hour * 1h;
    market::DayCommand phase{
        .midnight = k_start, .seed = 7, .event = hour == 1 ? market::DayEvent::begin : market::DayEvent::due};
    phase.header.user = market::k_no_user;
    submit(phase);
    for (int count = 0; count < options.commands / k_phases_of_day; ++count) {
      now += 1s;
      auto command = flow.next();
      std::visit([&](auto& each) { submit(each); }, command);
    }
    if (options.snapshot_every == 0 && options.has_snapshot && hour == 4) {
      while (follower->step()) {
      }
      ASSERT_TRUE(follower->snapshot());
    }
  }
  // Whatever phase the flow left SILK in: the day ends with a trade.
  market::PhaseChange open{.phase = market::Phase::continuous};
  open.header.instrument = k_silk;
  submit(open);
  for (const Side side : {Side::buy, Side::sell}) {
    auto order = make_order({.side = side, .lots = 5, .ticks = 500, .instrument = k_silk});
    submit(order);
  }
  for (int count = 0; count < 20; ++count) venue.journal().work();
  day.digest = partition.digest();
  day.last = partition.last_command().value;
  day.live_orders = partition.live_orders();
}

}  // namespace dojima::venue::testing
