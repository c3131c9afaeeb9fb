#include "dojima/app/configuration/feed_schema.hpp"

#include <utility>

#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/link/host_pattern.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

void describe_line(std::string_view key, std::string& line, const FeedConfig& feed, std::string_view meaning,
                   ConfigVisitor& visitor) {
  visitor.text(key, line, 64, meaning);
  if (line.empty()) return;
  const auto address = net::parse_address(line);
  if (!address || address->port == 0) {
    visitor.complain(key, "\"" + line + "\" is no HOST:PORT such as 239.255.77.1:14301");
  } else if (!is_multicast(*address) && !feed.allow_remote && !net::is_loopback(address->host)) {
    visitor.complain(key, "other machines get what is sent to " + address->host +
                              "; say feed.allow_remote = true when that is wanted, or use 127.0.0.1");
  }
}

}  // namespace

void describe_feed(FeedConfig& feed, ConfigVisitor& visitor) {
  visitor.flag("allow_remote", feed.allow_remote, "needed to send to other machines");
  visitor.text("interface", feed.interface, 64, "an IPv4 address of this machine, by which multicast leaves");
  visitor.integer("hops", feed.hops, 0, 255, "that multicast may go: 1 stays in the network of the interface");
  describe_line("line_a", feed.line_a, feed,
                "HOST:PORT of a multicast group (239.255.77.1:14301), or of one receiver; empty: no line A", visitor);
  describe_line("line_b", feed.line_b, feed, "the same units once more, by another way; empty: no line B", visitor);
  visitor.integer("heartbeat_ms", feed.heartbeat_ms, 10, 60'000, "a line that says nothing else says that it lives");
  visitor.integer("unit_bytes", feed.unit_bytes, 128, 65'507, "of a datagram at most");
  visitor.integer("messages", feed.messages, 1, 1 << 24, "of each partition, kept for the replay channel");
  visitor.integer("ring", feed.ring, 2, 1 << 24, "reports of each partition on their way to the feed's thread");
  visitor.integer("replay_port", feed.replay_port, -1, 65'535, "on the host of [listen]; 0: any free one, -1: none");
  visitor.integer("recovery_port", feed.recovery_port, -1, 65'535,
                  "on the host of [listen]; 0: any free one, -1: none");
  describe_line("itch_line", feed.itch_line, feed,
                "HOST:PORT where the same goes as NASDAQ's ITCH 5.0 in MoldUDP64; empty: nowhere", visitor);
  visitor.integer("itch_port", feed.itch_port, -1, 65'535,
                  "of ITCH 5.0 by SoupBinTCP, on the host of [listen]; 0: any free one, -1: none");
  visitor.integer("itch_messages", feed.itch_messages, 1, 1 << 24, "of ITCH, kept for readers that begin later");
  visitor.integer("connections", feed.connections, 1, 65'535, "of each channel, at a time; more are refused");
  visitor.integer("logins", feed.logins, 1, k_million, "of a reader in a day, at each channel");
  visitor.integer("requests", feed.requests, 1, 100 * k_million, "of a reader in a day, at each channel");
  if (feed.allow_remote) return;
  if (!net::is_host(feed.interface))
    visitor.complain("interface", "\"" + feed.interface + "\" is not a numeric address");
  else if (!net::is_loopback(feed.interface))
    visitor.complain("interface", "other machines get what leaves by " + feed.interface +
                                      "; say feed.allow_remote = true when that is wanted, or use 127.0.0.1");
}

void describe_feed_reader(FeedReaderConfig& reader, SecretFiles& files, ConfigVisitor& visitor) {
  visitor.text("name", reader.name, 6, "CompID of its login");
  if (!describe_password("password", reader.password, 10, {.hash = true, .file = true}, files,
                         "choose another one; dojima feed --config reads it here or in the file", visitor))
    visitor.complain("password", "a reader needs a password, a password_hash or a password_file");
  visitor.flag("locked", reader.is_locked, "its logins are refused");
  visitor.text("host", reader.host, 64, "from where: an address, or a network such as 10.0.0.0/8; empty: anywhere");
  if (reader.name.empty()) visitor.complain("name", "a reader needs a name");
  if (!reader.host.empty() && !link::is_host_pattern(reader.host))
    visitor.complain("host", "\"" + reader.host + "\" is no address, and no network such as 10.0.0.0/8");
}

void check_feed(const FeedConfig& feed, ConfigVisitor& visitor) {
  if (!feed.line_a.empty() && feed.line_a == feed.line_b)
    visitor.complain("feed.line_b", "the lines are the same; what one loses, the other would lose too");
  for (const auto& [key, line] : {std::pair{"feed.line_a", &feed.line_a}, {"feed.line_b", &feed.line_b}})
    if (!feed.itch_line.empty() && feed.itch_line == *line)
      visitor.complain("feed.itch_line", std::string("the line is that of ") + key + ", which speaks MIT303");
  if (!feed.readers.empty()) return check_unique(feed.readers, &FeedReaderConfig::name, "feed_reader", "name", visitor);
  for (const auto& [key, port] : {std::pair{"feed.replay_port", feed.replay_port},
                                  {"feed.recovery_port", feed.recovery_port},
                                  {"feed.itch_port", feed.itch_port}}) {
    if (port < 0) continue;
    return visitor.complain(key, "nobody may log in at the channels; name a [[feed_reader]]");
  }
}

}  // namespace dojima::app
