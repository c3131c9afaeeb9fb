#pragma once

// Bitstamp order events as CSV: id, receive time and exchange time in milliseconds, price, volume in units of 1e-8,
// what happened, side. `created` becomes `add`, `changed` `amend` (with the volume that is left), `deleted` `remove`.
// The exchange time is that at which the order was entered: the event time of `add`; of the others it is in `other`, in
// nanoseconds. Orders that could trade at once are published as created before they trade, so a book built from this is
// crossed now and then; and events may name orders from before the file. Prices and volumes have eight decimals.
// Nothing is allocated per line.

#include <array>
#include <cstdint>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class BitstampReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  BitstampReader(ByteSource& source, const ReaderOptions& options);

  [[nodiscard]] std::string_view format() const noexcept override { return "bitstamp"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

 private:
  void decode(EventBatch& batch) override;
  [[nodiscard]] bool add_event(EventBatch& batch, std::string_view line);

  ByteWindow window_;
  std::array<std::uint64_t, 3> counts_{};  // created, changed, deleted
};

}  // namespace dojima::recorded
