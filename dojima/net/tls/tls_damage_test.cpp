// TLS with everything that can go wrong on the way: garbage, cuts, silence, damage at any byte.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/net/tls/world_test_support.hpp"

namespace dojima::net {
namespace {

using namespace testing;

Scene with_version(TlsVersion most) {
  Scene setup = Scene::mutual();
  setup.client.max_version = most;
  return setup;
}
constexpr TlsVersion k_versions[] = {TlsVersion::tls_1_2, TlsVersion::tls_1_3};

TEST(TlsDamage, a_plain_client_on_a_tls_port_is_refused_and_takes_no_session) {
  for (const std::string text : {"8=FIX.4.4|9=5|35=0|10=000|", "GET / HTTP/1.1\r\n\r\n", "\x01\x02\x03\x04\x05\x06"}) {
    World world;
    Peer plain;
    plain.on_opened = [&] { plain.say(text); };
    world.network.connect(World::k_venue, plain);
    world.run(20ms);
    EXPECT_EQ(world.accepts, 0);
    EXPECT_EQ(plain.reason, CloseReason::by_peer);
    EXPECT_TRUE(world.server_notes.last().starts_with("TLS handshake failed: ")) << world.server_notes.last();
    EXPECT_EQ(world.server_side.counts().failed, 1u);
  }
}

TEST(TlsDamage, a_tls_client_on_a_plain_port_finds_no_tls) {
  struct Chatty final : link::Acceptor {
    link::Connection* on_accept(const Address&) override { return &session; }
    Peer session;
  } plain;
  World world;
  ASSERT_TRUE(world.network.listen({"plain", 3}, plain).has_value());
  plain.session.on_opened = [&] { plain.session.say("220 welcome to the plain service\r\n"); };
  world.connect({"plain", 3});
  EXPECT_EQ(world.client.opens, 0);
  EXPECT_EQ(world.client.reason, CloseReason::handshake_failed);
  EXPECT_EQ(world.client_notes.last(), "TLS handshake failed: wrong version number");
  plain.session = Peer{};
  Peer second;  // the plain one only listens now
  world.client_side.connect({"plain", 3}, second);
  world.run(4s);
  EXPECT_EQ(second.closes, 0);
  world.run(2s);
  EXPECT_EQ(second.reason, CloseReason::timed_out);
  EXPECT_EQ(world.client_side.counts().timed_out, 1u);
}

TEST(TlsDamage, who_stalls_within_the_handshake_harms_nobody_and_has_its_limit) {
  World world;
  Peer silent, slow;
  slow.on_opened = [&] { slow.say(std::string("\x16\x03\x01\x02", 4)); };  // the beginning of a record
  world.network.connect(World::k_venue, silent);
  world.network.connect(World::k_venue, slow);
  world.run(1ms);
  world.connect();
  ASSERT_TRUE(world.is_open());
  world.run(4900ms);
  EXPECT_EQ(silent.closes + slow.closes, 0);
  ASSERT_TRUE(world.client.say("hello"));
  world.run(200ms);
  EXPECT_EQ(world.server.received, "hello");
  EXPECT_EQ(silent.reason, CloseReason::by_peer);
  EXPECT_EQ(slow.reason, CloseReason::by_peer);
  EXPECT_EQ(world.server_side.counts().timed_out, 2u);
  EXPECT_EQ(world.server_notes.last(), "no answer: the handshake took too long");
  EXPECT_EQ(world.accepts, 1);
  world.run(20s);
  EXPECT_TRUE(world.is_open()) << "the limit is for handshakes";
}

TEST(TlsDamageLong, a_connection_cut_after_any_byte_of_the_handshake_ends_both_sides) {
  for (const TlsVersion version : k_versions) {
    for (const bool is_from_client : {true, false}) {
      for (std::size_t limit = 0; limit < 6000; limit = limit < 20 ? limit + 1 : limit + 37) {
        World world(with_version(version));
        bool is_cut = false;
        world.middleman.change = [&](std::string& bytes, bool from_client) {
          const std::size_t before = world.middleman.passed[from_client ? 1 : 0];
          if (is_cut) bytes.clear();
          if (from_client != is_from_client || before + bytes.size() <= limit) return;
          bytes.resize(limit - std::min(limit, before));
          is_cut = true;
        };
        world.connect(World::k_between);
        if (!is_cut) break;  // the handshake is shorter
        world.network.cut(world.middleman.client);
        world.run(10ms);
        EXPECT_EQ(world.client.closes, 1) << limit;
        EXPECT_EQ(world.server.closes, world.server.opens);
        EXPECT_NE(world.client.reason, CloseReason::by_us);
        EXPECT_NE(world.client.reason, CloseReason::by_peer) << "no close_notify came";
      }
    }
  }
}

TEST(TlsDamage, who_sends_and_does_not_read_within_the_handshake_is_bounded) {
  std::string hello;
  World other;
  other.middleman.change = [&](std::string& bytes, bool from_client) {
    if (from_client && hello.empty()) hello = bytes;
  };
  other.connect(World::k_between);
  Scene scene;
  scene.network = {.delay = 1us, .input_capacity = 200, .output_capacity = 200};
  scene.tls.input_capacity = 1000;
  World world(scene);
  Peer flood;
  world.network.connect(World::k_venue, flood);
  world.run(1ms);
  world.network.pause(flood);
  std::size_t sent = 0;
  for (std::string left = hello; flood.transport != nullptr && sent < 200'000; world.run(10us)) {
    if (left.empty()) left = std::string(100, 'x');
    const std::size_t size = std::min<std::size_t>(left.size(), 100);
    if (!flood.say(left.substr(0, size))) continue;
    left.erase(0, size);
    sent += size;
    if (!world.server_notes.troubles.empty()) break;
  }
  EXPECT_EQ(world.server_notes.last(), "message larger than the input buffer: the peer sends and does not read");
  EXPECT_GT(sent, 30'000u);
  EXPECT_LT(sent, 40'000u);
  EXPECT_EQ(world.accepts, 0);
}

TEST(TlsDamage, a_stream_that_ends_without_close_notify_is_reported_as_truncated_behind_what_came) {
  for (const TlsVersion version : k_versions) {
    World world(with_version(version));
    world.connect(World::k_between);
    ASSERT_TRUE(world.is_open());
    ASSERT_TRUE(world.client.say("the last order"));
    world.run(1ms);
    world.network.cut(world.middleman.server);
    world.run(10ms);
    EXPECT_EQ(world.server.received, "the last order");
    EXPECT_EQ(world.server.reason, CloseReason::truncated);
    EXPECT_EQ(world.client.reason, CloseReason::truncated);
    EXPECT_EQ(world.server_notes.last(), "stream truncated: no close_notify");
  }
}

TEST(TlsDamage, a_damaged_record_ends_the_connection_and_nothing_of_it_is_shown) {
  for (const TlsVersion version : k_versions) {
    World world(with_version(version));
    world.connect(World::k_between);
    ASSERT_TRUE(world.is_open());
    ASSERT_TRUE(world.client.say("good"));
    world.run(1ms);
    world.middleman.change = [](std::string& bytes, bool from_client) {
      if (from_client) bytes.back() = static_cast<char>(bytes.back() ^ 1);
    };
    ASSERT_TRUE(world.client.say("bad"));
    world.run(10ms);
    EXPECT_EQ(world.server.received, "good");
    EXPECT_EQ(world.server.reason, CloseReason::failed);
    EXPECT_EQ(world.server_notes.last(), "network failure: decryption failed or bad record mac");
    EXPECT_EQ(world.client.closes, 1);
    EXPECT_NE(world.client_notes.last().find("the peer refused: "), std::string::npos) << world.client_notes.last();
  }
}

/// Bytes of the handshake and behind it are changed, doubled, left out and added: sessions get the true bytes or the
/// end.
RC_GTEST_PROP(TlsDamagePropertyLong, damage_is_found_wherever_it_is, (std::uint64_t seed)) {
  std::uint64_t state = seed;
  const auto draw = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  Scene setup = with_version(k_versions[draw(2)]);
  setup.network = {.seed = seed, .delay = 10us, .jitter = 20us, .max_delivery = 1 + draw(600)};
  World world(setup);
  const std::uint64_t rarity = 1 + draw(12);
  int damages = 0;
  world.middleman.change = [&](std::string& bytes, bool) {
    if (bytes.empty() || draw(rarity) != 0) return;
    ++damages;
    const std::size_t at = draw(bytes.size());
    switch (draw(4)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, 1 + draw(40)));
        break;
      case 2:
        bytes.erase(at, 1 + draw(40));
        break;
      default:
        for (std::size_t count = 1 + draw(40); count > 0; --count) bytes.insert(at, 1, static_cast<char>(draw(256)));
    }
  };
  std::string said[2];
  world.client_side.connect(World::k_between, world.client);
  for (int turn = 0; turn < 40; ++turn) {
    world.run(1ms);
    const std::string text(1 + draw(3000), static_cast<char>('a' + turn % 26));
    if (world.client.say(text)) said[0] += text;
    if (world.server.say(text)) said[1] += text;
  }
  world.run(10s);
  RC_ASSERT(std::string_view(said[0]).starts_with(world.server.received));
  RC_ASSERT(std::string_view(said[1]).starts_with(world.client.received));
  RC_ASSERT(world.server.opens <= 1 && world.server.closes <= world.server.opens);
  RC_ASSERT(world.client.opens + world.client.closes >= 1);
  if (damages == 0) {
    RC_ASSERT(world.server.received == said[0] && world.client.received == said[1]);
  }
}

}  // namespace
}  // namespace dojima::net
