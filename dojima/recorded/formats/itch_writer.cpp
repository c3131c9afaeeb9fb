#include "dojima/recorded/formats/itch_writer.hpp"

#include <limits>

#include "dojima/recorded/new_york.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::size_t k_flush_at = std::size_t{1} << 18;
constexpr std::size_t k_stock = 8;

bool fits(std::int64_t value) noexcept {
  return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

Written ItchWriter::flush() {
  auto written = sink_.write(as_bytes(text_));
  text_.clear();
  return written;
}

void ItchWriter::put_big(std::uint64_t value, std::size_t size) {
  for (std::size_t byte = size; byte-- > 0;) text_ += static_cast<char>(value >> (8 * byte) & 0xff);
}

/// The length, and the head that all messages have; the tracking number is 0.
void ItchWriter::begin(char type, std::uint16_t locate, std::size_t size) {
  put_big(size, 2);
  text_ += type;
  put_big(locate, 2);
  put_big(0, 2);
  put_big(static_cast<std::uint64_t>((now_ - midnight_).count()), 6);
}

void ItchWriter::put_system_event(char event) {
  begin('S', 0, 12);
  text_ += event;
}

Written ItchWriter::name(const RecordedInstrument& instrument) {
  if (instrument.symbol.empty() || instrument.symbol.size() > k_stock || instrument.price_decimals != 4 ||
      instrument.quantity_decimals != 0)
    return std::unexpected(
        "ITCH has symbols of one to eight characters, prices of four decimals and whole quantities; "
        "not so: \"" +
        instrument.symbol + "\"");
  stocks_.push_back(instrument.symbol + std::string(k_stock - instrument.symbol.size(), ' '));
  begin('R', static_cast<std::uint16_t>(stocks_.size()), 39);
  text_ += stocks_.back() + "QN";
  put_big(100, 4);  // round lot
  text_ += "NCZ PNN1N";
  put_big(0, 4);
  text_ += 'N';
  return {};
}

Written ItchWriter::write(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  for (const RecordedEvent& event : events) {
    if (event.event_time == k_unknown_time) return std::unexpected(std::string("ITCH needs the time of every event"));
    if (midnight_ == k_unknown_time) {
      midnight_ = new_york_midnight_before(event.event_time);
      now_ = event.event_time;
      for (const char system : {'O', 'S', 'Q'}) put_system_event(system);
    }
    constexpr std::int64_t k_most = (std::int64_t{1} << 48) - 1;
    if (event.event_time < midnight_ || (event.event_time - midnight_).count() > k_most)
      return std::unexpected(std::string("ITCH counts from the midnight of one day"));
    now_ = event.event_time;
    while (stocks_.size() < instruments.size())
      if (auto written = name(instruments[stocks_.size()]); !written) return written;
    if (auto written = put(event); !written) return written;
    if (text_.size() >= k_flush_at)
      if (auto written = flush(); !written) return written;
  }
  return {};
}

Written ItchWriter::put(const RecordedEvent& event) {
  const auto locate = static_cast<std::uint16_t>(event.instrument + 1);
  const auto quantity = static_cast<std::uint64_t>(event.quantity), price = static_cast<std::uint64_t>(event.price);
  const bool has_price = event.kind == EventKind::add || event.kind == EventKind::replace;
  if ((event.kind != EventKind::remove && !fits(event.quantity)) || (has_price && !fits(event.price)))
    return std::unexpected(std::string("a price or quantity that has no place in ITCH"));
  switch (event.kind) {
    case EventKind::add:
      begin('A', locate, 36);
      put_big(event.order, 8);
      text_ += event.side == Side::buy ? 'B' : 'S';
      put_big(quantity, 4);
      text_ += stocks_[event.instrument];
      put_big(price, 4);
      return {};
    case EventKind::execute:
      begin('E', locate, 31);
      put_big(event.order, 8);
      put_big(quantity, 4);
      put_big(event.other, 8);
      return {};
    case EventKind::reduce:
      begin('X', locate, 23);
      put_big(event.order, 8);
      put_big(quantity, 4);
      return {};
    case EventKind::remove:
      begin('D', locate, 19);
      put_big(event.order, 8);
      return {};
    case EventKind::replace:
      begin('U', locate, 35);
      put_big(event.order, 8);
      put_big(event.other, 8);
      put_big(quantity, 4);
      put_big(price, 4);
      return {};
    case EventKind::window:
      return {};  // a picture that others made of the same
    default:
      return std::unexpected("ITCH has no message for " + std::string(name_of(event.kind)));
  }
}

Written ItchWriter::finish() {
  if (midnight_ != k_unknown_time)
    for (const char system : {'M', 'E', 'C'}) put_system_event(system);
  return flush();
}

}  // namespace dojima::recorded
