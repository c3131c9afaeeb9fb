#include "dojima/recorded/formats/compact.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dojima::recorded {
namespace {

constexpr std::size_t k_record = sizeof(RecordedEvent);
constexpr std::int64_t k_no_time = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t k_most_instrument_records = std::size_t{1} << 17;              // in one block
constexpr std::size_t k_many_instrument_records = k_most_instrument_records - 1024;  // one has at most 1,024

std::uint64_t checksum(const void* data, std::size_t size) noexcept {
  return XXH3_64bits(data, size);
}

template <class Record>
Record record_at(Bytes bytes, std::size_t offset) noexcept {
  return load_little<Record>(bytes, offset);
}

template <class Header>
  requires std::is_trivially_copyable_v<Header>
bool is_sound(const Header& header, std::string_view magic) noexcept {
  return std::memcmp(header.magic, magic.data(), magic.size()) == 0 &&
         header.header_checksum == checksum(&header, offsetof(Header, header_checksum));
}

bool is_sound(const CompactBlock& block) noexcept {
  return is_sound(block, "BLOK") && block.events <= k_compact_block &&
         block.instrument_records <= k_most_instrument_records;
}

std::size_t payload_size(const CompactBlock& block) noexcept {
  return (std::size_t{block.events} + block.instrument_records) * k_record;
}

std::size_t more_records(std::size_t symbol_size) noexcept {
  constexpr std::size_t k_first = sizeof(CompactInstrument::symbol);
  return symbol_size <= k_first ? 0 : (symbol_size - k_first + k_record - 1) / k_record;
}

/// Adds the instruments that a block names. False: they do not fit.
bool read_instruments(Bytes records, std::vector<RecordedInstrument>& instruments) {
  while (!records.empty()) {
    const auto first = record_at<CompactInstrument>(records, 0);
    const std::size_t size = (1 + more_records(first.symbol_size)) * k_record;
    if (size > records.size()) return false;
    RecordedInstrument instrument;
    // Its symbol begins at the end of the first record and goes on in those behind it.
    instrument.symbol = as_text(records).substr(offsetof(CompactInstrument, symbol), first.symbol_size);
    instrument.number = first.number;
    instrument.tick = first.tick;
    instrument.price_decimals = first.price_decimals;
    instrument.quantity_decimals = first.quantity_decimals;
    instruments.push_back(std::move(instrument));
    records = records.subspan(size);
  }
  return true;
}

bool are_valid(std::span<const RecordedEvent> events, std::size_t instruments) noexcept {
  // Without a branch for each: nearly all are valid.
  bool is_wrong = false;
  for (const RecordedEvent& event : events)
    is_wrong |= event.instrument >= instruments || static_cast<std::uint8_t>(event.kind) >= k_event_kinds ||
                static_cast<std::uint8_t>(event.side) > static_cast<std::uint8_t>(market::Side::sell);
  return !is_wrong;
}

std::string text_of(const char* chars, std::size_t capacity) {
  return {chars, strnlen(chars, capacity)};
}

}  // namespace

bool is_compact(std::string_view start) noexcept {
  return start.starts_with(k_compact_magic);
}

// ----------------------------------------------------------------------------------------------------------- writing

CompactWriter::CompactWriter(ByteSink& sink, std::string_view source)
    : sink_(sink),
      source_(source.substr(0, sizeof(CompactHeader::source))),
      lowest_time_(k_no_time),
      highest_time_(k_unknown) {
  block_.reserve(k_compact_block);
}

Written CompactWriter::put(const void* data, std::size_t size) {
  if (size == 0) return {};
  offset_ += size;
  return sink_.write({static_cast<const std::byte*>(data), size});
}

Written CompactWriter::put_header() {
  CompactHeader header;
  std::copy(source_.begin(), source_.end(), header.source);
  return put(&header, sizeof header);
}

void CompactWriter::name(const RecordedInstrument& instrument) {
  const std::string_view symbol = std::string_view(instrument.symbol).substr(0, 0xffff);
  const std::size_t at = names_.size();
  names_.resize(at + 1 + more_records(symbol.size()));
  CompactInstrument& first = names_[at];
  first.number = instrument.number;
  first.tick = instrument.tick;
  first.price_decimals = instrument.price_decimals;
  first.quantity_decimals = instrument.quantity_decimals;
  first.symbol_size = static_cast<std::uint16_t>(symbol.size());
  auto* bytes = reinterpret_cast<char*>(&names_[at]) + offsetof(CompactInstrument, symbol);
  std::copy(symbol.begin(), symbol.end(), bytes);
}

Written CompactWriter::write(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  for (; instruments_ < instruments.size(); ++instruments_) {
    if (names_.size() >= k_many_instrument_records)
      if (auto written = put_block(); !written) return written;
    name(instruments[instruments_]);
  }
  while (!events.empty()) {
    const std::size_t taken = std::min(k_compact_block - block_.size(), events.size());
    block_.insert(block_.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(taken));
    events = events.subspan(taken);
    if (block_.size() < k_compact_block) break;
    if (auto written = put_block(); !written) return written;
  }
  return {};
}

Written CompactWriter::put_block() {
  if (offset_ == 0)
    if (auto written = put_header(); !written) return written;
  CompactBlock header;
  header.events = static_cast<std::uint32_t>(block_.size());
  header.instrument_records = static_cast<std::uint32_t>(names_.size());
  header.instruments = static_cast<std::uint32_t>(instruments_);
  header.first_event = first_event_;
  header.lowest_time = k_no_time;
  header.highest_time = k_unknown;
  for (const RecordedEvent& event : block_) {
    const std::int64_t time = time::nanoseconds_of(event.replay_time());
    header.lowest_time = std::min(header.lowest_time, time);
    header.highest_time = std::max(header.highest_time, time);
  }
  lowest_time_ = std::min(lowest_time_, header.lowest_time);
  highest_time_ = std::max(highest_time_, header.highest_time);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, names_.data(), names_.size() * k_record);
  XXH3_64bits_update(&state, block_.data(), block_.size() * k_record);
  header.records_checksum = XXH3_64bits_digest(&state);
  header.header_checksum = checksum(&header, offsetof(CompactBlock, header_checksum));
  index_.push_back({.offset = offset_, .first_event = first_event_, .highest_time_yet = highest_time_});
  for (const auto& [data, size] : {std::pair<const void*, std::size_t>{&header, sizeof header},
                                   {names_.data(), names_.size() * k_record},
                                   {block_.data(), block_.size() * k_record}})
    if (auto written = put(data, size); !written) return written;
  first_event_ += block_.size();
  names_.clear();
  block_.clear();
  return {};
}

Written CompactWriter::finish() {
  if (!block_.empty() || !names_.empty())
    if (auto written = put_block(); !written) return written;
  if (offset_ == 0)
    if (auto written = put_header(); !written) return written;
  CompactEnd end;
  end.index_offset = offset_;
  end.blocks = index_.size();
  end.events = first_event_;
  end.lowest_time = lowest_time_;
  end.highest_time = highest_time_;
  end.index_checksum = checksum(index_.data(), index_.size() * sizeof(CompactIndexEntry));
  end.header_checksum = checksum(&end, offsetof(CompactEnd, header_checksum));
  if (auto written = put(index_.data(), index_.size() * sizeof(CompactIndexEntry)); !written) return written;
  return put(&end, sizeof end);
}

// -------------------------------------------------------------------------------------------------------------- view

std::expected<CompactView, ReadTrouble> CompactView::of(Bytes file) {
  const auto trouble = [](std::uint64_t byte, const char* what) {
    return std::unexpected(ReadTrouble{.text = what, .byte = byte});
  };
  if (file.size() < sizeof(CompactHeader) || !is_compact(as_text(file)))
    return trouble(0, "no file of the compact format: it begins with DOJIMAEV");
  const auto header = record_at<CompactHeader>(file, 0);
  if (header.version != k_compact_version || header.record_size != k_record)
    return trouble(8, "a version of the compact format that this program does not know");
  const std::size_t end_offset = file.size() - sizeof(CompactEnd);
  CompactView view;
  view.file_ = file;
  view.source_ = text_of(header.source, sizeof header.source);
  view.end_ =
      file.size() < sizeof(CompactHeader) + sizeof(CompactEnd) ? CompactEnd{} : record_at<CompactEnd>(file, end_offset);
  if (!is_sound(view.end_, "DOJIMAEN")) return trouble(end_offset, "the file was not finished, or is cut");
  const std::uint64_t index_size = end_offset - std::min<std::uint64_t>(view.end_.index_offset, end_offset);
  if (index_size % sizeof(CompactIndexEntry) != 0 || index_size / sizeof(CompactIndexEntry) != view.end_.blocks ||
      checksum(file.data() + view.end_.index_offset, index_size) != view.end_.index_checksum)
    return trouble(view.end_.index_offset, "the index is damaged");
  view.index_.resize(view.end_.blocks);
  std::memcpy(view.index_.data(), file.data() + view.end_.index_offset, index_size);

  std::uint64_t offset = sizeof(CompactHeader), events = 0;
  for (const CompactIndexEntry& entry : view.index_) {
    if (entry.offset != offset || view.end_.index_offset - offset < sizeof(CompactBlock))
      return trouble(offset, "a block is not where the index says");
    const auto block = record_at<CompactBlock>(file, offset);
    const std::uint64_t begin = offset + sizeof block;
    if (!is_sound(block) || block.first_event != events || payload_size(block) > view.end_.index_offset - begin)
      return trouble(offset, "a block's header is damaged");
    if (!read_instruments(file.subspan(begin, block.instrument_records * k_record), view.instruments_) ||
        view.instruments_.size() != block.instruments)
      return trouble(begin, "a block's instruments are damaged");
    events += block.events;
    offset = begin + payload_size(block);
  }
  if (offset != view.end_.index_offset || events != view.end_.events)
    return trouble(offset, "the blocks are not all that the index says");
  return view;
}

CompactBlock CompactView::header(std::size_t block) const noexcept {
  return record_at<CompactBlock>(file_, index_[block].offset);
}

std::span<const RecordedEvent> CompactView::events(std::size_t block) const noexcept {
  const CompactBlock at = header(block);
  const std::byte* first =
      file_.data() + index_[block].offset + sizeof(CompactBlock) + std::size_t{at.instrument_records} * k_record;
  return {reinterpret_cast<const RecordedEvent*>(first), at.events};
}

std::size_t CompactView::block_at(Time time) const noexcept {
  const auto found =
      std::ranges::lower_bound(index_, time::nanoseconds_of(time), {}, &CompactIndexEntry::highest_time_yet);
  return static_cast<std::size_t>(found - index_.begin());
}

bool CompactView::is_whole(std::size_t block) const noexcept {
  const CompactBlock at = header(block);
  return checksum(file_.data() + index_[block].offset + sizeof at, payload_size(at)) == at.records_checksum &&
         are_valid(events(block), at.instruments);
}

// ----------------------------------------------------------------------------------------------------------- reading

void CompactReader::fail_here(std::string text) {
  fail({.text = std::move(text), .byte = window_.position()});
}

/// There are fewer bytes than needed.
void CompactReader::fail_short() {
  fail_here(window_.trouble().empty() ? std::string("the file was not finished, or is cut") : window_.trouble());
}

void CompactReader::read_header() {
  is_begun_ = true;
  if (!window_.require(sizeof(CompactHeader)) || !is_compact(as_text(window_.rest())))
    return fail_here(window_.trouble().empty() ? "no file of the compact format: it begins with DOJIMAEV"
                                               : window_.trouble());
  const auto header = record_at<CompactHeader>(window_.rest(), 0);
  if (header.version != k_compact_version || header.record_size != k_record)
    return fail_here("version " + std::to_string(header.version) + " of the compact format, expected " +
                     std::to_string(k_compact_version));
  made_from_ = text_of(header.source, sizeof header.source);
  window_.consume(sizeof header);
}

/// Goes to the next block. False: there is none, or trouble.
bool CompactReader::read_block() {
  // The index comes behind the last block; it may be shorter than a block's header, the end's record never is.
  if (!window_.require(sizeof(CompactBlock))) return fail_short(), false;
  const auto block = record_at<CompactBlock>(window_.rest(), 0);
  if (std::memcmp(block.magic, "BLOK", sizeof block.magic) != 0) {
    if (!window_.require(blocks_ * sizeof(CompactIndexEntry) + sizeof(CompactEnd))) return fail_short(), false;
    window_.consume(blocks_ * sizeof(CompactIndexEntry));
    read_end(record_at<CompactEnd>(window_.rest(), 0));
    return false;
  }
  if (!is_sound(block) || block.first_event != events_) return fail_here("a block's header is damaged"), false;
  const std::size_t size = payload_size(block);
  if (!window_.require(sizeof block + size)) return fail_short(), false;
  const Bytes records = window_.rest().subspan(sizeof block, size);
  const std::size_t names = std::size_t{block.instrument_records} * k_record;
  if (checksum(records.data(), size) != block.records_checksum)
    return fail_here("a block is damaged: its checksum is another"), false;
  if (!read_instruments(records.first(names), instruments_) || instruments_.size() != block.instruments)
    return fail_here("a block's instruments are damaged"), false;
  window_.consume(sizeof block + names);
  given_ = 0;
  in_block_ = block.events;
  events_ += block.events;
  ++blocks_;
  return true;
}

void CompactReader::read_end(const CompactEnd& end) {
  is_ended_ = true;
  if (!is_sound(end, "DOJIMAEN")) return fail_here("neither a block nor the end of the file");
  if (end.blocks != blocks_ || end.events != events_)
    return fail_here("the file holds " + std::to_string(events_) + " events, expected " + std::to_string(end.events));
  window_.consume(sizeof end);
  if (!window_.is_at_end()) fail_here("bytes behind the end");
}

void CompactReader::decode(EventBatch& batch) {
  if (!is_begun_) read_header();
  while (!has_failed() && !is_ended_ && !batch.is_full()) {
    if (given_ == in_block_) {
      if (!read_block()) return;
      continue;
    }
    const Bytes bytes = window_.rest();
    RecordedEvent& event = batch.add();
    std::memcpy(&event, bytes.data(), k_record);
    if (!are_valid({&event, 1}, instruments_.size())) {
      batch.resize_down(batch.size() - 1);
      return fail_here("an event of an unknown kind or instrument");
    }
    window_.consume(k_record);
    ++given_;
  }
}

std::vector<TypeCount> CompactReader::type_counts() const {
  return {{"block", blocks_}, {"event", events_}};
}

std::vector<std::pair<std::string, std::string>> CompactReader::notes() const {
  return {{"version", std::to_string(k_compact_version)}, {"made from", made_from_}};
}

}  // namespace dojima::recorded
