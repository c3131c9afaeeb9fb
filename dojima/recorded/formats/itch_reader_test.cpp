#include "dojima/recorded/formats/itch_reader.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

#include "dojima/flow/random.hpp"
#include "dojima/recorded/formats/format.hpp"
#include "dojima/recorded/new_york.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

std::string network(std::uint64_t value, std::size_t size) {
  std::string text;
  for (std::size_t at = size; at > 0; --at) text += static_cast<char>(value >> 8 * (at - 1));
  return text;
}

/// Type, stock's number, tracking number, time.
std::string head(char type, unsigned locate, std::uint64_t nanoseconds) {
  return type + network(locate, 2) + network(0, 2) + network(nanoseconds, 6);
}

std::string framed(const std::string& message) {
  return network(message.size(), 2) + message;
}

std::string add_order(std::uint64_t order, char side = 'B') {
  return head('A', 7, 34'200'000'000'123) + network(order, 8) + side + network(100, 4) + "AAPL    " +
         network(1'500'000, 4);
}

/// One message of every type.
std::vector<std::string> every_message() {
  return {head('S', 0, 1) + "Q",
          head('R', 7, 2) + "AAPL    QN" + network(100, 4) + "NCZ PNN1N" + network(0, 4) + "N",
          head('H', 7, 3) + "AAPL    H LUDP",
          head('Y', 7, 4) + "AAPL    1",
          head('L', 7, 5) + "ABCDAAPL    YNA",
          head('V', 0, 6) + network(300'000'000'000, 8) + network(200'000'000'000, 8) + network(100'000'000'000, 8),
          head('W', 0, 7) + "1",
          head('K', 7, 8) + "AAPL    " + network(34'200, 4) + "A" + network(1'000'000, 4),
          head('J', 7, 9) + "AAPL    " + network(3, 4) + network(4, 4) + network(2, 4) + network(1, 4),
          head('h', 7, 10) + "AAPL    QH",
          add_order(11),
          head('F', 7, 12) + network(12, 8) + "S" + network(50, 4) + "AAPL    " + network(1'510'000, 4) + "NITE",
          head('E', 7, 13) + network(11, 8) + network(40, 4) + network(901, 8),
          head('C', 7, 14) + network(11, 8) + network(10, 4) + network(902, 8) + "N" + network(1'499'900, 4),
          head('X', 7, 15) + network(11, 8) + network(20, 4),
          head('D', 7, 16) + network(12, 8),
          head('U', 7, 17) + network(11, 8) + network(13, 8) + network(70, 4) + network(1'498'000, 4),
          head('P', 7, 18) + network(0, 8) + "B" + network(5, 4) + "AAPL    " + network(1'500'500, 4) + network(903, 8),
          head('Q', 7, 19) + network(123'456, 8) + "AAPL    " + network(1'500'000, 4) + network(904, 8) + "O",
          head('B', 7, 20) + network(903, 8),
          head('I', 7, 21) + network(1'000, 8) + network(200, 8) + "SAAPL    " + network(1, 4) + network(2, 4) +
              network(3, 4) + "OL",
          head('N', 7, 22) + "AAPL    B",
          head('O', 7, 23) + "AAPL    Y" + network(1, 4) + network(5, 4) + network(3, 4) + network(9, 8) +
              network(2, 4) + network(4, 4)};
}

std::string file_of_every_message() {
  std::string bytes;
  for (const std::string& message : every_message()) bytes += framed(message);
  return bytes;
}

constexpr time::Date k_day{2019, 1, 30};

ReadEvents read_itch(const std::string& bytes) {
  MemorySource source(bytes);
  ItchReader reader(source, {.midnight = new_york_midnight(k_day)});
  return read_all(reader);
}

std::vector<RecordedEvent> events_of(const std::string& message) {
  return read_itch(framed(message)).events;
}

TEST(ItchReader, knows_every_message_of_the_specification) {
  const std::string bytes = file_of_every_message();
  MemorySource source(bytes);
  ItchReader reader(source, {.midnight = new_york_midnight(k_day)});
  const ReadEvents all = read_all(reader);
  EXPECT_EQ(all.trouble, "");
  EXPECT_EQ(reader.type_counts().size(), 23u);
  EXPECT_EQ(reader.bytes_read(), bytes.size());
  ASSERT_EQ(reader.instruments().size(), 2u);
  EXPECT_EQ(count_of(reader.instruments()), 1u) << "the whole market is none";
  EXPECT_EQ(reader.instruments()[0].symbol, "");
  EXPECT_EQ(reader.instruments()[1].symbol, "AAPL");
  EXPECT_EQ(reader.instruments()[1].number, 7u);
  std::uint64_t last = 0;
  for (const RecordedEvent& event : all.events) {
    EXPECT_TRUE(event.sequence == last || event.sequence == last + 1);
    last = event.sequence;
  }
  EXPECT_EQ(last, 23u);
  EXPECT_EQ(guess_format(as_bytes(bytes)), Format::itch50);
}

TEST(ItchReader, reads_what_happens_to_orders) {
  const std::vector<std::string> messages = every_message();
  const RecordedEvent add = events_of(messages[10]).at(0);
  EXPECT_EQ(add.kind, EventKind::add);
  EXPECT_EQ(add.event_time, new_york_midnight(k_day) + time::Duration{34'200'000'000'123});
  EXPECT_EQ(add.order, 11u);
  EXPECT_EQ(add.side, Side::buy);
  EXPECT_EQ(add.quantity, 100);
  EXPECT_EQ(add.price, 1'500'000);
  const RecordedEvent attributed = events_of(messages[11]).at(0);
  EXPECT_EQ(attributed.code, 'F');
  EXPECT_EQ(attributed.other, std::uint64_t{'E'} << 24 | 'T' << 16 | 'I' << 8 | 'N');
  const RecordedEvent execution = events_of(messages[12]).at(0);
  EXPECT_EQ(execution.kind, EventKind::execute);
  EXPECT_EQ(execution.price, k_unknown);
  EXPECT_EQ(execution.other, 901u);
  const RecordedEvent priced = events_of(messages[13]).at(0);
  EXPECT_EQ(priced.price, 1'499'900);
  EXPECT_TRUE(priced.has(k_not_printable));
  EXPECT_EQ(events_of(messages[14]).at(0).kind, EventKind::reduce);
  EXPECT_EQ(events_of(messages[15]).at(0).kind, EventKind::remove);
  const RecordedEvent replaced = events_of(messages[16]).at(0);
  EXPECT_EQ(replaced.kind, EventKind::replace);
  EXPECT_EQ(replaced.other, 13u);
  EXPECT_EQ(replaced.quantity, 70);
}

TEST(ItchReader, reads_trades_auctions_and_states) {
  const std::vector<std::string> messages = every_message();
  const RecordedEvent trade = events_of(messages[17]).at(0);
  EXPECT_EQ(trade.kind, EventKind::hidden_trade);
  EXPECT_EQ(trade.side, Side::sell) << "of the aggressor";
  const RecordedEvent cross = events_of(messages[18]).at(0);
  EXPECT_TRUE(cross.has(k_in_auction));
  EXPECT_EQ(cross.quantity, 123'456);
  EXPECT_EQ(cross.code, 'O');
  EXPECT_EQ(events_of(messages[19]).at(0).kind, EventKind::trade_cancel);
  const auto auction = events_of(messages[20]);
  ASSERT_EQ(auction.size(), 3u);
  EXPECT_EQ(auction[2].code, static_cast<std::uint8_t>(AuctionPrice::reference));
  EXPECT_EQ(auction[2].price, 3);
  EXPECT_EQ(auction[2].other, 200u);
  EXPECT_EQ(auction[2].side, Side::sell);
  EXPECT_EQ(events_of(messages[0]).at(0).code, static_cast<std::uint8_t>(MarketState::trading));
  EXPECT_EQ(events_of(messages[2]).at(0).code, static_cast<std::uint8_t>(MarketState::halted));
  EXPECT_EQ(events_of(messages[5]).at(2).price, 100'000'000'000);
  EXPECT_EQ(events_of(messages[8]).at(1).price, 4);
  EXPECT_EQ(events_of(messages[22]).size(), 5u);
}

TEST(ItchReader, reads_the_same_from_a_stream) {
  const std::string bytes = file_of_every_message();
  TrickleSource source(bytes, 13);
  ItchReader reader(source, {.midnight = new_york_midnight(k_day)});
  EXPECT_EQ(read_all(reader).events, read_itch(bytes).events);
}

/// Many messages of all types, orders first, in an order that nobody can foretell.
std::string file_of_many_messages() {
  const std::vector<std::string> every = every_message();
  flow::Random random(3);
  std::string bytes = framed(every[1]);
  for (int count = 0; count < 3000; ++count) {
    const bool is_of_order = random.below(8) != 0;
    std::string message = every[is_of_order ? 10 + random.below(8) : random.below(every.size())];
    for (std::size_t at = 5; at < 11; ++at) message[at] = static_cast<char>(random.next());
    if (message.front() == 'A' || message.front() == 'P') message[19] = "BS?"[random.below(3)];
    bytes += framed(message);
  }
  return bytes;
}

TEST(ItchReader, reads_messages_by_the_batch_as_it_reads_them_one_by_one) {
  const std::string bytes = file_of_many_messages();
  MemorySource source(bytes);
  ItchReader reader(source, {.midnight = new_york_midnight(k_day)});
  const ReadEvents by_the_batch = read_all(reader);
  std::vector<RecordedInstrument> instruments;
  ItchMessages messages(instruments, new_york_midnight(k_day));
  EventBatch batch;
  std::vector<RecordedEvent> one_by_one;
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = static_cast<unsigned char>(bytes[at + 1]);  // none is longer than 255
    batch.clear();
    ASSERT_EQ(messages.add(batch, std::string_view(bytes).substr(at + 2, size), ++number, k_unknown_time), nullptr);
    one_by_one.insert(one_by_one.end(), batch.events().begin(), batch.events().end());
    at += 2 + size;
  }
  EXPECT_EQ(by_the_batch.trouble, "");
  ASSERT_EQ(by_the_batch.events.size(), one_by_one.size());
  for (std::size_t at = 0; at < one_by_one.size(); ++at) ASSERT_EQ(by_the_batch.events[at], one_by_one[at]) << at;
  ASSERT_EQ(reader.type_counts().size(), messages.counts().size());
  for (std::size_t at = 0; at < messages.counts().size(); ++at)
    EXPECT_EQ(reader.type_counts()[at].count, messages.counts()[at].count);
  TrickleSource pieces(bytes, 101);
  ItchReader streamed(pieces, {.midnight = new_york_midnight(k_day)});
  EXPECT_EQ(read_all(streamed).events, one_by_one);
}

TEST(ItchReader, says_what_is_wrong_and_where) {
  const std::string first = framed(add_order(1));
  EXPECT_EQ(read_itch(first + framed(add_order(2)).substr(0, 20)).trouble, "byte 38: the file is cut within a message");
  EXPECT_EQ(read_itch(first + framed("?")).trouble, "byte 38: a message of a type that ITCH 5.0 does not have");
  EXPECT_EQ(read_itch(first + framed("A")).trouble,
            "byte 38: a message that is not as long as its type is in ITCH 5.0");
  EXPECT_EQ(read_itch(first + framed("")).trouble, "byte 38: a message without a type");
  EXPECT_EQ(read_itch("").trouble, "");
}

/// A pcap file of nanoseconds with UDP in IPv4 in Ethernet.
std::string capture(const std::vector<std::string>& payloads, std::uint32_t seconds) {
  const auto little = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string file = little(0xa1b23c4d) + little(0x00040002) + little(0) + little(0) + little(65'535) + little(1);
  for (const std::string& payload : payloads) {
    const std::string udp = network(1, 2) + network(2, 2) + network(8 + payload.size(), 2) + network(0, 2) + payload;
    const std::string ip = "\x45" + network(0, 1) + network(20 + udp.size(), 2) + network(0, 4) + "\x40\x11" +
                           network(0, 2) + "\x0a\x01\x01\x01\x0a\x01\x01\x02" + udp;
    const std::string frame = std::string(12, 'e') + network(0x0800, 2) + ip;
    const auto size = static_cast<std::uint32_t>(frame.size());
    file += little(seconds) + little(5) + little(size) + little(size) + frame;
  }
  return file;
}

std::string datagram(std::uint64_t number, const std::vector<std::string>& messages) {
  std::string text = "SESSION001" + network(number, 8) + network(messages.size(), 2);
  for (const std::string& message : messages) text += framed(message);
  return text;
}

TEST(ItchReader, reads_a_capture_of_the_feed_with_its_gaps_and_doubles) {
  constexpr std::uint32_t k_noon = 1'548'849'600;  // 2019-01-30 12:00 UTC
  const std::string file =
      capture({datagram(1, {add_order(1), add_order(2)}), datagram(2, {add_order(2), add_order(3)}), "no feed",
               datagram(6, {add_order(6)}), datagram(7, {})},
              k_noon);
  EXPECT_EQ(guess_format(as_bytes(file)), Format::itch50);
  MemorySource source(file);
  ItchReader reader(source, {});
  const ReadEvents all = read_all(reader);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 5u);
  EXPECT_EQ(all.events[2].order, 3u);
  EXPECT_EQ(all.events[3].kind, EventKind::gap);
  EXPECT_EQ(all.events[3].other, 4u);
  EXPECT_EQ(all.events[3].sequence, 6u);
  EXPECT_EQ(all.events[4].sequence, 6u);
  EXPECT_EQ(all.events[0].receive_time, time::Time{std::chrono::seconds{k_noon}} + time::Duration{5});
  EXPECT_EQ(all.events[0].event_time, new_york_midnight(k_day) + time::Duration{34'200'000'000'123})
      << "the capture says the day";
  EXPECT_EQ(reader.notes().at(1).second, "1");
  EXPECT_EQ(reader.notes().at(2).second, "1");
}

/// The same packets as pcapng, in microseconds: a section, an interface, a packet each.
std::string capture_ng(const std::string& pcap) {
  const auto little = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto block = [&](std::uint32_t type, std::string body) {
    body.resize((body.size() + 3) / 4 * 4);
    const auto size = static_cast<std::uint32_t>(body.size() + 12);
    return little(type) + little(size) + body + little(size);
  };
  std::string file =
      block(0x0a0d0d0a, little(0x1a2b3c4d) + little(1) + std::string(8, '\xff')) + block(1, little(1) + little(65'535));
  constexpr std::size_t k_header = 16;
  for (std::size_t at = 24, size = 0; at < pcap.size(); at += k_header + size) {
    std::uint32_t seconds = 0, captured = 0;
    std::memcpy(&seconds, pcap.data() + at, sizeof seconds);
    std::memcpy(&captured, pcap.data() + at + 8, sizeof captured);
    size = captured;
    const std::uint64_t time = std::uint64_t{seconds} * 1'000'000 + 7;
    file +=
        block(6, little(0) + little(static_cast<std::uint32_t>(time >> 32)) + little(static_cast<std::uint32_t>(time)) +
                     little(captured) + little(captured) + pcap.substr(at + k_header, size));
  }
  return file;
}

TEST(ItchReader, reads_pcapng_as_it_reads_pcap) {
  constexpr std::uint32_t k_noon = 1'548'849'600;
  const std::string pcap = capture({datagram(1, {add_order(1), add_order(2)}), datagram(4, {add_order(4)})}, k_noon);
  const std::string file = capture_ng(pcap);
  EXPECT_EQ(guess_format(as_bytes(file)), Format::itch50);
  MemorySource first(pcap), second(file);
  ItchReader of_pcap(first, {}), of_pcapng(second, {});
  ReadEvents expected = read_all(of_pcap);
  const ReadEvents all = read_all(of_pcapng);
  EXPECT_EQ(all.trouble, "");
  for (RecordedEvent& event : expected.events)
    event.receive_time = time::Time{std::chrono::seconds{k_noon}} + std::chrono::microseconds{7};
  EXPECT_EQ(all.events, expected.events);
  EXPECT_EQ(of_pcapng.notes(), of_pcap.notes());
  EXPECT_EQ(read_itch(file.substr(0, file.size() - 1)).trouble.substr(0, 5), "byte ");
}

TEST(ItchReader, says_what_is_wrong_with_a_capture) {
  const std::string file = capture({datagram(1, {add_order(1)})}, 1'548'849'600);
  EXPECT_EQ(read_itch(file.substr(0, file.size() - 1)).trouble, "byte 24: the capture is cut within a packet");
  EXPECT_EQ(read_itch(file.substr(0, 10)).trouble, "byte 0: a pcap file without its header");
  EXPECT_EQ(read_itch(capture({"something else"}, 1)).trouble.substr(8), " the capture holds no MoldUDP64 packet");
  EXPECT_EQ(read_itch(capture({datagram(1, {"?"})}, 1)).trouble,
            "byte 24: a message of a type that ITCH 5.0 does not have");
}

}  // namespace
}  // namespace dojima::recorded
