#pragma once

// All that orders of one user, with one account, in one instrument are held against: what the limits of up to six cells
// come to together, put together when it is first asked for and again when any limit has changed. So an order asks
// once, and limits that are not there cost nothing. What is counted stays in the cells.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/base/large_array.hpp"
#include "dojima/market/risk.hpp"
#include "dojima/venue/risk/recent_orders.hpp"
#include "dojima/venue/risk/risk_cells.hpp"

namespace dojima::venue {

/// The checks in their order.
enum Check : std::uint8_t {
  k_check_killed,
  k_check_stopped,
  k_check_permitted,
  k_check_rate,
  k_check_quantity,
  k_check_collar,
  k_check_no_price,
  k_check_value,
  k_check_open_orders,
  k_check_open_value,
  k_check_position,
  k_check_duplicate,
  k_check_full,
  k_check_passed,
};

[[nodiscard]] constexpr std::uint32_t risk_bit(market::LimitKind kind) noexcept {
  return 1U << static_cast<unsigned>(kind);
}

/// More than anybody can have, and far from where sums of lots end.
inline constexpr std::int64_t k_no_position_limit = std::int64_t{1} << 62;

/// All bytes 0: of nobody.
struct alignas(64) RiskProfile {
  /// How far a price may be from a base; the largest number: as far as it likes.
  struct Collar {
    std::int64_t bp = k_no_count_limit;
    std::int64_t ticks = k_no_count_limit;
    [[nodiscard]] bool is_there() const noexcept { return bp != k_no_count_limit || ticks != k_no_count_limit; }
  };
  /// Prices that are within all collars as long as the last trade is near where it was when they were found.
  struct Near {
    std::int64_t last_from = 0, last_to = -1;
    std::int64_t price_from = 0, price_to = -1;
    [[nodiscard]] static Near everywhere() noexcept {
      constexpr std::int64_t k_most = k_no_count_limit;
      return {.last_from = -k_most, .last_to = k_most, .price_from = -k_most, .price_to = k_most};
    }
    [[nodiscard]] bool has(std::int64_t last, std::int64_t price) const noexcept {
      return last >= last_from && last <= last_to && price >= price_from && price <= price_to;
    }
  };
  /// One that is held against what it counts, with its cells.
  struct Pair {
    std::int64_t position = k_no_position_limit;
    bool lacks_cell = false;  ///< its position is limited, and the instrument has no cell of its own yet
  };

  /// Room in each of the cells, of open orders, their value, and their lots to buy and to sell.
  struct Room {
    std::int64_t orders = 0;
    RiskValue value = 0;
    std::array<std::int64_t, 2> lots{};

    /// For one more order of that value and so many lots; none where these are below 0.
    [[nodiscard, gnu::always_inline]] bool has(RiskValue its_value, std::size_t side,
                                               std::int64_t its_lots) const noexcept {
      // Of a lease no lots are below 0, so one comparison without a sign.
      return orders > 0 && its_value <= value &&
             static_cast<std::uint64_t>(its_lots) <= static_cast<std::uint64_t>(lots[side]);
    }
    void add(const Room& other, int times) noexcept {
      orders += times * other.orders;
      value += times * other.value;
      for (std::size_t side = 0; side < lots.size(); ++side) lots[side] += times * other.lots[side];
    }
    [[gnu::always_inline]] void take(RiskValue its_value, std::size_t side, std::int64_t its_lots) noexcept {
      --orders;
      value -= its_value;
      lots[side] -= its_lots;
    }
  };
  /// Room that was set aside in all cells for the next orders: they take of it without a look at the cells. It shrinks
  /// until there is another one; what orders give back goes to the cells. See risk_leases.cpp.
  struct Lease {
    Room left;
    std::uint64_t term = 0;  ///< that it holds in (RiskProfiles::term())
  };

  /// What its orders have changed since it was added to the cells last, so that most of them need not write to each.
  /// See RiskProfiles::settle().
  struct Pending {
    /// Nothing has, and no order has this number.
    static constexpr std::uint64_t k_idle = 2;

    RiskValue value = 0;
    std::array<std::int64_t, 2> lots{};
    std::array<std::int64_t, 2> traded{};  ///< lots
    std::int64_t orders = 0;
    std::uint64_t number = k_idle;  ///< of the profile, as long as orders may count here

    [[gnu::always_inline]] void add(std::size_t side, std::int64_t more_orders, RiskValue more_value,
                                    std::int64_t more_lots) noexcept {
      orders += more_orders;
      value += more_value;
      lots[side] += more_lots;
    }
  };

  // What an order looks at that is far from all limits lies in the first four lines of the cache, in its order.
  std::uint64_t key = 0;
  std::uint64_t version = 0;  ///< of the limits that it was made from
  Near near;
  std::int64_t quantity = k_no_count_limit;
  std::uint32_t set = 0;         ///< a bit by kind of limits that any of its cells has, those of everybody too
  Check first = k_check_passed;  ///< the first check that fails whatever is requested
  bool has_collar = false;
  bool is_rated = false;
  bool is_counted = false;  ///< it has some cell

  Lease lease;

  RiskValue value = k_no_value_limit;
  std::array<RiskCell*, OrderCells::k_most> counted{};  ///< its cells, or that of no cell
  RecentOrders::Salts salts{};

  OrderCells cells;
  OrderCells looking;  ///< of those that look for duplicates
  std::uint32_t looking_count = 0;
  bool lacks_cells = false;       ///< one of its pairs does
  bool is_watched = false;        ///< some cell looks at executions
  std::uint8_t lease_wait = 0;    ///< orders that ask for none
  RecentOrders::Windows alike{};  ///< of each cell; 0: it does not look for duplicates

  std::array<RiskWindows*, OrderCells::k_most> rated{};  ///< of those whose rate is limited; null: of none
  Room granted;                                          ///< with the lease
  std::array<Pair, 2> pairs;                             ///< of its user and its account
  Collar from_last, from_reference;
  Pending pending;
  std::uint64_t number = 0;  ///< another one whenever it is about other cells

  [[nodiscard]] bool wants(std::uint32_t kinds) const noexcept { return (set & kinds) != 0; }
};
static_assert(sizeof(RiskProfile) == 512, "found by its number in one shift");

/// The profiles that were asked for last, by their keys. Memory is touched as it is used. O(1).
class RiskProfiles {
 public:
  /// Throws std::bad_alloc.
  RiskProfiles() : profiles_(k_profiles, k_untouched), aside_(RiskCells::k_capacity, k_untouched) {
    // Memory of huge pages is cleared when it is used first: not while an order waits.
    profiles_[0] = {};
    aside_[0] = {};
  }

  /// Some limit, or what it applies to, is another one: no profile holds any more.
  void change() noexcept {
    settle();
    ++version_;
    end_term();
  }

  // ---- What orders have changed, on its way to the cells.

  /// Adds it to the cells: before somebody reads what is counted in any of them. O(profiles that have something, 512 at
  /// most).
  void settle() noexcept {
    for (std::uint32_t at = 0; at < pending_; ++at) settle(profiles_[with_pending_[at]]);
    pending_ = 0;
  }
  /// Where orders with this number count; null: in their cells.
  [[nodiscard, gnu::always_inline]] RiskProfile* counting(std::uint64_t number) noexcept {
    RiskProfile& profile = profiles_[number % k_profiles];
    if (profile.pending.number == number) [[likely]]
      return &profile;
    return begin_counting(number);
  }

  // ---- Leases, each for a term.

  [[nodiscard]] std::uint64_t term() const noexcept { return term_; }
  /// All leases are over.
  void end_term() noexcept {
    ++term_;
    leases_before_ = std::exchange(leases_, 0);
  }
  /// How many hold, or did in the term before if that is more.
  [[nodiscard]] std::uint32_t leases() const noexcept { return std::max(leases_, leases_before_); }
  /// What all of them have set aside of a cell.
  [[nodiscard]] const RiskProfile::Room& aside(std::uint32_t cell) noexcept { return aside_of(cell); }
  /// The profile has none from here on. What was taken of it is counted in the cells.
  void give_back(RiskProfile& profile) noexcept;
  /// To one that has none.
  void grant(RiskProfile& profile, const RiskProfile::Room& room) noexcept;
  /// It would be of no use: the next orders need not ask.
  void refuse(RiskProfile& profile) noexcept { profile.lease_wait = 15; }
  /// Whether it need not ask, and nothing is set aside of its cells that its orders could take from others.
  [[nodiscard]] bool waits(RiskProfile& profile) noexcept {
    if (profile.lease_wait == 0) return false;
    --profile.lease_wait;
    // A lease has some order.
    return std::ranges::none_of(profile.cells.at, [this](std::uint32_t at) {
      return at != k_no_cell && aside_[at].term == term_ && aside_[at].room.orders != 0;
    });
  }

  /// Of orders of a user with an account (its subject, or everybody) in an instrument (its place + 1). May take the
  /// place of another one.
  [[nodiscard]] RiskProfile& find(RiskCells& cells, std::uint16_t user, std::uint32_t account,
                                  std::uint32_t place) noexcept {
    const std::uint64_t key = std::uint64_t{user} << (k_place_bits + k_account_bits) |
                              std::uint64_t{account - k_everybody} << k_place_bits | place;
    RiskProfile& profile = profiles_[(key * 0x9e3779b97f4a7c15U) >> (64 - k_profile_bits)];
    if (profile.key == key && profile.version == version_) [[likely]]
      return profile;
    make_anew(profile, key, cells, user, account, place);
    return profile;
  }

 private:
  // Of a key; its user has the others. An account is counted from everybody.
  static constexpr unsigned k_place_bits = 31, k_account_bits = 17;
  static_assert(RiskCells::k_capacity < std::size_t{1} << k_account_bits && k_place_bits + k_account_bits + 16 == 64);
  static constexpr unsigned k_profile_bits = 12;
  static constexpr std::size_t k_profiles = std::size_t{1} << k_profile_bits;

  static void settle(RiskProfile& profile) noexcept;
  [[nodiscard]] RiskProfile* begin_counting(std::uint64_t number) noexcept;
  void make_anew(RiskProfile& profile, std::uint64_t key, RiskCells& cells, std::uint16_t user, std::uint32_t account,
                 std::uint32_t place) noexcept;
  static void make(RiskProfile& profile, RiskCells& cells, std::uint16_t user, std::uint32_t account,
                   std::uint32_t place) noexcept;
  static void add(RiskProfile& profile, const RiskCell& cell) noexcept;

  /// What is set aside of a cell.
  struct Aside {
    std::uint64_t term;  // another one than the present one: nothing
    RiskProfile::Room room;
  };
  [[nodiscard]] RiskProfile::Room& aside_of(std::uint32_t cell) noexcept {
    Aside& aside = aside_[cell];
    if (aside.term != term_) aside = {.term = term_, .room = {}};
    return aside.room;
  }

  LargeArray<RiskProfile> profiles_;
  LargeArray<Aside> aside_;  // by cell
  static constexpr std::size_t k_most_pending = 512;
  std::array<std::uint16_t, k_most_pending> with_pending_{};  // by their places; some may have been settled since
  std::uint32_t pending_ = 0;
  std::uint64_t numbers_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t term_ = 1;
  std::uint32_t leases_ = 0, leases_before_ = 0;  // that hold; that held when the term before ended
};

}  // namespace dojima::venue
