#pragma once

// Where a venue sends its market data live, and who may ask for it again: plain values with defaults for one machine.

#include <cstdint>
#include <string>
#include <vector>

#include "dojima/link/connection.hpp"

namespace dojima::app {

/// Who may log in at the replay and recovery channels.
struct FeedReaderConfig {
  std::string name;      ///< CompID, 1 to 6 characters
  std::string password;  ///< 1 to 10; or what scrypt_text() made of it
  bool is_locked = false;
  std::string host;  ///< from where: an address, or a network such as 10.0.0.0/8; empty: from anywhere
  friend bool operator==(const FeedReaderConfig&, const FeedReaderConfig&) = default;
};

struct FeedConfig {
  std::string line_a;  ///< HOST:PORT of a multicast group or of one receiver; empty: there is no such line
  std::string line_b;
  std::string interface = "127.0.0.1";  ///< of this machine, by which multicast leaves
  std::uint32_t hops = 1;
  bool allow_remote = false;
  std::uint32_t heartbeat_ms = 1'000;
  std::uint32_t unit_bytes = 1'400;
  std::uint32_t messages = 65'000;  ///< of each partition, kept for replay
  std::uint32_t ring = 1 << 16;     ///< of each partition, between its thread and the feed's
  std::int32_t replay_port = -1;    ///< on the host of [listen]; -1: there is none
  std::int32_t recovery_port = -1;  ///< likewise
  std::string itch_line;            ///< HOST:PORT where the same goes as ITCH 5.0 in MoldUDP64; empty: there is none
  std::int32_t itch_port = -1;      ///< of ITCH 5.0 by SoupBinTCP, on the host of [listen]; -1: there is none
  std::uint32_t itch_messages = 1 << 20;  ///< of ITCH, kept for readers that begin later
  std::uint32_t connections = 16;         ///< of each channel, at a time
  std::uint32_t logins = 1'000;           ///< of a reader in a day, at each channel
  std::uint32_t requests = 10'000;        ///< likewise
  std::vector<FeedReaderConfig> readers;

  /// Something is sent or served, besides a file.
  [[nodiscard]] bool is_live() const noexcept {
    return !line_a.empty() || !line_b.empty() || replay_port >= 0 || recovery_port >= 0 || is_itch();
  }
  [[nodiscard]] bool is_itch() const noexcept { return !itch_line.empty() || itch_port >= 0; }
  friend bool operator==(const FeedConfig&, const FeedConfig&) = default;
};

/// Whether it is an IPv4 multicast group: 224.0.0.0 to 239.255.255.255.
[[nodiscard]] bool is_multicast(const link::Address& address) noexcept;

}  // namespace dojima::app
