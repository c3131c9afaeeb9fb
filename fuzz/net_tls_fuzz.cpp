// A TLS client and a TLS server with a wire between them that a script holds, splits, changes and cuts; the first byte
// of each step says what to do. What sessions are shown is what the other side said, from its beginning, whatever
// happened on the wire; who was opened is closed once, and nothing comes behind it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/net/tls/certificates_test_support.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace {

using namespace dojima;
using link::CloseReason;
using time::Time;

class Session final : public link::Connection, public link::Acceptor {
 public:
  link::Connection* on_accept(const link::Address&) override { return this; }
  void on_open(link::Transport& opened, Time) override {
    DOJIMA_ASSERT(opens++ == 0, "opened once");
    transport = &opened;
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    DOJIMA_ASSERT(transport != nullptr, "between opening and closing");
    const std::size_t used = std::min(bytes.size(), appetite);
    received += as_text(bytes.first(used));
    return used;
  }
  void on_writable(Time) override { DOJIMA_ASSERT(transport != nullptr, "between opening and closing"); }
  void on_closed(CloseReason, Time) override {
    DOJIMA_ASSERT(closes++ == 0, "closed once");
    transport = nullptr;
  }
  void say(std::size_t size) {
    if (transport == nullptr) return;
    const Room room = transport->prepare(size);
    if (room.size() < size || size == 0) return;
    for (std::byte& byte : room) said += static_cast<char>(byte = static_cast<std::byte>(said.size() % 251));
    transport->commit(size);
  }
  link::Transport* transport = nullptr;
  std::string said, received;
  std::size_t appetite = 100'000;
  int opens = 0, closes = 0;
};

/// One end of the wire: what it sends waits in `sent` until the script moves it.
struct End final : link::Transport {
  Room prepare(std::size_t size) override {
    if (is_closed || size > room - std::min(room, sent.size())) return {};
    prepared.resize(size);
    return prepared;
  }
  void commit(std::size_t size) override {
    sent.insert(sent.end(), prepared.begin(), prepared.begin() + static_cast<std::ptrdiff_t>(size));
  }
  [[nodiscard]] std::size_t unsent() const override { return sent.size(); }
  void flush() override {}
  void close(CloseReason) override { is_closed = true; }
  void set_reading(bool is_wanted) override { is_reading = is_wanted; }

  link::Connection* above = nullptr;
  std::vector<std::byte> sent, prepared;
  std::size_t room = 20'000;
  bool is_closed = false, is_over = false, is_reading = true;
};

class Wire final : public link::Fabric {
 public:
  Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) override {
    server.above = acceptor.on_accept(address);
    return address;
  }
  void connect(const link::Address&, link::Connection& connection) override { client.above = &connection; }

  /// Brings up to `size` bytes from one end to the other, if that wants any.
  void move(End& from, End& to, std::size_t size, Time now) {
    if (!to.is_reading && !to.is_closed && !to.is_over) return;
    size = std::min(size, from.sent.size());
    // An exact copy, so that the address sanitizer sees a read past the end.
    const std::vector<std::byte> exact(from.sent.begin(), from.sent.begin() + static_cast<std::ptrdiff_t>(size));
    from.sent.erase(from.sent.begin(), from.sent.begin() + static_cast<std::ptrdiff_t>(size));
    if (size != 0 && !to.is_closed && !to.is_over)
      DOJIMA_ASSERT(to.above->on_bytes(exact, now) == size, "the layer keeps what it cannot use yet");
    if (size != 0 && !from.is_closed && !from.is_over) from.above->on_writable(now);
  }
  /// Ends the stream of an end that closed, or of both.
  void tell(bool is_cut, Time now) {
    for (End* end : {&client, &server}) {
      if (end->is_over || !(is_cut || end->is_closed)) continue;
      end->is_over = end->is_closed = true;
      end->above->on_closed(is_cut ? CloseReason::by_peer : CloseReason::by_us, now);
    }
  }
  End client, server;
};

net::TlsContext context_of(net::TlsRole role, bool is_new) {
  const net::testing::Certificates& certificates = net::testing::Certificates::get();
  const net::TlsVersion most = is_new ? net::TlsVersion::tls_1_3 : net::TlsVersion::tls_1_2;
  net::TlsConfig config{.trusted_file = certificates.authority_file, .max_version = most};
  config.certificate_file = role == net::TlsRole::server ? certificates.server_file : certificates.client_file;
  config.key_file = role == net::TlsRole::server ? certificates.server_key : certificates.client_key;
  config.demand_client_certificate = role == net::TlsRole::server;
  config.server_name = role == net::TlsRole::client ? "venue.test" : "";
  return net::TlsContext::make(role, config).value();
}

const net::TlsContext& context(net::TlsRole role, bool is_new) {
  static const std::array s_contexts{context_of(net::TlsRole::client, false), context_of(net::TlsRole::client, true),
                                     context_of(net::TlsRole::server, false), context_of(net::TlsRole::server, true)};
  return s_contexts[(role == net::TlsRole::server ? 2u : 0u) + (is_new ? 1u : 0u)];
}

/// Everything that a script moves.
struct World {
  explicit World(bool is_new)
      : server_side(wire, scheduler, context(net::TlsRole::server, is_new), k_options),
        client_side(wire, scheduler, context(net::TlsRole::client, is_new), k_options) {
    DOJIMA_ASSERT(server_side.listen({"venue", 1}, server).has_value(), "it listens");
    client_side.connect({"venue", 1}, client);
    wire.server.above->on_open(wire.server, now());
    wire.client.above->on_open(wire.client, now());
  }
  [[nodiscard]] Time now() const { return scheduler.now(); }

  void step(unsigned action, std::size_t amount) {
    const bool is_client = action % 2 == 0;
    End& end = is_client ? wire.client : wire.server;
    Session& session = is_client ? client : server;
    switch (action / 2 % 8) {
      case 0:
        wire.move(end, is_client ? wire.server : wire.client, amount, now());
        break;
      case 1:
        wire.move(end, is_client ? wire.server : wire.client, 100'000, now());
        break;
      case 2:
        if (!end.sent.empty()) end.sent[amount * 7 % end.sent.size()] ^= std::byte{1} << amount % 8;
        break;
      case 3:
        end.sent.insert(end.sent.begin() + static_cast<std::ptrdiff_t>(amount % (end.sent.size() + 1)), amount,
                        static_cast<std::byte>(amount));
        break;
      case 4:
        session.say(amount * amount);
        break;
      case 5:
        end.room = amount * 20;
        session.appetite = amount % 3 == 0 ? 0 : 100'000;
        if (session.transport != nullptr) session.transport->set_reading(amount % 5 != 0);
        break;
      case 6:
        scheduler.check(now() + std::chrono::milliseconds{50} * amount, 100);
        break;
      default:
        if (amount > 250) wire.tell(true, now());
        if (amount < 100 && session.transport != nullptr) session.transport->close(CloseReason::by_us);
    }
    wire.tell(false, now());
  }

  static constexpr net::TlsFabricOptions k_options{
      .max_connections = 1, .input_capacity = 3000, .output_capacity = 70'000};
  sched::Scheduler scheduler{8, net::testing::k_start};
  Wire wire;
  Session client, server;
  net::TlsFabric server_side, client_side;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  World world(data[0] % 2 == 1);
  for (std::size_t at = 1; at + 1 < size; at += 2) world.step(data[at], data[at + 1]);
  world.scheduler.check(world.now() + std::chrono::seconds{60}, 1000);
  world.wire.tell(false, world.now());
  world.wire.tell(true, world.now());
  for (const auto& [one, other] : {std::pair{&world.client, &world.server}, std::pair{&world.server, &world.client}}) {
    DOJIMA_ASSERT(one->said.starts_with(other->received), "what is shown was said", other->received.size());
    DOJIMA_ASSERT(one->closes <= 1 && one->opens <= 1, "one life");
  }
  DOJIMA_ASSERT(world.server.closes == world.server.opens, "closed when it was opened");
  DOJIMA_ASSERT(world.client.closes == 1, "a client is told in any case");
  return 0;
}
