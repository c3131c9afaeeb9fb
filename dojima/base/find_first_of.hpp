#pragma once

// The first element of a range that a predicate likes, looked for by several threads. The answer is that of
// std::find_if, whatever the number of threads; what lies behind the best answer so far is not looked at any more. For
// predicates that take long beside an atomic addition. Starts threads, so not for a hot path; allocates.
//
//   const auto found = find_first_of(numbers.begin(), numbers.end(), is_prime, {.threads = 4});
//   if (found == numbers.end()) ...

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <thread>
#include <vector>

namespace dojima {

struct ParallelSearch {
  unsigned threads = 0;     ///< the calling one included; 0: as many as there are processors
  std::size_t grain = 256;  ///< elements that a thread takes at once, at least 1
};

namespace detail {

/// The smallest place that was reported, and what was thrown there instead of an answer.
struct FirstPlace {
  std::size_t place;
  std::exception_ptr thrown{};
};

/// Looks at blocks as they are handed out, and stops at its first hit: its blocks only come later.
template <class Iterator, class Predicate>
FirstPlace search_blocks(Iterator first, std::size_t size, std::size_t grain, Predicate predicate,
                         std::atomic<std::size_t>& next, std::atomic<std::size_t>& best) {
  FirstPlace found{.place = size};
  const auto report = [&](std::size_t place) {
    found.place = place;
    for (std::size_t seen = best.load(); place < seen && !best.compare_exchange_weak(seen, place);) continue;
  };
  for (;;) {
    const std::size_t begin = next.fetch_add(grain);
    if (begin >= best.load()) return found;
    for (std::size_t place = begin; place < std::min(size, begin + grain); ++place) {
      // Somebody was right further in front: what follows here cannot be the first.
      if (place > best.load(std::memory_order_relaxed)) return found;
      try {
        if (!predicate(first[static_cast<std::iter_difference_t<Iterator>>(place)])) continue;
      } catch (...) {
        found.thrown = std::current_exception();
      }
      report(place);
      return found;
    }
  }
}

}  // namespace detail

/// The first element that `predicate` is true of, or `last`. Each thread works with a copy of the predicate, so a
/// predicate may keep scratch memory of its own; copies must agree. What the predicate throws at the first element
/// that it likes or throws at is thrown here. Throws std::system_error where no thread can be started. O(n) calls of
/// the predicate at the most; each thread calls it at most `grain` times behind the answer.
template <std::random_access_iterator Iterator, class Predicate>
[[nodiscard]] Iterator find_first_of(Iterator first, Iterator last, Predicate predicate, ParallelSearch how = {}) {
  const auto size = static_cast<std::size_t>(last - first);
  const std::size_t grain = std::max<std::size_t>(1, how.grain);
  const std::size_t wanted = how.threads != 0 ? how.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::max<std::size_t>(1, std::min(wanted, (size + grain - 1) / grain));
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> best{size};
  std::vector<detail::FirstPlace> found(threads, {.place = size});
  const auto work = [&](std::size_t me) {
    found[me] = detail::search_blocks(first, size, grain, predicate, next, best);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t me = 1; me < threads; ++me) others.emplace_back(work, me);
    work(0);
  }
  const detail::FirstPlace& answer = *std::ranges::min_element(found, {}, &detail::FirstPlace::place);
  if (answer.thrown) std::rethrow_exception(answer.thrown);
  return first + static_cast<std::iter_difference_t<Iterator>>(answer.place);
}

}  // namespace dojima
