#include "dojima/recorded/captures/capture.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "dojima/recorded/captures/capture_packets.hpp"

namespace dojima::recorded {
namespace {

/// What a TCP segment or a UDP datagram brings.
struct Segment {
  std::string from, to;
  std::uint32_t sequence = 0;
  bool is_start = false;
  bool is_datagram = false;
  std::string_view payload;
};

std::string address_text(std::string_view bytes) {
  std::string text;
  if (bytes.size() == 4) {
    for (const char byte : bytes) text += (text.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(byte));
    return text;
  }
  static constexpr char k_hex[] = "0123456789abcdef";
  text = "[";
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    if (at > 0) text += ':';
    unsigned group = network16(bytes, at);
    std::string digits;
    do digits.insert(digits.begin(), k_hex[group & 15]);
    while ((group >>= 4) != 0);
    text += digits;
  }
  return text + "]";
}

std::string place_text(std::string_view address, unsigned port) {
  return address_text(address) + ":" + std::to_string(port);
}

std::optional<Segment> datagram(std::string_view packet, const InternetMessage& message) {
  const auto payload = udp_payload(packet);
  if (!payload) return std::nullopt;
  Segment segment;
  segment.from = place_text(message.from, network16(message.payload, 0));
  segment.to = place_text(message.to, network16(message.payload, 2));
  segment.is_datagram = true;
  segment.payload = *payload;
  return segment;
}

/// The TCP segment in an IP packet, or the UDP datagram.
std::optional<Segment> segment_of(std::string_view packet, Carriers carriers) {
  constexpr unsigned char k_tcp = 6, k_udp = 17;
  const auto message = internet_message(packet);
  if (!message) return std::nullopt;
  if (message->protocol == k_udp && carriers == Carriers::tcp_and_udp) return datagram(packet, *message);
  if (message->protocol != k_tcp) return std::nullopt;
  const std::string_view tcp = message->payload;
  if (tcp.size() < 20) return std::nullopt;
  const std::size_t header = static_cast<std::size_t>(static_cast<unsigned char>(tcp[12]) >> 4) * 4;
  if (header < 20 || tcp.size() < header) return std::nullopt;
  constexpr unsigned char k_syn = 2;
  Segment segment;
  segment.from = place_text(message->from, network16(tcp, 0));
  segment.to = place_text(message->to, network16(tcp, 2));
  segment.sequence = network32(tcp, 4);
  segment.is_start = (static_cast<unsigned char>(tcp[13]) & k_syn) != 0;
  segment.payload = tcp.substr(header);
  return segment;
}

/// Puts the segments of one direction in order.
class Flow {
 public:
  Flow(std::string from, std::string to) { stream_.from = std::move(from), stream_.to = std::move(to); }

  void add(const Segment& segment, time::Time time) {
    if (segment.is_datagram) return append(segment.payload, 0, time);
    if (segment.is_start) {
      flush();
      next_ = segment.sequence + 1;
      is_known_ = true;
      return;
    }
    if (segment.payload.empty()) return;
    if (!is_known_) {
      next_ = segment.sequence;
      is_known_ = true;
    }
    const auto ahead = static_cast<std::int32_t>(segment.sequence - next_);
    if (ahead > 0) {
      waiting_.insert_or_assign(segment.sequence, Waiting{std::string(segment.payload), time});
      constexpr std::size_t k_most_waiting = 256;
      if (waiting_.size() > k_most_waiting) flush();
      return;
    }
    append(segment.payload, static_cast<std::size_t>(-static_cast<std::int64_t>(ahead)), time);
    take_waiting();
  }

  CapturedStream finish() {
    flush();
    return std::move(stream_);
  }

 private:
  struct Waiting {
    std::string payload;
    time::Time time;
  };

  void append(std::string_view payload, std::size_t known, time::Time time) {
    if (known >= payload.size()) return;
    stream_.arrivals.emplace_back(stream_.bytes.size(), time);
    stream_.bytes += payload.substr(known);
    next_ += static_cast<std::uint32_t>(payload.size() - known);
  }

  void take_waiting() {
    for (auto first = waiting_.begin(); first != waiting_.end();) {
      const auto ahead = static_cast<std::int32_t>(first->first - next_);
      if (ahead > 0) {
        ++first;
        continue;
      }
      append(first->second.payload, static_cast<std::size_t>(-static_cast<std::int64_t>(ahead)), first->second.time);
      waiting_.erase(first);
      first = waiting_.begin();
    }
  }

  /// What never came is left out, and counted.
  void flush() {
    while (!waiting_.empty()) {
      const auto nearest = std::ranges::min_element(
          waiting_, {}, [this](const auto& one) { return static_cast<std::int32_t>(one.first - next_); });
      ++stream_.gaps;
      next_ = nearest->first;
      take_waiting();
    }
  }

  CapturedStream stream_;
  std::uint32_t next_ = 0;
  bool is_known_ = false;
  std::map<std::uint32_t, Waiting> waiting_;
};

class Capture {
 public:
  explicit Capture(Carriers carriers) : carriers_(carriers) {}

  void add(const CapturedPacket& packet) {
    const auto segment = segment_of(internet_packet(packet), carriers_);
    if (!segment) return;
    const auto [place, is_new] = places_.try_emplace({segment->from, segment->to, segment->is_datagram}, flows_.size());
    if (is_new) flows_.emplace_back(segment->from, segment->to);
    flows_[place->second].add(*segment, packet.time);
  }

  std::vector<CapturedStream> finish() {
    std::vector<CapturedStream> streams;
    for (Flow& flow : flows_) streams.push_back(flow.finish());
    return streams;
  }

 private:
  Carriers carriers_;
  std::map<std::tuple<std::string, std::string, bool>, std::size_t> places_;
  std::vector<Flow> flows_;
};

}  // namespace

time::Time CapturedStream::time_of(std::size_t offset) const noexcept {
  const auto behind = std::ranges::upper_bound(arrivals, offset, {}, [](const auto& one) { return one.first; });
  return behind == arrivals.begin() ? time::Time{} : std::prev(behind)->second;
}

std::expected<std::vector<CapturedStream>, std::string> read_capture(std::string_view file, Carriers carriers) {
  MemorySource source(file);
  ByteWindow window(source);
  CapturePackets packets(window);
  Capture capture(carriers);
  for (CapturedPacket packet; packets.next(packet);) capture.add(packet);
  if (!packets.trouble().empty()) return std::unexpected(packets.trouble());
  return capture.finish();
}

}  // namespace dojima::recorded
