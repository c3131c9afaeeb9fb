// Tables perfeval and ab: the same recipe over the storages, and over two ways to write one of them.

#include "book_tables.hpp"
#include "indexed_book.hpp"
#include "perfeval.hpp"

#include "dojima/book/matching/matching.hpp"
#include "dojima/book/storages.hpp"

namespace dojima::bench {
namespace {

constexpr std::uint64_t k_quick = 100'000;

template <class Storage, class Ids = IssuedIds>
harness::BenchCompetitor perfeval_on(const char* name, const Scale& scale) {
  using Competitor = PerfevalOn<Storage, Ids>;
  return {name, [scale](const harness::BenchCase&) {
            return std::make_unique<Competitor>(scale.is_quick ? k_quick : Competitor::k_orders, scale.clock);
          }};
}

using EmplaceBook = book::BasicBook<book::ListMapQueue<book::HeapMemory, book::LevelMaking::emplace>>;

/// An order comes to an empty price and is cancelled: the level is made and removed each time.
template <class Storage>
class Churn final : public harness::Competitor {
 public:
  harness::Operations run() override {
    constexpr std::uint64_t k_turns = 100'000;
    market::NewOrder order;
    order.header.instrument = 1;
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    order.terms.quantity = order.terms.displayed = {5};
    market::Cancel cancel;
    cancel.header.instrument = 1;
    cancel.side = market::Side::buy;
    for (std::uint64_t turn = 0; turn < k_turns; ++turn) {
      order.terms.limit = {static_cast<std::int64_t>(100 + turn * 7 % 64)};
      reports_.begin({1}, {});
      book_.apply(order);
      reports_.finish();
      cancel.order = *reports_.resting;
      book_.apply(cancel);
      reports_.finish();
    }
    return harness::Operations{}.add("", k_turns);
  }

 private:
  market::Instrument instrument_{.id = 1,
                                 .symbol = "CHURN",
                                 .ticks = market::TickTable::uniform({1}, {1}, {1'000}).value(),
                                 .maximum_quantity = {1'000}};
  book::OrderTable orders_{{.capacity = 64}};
  PerfevalReports<IssuedIds> reports_;
  Storage book_{instrument_, orders_, reports_, {.levels = 128}};
};

template <class Storage, class Ids>
harness::BenchCompetitor variant(const char* name, const Scale& scale, bool does_churn) {
  const auto perfeval = perfeval_on<Storage, Ids>(name, scale).make;
  return {name, [perfeval, does_churn](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            if (of.text("workload") == "perfeval") return perfeval(of);
            return does_churn ? std::make_unique<Churn<Storage>>() : nullptr;
          }};
}

/// The book with the index inside.
template <LevelMaking Making>
harness::BenchCompetitor indexed(const char* name, const Scale& scale, float most_load) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            if (of.text("workload") == "churn") return std::make_unique<ChurnIndexed<Making>>(most_load);
            const std::uint64_t orders = scale.is_quick ? k_quick : PerfevalOn<book::MapBook>::k_orders;
            return std::make_unique<PerfevalIndexed<Making>>(orders, most_load);
          }};
}

}  // namespace

harness::BenchTable perfeval_table(const Scale& scale) {
  harness::BenchTable table{.name = "perfeval",
                            .title = "one symbol, 64 prices, 512 resting, the oldest cancelled: 4,000,000 orders"};
  table.competitors = {perfeval_on<book::MapBook>("map", scale), perfeval_on<book::PooledBook>("pooled", scale),
                       perfeval_on<book::IntrusiveBook>("intrusive", scale),
                       perfeval_on<book::LadderBook>("ladder", scale)};
  table.baseline = "map";
  table.targets = {{"ladder", "map", 1.0 / 3}};
  table.notes = {"with the fill: 4,000,783 accepted, 2,777,512 trades, 857,446 cancels, or the program stops",
                 "an operation is an order with the cancel that it brings about"};
  return table;
}

harness::BenchTable ab_table(const Scale& scale) {
  harness::BenchTable table{.name = "ab", .title = "two changes to a book on std::map, on perfeval and on a churn"};
  table.parameters = {{"workload", {"perfeval", "churn"}}};
  table.competitors = {variant<book::MapBook, NumberedIds<true>>("try_emplace, load 0.25", scale, true),
                       variant<EmplaceBook, NumberedIds<true>>("emplace, load 0.25", scale, true),
                       variant<book::MapBook, NumberedIds<false>>("try_emplace, load 1", scale, false),
                       indexed<LevelMaking::try_emplace>("index inside, try_emplace, load 0.25", scale, 0.25F),
                       indexed<LevelMaking::try_emplace>("index inside, try_emplace, load 1", scale, 1.0F),
                       indexed<LevelMaking::emplace>("index inside, emplace, load 1", scale, 1.0F)};
  table.baseline = "try_emplace, load 0.25";
  table.notes = {
      "the one who cancels knows orders by numbers of its own, in a std::unordered_map with this load factor",
      "churn: an order at an empty price and its cancel; no ids are looked up",
      "index inside: a plain book that finds orders by the client's number itself, and so meets the index with every "
      "order; with other matching code than the rows above, so to be compared with each other only"};
  return table;
}

}  // namespace dojima::bench
