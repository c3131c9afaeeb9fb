#pragma once

// What the venue's books emit, seen by a demo: trades are counted and digested, and every report goes to a mirror that
// rebuilds the books. One tape per partition; no allocation after construction. One thread, the venue's.

#include <cstdint>

#include "dojima/venue/mirror_book.hpp"

namespace dojima::simulate {

class Tape final : public venue::ReportSink {
 public:
  /// Watches the partition from now on. Throws std::bad_alloc.
  Tape(venue::Partition& partition, const venue::VenueLimits& limits) : mirror_(partition.instruments(), limits) {
    partition.observe(this);
  }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  void on_reports(std::span<const market::BookReport> reports, time::Time now) override;

  [[nodiscard]] const venue::MirrorBook& mirror() const noexcept { return mirror_; }
  [[nodiscard]] std::uint64_t trades() const noexcept { return trades_; }
  [[nodiscard]] std::uint64_t volume() const noexcept { return volume_; }
  /// Over every trade in its order: instrument, both orders, price, quantity.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

 private:
  venue::MirrorBook mirror_;
  std::uint64_t trades_ = 0;
  std::uint64_t volume_ = 0;
  std::uint64_t digest_ = 14695981039346656037ULL;
};

}  // namespace dojima::simulate
