#pragma once

// A book as one writes it first: levels in a std::pmr::map, orders in lists, and an index from the client's number to
// the order inside the book, a std::pmr::unordered_map. Every order meets the index: a number that is live is refused,
// what comes to rest is entered, what is filled or cancelled is taken out. It is there for the table `ab`, in which the
// index's load factor and the way to make a level are changed; matching is by price and time, nothing else.

#include "perfeval.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/storages.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::bench {

enum class LevelMaking : std::uint8_t { try_emplace, emplace };

template <LevelMaking Making>
class IndexedBook {
 public:
  explicit IndexedBook(float most_load) { index_.max_load_factor(most_load); }

  /// Matches, and enters what is left; true when something came to rest.
  bool submit(std::uint64_t id, bool is_buy, std::int64_t price, std::int64_t quantity) {
    if (index_.contains(id)) return false;
    // Sells by price, buys by its negative: the best level is the first of either.
    const std::int64_t key = is_buy ? -price : price;
    quantity = match(sides_[is_buy ? 0 : 1], -key, quantity);
    if (quantity == 0) return false;
    Levels& own = sides_[is_buy ? 1 : 0];
    const auto level = level_for(own, key);
    level->second.orders.push_back({id, quantity});
    index_.emplace(id, Place{level, std::prev(level->second.orders.end()), is_buy});
    return true;
  }

  /// False when no such order is live.
  bool cancel(std::uint64_t id) {
    const auto found = index_.find(id);
    if (found == index_.end()) return false;
    const Place place = found->second;
    place.level->second.orders.erase(place.order);
    if (place.level->second.orders.empty()) sides_[place.is_buy ? 1 : 0].erase(place.level);
    index_.erase(found);
    return true;
  }

  [[nodiscard]] std::uint64_t trades() const noexcept { return trades_; }
  [[nodiscard]] std::size_t live() const noexcept { return index_.size(); }

 private:
  struct Order {
    std::uint64_t id = 0;
    std::int64_t quantity = 0;
  };
  struct Level {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    Level() = default;
    explicit Level(const allocator_type& memory) : orders(memory) {}
    Level(Level&& other, const allocator_type& memory) : orders(std::move(other.orders), memory) {}
    std::pmr::list<Order> orders;
  };
  using Levels = std::pmr::map<std::int64_t, Level>;
  struct Place {
    typename Levels::iterator level;
    typename std::pmr::list<Order>::iterator order;
    bool is_buy = false;
  };

  static typename Levels::iterator level_for(Levels& levels, std::int64_t key) {
    if constexpr (Making == LevelMaking::try_emplace)
      return levels.try_emplace(key).first;
    else
      return levels.emplace(key, Level{}).first;
  }

  /// What is left of the quantity. `worst`: the last key of the other side that may trade.
  std::int64_t match(Levels& others, std::int64_t worst, std::int64_t quantity) {
    while (quantity > 0 && !others.empty() && others.begin()->first <= worst) {
      auto& orders = others.begin()->second.orders;
      while (quantity > 0 && !orders.empty()) {
        Order& maker = orders.front();
        const std::int64_t traded = std::min(quantity, maker.quantity);
        ++trades_;
        quantity -= traded;
        maker.quantity -= traded;
        if (maker.quantity > 0) break;
        index_.erase(maker.id);
        orders.pop_front();
      }
      if (orders.empty()) others.erase(others.begin());
    }
    return quantity;
  }

  Levels sides_[2];  // to sell, to buy
  std::pmr::unordered_map<std::uint64_t, Place> index_;
  std::uint64_t trades_ = 0;
};

/// The perfeval recipe on it.
template <LevelMaking Making>
class PerfevalIndexed final : public harness::Competitor {
 public:
  PerfevalIndexed(std::uint64_t orders, float most_load) : orders_(orders), most_load_(most_load) {}

  void prepare() override {
    random_ = measure::Random(0x9e3779b97f4a7c15U);
    book_ = std::make_unique<IndexedBook<Making>>(most_load_);
    ring_count_ = ring_next_ = 0;
    last_id_ = cancels_ = 0;
    while (ring_count_ < ring_.size()) submit();
  }

  harness::Operations run() override {
    using Recipe = PerfevalOn<book::MapBook>;
    for (std::uint64_t at = 0; at < orders_; ++at) submit();
    DOJIMA_ASSERT(orders_ != Recipe::k_orders || (book_->trades() == Recipe::k_trades && cancels_ == Recipe::k_cancels),
                  "the recipe gives its counts", book_->trades(), cancels_);
    return harness::Operations{}.add("", orders_);
  }

 private:
  void submit() {
    const std::uint64_t r = random_.next();
    const std::uint64_t id = ++last_id_;
    if (!book_->submit(id, (r & 1) != 0, static_cast<std::int64_t>(100 + (r >> 1) % 64),
                       static_cast<std::int64_t>(1 + (r >> 8) % 8)))
      return;
    if (ring_count_ < ring_.size())
      ++ring_count_;
    else
      cancels_ += book_->cancel(ring_[ring_next_]) ? 1U : 0U;
    ring_[ring_next_] = id;
    ring_next_ = (ring_next_ + 1) % ring_.size();
  }

  std::uint64_t orders_;
  float most_load_;
  measure::Random random_{0};
  std::unique_ptr<IndexedBook<Making>> book_;
  std::array<std::uint64_t, 512> ring_{};
  std::size_t ring_next_ = 0, ring_count_ = 0;
  std::uint64_t last_id_ = 0, cancels_ = 0;
};

/// An order comes to an empty price and is cancelled.
template <LevelMaking Making>
class ChurnIndexed final : public harness::Competitor {
 public:
  explicit ChurnIndexed(float most_load) : book_(most_load) {}
  harness::Operations run() override {
    constexpr std::uint64_t k_turns = 100'000;
    for (std::uint64_t turn = 0; turn < k_turns; ++turn) {
      book_.submit(++last_id_, true, static_cast<std::int64_t>(100 + turn * 7 % 64), 5);
      book_.cancel(last_id_);
    }
    return harness::Operations{}.add("", k_turns);
  }

 private:
  IndexedBook<Making> book_;
  std::uint64_t last_id_ = 0;
};

}  // namespace dojima::bench
