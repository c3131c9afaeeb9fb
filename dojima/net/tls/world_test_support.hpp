#pragma once

// Two sessions with TLS between them over the simulated network, and somebody in between who can hold, cut and change
// what passes.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/net/tls/certificates_test_support.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace dojima::net::testing {

using link::Address;
using link::CloseReason;
using namespace std::chrono_literals;

/// A session that remembers everything.
struct Peer : link::Connection {
  void on_open(link::Transport& opened, Time) override {
    transport = &opened;
    ++opens;
    if (on_opened) on_opened();
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    EXPECT_EQ(closes, 0) << "no bytes after the end";
    const std::size_t used = std::min(bytes.size(), use_at_most);
    received += as_text(bytes.first(used));
    ++deliveries;
    if (on_received) on_received();
    return used;
  }
  void on_writable(Time) override { ++writable; }
  void on_closed(CloseReason why, Time) override {
    transport = nullptr;
    reason = why;
    ++closes;
  }
  bool say(std::string_view text) {
    if (transport == nullptr) return false;
    const Room room = transport->prepare(text.size());
    if (room.size() < text.size()) return false;
    std::ranges::copy(as_bytes(text), room.begin());
    transport->commit(text.size());
    return true;
  }
  void close(CloseReason why = CloseReason::by_us) { transport->close(why); }

  link::Transport* transport = nullptr;
  std::string received;
  std::size_t use_at_most = ~std::size_t{0};
  int opens = 0, deliveries = 0, writable = 0, closes = 0;
  CloseReason reason = CloseReason::none;
  std::function<void()> on_opened, on_received;
};

/// What is reported to operators, as lines.
struct Notes final : TlsHandler {
  void on_secured(const TlsPeer& peer, Time) override {
    secured.push_back(std::string(peer.version) + " " + std::string(peer.cipher) + " " + std::string(peer.certificate));
  }
  void on_trouble(const TlsTrouble& trouble, Time) override {
    troubles.push_back(std::string(link::name_of(trouble.reason)) + ": " + std::string(trouble.text));
  }
  [[nodiscard]] std::string last() const { return troubles.empty() ? "no trouble" : troubles.back(); }
  std::vector<std::string> secured, troubles;
};

/// Passes bytes on between who connects to it and `target`; `change` may alter what passes, and `stop` ends both.
class Middleman final : public link::Acceptor {
 public:
  using Change = std::function<void(std::string& bytes, bool is_from_client)>;

  Middleman(link::Fabric& fabric, Address target) : fabric_(fabric), target_(std::move(target)) {}
  link::Connection* on_accept(const Address&) override {
    client.other = &server;
    server.other = &client;
    fabric_.connect(target_, server);
    return &client;
  }
  Change change;
  std::size_t passed[2] = {0, 0};  ///< bytes from the server, from the client

  struct Side final : link::Connection {
    Side(Middleman& its_owner, bool client_side) : owner(its_owner), is_client(client_side) {}
    void on_open(link::Transport& opened, Time) override {
      transport = &opened;
      pass("");
    }
    std::size_t on_bytes(Bytes bytes, Time) override {
      std::string text(as_text(bytes));
      if (owner.change) owner.change(text, is_client);
      owner.passed[is_client ? 1 : 0] += text.size();
      other->pass(text);
      return bytes.size();
    }
    /// What finds no room waits here.
    void pass(const std::string& text) {
      waiting += text;
      while (transport != nullptr && !waiting.empty()) {
        const std::size_t size = std::min<std::size_t>(waiting.size(), 1000);
        const Room room = transport->prepare(size);
        if (room.size() < size) return;
        std::ranges::copy(as_bytes(std::string_view(waiting).substr(0, size)), room.begin());
        transport->commit(size);
        waiting.erase(0, size);
      }
    }
    void on_writable(Time) override { pass(""); }
    void on_closed(CloseReason, Time) override {
      transport = nullptr;
      if (other->transport != nullptr) other->transport->close(CloseReason::by_us);
    }
    Middleman& owner;
    const bool is_client;
    Side* other = nullptr;
    link::Transport* transport = nullptr;
    std::string waiting;
  };
  Side client{*this, true}, server{*this, false};

 private:
  link::Fabric& fabric_;
  Address target_;
};

inline TlsContext context_of(TlsRole role, const TlsConfig& config) {
  auto made = TlsContext::make(role, config);
  EXPECT_TRUE(made) << made.error().text;
  return *made;
}

struct Scene {
  TlsConfig server{.certificate_file = Certificates::get().server_file, .key_file = Certificates::get().server_key};
  TlsConfig client{.trusted_file = Certificates::get().authority_file, .server_name = "venue.test"};
  link::SimulatedNetworkOptions network{};
  TlsFabricOptions tls{.max_connections = 4};

  [[nodiscard]] static Scene mutual() {
    Scene setup;
    setup.server.trusted_file = Certificates::get().authority_file;
    setup.server.demand_client_certificate = true;
    setup.client.certificate_file = Certificates::get().client_file;
    setup.client.key_file = Certificates::get().client_key;
    return setup;
  }
};

struct World final : link::Acceptor {
  explicit World(const Scene& setup = {})
      : network(scheduler, setup.network),
        server_side(network, scheduler, context_of(TlsRole::server, setup.server), setup.tls, &server_notes),
        client_side(network, scheduler, context_of(TlsRole::client, setup.client), setup.tls, &client_notes),
        middleman(network, k_venue) {
    EXPECT_TRUE(server_side.listen(k_venue, *this).has_value());
    EXPECT_TRUE(network.listen(k_between, middleman).has_value());
  }
  link::Connection* on_accept(const Address& peer) override {
    EXPECT_EQ(peer.host, "simulated");
    ++accepts;
    return is_accepting ? &server : nullptr;
  }
  /// With whom there is a connection, or none, when this returns.
  void connect(const Address& address) {
    client_side.connect(address, client);
    EXPECT_EQ(client.opens + client.closes, 0) << "nothing is called back before the call returns";
    run(20ms);
  }
  void connect() { connect(k_venue); }
  void run(time::Duration duration) { link::run_for(network, scheduler, duration); }
  [[nodiscard]] bool is_open() const {
    return client.opens == 1 && server.opens == 1 && client.closes + server.closes == 0;
  }

  static inline const Address k_venue{"venue", 1}, k_between{"between", 2};

  sched::Scheduler scheduler{256, k_start};
  link::SimulatedNetwork network;
  Notes server_notes, client_notes;
  TlsFabric server_side, client_side;
  Middleman middleman;
  Peer client, server;
  bool is_accepting = true;
  int accepts = 0;
};

}  // namespace dojima::net::testing
