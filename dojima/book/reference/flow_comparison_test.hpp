#pragma once

// A flow of random commands through books and the naive one at once: all must say the same, byte for byte, and keep
// every invariant after every command.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/reference/flow_log_test.hpp"

namespace dojima::book::testing {

/// What became of every order's lots, worked out from the reports alone.
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

/// The book with every command on its general path.
class GeneralBook : public Book {
 public:
  GeneralBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
              BookRules rules = {})
      : Book(instrument, orders, reports, limits, std::move(rules)) {
    forbid_fast_path();
  }
};

/// The beginning of a flow that went wrong as the shortest scenario that still does, where the reports show it.
template <class... Storages>
std::string shortest(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix) {
  FlowLog log = record_flow(seed, count, options, mix);
  const auto differs = [&](const FlowLog& of) { return (!first_difference<Storages>(of, options).empty() || ...); };
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

/// Feeds `count` commands of a seed to the book, to one whose fast path is forbidden, to one of each other storage and
/// to the naive one, and compares after every command: the reports byte for byte, mirrors rebuilt from them, the
/// ledger, and what decides on the commands to come.
template <class... Others>
Outcome compare(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix = Mix::plain) {
  Entrant<Book> ladder(options);
  const std::tuple<std::unique_ptr<Entrant<GeneralBook>>, std::unique_ptr<Entrant<Others>>...> others{
      std::make_unique<Entrant<GeneralBook>>(options), std::make_unique<Entrant<Others>>(options)...};
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
          std::apply([&](const auto&... each) { (join(*each), ...); }, others);
        },
        flow.next());
    if (::testing::Test::HasFailure())
      ADD_FAILURE() << "seed " << seed << ", step " << step << '\n'
                    << shortest<Book, GeneralBook, Others...>(seed, step + 1, options, mix);
  }
  ladder.check();
  std::apply([](const auto&... each) { (each->check(), ...); }, others);
  run.reports_digest = all.value();
  run.book_digest = ladder.world.book.digest();
  return run;
}
/// Rules and capacities of a seed: everything that a book can be given, small enough to run out of.
inline WorldOptions options_of(std::uint64_t seed) {
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

}  // namespace dojima::book::testing
