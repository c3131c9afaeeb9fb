#include "dojima/app/capture.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

namespace dojima::app {
namespace {

/// Numbers out of the file, in its byte order.
class Reader {
 public:
  Reader(std::string_view file, bool is_big) : file_(file), is_big_(is_big) {}
  [[nodiscard]] std::size_t left() const noexcept { return file_.size() - at_; }
  [[nodiscard]] std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number(4)); }
  [[nodiscard]] std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(number(2)); }
  [[nodiscard]] std::string_view bytes(std::size_t size) noexcept {
    const std::string_view part = file_.substr(at_, size);
    at_ += part.size();
    return part;
  }

 private:
  std::uint64_t number(std::size_t size) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t byte = static_cast<unsigned char>(file_[at_ + i]);
      value |= byte << 8 * (is_big_ ? size - 1 - i : i);
    }
    at_ += size;
    return value;
  }
  std::string_view file_;
  std::size_t at_ = 0;
  bool is_big_;
};

unsigned network16(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned>(static_cast<unsigned char>(text[at])) << 8 | static_cast<unsigned char>(text[at + 1]);
}

std::uint32_t network32(std::string_view text, std::size_t at) noexcept {
  return static_cast<std::uint32_t>(network16(text, at)) << 16 | network16(text, at + 2);
}

constexpr std::uint32_t k_null = 0, k_ethernet = 1, k_raw = 101, k_loop = 108, k_cooked = 113, k_raw_ipv4 = 228,
                        k_raw_ipv6 = 229, k_cooked_2 = 276;

/// The IP packet in a frame; empty: there is none.
std::string_view ip_packet(std::string_view frame, std::uint32_t link) noexcept {
  std::size_t header = 0;
  switch (link) {
    case k_ethernet: {
      constexpr std::size_t k_type_at = 12;
      constexpr unsigned k_vlan = 0x8100;
      header = 14;
      while (frame.size() > header && network16(frame, header - 2) == k_vlan) header += 4;
      if (frame.size() < k_type_at + 2) return {};
      break;
    }
    case k_null:
    case k_loop:
      header = 4;
      break;
    case k_cooked:
      header = 16;
      break;
    case k_cooked_2:
      header = 20;
      break;
    case k_raw:
    case k_raw_ipv4:
    case k_raw_ipv6:
      break;
    default:
      return {};
  }
  return frame.size() > header ? frame.substr(header) : std::string_view();
}

struct Segment {
  std::string from, to;
  std::uint32_t sequence = 0;
  bool is_start = false;
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

/// The TCP segment in an IP packet.
std::optional<Segment> tcp_segment(std::string_view packet) {
  constexpr unsigned char k_tcp = 6;
  if (packet.size() < 20) return std::nullopt;
  const unsigned version = static_cast<unsigned char>(packet[0]) >> 4;
  std::string_view from, to, tcp;
  if (version == 4) {
    const std::size_t header = (static_cast<unsigned char>(packet[0]) & 15u) * 4;
    const std::size_t total = network16(packet, 2);
    const bool is_fragment = (network16(packet, 6) & 0x1fff) != 0;
    if (packet[9] != k_tcp || is_fragment || header < 20 || packet.size() < header) return std::nullopt;
    // A sending card fills in the length later: then it is 0 here.
    if (total >= header && total < packet.size()) packet = packet.substr(0, total);
    from = packet.substr(12, 4);
    to = packet.substr(16, 4);
    tcp = packet.substr(header);
  } else if (version == 6) {
    constexpr std::size_t k_header = 40;
    if (packet.size() < k_header || packet[6] != k_tcp) return std::nullopt;
    const std::size_t payload = network16(packet, 4);
    from = packet.substr(8, 16);
    to = packet.substr(24, 16);
    tcp = packet.substr(k_header, payload == 0 ? std::string_view::npos : payload);
  } else {
    return std::nullopt;
  }
  if (tcp.size() < 20) return std::nullopt;
  const std::size_t header = static_cast<std::size_t>(static_cast<unsigned char>(tcp[12]) >> 4) * 4;
  if (header < 20 || tcp.size() < header) return std::nullopt;
  constexpr unsigned char k_syn = 2;
  Segment segment;
  segment.from = address_text(from) + ":" + std::to_string(network16(tcp, 0));
  segment.to = address_text(to) + ":" + std::to_string(network16(tcp, 2));
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
  void add(std::string_view frame, std::uint32_t link, time::Time time) {
    const auto segment = tcp_segment(ip_packet(frame, link));
    if (!segment) return;
    const auto [place, is_new] = places_.try_emplace({segment->from, segment->to}, flows_.size());
    if (is_new) flows_.emplace_back(segment->from, segment->to);
    flows_[place->second].add(*segment, time);
  }

  std::vector<CapturedStream> finish() {
    std::vector<CapturedStream> streams;
    for (Flow& flow : flows_) streams.push_back(flow.finish());
    return streams;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Flow> flows_;
};

constexpr std::uint32_t k_pcap_us = 0xa1b2c3d4, k_pcap_ns = 0xa1b23c4d, k_pcapng = 0x0a0d0d0a;

std::uint32_t magic_of(std::string_view file) noexcept {
  std::uint32_t magic = 0;
  std::memcpy(&magic, file.data(), sizeof magic);
  return magic;
}

std::uint32_t swapped(std::uint32_t value) noexcept {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

std::expected<std::vector<CapturedStream>, std::string> read_pcap(std::string_view file) {
  constexpr std::size_t k_file_header = 24, k_packet_header = 16;
  if (file.size() < k_file_header) return std::unexpected(std::string("a pcap file without its header"));
  const std::uint32_t magic = magic_of(file);
  const bool is_big = magic == swapped(k_pcap_us) || magic == swapped(k_pcap_ns);
  const bool is_ns = magic == k_pcap_ns || magic == swapped(k_pcap_ns);
  Reader reader(file, is_big);
  static_cast<void>(reader.bytes(k_file_header - 4));
  const std::uint32_t link = reader.u32() & 0xffff;
  Capture capture;
  while (reader.left() >= k_packet_header) {
    const std::int64_t seconds = reader.u32(), fraction = reader.u32();
    const std::uint32_t size = reader.u32();
    static_cast<void>(reader.u32());
    if (size > reader.left()) break;
    capture.add(reader.bytes(size), link,
                time::from_nanoseconds(seconds * 1'000'000'000 + fraction * (is_ns ? 1 : 1000)));
  }
  return capture.finish();
}

/// One interface of a pcapng file.
struct Interface {
  std::uint32_t link = k_ethernet;
  std::uint64_t per_second = 1'000'000;
};

Interface interface_of(Reader block) {
  Interface made;
  made.link = block.u16();
  static_cast<void>(block.bytes(6));
  while (block.left() >= 4) {
    const unsigned code = block.u16(), size = block.u16();
    const std::string_view value = block.bytes((size + 3u) & ~3u);
    constexpr unsigned k_resolution = 9;
    if (code == 0) break;
    if (code != k_resolution || value.empty()) continue;
    const auto exponent = static_cast<unsigned char>(value[0]);
    made.per_second = 1;
    for (unsigned i = 0; i < (exponent & 0x7fu) && made.per_second < 1'000'000'000'000; ++i)
      made.per_second *= (exponent & 0x80) != 0 ? 2 : 10;
  }
  return made;
}

std::expected<std::vector<CapturedStream>, std::string> read_pcapng(std::string_view file) {
  constexpr std::uint32_t k_interface = 1, k_packet = 6, k_order = 0x1a2b3c4d;
  if (file.size() < 12) return std::unexpected(std::string("a pcapng file without its header"));
  const bool is_big = magic_of(file.substr(8)) != k_order;
  Reader reader(file, is_big);
  std::vector<Interface> interfaces;
  Capture capture;
  while (reader.left() >= 12) {
    const std::uint32_t type = reader.u32(), size = reader.u32();
    if (size < 12 || size - 8 > reader.left()) break;
    Reader block(reader.bytes(size - 8).substr(0, size - 12), is_big);
    if (type == k_interface && block.left() >= 8) {
      interfaces.push_back(interface_of(block));
    } else if (type == k_packet && block.left() >= 20) {
      const std::uint32_t number = block.u32();
      const std::uint64_t high = block.u32(), low = block.u32(), ticks = high << 32 | low;
      const std::uint32_t captured = block.u32();
      static_cast<void>(block.u32());
      if (number >= interfaces.size()) return std::unexpected(std::string("a pcapng packet of an unknown interface"));
      const Interface& from = interfaces[number];
      const std::uint64_t nanoseconds =
          ticks / from.per_second * 1'000'000'000 + ticks % from.per_second * 1'000'000'000 / from.per_second;
      capture.add(block.bytes(captured), from.link, time::from_nanoseconds(static_cast<std::int64_t>(nanoseconds)));
    }
  }
  return capture.finish();
}

}  // namespace

time::Time CapturedStream::time_of(std::size_t offset) const noexcept {
  const auto behind = std::ranges::upper_bound(arrivals, offset, {}, [](const auto& one) { return one.first; });
  return behind == arrivals.begin() ? time::Time{} : std::prev(behind)->second;
}

bool is_capture(std::string_view file) noexcept {
  if (file.size() < 4) return false;
  const std::uint32_t magic = magic_of(file);
  return magic == k_pcap_us || magic == k_pcap_ns || magic == swapped(k_pcap_us) || magic == swapped(k_pcap_ns) ||
         magic == k_pcapng;
}

std::expected<std::vector<CapturedStream>, std::string> read_capture(std::string_view file) {
  if (!is_capture(file)) return std::unexpected(std::string("no pcap and no pcapng file"));
  return magic_of(file) == k_pcapng ? read_pcapng(file) : read_pcap(file);
}

}  // namespace dojima::app
