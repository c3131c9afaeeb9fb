#include "dojima/recorded/formats/binance_reader.hpp"

#include <algorithm>
#include <limits>

#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/parsing/json_cursor.hpp"

namespace dojima::recorded {
namespace {

constexpr unsigned k_decimals = 8;
constexpr std::array<std::string_view, 5> k_type_names = {"depth", "trade", "bookTicker", "snapshot", "other"};

Time time_of(std::uint64_t milliseconds) noexcept {
  constexpr std::uint64_t k_most = 9'223'372'036'854;
  if (milliseconds == 0 || milliseconds > k_most) return k_unknown_time;
  return time::from_nanoseconds(static_cast<std::int64_t>(milliseconds) * 1'000'000);
}

}  // namespace

BinanceReader::BinanceReader(ByteSource& source) : window_(source) {}

std::vector<TypeCount> BinanceReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (std::size_t at = 0; at < counts_.size(); ++at)
    if (counts_[at] != 0) counts.push_back({std::string(k_type_names[at]), counts_[at]});
  return counts;
}

void BinanceReader::decode(EventBatch& batch) {
  while (!batch.is_full()) {
    const auto line = window_.next_line();
    if (!line) return finish(batch);
    Fields fields(*line);
    std::uint64_t received = 0;
    Message message;
    if (!fields.take_number(received) || !fields.take(' ') ||
        received > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return fail_line("no recorded message: expected the receive time in nanoseconds, a blank and JSON");
    message.receive_time = time::from_nanoseconds(static_cast<std::int64_t>(received));
    if (!read(fields.rest(), message)) return fail_line("the JSON is damaged or cut, or a price has over 8 decimals");
    ++counts_[message.type];
    add(batch, message);
  }
}

/// The file ends, well or not. What was kept back for a picture that never came is given now.
void BinanceReader::finish(EventBatch& batch) {
  if (!window_.trouble().empty()) fail({window_.trouble(), window_.position(), window_.line() + 1});
  if (window_.is_too_long()) fail({"no end of line in 16 MiB", window_.position(), window_.line() + 1});
  for (Feed& feed : feeds_) {
    if (feed.is_waiting) give_kept(batch, feed, 0, std::nullopt);
    feed.is_waiting = feed.is_keeping = false;
  }
}

bool BinanceReader::read(std::string_view text, Message& message) {
  levels_.clear();
  JsonCursor json(text);
  std::string_view key, stream;
  bool is_stream = false;
  for (bool is_more = json.begin('{'); is_more && json.key(key); is_more = json.more('}')) {
    if (key == "stream") {
      if (!json.string(stream)) return false;
    } else if (key == "data" && json.peek() == '{') {
      is_stream = true;
      if (!read_data(json, message)) return false;
    } else if (!read_key(json, key, message)) {
      return false;
    }
  }
  if (!json.is_done()) return false;
  const std::string_view name = stream.substr(std::min(stream.find('@'), stream.size()));
  if (message.type == k_other && is_stream && name.starts_with("@bookTicker")) message.type = k_ticker;
  return true;
}

bool BinanceReader::read_data(JsonCursor& json, Message& message) {
  std::string_view key;
  for (bool is_more = json.begin('{'); is_more && json.key(key); is_more = json.more('}'))
    if (!read_key(json, key, message)) return false;
  return json.is_good();
}

bool BinanceReader::read_short_key(JsonCursor& json, char key, Message& message) {
  const auto number = [&json](std::uint64_t& value) {
    return json.peek() >= '0' && json.peek() <= '9' ? json.number(value) : json.skip();
  };
  switch (key) {
    case 'e': {
      std::string_view type;
      if (!json.string(type)) return false;
      if (type == "depthUpdate") message.type = k_depth;
      if (type == "trade" || type == "aggTrade") message.type = k_trade;
      if (type == "bookTicker") message.type = k_ticker;
      return true;
    }
    case 'E':
      return number(message.event_ms);
    case 'T':
      return number(message.trade_ms);
    case 's':
      return json.string(message.symbol);
    case 'U':
      return number(message.first_update);
    case 'u':
      return number(message.last_update);
    case 't':
      return number(message.trade);
    case 'p':
      return json.peek() == '"' ? json.decimal(k_decimals, message.price) : json.skip();
    case 'q':
      return json.peek() == '"' ? json.decimal(k_decimals, message.quantity) : json.skip();
    case 'm':
      return json.boolean(message.is_buyer_maker);
    case 'b':
      if (json.peek() == '[') return read_levels(json, market::Side::buy);
      return json.peek() == '"' ? json.decimal(k_decimals, message.bid) : json.skip();
    case 'a':
      if (json.peek() == '[') return read_levels(json, market::Side::sell);
      if (json.peek() != '"') return number(message.trade);  // an aggregate trade's number
      return json.decimal(k_decimals, message.ask);
    case 'B':
      return json.decimal(k_decimals, message.bid_quantity);
    case 'A':
      return json.decimal(k_decimals, message.ask_quantity);
    case 'X': {
      std::string_view origin;
      if (!json.string(origin)) return false;
      if (!origin.empty()) message.origin = origin.front();
      return true;
    }
    default:
      return json.skip();
  }
}

bool BinanceReader::read_key(JsonCursor& json, std::string_view key, Message& message) {
  if (key.size() == 1) return read_short_key(json, key.front(), message);
  if (key == "pu") return message.has_previous = json.number(message.previous_update);
  if (key == "symbol") return json.string(message.symbol);
  if (key == "bids") return read_levels(json, market::Side::buy);
  if (key == "asks") return read_levels(json, market::Side::sell);
  if (key != "lastUpdateId") return json.skip();
  message.type = k_picture;
  return json.number(message.last_update);
}

/// [["price","quantity"],...]
bool BinanceReader::read_levels(JsonCursor& json, market::Side side) {
  for (bool is_more = json.begin('['); is_more; is_more = json.more(']')) {
    RecordedEvent& level = levels_.emplace_back();
    level.kind = EventKind::level;
    level.side = side;
    if (!json.begin('[') || !json.decimal(k_decimals, level.price) || !json.more(']') ||
        !json.decimal(k_decimals, level.quantity) || level.quantity < 0)
      return false;
    while (json.more(']'))
      if (!json.skip()) return false;
    if (!json.is_good()) return false;
  }
  return json.is_good();
}

/// A picture may come without a symbol: then it is of the first instrument that waits for one.
std::uint32_t BinanceReader::index_of(const Message& message) {
  if (message.symbol.empty() && !feeds_.empty()) {
    const auto waiting = std::ranges::find_if(feeds_, &Feed::is_keeping);
    const bool is_picture = message.type == k_picture && waiting != feeds_.end();
    return is_picture ? static_cast<std::uint32_t>(waiting - feeds_.begin()) : 0;
  }
  const auto place = indexes_.find(message.symbol);
  if (place != indexes_.end()) return place->second;
  const auto index = static_cast<std::uint32_t>(instruments_.size());
  // What began without a symbol has found it.
  if (index == 1 && instruments_[0].symbol.empty()) {
    instruments_[0].symbol = message.symbol;
    indexes_.emplace(message.symbol, 0);
    return 0;
  }
  instruments_.push_back(
      {.symbol = std::string(message.symbol), .price_decimals = k_decimals, .quantity_decimals = k_decimals});
  feeds_.emplace_back();
  indexes_.emplace(message.symbol, index);
  return index;
}

void BinanceReader::add(EventBatch& batch, const Message& message) {
  const std::uint32_t instrument = index_of(message);
  if (message.type == k_depth) return add_depth(batch, message, instrument);
  if (message.type == k_picture) return add_picture(batch, message, instrument);
  if (message.type == k_ticker) return add_ticker(batch, message, instrument);
  RecordedEvent& event = batch.add();
  event.instrument = instrument;
  event.receive_time = message.receive_time;
  event.event_time = time_of(message.trade_ms != 0 ? message.trade_ms : message.event_ms);
  event.kind = message.type == k_trade ? EventKind::trade : EventKind::notice;
  if (message.type != k_trade) return;
  event.price = message.price;
  event.quantity = message.quantity;
  event.other = message.trade;
  event.side = message.is_buyer_maker ? market::Side::sell : market::Side::buy;
  event.code = static_cast<std::uint8_t>(message.origin);
  event.flags = k_last;
}

void BinanceReader::add_ticker(EventBatch& batch, const Message& message, std::uint32_t instrument) {
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    const bool is_buy = side == market::Side::buy;
    RecordedEvent& event = batch.add();
    event.kind = EventKind::quote;
    event.instrument = instrument;
    event.side = side;
    event.receive_time = message.receive_time;
    event.event_time = time_of(message.trade_ms != 0 ? message.trade_ms : message.event_ms);
    event.sequence = message.last_update;
    event.price = is_buy ? message.bid : message.ask;
    event.quantity = is_buy ? message.bid_quantity : message.ask_quantity;
    if (!is_buy) event.flags = k_last;
  }
}

void BinanceReader::add_gap(EventBatch& batch, const RecordedEvent& near, std::uint64_t expected, std::uint64_t got) {
  RecordedEvent& event = batch.add();
  event.kind = EventKind::gap;
  event.instrument = near.instrument;
  event.event_time = near.event_time;
  event.receive_time = near.receive_time;
  event.other = expected;
  event.sequence = got;
}

void BinanceReader::add_depth(EventBatch& batch, const Message& message, std::uint32_t instrument) {
  Feed& feed = feeds_[instrument];
  RecordedEvent facts;
  facts.instrument = instrument;
  facts.receive_time = message.receive_time;
  facts.event_time = time_of(message.trade_ms != 0 ? message.trade_ms : message.event_ms);
  facts.sequence = message.last_update;
  // Futures name the update before; on the spot market numbers follow each other.
  if (feed.picture != 0 && message.last_update <= feed.picture) return;  // older than the picture
  const std::uint64_t came = message.has_previous ? message.previous_update : message.first_update;
  const std::uint64_t expected = feed.last_update + (message.has_previous ? 0 : 1);
  const bool is_behind_picture = feed.picture != 0 && !feed.has_update;
  if (is_behind_picture ? message.first_update > feed.picture + 1 : feed.has_update && came != expected) {
    add_gap(batch, facts, is_behind_picture ? feed.picture + 1 : expected, came);
    feed.kept.clear();
    feed.is_keeping = true;
  }
  feed.last_update = message.last_update;
  feed.has_update = true;
  const std::size_t before = feed.kept.size();
  if (before == 0) feed.first_kept = message.first_update;
  for (const RecordedEvent& level : levels_) {
    RecordedEvent& event = feed.is_waiting ? feed.kept.emplace_back() : batch.add();
    event = facts;
    event.kind = EventKind::level;
    event.side = level.side;
    event.price = level.price;
    event.quantity = level.quantity;
    if (&level == &levels_.back()) event.flags = k_last;
    if (!feed.is_waiting && feed.is_keeping) feed.kept.push_back(event);
  }
  if (feed.kept.size() == before || feed.kept.size() <= k_most_kept) return;
  if (feed.is_waiting) give_kept(batch, feed, 0, std::nullopt);
  feed.is_waiting = feed.is_keeping = false;
  feed.kept = {};
}

/// Those of the kept changes that are newer, as part of the picture that was received then, or as they came.
void BinanceReader::give_kept(EventBatch& batch, Feed& feed, std::uint64_t newer_than,
                              std::optional<Time> receive_time) {
  for (const RecordedEvent& kept : feed.kept) {
    if (kept.sequence <= newer_than) continue;
    RecordedEvent& event = batch.add();
    event = kept;
    if (!receive_time) continue;
    event.receive_time = *receive_time;
    event.flags |= k_snapshot;
  }
  feed.kept.clear();
}

void BinanceReader::add_picture(EventBatch& batch, const Message& message, std::uint32_t instrument) {
  Feed& feed = feeds_[instrument];
  if (!feed.is_keeping) return;  // the book is whole and newer
  RecordedEvent facts;
  facts.instrument = instrument;
  facts.receive_time = message.receive_time;
  facts.event_time = time_of(message.trade_ms != 0 ? message.trade_ms : message.event_ms);
  facts.sequence = message.last_update;
  facts.flags = k_snapshot;
  RecordedEvent& clear = batch.add();
  clear = facts;
  clear.kind = EventKind::clear;
  for (const RecordedEvent& level : levels_) {
    RecordedEvent& event = batch.add();
    event = facts;
    event.kind = EventKind::level;
    event.side = level.side;
    event.price = level.price;
    event.quantity = level.quantity;
  }
  batch.back().flags |= k_last;
  if (!feed.kept.empty() && feed.first_kept > message.last_update + 1)
    add_gap(batch, facts, message.last_update + 1, feed.first_kept);
  give_kept(batch, feed, message.last_update, message.receive_time);
  feed.is_waiting = feed.is_keeping = false;
  feed.picture = message.last_update;
}

}  // namespace dojima::recorded
