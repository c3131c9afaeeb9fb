#include "dojima/recorded/captures/capture_packets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace dojima::recorded {
namespace {

constexpr std::uint32_t k_pcap_us = 0xa1b2c3d4, k_pcap_ns = 0xa1b23c4d, k_pcapng = 0x0a0d0d0a;
constexpr std::uint32_t k_null = 0, k_ethernet = 1, k_raw = 101, k_loop = 108, k_cooked = 113, k_raw_ipv4 = 228,
                        k_raw_ipv6 = 229, k_cooked_2 = 276;
constexpr std::size_t k_largest_packet = std::size_t{1} << 20;
constexpr std::int64_t k_second = 1'000'000'000;

std::uint32_t magic_of(std::string_view text) noexcept {
  return load_little<std::uint32_t>(as_bytes(text), 0);
}

}  // namespace

bool is_capture(std::string_view start) noexcept {
  if (start.size() < 4) return false;
  const std::uint32_t magic = magic_of(start), swapped = std::byteswap(magic);
  return magic == k_pcap_us || magic == k_pcap_ns || swapped == k_pcap_us || swapped == k_pcap_ns || magic == k_pcapng;
}

std::uint32_t CapturePackets::u32(std::size_t at) const noexcept {
  const auto value = load_little<std::uint32_t>(window_.rest(), at);
  return is_swapped_ ? std::byteswap(value) : value;
}

std::uint16_t CapturePackets::u16(std::size_t at) const noexcept {
  const auto value = load_little<std::uint16_t>(window_.rest(), at);
  return is_swapped_ ? std::byteswap(value) : value;
}

bool CapturePackets::fail(std::string text) {
  position_ = window_.position();
  trouble_ = std::move(text);
  return false;
}

/// Bytes of the window; where they are not there the file ends, well or not.
bool CapturePackets::require(std::size_t size) {
  if (window_.require(size)) return true;
  position_ = window_.position();
  if (!window_.trouble().empty()) trouble_ = window_.trouble();
  is_cut_ = !window_.rest().empty();
  return false;
}

bool CapturePackets::next(CapturedPacket& packet) {
  if (!trouble_.empty() || is_cut_) return false;
  window_.consume(std::exchange(taken_, 0));
  if (kind_ == Kind::unknown && !begin()) return false;
  return kind_ == Kind::pcap ? next_of_pcap(packet) : next_of_pcapng(packet);
}

bool CapturePackets::begin() {
  constexpr std::size_t k_file_header = 24, k_link_at = 20;
  if (!window_.require(4) || !is_capture(as_text(window_.rest()))) return fail("no pcap and no pcapng file");
  const std::uint32_t magic = magic_of(as_text(window_.rest()));
  if (magic == k_pcapng) {
    kind_ = Kind::pcapng;
    return true;
  }
  if (!window_.require(k_file_header)) return fail("a pcap file without its header");
  kind_ = Kind::pcap;
  is_swapped_ = magic != k_pcap_us && magic != k_pcap_ns;
  is_nanoseconds_ = magic == k_pcap_ns || std::byteswap(magic) == k_pcap_ns;
  link_ = u32(k_link_at) & 0xffff;
  window_.consume(k_file_header);
  return true;
}

bool CapturePackets::next_of_pcap(CapturedPacket& packet) {
  constexpr std::size_t k_header = 16;
  if (!require(k_header)) return false;
  const std::size_t size = u32(8);
  if (size > k_largest_packet) return fail("a packet of " + std::to_string(size) + " bytes");
  if (!require(k_header + size)) return false;
  const std::int64_t seconds = u32(0), fraction = u32(4);
  position_ = window_.position();
  packet.time = time::from_nanoseconds(seconds * k_second + fraction * (is_nanoseconds_ ? 1 : 1000));
  packet.link = link_;
  packet.frame = as_text(window_.rest().subspan(k_header, size));
  taken_ = k_header + size;
  return true;
}

/// An interface's block: link type, then options, of which one is the clock's resolution.
CapturePackets::Interface CapturePackets::interface_at(std::size_t size) const noexcept {
  constexpr unsigned k_resolution = 9;
  constexpr std::size_t k_options = 16, k_trailer = 4;
  Interface made;
  made.link = u16(8);
  for (std::size_t at = k_options; at + 4 + k_trailer <= size;) {
    const unsigned code = u16(at), length = u16(at + 2);
    if (code == 0) break;
    if (code == k_resolution && length != 0 && at + 5 <= size) {
      const auto exponent = load_little<std::uint8_t>(window_.rest(), at + 4);
      made.per_second = 1;
      for (unsigned i = 0; i < (exponent & 0x7fu) && made.per_second < 1'000'000'000'000; ++i)
        made.per_second *= (exponent & 0x80) != 0 ? 2 : 10;
    }
    at += 4 + ((length + 3u) & ~3u);
  }
  return made;
}

bool CapturePackets::next_of_pcapng(CapturedPacket& packet) {
  constexpr std::uint32_t k_interface = 1, k_packet = 6, k_order = 0x1a2b3c4d;
  constexpr std::size_t k_packet_header = 28, k_trailer = 4;
  while (require(12)) {
    const std::uint32_t type = u32(0);
    // Each section says its byte order, which its own length is written in already.
    if (type == k_pcapng || type == std::byteswap(k_pcapng)) {
      is_swapped_ = load_little<std::uint32_t>(window_.rest(), 8) != k_order;
      interfaces_.clear();
    }
    const std::size_t size = u32(4);
    if (size < 12 || size > k_largest_packet) return fail("a pcapng block of " + std::to_string(size) + " bytes");
    if (!require(size)) return false;
    if (type == k_interface && size >= 20) interfaces_.push_back(interface_at(size));
    if (type != k_packet || size < k_packet_header + k_trailer) {
      window_.consume(size);
      continue;
    }
    const std::size_t number = u32(8), captured = u32(20);
    if (number >= interfaces_.size()) return fail("a pcapng packet of an unknown interface");
    const Interface& from = interfaces_[number];
    const std::uint64_t ticks = std::uint64_t{u32(12)} << 32 | u32(16);
    const auto nanoseconds = static_cast<std::int64_t>(ticks / from.per_second * k_second +
                                                       ticks % from.per_second * k_second / from.per_second);
    position_ = window_.position();
    packet.time = time::from_nanoseconds(nanoseconds);
    packet.link = from.link;
    const std::size_t most = size - k_packet_header - k_trailer;
    packet.frame = as_text(window_.rest().subspan(k_packet_header, std::min(captured, most)));
    taken_ = size;
    return true;
  }
  return false;
}

unsigned network16(std::string_view text, std::size_t at) noexcept {
  return std::byteswap(load_little<std::uint16_t>(as_bytes(text), at));
}

std::uint32_t network32(std::string_view text, std::size_t at) noexcept {
  return std::byteswap(load_little<std::uint32_t>(as_bytes(text), at));
}

std::string_view internet_packet(const CapturedPacket& packet) noexcept {
  const std::string_view frame = packet.frame;
  std::size_t header = 0;
  switch (packet.link) {
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

std::optional<InternetMessage> internet_message(std::string_view packet) noexcept {
  if (packet.size() < 20) return std::nullopt;
  const unsigned version = static_cast<unsigned char>(packet[0]) >> 4;
  InternetMessage message;
  if (version == 4) {
    const std::size_t header = (static_cast<unsigned char>(packet[0]) & 15u) * 4;
    const std::size_t total = network16(packet, 2);
    const bool is_fragment = (network16(packet, 6) & 0x1fff) != 0;
    if (is_fragment || header < 20 || packet.size() < header) return std::nullopt;
    // A sending card fills in the length later: then it is 0 here.
    if (total >= header && total < packet.size()) packet = packet.substr(0, total);
    message.protocol = static_cast<unsigned char>(packet[9]);
    message.from = packet.substr(12, 4);
    message.to = packet.substr(16, 4);
    message.payload = packet.substr(header);
    return message;
  }
  constexpr std::size_t k_header = 40;
  if (version != 6 || packet.size() < k_header) return std::nullopt;
  const std::size_t size = network16(packet, 4);
  message.protocol = static_cast<unsigned char>(packet[6]);
  message.from = packet.substr(8, 16);
  message.to = packet.substr(24, 16);
  message.payload = packet.substr(k_header, size == 0 ? std::string_view::npos : size);
  return message;
}

std::optional<std::string_view> udp_payload(std::string_view packet) noexcept {
  constexpr unsigned k_udp = 17;
  constexpr std::size_t k_header = 8;
  const auto message = internet_message(packet);
  if (!message || message->protocol != k_udp || message->payload.size() < k_header) return std::nullopt;
  const std::size_t size = network16(message->payload, 4);
  if (size < k_header || size > message->payload.size()) return std::nullopt;
  return message->payload.substr(k_header, size - k_header);
}

}  // namespace dojima::recorded
