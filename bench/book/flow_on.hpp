#pragma once

// A flow of neutral_flow.hpp on a book, reports and level updates on: what a venue's matching does for each command,
// and nothing else. FlowFloor is the least that any book has to touch for the same commands; FloorBook (floor_book.hpp)
// is that behind the driver of the books.

#include "floor_book.hpp"
#include "neutral_flow.hpp"
#include "percentiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/book/book.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// Over the trades, whatever their order is. Both orders are named by the book, so all storages must agree.
[[nodiscard]] inline std::uint64_t trade_hash(const market::BookReport& report) noexcept {
  std::uint64_t mixed = report.order.value * 0x9e3779b97f4a7c15U ^ report.other.value * 0xbf58476d1ce4e5b9U ^
                        static_cast<std::uint64_t>(report.price.units) * 0x94d049bb133111ebU ^
                        static_cast<std::uint64_t>(report.quantity.lots);
  mixed ^= mixed >> 29;
  return mixed * 0xd6e8feb86659fd93U;
}

/// What is published to all who follow the book by level.
struct LevelUpdate {
  market::Price price;
  market::Quantity total;
  std::uint64_t number = 0;
  std::uint32_t instrument = 0;
  market::Side side = market::Side::none;
};
static_assert(sizeof(LevelUpdate) == 32);

/// How far whoever hands over commands looks at those behind, in commands: a venue has them in its queue. Each step of
/// a way through memory is asked for that long before the next one.
#ifndef LOOK_AHEAD
#define LOOK_AHEAD 8
#endif
inline constexpr std::size_t k_look_ahead = LOOK_AHEAD;

/// Of the order table.
[[nodiscard]] inline std::size_t slots_for(const Flow& flow) noexcept {
  return std::bit_ceil(std::size_t{flow.most_live} + 64);
}

/// Clients name orders by dense numbers: the ids that the book gave out are in an array.
class DenseIds {
 public:
  using Name = std::uint32_t;
  explicit DenseIds(const Flow& flow) : issued_(flow.orders) {}
  [[nodiscard]] static Name name_of(std::uint32_t number) noexcept { return number; }
  static void prefetch(Name) noexcept {}
  [[gnu::always_inline]] void prefetch_more(std::uint32_t number) const noexcept {
    __builtin_prefetch(&issued_[number]);
  }
  void remember(std::uint32_t number, market::OrderId order) noexcept { issued_[number] = order; }
  [[nodiscard]] market::OrderId find(std::uint32_t number) const noexcept { return issued_[number]; }
  [[nodiscard]] market::OrderId hint(std::uint32_t number) const noexcept { return issued_[number]; }
  static void forget(market::OrderId) noexcept {}

 private:
  LargeArray<market::OrderId> issued_;
};

/// By any 64 bits, in a map of the live orders. Where the map has an order's name is kept by the order's slot, so that
/// an order that ends is not looked up.
template <class Map>
class NamedIds {
 public:
  /// With its hash, so that whoever looks ahead hashes a name once.
  struct Name {
    std::uint64_t word = 0;
    typename Map::Hash hash{};
  };
  explicit NamedIds(const Flow& flow) : orders_(flow.most_live + 64), places_(slots_for(flow)) {}
  [[nodiscard, gnu::always_inline]] static Name name_of(std::uint32_t number) noexcept {
    const std::uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15U;
    const std::uint64_t word = mixed ^ (mixed >> 32);
    return {word, Map::hash_of(word)};
  }
  [[gnu::always_inline]] void prefetch(const Name& name) const { orders_.prefetch(name.hash); }
  [[gnu::always_inline]] void prefetch_more(const Name& name) const { orders_.prefetch_cell(name.hash); }
  void remember(const Name& name, market::OrderId order) {
    places_[static_cast<std::uint32_t>(order.value)] = orders_.insert_at(name.word, order, name.hash);
  }
  [[nodiscard]] market::OrderId find(const Name& name) const { return orders_.find(name.word, name.hash); }
  /// What find() will say, most likely.
  [[nodiscard, gnu::always_inline]] market::OrderId hint(const Name& name) const {
    const market::OrderId order = orders_.hint(name.hash);
    __builtin_prefetch(&places_[std::min<std::size_t>(static_cast<std::uint32_t>(order.value), places_.size() - 1)]);
    return order;
  }
  void forget(market::OrderId order) { orders_.erase_at(places_[static_cast<std::uint32_t>(order.value)]); }

 private:
  Map orders_;
  LargeArray<typename Map::Place> places_;  // by slot
};

template <class Ids>
class FlowReports final : public book::ReportBuffer {
 public:
  struct Touched {
    market::Price price{std::numeric_limits<std::int64_t>::min()};  // none that there is
    market::Side side = market::Side::none;
  };

  explicit FlowReports(const Flow& flow) : ReportBuffer(k_reports), ids(flow) {}

  Ids ids;
  typename Ids::Name entering{};  ///< of the order that the command brings in
  bool is_entering = false;       ///< the command brings one in
  std::uint64_t trades = 0, volume = 0, hash = 0, refused = 0;

  /// The command is over.
  [[gnu::always_inline]] void take_pending() {
    take(pending());
    taken();
  }
  /// Levels whose total the command has changed, each once for reports in a row.
  [[nodiscard]] std::span<const Touched> touched() const noexcept { return {touched_.data() + 1, count_}; }
  void forget_touched() noexcept { count_ = 0; }

 private:
  static constexpr std::size_t k_reports = 256;

  void drain(std::span<const market::BookReport> reports, time::Time) override { take(reports); }
  [[gnu::always_inline]] void take(std::span<const market::BookReport> reports) {
    using market::BookReportKind;
    DOJIMA_ASSERT(count_ + reports.size() < touched_.size(), "there is room for the levels that a command touches");
    std::size_t count = count_;
    for (const market::BookReport& report : reports) {
      switch (report.kind) {
        case BookReportKind::traded:
          ++trades;
          volume += static_cast<std::uint64_t>(report.quantity.lots);
          hash += trade_hash(report);
          if (report.leaves.lots == 0) ids.forget(report.order);
          break;
        case BookReportKind::cancelled:
          ids.forget(report.order);
          break;
        case BookReportKind::added:
          // A name is known from the moment on at which somebody could ask for it; a replaced order has its own
          // already.
          if (is_entering) ids.remember(entering, report.order);
          break;
        case BookReportKind::expired:
          break;
        case BookReportKind::rejected:
          ++refused;
          continue;
        default:
          continue;
      }
      if (touched_[count].price == report.price) continue;
      ++count;
      touched_[count].price = report.price;
      touched_[count].side = report.side;
    }
    count_ = count;
  }

  std::size_t count_ = 0;
  std::array<Touched, 1024> touched_{Touched{}};  // the first is no level: nothing was touched before it
};

/// What a variant of the table `features` changes; nothing for the others.
struct FlowVariant {
  bool trades_otherwise = false;  ///< than the generator's book: other orders meet, and some cancels come too late
  book::BookRules rules{};
  void (*begin)(market::NewOrder& order, std::uint64_t number) = nullptr;  ///< changes each order that is added
  void (*rest)(std::vector<market::NewOrder>& waiting) = nullptr;  ///< orders that wait in the book from the start
};

template <class Storage, class Ids = DenseIds>
class FlowOn final : public harness::Competitor {
  static constexpr bool k_is_floor = std::is_same_v<Storage, FloorBook>;

 public:
  FlowOn(std::shared_ptr<const Flow> flow, const measure::CycleClock& clock, FlowVariant variant = {})
      : flow_(std::move(flow)), variant_(std::move(variant)), percentiles_(clock) {}

  void prepare() override {
    begin();
    percentiles_.measure([this](FencedTimer& timer) { do_timed([&timer] { return measure::TimedSection(timer); }); });
    begin();
  }

  harness::Operations run() override {
    do_timed([] { return 0; });
    const auto& reports = world_->reports;
    DOJIMA_ASSERT(variant_.trades_otherwise || (reports.refused == 0 && reports.trades == flow_->counts.trades &&
                                                reports.volume == flow_->counts.volume),
                  "the book trades what the generator's own book trades");
    // An order that waited from the start has a slot, so the others have other ids; so they have on the floor.
    const bool is_comparable = !k_is_floor && !variant_.trades_otherwise && variant_.rest == nullptr;
    harness::Operations operations;
    operations.add("", timed().size()).digest(is_comparable ? reports.hash : 0);
    percentiles_.add_to(operations);
    return operations;
  }

 private:
  struct World {
    World(const Flow& flow, const book::BookRules& rules)
        : orders({.capacity = slots_for(flow)}),
          reports(flow),
          book(instrument, orders, reports, {.levels = 8192}, rules) {}
    market::Instrument instrument{.id = 1,
                                  .symbol = "FLOW",
                                  .ticks = market::TickTable::uniform({2}, {2}, {2'000'000}).value(),
                                  .maximum_quantity = {1'000'000}};
    book::OrderTable orders;
    FlowReports<Ids> reports;
    Storage book;
    std::array<LevelUpdate, 4096> updates{};
    std::uint64_t update_count = 0;
    std::array<market::NewOrder, 2> order;  // of either side: as little as possible is written anew
    market::Replace replace;
    market::Cancel cancel;
  };

  [[nodiscard]] std::span<const FlowCommand> timed() const noexcept {
    return std::span(flow_->commands).subspan(flow_->shape.resting);
  }

  void begin() {
    world_.reset();
    world_ = std::make_unique<World>(*flow_, variant_.rules);
    World& world = *world_;
    if constexpr (k_is_floor) world.book.follow(*flow_);
    world.replace.header.instrument = world.cancel.header.instrument = 1;
    for (const market::Side side : {market::Side::buy, market::Side::sell}) {
      market::NewOrder& order = order_of(world, side);
      order.header.instrument = 1;
      order.terms.side = side;
      order.terms.type = market::OrderType::limit;
      order.terms.time_in_force = market::TimeInForce::good_till_cancel;
    }
    std::vector<market::NewOrder> waiting;
    if (variant_.rest != nullptr) variant_.rest(waiting);
    for (const FlowCommand& command : std::span(flow_->commands).first(flow_->shape.resting))
      apply(world, command, Ids::name_of(command.order));
    for (const market::NewOrder& order : waiting) {
      world.reports.is_entering = false;
      world.book.apply(order);
      world.reports.finish();
    }
    world.reports.trades = world.reports.volume = world.reports.hash = world.reports.refused = 0;
  }

  /// All timed commands, each in a section of its own and with a look at those to come while there are enough of them.
  template <class Section>
  [[gnu::always_inline]] void do_timed(Section section) {
    World& world = *world_;
    const std::span<const FlowCommand> commands = timed();
    const FlowCommand* const last = commands.data() + commands.size() - std::min(commands.size(), 4 * k_look_ahead);
    for (const FlowCommand& command : commands.first(std::min(commands.size(), 4 * k_look_ahead))) read_name(&command);
    for (const FlowCommand& command : commands) {
      [[maybe_unused]] const auto around = section();
      if (k_look_ahead != 0 && &command < last) look_ahead(world, &command);
      apply(world, command, name_at(&command));
    }
  }

  /// What a caller does who has the next commands at hand: a venue has them in its queue.
  [[gnu::always_inline]] void look_ahead(const World& world, const FlowCommand* now) {
    // Whatever they are: a branch on what comes later would be guessed wrong as often as that on what comes now.
    read_name(now + 4 * k_look_ahead);
    world.reports.ids.prefetch(name_at(now + 4 * k_look_ahead));
    world.reports.ids.prefetch_more(name_at(now + 3 * k_look_ahead));
    const market::OrderId found = world.reports.ids.hint(name_at(now + 2 * k_look_ahead));
    world.book.prefetch(found);
    world.book.prefetch_neighbours(std::exchange(in_turn(found_, now), found));
  }

  /// Addresses of commands in a row: as good as a count of them, and there already.
  template <class Ring>
  [[nodiscard, gnu::always_inline]] static auto& in_turn(Ring& ring, const FlowCommand* command) noexcept {
    return ring[reinterpret_cast<std::uintptr_t>(command) / sizeof *command % ring.size()];
  }
  // A name that takes work is read off its command once, when a look ahead comes to it.
  static constexpr bool k_keeps_names = k_look_ahead != 0 && sizeof(typename Ids::Name) > sizeof(std::uint32_t);
  [[gnu::always_inline]] void read_name(const FlowCommand* command) noexcept {
    if constexpr (k_keeps_names) in_turn(names_, command) = Ids::name_of(command->order);
  }
  [[nodiscard, gnu::always_inline]] typename Ids::Name name_at(const FlowCommand* command) const noexcept {
    if constexpr (k_keeps_names)
      return in_turn(names_, command);
    else
      return Ids::name_of(command->order);
  }

  // The world is handed on, so that its address is not read from memory again behind everything that is written.
  [[gnu::always_inline]] void apply(World& world, const FlowCommand& command, const typename Ids::Name& name) {
    const market::Price price{std::int64_t{2} * command.price};
    world.reports.begin({1}, {});
    switch (command.deed) {
      case Deed::add:
      case Deed::take:
        world.reports.entering = name;
        world.reports.is_entering = true;
        enter(world, command, price);
        break;
      case Deed::cancel:
        world.cancel.order = world.reports.ids.find(name);
        world.cancel.side = command.side;
        world.book.apply(world.cancel);
        break;
      case Deed::modify: {
        world.reports.is_entering = false;
        world.replace.order = world.reports.ids.find(name);
        const auto [before, quantity] = terms_of(world, world.replace.order);
        if (quantity.lots == 0) break;  // a variant has it traded already
        world.replace.side = command.side;
        world.replace.limit = price;
        world.replace.quantity = world.replace.displayed = quantity;
        world.book.apply(world.replace);
        update(world, {before, command.side});  // the report names the new level only
        break;
      }
    }
    world.reports.take_pending();
    for (const auto& level : world.reports.touched()) update(world, level);
    world.reports.forget_touched();
  }

  /// Limit and quantity of an order; 0 lots: it is gone.
  [[nodiscard, gnu::always_inline]] static std::pair<market::Price, market::Quantity> terms_of(const World& world,
                                                                                               market::OrderId order) {
    if constexpr (k_is_floor) {
      const auto [limit, quantity] = world.book.terms(order);
      return {limit, quantity};
    } else {
      const book::Slot slot = world.orders.find(order);
      if (slot == book::k_no_slot) return {};
      return {world.orders.limit(slot), world.orders.quantity(slot)};
    }
  }

  [[nodiscard]] static market::NewOrder& order_of(World& world, market::Side side) noexcept {
    return world.order[side == market::Side::buy ? 0 : 1];
  }

  [[gnu::always_inline]] void enter(World& world, const FlowCommand& command, market::Price price) {
    market::NewOrder& order = order_of(world, command.side);
    order.terms.limit = price;
    order.terms.quantity = order.terms.displayed = {command.quantity};
    if (variant_.begin == nullptr || command.deed != Deed::add) [[likely]] {
      return world.book.apply(order);
    }
    market::NewOrder changed = order;
    variant_.begin(changed, command.order);
    world.book.apply(changed);
  }

  [[gnu::always_inline]] static void update(World& world, const typename FlowReports<Ids>::Touched& level) {
    // Field by field: a record that is put together elsewhere and copied here waits for the store buffer.
    const market::Price price = level.price;
    const market::Side side = level.side;
    const market::Quantity total = world.book.total(side, price);
    const std::uint64_t number = world.update_count++;
    LevelUpdate& entry = world.updates[number % world.updates.size()];
    entry.price = price;
    entry.total = total;
    entry.number = number;
    entry.instrument = 1;
    entry.side = side;
  }

  std::shared_ptr<const Flow> flow_;
  FlowVariant variant_;
  Percentiles percentiles_;
  std::unique_ptr<World> world_;
  std::array<market::OrderId, std::max<std::size_t>(1, k_look_ahead)> found_{};  // of the commands to come
  std::array<typename Ids::Name, std::bit_ceil(std::max<std::size_t>(1, 5 * k_look_ahead))> names_{};  // likewise
};

/// The floor: the number's slot, the order there, and its level's total, for each command and each fill. No links
/// between orders, no best price, no decisions, no reports: what trades with what is read from a list.
class FlowFloor final : public harness::Competitor {
 public:
  FlowFloor(std::shared_ptr<const Flow> flow, const measure::CycleClock& clock)
      : flow_(std::move(flow)), percentiles_(clock) {}

  void prepare() override {
    begin();
    percentiles_.measure([this](FencedTimer& timer) {
      for (const FlowCommand& command : timed()) {
        const measure::TimedSection section(timer);
        look_ahead(&command);
        apply<true>(command);
      }
    });
    begin();
  }

  harness::Operations run() override {
    // In a batch its commands overlap by themselves, and looking ahead would only cost it time: a floor has the better
    // of both.
    for (const FlowCommand& command : timed()) apply<false>(command);
    harness::keep(*this);
    harness::Operations operations;
    operations.add("", timed().size());
    percentiles_.add_to(operations);
    return operations;
  }

 private:
  struct Order {
    std::int32_t price = 0, quantity = 0;
    std::uint32_t number = 0;
    std::uint32_t side = 0;
  };
  struct Level {
    std::int64_t total = 0, count = 0;
  };
  static constexpr std::size_t k_fills_ahead = 2;

  [[nodiscard]] std::span<const FlowCommand> timed() const noexcept {
    return std::span(flow_->commands).subspan(flow_->shape.resting);
  }

  void begin() {
    slots_.emplace(flow_->orders);
    orders_.emplace(flow_->most_live + std::size_t{1});
    free_.clear();
    for (std::size_t slot = orders_->size(); slot-- > 0;) free_.push_back(static_cast<std::uint32_t>(slot));
    for (auto& side : levels_) side.assign(static_cast<std::size_t>(flow_->highest - flow_->lowest) + 1, {});
    fills_ = flow_->fills;
    fills_.resize(fills_.size() + 2 * k_fills_ahead);  // nobody, behind the last
    next_fill_ = fills_.data();
    for (const FlowCommand& command : std::span(flow_->commands).first(flow_->shape.resting)) apply<false>(command);
  }

  [[nodiscard]] Level& level_of(const Order& order) noexcept {
    return levels_[order.side][static_cast<std::size_t>(order.price - flow_->lowest)];
  }

  [[gnu::always_inline]] void look_ahead(const FlowCommand* now) {
    if constexpr (k_look_ahead == 0) return;
    const FlowCommand* const end = flow_->commands.data() + flow_->commands.size();
    if (static_cast<std::size_t>(end - now) <= 2 * k_look_ahead) return;
    __builtin_prefetch(&slot_of(now[2 * k_look_ahead].order));
    __builtin_prefetch(&order_at(slot_of(now[k_look_ahead].order)), 1);
  }

  [[nodiscard]] std::uint32_t& slot_of(std::uint32_t number) noexcept { return (*slots_)[number]; }
  [[nodiscard]] Order& order_at(std::uint32_t slot) noexcept { return (*orders_)[slot]; }

  template <bool LooksAhead>
  void apply(const FlowCommand& command) {
    switch (command.deed) {
      case Deed::add: {
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        slot_of(command.order) = slot;
        order_at(slot) = {command.price, command.quantity, command.order, command.side == market::Side::buy ? 0U : 1U};
        Level& level = level_of(order_at(slot));
        level.total += command.quantity;
        ++level.count;
        break;
      }
      case Deed::cancel:
        end(slot_of(command.order));
        break;
      case Deed::modify: {
        Order& order = order_at(slot_of(command.order));
        Level& before = level_of(order);
        before.total -= order.quantity;
        --before.count;
        order.price = command.price;
        Level& after = level_of(order);
        after.total += order.quantity;
        ++after.count;
        break;
      }
      case Deed::take:
        for (bool is_last = false; !is_last; ++next_fill_) {
          is_last = next_fill_->is_last;
          const std::uint32_t slot = slot_of(next_fill_->maker);
          Order& order = order_at(slot);
          if constexpr (LooksAhead) {
            __builtin_prefetch(&slot_of(next_fill_[2 * k_fills_ahead].maker));
            __builtin_prefetch(&order_at(slot_of(next_fill_[k_fills_ahead].maker)), 1);
          }
          order.quantity -= next_fill_->quantity;
          level_of(order).total -= next_fill_->quantity;
          if (next_fill_->is_gone) end(slot);
        }
        break;
    }
  }

  void end(std::uint32_t slot) {
    Level& level = level_of(order_at(slot));
    level.total -= order_at(slot).quantity;
    --level.count;
    order_at(slot).number = ~std::uint32_t{0};
    free_.push_back(slot);
  }

  std::shared_ptr<const Flow> flow_;
  Percentiles percentiles_;
  std::optional<LargeArray<std::uint32_t>> slots_;  // by number
  std::optional<LargeArray<Order>> orders_;
  std::vector<std::uint32_t> free_;
  std::array<std::vector<Level>, 2> levels_;
  std::vector<FlowFill> fills_;
  const FlowFill* next_fill_ = nullptr;
};

}  // namespace dojima::bench
