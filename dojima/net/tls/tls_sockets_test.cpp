// TLS over real sockets, and what it allocates once a connection is open.

#include <cstdlib>
#include <openssl/crypto.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/tls/world_test_support.hpp"

namespace dojima::net {
namespace {

using namespace testing;

std::uint64_t s_taken = 0, s_returned = 0;

void* take(std::size_t size, const char*, int) {
  ++s_taken;
  return std::malloc(size);
}
void* take_anew(void* memory, std::size_t size, const char*, int) {
  s_taken += memory == nullptr ? 1 : 0;
  return std::realloc(memory, size);
}
void give_back(void* memory, const char*, int) {
  s_returned += memory == nullptr ? 0 : 1;
  std::free(memory);
}

/// OpenSSL takes memory functions only before it has allocated anything: before main.
const bool k_counts_openssl = CRYPTO_set_mem_functions(take, take_anew, give_back) == 1;

/// A session that counts what it is shown.
struct Sink final : link::Connection {
  void on_open(link::Transport& opened, Time) override { transport = &opened; }
  std::size_t on_bytes(Bytes bytes, Time) override {
    received += bytes.size();
    return bytes.size();
  }
  void on_writable(Time) override {}
  void on_closed(CloseReason why, Time) override {
    transport = nullptr;
    reason = why;
  }
  bool say(std::size_t size) {
    const Room room = transport->prepare(size);
    if (room.size() < size) return false;
    std::ranges::fill(room, std::byte{'x'});
    transport->commit(size);
    return true;
  }
  link::Transport* transport = nullptr;
  std::size_t received = 0;
  CloseReason reason = CloseReason::none;
};

struct Sockets final : link::Acceptor {
  explicit Sockets(TlsVersion most = TlsVersion::tls_1_3, const FabricOptions& options = {})
      : fabric(scheduler, options),
        server_side(fabric, scheduler, context_of(TlsRole::server, Scene().server), {.max_connections = 4}, &notes),
        client_side(fabric, scheduler, context_of(TlsRole::client, client_config(most)), {.max_connections = 4},
                    &notes),
        where(server_side.listen({"127.0.0.1", 0}, *this).value()) {}
  static TlsConfig client_config(TlsVersion most) {
    TlsConfig config = Scene().client;
    config.server_name = "";  // the address, 127.0.0.1, is in the certificate
    config.max_version = most;
    return config;
  }
  link::Connection* on_accept(const Address&) override { return &server; }
  void turn() {
    now += 100us;
    scheduler.check(now, 1000);
    fabric.deliver(now);
    fabric.finish(now);
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    for (int count = 0; count < 2'000'000; ++count) {
      if (condition()) return true;
      turn();
    }
    return false;
  }
  [[nodiscard]] bool connect() {
    client_side.connect(where, client);
    return until([&] { return client.transport != nullptr && server.transport != nullptr; });
  }
  Time now = k_start;
  sched::Scheduler scheduler{256, k_start};
  Notes notes;
  AsioFabric fabric;
  TlsFabric server_side, client_side;
  Address where;
  Sink client, server;
};

TEST(TlsSockets, carries_bytes_both_ways_and_closes_as_agreed) {
  Sockets sockets;
  ASSERT_TRUE(sockets.connect()) << sockets.notes.last();
  ASSERT_TRUE(sockets.client.say(100'000) && sockets.server.say(70'000));
  ASSERT_TRUE(sockets.until([&] { return sockets.server.received == 100'000 && sockets.client.received == 70'000; }));
  sockets.client.transport->close(CloseReason::by_us);
  ASSERT_TRUE(sockets.until([&] { return sockets.server.reason != CloseReason::none; }));
  EXPECT_EQ(sockets.server.reason, CloseReason::by_peer);
  ASSERT_TRUE(sockets.until([&] { return sockets.client.reason != CloseReason::none; }));
  EXPECT_EQ(sockets.client.reason, CloseReason::by_us);
  EXPECT_TRUE(sockets.notes.troubles.empty()) << sockets.notes.last();
  EXPECT_TRUE(sockets.until([&] { return sockets.fabric.used_connections() == 0; }));
}

TEST(TlsSockets, a_peer_that_does_not_read_fills_bounded_buffers_and_loses_nothing) {
  Sockets sockets(TlsVersion::tls_1_3, {.input_capacity = 5000, .output_capacity = 10'000, .socket_buffer = 4096});
  ASSERT_TRUE(sockets.connect());
  std::size_t sent = 0;
  for (int round = 0; round < 200; ++round) {  // without a turn: nobody reads
    if (sockets.client.say(10'000)) sent += 10'000;
  }
  EXPECT_LE(sent, 280'000u);
  EXPECT_GT(sent, 200'000u);
  ASSERT_TRUE(sockets.until([&] { return sockets.server.received == sent; }));
  EXPECT_EQ(sockets.client.transport->unsent(), 0u);
}

TEST(TlsSockets, a_plain_client_is_refused) {
  Sockets sockets;
  Sink plain;
  sockets.fabric.connect(sockets.where, plain);
  ASSERT_TRUE(sockets.until([&] { return plain.transport != nullptr; }));
  ASSERT_TRUE(plain.say(50));
  ASSERT_TRUE(sockets.until([&] { return plain.reason != CloseReason::none; }));
  EXPECT_EQ(plain.reason, CloseReason::by_peer);
  EXPECT_EQ(sockets.notes.last(), "TLS handshake failed: wrong version number");
}

/// OpenSSL 3.0 takes a small block or two for the bookkeeping of each record, and returns it with the record.
TEST(TlsSockets, we_allocate_nothing_for_a_message_and_openssl_keeps_nothing) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "skipped: allocations are not counted in this build";
  ASSERT_TRUE(k_counts_openssl);
  for (const TlsVersion most : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
    Sockets sockets(most);
    ASSERT_TRUE(sockets.connect()) << sockets.notes.last();
    std::uint64_t ours = 0, taken = 0, returned = 0;
    for (int round = 0; round < 300; ++round) {
      if (round == 100) {  // warm by now
        ours = heap_allocations();
        taken = s_taken;
        returned = s_returned;
      }
      const std::size_t before = sockets.server.received + sockets.client.received;
      ASSERT_TRUE(sockets.client.say(200) && sockets.server.say(20'000));
      ASSERT_TRUE(sockets.until([&] { return sockets.server.received + sockets.client.received == before + 20'200; }));
    }
    EXPECT_EQ(heap_allocations() - ours, 0u);
    EXPECT_EQ(s_taken - taken, s_returned - returned);
    constexpr std::uint64_t k_records = 600;  // 200 rounds: 200 bytes are one record, 20,000 two
    EXPECT_EQ(s_taken - taken, k_records * (most == TlsVersion::tls_1_2 ? 2 : 4));
  }
}

}  // namespace
}  // namespace dojima::net
