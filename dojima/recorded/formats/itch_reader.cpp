#include "dojima/recorded/formats/itch_reader.hpp"

#include "dojima/recorded/new_york.hpp"

namespace dojima::recorded {
namespace {

constexpr std::size_t k_length = 2;    // bytes in front of a message
constexpr std::size_t k_session = 10;  // MoldUDP64: session, number of the first message, how many
constexpr std::size_t k_datagram_header = 20;
constexpr unsigned k_end_of_session = 0xffff;

std::uint64_t network64(std::string_view text, std::size_t at) noexcept {
  return std::uint64_t{network32(text, at)} << 32 | network32(text, at + 4);
}

/// Whether the messages that a datagram announces are what it holds.
bool is_whole(std::string_view datagram) noexcept {
  if (datagram.size() < k_datagram_header) return false;
  const unsigned count = network16(datagram, 18);
  std::size_t at = k_datagram_header;
  for (unsigned i = 0; i < count && count != k_end_of_session; ++i) {
    if (datagram.size() - at < k_length) return false;
    at += k_length + network16(datagram, at);
    if (at > datagram.size()) return false;
  }
  return at == datagram.size();
}

}  // namespace

ItchReader::ItchReader(ByteSource& source, const ReaderOptions& options)
    : window_(source),
      packets_(window_),
      messages_(instruments_, options.midnight),
      has_day_(options.midnight != ReaderOptions().midnight) {}

std::vector<std::pair<std::string, std::string>> ItchReader::notes() const {
  if (!is_capture_) return {};
  return {{"MoldUDP64 packets", std::to_string(datagrams_)},
          {"other packets", std::to_string(others_)},
          {"messages seen before", std::to_string(doubles_)}};
}

void ItchReader::decode(EventBatch& batch) {
  if (!is_begun_) {
    is_begun_ = true;
    is_capture_ = window_.require(4) && is_capture(as_text(window_.rest()));
  }
  is_capture_ ? decode_capture(batch) : decode_file(batch);
}

void ItchReader::decode_file(EventBatch& batch) {
  while (!batch.is_full()) {
    window_.consume(messages_.add_usual(batch, as_text(window_.rest()), number_));
    if (batch.is_full()) return;
    const std::size_t size = window_.require(k_length) ? network16(as_text(window_.rest()), 0) : 0;
    if (!window_.require(k_length + size)) {
      if (!window_.trouble().empty()) return fail({window_.trouble(), window_.position()});
      if (!window_.rest().empty()) fail({"the file is cut within a message", window_.position()});
      return;
    }
    const std::string_view message = as_text(window_.rest().subspan(k_length, size));
    if (const char* wrong = messages_.add(batch, message, ++number_, k_unknown_time))
      return fail({wrong, window_.position()});
    window_.consume(k_length + size);
  }
}

void ItchReader::decode_capture(EventBatch& batch) {
  CapturedPacket packet;
  while (!batch.is_full()) {
    if (!packets_.next(packet)) return finish_capture();
    const auto datagram = udp_payload(internet_packet(packet));
    if (!datagram || !is_whole(*datagram)) {
      ++others_;
      continue;
    }
    ++datagrams_;
    if (!has_day_) take_day(packet.time);
    if (!add_datagram(batch, *datagram, packet.time)) return;
  }
}

void ItchReader::finish_capture() {
  if (!packets_.trouble().empty()) return fail({packets_.trouble(), packets_.position()});
  if (packets_.is_cut()) return fail({"the capture is cut within a packet", packets_.position()});
  if (datagrams_ == 0) fail({"the capture holds no MoldUDP64 packet", packets_.position()});
}

/// Midnight in New York before the packet.
void ItchReader::take_day(Time packet_time) {
  has_day_ = true;
  const auto days = std::chrono::floor<std::chrono::days>(packet_time).time_since_epoch().count();
  for (std::int64_t day = days; day >= days - 1; --day) {
    const Time midnight = new_york_midnight(time::date_of(static_cast<std::int32_t>(day)));
    if (midnight <= packet_time) return messages_.set_midnight(midnight);
  }
}

bool ItchReader::add_datagram(EventBatch& batch, std::string_view datagram, Time time) {
  const std::string_view session = datagram.substr(0, k_session);
  std::uint64_t number = network64(datagram, k_session);
  const unsigned count = network16(datagram, k_session + 8);
  if (count == k_end_of_session) return true;
  auto place = next_.find(session);
  if (place == next_.end()) place = next_.emplace(session, number).first;
  std::uint64_t& expected = place->second;
  if (number > expected) {
    add_gap(batch, expected, number, time);
    expected = number;
  }
  std::size_t at = k_datagram_header;
  for (unsigned i = 0; i < count; ++i, ++number) {
    const std::size_t size = network16(datagram, at);
    const std::string_view message = datagram.substr(at + k_length, size);
    at += k_length + size;
    if (number < expected) {
      ++doubles_;
      continue;
    }
    expected = number + 1;
    if (const char* wrong = messages_.add(batch, message, number, time)) {
      fail({wrong, packets_.position()});
      return false;
    }
  }
  return true;
}

void ItchReader::add_gap(EventBatch& batch, std::uint64_t expected, std::uint64_t got, Time time) {
  RecordedEvent& event = batch.add();
  event.kind = EventKind::gap;
  event.instrument = messages_.market();
  event.receive_time = time;
  event.other = expected;
  event.sequence = got;
}

}  // namespace dojima::recorded
