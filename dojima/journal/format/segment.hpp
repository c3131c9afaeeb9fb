#pragma once

// How records lie in a segment: the journal's format on disk, version 1 (docs/journal.md has the picture). A segment is
// a file of fixed size, all zeros when it is made: a header of 128 bytes, then records, each behind a header of 24
// bytes and padded with zeros to a multiple of 8. Every record says which one is before it and holds that one's sum, so
// a record is good only behind the right one; the first of a segment holds the sum of the segment's header, which holds
// the sum of the last record of the segment before. Little-endian, read in place.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>

#include "dojima/base/bytes.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/format/crc32c.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

constexpr std::uint32_t k_format_version = 1;
constexpr std::size_t k_segment_header = 128;
constexpr std::size_t k_record_header = 24;
constexpr std::size_t k_record_alignment = 8;
/// Bits of a record's size.
constexpr unsigned k_size_bits = 24;
constexpr std::size_t k_largest_size = (std::size_t{1} << k_size_bits) - 1;
/// The kind of a record that is not numbered and holds nothing: it says up to where the journal is on the disk.
constexpr std::uint8_t k_mark = 255;
/// A record's `lag` when it says nothing about what is on the disk.
constexpr std::uint32_t k_no_claim = ~std::uint32_t{0};

[[nodiscard]] constexpr std::size_t padded(std::size_t size) noexcept {
  return (size + k_record_alignment - 1) / k_record_alignment * k_record_alignment;
}
/// What a record of `size` bytes takes.
[[nodiscard]] constexpr std::size_t record_bytes(std::size_t size) noexcept {
  return k_record_header + padded(size);
}

struct SegmentHeader {
  Identity identity;
  std::uint64_t number = 0;    ///< 1 for a journal's first
  std::uint64_t bytes = 0;     ///< of the whole file
  Sequence first;              ///< the record that it begins with
  Sequence synced;             ///< on the disk when it was begun; 0: nothing is known
  std::uint32_t previous = 0;  ///< sum of the record before the first; 0 when there is none
  std::uint32_t largest_record = 0;
  Durability durability = Durability::process;
};

/// Writes the header and gives its sum: what the first record names as the one before it.
std::uint32_t write_header(Room segment, const SegmentHeader& header) noexcept;

struct ReadHeader {
  SegmentHeader header;
  std::uint32_t sum = 0;
};
/// The header, or what is wrong with it as static text.
[[nodiscard]] std::expected<ReadHeader, const char*> read_header(Bytes segment) noexcept;

/// A record where it lies.
struct StoredRecord {
  std::uint8_t kind = 0;
  std::uint32_t sum = 0;
  Sequence sequence;  ///< of a mark: the record before it
  std::uint32_t previous = 0;
  std::uint32_t lag = k_no_claim;
  Bytes payload;

  /// The record that it knows to be on the disk; 0: none.
  [[nodiscard]] Sequence synced() const noexcept {
    return {lag == k_no_claim || lag > sequence.value ? 0 : sequence.value - lag};
  }
};

/// Numbers of a record that are known before its bytes are summed.
struct RecordFields {
  std::uint8_t kind = 1;
  std::uint32_t size = 0;
  Sequence sequence;
  std::uint32_t previous = 0;
  std::uint32_t lag = k_no_claim;
};

/// The sum of a record: over its payload with the zeros behind it and then over bytes 8 to 24 of its header, begun with
/// the word of size and kind. The record before comes last, so that its sum is needed last: records written one after
/// the other overlap in the processor.
[[nodiscard]] inline std::uint32_t sum_of_record(const std::byte* at, std::uint32_t word, std::size_t size) noexcept {
  return crc32c({at + 8, 16}, crc32c({at + k_record_header, padded(size)}, word));
}

/// Writes the header before the payload that is at `at` + 24 already, padded with zeros, and gives its sum. The
/// record is there with the last store, whenever the process ends. `at` is aligned to 8.
inline std::uint32_t seal_record(std::byte* at, const RecordFields& fields) noexcept {
  const std::uint32_t word = fields.size | static_cast<std::uint32_t>(fields.kind) << k_size_bits;
  const std::uint64_t rest[] = {fields.sequence.value, fields.previous | std::uint64_t{fields.lag} << 32U};
  std::memcpy(at + 8, rest, sizeof rest);
  const std::uint32_t sum = sum_of_record(at, word, fields.size);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at))
      .store(sum | std::uint64_t{word} << 32U, std::memory_order_release);
  return sum;
}

/// Whether no record begins at `offset`: there is no room for one, or zeros.
[[nodiscard]] inline bool is_blank(Bytes segment, std::size_t offset) noexcept {
  return segment.size() - offset < k_record_header || load_little<std::uint64_t>(segment, offset) == 0;
}

/// The record at `offset`, or what is wrong with it as static text; what comes before it is not asked. It must not be
/// blank there. `largest`: no record has more bytes.
[[nodiscard]] std::expected<StoredRecord, const char*> read_record(Bytes segment, std::size_t offset,
                                                                   std::size_t largest) noexcept;

/// The same without its sum: for records that this process wrote itself, in the memory it wrote them to.
[[nodiscard]] std::expected<StoredRecord, const char*> record_at(Bytes segment, std::size_t offset,
                                                                 std::size_t largest = k_largest_size) noexcept;

/// A walk over a segment, record by record, in which each must follow the one before.
struct Walk {
  Bytes segment;
  std::size_t largest = k_largest_size;
  std::size_t offset = k_segment_header;
  Sequence read;           ///< the record before
  std::uint32_t sum = 0;   ///< its sum, or the segment header's
  const char* wrong = "";  ///< after a step that failed

  /// Whether the segment has no more records here.
  [[nodiscard]] bool is_at_end() const noexcept { return is_blank(segment, offset); }
  /// The next record, marks among them. False: it is not good, nothing changed but `wrong`. Not at the end. O(size).
  [[nodiscard]] bool step(StoredRecord& record) noexcept;
};

/// Whether all bytes are zero.
[[nodiscard]] bool is_zero(Bytes bytes) noexcept;

}  // namespace dojima::journal
