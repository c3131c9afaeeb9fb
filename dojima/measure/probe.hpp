#pragma once

// Who may read the latency counter: a probe handed in by the wiring, null in replay. Stages are numbered by the wiring
// and each is written by one thread, so threads share nothing until the run has ended.
//
//   if (probe != nullptr) probe->mark(stage, order_number);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/time/clock.hpp"

namespace dojima::measure {

class Probe {
 public:
  /// The request with this number passes `stage` now.
  virtual void mark(std::uint8_t stage, std::uint64_t number) = 0;
  /// The request that the gateway numbered `number` is the one its client numbered `client_number`. Called by the
  /// gateway's thread; the client's own stages are keyed by the client's number until both are joined.
  virtual void bind(std::uint64_t number, std::uint64_t client_number) = 0;

 protected:
  ~Probe() = default;
};

/// A probe that keeps one column of ticks per stage, memory taken once. Numbers run from 0 to capacity - 1; marks
/// beyond are counted, not kept. The first mark of a number counts: later reports of one request change nothing.
class StageColumns final : public Probe {
 public:
  /// Throws std::bad_alloc.
  StageColumns(std::size_t stages, std::size_t capacity);

  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t number, std::uint64_t client_number) override;

  /// As `mark`, with a counter value already known (a due time that was planned).
  void mark_at(std::uint8_t stage, std::uint64_t number, time::Ticks ticks);

  /// The counter when `number` first passed `stage`; 0 when it never did.
  [[nodiscard]] time::Ticks at(std::uint8_t stage, std::uint64_t number) const;
  /// The client's number of the gateway's `number`, or `k_unbound`.
  [[nodiscard]] std::uint64_t client_number(std::uint64_t number) const;
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// Marks of numbers beyond the capacity, per stage.
  [[nodiscard]] std::uint64_t dropped(std::uint8_t stage) const { return columns_.at(stage).dropped; }

  static constexpr std::uint64_t k_unbound = ~std::uint64_t{0};

 private:
  /// A column of its own cache lines, so that two threads' stages do not share one.
  struct alignas(64) Column {
    std::unique_ptr<time::Ticks[]> ticks;
    std::uint64_t dropped = 0;
  };

  std::size_t capacity_;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> client_numbers_;
};

}  // namespace dojima::measure
