// A week of a venue in virtual time: five days of members who come and go, and of an operator who halts, kills and
// busts. No order lives beyond its time, no lot is lost, the numbers of each day are without a gap, and the journals
// give the same week again.

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/next_day_clock.hpp"
#include "dojima/venue/partition/trades.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using market::TimeInForce;

constexpr int k_days = 5;
/// The day of FOOD is over at 17 o'clock, orders of the day in what has no timetable half an hour later.
constexpr Duration k_day_orders_end = 17h + 30min, k_numbers_begin_anew = 18h;

PartitionConfig config_of(std::uint8_t app_id, std::uint32_t instrument, std::string_view symbol) {
  PartitionConfig config;
  config.app_id = app_id;
  config.instruments.push_back(make_instrument(instrument, symbol));
  config.users = set_ups_of(make_users());
  config.limits = {.orders = 512, .levels = 256, .reports = 4096, .trades = 256};
  if (instrument != k_rice) return config;
  config.instruments[0].segment = "FOOD";
  config.segments = {food_segment()};
  config.segments[0].timetable.random_end = 20s;
  return config;
}

/// What was said of an order.
struct Life {
  std::int64_t leaves = 0;
  bool is_over = false;
};

/// A partition with its journal and its clock, and what all its reports come to.
class Kept {
 public:
  // Inlined into the test it makes g++ 12 warn of a pointer that does not dangle.
  [[gnu::noinline]] Kept(std::uint8_t app_id, std::uint32_t instrument, std::string_view symbol,
                         sched::Scheduler& scheduler)
      : config_(config_of(app_id, instrument, symbol)), partition(config_, journal), clock(partition, scheduler, 7) {
    clock.start(k_midnight);
    clock.end_days_at(k_midnight, k_day_orders_end);
  }

  /// `untils`: until when an order may live, by its client's ids.
  void read(const std::map<std::string, Time>& untils) {
    for (auto batch = partition.reports().read(cursor_, partition.durable()); !batch.reports.empty();
         batch = partition.reports().read(cursor_, partition.durable())) {
      ASSERT_EQ(batch.lost, 0u);
      for (const OwnerReport& report : batch.reports) ASSERT_NO_FATAL_FAILURE(take(report, untils));
    }
  }

  void check(Time now) const {
    std::size_t live = 0;
    for (const auto& [id, life] : lives_) live += life.is_over ? 0 : 1;
    ASSERT_EQ(partition.live_orders(), live);
    const book::Book& book = *partition.book(config_.instruments[0].id);
    for (const Side side : {Side::buy, Side::sell})
      book.each_resting(side, [&](const book::RestingOrder& resting) {
        const Life& life = lives_.at(resting.id.value);
        ASSERT_FALSE(life.is_over) << resting.id.value;
        ASSERT_EQ(resting.leaves.lots, life.leaves) << resting.id.value;
        ASSERT_GT(untils_.at(resting.id.value), now) << resting.id.value;
      });
    std::int64_t open = 0, leaves = 0;
    for (std::uint16_t user = 0; user < config_.users.size(); ++user) open += partition.totals(user).open();
    for (const auto& [id, life] : lives_) leaves += life.is_over ? 0 : life.leaves;
    ASSERT_EQ(open, leaves);
  }

  void expect_replay_is_the_same() const {
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition again(config_, nothing);
    journal::MemoryJournal::Cursor at;
    while (const auto record = journal.read(at)) ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), partition.digest());
    EXPECT_FALSE(again.divergence().has_value());
    EXPECT_EQ(again.reports().end(), partition.reports().end());
  }

  [[nodiscard]] bool is_halted() const {
    const InstrumentDay* const day = partition.day(config_.instruments[0].id);
    return day != nullptr && day->phase() == market::DayPhase::halted;
  }

 private:
  void take(const OwnerReport& report, const std::map<std::string, Time>& untils) {
    // Each day numbers from 1 on, and leaves none out.
    ASSERT_TRUE(report.sequence.value == last_ + 1 || report.sequence.value == 1)
        << report.sequence.value << ' ' << last_;
    days_numbered += report.sequence.value == 1 ? 1 : 0;
    last_ = report.sequence.value;
    ++counts[report.kind];
    if (report.order.value == 0) return;
    const bool is_answer =
        report.kind == rejected || report.kind == request_rejected || report.kind == business_rejected;
    if (is_answer || report.kind == mass_cancelled) return;
    if (report.kind == accepted || (report.kind == suspended && !lives_.contains(report.order.value))) {
      ASSERT_FALSE(lives_.contains(report.order.value)) << report.order.value;
      lives_[report.order.value] = {.leaves = report.leaves.lots};
      untils_[report.order.value] = untils.at(std::string(report.client_order_id.view()));
      return;
    }
    Life& life = lives_.at(report.order.value);
    if (report.kind == trade_cancelled) return take_back(report, life);
    ASSERT_FALSE(life.is_over) << "kind " << int(report.kind) << " of order " << report.order.value;
    switch (report.kind) {
      case traded:
        ASSERT_EQ(report.leaves.lots, life.leaves - report.quantity.lots);
        sides_[report.trade].push_back(report);
        break;
      case replaced:
        untils_[report.order.value] = untils.at(std::string(report.client_order_id.view()));
        break;
      default:
        break;
    }
    life.leaves = report.leaves.lots;
    life.is_over = report.kind == cancelled || report.kind == expired || report.leaves.lots == 0;
  }
  void take_back(const OwnerReport& report, Life& life) {
    ASSERT_EQ(sides_.count(report.trade), 1u);
    ASSERT_TRUE(busted_.insert({report.execution, report.trade}).second);
    life.leaves = life.is_over ? 0 : report.leaves.lots;
  }

 public:
  /// Each trade was reported to two owners, one on each side, with the same price and quantity.
  void expect_trades_have_two_sides() const {
    for (const auto& [trade, sides] : sides_) {
      ASSERT_EQ(sides.size(), 2u) << trade;
      EXPECT_NE(sides[0].side, sides[1].side) << trade;
      EXPECT_EQ(sides[0].price, sides[1].price) << trade;
      EXPECT_EQ(sides[0].quantity, sides[1].quantity) << trade;
    }
  }
  /// 0: there was none.
  [[nodiscard]] std::uint64_t last_trade() const { return sides_.empty() ? 0 : sides_.rbegin()->first; }

 private:
  PartitionConfig config_;

 public:
  journal::MemoryJournal journal{{.keep = journal::Keep::all, .capacity = 1 << 24}};
  Partition partition;
  DayClock clock;
  std::map<OwnerReportKind, std::uint64_t> counts;
  int days_numbered = 0;  ///< days on which anything was reported

 private:
  Cursor cursor_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Life> lives_;                      // by order
  std::map<std::uint64_t, Time> untils_;                     // by order
  std::map<std::uint64_t, std::vector<OwnerReport>> sides_;  // by trade
  std::map<std::uint64_t, std::uint64_t> busted_;
};

class Week {
 public:
  explicit Week(std::uint64_t seed) : random_(seed) {
    EXPECT_TRUE(network_.listen(address_, front_).has_value());
    next_day_.start(scheduler_.now(), k_midnight, k_numbers_begin_anew, {});
    for (const UserConfig& user : make_users()) members_.push_back(std::make_unique<Member>(scheduler_, user.name));
  }

  void go_through() {
    for (day_ = 0; day_ < k_days; ++day_) {
      const Time midnight = k_midnight + std::chrono::days{day_};
      ASSERT_NO_FATAL_FAILURE(run_to(midnight + 7h + 30min));
      while (scheduler_.now() < midnight + k_day_orders_end - 1min) {
        ASSERT_NO_FATAL_FAILURE(act());
        ASSERT_NO_FATAL_FAILURE(run_to(scheduler_.now() + std::chrono::seconds{20 + below(180)}));
      }
      ASSERT_NO_FATAL_FAILURE(run_to(midnight + 19h));
      EXPECT_EQ(front_.day_number(), static_cast<std::uint64_t>(day_ + 1));
      EXPECT_EQ(front_.logged_on(), 0u) << "who was there was logged out";
    }
    ASSERT_NO_FATAL_FAILURE(run_to(k_midnight + std::chrono::days{k_days}));
  }

 private:
  /// A request that names an order from then on.
  struct Entered {
    std::string id;
    Side side = Side::buy;
    std::uint32_t instrument = k_rice;
  };

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  [[nodiscard]] bool happens(std::uint64_t percent) { return below(100) < percent; }

  void run_to(Time time) {
    link::run_instants(scheduler_, time - scheduler_.now(), [this](Time now) {
      // Before the numbers begin anew, when what was reported is given up.
      for (Kept* const kept : {&rice, &silk}) kept->read(untils_);
      front_.finish(now);
      rice.clock.finish(now);
      silk.clock.finish(now);
      network_.finish(now);
    });
    for (Kept* const kept : {&rice, &silk}) {
      const std::uint64_t before = kept->counts[traded];
      const bool was_halted = std::exchange(was_halted_[kept], kept->is_halted());
      ASSERT_NO_FATAL_FAILURE(kept->read(untils_));
      ASSERT_NO_FATAL_FAILURE(kept->check(scheduler_.now()));
      if (was_halted && kept->is_halted()) {
        ASSERT_EQ(kept->counts[traded], before) << "during a halt";
      }
    }
  }

  void act() {
    if (happens(4)) return operate();
    Member& member = *members_[below(members_.size())];
    if (!member.is_on) return network_.connect(address_, member.session);
    if (happens(3)) return member.session.logout("for lunch");
    if (happens(2)) return network_.cut(member.session);
    for (std::uint64_t count = 1 + below(4); count > 0; --count) request(member);
  }

  /// Enters an order, or asks for something of one of the member's last ones.
  void request(Member& member) {
    const std::string id = "W" + std::to_string(++requests_);
    std::vector<Entered>& entered = entered_[&member];
    const Entered earlier = entered.empty() || happens(5)
                                ? Entered{.id = "never"}
                                : entered[entered.size() - 1 - below(std::min<std::size_t>(entered.size(), 12))];
    const Side side = happens(50) ? Side::buy : Side::sell;
    const auto ticks = static_cast<std::int64_t>(97 + below(7)), lots = static_cast<std::int64_t>(1 + below(20));
    const std::uint32_t instrument = happens(60) ? k_rice : k_silk;
    const RequestArguments about{.side = earlier.side,
                                 .original = earlier.id,
                                 .id = id,
                                 .lots = lots,
                                 .ticks = ticks,
                                 .instrument = earlier.instrument};
    const std::uint64_t what = below(100);
    if (what < 70) {
      market::NewOrder order = valid_order(
          {.side = side, .lots = lots, .ticks = ticks, .id = id, .instrument = instrument, .auto_cancel = happens(20)});
      Time& until = untils_[id] = time::k_never;
      if (happens(30)) {
        order.terms.time_in_force = TimeInForce::good_till_cancel;
      } else if (happens(40)) {
        order.terms.time_in_force = TimeInForce::good_till_date;
        order.terms.expiry = until = scheduler_.now() + std::chrono::minutes{1 + below(3 * 24 * 60)};
      } else if (happens(10)) {
        order.terms.time_in_force = TimeInForce::immediate_or_cancel;
      } else {
        until = k_midnight + std::chrono::days{day_} + k_day_orders_end;
      }
      static_cast<void>(member.session.send(order));
      entered.push_back({id, side, instrument});
    } else if (what < 80) {
      // Time in force and expiry stay as they are.
      untils_[id] = untils_.contains(earlier.id) ? untils_.at(earlier.id) : time::k_never;
      static_cast<void>(member.session.send(make_replace(about)));
      entered.push_back({id, earlier.side, earlier.instrument});
    } else if (what < 97) {
      static_cast<void>(member.session.send(make_cancel(about)));
    } else {
      market::MassCancel cancel{.client_order_id = Text<20>::cut(id)};
      cancel.header.instrument = instrument;
      static_cast<void>(member.session.send(cancel));
    }
  }

  void operate() {
    const Time now = scheduler_.now();
    const auto user = static_cast<std::uint16_t>(below(members_.size()));
    switch (below(5)) {
      case 0:
      case 1: {
        market::DayCommand command;
        command.header.instrument = k_rice;
        command.header.user = market::k_no_user;
        command.event = rice.is_halted() ? market::DayEvent::resume : market::DayEvent::halt;
        EXPECT_TRUE(front_.operate(command.header, now));
        return;
      }
      case 2:
        EXPECT_TRUE(front_.set_killed(user, !rice.partition.is_killed(market::LimitOf::user, user), now, true));
        if (!rice.partition.is_killed(market::LimitOf::user, user)) return;
        EXPECT_EQ(rice.partition.open_orders(user) + silk.partition.open_orders(user), 0u);
        return;
      case 3: {
        Kept& kept = happens(50) ? rice : silk;
        const TradeRecord* const trade = kept.partition.find_trade(kept.last_trade());
        if (trade == nullptr || trade->is_busted) return;
        EXPECT_TRUE(front_.bust_trade(&kept == &rice ? k_rice : k_silk, kept.last_trade(), now));
        return;
      }
      default:
        EXPECT_TRUE(front_.cancel_orders(user, 0, now));
    }
  }

  std::mt19937_64 random_;
  sched::Scheduler scheduler_{4096, k_midnight};

 public:
  Kept rice{1, k_rice, "RICE", scheduler_}, silk{2, k_silk, "SILK", scheduler_};

 private:
  link::SimulatedNetwork network_{scheduler_, {}};
  Front front_{make_front_config(), scheduler_, std::vector<Partition*>{&rice.partition, &silk.partition}};
  NextDayClock next_day_{front_, scheduler_};
  link::Address address_{"venue", 1};
  std::vector<std::unique_ptr<Member>> members_;
  std::map<const Member*, std::vector<Entered>> entered_;
  std::map<std::string, Time> untils_;
  int day_ = 0;
  std::map<const Kept*, bool> was_halted_;
  std::uint64_t requests_ = 0;
};

TEST(WeekLong, of_members_and_an_operator_loses_nothing_and_replays_to_the_same) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto week = std::make_unique<Week>(seed);
    ASSERT_NO_FATAL_FAILURE(week->go_through());
    for (Kept* const kept : {&week->rice, &week->silk}) {
      kept->expect_replay_is_the_same();
      kept->expect_trades_have_two_sides();
      EXPECT_GE(kept->days_numbered, k_days);
      EXPECT_LE(kept->days_numbered, k_days + 1) << "orders expire in the last night, too";
      for (const OwnerReportKind kind :
           {accepted, traded, cancelled, replaced, expired, rejected, request_rejected, trade_cancelled})
        EXPECT_GT(kept->counts[kind], 0u) << "kind " << int(kind) << " never came up";
    }
  }
}

}  // namespace
}  // namespace dojima::venue::testing
