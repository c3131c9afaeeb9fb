#pragma once

// What a book does beyond price-time priority: how a level is shared out, and what happens when an order would trade
// with its own side. Fixed at construction; the defaults are price-time priority and no prevention, which cost nothing.
//
//   BookRules rules{.policy = Policy::pro_rata, .self_trade = SelfTrade::cancel_oldest};

#include <cstdint>
#include <vector>

namespace dojima::book {

/// How the displayed orders of one level share what comes in. Hidden orders always come behind them, in time order.
enum class Policy : std::uint8_t {
  fifo,          ///< the oldest first
  pro_rata,      ///< in proportion to what they display, rounded down; what is left over: the oldest first
  top_pro_rata,  ///< the oldest first, then the others pro rata
  size_time,     ///< the largest display first, then the oldest
};

/// What happens where an order would trade with its own side.
enum class SelfTrade : std::uint8_t {
  allowed,
  cancel_newest,  ///< what is left of the incoming order expires
  cancel_oldest,  ///< the resting order expires, and the incoming order goes on
  cancel_both,
  decrement,  ///< both lose the smaller of the two without a trade; who has nothing left expires
};

/// Who one's own side is.
enum class SelfTradeScope : std::uint8_t {
  owner,    ///< the same user
  account,  ///< users of the same account (BookRules::accounts)
  group,    ///< the same user, the same group, and the group is not 0
};

struct BookRules {
  Policy policy = Policy::fifo;
  SelfTrade self_trade = SelfTrade::allowed;
  SelfTradeScope scope = SelfTradeScope::owner;
  std::vector<std::uint16_t> accounts;  ///< by owner; owners beyond its end are each an account of their own
  /// An iceberg's total is at most this many times its peak: it bounds the trades of one command.
  std::int64_t most_peaks = 10'000;
  std::uint64_t seed = 1;  ///< of the random peaks

  /// Whether two owners are of one account. An owner beyond the end of the list is an account of its own.
  [[nodiscard]] bool is_one_account(std::uint16_t one, std::uint16_t other) const {
    if (one >= accounts.size() || other >= accounts.size()) return one == other;
    return accounts[one] == accounts[other];
  }
  friend bool operator==(const BookRules&, const BookRules&) = default;
};

}  // namespace dojima::book
