#include "dojima/recorded/fix/fix_data_reader.hpp"

#include <algorithm>

#include "dojima/recorded/fields.hpp"
#include "dojima/time/calendar.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::size_t k_part = std::size_t{1} << 20;
constexpr std::size_t k_longest = 200'000;  // a message and the text in front of it
constexpr std::size_t k_in_front = 128;
constexpr unsigned k_price_decimals = 12, k_quantity_decimals = 8;

constexpr fix::Tag k_order = 37, k_security_id = 48, k_symbol = 55, k_entries = 268, k_type = 269, k_price = 270,
                   k_size = 271, k_date = 272, k_time = 273, k_id = 278, k_action = 279, k_orders = 346,
                   k_trade_id = 1003, k_appl_id = 1180, k_appl_seq_num = 1181, k_transact_time = 60,
                   k_sending_time = 52, k_sender = 49, k_msg_seq_num = 34;

/// FNV-1a, 64 bits: ids that are no numbers.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return hash;
}

std::uint64_t id_of(std::string_view text) noexcept {
  Fields fields(text);
  std::uint64_t number = 0;
  return fields.take_number(number) && fields.is_at_end() ? number : hash_of(text);
}

ValueCode value_code(char type) noexcept {
  switch (type) {
    case '3':
      return ValueCode::index;
    case '4':
      return ValueCode::open;
    case '5':
      return ValueCode::close;
    case '6':
      return ValueCode::settlement;
    case '7':
      return ValueCode::high;
    case '8':
      return ValueCode::low;
    case '9':
      return ValueCode::average;
    case 'B':
      return ValueCode::volume;
    case 'C':
      return ValueCode::open_interest;
    default:
      return ValueCode::unknown;
  }
}

bool is_order_entry(char type) noexcept {
  return type == '0' || type == '1';
}

/// "20111124" as midnight.
std::optional<time::Time> day_of(std::string_view text) noexcept {
  Fields fields(text);
  std::uint64_t number = 0;
  if (text.size() != 8 || !fields.take_number(number) || !fields.is_at_end()) return std::nullopt;
  const auto year = static_cast<std::int32_t>(number / 10'000);
  const auto month = static_cast<std::uint8_t>(number / 100 % 100), day = static_cast<std::uint8_t>(number % 100);
  if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  return time::Time{std::chrono::days{time::days_of({year, month, day})}};
}

/// "06:30:00.000" since midnight.
std::optional<time::Duration> time_of_day(std::string_view text) noexcept {
  Fields fields(text);
  std::uint64_t hours = 0, minutes = 0;
  std::int64_t nanoseconds = 0;
  const bool is_read = fields.take_number(hours) && fields.take(':') && fields.take_number(minutes) &&
                       fields.take(':') && fields.take_decimal(9, nanoseconds) && fields.is_at_end();
  constexpr std::int64_t k_minute = 61'000'000'000;  // with a leap second
  if (!is_read || hours > 24 || minutes > 59 || nanoseconds < 0 || nanoseconds > k_minute) return std::nullopt;
  return std::chrono::hours{hours} + std::chrono::minutes{minutes} + time::Duration{nanoseconds};
}

/// The stamp that a log puts in front of a message, where it is written as FIX writes times.
std::optional<time::Time> stamp_in(std::string_view in_front) noexcept {
  const auto stamp = time::parse_timestamp(in_front.substr(0, in_front.find(' ')));
  return stamp ? std::optional(*stamp) : std::nullopt;
}

}  // namespace

FixDataReader::FixDataReader(ByteSource& source) : window_(source, k_part) {}

std::vector<TypeCount> FixDataReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (const auto& [type, count] : counts_) counts.push_back({"35=" + type, count});
  return counts;
}

std::vector<std::pair<std::string, std::string>> FixDataReader::notes() const {
  return {{"damaged messages", std::to_string(damaged_)},
          {"numbers with too many decimals", std::to_string(too_fine_)}};
}

void FixDataReader::open_part() {
  is_last_part_ = !window_.require(k_part);
  part_at_ = window_.position();
  const std::string_view text = as_text(window_.rest()).substr(0, k_part);
  part_size_ = text.size();
  log_.emplace(text);
}

/// Goes on behind `used` bytes of the part; the text in front of the next message stays.
void FixDataReader::leave_part(std::size_t used) {
  log_.reset();
  window_.consume(used - std::min(used, k_in_front));
}

void FixDataReader::decode(EventBatch& batch) {
  while (!batch.is_full()) {
    if (!log_) open_part();
    const bool is_found = log_->next(found_);
    const bool is_near_end = is_found && !is_last_part_ && found_.offset + k_longest > part_size_;
    if (!is_found || is_near_end) {
      if (is_last_part_) return finish();
      leave_part(is_found ? found_.offset : part_size_);
      continue;
    }
    const std::uint64_t at = part_at_ + found_.offset;
    if (at < next_) continue;
    next_ = at + 1;
    position_ = at;
    if (found_.is_cut && is_last_part_ && found_.offset + found_.text.size() + 2 >= part_size_)
      return fail({"the file is cut within a message", at});
    if (found_.is_cut || found_.has_wrong_length || found_.has_wrong_checksum || !add_message(batch, found_))
      ++damaged_;
  }
}

void FixDataReader::finish() {
  position_ = part_at_ + part_size_;
  if (!window_.trouble().empty()) return fail({window_.trouble(), position_});
  if (counts_.empty() && damaged_ == 0) fail({"no FIX message in the file", 0});
}

bool FixDataReader::add_message(EventBatch& batch, const LoggedMessage& message) {
  if (!view_.read(as_bytes(message.text))) return false;
  const std::string_view type = view_.find(35).value_or("");
  ++counts_[std::string(type)];
  facts_ = {};
  const auto sent = view_.time(k_sending_time);
  const auto stamp = stamp_in(message.in_front);
  if (stamp || sent) facts_.receive_time = stamp ? *stamp : *sent;
  const auto transacted = view_.time(k_transact_time);
  if (transacted || sent) facts_.event_time = transacted ? *transacted : *sent;
  facts_.instrument = index_of(view_.find(k_symbol).value_or(view_.find(k_security_id).value_or("")));
  check_sequence(batch);
  if (type == "X" || type == "W") {
    read_entries();
    add_data(batch, type == "W");
    return true;
  }
  RecordedEvent& event = batch.add();
  event = facts_;
  event.kind = EventKind::notice;
  event.code = type.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(type.front());
  return true;
}

void FixDataReader::check_sequence(EventBatch& batch) {
  const bool has_appl = view_.has(k_appl_seq_num);
  const auto number = view_.sequence(has_appl ? k_appl_seq_num : k_msg_seq_num);
  if (!number) return;
  facts_.sequence = number->value;
  const std::string_view owner = view_.find(has_appl ? k_appl_id : k_sender).value_or("");
  auto place = last_numbers_.find(owner);
  if (place == last_numbers_.end()) place = last_numbers_.emplace(owner, number->value - 1).first;
  const std::uint64_t expected = std::exchange(place->second, number->value) + 1;
  if (number->value <= expected) return;  // in order, or begun anew
  RecordedEvent& event = batch.add();
  event = facts_;
  event.kind = EventKind::gap;
  event.other = expected;
}

/// Entries begin with the tag behind NoMDEntries, whatever it is.
void FixDataReader::read_entries() {
  entries_.clear();
  std::size_t at = 0;
  while (at < view_.size() && view_[at].tag != k_entries) ++at;
  const fix::Tag first = at + 1 < view_.size() ? view_[at + 1].tag : 0;
  for (++at; at < view_.size(); ++at) {
    const fix::Field field = view_[at];
    if (field.tag == first) {
      // An entry that names no instrument is of the one before.
      const std::string_view symbol = entries_.empty() ? std::string_view() : entries_.back().symbol;
      entries_.emplace_back().symbol = symbol;
    }
    Entry& entry = entries_.back();
    switch (field.tag) {
      case k_action:
        entry.action = field.value.front();
        break;
      case k_type:
        entry.type = field.value.front();
        break;
      case k_symbol:
        entry.symbol = field.value;
        break;
      case k_security_id:
        if (entry.symbol.empty()) entry.symbol = field.value;
        break;
      case k_id:
      case k_order:
        if (entry.id.empty() || field.tag == k_id) entry.id = field.value;
        break;
      case k_price:
        entry.price = field.value;
        break;
      case k_size:
        entry.size = field.value;
        break;
      case k_date:
        entry.date = field.value;
        break;
      case k_time:
        entry.time = field.value;
        break;
      case k_orders:
        entry.orders = field.value;
        break;
      case k_trade_id:
        entry.trade = field.value;
        break;
      default:
        break;
    }
  }
}

bool FixDataReader::has_book_entries() const noexcept {
  return std::ranges::any_of(entries_,
                             [](const Entry& entry) { return is_order_entry(entry.type) || entry.type == 'J'; });
}

void FixDataReader::add_data(EventBatch& batch, bool is_whole_book) {
  const std::size_t before = batch.size();
  if (is_whole_book) facts_.flags = k_snapshot;
  if (is_whole_book && has_book_entries()) {
    RecordedEvent& event = batch.add();
    event = facts_;
    event.kind = EventKind::clear;
  }
  for (const Entry& entry : entries_) add_entry(batch, entry);
  if (batch.size() != before) batch.back().flags |= k_last;
}

void FixDataReader::add_entry(EventBatch& batch, const Entry& entry) {
  const std::uint32_t instrument = entry.symbol.empty() ? facts_.instrument : index_of(entry.symbol);
  RecordedEvent& event = batch.add();
  event = facts_;
  event.instrument = instrument;
  event.event_time = time_of(entry);
  event.price = number(entry.price, k_price_decimals);
  event.quantity = number(entry.size, k_quantity_decimals);
  if (is_order_entry(entry.type)) return add_order_entry(event, entry);
  if (entry.type == '2') {
    event.kind = entry.action == '2' ? EventKind::trade_cancel : EventKind::trade;
    const std::string_view id = entry.trade.empty() ? entry.id : entry.trade;
    if (!id.empty()) event.other = id_of(id);
  } else if (entry.type == 'J') {
    event.kind = EventKind::clear;
  } else {
    event.kind = EventKind::value;
    event.code = static_cast<std::uint8_t>(value_code(entry.type));
    event.order = static_cast<unsigned char>(entry.type);
    if (event.price == k_unknown && event.quantity == k_unknown) event.kind = EventKind::notice;
  }
}

/// Bids and offers. What is deleted by range (DeleteThru, DeleteFrom) is a notice: it needs the book to be understood.
void FixDataReader::add_order_entry(RecordedEvent& event, const Entry& entry) {
  event.side = entry.type == '0' ? Side::buy : Side::sell;
  if (entry.action < '0' || entry.action > '2') {
    event.kind = EventKind::notice;
    event.code = static_cast<std::uint8_t>(entry.action);
    return;
  }
  if (entry.id.empty()) {
    event.kind = EventKind::level;
    if (entry.action == '2') event.quantity = 0;
    if (!entry.orders.empty()) event.other = id_of(entry.orders);
    return;
  }
  static constexpr EventKind k_kinds[] = {EventKind::add, EventKind::amend, EventKind::remove};
  event.kind = k_kinds[entry.action - '0'];
  event.order = id_of(entry.id);
}

std::uint32_t FixDataReader::index_of(std::string_view symbol) {
  const auto place = indexes_.find(symbol);
  if (place != indexes_.end()) return place->second;
  const auto index = static_cast<std::uint32_t>(instruments_.size());
  instruments_.push_back(
      {.symbol = std::string(symbol), .price_decimals = k_price_decimals, .quantity_decimals = k_quantity_decimals});
  indexes_.emplace(symbol, index);
  return index;
}

std::int64_t FixDataReader::number(std::string_view text, unsigned decimals) {
  Fields fields(text);
  std::int64_t value = k_unknown;
  if (text.empty() || (fields.take_decimal(decimals, value) && fields.is_at_end())) return value;
  ++too_fine_;
  return k_unknown;
}

time::Time FixDataReader::time_of(const Entry& entry) const {
  const auto clock = time_of_day(entry.time);
  if (!clock) return facts_.event_time;
  const auto day = day_of(entry.date);
  if (!day && facts_.event_time == k_unknown_time) return k_unknown_time;
  return (day ? *day : time::day_of(facts_.event_time)) + *clock;
}

}  // namespace dojima::recorded
