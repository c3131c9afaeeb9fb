#pragma once

// Our own file of recorded events: the 64-byte records of event.hpp as they are, in blocks of up to 4,096, each with
// its times and a checksum, and an index of the blocks at the end. A mapped file is used in place, without decoding;
// time is looked up by bisection; a stream (a packed file) is read front to back; a file that was cut gives all its
// whole blocks and then says so. docs/formats/compact.md has the layout byte by byte.
//
//   CompactWriter writer(sink, "itch50");  writer.write(events, instruments);  writer.finish();
//
//   auto view = CompactView::of(mapped_bytes);
//   for (std::size_t block = view->block_at(ten_o_clock); block < view->blocks(); ++block)
//     for (const RecordedEvent& event : view->events(block)) ...

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/event_writer.hpp"

namespace dojima::recorded {

inline constexpr std::uint32_t k_compact_version = 1;
inline constexpr std::size_t k_compact_block = 4096;  ///< events in a block, at most
inline constexpr std::string_view k_compact_magic = "DOJIMAEV";

/// The first 64 bytes of the file.
struct CompactHeader {
  char magic[8] = {'D', 'O', 'J', 'I', 'M', 'A', 'E', 'V'};
  std::uint32_t version = k_compact_version;
  std::uint32_t record_size = sizeof(RecordedEvent);
  char source[16] = {};  ///< the format that the events came from, or the program that made them; nulls behind it
  std::uint8_t reserved[32] = {};
};

/// The header of each block: `instrument_records` records that name instruments, then `events` events.
struct CompactBlock {
  char magic[4] = {'B', 'L', 'O', 'K'};
  std::uint32_t events = 0;
  std::uint32_t instrument_records = 0;  ///< of 64 bytes; a long symbol takes more than one
  std::uint32_t instruments = 0;         ///< known behind this block
  std::uint64_t first_event = 0;         ///< number of its first event in the file, from 0
  std::int64_t lowest_time = 0;          ///< of RecordedEvent::replay_time() in this block, ns
  std::int64_t highest_time = 0;         ///< likewise
  std::uint64_t records_checksum = 0;    ///< XXH3-64 of everything behind this header
  std::uint64_t header_checksum = 0;     ///< XXH3-64 of the 48 bytes before
  std::uint64_t reserved = 0;
};

/// One line of the index.
struct CompactIndexEntry {
  std::uint64_t offset = 0;           ///< of the block's header in the file
  std::uint64_t first_event = 0;      ///< as in the block
  std::int64_t highest_time_yet = 0;  ///< of this block and all before it: never falls
  std::uint64_t reserved = 0;
};

/// The last 64 bytes of a file that was finished.
struct CompactEnd {
  char magic[8] = {'D', 'O', 'J', 'I', 'M', 'A', 'E', 'N'};
  std::uint64_t index_offset = 0;  ///< the index is between the last block and this
  std::uint64_t blocks = 0;
  std::uint64_t events = 0;
  std::int64_t lowest_time = 0;
  std::int64_t highest_time = 0;
  std::uint64_t index_checksum = 0;   ///< XXH3-64
  std::uint64_t header_checksum = 0;  ///< XXH3-64 of the 56 bytes before
};
static_assert(sizeof(CompactHeader) == 64 && sizeof(CompactBlock) == 64 && sizeof(CompactIndexEntry) == 32 &&
              sizeof(CompactEnd) == 64);

/// An instrument in a file. Symbols of more than 40 bytes go on in records behind it.
struct CompactInstrument {
  std::uint64_t number = 0;
  std::int64_t tick = 0;
  std::uint8_t price_decimals = 0;
  std::uint8_t quantity_decimals = 0;
  std::uint16_t symbol_size = 0;
  std::uint32_t reserved = 0;
  char symbol[40] = {};
};
static_assert(sizeof(CompactInstrument) == 64);

[[nodiscard]] bool is_compact(std::string_view start) noexcept;

/// Writes front to back, never seeks. Keeps one block and 32 bytes a block for the index.
class CompactWriter final : public EventWriter {
 public:
  /// `source`: the first 16 characters go into the file.
  explicit CompactWriter(ByteSink& sink, std::string_view source = {});
  [[nodiscard]] Written write(std::span<const RecordedEvent> events,
                              std::span<const RecordedInstrument> instruments) override;
  [[nodiscard]] Written finish() override;
  [[nodiscard]] std::uint64_t events() const noexcept { return first_event_ + block_.size(); }

 private:
  [[nodiscard]] Written put(const void* data, std::size_t size);
  [[nodiscard]] Written put_header();
  [[nodiscard]] Written put_block();
  void name(const RecordedInstrument& instrument);

  ByteSink& sink_;
  std::string source_;
  std::uint64_t offset_ = 0;
  std::uint64_t first_event_ = 0;  // of the block in hand
  std::vector<RecordedEvent> block_;
  std::vector<CompactInstrument> names_;  // new since the last block
  std::size_t instruments_ = 0;
  std::vector<CompactIndexEntry> index_;
  std::int64_t lowest_time_, highest_time_;
};

/// A finished file in memory. Events are used where they lie; the bytes outlive the view.
class CompactView {
 public:
  /// Checks headers, index and the order of blocks, not the records: O(blocks).
  [[nodiscard]] static std::expected<CompactView, ReadTrouble> of(Bytes file);

  [[nodiscard]] std::size_t blocks() const noexcept { return index_.size(); }
  [[nodiscard]] std::uint64_t event_count() const noexcept { return end_.events; }
  [[nodiscard]] std::span<const RecordedEvent> events(std::size_t block) const noexcept;
  /// The first block that may hold an event at or after `time`; blocks(): there is none. O(log blocks).
  [[nodiscard]] std::size_t block_at(Time time) const noexcept;
  /// Whether the records of a block are what was written, and every event is of a known kind and instrument.
  [[nodiscard]] bool is_whole(std::size_t block) const noexcept;
  [[nodiscard]] const std::vector<RecordedInstrument>& instruments() const noexcept { return instruments_; }
  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] Time lowest_time() const noexcept { return time::from_nanoseconds(end_.lowest_time); }
  [[nodiscard]] Time highest_time() const noexcept { return time::from_nanoseconds(end_.highest_time); }

 private:
  CompactView() = default;
  [[nodiscard]] CompactBlock header(std::size_t block) const noexcept;

  Bytes file_;
  CompactEnd end_;
  std::vector<CompactIndexEntry> index_;
  std::vector<RecordedInstrument> instruments_;
  std::string source_;
};

/// Reads a file front to back, from memory or a stream, and checks every block before it gives its events.
class CompactReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  explicit CompactReader(ByteSource& source) : window_(source) {}

  [[nodiscard]] std::string_view format() const noexcept override { return "compact"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const override;

 protected:
  void decode(EventBatch& batch) override;

 private:
  void read_header();
  [[nodiscard]] bool read_block();
  void read_end(const CompactEnd& end);
  void fail_here(std::string text);
  void fail_short();

  ByteWindow window_;
  std::string made_from_;
  std::uint64_t events_ = 0;  // of the blocks before
  std::uint64_t blocks_ = 0;
  std::size_t given_ = 0;     // of the block in hand
  std::size_t in_block_ = 0;  // events of it; its bytes are the window's
  bool is_begun_ = false;
  bool is_ended_ = false;
};

}  // namespace dojima::recorded
