#pragma once

// The open orders of many participants, a list for each, the oldest first. A list is a few cache lines of its own at a
// place that its number says, so that nothing has to be read to fetch it.
//
//   OrderLists lists(participants, 6);
//   OrderLists::List list = lists.of(3);
//   list.push_back(order);  list.erase(0);
//
// push_back() is O(1) in the mean and allocates where a list is full: all of them get longer then. erase() O(orders
// behind). One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/large_array.hpp"
#include "dojima/market/order.hpp"

namespace dojima::backtest {

class OrderLists {
 public:
  class List;

  /// `count` lists, each with room for `room` orders at first. Throws std::bad_alloc.
  OrderLists(std::size_t count, std::size_t room)
      : count_(count), stride_((1 + room + k_line - 1) / k_line * k_line), words_(make(count_ * stride_)) {}

  [[nodiscard]] List of(std::size_t list) noexcept;
  /// A hint. Inlined by force: g++ 12 takes a function that only fetches ahead for one that does nothing.
  [[gnu::always_inline]] void prefetch(std::size_t list) const noexcept {
    __builtin_prefetch(&(*words_)[list * stride_], 1);
  }
  /// Orders that each list has room for.
  [[nodiscard]] std::size_t room() const noexcept { return stride_ - 1; }

 private:
  // A list: first its size, and above that by 32 bits what its owner keeps with it; then its orders.
  using Words = book::LargeArray<std::uint64_t>;
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

/// One of them, until the next push_back() to any other.
class OrderLists::List {
 public:
  List(OrderLists& lists, std::size_t list) noexcept
      : lists_(lists), list_(list), words_(&(*lists.words_)[list * lists.stride_]) {}

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::uint32_t>(words_[0]); }
  [[nodiscard]] market::OrderId operator[](std::size_t at) const noexcept { return {words_[1 + at]}; }
  /// Where it is; size(): nowhere.
  [[nodiscard]] std::size_t find(market::OrderId order) const noexcept {
    return static_cast<std::size_t>(std::find(words_ + 1, words_ + 1 + size(), order.value) - (words_ + 1));
  }
  /// What the owner keeps with it; 0 at first.
  [[nodiscard]] std::uint32_t kept() const noexcept { return static_cast<std::uint32_t>(words_[0] >> 32); }
  void keep(std::uint32_t value) noexcept {
    words_[0] = std::uint64_t{value} << 32 | static_cast<std::uint32_t>(words_[0]);
  }

  void push_back(market::OrderId order) {
    if (size() == lists_.room()) [[unlikely]] {
      lists_.make_longer();
      words_ = &(*lists_.words_)[list_ * lists_.stride_];
    }
    words_[1 + size()] = order.value;
    ++words_[0];
  }
  void erase(std::size_t at) noexcept {
    DOJIMA_CHECK_SLOW(at < size(), "an order of the list", at, size());
    std::copy(words_ + 1 + at + 1, words_ + 1 + size(), words_ + 1 + at);
    --words_[0];
  }

 private:
  OrderLists& lists_;
  std::size_t list_;
  std::uint64_t* words_;
};

inline OrderLists::List OrderLists::of(std::size_t list) noexcept {
  return List(*this, list);
}

}  // namespace dojima::backtest
