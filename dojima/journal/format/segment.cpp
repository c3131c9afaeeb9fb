#include "dojima/journal/format/segment.hpp"

#include <algorithm>

namespace dojima::journal {
namespace {

constexpr std::uint64_t k_magic = 0x314c4e524a4a4f44;  // "DOJJRNL1"

// Places in a segment's header.
constexpr std::size_t k_at_magic = 0, k_at_sum = 8, k_at_version = 12, k_at_identity = 16, k_at_number = 32,
                      k_at_bytes = 40, k_at_first = 48, k_at_synced = 56, k_at_previous = 64, k_at_largest = 68,
                      k_at_durability = 72, k_at_rest = 73;

std::uint32_t sum_of_header(Bytes header) noexcept {
  return crc32c(header.subspan(k_at_version, k_segment_header - k_at_version));
}

}  // namespace

std::uint32_t write_header(Room segment, const SegmentHeader& header) noexcept {
  const Room room = segment.first(k_segment_header);
  std::ranges::fill(room, std::byte{});
  store_little(room, k_at_version, k_format_version);
  std::ranges::copy(header.identity.bytes, room.begin() + k_at_identity);
  store_little(room, k_at_number, header.number);
  store_little(room, k_at_bytes, header.bytes);
  store_little(room, k_at_first, header.first.value);
  store_little(room, k_at_synced, header.synced.value);
  store_little(room, k_at_previous, header.previous);
  store_little(room, k_at_largest, header.largest_record);
  store_little(room, k_at_durability, header.durability);
  const std::uint32_t sum = sum_of_header(room);
  store_little(room, k_at_sum, sum);
  // Without it the segment counts as not begun.
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(room.data())).store(k_magic, std::memory_order_release);
  return sum;
}

std::expected<ReadHeader, const char*> read_header(Bytes segment) noexcept {
  if (segment.size() < k_segment_header) return std::unexpected("the file is too short for a segment");
  if (load_little<std::uint64_t>(segment, k_at_magic) != k_magic) return std::unexpected("no header of a segment");
  const auto sum = load_little<std::uint32_t>(segment, k_at_sum);
  if (sum != sum_of_header(segment)) return std::unexpected("the sum of the segment's header is wrong");
  if (load_little<std::uint32_t>(segment, k_at_version) != k_format_version)
    return std::unexpected("a version of the format that this program does not know");
  ReadHeader read{.sum = sum};
  SegmentHeader& header = read.header;
  std::ranges::copy(segment.subspan(k_at_identity, header.identity.bytes.size()), header.identity.bytes.begin());
  header.number = load_little<std::uint64_t>(segment, k_at_number);
  header.bytes = load_little<std::uint64_t>(segment, k_at_bytes);
  header.first.value = load_little<std::uint64_t>(segment, k_at_first);
  header.synced.value = load_little<std::uint64_t>(segment, k_at_synced);
  header.previous = load_little<std::uint32_t>(segment, k_at_previous);
  header.largest_record = load_little<std::uint32_t>(segment, k_at_largest);
  const auto durability = load_little<std::uint8_t>(segment, k_at_durability);
  if (durability > static_cast<std::uint8_t>(Durability::power) || header.first.value == 0 ||
      header.largest_record > k_largest_size || !is_zero(segment.subspan(k_at_rest, k_segment_header - k_at_rest)))
    return std::unexpected("the segment's header says what cannot be");
  header.durability = static_cast<Durability>(durability);
  return read;
}

std::expected<StoredRecord, const char*> record_at(Bytes segment, std::size_t offset, std::size_t largest) noexcept {
  if (segment.size() - offset < k_record_header) return std::unexpected("the file ends inside a record");
  const auto word = load_little<std::uint32_t>(segment, offset + 4);
  const std::size_t size = word & k_largest_size;
  StoredRecord record{.kind = static_cast<std::uint8_t>(word >> k_size_bits),
                      .sum = load_little<std::uint32_t>(segment, offset),
                      .sequence = {load_little<std::uint64_t>(segment, offset + 8)},
                      .previous = load_little<std::uint32_t>(segment, offset + 16),
                      .lag = load_little<std::uint32_t>(segment, offset + 20)};
  if (record.kind == 0 || (record.kind == k_mark) != (size == 0)) return std::unexpected("no such kind of record");
  if (size > largest) return std::unexpected("a record larger than the segment takes");
  if (record_bytes(size) > segment.size() - offset) return std::unexpected("the file ends inside a record");
  record.payload = segment.subspan(offset + k_record_header, size);
  return record;
}

std::expected<StoredRecord, const char*> read_record(Bytes segment, std::size_t offset, std::size_t largest) noexcept {
  auto record = record_at(segment, offset, largest);
  if (!record) return record;
  const auto word = load_little<std::uint32_t>(segment, offset + 4);
  if (record->sum != sum_of_record(segment.data() + offset, word, record->payload.size()))
    return std::unexpected("the sum of the record is wrong");
  return record;
}

bool Walk::step(StoredRecord& record) noexcept {
  const auto found = read_record(segment, offset, largest);
  if (!found) {
    wrong = found.error();
    return false;
  }
  const std::uint64_t expected = read.value + (found->kind == k_mark ? 0 : 1);
  if (found->sequence.value != expected || found->previous != sum) {
    wrong = "the record does not follow the one before it";
    return false;
  }
  record = *found;
  offset += record_bytes(record.payload.size());
  read = record.sequence;
  sum = record.sum;
  return true;
}

bool is_zero(Bytes bytes) noexcept {
  // The first is zero and each is the same as the one before: one memcmp, as fast as memory.
  return bytes.empty() ||
         (bytes.front() == std::byte{} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace dojima::journal
