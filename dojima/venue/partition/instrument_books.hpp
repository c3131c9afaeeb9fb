#pragma once

// The books of a partition's instruments, in the order of its configuration, and the commands that concern several of
// them. No allocation after construction; O(1) to find a book. One thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/book/book.hpp"
#include "dojima/market/command.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/instrument_index.hpp"
#include "dojima/venue/partition/expiries.hpp"
#include "dojima/venue/partition_config.hpp"

namespace dojima::venue {

class InstrumentBooks {
 public:
  /// All must outlive it. Throws std::bad_alloc, std::invalid_argument for an instrument id that is 0 or given twice.
  InstrumentBooks(const PartitionConfig& config, book::OrderTable& orders, book::ReportBuffer& reports,
                  Expiries& expiries);

  /// By place in the configuration.
  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] const market::Instrument& instrument(std::size_t at) const noexcept { return instruments_[at]; }
  [[nodiscard]] book::Book& operator[](std::size_t at) noexcept { return *books_[at]; }
  [[nodiscard]] const book::Book& operator[](std::size_t at) const noexcept { return *books_[at]; }

  /// The place of an instrument; null when it is not of this partition.
  [[nodiscard, gnu::always_inline]] const std::uint32_t* place_of(std::uint32_t instrument) const noexcept {
    return place_of_instrument_.find(instrument);
  }
  /// The book of an instrument; null likewise.
  [[nodiscard, gnu::always_inline]] book::Book* find(std::uint32_t instrument) const noexcept {
    const std::uint32_t* at = place_of(instrument);
    return at != nullptr ? books_[*at].get() : nullptr;
  }

  [[nodiscard]] bool has_segment(std::string_view segment) const noexcept;
  /// Whether a mass cancel means any instrument of this partition.
  [[nodiscard]] bool is_concerned(const market::MassCancel& command) const noexcept;

  /// Book by book, in the order of the configuration, each book's orders by owner and entry. Orders whose time is over:
  /// O(n log n) of these n; with the end of the day, or of one instrument: O(capacity) besides.
  void apply(const market::Expire& command);
  /// The end of a session: expires the user's orders that carry k_auto_cancel, in the order of their entry.
  void apply(const market::UserCommand& command);

 private:
  void expire_due(time::Time now);

  std::span<const market::Instrument> instruments_;
  book::OrderTable& orders_;
  Expiries& expiries_;
  std::vector<book::Slot> due_;  // of the command in hand
  std::vector<std::unique_ptr<book::Book>> books_;
  InstrumentIndex place_of_instrument_;
};

}  // namespace dojima::venue
