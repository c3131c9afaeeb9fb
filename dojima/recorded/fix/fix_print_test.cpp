// FIX out of logs of every kind and out of packet captures, for people.

#include "dojima/recorded/fix/fix_print.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <lzma.h>
#include <string>
#include <zlib.h>
#include <zstd.h>

#include "dojima/base/bytes.hpp"
#include "dojima/recorded/captures/capture.hpp"
#include "dojima/recorded/captures/capture_packets.hpp"
#include "dojima/recorded/files/packed_file.hpp"

namespace dojima::recorded {
namespace {

const std::string k_logon =
    "8=FIX.4.2\x01"
    "9=66\x01"
    "35=A\x01"
    "34=1\x01"
    "49=CoyTrade\x01"
    "52=20060516-22:35:27.010\x01"
    "56=BCE\x01"
    "98=0\x01"
    "108=30\x01"
    "10=223\x01";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::vector<LoggedMessage> all_of(std::string_view text) {
  std::vector<LoggedMessage> all;
  FixLog log(text);
  while (auto message = log.next()) all.push_back(*std::move(message));
  return all;
}

TEST(FixLog, finds_messages_in_every_dialect) {
  const std::string broken = k_logon.substr(0, 6) + "\n" + k_logon.substr(6, 40) + "\r\n" + k_logon.substr(46);
  for (const std::string& text : {k_logon, "20060410-06:19:00 -> " + k_logon + "\n", std::string("\0", 1) + k_logon,
                                  "text\n\n" + k_logon + "text", replaced(k_logon, "\x01", "|"),
                                  replaced(k_logon, "\x01", "^A"), replaced(k_logon, "\x01", "<SOH>"),
                                  replaced(k_logon, "\x01", ";"), k_logon.substr(0, k_logon.size() - 1) + "\n", broken,
                                  replaced(k_logon, "\x01", "|").substr(0, k_logon.size() - 1), "8=FIX" + k_logon}) {
    const auto found = all_of(text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_EQ(found.back().text, k_logon) << text;
    EXPECT_EQ(found.back().trouble, "") << text;
  }
  EXPECT_EQ(all_of("20060410 -> " + k_logon)[0].in_front, "20060410 ->");
  EXPECT_TRUE(all_of("nothing here").empty());
  EXPECT_TRUE(all_of("").empty());
}

TEST(FixLog, reports_a_wrong_checksum_a_wrong_length_and_a_cut_message) {
  const auto sum = all_of(replaced(k_logon, "10=223", "10=111"));
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_TRUE(sum[0].has_wrong_checksum);
  EXPECT_FALSE(sum[0].has_wrong_length);
  EXPECT_EQ(sum[0].trouble, "CheckSum 111 should be 223");
  EXPECT_EQ(sum[0].text, k_logon) << "it can be read";
  const auto length = all_of(replaced(k_logon, "9=66", "9=67"));
  EXPECT_TRUE(length[0].has_wrong_length);
  EXPECT_TRUE(length[0].trouble.starts_with("BodyLength 67 should be 66"));
  const auto cut = all_of(k_logon.substr(0, 60) + "\n" + k_logon);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_TRUE(cut[0].is_cut);
  EXPECT_EQ(cut[1].text, k_logon);
  for (std::size_t size = 0; size < k_logon.size(); ++size) static_cast<void>(all_of(k_logon.substr(0, size)));
}

/// A message with its lengths wrong, which the log corrects: what is printed of a field, and whether the message is
/// valid.
std::string line_of(FixPrinter& printer, const std::string& message, const std::string& field) {
  const auto printed = printer.read(all_of(message)[0]);
  if (!printed) return "not shown";
  const std::string text = to_text(*printed, false);
  const std::size_t at = text.find(" " + field + " ");
  return at == std::string::npos ? "not there" : text.substr(at + 1, text.find('\n', at) - at - 1);
}

TEST(FixPrint, takes_the_dictionary_of_each_message_by_its_version) {
  FixPrinter printer(nullptr, {}, {});
  const auto order = [&](const std::string& version) {
    return line_of(printer, "8=" + version + "|9=0|35=D|49=A|56=B|34=2|52=20260720-12:00:00|63=3|423=9|10=000|", "63");
  };
  EXPECT_EQ(order("FIX.4.0"), "63 SettlmntTyp            3  T_PLUS2");
  EXPECT_EQ(order("FIX.4.3"), "63 SettlmntTyp            3  T_PLUS2");
  EXPECT_EQ(order("FIX.4.4"), "63 SettlType              3  T_PLUS2");
}

TEST(FixPrint, takes_the_dictionary_that_fixt_carries_by_appl_ver_id_and_by_the_logon) {
  FixPrinter printer(nullptr, {}, {});
  const auto quantity = [&](const std::string& from, const std::string& to, const std::string& header) {
    return line_of(printer,
                   "8=FIXT.1.1|9=0|35=D|49=" + from + "|56=" + to + "|34=2|52=20260720-12:00:00|" + header +
                       "11=a|21=1|55=R|54=1|38=1|40=1|60=20260720-12:00:00|1385=1|20=0|10=000|",
                   "20");
  };
  const std::string logon = "8=FIXT.1.1|9=0|35=A|49=A|56=B|34=1|52=20260720-12:00:00|98=0|108=30|1137=4|10=000|";
  const std::string known = "20 ExecTransType          0  NEW";  // until FIX 4.2
  EXPECT_NE(quantity("A", "B", ""), known) << "5.0 SP2, where nothing says otherwise";
  EXPECT_TRUE(quantity("A", "B", "1128=4|").starts_with(known));
  EXPECT_EQ(line_of(printer, logon, "1137"), "1137 DefaultApplVerID       4");
  EXPECT_TRUE(quantity("A", "B", "").starts_with(known)) << "the logon said so";
  EXPECT_TRUE(quantity("B", "A", "").starts_with(known)) << "for both directions";
  EXPECT_FALSE(quantity("A", "B", "1128=9|").starts_with(known)) << "but the message knows better";
  EXPECT_FALSE(quantity("A", "C", "").starts_with(known)) << "another session";
  const auto unknown = line_of(printer, replaced(logon, "1137=4", "1137=77"), "1137");
  EXPECT_NE(unknown.find("!!"), std::string::npos) << unknown;
}

TEST(FixPrint, shows_names_meanings_groups_and_what_is_wrong) {
  FixPrinter printer(nullptr, {}, {.user_tags = true});
  const auto logon = printer.read(all_of(k_logon)[0]);
  ASSERT_TRUE(logon);
  EXPECT_EQ(logon->type_name, "Logon");
  EXPECT_TRUE(logon->is_valid);
  EXPECT_EQ(to_text(*logon, false),
            "20060516-22:35:27.010  CoyTrade > BCE  Logon (A) #1\n"
            "        8 BeginString            FIX.4.2\n"
            "        9 BodyLength             66\n"
            "       35 MsgType                A  LOGON\n"
            "       34 MsgSeqNum              1\n"
            "       49 SenderCompID           CoyTrade\n"
            "       52 SendingTime            20060516-22:35:27.010\n"
            "       56 TargetCompID           BCE\n"
            "       98 EncryptMethod          0  NONE\n"
            "      108 HeartBtInt             30\n");
  const std::string order =
      "8=FIX.4.4|9=0|35=D|34=2|49=A|52=20260720-12:00:00|56=B|11=a|453=1|448=P|452=1|802=1|523=s|803=1|55=R|54=?|60="
      "20260720-12:00:00|40=1|38=1|9999=z|10=000|";
  const auto printed = printer.read(all_of(order)[0]);
  ASSERT_TRUE(printed);
  const std::string text = to_text(*printed, false);
  EXPECT_NE(text.find("!! BodyLength 0 should be"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        448 PartyID"), std::string::npos) << text;
  EXPECT_NE(text.find("\n          523 PartySubID"), std::string::npos) << text;
  EXPECT_NE(text.find("54 Side                   ?  !! Value is incorrect (out of range) for this tag"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" 9999 -"), std::string::npos) << text;
  EXPECT_NE(to_text(*printed, true).find("\x1b[31m"), std::string::npos);
  EXPECT_EQ(printer.counts().messages, 2u);
  EXPECT_EQ(printer.counts().wrong_lengths, 1u);
  EXPECT_EQ(printer.counts().invalid, 1u);
  EXPECT_NE(to_text(printer.counts()).find("       1  D NewOrderSingle\n"), std::string::npos);
}

TEST(FixPrint, shows_only_what_is_asked_for_and_counts_all) {
  FixPrinter printer(nullptr, {*parse_filter("35=A"), *parse_filter("108=31")}, {});
  EXPECT_FALSE(printer.read(all_of(k_logon)[0]));
  EXPECT_EQ(printer.counts().messages, 1u);
  EXPECT_EQ(printer.counts().shown, 0u);
  for (const char* wrong : {"", "35", "=8", "x=8", "0=1", "2147483648=1", "99999999999=1"})
    EXPECT_FALSE(parse_filter(wrong)) << wrong;
}

TEST(PackedFile, unpacks_gzip_xz_and_zstd_and_reports_damage) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i) + "\n";
  std::string zstd(ZSTD_compressBound(text.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 3));
  std::string xz(text.size() + 1000, '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(3, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(xz.data()), &size, xz.size()),
            LZMA_OK);
  xz.resize(size);
  std::string gzip(text.size() + 1000, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
  stream.avail_out = static_cast<uInt>(gzip.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  gzip.resize(stream.total_out);
  deflateEnd(&stream);
  for (const std::string& packed : {gzip, xz, zstd}) {
    EXPECT_EQ(unpacked(packed, "x"), text);
    const auto cut = unpacked(packed.substr(0, packed.size() / 2), "x");
    ASSERT_FALSE(cut);
    EXPECT_TRUE(cut.error().starts_with("x: damaged or cut ")) << cut.error();
  }
  EXPECT_EQ(unpacked(gzip + gzip, "x"), text + text);
  EXPECT_EQ(unpacked("plain", "x"), "plain");
  EXPECT_FALSE(read_packed("/nowhere/at/all"));
}

// ----------------------------------------------------------------------------------------------------------- captures

std::string big(std::uint32_t value, int size) {
  std::string bytes;
  for (int place = size; place-- > 0;) bytes += static_cast<char>(value >> 8 * place & 0xff);
  return bytes;
}

std::string little(std::uint32_t value, int size = 4) {
  std::string bytes = big(value, size);
  std::ranges::reverse(bytes);
  return bytes;
}

/// A TCP segment from 10.0.0.1:5000 to 10.0.0.2:9878.
std::string segment(std::uint32_t sequence, const std::string& payload, bool is_start = false) {
  const std::string tcp = big(5000, 2) + big(9878, 2) + big(sequence, 4) + big(0, 4) + big(0x50, 1) +
                          big(is_start ? 2 : 0x18, 1) + std::string(6, '\0') + payload;
  return big(0x45, 1) + big(0, 1) + big(static_cast<std::uint32_t>(20 + tcp.size()), 2) + big(0, 4) + big(64, 1) +
         big(6, 1) + big(0, 2) + big(0x0a000001, 4) + big(0x0a000002, 4) + tcp;
}

std::string pcap_of(const std::vector<std::string>& packets, std::uint32_t link, const std::string& link_header) {
  std::string file =
      little(0xa1b2c3d4) + little(2, 2) + little(4, 2) + little(0) + little(0) + little(65'535) + little(link);
  std::uint32_t second = 1000;
  for (const std::string& packet : packets) {
    const auto size = static_cast<std::uint32_t>(packet.size() + link_header.size());
    file += little(second++) + little(5) + little(size) + little(size) + link_header + packet;
  }
  return file;
}

void expect_logon(const std::string& file) {
  ASSERT_TRUE(is_capture(file));
  const auto streams = read_capture(file);
  ASSERT_TRUE(streams) << streams.error();
  ASSERT_EQ(streams->size(), 1u);
  EXPECT_EQ(streams->front().from, "10.0.0.1:5000");
  EXPECT_EQ(streams->front().to, "10.0.0.2:9878");
  EXPECT_EQ(streams->front().bytes, k_logon);
  EXPECT_EQ(streams->front().gaps, 0u);
}

TEST(Capture, puts_segments_in_order_whatever_is_doubled_or_late) {
  const std::string ethernet = std::string(12, 'm') + big(0x0800, 2);
  const std::string first = k_logon.substr(0, 20), second = k_logon.substr(20, 30), third = k_logon.substr(50);
  expect_logon(
      pcap_of({segment(99, "", true), segment(100, first), segment(120, second), segment(150, third)}, 1, ethernet));
  expect_logon(
      pcap_of({segment(99, "", true), segment(150, third), segment(100, first), segment(120, second)}, 1, ethernet));
  expect_logon(pcap_of({segment(100, first), segment(100, first), segment(110, k_logon.substr(10, 20)),
                        segment(120, second), segment(150, third), segment(120, second)},
                       101, ""));
  expect_logon(pcap_of({segment(0xfffffff0, first), segment(4, second), segment(34, third)}, 0, std::string(4, '\2')));
  expect_logon(pcap_of({segment(1, k_logon)}, 113, std::string(16, 'c')));
  expect_logon(pcap_of({segment(1, k_logon)}, 1, std::string(12, 'm') + big(0x8100, 2) + big(5, 2) + big(0x0800, 2)));
}

TEST(Capture, reports_gaps_and_knows_when_bytes_arrived) {
  const auto streams = read_capture(pcap_of({segment(1, "abc"), segment(10, "xyz")}, 101, ""));
  ASSERT_TRUE(streams);
  EXPECT_EQ(streams->front().bytes, "abcxyz");
  EXPECT_EQ(streams->front().gaps, 1u);
  EXPECT_EQ(time::nanoseconds_of(streams->front().time_of(1)), 1'000'000'005'000);
  EXPECT_EQ(time::nanoseconds_of(streams->front().time_of(3)), 1'001'000'005'000);
}

TEST(Capture, reads_pcapng) {
  const auto block = [](std::uint32_t type, std::string body) {
    while (body.size() % 4 != 0) body += '\0';
    const auto size = static_cast<std::uint32_t>(body.size() + 12);
    return little(type) + little(size) + body + little(size);
  };
  const std::string packet = segment(1, k_logon);
  const auto size = static_cast<std::uint32_t>(packet.size());
  expect_logon(
      block(0x0a0d0d0a, little(0x1a2b3c4d) + little(1, 2) + little(0, 2) + std::string(8, '\xff')) +
      block(1, little(101, 2) + little(0, 2) + little(0) + little(9, 2) + little(1, 2) + std::string("\x09\0\0\0", 4)) +
      block(6, little(0) + little(0) + little(1'000'000) + little(size) + little(size) + packet));
}

/// A UDP datagram from 10.0.0.1:5000 to 239.0.0.1:9001.
std::string udp_datagram(const std::string& payload) {
  const auto size = static_cast<std::uint32_t>(8 + payload.size());
  return big(0x45, 1) + big(0, 1) + big(20 + size, 2) + big(0, 4) + big(64, 1) + big(17, 1) + big(0, 2) +
         big(0x0a000001, 4) + big(0xef000001, 4) + big(5000, 2) + big(9001, 2) + big(size, 2) + big(0, 2) + payload;
}

TEST(Capture, has_the_datagrams_of_udp_as_a_stream_where_they_are_wanted) {
  const std::string ethernet = std::string(12, 'm') + big(0x0800, 2);
  const std::vector<std::string> packets{udp_datagram("first"), segment(1, "tcp"), udp_datagram("second")};
  for (const auto& [link, header] : {std::pair<std::uint32_t, std::string>{1, ethernet},
                                     {101, ""},
                                     {0, std::string(4, '\2')},
                                     {113, std::string(16, 'c')}}) {
    const auto streams = read_capture(pcap_of(packets, link, header), Carriers::tcp_and_udp);
    ASSERT_TRUE(streams);
    ASSERT_EQ(streams->size(), 2u);
    EXPECT_EQ(streams->front().bytes, "firstsecond");
    EXPECT_EQ(streams->front().to, "239.0.0.1:9001");
    EXPECT_EQ(time::nanoseconds_of(streams->front().time_of(5)), 1'002'000'005'000);
    EXPECT_EQ(streams->back().bytes, "tcp");
    EXPECT_EQ(read_capture(pcap_of(packets, link, header))->size(), 1u) << "TCP alone";
  }
}

TEST(Capture, is_not_led_astray_by_any_cut_or_changed_byte) {
  const std::string whole = pcap_of({segment(1, k_logon), segment(500, "x")}, 1, std::string(12, 'm') + big(0x0800, 2));
  for (std::size_t size = 0; size < whole.size(); ++size) static_cast<void>(read_capture(whole.substr(0, size)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\xff', '\x41'}) {
      std::string changed = whole;
      changed[at] = byte;
      static_cast<void>(read_capture(changed));
    }
  }
  EXPECT_FALSE(read_capture("no capture"));
}

}  // namespace
}  // namespace dojima::recorded
