// Random commands of every kind: all storages must say what the naive book says, byte for byte, and keep every
// invariant after every command.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/flow_log_test.hpp"

namespace dojima::book::testing {
namespace {

/// What became of every order's lots, told from the reports alone.
class Ledger {
 public:
  void add(const std::vector<BookReport>& reports) {
    for (const BookReport& report : reports) {
      switch (report.kind) {
        case BookReportKind::accepted:
          orders_[report.order].submitted = report.quantity.lots;
          break;
        case BookReportKind::traded:
          orders_[report.order].executed += report.quantity.lots;
          orders_[report.other].executed += report.quantity.lots;
          break;
        case BookReportKind::replaced:
          orders_[report.order].submitted = report.quantity.lots;
          break;
        case BookReportKind::cancelled:
        case BookReportKind::expired:
          orders_[report.order].ended += report.quantity.lots;
          break;
        case BookReportKind::reduced:  // of the order's total
          orders_[report.order].submitted -= report.quantity.lots;
          break;
        default:
          break;
      }
    }
  }

  /// executed + resting + cancelled + expired = submitted, for each order; the reserves of icebergs rest as well.
  void check(const World& world) {
    for (auto order = orders_.begin(); order != orders_.end();) {
      const Lots& lots = order->second;
      const std::int64_t resting = world.leaves(order->first);
      ASSERT_EQ(lots.executed + resting + lots.ended, lots.submitted) << std::hex << order->first.value;
      order = resting == 0 ? orders_.erase(order) : std::next(order);
    }
  }

 private:
  struct Lots {
    std::int64_t submitted = 0, executed = 0, ended = 0;
  };
  std::map<OrderId, Lots> orders_;
};

/// A book of one storage, and its mirror, rebuilt from its reports.
template <class Storage>
class Entrant {
 public:
  explicit Entrant(const WorldOptions& options)
      : world(options),
        mirrored_({.capacity = options.orders, .ids = Ids::foreign}),
        mirror_(world.instrument, mirrored_, silent_,
                {.levels = options.levels, .hidden_levels = options.hidden_levels}) {}

  /// The book says what is expected, and the mirror follows.
  template <class Command>
  void apply(const Command& command, const std::vector<BookReport>& expected) {
    const auto reports = world.apply(command);
    ASSERT_EQ(reports, expected);
    for (const BookReport& report : reports) ASSERT_TRUE(mirror_.mirror(report));
    ASSERT_EQ(mirror_.digest(), world.book.digest());
  }
  void check() const {
    EXPECT_EQ(mirror_.inconsistency(), nullptr);
    EXPECT_EQ(mirror_.crossings().count, 0u) << "what a book says never crosses, not even between two reports";
  }

  BasicWorld<Storage> world;

 private:
  OrderTable mirrored_;
  Collector silent_{1};
  Storage mirror_;
};

/// The beginning of a flow that went wrong as the shortest scenario that still does, where the reports tell it.
std::string shortest(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix) {
  FlowLog log = record_flow(seed, count, options, mix);
  const auto differs = [&](const FlowLog& of) {
    return !first_difference<LadderBook>(of, options).empty() ||
           !first_difference<IntrusiveBook>(of, options).empty() ||
           !first_difference<PooledBook>(of, options).empty() || !first_difference<MapBook>(of, options).empty();
  };
  if (!differs(log)) return "its reports are right: it is in mirrors, ledgers or digests";
  for (std::size_t size = log.commands.size(); size > 0; size /= 2)
    for (std::size_t at = 0; at < log.commands.size();) {
      FlowLog fewer = log;
      const auto begin = fewer.commands.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.commands.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, log.commands.size() - at)));
      if (differs(fewer))
        log = std::move(fewer);
      else
        at += size;
    }
  return scenario_of(log);
}

struct Outcome {
  std::uint64_t reports_digest = 0;
  std::uint64_t book_digest = 0;
  std::size_t trades = 0;
  std::map<Reason, std::size_t> refusals;
};

/// Feeds `count` commands of a seed to a book of each storage and to the naive one, and compares after every command:
/// the reports byte for byte, mirrors rebuilt from them, the ledger, and what decides on the commands to come.
Outcome compare(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix = Mix::plain) {
  Entrant<LadderBook> ladder(options);
  Entrant<IntrusiveBook> intrusive(options);
  Entrant<PooledBook> pooled(options);
  Entrant<MapBook> map(options);
  ReferenceBook reference = make_reference(options);
  RandomFlow flow(seed, mix);
  Ledger ledger;
  Digest all;
  Outcome run;
  std::uint64_t sequence = 0;
  for (std::size_t step = 0; step < count && !::testing::Test::HasFailure(); ++step) {
    std::visit(
        [&](const auto& command) {
          const auto reports = reference.apply(++sequence, command);
          ladder.apply(command, reports);
          for (const BookReport& report : reports) {
            all.add(report);
            run.trades += report.kind == BookReportKind::traded ? 1 : 0;
            if (report.kind == BookReportKind::rejected) ++run.refusals[report.reason];
          }
          flow.learn(reports);
          ledger.add(reports);
          ledger.check(ladder.world);
          const std::uint64_t state = ladder.world.book.state_digest();
          const bool looks_at_all = step % 16 == 0;  // every record of every order
          const std::uint64_t orders = looks_at_all ? ladder.world.orders.digest() : 0;
          const auto join = [&](auto& other) {
            other.apply(command, reports);
            ASSERT_EQ(other.world.book.state_digest(), state);
            if (looks_at_all) {
              ASSERT_EQ(other.world.orders.digest(), orders);
            }
          };
          join(intrusive);
          join(pooled);
          join(map);
        },
        flow.next());
    if (::testing::Test::HasFailure())
      ADD_FAILURE() << "seed " << seed << ", step " << step << '\n' << shortest(seed, step + 1, options, mix);
  }
  ladder.check();
  intrusive.check();
  pooled.check();
  map.check();
  run.reports_digest = all.value();
  run.book_digest = ladder.world.book.digest();
  return run;
}
constexpr std::size_t k_storages = 4;

/// Rules and capacities of a seed: everything that a book can be told, small enough to run out of.
WorldOptions options_of(std::uint64_t seed) {
  Random random(seed);
  const auto one_of = [&random](auto... values) {
    const std::array choices{values...};
    return choices[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(choices.size())))];
  };
  WorldOptions options;
  options.orders = one_of(std::size_t{2}, std::size_t{12}, std::size_t{24}, std::size_t{40});
  options.levels = one_of(std::size_t{2}, std::size_t{6}, std::size_t{24});
  options.hidden_levels = one_of(std::size_t{1}, std::size_t{16});
  options.stop_levels = one_of(std::size_t{1}, std::size_t{16});
  options.buffer = one_of(std::size_t{1}, std::size_t{4}, std::size_t{64});
  options.rules.policy =
      one_of(Policy::fifo, Policy::fifo, Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time);
  options.rules.self_trade = one_of(SelfTrade::allowed, SelfTrade::allowed, SelfTrade::cancel_newest,
                                    SelfTrade::cancel_oldest, SelfTrade::cancel_both, SelfTrade::decrement);
  options.rules.scope = one_of(SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group);
  options.rules.accounts = {0, 0, 1};
  options.rules.most_peaks = one_of(5, 10'000);
  options.rules.seed = seed;
  return options;
}

/// Many short flows, each with the rules of its seed. DOJIMA_BOOK_COMMANDS asks for more than a usual run has,
/// DOJIMA_BOOK_SEED for other ones.
void compare_many(Mix mix, std::uint64_t seed, std::uint64_t usual) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t wanted = number("DOJIMA_BOOK_COMMANDS", usual);
  const std::uint64_t first = number("DOJIMA_BOOK_SEED", seed);
  constexpr std::size_t k_length = 2'000;
  std::uint64_t commands = 0, trades = 0;
  for (std::uint64_t at = first; commands < wanted && !::testing::Test::HasFailure(); ++at) {
    trades += compare(at, k_length, options_of(at), mix).trades;
    commands += k_length * k_storages;
  }
  std::printf("%llu commands, %llu trades\n", static_cast<unsigned long long>(commands),
              static_cast<unsigned long long>(trades * k_storages));
  EXPECT_GT(trades, wanted / k_storages / 100);
}

TEST(BookFlow, says_what_the_naive_book_says_over_fifty_thousand_plain_commands) {
  const Outcome run = compare(2026, 50'000, {.orders = 60, .levels = 24});
  EXPECT_GT(run.trades, 4'000u);
  // The same bytes with every compiler and in every run.
  EXPECT_EQ(run.reports_digest, 983591103606554659u);
  EXPECT_EQ(run.book_digest, 15459417168491616375u);
}

TEST(BookFlow, says_what_the_naive_book_says_with_every_type_and_condition) {
  const Outcome run = compare(2027, 60'000, {.orders = 40, .levels = 24}, Mix::all);
  EXPECT_GT(run.trades, 4'000u);
  EXPECT_EQ(run.reports_digest, 2178801919887034672u);
  EXPECT_EQ(run.book_digest, 2608704464688637089u);
}

TEST(BookFlow, says_what_the_naive_book_says_through_the_phases_of_days) {
  const Outcome run = compare(2028, 40'000, {.orders = 40, .levels = 24}, Mix::days);
  EXPECT_GT(run.trades, 2'000u);
  for (const Reason reason : {Reason::book_closed, Reason::wrong_phase})
    EXPECT_GT(run.refusals.count(reason), 0u) << int(reason);
  EXPECT_EQ(run.reports_digest, 5838854329768469616u);
  EXPECT_EQ(run.book_digest, 10855567726540383987u);
}

// DOJIMA_BOOK_COMMANDS and DOJIMA_BOOK_SEED as below.
TEST(BookFlow, says_what_the_naive_book_says_through_any_days_whatever_the_rules) {
  compare_many(Mix::days, 3'000'000, 4'000'000);
}

TEST(BookFlow, says_what_the_naive_book_says_under_every_policy_and_prevention) {
  std::uint64_t seed = 0;
  for (const Policy policy : {Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time})
    for (const SelfTrade self_trade : {SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                       SelfTrade::cancel_both, SelfTrade::decrement})
      for (const SelfTradeScope scope : {SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group}) {
        BookRules rules{policy, self_trade, scope, {0, 0, 1}};
        rules.seed = ++seed;
        rules.most_peaks = 10;
        compare(seed, 3'000, {.orders = 40, .levels = 16, .rules = rules}, Mix::all);
        if (::testing::Test::HasFailure()) FAIL() << int(policy) << int(self_trade) << int(scope);
      }
}

TEST(BookFlow, agrees_with_the_naive_book_when_capacities_run_out_all_the_time) {
  const Outcome run = compare(8, 20'000, {.orders = 24, .levels = 4});
  for (const Reason reason :
       {Reason::order_table_full, Reason::levels_full, Reason::unknown_order, Reason::not_owner, Reason::side_mismatch,
        Reason::not_supported, Reason::quantity_out_of_range, Reason::quantity_already_executed,
        Reason::display_not_allowed, Reason::price_not_on_tick, Reason::price_out_of_range})
    EXPECT_GT(run.refusals.count(reason), 0u) << int(reason);
}

TEST(BookFlow, says_what_the_naive_book_says_whatever_the_rules) {
  compare_many(Mix::all, 1'000'000, 1'000'000);
}

RC_GTEST_PROP(BookFlow, agrees_with_the_naive_book_for_any_seed_rules_and_capacities, ()) {
  WorldOptions options{.orders = *rc::gen::inRange<std::size_t>(1, 40),
                       .levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .hidden_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .stop_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .buffer = *rc::gen::inRange<std::size_t>(1, 5)};
  options.rules.policy = *rc::gen::element(Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time);
  options.rules.self_trade = *rc::gen::element(SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                               SelfTrade::cancel_both, SelfTrade::decrement);
  options.rules.scope = *rc::gen::element(SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group);
  options.rules.accounts = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::inRange<std::uint16_t>(0, 3));
  options.rules.most_peaks = *rc::gen::inRange<std::int64_t>(1, 100);
  const Mix mix = *rc::gen::element(Mix::plain, Mix::all, Mix::days);
  compare(*rc::gen::arbitrary<std::uint64_t>(), 400, options, mix);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(BookFlow, has_the_same_digest_in_two_runs_and_another_for_another_seed) {
  const Outcome one = compare(1, 2'000, {}), again = compare(1, 2'000, {}), other = compare(2, 2'000, {});
  EXPECT_EQ(one.reports_digest, again.reports_digest);
  EXPECT_EQ(one.book_digest, again.book_digest);
  EXPECT_NE(one.reports_digest, other.reports_digest);
}

}  // namespace
}  // namespace dojima::book::testing
