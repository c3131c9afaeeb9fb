#pragma once

// LOBSTER (lobsterdata.com): a message file, one event of one instrument a line, and an order-book file whose row k is
// the book behind message k. Messages become order events (`execute`, `reduce`, `remove`, ...; type 5 `hidden_trade`,
// type 6 a `trade` in an auction, type 7 `status`); the row becomes `window` events behind it, asks and bids in turn,
// best level first. Times count from the exchange's midnight (ReaderOptions::midnight). Prices have four decimals.
// Nothing is allocated per line.

#include <array>
#include <cstdint>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/fields.hpp"

namespace dojima::recorded {

class LobsterReader final : public RecordedReader {
 public:
  /// The sources outlive the reader. `book`: the order-book file, or null: messages alone.
  LobsterReader(ByteSource& messages, ByteSource* book, const ReaderOptions& options);

  [[nodiscard]] std::string_view format() const noexcept override { return "lobster"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override;
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const override;

 private:
  void decode(EventBatch& batch) override;
  void add_usual(EventBatch& batch);
  [[nodiscard]] bool add_message(EventBatch& batch, std::string_view line);
  [[nodiscard]] bool add_window(EventBatch& batch, const RecordedEvent& event);
  void fail_at(const ByteWindow& window, std::string text);
  void finish();

  ByteWindow messages_;
  std::optional<ByteWindow> book_;
  Time midnight_;
  std::size_t levels_ = 0;  // of the order-book file
  std::array<std::uint64_t, 8> counts_{};
};

}  // namespace dojima::recorded
