// Tables deep, itch, storages, features and clients: flows of commands on a book with reports and level updates.

#include "book_tables.hpp"
#include "flow_on.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>

#include "dojima/book/storages.hpp"
#include "dojima/book/storages/intrusive_queue.hpp"

namespace dojima::bench {
namespace {

constexpr std::size_t k_timed = 4'000'000;

/// Flows are made once and shared by all competitors; a short run has smaller ones.
std::shared_ptr<const Flow> shared_flow(const FlowShape& shape, std::size_t timed) {
  static std::map<std::pair<std::string, std::size_t>, std::shared_ptr<const Flow>> made;
  std::shared_ptr<const Flow>& flow = made[{std::string(shape.name), timed}];
  if (!flow) flow = std::make_shared<const Flow>(make_flow(shape, timed));
  return flow;
}

std::shared_ptr<const Flow> yardstick(FlowShape shape, const Scale& scale) {
  if (scale.is_quick) shape.resting /= 10;
  return shared_flow(shape, scale.is_quick ? 20'000 : k_timed);
}

template <class Storage, class Ids = DenseIds>
harness::BenchCompetitor flow_on(const char* name, const Scale& scale, FlowShape shape,
                                 const FlowVariant& variant = {}) {
  return {name, [=](const harness::BenchCase&) {
            return std::make_unique<FlowOn<Storage, Ids>>(yardstick(shape, scale), scale.clock, variant);
          }};
}

/// What must come out of a yardstick's generator, so that figures of different days speak of the same work.
void check(const Flow& flow, const FlowCounts& wanted) {
  if (flow.counts == wanted) return;
  const FlowCounts& is = flow.counts;
  std::fprintf(stderr,
               "%s: %llu adds, %llu cancels, %llu modifies, %llu takes, %llu trades of %llu in all, %llu live in "
               "%llu + %llu levels\n",
               std::string(flow.shape.name).c_str(), static_cast<unsigned long long>(is.adds),
               static_cast<unsigned long long>(is.cancels), static_cast<unsigned long long>(is.modifies),
               static_cast<unsigned long long>(is.takes), static_cast<unsigned long long>(is.trades),
               static_cast<unsigned long long>(is.volume), static_cast<unsigned long long>(is.live),
               static_cast<unsigned long long>(is.bid_levels), static_cast<unsigned long long>(is.ask_levels));
  DOJIMA_ASSERT(false, "the generator makes the flow that the table names");
}

harness::BenchTable yardstick_table(const Scale& scale, const FlowShape& shape, double limit, const FlowCounts& wanted,
                                    const char* title) {
  harness::BenchTable table{.name = std::string(shape.name), .title = title};
  table.parameters = {{"workload", {std::string(shape.name)}}};
  table.competitors = {{"floor",
                        [=](const harness::BenchCase&) {
                          const auto flow = yardstick(shape, scale);
                          if (!scale.is_quick) check(*flow, wanted);
                          return std::make_unique<FlowFloor>(flow, scale.clock);
                        }},
                       flow_on<FloorBook>("driven floor", scale, shape),
                       flow_on<book::LadderBook>("ladder", scale, shape),
                       flow_on<book::IntrusiveBook>("intrusive", scale, shape),
                       flow_on<book::PooledBook>("pooled", scale, shape),
                       flow_on<book::MapBook>("map", scale, shape)};
  table.baseline = "map";
  table.floor = "floor";
  table.targets = {{"ladder", "floor", limit}, {"ladder", "driven floor", limit}};
  char counts[256];
  std::snprintf(
      counts, sizeof counts,
      "%llu adds, %llu cancels, %llu modifies, %llu takes; %llu trades, volume %llu; %llu live in %llu + %llu "
      "levels at the end",
      static_cast<unsigned long long>(wanted.adds), static_cast<unsigned long long>(wanted.cancels),
      static_cast<unsigned long long>(wanted.modifies), static_cast<unsigned long long>(wanted.takes),
      static_cast<unsigned long long>(wanted.trades), static_cast<unsigned long long>(wanted.volume),
      static_cast<unsigned long long>(wanted.live), static_cast<unsigned long long>(wanted.bid_levels),
      static_cast<unsigned long long>(wanted.ask_levels));
  table.notes = {scale.is_quick ? std::string("a short run: 20,000 commands on a tenth of the resting orders")
                                : std::string(counts),
                 "books with reports and level updates; the floor touches number, order and level and decides nothing",
                 "the driven floor is given its commands, asked and read by the books' own driver, and writes reports"};
  return table;
}

constexpr FlowCounts k_deep{.adds = 1'788'538,
                            .cancels = 1'611'812,
                            .modifies = 199'209,
                            .takes = 400'441,
                            .trades = 570'740,
                            .volume = 9'001'742,
                            .live = 98'367,
                            .bid_levels = 933,
                            .ask_levels = 919};
constexpr FlowCounts k_itch{.adds = 1'999'254,
                            .cancels = 1'721'234,
                            .modifies = 0,
                            .takes = 279'512,
                            .trades = 553'238,
                            .volume = 14'111'536,
                            .live = 6'611,
                            .bid_levels = 124,
                            .ask_levels = 136};

// ----------------------------------------------------------------------------------------------------------- storages

template <class Storage>
harness::BenchCompetitor storage(const char* name, const Scale& scale) {
  return {name, [scale](const harness::BenchCase& of) {
            for (const FlowShape& shape : storage_shapes())
              if (shape.name == of.text("workload"))
                return std::make_unique<FlowOn<Storage>>(shared_flow(shape, scale.is_quick ? 5'000 : 100'000),
                                                         scale.clock);
            return std::unique_ptr<FlowOn<Storage>>();
          }};
}

// ---------------------------------------------------------------------------------------------------------- allocator

/// Blocks of a map's node, as a book takes and gives them: a window of 64 in use, the oldest given back.
template <class Memory>
harness::BenchCompetitor nodes_from(const char* name) {
  return {name, [](const harness::BenchCase&) {
            return harness::competitor([memory = std::make_shared<Memory>()] {
              constexpr std::size_t k_turns = 20'000, k_size = 80;
              std::array<void*, 64> blocks{};
              for (std::size_t turn = 0; turn < k_turns; ++turn) {
                void*& block = blocks[turn % blocks.size()];
                if (block != nullptr) memory->resource().deallocate(block, k_size, 8);
                block = memory->resource().allocate(k_size, 8);
                harness::keep(block);
              }
              for (void* const block : blocks) memory->resource().deallocate(block, k_size, 8);
              return harness::Operations{}.add("", k_turns);
            });
          }};
}

struct NewAndDelete {
  [[nodiscard]] static std::pmr::memory_resource& resource() { return *std::pmr::new_delete_resource(); }
};
struct PoolResource {
  std::pmr::unsynchronized_pool_resource pool;
  [[nodiscard]] std::pmr::memory_resource& resource() { return pool; }
};
struct NodesOfOneSize {
  book::NodePool pool{128, 80};
  [[nodiscard]] std::pmr::memory_resource& resource() { return pool; }
};

// ----------------------------------------------------------------------------------------------------------- features

/// A stop order far away: it never triggers, and everybody takes the way on which everything is possible.
void one_stop_waits(std::vector<market::NewOrder>& waiting) {
  market::NewOrder order;
  order.header.instrument = 1;
  order.terms.side = market::Side::buy;
  order.terms.type = market::OrderType::stop;
  order.terms.stop = {1'999'000};
  order.terms.quantity = order.terms.displayed = {1};
  waiting.push_back(order);
}

/// An all-or-none order too far away to trade, at which every aggressor looks.
void one_dark_waits(std::vector<market::NewOrder>& waiting) {
  market::NewOrder order;
  order.header.instrument = 1;
  order.terms.side = market::Side::buy;
  order.terms.type = market::OrderType::limit;
  order.terms.limit = {2'000};
  order.terms.flags = market::k_all_or_none;
  order.terms.quantity = order.terms.displayed = {1};
  waiting.push_back(order);
}

void every_tenth_iceberg(market::NewOrder& order, std::uint64_t number) {
  if (number % 10 == 0) order.terms.displayed = {(order.terms.quantity.lots + 3) / 4};
}

void every_tenth_hidden(market::NewOrder& order, std::uint64_t number) {
  if (number % 10 == 0) order.terms.displayed = {};
}

void with_an_end(market::NewOrder& order, std::uint64_t) {
  order.terms.time_in_force = market::TimeInForce::good_till_date;
  order.terms.expiry = time::Time{std::chrono::seconds{1}};
}

// ------------------------------------------------------------------------------------------------------------ clients

/// The map that the venue keeps names in.
class OurMap {
  using Map = FixedMap<std::uint64_t, market::OrderId>;

 public:
  explicit OurMap(std::size_t capacity) : map_(capacity) {}
  using Place = std::uint32_t;
  using Hash = Map::Hash;
  [[nodiscard]] static Hash hash_of(std::uint64_t name) { return Map::hash_of(name); }
  [[nodiscard]] Place insert_at(std::uint64_t name, market::OrderId order, Hash hash) {
    return static_cast<Place>(map_.insert_at(name, order, hash));
  }
  [[nodiscard]] market::OrderId find(std::uint64_t name, Hash hash) const {
    const market::OrderId* found = map_.find(name, hash);
    return found == nullptr ? market::OrderId{} : *found;
  }
  void erase_at(Place place) { map_.erase_at(place); }
  [[gnu::always_inline]] void prefetch(Hash hash) const { map_.prefetch(hash); }
  [[gnu::always_inline]] void prefetch_cell(Hash hash) const { map_.prefetch_cell(hash); }
  [[nodiscard]] market::OrderId hint(Hash hash) const { return map_.hint(hash); }

 private:
  Map map_;
};

class StandardMap {
 public:
  explicit StandardMap(std::size_t capacity) { map_.reserve(capacity); }
  struct Place {
    std::unordered_map<std::uint64_t, market::OrderId>::iterator at;
  };
  struct Hash {};  // its own
  [[nodiscard]] static Hash hash_of(std::uint64_t) { return {}; }
  [[nodiscard]] Place insert_at(std::uint64_t name, market::OrderId order, Hash) {
    return {map_.insert_or_assign(name, order).first};
  }
  [[nodiscard]] market::OrderId find(std::uint64_t name, Hash) const {
    const auto found = map_.find(name);
    return found == map_.end() ? market::OrderId{} : found->second;
  }
  void erase_at(Place place) { map_.erase(place.at); }
  // Nothing can be fetched ahead: its cells are nodes, and the way there is all there is.
  static void prefetch(Hash) {}
  static void prefetch_cell(Hash) {}
  [[nodiscard]] static market::OrderId hint(Hash) { return {}; }

 private:
  std::unordered_map<std::uint64_t, market::OrderId> map_;
};

}  // namespace

harness::BenchTable deep_table(const Scale& scale) {
  return yardstick_table(scale, deep_shape(), 2.8, k_deep, "100,000 orders on 2 x 1,000 ticks: 4,000,000 commands");
}

harness::BenchTable itch_table(const Scale& scale) {
  return yardstick_table(scale, itch_shape(), 2.5, k_itch,
                         "8,000 orders, most near the touch, most cancelled young: 4,000,000 commands");
}

harness::BenchTable storages_table(const Scale& scale) {
  harness::BenchTable table{.name = "storages", .title = "five workloads of 100,000 commands on every storage"};
  harness::BenchParameter workload{"workload", {}};
  for (const FlowShape& shape : storage_shapes()) workload.values.emplace_back(std::string(shape.name));
  table.parameters = {workload};
  table.competitors = {storage<book::MapBook>("map", scale), storage<book::PooledBook>("pooled", scale),
                       storage<book::IntrusiveBook>("intrusive", scale), storage<book::LadderBook>("ladder", scale)};
  table.baseline = "map";
  for (const char* other : {"map", "pooled", "intrusive"}) table.targets.push_back({"ladder", other, 1.0});
  return table;
}

harness::BenchTable allocator_table() {
  harness::BenchTable table{.name = "allocator", .title = "a map's node taken and another given back"};
  table.competitors = {nodes_from<NewAndDelete>("new and delete"), nodes_from<PoolResource>("pool resource"),
                       nodes_from<NodesOfOneSize>("nodes of one size")};
  table.baseline = "new and delete";
  table.notes = {"blocks of 80 bytes, 64 in use, the oldest given back"};
  return table;
}

harness::BenchTable features_table(const Scale& scale) {
  FlowShape shape = itch_shape();
  const auto with = [&](const char* name, const FlowVariant& variant) {
    return flow_on<book::LadderBook>(name, scale, shape, variant);
  };
  using book::BookRules;
  using book::Policy;
  using book::SelfTrade;
  harness::BenchTable table{.name = "features",
                            .title = "the itch flow, with one feature used: what it costs everybody"};
  table.competitors = {
      with("plain", {}),
      with("good till date", {.begin = with_an_end}),
      with("one stop order waits", {.rest = one_stop_waits}),
      with("one all-or-none order waits", {.rest = one_dark_waits}),
      with("one in ten an iceberg", {.trades_otherwise = true, .begin = every_tenth_iceberg}),
      with("one in ten hidden", {.trades_otherwise = true, .begin = every_tenth_hidden}),
      with("self-trade prevention by group",
           {.rules = {.self_trade = SelfTrade::cancel_oldest, .scope = book::SelfTradeScope::group}}),
      with("pro rata", {.trades_otherwise = true, .rules = {.policy = Policy::pro_rata}}),
      with("top order, then pro rata", {.trades_otherwise = true, .rules = {.policy = Policy::top_pro_rata}}),
      with("size, then time", {.trades_otherwise = true, .rules = {.policy = Policy::size_time}})};
  table.baseline = "plain";
  table.notes = {"icebergs, hidden orders and other policies trade other orders, so some cancels come too late"};
  return table;
}

harness::BenchTable clients_table(const Scale& scale) {
  const FlowShape shape = deep_shape();
  harness::BenchTable table{.name = "clients", .title = "the deep flow, with orders named by their clients"};
  table.competitors = {flow_on<book::LadderBook>("dense numbers", scale, shape),
                       flow_on<book::LadderBook, NamedIds<OurMap>>("64 bits, the venue's map", scale, shape),
                       flow_on<book::LadderBook, NamedIds<StandardMap>>("64 bits, std::unordered_map", scale, shape)};
  table.baseline = "dense numbers";
  table.targets = {{"64 bits, the venue's map", "dense numbers", 1.6}};
  return table;
}

}  // namespace dojima::bench
