// dojima-bench-auction: what an uncross costs per order, what the indicative price costs per command, and what a
// command of a call costs beside the same one in continuous trading.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/storages.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {
namespace {

using book::Level;
using market::Phase;
using market::Side;

constexpr std::int64_t k_ticks = 20'000;
constexpr std::int32_t k_middle = 10'000;

market::Instrument make_instrument() {
  return {.id = 1,
          .symbol = "CALL",
          .ticks = market::TickTable::uniform({1}, {0}, {k_ticks - 1}).value(),
          .maximum_quantity = {1'000}};
}

/// Takes the reports and keeps what a benchmark wants to know of them.
class Reports final : public book::ReportBuffer {
 public:
  Reports() : ReportBuffer(256) {}
  std::uint64_t trades = 0, indications = 0;
  std::int64_t volume = 0;
  market::OrderId accepted;

 private:
  void drain(std::span<const market::BookReport> reports, time::Time) override {
    for (const market::BookReport& report : reports) {
      if (report.kind == market::BookReportKind::accepted) accepted = report.order;
      if (report.kind == market::BookReportKind::indicative) ++indications;
      if (report.kind != market::BookReportKind::traded) continue;
      ++trades;
      volume += report.quantity.lots;
    }
  }
};

struct Wish {
  Side side = Side::none;
  std::int32_t level = 0;
  std::int64_t lots = 0;
};

/// Levels of each side: ten orders a level, at most 500 levels.
std::int32_t levels_for(std::size_t orders) {
  return static_cast<std::int32_t>(std::clamp<std::size_t>(orders / 20, 1, 500));
}

/// Orders that all can trade with each other: buyers from the middle up, sellers from the middle down, as much of one
/// as of the other.
std::vector<Wish> meeting_orders(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Wish> wishes(count);
  std::int64_t balance = 0;
  for (Wish& wish : wishes) {
    wish.side = balance > 0 ? Side::sell : balance < 0 ? Side::buy : random() % 2 == 0 ? Side::buy : Side::sell;
    const auto away = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(levels_for(count)));
    wish.level = wish.side == Side::buy ? k_middle + away : k_middle - away;
    wish.lots = 1 + static_cast<std::int64_t>(random() % 100);
    balance += wish.side == Side::buy ? wish.lots : -wish.lots;
  }
  return wishes;
}

market::NewOrder order_of(const Wish& wish) {
  market::NewOrder order;
  order.header.instrument = 1;
  order.terms.side = wish.side;
  order.terms.type = market::OrderType::limit;
  order.terms.limit = {wish.level};
  order.terms.quantity = order.terms.displayed = {wish.lots};
  return order;
}

market::PhaseChange phase_of(Phase phase) {
  market::PhaseChange change;
  change.header.instrument = 1;
  change.phase = phase;
  change.reference = {k_middle};
  return change;
}

// ------------------------------------------------------------------------------------------------------------ uncross

template <class Storage>
class Uncross final : public harness::Competitor {
 public:
  Uncross(std::size_t count, std::uint64_t seed) : wishes_(meeting_orders(count, seed)), orders_({.capacity = count}) {}

  void prepare() override {
    market::MassCancel cancel;
    cancel.header.instrument = 1;
    cancel.is_everyone = true;
    apply(cancel);
    apply(phase_of(Phase::opening_call));
    for (const Wish& wish : wishes_) apply(order_of(wish));
    reports_.volume = 0;
  }

  harness::Operations run() override {
    apply(phase_of(Phase::continuous));
    DOJIMA_ASSERT(reports_.volume > 0, "they trade");
    return harness::Operations{}.add("", wishes_.size()).digest(static_cast<std::uint64_t>(reports_.volume));
  }

 private:
  template <class Command>
  void apply(const Command& command) {
    reports_.begin({1}, {});
    book_.apply(command);
    reports_.finish();
  }

  std::vector<Wish> wishes_;
  market::Instrument instrument_ = make_instrument();
  book::OrderTable orders_;
  Reports reports_;
  Storage book_{instrument_, orders_, reports_, {.levels = 2'000}};
};

/// One pass over the same memory in the same order: every order is read where its neighbour says, ended, its slot given
/// back, and a report handed on. It decides nothing.
class UncrossFloor final : public harness::Competitor {
 public:
  UncrossFloor(std::size_t count, std::uint64_t seed)
      : wishes_(meeting_orders(count, seed)), orders_(count), records_(count), free_(count) {}

  void prepare() override {
    for (auto& ends : ends_) ends.assign(k_ticks, {});
    for (std::size_t at = 0; at < wishes_.size(); ++at) {
      const Wish& wish = wishes_[at];
      book::Order& order = orders_[at];
      order = {};
      order.leaves = {wish.lots};
      order.side = wish.side;
      order.links[0] = k_none;
      // An order comes with its record: without it the floor would begin with other caches.
      records_[at].terms = order_of(wish).terms;
      records_[at].labels = {};
      Ends& ends = ends_[wish.side == Side::sell][static_cast<std::size_t>(wish.level)];
      if (ends.first == k_none)
        ends.first = static_cast<std::uint32_t>(at);
      else
        orders_[ends.last].links[0] = static_cast<std::uint32_t>(at);
      ends.last = static_cast<std::uint32_t>(at);
    }
  }

  harness::Operations run() override {
    volume_ = 0;
    freed_ = 0;
    // Both sides at once, as an uncross does.
    const auto reach = static_cast<std::size_t>(levels_for(wishes_.size()));
    std::size_t buy_level = k_middle + reach, sell_level = k_middle - reach;
    std::uint32_t buyer = k_none, seller = k_none;
    for (;;) {
      while (buyer == k_none && buy_level >= k_middle) buyer = ends_[0][buy_level--].first;
      while (seller == k_none && sell_level <= k_middle) seller = ends_[1][sell_level++].first;
      if (buyer == k_none && seller == k_none) break;
      if (buyer != k_none) buyer = take(buyer);
      if (seller != k_none) seller = take(seller);
    }
    DOJIMA_ASSERT(freed_ == wishes_.size(), "it has met all of them");
    reports_.finish();
    return harness::Operations{}.add("", wishes_.size());
  }

 private:
  static constexpr std::uint32_t k_none = 0xffffffff;
  struct Ends {
    std::uint32_t first = k_none, last = k_none;
  };

  std::uint32_t take(std::uint32_t at) {
    book::Order& order = orders_[at];
    volume_ += order.leaves.lots;
    market::BookReport& report = reports_.append_raw();
    report.order = {std::uint64_t{1} << 32 | at};
    report.other = {std::uint64_t{2} << 32 | at};
    report.instrument = 1;
    report.reason = market::Reason::none;
    report.flags = market::k_auction;
    report.quantity = order.leaves;
    report.leaves = report.displayed = {};
    report.price = {k_middle};
    report.side = order.side;
    report.kind = market::BookReportKind::traded;
    order.leaves = {};
    order.state = 0;
    free_[freed_++] = at;
    return order.links[0];
  }

  std::vector<Wish> wishes_;
  std::vector<book::Order> orders_;
  struct Record {
    market::OrderTerms terms;
    market::OrderLabels labels;
  };
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
  Reports reports_;
  std::vector<Ends> ends_[2];
  std::int64_t volume_ = 0;
  std::size_t freed_ = 0;
};

template <class Storage>
harness::BenchCompetitor uncross_on(const char* name) {
  return {name, [](const harness::BenchCase& of) {
            return std::make_unique<Uncross<Storage>>(static_cast<std::size_t>(of.integer("orders")), of.seed());
          }};
}

harness::BenchTable uncross_table() {
  harness::BenchTable table{.name = "uncross", .title = "an uncross in which every order trades"};
  table.parameters = {{"orders", {1'000, 10'000, 100'000, 1'000'000}}};
  table.competitors = {{"floor",
                        [](const harness::BenchCase& of) {
                          return std::make_unique<UncrossFloor>(static_cast<std::size_t>(of.integer("orders")),
                                                                of.seed());
                        }},
                       uncross_on<book::LadderBook>("ladder"),
                       uncross_on<book::IntrusiveBook>("intrusive"),
                       uncross_on<book::PooledBook>("pooled"),
                       uncross_on<book::MapBook>("map")};
  table.baseline = "map";
  table.floor = "floor";
  table.targets = {{"ladder", "floor", 4}};
  table.operation = "order";
  table.notes = {"from the command that ends the call to its last report: price, trades, ends of orders",
                 "ten orders a level, at most 1,000 levels on both sides together",
                 "the floor reads every order where its neighbour says, ends it, frees its slot and hands on a report"};
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("orders") <= 10'000; };
  return table;
}

// --------------------------------------------------------------------------------------------------------- indicative

/// Quantities that come and go over a stretch of levels, where both sides rest everywhere.
struct Changes {
  struct Change {
    Side side = Side::none;
    std::int32_t level = 0;
    std::int64_t lots = 0;
  };
  std::int32_t levels = 0;
  std::vector<Change> present, later;

  Changes(std::int32_t count, std::uint64_t seed) : levels(count) {
    std::mt19937_64 random(seed);
    for (std::int32_t level = 0; level < levels; ++level)
      for (const Side side : {Side::buy, Side::sell})
        present.push_back({side, level, 1 + static_cast<std::int64_t>(random() % 1'000)});
    constexpr std::size_t k_ring = 256, k_turns = 4'096;
    std::vector<Change> ring;
    for (std::size_t turn = 0; turn < k_turns + k_ring; ++turn) {
      if (turn >= k_ring) {
        Change back = ring[turn - k_ring];
        back.lots = -back.lots;
        later.push_back(back);
      }
      if (turn >= k_turns) continue;
      ring.push_back({random() % 2 == 0 ? Side::buy : Side::sell,
                      static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(levels)),
                      1 + static_cast<std::int64_t>(random() % 100)});
      later.push_back(ring.back());
    }
  }
};

class Incremental final : public harness::Competitor {
 public:
  Incremental(std::int32_t count, std::uint64_t seed) : changes_(count, seed), levels_(k_ticks) {
    levels_.start(Level{count / 2});
    for (const auto& [side, level, lots] : changes_.present) levels_.add(side, Level{level}, {lots});
  }
  harness::Operations run() override {
    std::uint64_t sum = 0;
    for (const auto& [side, level, lots] : changes_.later) {
      levels_.add(side, Level{level}, {lots});
      const book::AuctionLevels::Best best = levels_.best();
      sum = sum * 31 + static_cast<std::uint64_t>(best.volume) + static_cast<std::uint64_t>(best.first);
    }
    return harness::Operations{}.add("", changes_.later.size()).digest(sum);
  }

 private:
  Changes changes_;
  book::AuctionLevels levels_;
};

/// A pass over all levels for every change, on two plain arrays; it ends with the first of the best prices.
class Recomputed final : public harness::Competitor {
 public:
  Recomputed(std::int32_t count, std::uint64_t seed)
      : changes_(count, seed), bids_(static_cast<std::size_t>(count)), asks_(static_cast<std::size_t>(count)) {
    for (const auto& change : changes_.present) add(change);
  }
  harness::Operations run() override {
    std::uint64_t sum = 0;
    for (const auto& change : changes_.later) {
      add(change);
      std::int64_t demand = 0, supply = 0;
      for (const std::int64_t lots : bids_) demand += lots;
      std::int64_t volume = -1, left = 0;
      std::size_t first = 0, last = 0;
      for (std::size_t level = 0; level < bids_.size(); ++level) {
        supply += asks_[level];
        const std::int64_t here = std::min(demand, supply), surplus = demand - supply;
        const std::int64_t much = surplus < 0 ? -surplus : surplus, most = left < 0 ? -left : left;
        if (here > volume || (here == volume && much < most)) {
          volume = here;
          left = surplus;
          first = last = level;
        } else if (here == volume && much == most) {
          last = level;
        }
        demand -= bids_[level];
      }
      if (left > 0) first = last;
      sum = sum * 31 + static_cast<std::uint64_t>(volume) + first;
    }
    return harness::Operations{}.add("", changes_.later.size()).digest(sum);
  }

 private:
  void add(const Changes::Change& change) {
    (change.side == Side::buy ? bids_ : asks_)[static_cast<std::size_t>(change.level)] += change.lots;
  }

  Changes changes_;
  std::vector<std::int64_t> bids_, asks_;
};

template <class Kind>
harness::BenchCompetitor indicative_by(const char* name) {
  return {name, [](const harness::BenchCase& of) {
            return std::make_unique<Kind>(static_cast<std::int32_t>(of.integer("levels")), of.seed());
          }};
}

harness::BenchTable indicative_table() {
  harness::BenchTable table{.name = "indicative",
                            .title = "an order comes or goes, and the indicative price is worked out"};
  table.parameters = {{"levels", {10, 100, 1'000, 4'000, 10'000}}};
  table.competitors = {indicative_by<Incremental>("incremental"), indicative_by<Recomputed>("recomputed")};
  table.baseline = "recomputed";
  table.targets = {{"incremental", "recomputed", 0.01, {{"levels", 1'000}}}};
  table.operation = "change";
  table.notes = {
      "both sides rest at every level; an order of a random level and side comes, and goes 256 turns later",
      "recomputed: one pass over two plain arrays of totals; a window holds 4,096 levels, others are in trees"};
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("levels") <= 1'000; };
  return table;
}

// --------------------------------------------------------------------------------------------------------------- call

/// Orders come to a book of that many levels a side, and are cancelled 256 turns later: in continuous trading, where
/// the sides do not meet, or in a call, where they lie across each other and every change moves the indicative price.
template <class Storage>
class Commands final : public harness::Competitor {
 public:
  Commands(Phase phase, std::int32_t levels, std::uint64_t seed) : phase_(phase), levels_(levels), random_(seed) {
    if (phase != Phase::continuous) apply(phase_of(phase));
    for (std::int32_t level = 0; level < levels; ++level)
      for (const Side side : {Side::buy, Side::sell})
        for (int order = 0; order < 4; ++order) enter(side, level);
    for (Wish& wish : wishes_) wish = random_wish();
    for (std::size_t at = 0; at < ring_.size(); ++at) ring_[at] = {enter(wishes_[at]), wishes_[at].side};
  }

  harness::Operations run() override {
    market::Cancel cancel;
    cancel.header.instrument = 1;
    for (std::size_t turn = 0; turn < wishes_.size(); ++turn) {
      const std::size_t at = turn % ring_.size();
      cancel.order = ring_[at].order;
      cancel.side = ring_[at].side;
      apply(cancel);
      ring_[at] = {enter(wishes_[turn]), wishes_[turn].side};
    }
    return harness::Operations{}.add("", 2 * wishes_.size());
  }

 private:
  struct Resting {
    market::OrderId order;
    Side side = Side::none;
  };

  Wish random_wish() {
    const Side side = random_() % 2 == 0 ? Side::buy : Side::sell;
    const auto level = static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(levels_));
    return {side, place(side, level), 1 + static_cast<std::int64_t>(random_() % 100)};
  }
  [[nodiscard]] std::int32_t place(Side side, std::int32_t level) const {
    if (phase_ != Phase::continuous) return k_middle - levels_ / 2 + level;
    return side == Side::buy ? k_middle - 1 - level : k_middle + level;
  }
  void enter(Side side, std::int32_t level) {
    enter(Wish{side, place(side, level), 1 + static_cast<std::int64_t>(random_() % 100)});
  }
  market::OrderId enter(const Wish& wish) {
    apply(order_of(wish));
    return reports_.accepted;
  }
  template <class Command>
  void apply(const Command& command) {
    reports_.begin({1}, {});
    book_.apply(command);
    reports_.finish();
  }

  Phase phase_;
  std::int32_t levels_;
  std::mt19937_64 random_;
  market::Instrument instrument_ = make_instrument();
  book::OrderTable orders_{{.capacity = 100'000}};
  Reports reports_;
  Storage book_{instrument_, orders_, reports_, {.levels = 20'000}};
  std::vector<Wish> wishes_ = std::vector<Wish>(8'192);
  std::vector<Resting> ring_ = std::vector<Resting>(256);
};

template <class Storage>
harness::BenchCompetitor commands_in(const char* name, Phase phase) {
  return {name, [phase](const harness::BenchCase& of) {
            return std::make_unique<Commands<Storage>>(phase, static_cast<std::int32_t>(of.integer("levels")),
                                                       of.seed());
          }};
}

harness::BenchTable call_table() {
  harness::BenchTable table{.name = "call",
                            .title = "an order that enters or is cancelled, with the indicative price reported"};
  table.parameters = {{"levels", {10, 100, 1'000, 4'000}}};
  table.competitors = {commands_in<book::LadderBook>("continuous", Phase::continuous),
                       commands_in<book::LadderBook>("call", Phase::closing_call),
                       commands_in<book::MapBook>("continuous, map", Phase::continuous),
                       commands_in<book::MapBook>("call, map", Phase::closing_call)};
  table.baseline = "continuous";
  table.targets = {{"call", "continuous", 3}};
  table.operation = "command";
  table.notes = {
      "limit orders on the ladder, four resting at every level of each side; in the call the sides lie across",
      "each other, so that about every second command changes the indicative price, which is reported"};
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("levels") <= 1'000; };
  return table;
}

}  // namespace
}  // namespace dojima::bench

int main(int count, char** words) {
  using namespace dojima;
  return harness::run_benchmarks({.name = "auction",
                                  .tables = {bench::uncross_table(), bench::indicative_table(), bench::call_table()},
                                  .build = evidence::build_identity()},
                                 count, words);
}
