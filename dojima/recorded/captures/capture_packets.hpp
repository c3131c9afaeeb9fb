#pragma once

// The packets of a packet capture (pcap of micro- or nanoseconds in either byte order, and pcapng), one by one as the
// bytes come, and what is in them: Ethernet with VLAN tags, Linux cooked, loopback and raw IP; IPv4 and IPv6; UDP.
// Frames are views into the window and die with the next call. Nothing is allocated per packet.
//
//   CapturePackets packets(window);
//   while (packets.next(packet)) use(udp_payload(internet_packet(packet)));
//   if (!packets.trouble().empty()) ...

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/time/time.hpp"

namespace dojima::recorded {

/// Whether a file that begins like this is a capture.
[[nodiscard]] bool is_capture(std::string_view start) noexcept;

struct CapturedPacket {
  time::Time time;
  std::uint32_t link = 0;  ///< the capture's own number for the kind of frame (LINKTYPE_)
  std::string_view frame;
};

class CapturePackets {
 public:
  /// The window outlives this.
  explicit CapturePackets(ByteWindow& window) noexcept : window_(window) {}

  /// False: no more packets, or trouble.
  [[nodiscard]] bool next(CapturedPacket& packet);

  /// What is wrong with the capture; empty: nothing.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  /// Whether the file ends within a packet; the packets before are good.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  /// Offset in the file of the packet given last, or of what was wrong.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  enum class Kind : std::uint8_t { unknown, pcap, pcapng };
  struct Interface {
    std::uint32_t link = 1;  // Ethernet
    std::uint64_t per_second = 1'000'000;
  };

  [[nodiscard]] bool begin();
  [[nodiscard]] bool next_of_pcap(CapturedPacket& packet);
  [[nodiscard]] bool next_of_pcapng(CapturedPacket& packet);
  [[nodiscard]] bool require(std::size_t size);
  [[nodiscard]] bool fail(std::string text);
  [[nodiscard]] std::uint32_t u32(std::size_t at) const noexcept;
  [[nodiscard]] std::uint16_t u16(std::size_t at) const noexcept;
  [[nodiscard]] Interface interface_at(std::size_t size) const noexcept;

  ByteWindow& window_;
  Kind kind_ = Kind::unknown;
  bool is_swapped_ = false;
  bool is_nanoseconds_ = false;
  std::uint32_t link_ = 0;
  std::vector<Interface> interfaces_;
  std::size_t taken_ = 0;  // bytes of the packet given last, still in the window
  std::uint64_t position_ = 0;
  bool is_cut_ = false;
  std::string trouble_;
};

/// A number as protocols write it, most significant byte first. The text must have it.
[[nodiscard]] unsigned network16(std::string_view text, std::size_t at) noexcept;
[[nodiscard]] std::uint32_t network32(std::string_view text, std::size_t at) noexcept;

/// The IP packet in a frame; empty: there is none.
[[nodiscard]] std::string_view internet_packet(const CapturedPacket& packet) noexcept;

/// What an IP packet carries: addresses as bytes (4 or 16), the protocol's number and its message. None: no whole IP
/// packet, or a fragment that is not the first.
struct InternetMessage {
  std::string_view from, to;
  unsigned protocol = 0;
  std::string_view payload;
};
[[nodiscard]] std::optional<InternetMessage> internet_message(std::string_view packet) noexcept;

/// The payload of the UDP datagram in an IP packet; none: it holds no whole one.
[[nodiscard]] std::optional<std::string_view> udp_payload(std::string_view packet) noexcept;

}  // namespace dojima::recorded
