#pragma once

// A venue's journal as a file: the commands of one partition back to back, as they are in the journal (command.hpp),
// numbered from 1 without a hole. Orders, changes and cancels become `request` events, phases `status`, anything else a
// `notice`: what became of them is the book's business. Prices have eight decimals, quantities are lots. Nothing is
// allocated per command.
//
// Whoever wants the commands themselves reads them with `next_command`; either way the same things are checked.

#include <array>
#include <cstdint>
#include <map>

#include "dojima/market/command.hpp"
#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class CommandLogReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  explicit CommandLogReader(ByteSource& source);

  /// The next command's bytes, aligned to 8 (Partition::replay), valid until the next call; empty: end or trouble.
  [[nodiscard]] Bytes next_command();

  [[nodiscard]] std::string_view format() const noexcept override { return "commands"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

 private:
  static constexpr std::size_t k_largest = sizeof(market::NewOrder);

  void decode(EventBatch& batch) override;
  void add(EventBatch& batch, Bytes command);
  [[nodiscard]] std::uint32_t index_of(std::uint32_t instrument);

  ByteWindow window_;
  alignas(8) std::array<std::byte, k_largest> command_{};
  std::uint64_t last_ = 0;
  Time last_time_ = k_unknown_time;
  std::map<std::uint32_t, std::uint32_t> indexes_;
  std::array<std::uint64_t, 256> counts_{};
};

}  // namespace dojima::recorded
