#pragma once

// The open orders of many participants, a list for each, the oldest first. A list is a few cache lines of its own at a
// place that its number says, so that nothing has to be read to fetch it.
//
//   OrderLists lists(participants, 6);
//   lists.push_back(3, order);
//   OrderLists::List list = lists.of(3);  list[0] == order;  list.erase(0);
//
// push_back() is O(1) in the mean and allocates where a list is full: all of them get longer then. erase() O(orders
// behind). One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/market/order.hpp"

namespace dojima::backtest {

class OrderLists {
 public:
  class List;

  /// `count` lists, each with room for `room` orders at first. Throws std::bad_alloc.
  OrderLists(std::size_t count, std::size_t room)
      : count_(count), stride_((1 + room + k_line - 1) / k_line * k_line), words_(make(count_ * stride_)) {}

  [[nodiscard]] List of(std::size_t list) noexcept;
  void push_back(std::size_t list, market::OrderId order) {
    std::uint64_t* words = &(*words_)[list * stride_];
    if (words[0] == room()) [[unlikely]] {
      make_longer();
      words = &(*words_)[list * stride_];
    }
    words[++words[0]] = order.value;
  }
  /// A hint. Inlined by force: g++ 12 takes a function that only fetches ahead for one that does nothing.
  [[gnu::always_inline]] void prefetch(std::size_t list) const noexcept {
    __builtin_prefetch(&(*words_)[list * stride_], 1);
  }
  /// Orders that each list has room for.
  [[nodiscard]] std::size_t room() const noexcept { return stride_ - 1; }

 private:
  // A list: first its size, then its orders.
  using Words = LargeArray<std::uint64_t>;
  static constexpr std::size_t k_line = 64 / sizeof(std::uint64_t);

  static std::unique_ptr<Words> make(std::size_t size) { return std::make_unique<Words>(size); }
  void make_longer() {
    auto longer = make(count_ * 2 * stride_);
    for (std::size_t list = 0; list < count_; ++list)
      std::copy_n(&(*words_)[list * stride_], stride_, &(*longer)[list * 2 * stride_]);
    words_ = std::move(longer);
    stride_ *= 2;
  }

  std::size_t count_;
  std::size_t stride_;  // words of a list
  std::unique_ptr<Words> words_;
};

/// One of them, until the next push_back(). As small as a pointer, so that it stays in a register.
class OrderLists::List {
 public:
  explicit List(std::uint64_t* words) noexcept : words_(words) {}

  [[nodiscard]] std::size_t size() const noexcept { return words_[0]; }
  [[nodiscard]] market::OrderId operator[](std::size_t at) const noexcept { return {words_[1 + at]}; }
  /// One that is there. O(orders).
  void remove(market::OrderId order) noexcept {
    const std::uint64_t* const orders = words_ + 1;
    erase(static_cast<std::size_t>(std::find(orders, orders + size(), order.value) - orders));
  }
  void erase(std::size_t at) noexcept {
    DOJIMA_CHECK_SLOW(at < size(), "an order of the list", at, size());
    std::copy(words_ + 1 + at + 1, words_ + 1 + size(), words_ + 1 + at);
    --words_[0];
  }

 private:
  std::uint64_t* words_;
};

inline OrderLists::List OrderLists::of(std::size_t list) noexcept {
  return List(&(*words_)[list * stride_]);
}

}  // namespace dojima::backtest
