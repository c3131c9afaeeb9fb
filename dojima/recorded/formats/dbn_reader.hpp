#pragma once

// Databento binary encoding (DBN), versions 1 to 3, schema market by order: every MBO record is one event. Actions A,
// C, M, R are `add`, `reduce` (the size that goes), `amend` and `clear`; T is `trade` and F `fill`, which change no
// book: what they did to the orders comes as C and M. Prices have nine decimals. Records of other schemas are `notice`.
// The version's layout is in the format's documentation
// (databento.com/docs/standards-and-conventions/databento-binary-encoding). Nothing is allocated per record.

#include <array>
#include <cstdint>
#include <unordered_map>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class DbnReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  explicit DbnReader(ByteSource& source);

  [[nodiscard]] std::string_view format() const noexcept override { return "dbn"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const override { return notes_; }

 private:
  void decode(EventBatch& batch) override;
  [[nodiscard]] bool read_metadata();
  [[nodiscard]] bool read_mappings(Bytes metadata, std::size_t at, std::size_t symbol_size);
  void fail_here(std::string text) { fail({std::move(text), window_.position()}); }
  [[nodiscard]] bool add_order_event(EventBatch& batch, Bytes record);
  void add_notice(EventBatch& batch, Bytes record);
  [[nodiscard]] std::uint32_t index_of(std::uint32_t instrument);
  void finish();

  ByteWindow window_;
  bool has_metadata_ = false;
  std::vector<std::pair<std::string, std::string>> notes_;
  std::unordered_map<std::uint32_t, std::uint32_t> indexes_;  // by instrument id; looked up, never listed
  std::uint32_t last_instrument_ = 0, last_index_ = 0;
  bool has_last_ = false;
  std::array<std::uint64_t, 256> actions_{}, others_{};  // by action; by record type
};

}  // namespace dojima::recorded
