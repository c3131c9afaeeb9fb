#pragma once

// How often each row of a machine fired: for tests, which want to know the rows that they never exercised. A definition
// takes part with `static constexpr bool is_observed = true`; while nobody observes, an event then costs one load and
// one predicted branch, otherwise nothing.
//
//   fsm::RowHits hits(fsm::Table<Market>::k_rows);
//   fsm::observe<Market>(&hits);           // all machines of this definition in the process, until
//   observe<Market>(nullptr)
//   ... hits.never_hit() ...
//
// Counts are relaxed atomics: exact with one thread, and never a race with several.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dojima::fsm {

class RowHits {
 public:
  /// Throws std::bad_alloc.
  explicit RowHits(std::size_t rows) : counts_(rows) {}

  /// `row` past the end counts as unhandled.
  void count(std::uint16_t row) noexcept {
    std::atomic<std::uint64_t>& count = row < counts_.size() ? counts_[row] : unhandled_;
    count.fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t rows() const noexcept { return counts_.size(); }
  [[nodiscard]] std::uint64_t hits(std::size_t row) const noexcept {
    return counts_[row].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t unhandled() const noexcept { return unhandled_.load(std::memory_order_relaxed); }

  /// Numbers of the rows with no hit, ascending.
  [[nodiscard]] std::vector<std::uint16_t> never_hit() const {
    std::vector<std::uint16_t> rows;
    for (std::size_t row = 0; row < counts_.size(); ++row)
      if (hits(row) == 0) rows.push_back(static_cast<std::uint16_t>(row));
    return rows;
  }

 private:
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<std::uint64_t> unhandled_{0};
};

namespace detail {

template <class Definition>
inline constinit std::atomic<RowHits*> observer{nullptr};

template <class Definition>
concept Observed = requires { requires static_cast<bool>(Definition::is_observed); };

}  // namespace detail

/// `hits`, or null, sees all machines of this definition from now on, and must outlive that.
template <class Definition>
void observe(RowHits* hits) noexcept {
  static_assert(detail::Observed<Definition>, "a definition that is observed says so with is_observed = true");
  detail::observer<Definition>.store(hits, std::memory_order_release);
}

template <class Definition>
inline void note_hit([[maybe_unused]] std::uint16_t row) noexcept {
  if constexpr (detail::Observed<Definition>) {
    if (RowHits* hits = detail::observer<Definition>.load(std::memory_order_acquire)) [[unlikely]]
      hits->count(row);
  }
}

}  // namespace dojima::fsm
