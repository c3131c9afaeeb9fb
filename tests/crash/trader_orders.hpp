#pragma once

// What a FIX client of the programs that kill asks for: limit orders, and changes of its latest ones, by a seeded draw.
// The same whatever engine sends them.

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace dojima::crash {

/// NewOrderSingle(D), OrderCancelRequest(F) or OrderCancelReplaceRequest(G).
struct TraderOrder {
  char type = 'D';
  std::string id, orig;  ///< ClOrdID(11), OrigClOrdID(41)
  std::string symbol;
  char side = '1';
  std::uint64_t quantity = 0;          ///< not of F
  std::int64_t price = 0;              ///< units of the currency; not of F
  bool is_to_outlive_the_day = false;  ///< good till a date
};

class TraderOrders {
 public:
  /// `has_days`: every second order outlives the venue's day.
  TraderOrders(std::vector<std::string> symbols, std::uint64_t seed, bool has_days);

  /// The next request; its id is one that this client never used.
  [[nodiscard]] TraderOrder next();
  /// A request of an earlier life, whose id is used up.
  void note_earlier() noexcept { ++requests_; }

 private:
  /// What a change has to repeat of the order that it is about.
  struct Note {
    std::string id, symbol;
    char side = '1';
    bool is_to_outlive_the_day = false;
  };
  static constexpr std::size_t k_notes = 20;

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  std::vector<std::string> symbols_;
  std::mt19937_64 random_;
  bool has_days_;
  std::deque<Note> notes_;  // the latest orders
  std::uint64_t requests_ = 0;
};

}  // namespace dojima::crash
