#pragma once

// Figures of a running process that one thread writes and any other reads, with the text that Prometheus collects.
// All figures are made at start; writing one is a relaxed store, without a lock or an allocation. Each figure has one
// writer. A reader sees each figure whole; two figures that belong together may be of different moments.
//
//   GaugeBoard board;
//   Gauge& up = board.gauge("dojima_gateway_client_up", "Whether the client is logged on", {{"client", "KONOIKE"}});
//   up.set(1);                                  // the loop
//   const std::string text = board.prometheus();  // another thread
//
// Names and units follow the conventions of Prometheus: seconds and bytes, `_total` at the end of what only grows.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dojima::measure {

class Gauge {
 public:
  /// The writer only. O(1).
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  /// Exact up to 2^53.
  void set(std::uint64_t value) noexcept { set(static_cast<double>(value)); }
  void set(bool value) noexcept { set(value ? 1.0 : 0.0); }
  /// Any thread. 0 until it is set.
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
  static_assert(std::atomic<double>::is_always_lock_free);
};

/// How often values fell into ranges, and their sum: what Prometheus calls a histogram.
class GaugeHistogram {
 public:
  /// The writer only. O(ranges).
  void note(double value) noexcept {
    std::size_t at = 0;
    while (at < bounds_.size() && value > bounds_[at]) ++at;
    counts_[at].store(counts_[at].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    sum_.store(sum_.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  /// Any thread. Of all values.
  [[nodiscard]] std::uint64_t count() const noexcept {
    std::uint64_t all = 0;
    for (const std::atomic<std::uint64_t>& each : counts_) all += each.load(std::memory_order_relaxed);
    return all;
  }

 private:
  friend class GaugeBoard;
  std::vector<double> bounds_;                      // of the ranges, rising; the last one has none
  std::vector<std::atomic<std::uint64_t>> counts_;  // of each range
  std::atomic<double> sum_{0};
};

struct GaugeLabel {
  std::string_view name;   ///< letters, digits and '_', not a digit first
  std::string_view value;  ///< any text
};

class GaugeBoard {
 public:
  using Labels = std::initializer_list<GaugeLabel>;

  /// What may rise and fall. A further figure of a name that is there has other labels; the help of the first holds.
  /// Before any other thread reads. The figure lives as long as the board. Asserts that the name is one of Prometheus
  /// and that name and labels are not there yet. O(figures of the name). Throws std::bad_alloc.
  Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
  /// What only grows; the name ends in `_total`.
  Gauge& counter(std::string_view name, std::string_view help, Labels labels = {});

  /// A value belongs to the first of these bounds, which rise, that it is not above, or behind the last. The name ends
  /// in a unit. As gauge(); `le` is no label of it.
  GaugeHistogram& histogram(std::string_view name, std::string_view help, std::initializer_list<double> bounds,
                            Labels labels = {});

  /// The text exposition format 0.0.4, names in the order in which they were made. Any thread. O(figures).
  [[nodiscard]] std::string prometheus() const;

  /// The media type of that text.
  static constexpr std::string_view k_content_type = "text/plain; version=0.0.4; charset=utf-8";

 private:
  enum class Kind : std::uint8_t { gauge, counter, histogram };
  struct Row {
    std::string labels;  ///< as they are printed, braces included; empty: none
    Gauge gauge;
    GaugeHistogram histogram;  ///< of that kind only
  };
  struct Family {
    std::string name, help;
    Kind kind = Kind::gauge;
    std::deque<Row> rows;
  };

  Row& add(Kind kind, std::string_view name, std::string_view help, Labels labels);
  static void add_histogram(std::string& text, const std::string& name, const Row& row);

  std::deque<Family> families_;
};

}  // namespace dojima::measure
