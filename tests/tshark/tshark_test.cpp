// Wireshark's FIX dissector, which nobody here wrote, reads what we write: every message of every dictionary, what a
// session says, and a recorded demo. It knows every message for what it is and finds every checksum good.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/generated_test_message.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima {
namespace {

using fix::testing::Generated;
using fix::testing::Peer;
using namespace std::chrono_literals;

bool has_tshark() {
  return std::system("tshark --version >/dev/null 2>&1") == 0;
}

constexpr const char* k_no_tshark = "skipped: no tshark";

/// The output of a command, line by line.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) text.append(part, size);
  ::pclose(pipe);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void put(std::string& bytes, std::uint32_t value, int size, bool is_big) {
  for (int place = 0; place < size; ++place)
    bytes += static_cast<char>(value >> 8 * (is_big ? size - 1 - place : place) & 0xff);
}

/// A capture of raw IP packets, one for each message, from port 5000 to the dissector's.
class PacketFile {
 public:
  explicit PacketFile(const std::string& name) : path_(std::filesystem::temp_directory_path() / name) {
    put(bytes_, 0xa1b2c3d4, 4, false);
    put(bytes_, 2, 2, false);
    put(bytes_, 4, 2, false);
    bytes_.append(8, '\0');
    put(bytes_, 0x40000, 4, false);
    put(bytes_, 101, 4, false);  // raw IP
  }
  ~PacketFile() { std::filesystem::remove(path_); }

  void add(std::string_view message) {
    std::string packet;
    put(packet, 0x4500, 2, true);
    put(packet, static_cast<std::uint32_t>(40 + message.size()), 2, true);
    put(packet, 0, 4, true);
    put(packet, 0x40060000, 4, true);  // TCP
    put(packet, 0x0a000001, 4, true);
    put(packet, 0x0a000002, 4, true);
    put(packet, 5000, 2, true);
    put(packet, k_port, 2, true);
    put(packet, sequence_, 4, true);
    put(packet, 0, 4, true);
    put(packet, 0x50182000, 4, true);
    put(packet, 0, 4, true);
    sequence_ += static_cast<std::uint32_t>(message.size());
    packet += message;
    put(bytes_, 1'784'548'800, 4, false);
    put(bytes_, count_++, 4, false);
    put(bytes_, static_cast<std::uint32_t>(packet.size()), 4, false);
    put(bytes_, static_cast<std::uint32_t>(packet.size()), 4, false);
    bytes_ += packet;
  }
  std::string write() const {
    std::ofstream(path_, std::ios::binary) << bytes_;
    return path_.string();
  }
  static constexpr std::uint32_t k_port = 9878;

 private:
  std::filesystem::path path_;
  std::string bytes_;
  std::uint32_t sequence_ = 1, count_ = 0;
};

/// What the dissector says of each packet: "MsgType good bad malformed", counts of what it repeats apart by commas.
std::vector<std::string> dissected(const std::string& file, std::uint32_t port) {
  return lines_of("tshark -r '" + file + "' -d tcp.port==" + std::to_string(port) +
                  ",fix -Y 'tcp.len>0' -T fields -E separator=' ' -E occurrence=a -e fix.MsgType -e fix.checksum_good "
                  "-e fix.checksum_bad -e _ws.malformed -e fix.data 2>/dev/null");
}

void expect_dissected(const PacketFile& packets, const std::vector<std::string>& types) {
  const std::vector<std::string> lines = dissected(packets.write(), PacketFile::k_port);
  ASSERT_EQ(lines.size(), types.size());
  for (std::size_t at = 0; at < lines.size(); ++at) {
    // HaltReason (327) of SecurityStatus (f) was a letter before FIX 5.0 SP2; the dissector knows it as a number only.
    if (types[at] == "f" && lines[at] == "f 1 0 _ws.malformed ") continue;
    EXPECT_EQ(lines[at], types[at] + " 1 0  ") << "message " << at;
  }
}

TEST(Tshark, reads_every_message_of_every_dictionary_and_finds_its_checksum_good) {
  if (!has_tshark()) GTEST_SKIP() << k_no_tshark;
  PacketFile packets("dojima-tshark-messages.pcap");
  std::vector<std::string> types;
  std::vector<std::byte> room(60'000);
  for (const fix::Dictionary* dictionary : fix::testing::built_in_dictionaries()) {
    for (const fix::MessageFacts& message : dictionary->messages()) {
      const fix::MsgTypeText type = fix::text_of(message.type());
      fix::Writer writer(room, dictionary->begin_string());
      writer.field(fix::tag::k_msg_type, type.view());
      Generated(*dictionary, message, 11, Generated::Data::text).write_to(writer);
      const auto written = writer.finish();
      ASSERT_TRUE(written) << message.name;
      packets.add(as_text(*written));
      types.emplace_back(type.view());
    }
  }
  EXPECT_GT(types.size(), 27u + 28u + 46u + 68u + 93u + 101u + 113u + 164u);
  expect_dissected(packets, types);
}

/// What a session says when it is spoken to in every way: logon, heartbeat, test request, order answered by a reject,
/// gap and resend, sequence reset, logout.
TEST(Tshark, reads_what_a_session_says) {
  if (!has_tshark()) GTEST_SKIP() << k_no_tshark;
  for (const char* version : {"FIX.4.2", "FIX.4.4", "FIXT.1.1"}) {
    Peer peer({.begin_string = version, .timestamp_decimals = 9});
    peer.connect();
    peer.log_on(1, version == std::string_view("FIXT.1.1") ? "1137=9|" : "");
    peer.run_for(31s);                             // a heartbeat
    peer.send("1", 2, "112=hello|");               // an answer
    peer.send("D", 3, peer.order("a") + "54=2|");  // a reject
    peer.run_for(37s);                             // heartbeat and test request
    peer.send("0", 9);                             // a gap: a resend request
    peer.send("2", 10, "7=1|16=0|");               // a resend: gap fill and the reject again
    peer.send("4", 4, "36=11|123=Y|");
    peer.session.logout("end");
    const std::string said = peer.transport.kept;
    PacketFile packets("dojima-tshark-session.pcap");
    std::vector<std::string> types;
    for (std::size_t at = 0; at < said.size();) {
      const fix::FrameSearch found = fix::find_frame(as_bytes(std::string_view(said).substr(at)), fix::k_body_max);
      ASSERT_EQ(found.state, fix::FrameState::whole);
      packets.add(std::string_view(said).substr(at, found.size));
      fix::MessageView view;
      ASSERT_TRUE(view.read(found.frame));
      types.emplace_back(view.find(fix::tag::k_msg_type).value());
      at += found.size;
    }
    for (const char* type : {"A", "0", "1", "2", "3", "4", "5"})
      EXPECT_NE(std::ranges::find(types, type), types.end()) << version << " " << type;
    expect_dissected(packets, types);
  }
}

TEST(Tshark, reads_the_recorded_demo_as_it_went_over_the_wire) {
  if (!has_tshark()) GTEST_SKIP() << k_no_tshark;
  std::ptrdiff_t good = 0;
  for (const std::string& line : dissected(DOJIMA_SOURCE_FOLDER "/tests/golden/fix/demo.pcap", 38'981)) {
    const std::string sums = line.substr(line.find(' '));  // a packet may carry two messages: "8,8 1,1 0,0  "
    good += std::ranges::count(sums, '1');
    EXPECT_EQ(std::ranges::count(sums, '1'), std::ranges::count(sums, '0')) << line;
    EXPECT_TRUE(line.ends_with("0  ")) << line;
  }
  EXPECT_EQ(good, 17);
}

TEST(Tshark, is_believed_because_it_finds_a_bad_checksum) {
  if (!has_tshark()) GTEST_SKIP() << k_no_tshark;
  std::string message = fix::testing::framed("35=0|34=1|49=A|52=20260720-12:00:00|56=B|");
  message[message.size() - 2] = message[message.size() - 2] == '0' ? '1' : '0';
  PacketFile packets("dojima-tshark-bad.pcap");
  packets.add(message);
  const std::vector<std::string> lines = dissected(packets.write(), PacketFile::k_port);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "0 0 1  ");
}

}  // namespace
}  // namespace dojima
