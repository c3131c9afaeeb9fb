#pragma once

// A second opinion on a partition's books: books rebuilt from nothing but the reports that the partition's books emit.
// If a report is missing, doubled or wrong, the mirror stops fitting or its digest differs. For checks in tests and at
// the end of a run. O(log levels) per report, no allocation after construction. One thread.
//
//   MirrorBook mirror(partition.instruments(), limits);
//   partition.observe(&mirror);  ...  mirror.mismatch(partition) == nullptr

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dojima/venue/partition.hpp"

namespace dojima::venue {

class MirrorBook final : public ReportSink {
 public:
  /// Throws std::bad_alloc.
  MirrorBook(std::span<const market::Instrument> instruments, const VenueLimits& limits);
  ~MirrorBook();

  void on_reports(std::span<const market::BookReport> reports, Time now) override;

  /// The first report that did not fit, if any did not.
  [[nodiscard]] const std::optional<market::BookReport>& misfit() const noexcept { return misfit_; }
  [[nodiscard]] std::uint64_t reports_seen() const noexcept { return reports_seen_; }
  /// Reports that made a rebuilt book crossed, over all instruments.
  [[nodiscard]] std::uint64_t crossings() const noexcept;

  /// Null when every report fitted and the rebuilt books are the partition's; else what differs (static text).
  [[nodiscard]] const char* mismatch(const Partition& partition) const;

  /// The rebuilt book of an instrument; null when there is none.
  [[nodiscard]] const book::Book* book(std::uint32_t instrument) const noexcept;

 private:
  class NoReports;
  std::vector<market::Instrument> instruments_;
  book::OrderTable orders_;
  std::unique_ptr<NoReports> no_reports_;
  std::vector<std::unique_ptr<book::Book>> books_;
  FixedMap<std::uint32_t, std::uint32_t> book_of_instrument_;
  std::optional<market::BookReport> misfit_;
  std::uint64_t reports_seen_ = 0;
};

}  // namespace dojima::venue
