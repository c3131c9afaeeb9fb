// TLS between two sessions: versions, certificates of either side, closing, and peers that are slow.

#include "dojima/net/tls_fabric.hpp"

#include "dojima/net/tls/world_test_support.hpp"

namespace dojima::net {
namespace {

using namespace testing;

TEST(TlsFabric, carries_bytes_both_ways_in_both_versions) {
  for (const TlsVersion least : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
    Scene setup;
    setup.client.min_version = least;
    World world(setup);
    world.connect();
    ASSERT_TRUE(world.is_open()) << world.client_notes.last();
    ASSERT_TRUE(world.client.say("hello"));
    ASSERT_TRUE(world.server.say("welcome"));
    world.run(1ms);
    EXPECT_EQ(world.server.received, "hello");
    EXPECT_EQ(world.client.received, "welcome");
    EXPECT_EQ(world.client_side.counts().secured, 1u);
    EXPECT_EQ(world.server_side.counts().secured, 1u);
    ASSERT_EQ(world.client_notes.secured.size(), 1u);
    EXPECT_EQ(world.client_notes.secured[0], "TLSv1.3 TLS_AES_256_GCM_SHA384 /CN=venue.test");
    EXPECT_EQ(world.server_notes.secured[0], "TLSv1.3 TLS_AES_256_GCM_SHA384 ") << "no client certificate";
    EXPECT_TRUE(world.server_notes.troubles.empty());
  }
}

TEST(TlsFabric, speaks_tls_1_2_with_who_has_nothing_newer) {
  Scene setup;
  setup.server.ciphers_1_2 = "ECDHE-ECDSA-AES128-GCM-SHA256";
  setup.client.ciphers_1_2 = "ECDHE-ECDSA-AES128-GCM-SHA256";
  setup.client.max_version = TlsVersion::tls_1_2;
  World world(setup);
  world.connect();
  ASSERT_TRUE(world.is_open()) << world.client_notes.last();
  EXPECT_EQ(world.server_notes.secured[0], "TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256 ");
  ASSERT_TRUE(world.client.say("hello"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "hello");
}

TEST(TlsFabric, has_no_handshake_without_a_common_version_or_cipher) {
  Scene versions;
  versions.server.min_version = TlsVersion::tls_1_3;
  versions.client.max_version = TlsVersion::tls_1_2;
  Scene ciphers;
  ciphers.server.ciphers_1_3 = "TLS_AES_256_GCM_SHA384";
  ciphers.server.min_version = TlsVersion::tls_1_3;
  ciphers.client.ciphers_1_3 = "TLS_AES_128_GCM_SHA256";
  for (const Scene& setup : {versions, ciphers}) {
    World world(setup);
    world.connect();
    EXPECT_EQ(world.client.opens, 0);
    EXPECT_EQ(world.client.closes, 1);
    EXPECT_EQ(world.client.reason, CloseReason::handshake_failed);
    EXPECT_EQ(world.accepts, 0) << "no session is taken before the handshake";
    EXPECT_TRUE(world.client_notes.last().starts_with("TLS handshake failed: the peer refused: "));
    EXPECT_TRUE(world.server_notes.last().starts_with("TLS handshake failed: "));
    EXPECT_EQ(world.server_side.counts().failed, 1u);
    EXPECT_EQ(world.client_side.counts().failed, 1u);
  }
}

// -------------------------------------------------------------------------------------------------- the server's
// certificates

/// What a client with an authority says of a server with these certificates.
std::string judged(const Signed& server, TlsConfig client = {.server_name = "venue.test"},
                   const Signed* chain = nullptr) {
  const PemFolder folder;
  Scene setup;
  setup.server = {.certificate_file = folder.certificate("s.pem", server, chain),
                  .key_file = folder.key("s.key", server)};
  setup.client = std::move(client);
  if (setup.client.trusted_file.empty()) setup.client.trusted_file = Certificates::get().authority_file;
  World world(setup);
  world.connect();
  EXPECT_EQ(world.client.opens + world.client.closes, 1);
  EXPECT_EQ(world.accepts, world.client.opens) << "a server's session begins only when the client's does";
  if (world.client.closes == 1) {
    EXPECT_EQ(world.client.reason, CloseReason::not_trusted);
    EXPECT_TRUE(world.server_notes.last().starts_with("certificate not trusted: the peer refused: "));
  }
  return world.client.opens == 1 ? "trusted" : world.client_notes.last();
}

const std::string k_not_trusted = "certificate not trusted: certificate verify failed: ";

TEST(TlsFabric, trusts_a_server_that_an_authority_signed_and_no_other) {
  const Certificates& certificates = Certificates::get();
  EXPECT_EQ(judged(certificates.server), "trusted");
  const Signed itself = make_certificate({.name = "venue.test", .also = "DNS:venue.test"});
  EXPECT_EQ(judged(itself), k_not_trusted + "self-signed certificate");
  const Signed other = make_certificate({.name = "Another Authority", .is_authority = true});
  EXPECT_EQ(judged(make_certificate({.name = "venue.test", .also = "DNS:venue.test"}, &other)),
            k_not_trusted + "unable to get local issuer certificate");
  const Signed no_authority = make_certificate({.name = "venue.test", .also = "DNS:venue.test"}, &certificates.client);
  EXPECT_TRUE(judged(no_authority, {.server_name = "venue.test"}, &certificates.client).starts_with(k_not_trusted));
}

TEST(TlsFabric, holds_dates_against_the_time_of_the_loop) {
  const Certificates& certificates = Certificates::get();
  const auto dated = [&](int from, int to) {
    return judged(make_certificate({.name = "venue.test",
                                    .also = "DNS:venue.test",
                                    .from = std::chrono::hours{from},
                                    .to = std::chrono::hours{to}},
                                   &certificates.authority));
  };
  EXPECT_EQ(dated(-2, -1), k_not_trusted + "certificate has expired");
  EXPECT_EQ(dated(1, 2), k_not_trusted + "certificate is not yet valid");
  EXPECT_EQ(dated(-1, 1), "trusted");
}

TEST(TlsFabric, wants_the_name_that_it_expects) {
  const Certificates& certificates = Certificates::get();
  EXPECT_EQ(judged(certificates.server, {.server_name = "elsewhere.test"}), k_not_trusted + "hostname mismatch");
  EXPECT_EQ(judged(certificates.server, {.server_name = "127.0.0.1"}), "trusted");
  EXPECT_EQ(judged(certificates.server, {.server_name = "127.0.0.2"}), k_not_trusted + "IP address mismatch");
  EXPECT_EQ(judged(certificates.server, {}), k_not_trusted + "hostname mismatch")
      << "the host that is connected to: venue";
  const Signed wild = make_certificate({.name = "x", .also = "DNS:*.rice.test"}, &certificates.authority);
  EXPECT_EQ(judged(wild, {.server_name = "venue.rice.test"}), "trusted");
  EXPECT_EQ(judged(wild, {.server_name = "a.venue.rice.test"}), k_not_trusted + "hostname mismatch");
  const Signed partly = make_certificate({.name = "x", .also = "DNS:ven*.rice.test"}, &certificates.authority);
  EXPECT_EQ(judged(partly, {.server_name = "venue.rice.test"}), k_not_trusted + "hostname mismatch");
  const Signed venue = make_certificate({.name = "venue"}, &certificates.authority);
  EXPECT_EQ(judged(venue, {}), "trusted");
}

TEST(TlsFabric, trusts_a_chain_and_a_single_certificate_that_it_was_given) {
  const Certificates& certificates = Certificates::get();
  const Signed middle = make_certificate({.name = "Middle", .is_authority = true}, &certificates.authority);
  const Signed server = make_certificate({.name = "venue.test", .also = "DNS:venue.test"}, &middle);
  EXPECT_EQ(judged(server, {.server_name = "venue.test"}, &middle), "trusted");
  EXPECT_TRUE(judged(server).starts_with(k_not_trusted)) << "the one in the middle is missing";
  const PemFolder folder;
  const Signed itself = make_certificate({.name = "venue.test", .also = "DNS:venue.test"});
  EXPECT_EQ(judged(itself, {.trusted_file = folder.certificate("t.pem", itself), .server_name = "venue.test"}),
            "trusted");
  EXPECT_EQ(judged(server, {.trusted_file = folder.certificate("u.pem", server), .server_name = "venue.test"}),
            "trusted");
}

// --------------------------------------------------------------------------------------------------------- mutual
// trust

TEST(TlsFabric, knows_the_client_where_both_show_certificates) {
  for (const TlsVersion most : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
    Scene setup = Scene::mutual();
    setup.client.max_version = most;
    World world(setup);
    world.connect();
    ASSERT_TRUE(world.is_open()) << world.server_notes.last();
    EXPECT_TRUE(world.server_notes.secured[0].ends_with("/CN=TRADER1")) << world.server_notes.secured[0];
  }
}

TEST(TlsFabric, refuses_a_client_without_a_certificate_or_with_a_wrong_one) {
  const PemFolder folder;
  const Signed stranger = make_certificate({.name = "TRADER2"});
  const Signed old =
      make_certificate({.name = "TRADER1", .to = std::chrono::hours{-1}}, &Certificates::get().authority);
  struct Case {
    const Signed* client;
    std::string server_says;
  };
  const Case cases[] = {
      {nullptr, "certificate not trusted: peer did not return a certificate"},
      {&stranger, k_not_trusted + "self-signed certificate"},
      {&old, k_not_trusted + "certificate has expired"},
  };
  for (const Case& one : cases) {
    for (const TlsVersion most : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
      Scene setup = Scene::mutual();
      setup.client.max_version = most;
      setup.client.certificate_file = one.client == nullptr ? "" : folder.certificate("c.pem", *one.client);
      setup.client.key_file = one.client == nullptr ? "" : folder.key("c.key", *one.client);
      World world(setup);
      world.connect();
      EXPECT_EQ(world.accepts, 0);
      EXPECT_EQ(world.server_notes.last(), one.server_says);
      EXPECT_EQ(world.client.closes, 1);
      // With TLS 1.3 the client is done before the server has judged it.
      EXPECT_EQ(world.client.opens, most == TlsVersion::tls_1_3 ? 1 : 0);
      if (one.client != nullptr || most == TlsVersion::tls_1_3) {
        EXPECT_EQ(world.client.reason, CloseReason::not_trusted) << world.client_notes.last();
      }
      EXPECT_NE(world.client_notes.last().find("the peer refused: "), std::string::npos) << world.client_notes.last();
    }
  }
}

TEST(TlsFabric, takes_new_certificates_for_connections_that_begin_later) {
  World world;
  world.connect();
  ASSERT_TRUE(world.is_open());
  const PemFolder folder;
  const Signed expired = make_certificate(
      {.name = "venue.test", .also = "DNS:venue.test", .to = std::chrono::hours{-1}}, &Certificates::get().authority);
  world.server_side.use(context_of(TlsRole::server, {.certificate_file = folder.certificate("s.pem", expired),
                                                     .key_file = folder.key("s.key", expired)}));
  Peer late;
  world.client_side.connect(World::k_venue, late);
  world.run(20ms);
  EXPECT_EQ(late.reason, CloseReason::not_trusted);
  ASSERT_TRUE(world.client.say("still here"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "still here");
}

// --------------------------------------------------------------------------------------------------------------
// closing

TEST(TlsFabric, sends_what_is_committed_before_it_closes_and_notifies_both_once) {
  World world;
  world.connect();
  const std::string text(200'000, 'y');
  ASSERT_TRUE(world.server.say(text));
  world.server.close();
  EXPECT_EQ(world.server.closes, 0) << "reported from the loop";
  EXPECT_TRUE(world.server.transport->prepare(1).empty()) << "closing: nothing more";
  ASSERT_TRUE(world.client.say("too late"));
  world.run(100ms);
  EXPECT_EQ(world.client.received, text);
  EXPECT_EQ(world.client.reason, CloseReason::by_peer);
  EXPECT_EQ(world.server.reason, CloseReason::by_us);
  EXPECT_EQ(world.server.received, "");
  EXPECT_EQ(world.client.closes + world.server.closes, 2);
  EXPECT_TRUE(world.client_notes.troubles.empty()) << world.client_notes.last();
}

TEST(TlsFabric, lets_a_session_close_from_inside_its_on_bytes_and_its_on_open) {
  World world;
  world.connect();
  world.server.on_received = [&] { world.server.close(); };
  ASSERT_TRUE(world.client.say("hello"));
  world.run(10ms);
  EXPECT_EQ(world.server.reason, CloseReason::by_us);
  EXPECT_EQ(world.client.reason, CloseReason::by_peer);
  Peer hasty;
  hasty.on_opened = [&] { hasty.close(); };
  world.client_side.connect(World::k_venue, hasty);
  world.run(10ms);
  EXPECT_EQ(hasty.closes, 1);
  EXPECT_EQ(hasty.reason, CloseReason::by_us);
}

TEST(TlsFabric, turns_away_whom_the_acceptor_does_not_want) {
  World world;
  world.is_accepting = false;
  world.connect();
  EXPECT_EQ(world.accepts, 1);
  EXPECT_EQ(world.server_side.counts().refused, 1u);
  EXPECT_EQ(world.client.reason, CloseReason::by_peer);
  EXPECT_EQ(world.client.closes, 1);
}

TEST(TlsFabric, refuses_more_connections_than_it_has_and_takes_new_ones_when_some_have_gone) {
  Scene setup;
  setup.tls.max_connections = 1;
  World world(setup);
  world.connect();
  ASSERT_TRUE(world.is_open());
  Peer second;
  world.client_side.connect(World::k_venue, second);
  EXPECT_EQ(second.closes, 0);
  world.run(1ms);
  EXPECT_EQ(second.reason, CloseReason::failed);
  world.client.close();
  world.run(10ms);
  Peer third;
  world.client_side.connect(World::k_venue, third);
  world.run(10ms);
  EXPECT_EQ(third.opens, 1);
}

TEST(TlsFabric, peers_that_begin_no_handshake_keep_nobody_out) {
  Scene setup;
  setup.tls.max_connections = 3;
  World world(setup);
  std::array<Peer, 8> silent;
  for (Peer& peer : silent) {
    world.network.connect(World::k_venue, peer);
    world.run(1ms);
  }
  world.connect();
  EXPECT_TRUE(world.is_open());
  EXPECT_EQ(world.server_side.counts().refused, 0u);
  EXPECT_EQ(silent[0].closes, 1);
  EXPECT_EQ(silent[7].closes, 0) << "the newest may stay";
  EXPECT_EQ(world.server_notes.last(), "TLS handshake failed: too many connections whose handshake is not done");
}

TEST(TlsFabric, a_storm_from_one_host_does_not_displace_the_handshakes_of_another) {
  Scene setup;
  setup.tls.max_connections = 4;
  World world(setup);
  Peer client;
  world.network.come_from("client");
  world.network.connect(World::k_venue, client);
  world.run(1ms);
  world.network.come_from("storm");
  std::array<Peer, 12> storm;
  for (Peer& peer : storm) {
    world.network.connect(World::k_venue, peer);
    world.run(1ms);
  }
  EXPECT_EQ(client.closes, 0);
  EXPECT_EQ(storm[0].closes, 1);
  EXPECT_EQ(storm[11].closes, 0) << "the newest may stay";
}

TEST(TlsFabric, reports_a_refused_connect_as_the_network_does) {
  World world;
  world.connect({"nowhere", 9});
  EXPECT_EQ(world.client.reason, CloseReason::refused);
  EXPECT_EQ(world.client.closes, 1);
  EXPECT_EQ(world.client_side.counts().failed, 0u);
}

// ------------------------------------------------------------------------------------------------- much, and slow
// peers

std::string long_text(std::size_t size) {
  std::string text;
  text.reserve(size);
  for (std::size_t index = 0; index < size; ++index) text += static_cast<char>('a' + (index * index + index / 7) % 26);
  return text;
}

TEST(TlsFabric, moves_far_more_than_its_buffers_hold_in_both_directions_at_once) {
  struct Way {
    std::size_t piece, room, message, queue;
  };
  // With the last one, what waits is several records, and moves within its queue while one of them is half sent.
  for (const auto [piece, room, message, queue] :
       {Way{0, 4000, 900, 3000}, Way{700, 4000, 900, 3000}, Way{70, 150, 900, 3000}, Way{0, 20'000, 25'000, 60'000}}) {
    Scene setup;
    setup.network = {.delay = 1us, .max_delivery = piece, .input_capacity = room, .output_capacity = room};
    setup.tls.input_capacity = 1000;
    setup.tls.output_capacity = queue;
    World world(setup);
    world.connect();
    ASSERT_TRUE(world.is_open()) << world.client_notes.last();
    const std::string text = long_text(100 * room);
    std::size_t sent[2] = {0, 0};
    Peer* const peers[2] = {&world.client, &world.server};
    for (int turn = 0; turn < 200'000; ++turn) {
      for (int side = 0; side < 2; ++side) {
        std::size_t& done = sent[side];
        while (done < text.size()) {
          const std::size_t size = std::min(message, text.size() - done);
          if (!peers[side]->say(std::string_view(text).substr(done, size))) break;
          done += size;
        }
      }
      world.run(1us);
      if (world.server.received.size() == text.size() && world.client.received.size() == text.size()) break;
    }
    EXPECT_EQ(world.server.received, text);
    EXPECT_EQ(world.client.received, text);
    EXPECT_GT(world.client.writable, 0);
  }
}

TEST(TlsFabric, shakes_hands_through_buffers_that_hold_no_flight_of_it) {
  for (const TlsVersion most : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
    Scene scene = Scene::mutual();
    scene.client.max_version = most;
    scene.network = {.delay = 1us, .max_delivery = 70, .input_capacity = 100, .output_capacity = 150};
    World world(scene);
    world.connect();
    ASSERT_TRUE(world.is_open()) << world.client_notes.last() << "; " << world.server_notes.last();
    const std::string text = long_text(50'000);
    ASSERT_TRUE(world.client.say(text) && world.server.say(text));
    world.run(20ms);
    EXPECT_EQ(world.server.received, text);
    EXPECT_EQ(world.client.received, text);
  }
}

TEST(TlsFabric, bounds_what_a_peer_that_never_reads_can_hold) {
  Scene setup;
  setup.network = {.input_capacity = 20'000, .output_capacity = 20'000};
  setup.tls.output_capacity = 10'000;
  World slow(setup);
  slow.connect(World::k_between);
  ASSERT_TRUE(slow.is_open()) << slow.client_notes.last();
  slow.network.pause(slow.middleman.server);
  std::size_t sent = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    while (slow.server.say(std::string(1000, 'z'))) sent += 1000;
    slow.run(1ms);
  }
  EXPECT_GT(slow.server.transport->unsent(), 9'000u);
  EXPECT_LT(sent, 100'000u);
  EXPECT_EQ(slow.server.closes, 0) << "whether to give up is the session's decision";
  const int before = slow.server.writable;
  slow.network.resume(slow.middleman.server);
  slow.run(100ms);
  EXPECT_EQ(slow.client.received.size(), sent);
  EXPECT_GT(slow.server.writable, before);
  EXPECT_EQ(slow.server.transport->unsent(), 0u);
}

TEST(TlsFabric, does_not_wait_for_ever_to_close) {
  for (const CloseReason why : {CloseReason::by_us, CloseReason::output_overflow}) {
    Scene setup;
    setup.network = {.input_capacity = 2'000, .output_capacity = 2'000};
    setup.tls.linger = 100ms;
    World world(setup);
    world.connect(World::k_between);
    ASSERT_TRUE(world.is_open());
    world.network.pause(world.middleman.server);
    ASSERT_TRUE(world.server.say(std::string(100'000, 'z')));
    world.run(1ms);
    world.server.close(why);
    world.run(50ms);
    EXPECT_EQ(world.server.closes, why == CloseReason::by_us ? 0 : 1);
    world.run(60ms);
    EXPECT_EQ(world.server.closes, 1);
    EXPECT_EQ(world.server.reason, why);
  }
}

TEST(TlsFabric, ends_a_session_that_cannot_use_a_full_input_buffer) {
  Scene setup;
  setup.tls.input_capacity = 64;
  World world(setup);
  world.connect();
  world.server.use_at_most = 0;
  ASSERT_TRUE(world.client.say(std::string(63, 'x')));
  world.run(1ms);
  EXPECT_EQ(world.server.closes, 0);
  ASSERT_TRUE(world.client.say("x"));
  world.run(10ms);
  EXPECT_EQ(world.server.reason, CloseReason::input_overflow);
  EXPECT_EQ(world.client.reason, CloseReason::by_peer);
}

TEST(TlsFabric, keeps_half_a_message_until_the_rest_is_there) {
  World world;
  world.connect();
  world.server.use_at_most = 0;
  ASSERT_TRUE(world.client.say("half a mess"));
  world.run(1ms);
  EXPECT_EQ(world.server.deliveries, 1);
  world.server.use_at_most = 100;
  ASSERT_TRUE(world.client.say("age"));
  world.run(1ms);
  EXPECT_EQ(world.server.received, "half a message");
}

TEST(TlsFabric, keeps_what_comes_while_a_session_wants_no_bytes) {
  Scene scene;
  scene.tls.input_capacity = scene.tls.output_capacity = 1 << 14;
  scene.network.input_capacity = scene.network.output_capacity = 1 << 15;
  World world(scene);
  world.connect();
  ASSERT_TRUE(world.is_open());
  world.server.transport->set_reading(false);
  std::string sent;
  for (int count = 0; count < 1000 && world.client.say(std::string(1000, static_cast<char>('a' + count % 26)));
       ++count) {
    sent += std::string(1000, static_cast<char>('a' + count % 26));
    world.run(1ms);
  }
  EXPECT_GT(sent.size(), 20'000u);
  EXPECT_LT(sent.size(), 200'000u) << "the peer is slowed down";
  EXPECT_EQ(world.server.received, "");
  // A few bytes at a time: it stops in the middle of records.
  for (int count = 0; count < 2000 && world.server.received.size() < sent.size(); ++count) {
    world.server.transport->set_reading(true);
    world.server.on_received = [&] { world.server.transport->set_reading(false); };
    world.run(1ms);
  }
  EXPECT_EQ(world.server.received, sent);
  world.server.on_received = nullptr;
  world.server.transport->set_reading(true);
  EXPECT_TRUE(world.client.say("more"));
  world.run(10ms);
  EXPECT_EQ(world.server.received, sent + "more");
  EXPECT_EQ(world.server.closes + world.client.closes, 0);
}

}  // namespace
}  // namespace dojima::net
