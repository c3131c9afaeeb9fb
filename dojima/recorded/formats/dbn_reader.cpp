#include "dojima/recorded/formats/dbn_reader.hpp"

#include <charconv>
#include <limits>

namespace dojima::recorded {
namespace {

constexpr std::size_t k_prefix = 8;   // "DBN", version, length of what follows
constexpr std::size_t k_fixed = 100;  // of the metadata, all versions
constexpr std::size_t k_header = 16;  // of a record
constexpr std::size_t k_order_size = 56;
constexpr std::uint8_t k_order_type = 0xa0;
constexpr std::size_t k_most_metadata = std::size_t{1} << 26;

/// How many bytes a symbol has in version 1; later versions say it.
constexpr std::size_t k_first_symbol_size = 22;

/// Offsets of the fixed part.
constexpr std::size_t k_schema = 16, k_start = 18, k_end = 26, k_symbol_size = 45;

/// Bits of a record's flags.
enum Flag : std::uint8_t {
  k_flag_last = 128,
  k_flag_snapshot = 32,
  k_flag_level = 16,
  k_flag_bad_time = 8,
  k_flag_maybe_bad = 4,
  k_flag_publisher = 2,
};

constexpr std::uint8_t event_flags(std::uint8_t flags) noexcept {
  unsigned made = 0;
  if ((flags & k_flag_last) != 0) made |= k_last;
  if ((flags & k_flag_snapshot) != 0) made |= k_snapshot;
  if ((flags & k_flag_level) != 0) made |= k_aggregated;
  if ((flags & k_flag_bad_time) != 0) made |= k_bad_time;
  if ((flags & k_flag_maybe_bad) != 0) made |= k_maybe_bad;
  if ((flags & k_flag_publisher) != 0) made |= k_publisher;
  return static_cast<std::uint8_t>(made);
}

constexpr EventKind kind_of(char action) noexcept {
  switch (action) {
    case 'A':
      return EventKind::add;
    case 'C':
      return EventKind::reduce;
    case 'M':
      return EventKind::amend;
    case 'R':
      return EventKind::clear;
    case 'T':
      return EventKind::trade;
    case 'F':
      return EventKind::fill;
    case 'N':
      return EventKind::notice;
    default:
      return EventKind::none;
  }
}

constexpr market::Side side_of(char side) noexcept {
  if (side == 'B') return market::Side::buy;
  return side == 'A' ? market::Side::sell : market::Side::none;
}

Time time_of(std::uint64_t nanoseconds) noexcept {
  constexpr auto k_most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return nanoseconds > k_most ? k_unknown_time : time::from_nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

/// A text of a fixed size, up to its first null.
std::string text_at(Bytes bytes, std::size_t at, std::size_t size) {
  const std::string_view text = as_text(bytes.subspan(at, size));
  return std::string(text.substr(0, text.find('\0')));
}

std::string schema_text(std::uint16_t schema) {
  constexpr std::uint16_t k_mixed = 0xffff;
  if (schema == 0) return "mbo";
  return schema == k_mixed ? "mixed" : "number " + std::to_string(schema);
}

}  // namespace

DbnReader::DbnReader(ByteSource& source) : window_(source, k_most_metadata) {}

std::vector<TypeCount> DbnReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (std::size_t at = 0; at < actions_.size(); ++at)
    if (actions_[at] != 0) counts.push_back({"mbo " + std::string(1, static_cast<char>(at)), actions_[at]});
  for (std::size_t at = 0; at < others_.size(); ++at)
    if (others_[at] != 0) counts.push_back({"record type " + std::to_string(at), others_[at]});
  return counts;
}

bool DbnReader::read_metadata() {
  if (!window_.require(k_prefix) || !as_text(window_.rest()).starts_with("DBN")) {
    fail_here(window_.trouble().empty() ? "no DBN file: it begins with \"DBN\" and a version" : window_.trouble());
    return false;
  }
  const auto version = load_little<std::uint8_t>(window_.rest(), 3);
  const std::size_t size = load_little<std::uint32_t>(window_.rest(), 4);
  if (version < 1 || version > 3) {
    fail_here("DBN version " + std::to_string(version) + "; versions 1 to 3 are known");
    return false;
  }
  if (size < k_fixed + 20 || !window_.require(k_prefix + size)) {
    fail_here(window_.trouble().empty() ? "the metadata are cut: " + std::to_string(size) + " bytes are announced"
                                        : window_.trouble());
    return false;
  }
  const Bytes metadata = window_.rest().subspan(k_prefix, size);
  notes_ = {{"version", std::to_string(version)},
            {"dataset", text_at(metadata, 0, 16)},
            {"schema", schema_text(load_little<std::uint16_t>(metadata, k_schema))},
            {"start", std::to_string(load_little<std::uint64_t>(metadata, k_start))},
            {"end", std::to_string(load_little<std::uint64_t>(metadata, k_end))}};
  const std::size_t symbol_size =
      version == 1 ? k_first_symbol_size : load_little<std::uint16_t>(metadata, k_symbol_size);
  if (!read_mappings(metadata, k_fixed, symbol_size)) {
    fail_here("the metadata name symbols beyond their end");
    return false;
  }
  window_.consume(k_prefix + size);
  return has_metadata_ = true;
}

/// Symbols asked for, found in part, not found; then for each symbol the instrument ids that it had, with dates.
bool DbnReader::read_mappings(Bytes metadata, std::size_t at, std::size_t symbol_size) {
  const auto count_at = [&](std::size_t& count) {
    if (metadata.size() - at < 4) return false;
    count = load_little<std::uint32_t>(metadata, at);
    at += 4;
    return true;
  };
  const auto skip = [&](std::size_t count, std::size_t size) {
    if (size == 0 || count > (metadata.size() - at) / size) return false;
    at += count * size;
    return true;
  };
  std::size_t count = 0;
  if (!count_at(count) || !skip(count, 1)) return false;  // the schema's own definition
  for (int list = 0; list < 3; ++list)
    if (!count_at(count) || !skip(count, symbol_size)) return false;
  std::size_t mappings = 0;
  if (!count_at(mappings)) return false;
  for (; mappings != 0; --mappings) {
    const std::size_t symbol_at = at;
    std::size_t intervals = 0;
    if (!skip(1, symbol_size) || !count_at(intervals)) return false;
    for (; intervals != 0; --intervals) {
      const std::size_t interval_at = at;
      constexpr std::size_t k_dates = 8;
      if (!skip(1, k_dates + symbol_size)) return false;
      const std::string text = text_at(metadata, interval_at + k_dates, symbol_size);
      std::uint32_t id = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
      if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) continue;  // other kinds of names
      instruments_[index_of(id)].symbol = text_at(metadata, symbol_at, symbol_size);
    }
  }
  return true;
}

std::uint32_t DbnReader::index_of(std::uint32_t instrument) {
  if (has_last_ && instrument == last_instrument_) [[likely]]
    return last_index_;
  const auto [place, is_new] = indexes_.try_emplace(instrument, static_cast<std::uint32_t>(instruments_.size()));
  if (is_new) instruments_.push_back({.number = instrument, .price_decimals = 9});
  has_last_ = true;
  last_instrument_ = instrument;
  return last_index_ = place->second;
}

void DbnReader::decode(EventBatch& batch) {
  if (!has_metadata_ && !read_metadata()) return;
  while (!batch.is_full()) {
    if (!window_.require(1)) return finish();
    const std::size_t size = std::size_t{load_little<std::uint8_t>(window_.rest(), 0)} * 4;
    if (size < k_header) return fail_here("a record of " + std::to_string(size) + " bytes; 16 at least");
    if (!window_.require(size)) return finish();
    const Bytes record = window_.rest().first(size);
    if (load_little<std::uint8_t>(record, 1) == k_order_type) [[likely]] {
      if (!add_order_event(batch, record)) return;
    } else {
      add_notice(batch, record);
    }
    window_.consume(size);
  }
}

void DbnReader::finish() {
  if (!window_.trouble().empty()) return fail_here(window_.trouble());
  if (!window_.is_at_end()) fail_here("the file is cut within a record");
}

bool DbnReader::add_order_event(EventBatch& batch, Bytes record) {
  if (record.size() < k_order_size) {
    fail_here("an MBO record of " + std::to_string(record.size()) + " bytes; 56 at least");
    return false;
  }
  const char action = load_little<char>(record, 38);
  const EventKind kind = kind_of(action);
  if (kind == EventKind::none) {
    fail_here("an MBO record with the unknown action " + std::to_string(load_little<std::uint8_t>(record, 38)));
    return false;
  }
  ++actions_[static_cast<unsigned char>(action)];
  RecordedEvent& event = batch.add();
  event.kind = kind;
  event.instrument = index_of(load_little<std::uint32_t>(record, 4));
  event.event_time = time_of(load_little<std::uint64_t>(record, 8));
  event.receive_time = time_of(load_little<std::uint64_t>(record, 40));
  event.order = load_little<std::uint64_t>(record, 16);
  const auto price = load_little<std::int64_t>(record, 24);
  event.price = price == std::numeric_limits<std::int64_t>::max() ? k_unknown : price;
  event.quantity = load_little<std::uint32_t>(record, 32);
  event.flags = event_flags(load_little<std::uint8_t>(record, 36));
  event.side = side_of(load_little<char>(record, 39));
  event.sequence = load_little<std::uint32_t>(record, 52);
  return true;
}

void DbnReader::add_notice(EventBatch& batch, Bytes record) {
  const auto type = load_little<std::uint8_t>(record, 1);
  ++others_[type];
  RecordedEvent& event = batch.add();
  event.kind = EventKind::notice;
  event.code = type;
  event.instrument = index_of(load_little<std::uint32_t>(record, 4));
  event.event_time = time_of(load_little<std::uint64_t>(record, 8));
}

}  // namespace dojima::recorded
