#pragma once

// The limits of a partition and what counts against them, in cells: one for each user, account or everybody in one
// instrument or in all. An order concerns at most six. Plain memory of fixed capacity, taken with the first limit.
// O(1), no allocation but for accounts and windows when a limit is set. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/risk.hpp"
#include "dojima/venue/risk/limit_windows.hpp"
#include "dojima/venue/risk/order_cells.hpp"

namespace dojima::venue {

/// Price times quantity, in 1e-8 of the currency times lots: exact.
__extension__ using RiskValue = __int128;

[[nodiscard]] constexpr RiskValue magnitude(std::int64_t units) noexcept {
  return units < 0 ? -static_cast<RiskValue>(units) : RiskValue{units};
}

/// Of lots that are not below 0: in one multiplication.
[[nodiscard]] constexpr RiskValue value_of(std::int64_t units, std::int64_t lots) noexcept {
  const std::uint64_t bits = static_cast<std::uint64_t>(units), each = units < 0 ? 0 - bits : bits;
  __extension__ using Product = unsigned __int128;
  return static_cast<RiskValue>(static_cast<Product>(each) * static_cast<std::uint64_t>(lots));
}

/// More than anything can be worth.
__extension__ inline constexpr RiskValue k_no_value_limit =
    static_cast<RiskValue>(~static_cast<unsigned __int128>(0) >> 1);
inline constexpr std::int64_t k_no_count_limit = std::numeric_limits<std::int64_t>::max();

/// Whom a cell is about: a user's number, everybody, or from k_first_account on an account.
inline constexpr std::uint32_t k_everybody = 0x10000;
inline constexpr std::uint32_t k_first_account = k_everybody + 1;

/// What needs the times of what has happened.
struct RiskWindows {
  RiskWindows(TimesTail& request_tail, TimesTail& execution_tail, TimesMemory& memory)
      : requests(request_tail, memory), executions(execution_tail, memory) {}

  RecentTimes requests;
  TimesLimit rate;  ///< max_rate
  RecentTimes executions;
  TimesLimit repeats;     ///< max_repeats
  TimesLimit protection;  ///< protection
  bool is_near = false;   ///< one more request may be too many

  /// Behind every change of what its limits look at. How many more are near than before: -1, 0 or 1.
  int look_at_requests() noexcept {
    const bool was_near = is_near;
    is_near = rate.look <= requests.noted() + 1;
    requests.look_at(rate.look == 0 || rate.look == TimesLimit::k_never ? rate.look : rate.look - 1);
    return int{is_near} - int{was_near};
  }
  void look_at_executions() noexcept { executions.look_at(std::min(repeats.look, protection.look)); }
};

/// Its first cache line is what orders and trades count in, its second what new orders count in, and how much of all
/// that there may be.
struct alignas(64) RiskCell {
  RiskValue open_value = 0;
  std::int64_t open_orders = 0;
  std::array<std::int64_t, 2> open_lots{};  ///< lots that open orders to buy, and to sell, have left
  TimesTail executions;                     ///< where they are noted, whether a limit looks at them or not
  // Beside open_orders both would be changed at once by a trade, which waits until what an order changed of them by
  // itself is out of the store buffer.
  std::int64_t position = 0;  ///< lots, > 0: bought; of one instrument only

  TimesTail requests;  ///< likewise
  RiskValue most_value = k_no_value_limit;
  std::int64_t most_orders = k_no_count_limit;
  RiskWindows* windows = nullptr;  ///< null: it never needed any
  std::uint32_t set = 0;           ///< a bit by kind for those that are not 0
  std::uint32_t by_operator = 0;   ///< likewise those that the operator has set, to 0 too
  std::uint32_t subject = 0;
  std::uint32_t place = 0;  ///< of the instrument + 1; 0: of all

  bool is_stopped = false;
  bool is_protection_due = false;
  std::uint8_t reserved[6] = {};
  std::array<std::int64_t, market::k_limit_kinds> limits{};  ///< by kind; 0: none

  [[nodiscard]] std::int64_t buying() const noexcept { return open_lots[0]; }
  [[nodiscard]] std::int64_t selling() const noexcept { return open_lots[1]; }
  [[nodiscard]] bool has(market::LimitKind kind) const noexcept {
    return (set >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  [[nodiscard]] bool needs_windows() const noexcept {
    using enum market::LimitKind;
    return has(rate) || has(repeats) || has(protection);
  }
  [[nodiscard]] std::int64_t limit(market::LimitKind kind) const noexcept {
    return limits[static_cast<std::size_t>(kind)];
  }
};
static_assert(sizeof(RiskCell) == 320 && offsetof(RiskCell, requests) == 64 && offsetof(RiskCell, is_stopped) == 128,
              "what comes together lies in one line of the cache");

/// Which of a cell's two sides.
[[nodiscard]] inline std::size_t side_at(market::Side side) noexcept {
  return side == market::Side::buy ? 0 : 1;
}

/// What an open order counts for. All bytes 0: nothing.
struct OrderExposure {
  /// Of an order that is counted in its cells, not on the way to them.
  static constexpr std::uint64_t k_in_cells = 1;

  OrderCells cells;
  std::int64_t price = 0;  ///< that it was admitted with; 0: unknown
  std::int64_t leaves = 0;
  std::uint64_t counted = 0;  ///< 0: it is not; k_in_cells; else the number that its profile had (RiskProfile::number)
  std::uint8_t side = 0;      ///< side_at()
  std::uint8_t reserved[7] = {};

  [[nodiscard]] bool is_counted() const noexcept { return counted != 0; }
  [[nodiscard]] RiskValue value() const noexcept { return value_of(price, leaves); }
};

class RiskCells {
 public:
  /// Cells, and orders whose likeness is remembered.
  static constexpr std::size_t k_capacity = 1 << 16;
  static_assert(k_no_cell == k_capacity);

  struct Account {
    Text<10> name;
    std::uint32_t cell = k_no_cell;  ///< in all instruments
    bool has_instruments = false;    ///< it has cells of single ones
  };

  /// Throws std::bad_alloc.
  RiskCells(std::size_t users, std::size_t instruments)
      : cells_(k_capacity + 1, k_untouched),
        index_(k_capacity),
        users_(users),
        last_named_(users),
        everybody_in_(instruments, k_no_cell),
        account_index_(k_capacity) {
    cells_[k_no_cell] = RiskCell{.executions = unread(), .requests = unread(), .subject = k_everybody};
  }

  [[nodiscard]] RiskCell& operator[](std::uint32_t at) noexcept { return cells_[at]; }
  [[nodiscard]] const RiskCell& operator[](std::uint32_t at) const noexcept { return cells_[at]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == k_capacity; }

  /// No cell: there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t subject, std::uint32_t place) const noexcept {
    const std::uint32_t* at = index_.find(key_of(subject, place));
    return at != nullptr ? *at : k_no_cell;
  }
  /// No cell: all are used.
  std::uint32_t make(std::uint32_t subject, std::uint32_t place) noexcept {
    if (const std::uint32_t at = find(subject, place); at != k_no_cell) return at;
    if (is_full()) return k_no_cell;
    const std::uint32_t at = size_++;
    cells_[at] = RiskCell{.executions = unread(), .requests = unread(), .subject = subject, .place = place};
    static_cast<void>(index_.insert(key_of(subject, place), at));
    if (subject < k_everybody) {
      (place == 0 ? users_[subject].cell : users_[subject].instruments) = place == 0 ? at : 1;
    } else if (subject == k_everybody) {
      (place == 0 ? everybody_ : everybody_in_[place - 1]) = at;
    } else if (place == 0) {
      accounts_[subject - k_first_account].cell = at;
    } else {
      accounts_[subject - k_first_account].has_instruments = true;
    }
    return at;
  }

  /// Everybody, if there is no such account.
  [[nodiscard]] std::uint32_t find_account(const Text<10>& name) const noexcept {
    const std::uint32_t* at = account_index_.find(name);
    return at != nullptr ? k_first_account + *at : k_everybody;
  }
  /// Likewise, of an order of that user, which often has the same one as that before.
  [[nodiscard]] std::uint32_t account_of(std::uint16_t user, const Text<10>& name) const noexcept {
    if (accounts_.empty() || name.is_empty()) return k_everybody;
    Named& last = last_named_[user];
    if (!is_same(last.name, name)) [[unlikely]]
      last = {.name = name, .subject = find_account(name)};
    return last.subject;
  }
  /// Everybody: there is no room for another one. O(users); may allocate.
  std::uint32_t make_account(const Text<10>& name) {
    if (const std::uint32_t known = find_account(name); known != k_everybody) return known;
    const auto at = static_cast<std::uint32_t>(accounts_.size());
    if (!account_index_.insert(name, at)) return k_everybody;
    accounts_.push_back({.name = name});
    std::ranges::fill(last_named_, Named{});
    return k_first_account + at;
  }
  [[nodiscard]] const std::vector<Account>& accounts() const noexcept { return accounts_; }

  /// `account`: its subject, or everybody for none that is limited; `place`: of the instrument + 1.
  [[nodiscard]] OrderCells cells_of(std::uint16_t user, std::uint32_t account, std::uint32_t place) const noexcept {
    OrderCells cells;
    const User& of = users_[user];
    cells.at[0] = of.cell;
    if (of.instruments != 0) cells.at[1] = find(user, place);
    if (account == k_everybody) return cells;
    const Account& its = accounts_[account - k_first_account];
    cells.at[2] = its.cell;
    if (its.has_instruments) cells.at[3] = find(account, place);
    return cells;
  }
  [[nodiscard]] std::uint32_t everybody() const noexcept { return everybody_; }
  [[nodiscard]] std::uint32_t everybody_in(std::uint32_t place) const noexcept { return everybody_in_[place - 1]; }

  /// Where what happened in cells that never looked at it is noted, from its beginning.
  [[nodiscard]] TimesTail unread() noexcept { return {.at = unread_.data(), .stop = unread_.data() + k_unread}; }
  /// Of a cell with a limit that needs them. May allocate.
  RiskWindows& make_windows(RiskCell& cell) {
    if (cell.windows == nullptr)
      cell.windows = windows_.emplace_back(std::make_unique<RiskWindows>(cell.requests, cell.executions, times_)).get();
    return *cell.windows;
  }

 private:
  struct User {
    std::uint32_t cell = k_no_cell;
    std::uint32_t instruments = 0;  // 1: it has cells of single ones
  };
  struct Named {
    Text<10> name;
    std::uint32_t subject = k_everybody;
  };
  /// In two words: a call of memcmp() is dearer than all else of a look at an account.
  [[nodiscard]] static bool is_same(const Text<10>& one, const Text<10>& other) noexcept {
    const auto words = [](const Text<10>& name) {
      std::uint64_t first;
      std::uint16_t second;
      std::memcpy(&first, name.chars.data(), sizeof first);
      std::memcpy(&second, name.chars.data() + sizeof first, sizeof second);
      return std::pair(first, second);
    };
    const auto [first, second] = words(one);
    const auto [other_first, other_second] = words(other);
    return ((first ^ other_first) | static_cast<std::uint64_t>(second ^ other_second)) == 0;
  }
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t subject, std::uint32_t place) noexcept {
    return std::uint64_t{subject} << 32 | place;
  }

  static constexpr std::size_t k_unread = 64;
  std::array<Time, k_unread> unread_{};  // nobody reads it
  LargeArray<RiskCell> cells_;
  std::uint32_t size_ = 0;
  FixedMap<std::uint64_t, std::uint32_t> index_;
  std::vector<User> users_;
  mutable std::vector<Named> last_named_;  // by user
  std::uint32_t everybody_ = k_no_cell;
  std::vector<std::uint32_t> everybody_in_;  // by place of the instrument
  std::vector<Account> accounts_;
  FixedMap<Text<10>, std::uint32_t> account_index_;
  TimesMemory times_;
  std::vector<std::unique_ptr<RiskWindows>> windows_;
};

}  // namespace dojima::venue
